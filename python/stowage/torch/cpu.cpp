// PyTorch's allocator for the CPU, with an arena of stowage_arena.h in front of it.
//
// Idea: c10::SetCPUAllocator puts this allocator before the one that was there. A thread that is in
// no step goes straight to that one, and pays one comparison. A thread in a step asks the arena of
// the step, which serves the allocation or asks the allocator that was there.
//
// Invariant: whatever takes memory back finds the arena that gave it, without a search and as long
// as the memory lives, after the arena was closed too. A deleter of PyTorch's is a function without
// a context, so there is one for each slot (slots.hpp), made from a template.
//
// Autograd runs the backward of CPU tensors in the thread that calls it, so that a whole step is in the thread
// that began it.
//
// Tried and dropped: torch/extension.h with pybind11, which takes 100 s to compile; this takes 3 s,
// since Python calls by ctypes. One deleter that looks an address up in all arenas: it
// would need a lock around each free.
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <array>
#include <utility>

#include "slots.hpp"

namespace {

constexpr size_t ALIGNMENT = 64; // that of c10's own allocator

c10::Allocator* before = nullptr; // the allocator that was there

template <size_t I>
void release(void* p) {
  stowage_arena_free(slots[I].arena, p);
  drop(slots[I]);
}

template <size_t... I>
constexpr std::array<c10::DeleterFnPtr, SLOTS> releases(std::index_sequence<I...>) {
  return {&release<I>...};
}
constexpr auto RELEASE = releases(std::make_index_sequence<SLOTS>());

// What raw_allocate gave out comes back without its deleter.
void release_raw(void* p) {
  if (!release_known(p)) before->raw_deallocate(p);
}

struct Allocator final : c10::Allocator {
  c10::DataPtr allocate(size_t n) override {
    int at = -1;
    void* p = n ? take(n, ALIGNMENT, at) : nullptr;
    if (!p) return before->allocate(n); // outside of steps; or it fails again, and says so as PyTorch does
    return {p, p, RELEASE[static_cast<size_t>(at)], c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return &release_raw;
  }
  void copy_data(void* to, const void* from, std::size_t n) const override {
    default_copy_data(to, from, n);
  }
};

// No exception may pass through C.
void* upstream_malloc(void*, size_t size, size_t, uint64_t) {
  try {
    return before->raw_allocate(size);
  } catch (...) {
    return nullptr;
  }
}

void upstream_free(void*, void* p, size_t, uint64_t) {
  before->raw_deallocate(p);
}

// Behind the allocator that was there, which must be able to take memory back without a deleter.
bool install_before() {
  static Allocator ours;
  static bool done = [] {
    before = c10::GetCPUAllocator();
    if (!before || !before->raw_deleter()) return false;
    c10::SetCPUAllocator(&ours, 100);
    return c10::GetCPUAllocator() == &ours;
  }();
  return done;
}

} // namespace

static bool install(stowage_arena_upstream& up, int, int) {
  up.malloc = upstream_malloc;
  up.free = upstream_free;
  return install_before();
}
