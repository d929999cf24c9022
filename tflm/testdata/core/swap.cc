// Puts stowage::TflmPlanner in the place of the greedy planner of the runtime in PyPI's package tflite_micro. The
// package exports the greedy planner's table of virtual functions, which is overwritten: the arena, the kernels and the
// rest of the runtime stay as they are. One interpreter is made at a time, so one planner is enough.
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stowage_tflm_planner.h"

static stowage::TflmPlanner planner;
static size_t head;

void MicroPrintf(const char* format, ...) {
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
}

static TfLiteStatus Add(void*, int size, int first, int last) { return planner.AddBuffer(size, first, last); }
static TfLiteStatus AddOffline(void*, int size, int first, int last, int offset) {
  return planner.AddBuffer(size, first, last, offset);
}
static size_t Most(void*) { return head = planner.GetMaximumMemorySize(); }
static int Count(void*) { return planner.GetBufferCount(); }
static TfLiteStatus Offset(void*, int index, int* offset) { return planner.GetOffsetForBuffer(index, offset); }
static TfLiteStatus Init(void*, unsigned char* scratch, int bytes) { return planner.Init(scratch, bytes); }

// Swaps the planner of the library at a path. Returns 0, or 1 if the library is not as expected.
extern "C" int stowage_swap(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return 1;
  auto table = static_cast<void**>(dlsym(library, "_ZTVN6tflite5micro19GreedyMemoryPlannerE"));
  if (table == nullptr) table = static_cast<void**>(dlsym(library, "_ZTVN6tflite19GreedyMemoryPlannerE"));
  if (table == nullptr) return 1;
  // After two words about the type and two destructors, in the order of the header.
  void* const functions[] = {
      reinterpret_cast<void*>(Add),   reinterpret_cast<void*>(AddOffline), reinterpret_cast<void*>(Most),
      reinterpret_cast<void*>(Count), reinterpret_cast<void*>(Offset),     reinterpret_cast<void*>(Init),
  };
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)), at = reinterpret_cast<uintptr_t>(table + 4);
  const uintptr_t begin = at / page * page, end = at + sizeof functions;
  if (mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE) != 0) return 1;
  memcpy(table + 4, functions, sizeof functions);
  return 0;
}

// Of the last plan: its height, and the level of stowage_core that had room.
extern "C" long stowage_head() { return static_cast<long>(head); }
extern "C" int stowage_level() { return planner.level(); }
