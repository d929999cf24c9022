// What driver.cc needs of a plan: net.hpp differs from model to model, so only plan.cc is compiled anew for each.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/micro/memory_planner/micro_memory_planner.h"

tflite::MicroMemoryPlanner* Planner();
uint8_t* Arena();
long Written();  // bytes of the fast memory that are not as they were
