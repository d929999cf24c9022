//go:build ignore
/* (The line above keeps the go command from compiling this file. C compilers see a comment.)
 *
 * A model in ONNX Runtime from C, with stowage_arena.c as its allocator: arena MODEL FOLDER HEIGHT WIDTH.
 *
 * MODEL has one input, a picture 1 x 3 x HEIGHT x WIDTH of floats, and its first output is floats. Two runs are recorded, the command
 * `stowage`, on PATH, plans them, and six runs are served from the plan, with the arena poisoned before each. Outputs are
 * compared byte by byte with those of the first run. FOLDER keeps trace and plan. README.md says how to build it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnxruntime_c_api.h"
#include "stowage_arena.h"

static stowage_arena *arena;
static OrtMemoryInfo *cpu;

/* The allocator. ONNX Runtime keeps a pointer to it for as long as the environment lives. */
static void *allocate(OrtAllocator *a, size_t n) {
  (void)a;
  return n ? stowage_arena_malloc(arena, n, 64, 0) : NULL;
}

static void release(OrtAllocator *a, void *p) {
  (void)a;
  stowage_arena_free(arena, p);
}

static const OrtMemoryInfo *info(const OrtAllocator *a) {
  (void)a;
  return cpu;
}

static OrtAllocator ours = {.version = 18, .Alloc = allocate, .Free = release, .Info = info, .Reserve = allocate};

#define OK(call)                                                           \
  do {                                                                     \
    OrtStatus *status = (call);                                            \
    if (status) {                                                          \
      fprintf(stderr, "%s: %s\n", #call, ort->GetErrorMessage(status));    \
      return 1;                                                            \
    }                                                                      \
  } while (0)

/* plan lets the command plan what was recorded, and loads the plan. */
static int plan(const char *folder) {
  char trace[500], file[500], line[1200];
  snprintf(trace, sizeof trace, "%s/runs.trace", folder);
  snprintf(file, sizeof file, "%s/runs.plan", folder);
  snprintf(line, sizeof line, "stowage arena plan '%s' -o '%s'", trace, file);
  if (stowage_arena_write(arena, trace) == STOWAGE_ARENA_OK && system(line) == 0 && stowage_arena_load_file(arena, file) == STOWAGE_ARENA_OK) return 1;
  stowage_arena_error(arena, line, sizeof line);
  fprintf(stderr, "there is no plan: %s\n", line);
  return 0;
}

int main(int n, char **words) {
  if (n != 5) return fprintf(stderr, "usage: arena MODEL FOLDER HEIGHT WIDTH\n"), 2;
  const OrtApi *ort = OrtGetApiBase()->GetApi(18);
  if (!ort) return fprintf(stderr, "this ONNX Runtime is older than 1.18\n"), 1;
  OrtEnv *env;
  OrtSessionOptions *options;
  OrtSession *session;
  OrtMemoryInfo *plain;
  OrtAllocator *usual;
  OrtValue *in, *out;
  char *name_in, *name_out;

  arena = stowage_arena_new(NULL);
  if (!arena) return fprintf(stderr, "there is no memory\n"), 1;
  stowage_arena_record(arena, 2);
  OK(ort->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "arena", &env));
  OK(ort->CreateMemoryInfo("Cpu", OrtDeviceAllocator, 0, OrtMemTypeDefault, &cpu));
  OK(ort->RegisterAllocator(env, &ours));
  OK(ort->CreateSessionOptions(&options));
  OK(ort->AddSessionConfigEntry(options, "session.use_env_allocators", "1"));
  OK(ort->DisableMemPattern(options));
  OK(ort->CreateSession(env, words[1], options, &session));
  OK(ort->GetAllocatorWithDefaultOptions(&usual));
  OK(ort->SessionGetInputName(session, 0, usual, &name_in));
  OK(ort->SessionGetOutputName(session, 0, usual, &name_out));

  int64_t shape[] = {1, 3, atoi(words[3]), atoi(words[4])};
  size_t count = (size_t)(3 * shape[2] * shape[3]), bytes = 0;
  float *x = malloc(count * sizeof *x);
  if (!x) return 1;
  for (size_t i = 0; i < count; i++) x[i] = (float)(i * 37 % 101) / 101;
  OK(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &plain));
  OK(ort->CreateTensorWithDataAsOrtValue(plain, x, count * sizeof *x, shape, 4, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &in));

  void *first = NULL;
  int equal = 0;
  for (int run = 0; run < 8; run++) {
    if (run == 2 && !plan(words[2])) return 1;
    stowage_arena_poison(arena);
    int level = stowage_arena_begin(arena, NULL);
    out = NULL;
    OK(ort->Run(session, NULL, (const char *const *)&name_in, (const OrtValue *const *)&in, 1, (const char *const *)&name_out, 1, &out));
    stowage_arena_end(arena, level);
    void *y;
    OK(ort->GetTensorMutableData(out, &y));
    if (run == 0) {
      OrtTensorTypeAndShapeInfo *what;
      OK(ort->GetTensorTypeAndShape(out, &what));
      OK(ort->GetTensorShapeElementCount(what, &bytes));
      bytes *= sizeof(float);
      if (!(first = malloc(bytes))) return 1;
      memcpy(first, y, bytes);
    } else {
      equal += memcmp(first, y, bytes) == 0;
    }
    ort->ReleaseValue(out);
  }
  stowage_arena_statistics s;
  stowage_arena_stats(arena, &s, sizeof s);
  printf("%d of 7 outputs are equal to the first; served %" PRIu64 ", missed %" PRIu64 ", refused %" PRIu64 "; height %" PRIu64 ", bound %" PRIu64 "\n",
         equal, s.all.served, s.all.missed, s.all.refused, s.planned, s.bound);
  return equal != 7;
}
