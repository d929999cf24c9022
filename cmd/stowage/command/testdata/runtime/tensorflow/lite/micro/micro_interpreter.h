// What a self-test uses of the runtime, for TestSelftest: declarations of our own, with a runtime
// behind them that adds up its inputs.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum TfLiteStatus { kTfLiteOk = 0, kTfLiteError = 1 };
enum TfLiteType { kTfLiteFloat32 = 1, kTfLiteInt32 = 2, kTfLiteUInt8 = 3, kTfLiteInt64 = 4, kTfLiteBool = 6, kTfLiteInt8 = 9 };
struct TfLiteTensor {
  TfLiteType type;
  union {
    float* f;
    uint8_t* uint8;
  } data;
  size_t bytes;
};

namespace tflite {
struct Model {};
class MicroOpResolver {};
class MicroAllocator {
 public:
  static MicroAllocator* Create(uint8_t* arena, size_t size);
};
class MicroResourceVariables {
 public:
  static MicroResourceVariables* Create(MicroAllocator* allocator, int count);
};
class MicroInterpreter {
 public:
  MicroInterpreter(const Model* model, const MicroOpResolver&, MicroAllocator*, MicroResourceVariables*);
  TfLiteStatus AllocateTensors();
  TfLiteStatus Invoke();
  size_t inputs_size() const { return 2; }
  size_t outputs_size() const { return 1; }
  TfLiteTensor* input(size_t k) { return &inputs_[k]; }
  TfLiteTensor* output(size_t) { return &output_; }

 private:
  bool planned_;
  TfLiteTensor inputs_[2], output_;
};
const Model* GetModel(const void* data);
}  // namespace tflite
