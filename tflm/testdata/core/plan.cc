// For the driver of ../banks: stowage::TflmPlanner in an arena of its own.
#include "stowage_tflm_planner.h"

#include "plan.h"

alignas(16) static uint8_t arena[64 << 20];

tflite::MicroMemoryPlanner* Planner() {
  static stowage::TflmPlanner planner;
  return &planner;
}

uint8_t* Arena() { return arena; }

long Written() { return 0; }
