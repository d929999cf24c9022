/* PyTorch's memory on a GPU of NVIDIA or AMD, with an arena of stowage_arena.h in front of it.
 *
 * Idea: torch.cuda.memory.CUDAPluggableAllocator takes two C functions, stowage_cuda_malloc and
 * stowage_cuda_free below, in place of PyTorch's caching allocator. Within a step the arena serves;
 * what it does not serve, and all outside of steps, comes from the runtime's own pool in the order of the stream
 * (cudaMallocAsync), whose memory is kept, so that an allocation does not stop the GPU.
 *
 * Streams: the arena gives each stream its own region, so bytes pass only between kernels of one
 * stream, which run in order. If Tensor.record_stream names another stream, the bytes are held back after
 * the free until the next step begins, which then waits for the GPU.
 *
 * Threads: autograd runs the backward of GPU tensors in a thread of its own, so a step is for all threads.
 *
 * Nothing of CUDA is linked: the functions are looked up in the runtime that PyTorch has loaded, under
 * their names of CUDA or of HIP. So this file needs no GPU, no CUDA and no PyTorch to be compiled.
 *
 * Tried and dropped: MemPool, whose allocator is only asked for segments of 2 MiB and more; cudaMalloc
 * for what is missed, which waits for the GPU each time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "stowage_arena.h"

#define OUT __attribute__((visibility("default")))
#define SLOTS 64
#define DEVICES 64
#define ALIGNMENT 512 /* that of PyTorch's caching allocator; kernels rely on 16 at least */

typedef void *stream_t;

/* The runtime's functions. All return 0 if they succeed. */
static struct {
  int (*GetDevice)(int *);
  int (*SetDevice)(int);
  int (*DeviceSynchronize)(void);
  int (*Malloc)(void **, size_t);
  int (*Free)(void *);
  int (*Memset)(void *, int, size_t);
  int (*MallocAsync)(void **, size_t, stream_t); /* NULL: this runtime or device has no pool */
  int (*FreeAsync)(void *, stream_t);
  int (*DeviceGetDefaultMemPool)(void **, int);
  int (*MemPoolSetAttribute)(void *, int, void *);
  int (*MemPoolGetAttribute)(void *, int, void *);
  int (*MemPoolTrimTo)(void *, size_t);
  int (*EventCreateWithFlags)(void **, unsigned);
  int (*EventRecord)(void *, stream_t);
  int (*EventDestroy)(void *);
  int (*StreamWaitEvent)(stream_t, void *, unsigned);
} gpu;

typedef struct slot {
  stowage_arena *arena;
  int device;
  long holders; /* 0: free; else 1 for existence, and each holder: the owner, open steps, addresses that are out */
  long open;    /* steps and scopes that are open */
  uint64_t turn; /* when the last of these began */
} slot;

/* Another stream that uses memory which did not come from an arena's block. */
typedef struct use {
  void *address;
  stream_t stream;
} use;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER; /* of all below; not held while others are called */
static slot slots[SLOTS];
static int current[DEVICES]; /* the slot of the latest open step of a device, plus 1; 0: none */
static uint64_t turns;
static void *pools[DEVICES]; /* the pool of a device, once it was looked up; its own address if it has none */
static use *uses;
static size_t n_uses, cap_uses;

/* stowage_cuda_init looks the runtime's functions up, in a library or, without one, in what the process
 * has loaded. It returns 0; -1 if the runtime is not there. */
