// Runs a model in the runtime that it is linked with, as firmware would.
//
//   run MODEL smallest [MOST]   prints the smallest arena that works, to 16 bytes
//   run MODEL probe [ARENA]     prints what the probe of Stowage logs
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include "python/tflite_micro/python_ops_resolver.h"
#include "stowage_probe.h"
#include "tensorflow/lite/micro/micro_allocator.h"
#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_resource_variable.h"
#include "tensorflow/lite/schema/schema_generated.h"

namespace {

tflite::PythonOpsResolver resolver;
StowageProbe probe;

// The arena's least that MicroAllocator::Create survives: below it, it writes
// outside.
constexpr size_t kLeast = 320;

// Resources counts the resource variables, which the interpreter has to be told.
int Resources(const tflite::Model* model) {
  std::set<std::string> names;
  for (const auto* graph : *model->subgraphs()) {
    if (!graph->operators()) continue;
    for (const auto* op : *graph->operators()) {
      const auto* code = model->operator_codes()->Get(op->opcode_index());
      if (code->builtin_code() == tflite::BuiltinOperator_VAR_HANDLE)
        names.insert(op->builtin_options_as_VarHandleOptions()->shared_name()->str());
    }
  }
  return names.size();
}

// Works says whether the tensors of a model find room in an arena.
bool Works(const tflite::Model* model, uint8_t* arena, size_t size, tflite::MicroMemoryPlanner* planner) {
  if (size < kLeast) return false;
  auto* allocator = planner ? tflite::MicroAllocator::Create(arena, size, planner)
                            : tflite::MicroAllocator::Create(arena, size);
  const int count = Resources(model);
  auto* resources = count ? tflite::MicroResourceVariables::Create(allocator, count) : nullptr;
  tflite::MicroInterpreter interpreter(model, resolver, allocator, resources);
  return interpreter.initialization_status() == kTfLiteOk && interpreter.AllocateTensors() == kTfLiteOk;
}

// Apart is Works in a process of its own, which may crash.
bool Apart(const tflite::Model* model, uint8_t* arena, size_t size) {
  const pid_t child = fork();
  if (child == 0) _exit(Works(model, arena, size, nullptr) ? 0 : 1);
  int status;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  FILE* file = fopen(argv[1], "rb");
  if (!file) return 2;
  fseek(file, 0, SEEK_END);
  const long length = ftell(file);
  rewind(file);
  void *data, *arena;
  const size_t most = argc > 3 ? strtoul(argv[3], nullptr, 0) : size_t{64} << 20;
  if (posix_memalign(&data, 64, length + 64) || posix_memalign(&arena, 64, most)) return 2;
  if (fread(data, 1, length, file) != static_cast<size_t>(length)) return 2;
  const auto* model = tflite::GetModel(data);
  auto* bytes = static_cast<uint8_t*>(arena);
  if (!strcmp(argv[2], "probe")) return Works(model, bytes, most, &probe) ? 0 : 1;
  if (!freopen("/dev/null", "w", stderr)) return 2;
  if (!Apart(model, bytes, most)) {
    printf("does not run\n");
    return 1;
  }
  size_t fails = 0, works = most / 16 * 16;
  while (works - fails > 16) {
    const size_t middle = (fails + works) / 2 / 16 * 16;
    (Apart(model, bytes, middle) ? works : fails) = middle;
  }
  printf("%zu\n", works);
  return 0;
}
