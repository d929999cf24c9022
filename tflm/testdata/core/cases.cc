// Plans buffers with stowage::TflmPlanner, and with the runtime's greedy planner if GREEDY is defined.
//   standard input: scratch bytes, nodes, number of buffers, then of each: size, first and last use, offset or -1
//   output of each case: height, level, then the offsets, or "refused"
// On a Cortex-M4 the cases are in cases.inc, and the output has the height, and the instructions of both planners.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stowage_tflm_planner.h"
#ifdef GREEDY
#include "tensorflow/lite/micro/memory_planner/greedy_memory_planner.h"
#endif

struct Use {
  int size, first, last, offset;
};

// Plans as the runtime does. Returns the height, or 0 if the planner refuses.
static size_t Planned(stowage::runtime::MicroMemoryPlanner& planner, unsigned char* scratch, int bytes, const Use* uses,
                      int count, int* offsets) {
  planner.Init(scratch, bytes);
  for (int i = 0; i < count; i++) {
    const Use& u = uses[i];
    const TfLiteStatus added = u.offset < 0 ? planner.AddBuffer(u.size, u.first, u.last)
                                            : planner.AddBuffer(u.size, u.first, u.last, u.offset);
    if (added != kTfLiteOk) return 0;
  }
  for (int i = 0; i < count; i++) {
    if (planner.GetOffsetForBuffer(i, &offsets[i]) != kTfLiteOk) return 0;
  }
  return planner.GetMaximumMemorySize();
}

#ifdef GREEDY
extern "C" void emit(const char*);
void MicroPrintf(const char*, ...) {}
void operator delete(void*, size_t) {}
#include "cases.inc"
static unsigned char scratch[1 << 17];
static int offsets[1000];
static volatile uint32_t* const timer = reinterpret_cast<uint32_t*>(0xE000E010);

static void Count(stowage::runtime::MicroMemoryPlanner& planner, const Case& c) {
  char text[64];
  timer[1] = 0xFFFFFF, timer[2] = 0, timer[0] = 5;
  const size_t height = Planned(planner, scratch, sizeof scratch, c.uses, c.count, offsets);
  const unsigned ticks = 0xFFFFFF - timer[2], wrapped = timer[0] >> 16 & 1;
  snprintf(text, sizeof text, "%u %u ", static_cast<unsigned>(height), wrapped ? 0 : ticks);
  emit(text);
}

int main() {
  for (const Case& c : cases) {
    stowage::TflmPlanner planner;
    tflite::GreedyMemoryPlanner greedy;
    Count(greedy, c);
    Count(planner, c);
    emit("\n");
  }
  return 0;
}
#else
void MicroPrintf(const char* format, ...) {
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
}

int main() {
  int bytes, nodes, count;
  while (scanf("%d %d %d", &bytes, &nodes, &count) == 3) {
    Use* uses = static_cast<Use*>(malloc(sizeof(Use) * (count + 1)));
    int* offsets = static_cast<int*>(malloc(sizeof(int) * (count + 1)));
    for (int i = 0; i < count; i++) {
      Use& u = uses[i];
      if (scanf("%d %d %d %d", &u.size, &u.first, &u.last, &u.offset) != 4) return 1;
    }
    unsigned char* scratch = static_cast<unsigned char*>(malloc(bytes + 1));  // odd, so that nothing is aligned
    stowage::TflmPlanner planner(nodes);
    const size_t height = Planned(planner, scratch + 1, bytes, uses, count, offsets);
    if (height == 0) {
      printf("refused\n");
    } else {
      printf("%zu %d", height, planner.level());
      for (int i = 0; i < count; i++) printf(" %d", offsets[i]);
      printf("\n");
    }
    fflush(stdout);
    free(uses), free(offsets), free(scratch);
  }
  return 0;
}
#endif
