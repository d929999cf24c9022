// PyTorch's allocator for the CPU, with an arena of stowage_arena.h in front of it.
//
// Idea: c10::SetCPUAllocator puts this allocator before the one that was there. A thread that is in
// no step goes straight to that one, and pays one comparison. A thread in a step asks the arena of
// the step, which serves the allocation or asks the allocator that was there.
//
// Invariant: whatever takes memory back finds the arena that gave it, without a search and as long
// as the memory lives, after the arena was closed too. A deleter of PyTorch's is a function without
// a context, so there is one for each slot of a fixed table, made from a template. A slot counts who
// holds it: the owner in Python, each step that is open, each address that is out. The last one
// deletes the arena.
//
// A step belongs to the thread that began it. Autograd runs the backward of CPU tensors in the
// thread that calls it, so that a whole step is there. Other threads, such as those that load data,
// stay outside unless the arena was made for all threads.
//
// Tried and dropped: torch/extension.h with pybind11, which takes 100 s to compile; this takes 3 s,
// since Python calls by ctypes. One deleter that looks an address up in all arenas: it
// would need a lock around each free.
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <array>
#include <atomic>
#include <mutex>
#include <utility>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>

#include "stowage_arena.h"

#define OUT extern "C" __attribute__((visibility("default")))

namespace {

constexpr size_t SLOTS = 64;
constexpr size_t ALIGNMENT = 64; // that of c10's own allocator

struct Slot {
  std::atomic<int64_t> holders{0}; // 0: the slot is free; else 1 for existence, and each holder
  stowage_arena* arena = nullptr;  // valid while there are holders
};

Slot slots[SLOTS];
std::mutex making;                // guards taking a slot
c10::Allocator* before = nullptr; // the allocator that was there
thread_local int mine = -1;       // the slot of this thread's step, or -1
std::atomic<int> everyones{-1};   // the slot of a step that is for all threads, or -1

void drop(Slot& s) {
  if (s.holders.fetch_sub(1, std::memory_order_acq_rel) == 2) { // only existence is left, which nobody can hold
    stowage_arena_delete(s.arena);
    s.arena = nullptr;
    s.holders.store(0, std::memory_order_release);
  }
}

// hold holds a slot that may be going, and returns if it is there.
bool hold(Slot& s) {
  int64_t n = s.holders.load();
  while (n >= 2 && !s.holders.compare_exchange_weak(n, n + 1)) {
  }
  return n >= 2;
}

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

// What raw_allocate gave out comes back without its deleter; the arena that knows the address takes it.
void release_raw(void* p) {
  for (size_t i = 0; p && i < SLOTS; i++) {
    Slot& s = slots[i];
    if (!hold(s)) continue;
    bool known = stowage_arena_size(s.arena, p) > 0;
    if (known) {
      stowage_arena_free(s.arena, p);
      drop(s); // for the address
    }
    drop(s); // for this look
    if (known) return;
  }
  before->raw_deallocate(p);
}

struct Allocator final : c10::Allocator {
  c10::DataPtr allocate(size_t n) override {
    int at = mine >= 0 ? mine : everyones.load(std::memory_order_relaxed);
    if (at < 0 || n == 0) return before->allocate(n);
    Slot& s = slots[at];
    if (mine >= 0) s.holders.fetch_add(1, std::memory_order_relaxed); // the open step holds it too
    else if (!hold(s)) return before->allocate(n);
    void* p = stowage_arena_malloc(s.arena, n, ALIGNMENT, 0);
    if (!p) {
      drop(s);
      return before->allocate(n); // fails again, and says so as PyTorch does
    }
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
bool install() {
  static Allocator ours;
  static bool done = [] {
    before = c10::GetCPUAllocator();
    if (!before || !before->raw_deleter()) return false;
    c10::SetCPUAllocator(&ours, 100);
    // The child of a fork, such as a worker that loads data, begins outside of steps.
    pthread_atfork(nullptr, nullptr, [] {
      mine = -1;
      everyones = -1;
    });
    return c10::GetCPUAllocator() == &ours;
  }();
  return done;
}

} // namespace

// stowage_torch_new makes an arena and returns its slot; -1 if all slots are in use, -2 if there is no memory,
// -3 if PyTorch has an allocator that this one cannot stand before.
OUT int stowage_torch_new(int) {
  std::lock_guard<std::mutex> lock(making);
  if (!install()) return -3;
  for (size_t i = 0; i < SLOTS; i++) {
    if (slots[i].holders.load(std::memory_order_acquire) != 0) continue;
    stowage_arena_upstream up = {upstream_malloc, upstream_free, nullptr, nullptr, 0};
    stowage_arena* a = stowage_arena_new(&up);
    if (!a) return -2;
    slots[i].arena = a;
    slots[i].holders.store(2, std::memory_order_release);
    return static_cast<int>(i);
  }
  return -1;
}

// stowage_torch_arena returns the arena of a slot, for the functions of stowage_arena.h.
OUT stowage_arena* stowage_torch_arena(int slot) {
  return slots[slot].arena;
}

// stowage_torch_load and stowage_torch_unload are those of stowage_arena.h; on a GPU there is more to do.
OUT int stowage_torch_load(int slot, const char* text, size_t length) {
  return stowage_arena_load(slots[slot].arena, text, length);
}

OUT void stowage_torch_unload(int slot) {
  stowage_arena_unload(slots[slot].arena);
}

// stowage_torch_trim gives the system back what the C library keeps of the steps before the plan.
OUT void stowage_torch_trim(int) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// stowage_torch_close gives up the owner's hold. The block goes as soon as nothing in it is live.
OUT void stowage_torch_close(int slot) {
  stowage_arena_stop(slots[slot].arena);
  stowage_arena_unload(slots[slot].arena);
  drop(slots[slot]);
}

// stowage_torch_enter begins a step or scope for this thread or, if all is not 0, for all threads. It
// returns the level, and in was what stowage_torch_exit needs to go back to.
OUT int stowage_torch_enter(int slot, const char* name, int all, int* was) {
  slots[slot].holders.fetch_add(1, std::memory_order_relaxed);
  was[0] = mine;
  was[1] = everyones.load();
  mine = slot;
  if (all) everyones.store(slot);
  return stowage_arena_begin(slots[slot].arena, name);
}

// stowage_torch_exit ends what enter began. own is 0 if another thread began it.
OUT void stowage_torch_exit(int slot, int level, const int* was, int own, int all) {
  stowage_arena_end(slots[slot].arena, level);
  if (own) mine = was[0];
  if (all) everyones.store(was[1]);
  drop(slots[slot]);
}
