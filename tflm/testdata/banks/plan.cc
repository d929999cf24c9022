#include "net.hpp"

#include <string.h>

#include "plan.h"

alignas(64) static uint8_t fast_bank[net_fast_size];
alignas(64) static uint8_t slow_bank[net_slow_size];

tflite::MicroMemoryPlanner* Planner() {
  memset(fast_bank, 0xA5, sizeof fast_bank);
  static net_planner planner(fast_bank, slow_bank);
  return &planner;
}

uint8_t* Arena() { return slow_bank; }

long Written() {
  long n = 0;
  for (uint8_t b : fast_bank) n += b != 0xA5;
  return n;
}
