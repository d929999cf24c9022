// ONNX Runtime's allocator for the CPU, with an arena of stowage_arena.h in front of malloc.
//
// Idea: an environment of ONNX Runtime takes an allocator from outside (RegisterAllocator), and a session whose
// entry session.use_env_allocators is 1 allocates by it. There is one environment for a process and one
// allocator for the CPU in it, so arenas come and go behind this one (slots.hpp). A thread that runs a session within a step asks the
// arena of the step; all else, such as weights, comes from malloc.
//
// The module of Python has ONNX Runtime in it and shows none of its functions. It hands the table of these functions to
// any library that is registered as one of operators (RegisterCustomOps), so this one says that it is such, has
// no operators, and keeps the table.
//
// Nothing of ONNX Runtime is needed to compile this file. Below is the part of its C interface that is used:
// where each function is in the table. By ONNX Runtime's rule the table only grows, and places never change.
//
// Invariant: what ONNX Runtime gives back is freed by the arena that knows it, or else by free. Memory that outlives its
// step, such as the outputs of a run, stays valid.
//
// Source: onnxruntime_c_api.h of ONNX Runtime 1.24 for the interface.
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

#include "slots.hpp"

namespace {

constexpr size_t ALIGNMENT = 64; // that of ONNX Runtime's own allocator
constexpr uint32_t VERSION = 18; // of the interface: the first whose allocators have Reserve

// What the C interface has: opaque things, the allocator, and the table.
struct Env;
struct Status;
struct MemoryInfo;
struct SessionOptions;

struct OrtAllocator {
  uint32_t version;
  void* (*Alloc)(OrtAllocator*, size_t);
  void (*Free)(OrtAllocator*, void*);
  const MemoryInfo* (*Info)(const OrtAllocator*);
  void* (*Reserve)(OrtAllocator*, size_t);
};

struct ApiBase {
  void* const* (*GetApi)(uint32_t version);
  const char* (*GetVersionString)();
};

const ApiBase* base = nullptr; // what RegisterCustomOps was given
void* const* api = nullptr;    // the table
Env* environment = nullptr;
MemoryInfo* cpu = nullptr;
char said[400]; // the last failure

using Message = const char* (*)(const Status*);
using Create = Status* (*)(int level, const char* name, Env**);
using CreateInfo = Status* (*)(const char* name, int kind, int device, int memory, MemoryInfo**);
using Release = void (*)(Status*);
using Register = Status* (*)(Env*, OrtAllocator*);

template <class F, size_t PLACE>
F at() {
  return reinterpret_cast<F>(api[PLACE]);
}
constexpr auto message = at<Message, 2>;
constexpr auto create = at<Create, 3>;
constexpr auto create_info = at<CreateInfo, 68>;
constexpr auto release_status = at<Release, 93>;
constexpr auto register_allocator = at<Register, 176>;

// good returns if a call succeeded; else it keeps what was said.
bool good(Status* s) {
  if (!s) return true;
  snprintf(said, sizeof said, "%s", message()(s));
  release_status()(s);
  return false;
}

// connect finds the environment of this process, which the module of Python has made.
bool connect() {
  if (environment && cpu) return true;
  if (!base || !(api = base->GetApi(VERSION))) {
    snprintf(said, sizeof said, "this ONNX Runtime is older than 1.18");
    return false;
  }
  return good(create()(3, "stowage", &environment)) && good(create_info()("Cpu", 0, 0, 0, &cpu));
}

void* allocate(OrtAllocator*, size_t n) {
  int slot = -1;
  if (!n) return nullptr;
  if (void* p = take(n, ALIGNMENT, slot)) return p;
  void* p = nullptr;
  return posix_memalign(&p, ALIGNMENT, n) ? nullptr : p;
}

void give(OrtAllocator*, void* p) {
  if (p && !release_known(p)) free(p);
}

const MemoryInfo* info(const OrtAllocator*) {
  return cpu;
}

OrtAllocator ours = {VERSION, allocate, give, info, allocate};

// What no plan has, in a step. Large memory is pages of its own, which go back to the system at the free, as
// malloc's do at first: malloc would soon keep them in its heap, where a run without a plan takes up to three times as much.
constexpr size_t LARGE = 128 << 10;

void* upstream_malloc(void*, size_t size, size_t alignment, uint64_t) {
  void* p = nullptr;
  if (size < LARGE) return posix_memalign(&p, alignment < ALIGNMENT ? ALIGNMENT : alignment, size) ? nullptr : p;
  p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

// The arena knows the size of all that upstream_malloc gave.
void upstream_free(void*, void* p, size_t size, uint64_t) {
  if (size < LARGE) free(p);
  else munmap(p, size);
}

} // namespace

static bool install(stowage_arena_upstream& up, int, int) {
  up.malloc = upstream_malloc;
  up.free = upstream_free;
  static bool done = false; // guarded by making
  return done || (done = connect() && good(register_allocator()(environment, &ours)));
}

// RegisterCustomOps is what ONNX Runtime calls in a library of operators.
OUT void* RegisterCustomOps(void*, const ApiBase* given) {
  base = given;
  return nullptr;
}

// stowage_ort_said returns the last failure.
OUT const char* stowage_ort_said() {
  return said;
}

// stowage_ort_table returns the table of a version of the interface, or nullptr.
OUT const void* stowage_ort_table(uint32_t version) {
  return base ? base->GetApi(version) : nullptr;
}
