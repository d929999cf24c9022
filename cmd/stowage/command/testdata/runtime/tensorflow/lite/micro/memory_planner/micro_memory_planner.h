// What a planner class needs of the runtime, for TestPlannerClass: declarations of our own, by the runtime's names.
#pragma once
#include "tensorflow/lite/micro/micro_interpreter.h"

namespace tflite {
class MicroMemoryPlanner {
 public:
  MicroMemoryPlanner() {}
  virtual ~MicroMemoryPlanner() {}
  virtual TfLiteStatus AddBuffer(int size, int first, int last) = 0;
  virtual TfLiteStatus AddBuffer(int, int, int, int) { return kTfLiteError; }
  virtual size_t GetMaximumMemorySize() = 0;
  virtual int GetBufferCount() = 0;
  virtual TfLiteStatus GetOffsetForBuffer(int index, int* offset) = 0;
  virtual TfLiteStatus Init(unsigned char*, int) { return kTfLiteOk; }
  virtual bool preserves_all_tensors() const = 0;
};
}  // namespace tflite
