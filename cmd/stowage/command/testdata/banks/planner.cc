// Asks a planner class as the runtime does: adds the buffers that come on standard input, one a line, and prints where each
// is. The arguments are what goes wrong on the way.
#include <stdio.h>
#include <string.h>

#include "net.hpp"

alignas(64) static uint8_t fast[net_fast_size];
alignas(64) static uint8_t slow[net_slow_size + 1];

int main(int, char** argv) {
  const bool unaligned = strcmp(argv[1], "unaligned") == 0, absent = strcmp(argv[1], "absent") == 0;
  net_planner planner(absent ? nullptr : fast, slow + (unaligned ? 1 : 0));
  tflite::MicroMemoryPlanner& p = planner;
  for (int round = 0; round < 2; ++round) {  // a second AllocateTensors begins anew
    p.Init(nullptr, 0);
    rewind(stdin);
    int size, first, last;
    while (scanf("%d %d %d", &size, &first, &last) == 3) {
      if (p.AddBuffer(size, first, last) != kTfLiteOk) return 1;
    }
  }
  int offset;
  if (p.AddBuffer(16, 0, 0, 0) == kTfLiteOk || p.GetOffsetForBuffer(-1, &offset) == kTfLiteOk) return 2;
  if (p.GetOffsetForBuffer(p.GetBufferCount(), &offset) == kTfLiteOk || p.preserves_all_tensors()) return 3;
  printf("%d %d\n", static_cast<int>(p.GetMaximumMemorySize()), static_cast<int>(sizeof slow - 1));
  for (int k = 0; k < p.GetBufferCount(); ++k) {
    if (p.GetOffsetForBuffer(k, &offset) != kTfLiteOk) return 4;
    const uint8_t* at = slow + offset;
    const bool in = at >= fast && at < fast + sizeof fast;
    printf("%s %d\n", in ? "fast" : "slow", static_cast<int>(at - (in ? fast : slow)));
  }
  return 0;
}
