// Runs a self-test with a runtime that has a fault, and prints what it returns.
#include <cstdio>
#include <cstring>

#include "tensorflow/lite/micro/micro_interpreter.h"

extern "C" const unsigned char net_model_data[];
int net_selftest(const tflite::MicroOpResolver& kernels, unsigned char* arena, size_t size);

static const char* fault;
static unsigned char arena[1 << 12];
static bool is(const char* name) { return std::strcmp(fault, name) == 0; }

namespace tflite {
static MicroAllocator allocator;
MicroAllocator* MicroAllocator::Create(uint8_t* memory, size_t size) {
  return memory == arena && size == sizeof arena ? &allocator : nullptr;
}
MicroResourceVariables* MicroResourceVariables::Create(MicroAllocator*, int) { return nullptr; }
const Model* GetModel(const void* data) { return static_cast<const Model*>(data); }

static float floats[4];
static uint8_t bytes[8];
static float sum;
MicroInterpreter::MicroInterpreter(const Model* model, const MicroOpResolver&, MicroAllocator*, MicroResourceVariables*)
    : planned_(reinterpret_cast<const unsigned char*>(model) == net_model_data) {
  if (std::memcmp(reinterpret_cast<const char*>(model) + 4, "TFL3", 4) != 0) fault = "fails"; // no model begins there
  inputs_[0].type = kTfLiteFloat32;
  inputs_[0].data.f = floats;
  inputs_[0].bytes = sizeof floats;
  inputs_[1].type = kTfLiteInt64;
  inputs_[1].data.uint8 = bytes;
  inputs_[1].bytes = sizeof bytes;
  output_.type = kTfLiteFloat32;
  output_.data.f = &sum;
  output_.bytes = sizeof sum;
}
TfLiteStatus MicroInterpreter::AllocateTensors() {
  return is("small") || (is("small planned") && planned_) ? kTfLiteError : kTfLiteOk;
}
TfLiteStatus MicroInterpreter::Invoke() {
  sum = is("wrong") && planned_ ? 1 : 0;
  for (float f : floats) {
    if (f < -1 || f >= 1) return kTfLiteError;
    sum += f;
  }
  for (int k = 1; k < 8; k++) {
    if (bytes[k] != 0) return kTfLiteError; // an index is small
  }
  sum += bytes[0];
  return is("fails") ? kTfLiteError : kTfLiteOk;
}
}  // namespace tflite

int main(int, char** argv) {
  fault = argv[1];
  std::printf("%d\n", net_selftest(tflite::MicroOpResolver(), arena, sizeof arena));
  return 0;
}
