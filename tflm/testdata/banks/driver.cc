// Runs a model in TensorFlow Lite Micro as it is, and with the planner of plan.cc, on the same inputs.
//   driver MODEL ARENA SEEDS RUNS [NONPERSISTENT PERSISTENT]
// prints the number of outputs that were compared, how many of them differ, how many bytes of the first memory and of
// the arena's planned part were written, and the bytes of the arena in use. ARENA is how many of the arena's bytes
// are given to the runtime. With the last two numbers the other one is not planned by plan.cc, but has two arenas of
// these sizes. Exit codes: 2 the model does not run as it is, 3 there is no room or the planner refuses.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "plan.h"
#include "tensorflow/lite/micro/micro_allocator.h"
#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"
#include "tensorflow/lite/schema/schema_generated.h"

static uint64_t state;

static uint64_t Next() {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static void Fill(TfLiteTensor* t) {
  for (size_t k = 0; k < t->bytes; ++k) t->data.uint8[k] = static_cast<uint8_t>(Next() >> 24);
  if (t->type == kTfLiteFloat32) {
    for (size_t k = 0; k < t->bytes / 4; ++k) t->data.f[k] = static_cast<float>(static_cast<int32_t>(Next())) / 2147483648.0f;
  }
  if (t->type == kTfLiteBool) {
    for (size_t k = 0; k < t->bytes; ++k) t->data.uint8[k] &= 1;
  }
}

static tflite::MicroMutableOpResolver<40>& Resolver() {
  static tflite::MicroMutableOpResolver<40> r;
  static bool done = false;
  if (!done) {
    done = true;
    r.AddAdd();
    r.AddAveragePool2D();
    r.AddConcatenation();
    r.AddConv2D();
    r.AddDepthwiseConv2D();
    r.AddDequantize();
    r.AddFullyConnected();
    r.AddIf();
    r.AddLess();
    r.AddLogistic();
    r.AddMaxPool2D();
    r.AddMean();
    r.AddMul();
    r.AddPad();
    r.AddQuantize();
    r.AddRelu();
    r.AddRelu6();
    r.AddReshape();
    r.AddSoftmax();
    r.AddSub();
    r.AddSvdf();
    r.AddTanh();
    r.AddTranspose();
    r.AddUnidirectionalSequenceLSTM();
    r.AddUnpack();
    r.AddWhile();
  }
  return r;
}

int main(int argc, char** argv) {
  if (argc != 5 && argc != 7) return 1;
  FILE* file = fopen(argv[1], "rb");
  if (file == nullptr) return 1;
  fseek(file, 0, SEEK_END);
  const size_t bytes = static_cast<size_t>(ftell(file));
  rewind(file);
  uint8_t* data = static_cast<uint8_t*>(aligned_alloc(16, (bytes + 15) / 16 * 16));
  if (fread(data, 1, bytes, file) != bytes) return 1;
  const tflite::Model* model = tflite::GetModel(data);
  const size_t size = static_cast<size_t>(atol(argv[2])), room = size_t{64} << 20;
  long compared = 0, differ = 0;
  size_t used = 0;
  for (int seed = 1; seed <= atoi(argv[3]); ++seed) {
    std::vector<uint8_t> memory(room + 16);
    tflite::MicroInterpreter usual(model, Resolver(), memory.data(), room);
    if (usual.AllocateTensors() != kTfLiteOk) return 2;
    tflite::MicroAllocator* allocator;
    if (argc == 7) {
      const size_t other = static_cast<size_t>(atol(argv[5])), kept = static_cast<size_t>(atol(argv[6]));
      allocator = tflite::MicroAllocator::Create(static_cast<uint8_t*>(aligned_alloc(16, kept)), kept,
                                                 static_cast<uint8_t*>(aligned_alloc(16, other)), other);
    } else {
      allocator = tflite::MicroAllocator::Create(Arena(), size, Planner());
    }
    tflite::MicroInterpreter banked(model, Resolver(), allocator);
    if (banked.AllocateTensors() != kTfLiteOk) return 3;
    used = banked.arena_used_bytes();
    state = 0x9E3779B97F4A7C15u * static_cast<uint64_t>(seed);
    for (int run = 0; run < atoi(argv[4]); ++run) {
      for (size_t k = 0; k < usual.inputs_size(); ++k) {
        Fill(usual.input(k));
        memcpy(banked.input(k)->data.raw, usual.input(k)->data.raw, usual.input(k)->bytes);
      }
      if (usual.Invoke() != kTfLiteOk) return 2;
      if (banked.Invoke() != kTfLiteOk) return 4;
      for (size_t k = 0; k < usual.outputs_size(); ++k) {
        ++compared;
        differ += memcmp(usual.output(k)->data.raw, banked.output(k)->data.raw, usual.output(k)->bytes) != 0;
      }
    }
  }
  printf("%ld %ld %ld %zu\n", compared, differ, Written(), used);
  return 0;
}
