// Runs models from one arena, one after the other, beside the same models with arenas of their own, on the same inputs.
//   tenants ARENA RUNS MODEL...
// prints how many outputs were compared and how many of them differ. The models are loaded in this order. Exit codes:
// 2 a model does not run by itself, 3 there is no room.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <memory>
#include <vector>

#include "tensorflow/lite/micro/micro_allocator.h"
#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"
#include "tensorflow/lite/schema/schema_generated.h"

static uint8_t* Aligned(size_t bytes) { return static_cast<uint8_t*>(aligned_alloc(16, (bytes + 15) / 16 * 16)); }

static const tflite::Model* Read(const char* path) {
  FILE* file = fopen(path, "rb");
  if (file == nullptr) exit(1);
  fseek(file, 0, SEEK_END);
  const size_t bytes = static_cast<size_t>(ftell(file));
  rewind(file);
  uint8_t* data = Aligned(bytes);
  if (fread(data, 1, bytes, file) != bytes) exit(1);
  fclose(file);
  return tflite::GetModel(data);
}

int main(int argc, char** argv) {
  if (argc < 4) return 1;
  static tflite::MicroMutableOpResolver<9> resolver;
  resolver.AddAveragePool2D();
  resolver.AddConcatenation();
  resolver.AddConv2D();
  resolver.AddDepthwiseConv2D();
  resolver.AddFullyConnected();
  resolver.AddPad();
  resolver.AddReshape();
  resolver.AddSlice();
  resolver.AddSoftmax();
  const size_t size = static_cast<size_t>(atol(argv[1])), room = size_t{8} << 20;
  tflite::MicroAllocator* allocator = tflite::MicroAllocator::Create(Aligned(size), size);
  std::vector<std::unique_ptr<tflite::MicroInterpreter>> shared, alone;
  for (int k = 3; k < argc; ++k) {
    const tflite::Model* model = Read(argv[k]);
    alone.push_back(std::make_unique<tflite::MicroInterpreter>(model, resolver, Aligned(room), room));
    if (alone.back()->AllocateTensors() != kTfLiteOk) return 2;
    shared.push_back(std::make_unique<tflite::MicroInterpreter>(model, resolver, allocator));
    if (shared.back()->AllocateTensors() != kTfLiteOk) return 3;
  }
  long compared = 0, differ = 0;
  uint32_t state = 2463534242u;
  for (int run = 0; run < atoi(argv[2]); ++run) {
    for (size_t k = 0; k < shared.size(); ++k) {
      for (size_t i = 0; i < alone[k]->inputs_size(); ++i) {
        TfLiteTensor* t = alone[k]->input(i);
        for (size_t b = 0; b < t->bytes; ++b) {
          state ^= state << 13, state ^= state >> 17, state ^= state << 5;
          t->data.uint8[b] = static_cast<uint8_t>(state >> 8);
        }
        memcpy(shared[k]->input(i)->data.raw, t->data.raw, t->bytes);
      }
      if (alone[k]->Invoke() != kTfLiteOk || shared[k]->Invoke() != kTfLiteOk) return 2;
      for (size_t i = 0; i < alone[k]->outputs_size(); ++i) {
        ++compared;
        const TfLiteTensor* t = alone[k]->output(i);
        differ += memcmp(t->data.raw, shared[k]->output(i)->data.raw, t->bytes) != 0;
      }
    }
  }
  printf("%ld %ld\n", compared, differ);
  return 0;
}