OUT int stowage_cuda_init(const char *path) {
  void *in = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : RTLD_DEFAULT;
  if (path && !in) in = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
  if (path && !in) return -1;
  for (int hip = 0; hip < 2; hip++) {
    char name[64];
    int missing = 0;
#define LOOK(what, needed)                                                   \
  snprintf(name, sizeof name, "%s" #what, hip ? "hip" : "cuda");             \
  *(void **)&gpu.what = dlsym(in, name);                                     \
  missing += (needed) && !gpu.what
    LOOK(GetDevice, 1);
    LOOK(SetDevice, 1);
    LOOK(DeviceSynchronize, 1);
    LOOK(Malloc, 1);
    LOOK(Free, 1);
    LOOK(Memset, 1);
    LOOK(EventCreateWithFlags, 1);
    LOOK(EventRecord, 1);
    LOOK(EventDestroy, 1);
    LOOK(StreamWaitEvent, 1);
    LOOK(MallocAsync, 0);
    LOOK(FreeAsync, 0);
    LOOK(DeviceGetDefaultMemPool, 0);
    LOOK(MemPoolSetAttribute, 0);
    LOOK(MemPoolGetAttribute, 0);
    LOOK(MemPoolTrimTo, 0);
    if (!missing) return 0;
  }
  return -1;
}

/* on makes a device the current one and returns the one that was; off goes back to it. */
static int on(int device) {
  int was = device;
  gpu.GetDevice(&was);
  if (was != device) gpu.SetDevice(device);
  return was;
}

static void off(int device, int was) {
  if (was != device) gpu.SetDevice(was);
}

/* pool returns the pool of a device that is current, set to keep what is freed; NULL if it has none. */
static void *pool(int device) {
  if (device < 0 || device >= DEVICES || !gpu.MallocAsync || !gpu.FreeAsync) return NULL;
  pthread_mutex_lock(&guard);
  if (!pools[device]) {
    void *found = NULL;
    uint64_t all = UINT64_MAX;
    if (!gpu.DeviceGetDefaultMemPool || gpu.DeviceGetDefaultMemPool(&found, device)) found = NULL;
    if (found && gpu.MemPoolSetAttribute) gpu.MemPoolSetAttribute(found, 4 /* ReleaseThreshold */, &all);
    pools[device] = found ? found : &pools[device];
  }
  void *p = pools[device];
  pthread_mutex_unlock(&guard);
  return p == &pools[device] ? NULL : p;
}

/* If there is no memory, the runtime's last error stays set, and PyTorch's next call reports it. */
static void *take(int device, size_t size, stream_t stream) {
  void *p = NULL, *from;
  int was = on(device);
  if ((from = pool(device))) {
    if (gpu.MallocAsync(&p, size, stream)) {
      gpu.DeviceSynchronize();
      if (gpu.MemPoolTrimTo) gpu.MemPoolTrimTo(from, 0);
      if (gpu.MallocAsync(&p, size, stream)) p = NULL;
    }
  } else if (gpu.Malloc(&p, size)) {
    p = NULL;
  }
  off(device, was);
  return p;
}

static void give(int device, void *p, stream_t stream) {
  int was = on(device);
  pthread_mutex_lock(&guard);
  for (size_t i = n_uses; i-- > 0;) {
    if (uses[i].address != p) continue;
    /* What follows in this stream, the free first, waits for the other one. */
    void *event = NULL;
    if (gpu.EventCreateWithFlags(&event, 2 /* DisableTiming */) == 0) {
      gpu.EventRecord(event, uses[i].stream);
      gpu.StreamWaitEvent(stream, event, 0);
      gpu.EventDestroy(event);
    }
    uses[i] = uses[--n_uses];
  }
  pthread_mutex_unlock(&guard);
  if (pool(device)) gpu.FreeAsync(p, stream);
  else gpu.Free(p);
  off(device, was);
}

/* The arena asks for its block, and for what it does not serve. The block is asked for in stream 0 and is used by
 * all streams, so the GPU is waited for when it is taken and when it is given back. */
static __thread int loading; /* this thread loads a plan, so the arena asks for a block */
static void *blocks[2 * SLOTS];

static int is_block(void *p, void *becomes) {
  int found = 0;
  pthread_mutex_lock(&guard);
  for (size_t i = 0; i < 2 * SLOTS && !found; i++)
    if (blocks[i] == p) found = 1, blocks[i] = becomes;
  pthread_mutex_unlock(&guard);
  return found;
}

static void wait_for(int device) {
  int was = on(device);
  gpu.DeviceSynchronize();
  off(device, was);
}

static void *upstream_malloc(void *context, size_t size, size_t alignment, uint64_t stream) {
  int device = ((slot *)context)->device;
  (void)alignment;
  void *p = take(device, size, (stream_t)(uintptr_t)stream);
  if (p && loading) {
    wait_for(device);
    if (!is_block(NULL, p)) { /* no room to remember it */
      give(device, p, NULL);
      return NULL;
    }
  }
  return p;
}

static void upstream_free(void *context, void *p, size_t size, uint64_t stream) {
  int device = ((slot *)context)->device;
  (void)size;
  if (is_block(p, NULL)) wait_for(device);
  give(device, p, (stream_t)(uintptr_t)stream);
}

static void fill(void *context, void *p, int byte, size_t size) {
  int device = ((slot *)context)->device, was = on(device);
  gpu.DeviceSynchronize();
  gpu.Memset(p, byte, size);
  gpu.DeviceSynchronize();
  off(device, was);
}

static void drop(slot *s) {
  pthread_mutex_lock(&guard);
  stowage_arena *gone = --s->holders == 1 ? s->arena : NULL;
  pthread_mutex_unlock(&guard);
  if (!gone) return;
  stowage_arena_delete(gone);
  pthread_mutex_lock(&guard);
  s->holders = 0;
  pthread_mutex_unlock(&guard);
}

/* owner returns the slot whose arena knows an address, held once more; NULL if none does. */
static slot *owner(void *p, int device) {
  for (slot *s = slots; s < slots + SLOTS; s++) {
    pthread_mutex_lock(&guard);
    int there = s->holders >= 2 && (device < 0 || s->device == device);
    s->holders += there;
    pthread_mutex_unlock(&guard);
    if (!there) continue;
    if (stowage_arena_size(s->arena, p)) return s;
    drop(s);
  }
  return NULL;
}

/* ----------------------------------------------------------------- what PyTorch calls */

OUT void *stowage_cuda_malloc(ssize_t size, int device, stream_t stream) {
  if (size <= 0) return NULL;
  slot *s = NULL;
  pthread_mutex_lock(&guard);
  if (device >= 0 && device < DEVICES && current[device]) {
    s = &slots[current[device] - 1];
    s->holders++;
  }
  pthread_mutex_unlock(&guard);
  if (!s) return take(device, (size_t)size, stream);
  void *p = stowage_arena_malloc(s->arena, (size_t)size, ALIGNMENT, (uint64_t)(uintptr_t)stream);
  if (!p) drop(s);
  return p;
}

OUT void stowage_cuda_free(void *p, ssize_t size, int device, stream_t stream) {
  (void)size;
  if (!p) return;
  slot *s = owner(p, device);
  if (!s) {
    give(device, p, stream);
    return;
  }
  stowage_arena_free(s->arena, p);
  drop(s); /* for the address */
  drop(s); /* for this look */
}

OUT void stowage_cuda_record_stream(void *p, stream_t stream) {
  slot *s = owner(p, -1);
  int served = s && stowage_arena_owns(s->arena, p);
  if (s) stowage_arena_use(s->arena, p, (uint64_t)(uintptr_t)stream);
  if (!served) {
    pthread_mutex_lock(&guard);
    if (n_uses == cap_uses) {
      use *more = realloc(uses, (cap_uses = 2 * cap_uses + 16) * sizeof *uses);
      if (!more) abort(); /* going on would hand out memory that is in use */
      uses = more;
    }
    uses[n_uses++] = (use){p, stream};
    pthread_mutex_unlock(&guard);
  }
  if (s) drop(s);
}

/* stowage_cuda_reserved returns the bytes that the pool of a device has now, and had at most. */
OUT void stowage_cuda_reserved(int device, uint64_t *now, uint64_t *most) {
  int was = on(device);
  void *p = pool(device);
  *now = *most = 0;
  if (p && gpu.MemPoolGetAttribute) {
    gpu.MemPoolGetAttribute(p, 5 /* ReservedMemCurrent */, now);
    gpu.MemPoolGetAttribute(p, 6 /* ReservedMemHigh */, most);
  }
  off(device, was);
}

/* ------------------------------------------------------- what stowage.torch calls; see cpu.cpp */

OUT int stowage_slot_new(int device) {
  int found = -1;
  if (!gpu.Malloc) return -3;
  pthread_mutex_lock(&guard);
  for (int i = 0; i < SLOTS && found < 0; i++)
    if (!slots[i].holders) found = i;
  if (found >= 0) slots[found].holders = 1; /* not yet to be held */
  pthread_mutex_unlock(&guard);
  if (found < 0) return -1;
  slot *s = &slots[found];
  s->device = device;
  stowage_arena_upstream up = {upstream_malloc, upstream_free, fill, s, 1};
  s->arena = stowage_arena_new(&up);
  pthread_mutex_lock(&guard);
  s->holders = s->arena ? 2 : 0;
  pthread_mutex_unlock(&guard);
  return s->arena ? found : -2;
}

OUT stowage_arena *stowage_slot_arena(int slot) {
  return slots[slot].arena;
}

OUT int stowage_slot_load(int slot, const char *text, size_t length, int replace) {
  loading++;
  int code = (replace ? stowage_arena_replace : stowage_arena_load)(slots[slot].arena, text, length);
  loading--;
  return code;
}

OUT void stowage_slot_unload(int slot) {
  stowage_arena_unload(slots[slot].arena);
}

OUT void stowage_slot_trim(int slot) {
  int device = slots[slot].device, was = on(device);
  void *p = pool(device);
  gpu.DeviceSynchronize();
  if (p && gpu.MemPoolTrimTo) gpu.MemPoolTrimTo(p, 0);
  off(device, was);
}

OUT void stowage_slot_close(int slot) {
  stowage_arena_watch(slots[slot].arena, 0);
  stowage_slot_unload(slot);
  drop(&slots[slot]);
}

OUT int stowage_slot_enter(int slot, const char *name, int all, void **was) {
  struct slot *s = &slots[slot];
  (void)all;
  (void)was;
  pthread_mutex_lock(&guard);
  s->holders++;
  s->open++;
  s->turn = ++turns;
  int outer = current[s->device] != slot + 1;
  current[s->device] = slot + 1;
  pthread_mutex_unlock(&guard);
  if (outer) {
    stowage_arena_statistics now;
    stowage_arena_stats(s->arena, &now, sizeof now);
    if (now.held) { /* other streams may still use what was freed */
      wait_for(s->device);
      stowage_arena_wait(s->arena, STOWAGE_ARENA_EVERY, STOWAGE_ARENA_EVERY);
    }
  }
  return stowage_arena_begin(s->arena, name);
}

/* Steps of several arenas may end in another order than that of nesting. */
OUT void stowage_slot_exit(int slot, int level, void **was, int own, int all) {
  struct slot *s = &slots[slot], *latest = NULL;
  (void)was;
  (void)own;
  (void)all;
  stowage_arena_end(s->arena, level);
  pthread_mutex_lock(&guard);
  s->open--;
  for (struct slot *o = slots; o < slots + SLOTS; o++)
    if (o->open && o->device == s->device && (!latest || o->turn > latest->turn)) latest = o;
  current[s->device] = latest ? (int)(latest - slots) + 1 : 0;
  pthread_mutex_unlock(&guard);
  drop(s);
}
