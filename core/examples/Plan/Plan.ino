// Plans three buffers on the device, and prints their offsets.
#include <stowage_core.h>

// Each: lower, upper, size, alignment.
static stowage_core_buffer buffers[] = {{0, 3, 64, 16}, {1, 4, 32, 16}, {3, 6, 64, 16}};
static stowage_core_size offsets[3];
static long long workspace[2000];

void setup() {
  Serial.begin(115200);
  stowage_core_problem problem = {buffers, 3, NULL, NULL, 0, NULL, 0};
  stowage_core_options options = {0, 1000, NULL, NULL};
  stowage_core_result result;
  int status = stowage_core_plan(&problem, &options, workspace, sizeof workspace, offsets, &result);
  if (status != STOWAGE_CORE_OPTIMAL && status != STOWAGE_CORE_FEASIBLE) return;
  for (int i = 0; i < 3; i++) Serial.println((long)offsets[i]);
}

void loop() {}
