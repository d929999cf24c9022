// Prints what TensorFlow Lite Micro asks its memory planner for, the scratch
// buffers of this target's own kernels included, as lines that Stowage reads:
//
//   #include "stowage_probe.h"
//   static StowageProbe probe;
//   static uint8_t arena[kArenaSize];   // any size that works today
//   auto* allocator = tflite::MicroAllocator::Create(arena, kArenaSize, &probe);
//   tflite::MicroInterpreter interpreter(model, resolver, allocator);
//   interpreter.AllocateTensors();
//
// Save the log and give it to: stowage plan --scratch FILE model.tflite
#ifndef STOWAGE_PROBE_H_
#define STOWAGE_PROBE_H_
#include "tensorflow/lite/micro/memory_planner/greedy_memory_planner.h"
#include "tensorflow/lite/micro/micro_log.h"

class StowageProbe : public tflite::GreedyMemoryPlanner {
 public:
  TfLiteStatus AddBuffer(int size, int first, int last) override {
    MicroPrintf("stowage: %d,%d,%d,%d,", GetBufferCount(), first, last, size);
    return tflite::GreedyMemoryPlanner::AddBuffer(size, first, last);
  }
  TfLiteStatus AddBuffer(int size, int first, int last, int offset) override {
    // The base comes back to the other AddBuffer, which prints; this says where.
    MicroPrintf("stowage: at %d", offset);
    return tflite::GreedyMemoryPlanner::AddBuffer(size, first, last, offset);
  }
  // The base's is private; a static object needs one that it can reach.
  void operator delete(void*) {}
};
#endif  // STOWAGE_PROBE_H_
