// What stowage_tflm_planner.h needs of the runtime, with the same layout, for tests without its sources. With
// -DSTUB_MICRO the names are in tflite::micro, as in versions since October 2026.
#pragma once
#include <stddef.h>
#include <stdint.h>
#ifdef STUB_MICRO
#define STUB_OPEN namespace tflite { namespace micro {
#define STUB_CLOSE }}
#else
#define STUB_OPEN namespace tflite {
#define STUB_CLOSE }
#endif
enum TfLiteStatus { kTfLiteOk = 0, kTfLiteError = 1 };
