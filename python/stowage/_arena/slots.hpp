// The arenas of one adapter, and whose step a thread is in.
//
// Idea: an adapter is one allocator for the process, and arenas come and go behind it. Each has a slot of a fixed table.
// A slot counts who holds it: the owner in Python, each step that is open, each address that is out. The last one
// deletes the arena. So whatever takes memory back finds the arena that gave it as long as the memory lives,
// after the arena was closed too.
//
// A step belongs to the thread that began it. Other threads, such as those that load data, stay outside unless the
// arena was made for all threads. A thread that is in no step pays one comparison.
//
// Steps of several arenas may end in another order than that of nesting, and a step may end in another thread than it
// began in: generators do both. So each thread has a list of its open steps, and the innermost that has not ended counts.
// Another thread cannot touch that list. It marks the step as ended, and the thread that began it removes it.
//
// An adapter includes this file once and defines install. Python calls the functions at the end, by ctypes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <unistd.h>

#include "stowage_arena.h"

#define OUT extern "C" __attribute__((visibility("default")))

// install puts the adapter's allocator into its place, once, and says where memory comes from that no
// plan has, for a slot that gets a new arena. It returns false if that cannot be.
static bool install(stowage_arena_upstream& up, int slot, int device);

namespace {

constexpr size_t SLOTS = 64;

struct Slot {
  std::atomic<int64_t> holders{0}; // 0: the slot is free; else 1 for existence, and each holder
  stowage_arena* arena = nullptr;  // valid while there are holders
  std::atomic<int> open{0};        // steps and scopes that are open for all threads
  std::atomic<uint64_t> turn{0};   // when the last of these began
  std::atomic<uint64_t> trimmed{0}; // the most resident memory that trim has given back before a block was made
};

// A frame is a step or scope of the thread that began it.
struct Frame {
  int slot;
  std::atomic<bool> ended{false}; // by another thread; its own then removes it
  Frame* outer;
};

Slot slots[SLOTS];
std::mutex making;                // guards taking a slot
thread_local Frame* mine = nullptr; // the innermost step of this thread, or none
std::atomic<int> everyones{-1};     // the slot of the latest step that is for all threads, or -1
std::atomic<uint64_t> turns{0};

// innermost returns the slot of this thread's step, or -1.
int innermost() {
  while (mine && mine->ended.load(std::memory_order_acquire)) {
    Frame* gone = mine;
    mine = gone->outer;
    delete gone;
  }
  return mine ? mine->slot : -1;
}

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

// holder returns the slot whose arena knows an address, held once more; -1 if none does.
[[maybe_unused]] int holder(void* p) {
  for (size_t i = 0; p && i < SLOTS; i++) {
    if (!hold(slots[i])) continue;
    if (stowage_arena_size(slots[i].arena, p) > 0) return static_cast<int>(i);
    drop(slots[i]);
  }
  return -1;
}

// release_known frees an address by the arena that knows it, and returns if there is one.
[[maybe_unused]] bool release_known(void* p) {
  int at = holder(p);
  if (at < 0) return false;
  stowage_arena_free(slots[at].arena, p);
  drop(slots[at]); // for the address
  drop(slots[at]); // for this look
  return true;
}

// take allocates memory of the CPU in the step of this thread, and sets at to the slot. It returns nullptr outside of steps, or if
// there is no memory.
[[maybe_unused]] void* take(size_t size, size_t alignment, int& at) {
  at = mine ? innermost() : -1;
  if (at < 0) at = everyones.load(std::memory_order_relaxed);
  if (at < 0) return nullptr;
  Slot& s = slots[at];
  if (!hold(s)) return nullptr; // another thread has just ended the step
  void* p = stowage_arena_malloc(s.arena, size, alignment, 0);
  if (!p) drop(s);
  return p;
}

// trim gives the system back what the C library keeps of freed memory.
void trim(void*) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// resident returns the resident memory of the process; 0 if there is no /proc.
uint64_t resident(void*) {
  char text[64] = "";
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t n = read(file, text, sizeof text - 1);
  close(file);
  char* second = n > 0 ? strchr(text, ' ') : nullptr;
  return second ? strtoull(second, nullptr, 10) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

} // namespace

// stowage_slot_new makes an arena and returns its slot; -1 if all slots are in use, -2 if there is no memory,
// -3 if the adapter cannot stand before the allocator that is there.
OUT int stowage_slot_new(int device) {
  std::lock_guard<std::mutex> lock(making);
  // The child of a fork, such as a worker that loads data, begins outside of steps.
  static int watched = pthread_atfork(nullptr, nullptr, [] {
    mine = nullptr;
    everyones = -1;
    for (Slot& s : slots) s.open = 0;
  });
  (void)watched;
  int i = 0;
  while (i < static_cast<int>(SLOTS) && slots[i].holders.load(std::memory_order_acquire) != 0) i++;
  if (i == static_cast<int>(SLOTS)) return -1;
  stowage_arena_upstream up = {nullptr, nullptr, nullptr, nullptr, 0};
  if (!install(up, i, device)) return -3;
  stowage_arena* a = stowage_arena_new(&up);
  if (!a) return -2;
  if (!up.device) stowage_arena_system(a, 1, trim, resident);
  slots[i].arena = a;
  slots[i].trimmed = 0;
  slots[i].holders.store(2, std::memory_order_release);
  return i;
}

// stowage_slot_arena returns the arena of a slot, for the functions of stowage_arena.h.
OUT stowage_arena* stowage_slot_arena(int slot) {
  return slots[slot].arena;
}

// stowage_slot_load and stowage_slot_unload are those of stowage_arena.h. The heap is trimmed before the
// block is made, so that the block takes the place of what malloc keeps.
OUT int stowage_slot_load(int slot, const char* text, size_t length, int replace) {
  uint64_t before = resident(nullptr);
  trim(nullptr);
  uint64_t after = resident(nullptr);
  if (before > after && before - after > slots[slot].trimmed) slots[slot].trimmed = before - after;
  return (replace ? stowage_arena_replace : stowage_arena_load)(slots[slot].arena, text, length);
}

// stowage_slot_trimmed returns what malloc_trim gave back at most before plans were loaded.
OUT uint64_t stowage_slot_trimmed(int slot) {
  return slots[slot].trimmed;
}

OUT void stowage_slot_unload(int slot) {
  stowage_arena_unload(slots[slot].arena);
}

// stowage_slot_close gives up the owner's hold. The block goes as soon as nothing in it is live.
OUT void stowage_slot_close(int slot) {
  stowage_arena_watch(slots[slot].arena, 0);
  stowage_arena_unload(slots[slot].arena);
  trim(nullptr);
  drop(slots[slot]);
}

// stowage_slot_enter begins a step or scope for this thread or, if all is not 0, for all threads. It
// returns the level, and in was what stowage_slot_exit needs; -1 if there is no memory.
OUT int stowage_slot_enter(int slot, const char* name, int all, void** was) {
  Frame* frame = new (std::nothrow) Frame{slot, {}, mine};
  if (!frame) return -1;
  Slot& s = slots[slot];
  s.holders.fetch_add(1, std::memory_order_relaxed);
  *was = mine = frame;
  if (all) {
    s.open++;
    s.turn = ++turns;
    everyones = slot;
  }
  return stowage_arena_begin(s.arena, name);
}

// stowage_slot_exit ends what enter began. own is 0 if another thread began it.
OUT void stowage_slot_exit(int slot, int level, void** was, int own, int all) {
  Slot& s = slots[slot];
  Frame* frame = static_cast<Frame*>(*was);
  stowage_arena_end(s.arena, level);
  if (own) {
    Frame** at = &mine;
    while (*at && *at != frame) at = &(*at)->outer;
    if (*at) *at = frame->outer; // the child of a fork does not have it
    delete frame;
  } else {
    frame->ended.store(true, std::memory_order_release);
  }
  if (all && s.open > 0) s.open--;
  if (all) { // the latest that is open
    int latest = -1;
    for (size_t i = 0; i < SLOTS; i++)
      if (slots[i].open > 0 && (latest < 0 || slots[i].turn > slots[latest].turn)) latest = static_cast<int>(i);
    everyones = latest;
  }
  drop(s);
}
