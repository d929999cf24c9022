//go:build ignore
/* (The line above keeps the go command from compiling this file. C compilers see a comment.)
 *
 * stowage_arena.c: see stowage_arena.h for what it does and docs/arena.md for the formats.
 *
 * Idea. A plan is, for each thread of a step (a lane), the list of allocations that the step
 * makes, each with an offset in one block. The arena follows the lanes with a cursor for each thread.
 *
 * Invariant 1 (safety): the ranges in `ranges` are exactly the served allocations that are not
 * free, or free but held back for another stream. They are disjoint. Nothing is served that
 * meets one of them. This alone makes the arena safe; all that follows only decides how often it is useful.
 * Invariant 2: each live address that the arena knows is in `table`, with its size.
 * Invariant 3: upstream functions other than fill are called without the lock.
 *
 * Following a lane. A request that agrees with the event at the cursor takes it. If it does not:
 * 0. If it is smaller, and the lane has had an event for each request so far, it takes the event: a smaller batch is served where the
 *    plan has a larger one.
 * 1. A plan whose lane begins with all that this thread has asked for in this step, this request
 *    included, is followed instead. Each event has a hash of its lane up to there, so this is
 *    one comparison a lane. If several begin alike, the plan counts at whose beginning as many
 *    bytes of the block are live as now: so the steps of an accumulation find theirs.
 * 2. Else the requests that missed since the last hit may have been larger than their events. The
 *    event that many places ahead is taken if it agrees, or is larger than the request. Another plan's event at the same place serves as well.
 * 3. Else, if this request and the one before it agree with two adjacent events that are at most
 *    WINDOW events from the cursor, the cursor moves there. Two, not one: after a request that
 *    the plan does not have, the cursor has to stay where it is.
 * 4. Else the request misses, and the cursor stays.
 * A scope that begins or ends moves the cursor to where the plan has this.
 *
 * Resident memory. A block is touched as it is served. While it grows, what upstream keeps of memory
 * that is free is given back to the system first; and if a step takes much from upstream beside the block, idle
 * pages of the block are. So block and heap are not both full, whichever of them serves.
 *
 * Cost. An allocation costs a lookup in a hash table and a binary search among the live ranges;
 * inserting moves the ranges above it by memmove, 16 bytes for each. A tree was not worth its
 * code: at 10,000 live ranges that is less than 10 microseconds.
 */
#ifndef _WIN32
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#define _DEFAULT_SOURCE /* mmap's MAP_ANONYMOUS, and madvise */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* mremap */
#endif
#define _DARWIN_C_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#endif
#include "stowage_arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <malloc.h>
#include <windows.h>
#endif

enum {
  WINDOW = 256,   /* how far from its place a lane is searched after a miss */
  THREADS = 1024, /* threads with a place of their own; further ones share the last, and always miss */
  DEPTH = 64,     /* scopes that are followed; deeper ones are only counted */
  NAME = 64,      /* bytes of a name, with its 0 */
  CHUNK = 1 << 16, /* bytes of a block whose touch is noted as one */
  SMALLER = 64,    /* an event serves requests down to this part of its size */
  EARLY = 32,      /* steps in which allocations that a plan keeps count as missed */
  LOGS = 16,       /* steps that watching keeps */
  PARTLY = 1,         /* family.checked: two steps agree, and not more is known */
  FULLY,              /* a third or fourth step agrees */
  FAMILIES = 8,       /* kinds of steps whose sizes are kept while the arena watches */
  RESERVE = 256,   /* how far a block of pages can grow where it is, if sizes vary, as a multiple of its height */
  LOGGED = 1 << 18 /* records that watching keeps, as far as they are of steps before the last two */
};
#define NOWHERE UINT64_MAX /* the offset of an event that goes upstream */
#define MOST ((uint64_t)1 << 61)
#define SPANS ((uint64_t)1 << 28) /* lengths of lifespans, added up, for which plans are laid out anew within a step */
#define FNV 0xCBF29CE484222325u
#define FRESH 0xCB

/* ------------------------------------------------------------------------- lock, thread */

#ifdef _WIN32
typedef SRWLOCK mutex;
static void mutex_init(mutex *m) { InitializeSRWLock(m); }
static void mutex_free(mutex *m) { (void)m; }
static void mutex_lock(mutex *m) { AcquireSRWLockExclusive(m); }
static void mutex_unlock(mutex *m) { ReleaseSRWLockExclusive(m); }
#else
typedef pthread_mutex_t mutex;
static void mutex_init(mutex *m) { pthread_mutex_init(m, NULL); }
static void mutex_free(mutex *m) { pthread_mutex_destroy(m); }
static void mutex_lock(mutex *m) { pthread_mutex_lock(m); }
static void mutex_unlock(mutex *m) { pthread_mutex_unlock(m); }
#endif

#ifdef _MSC_VER
static __declspec(thread) char here;
#else
static __thread char here;
#endif

/* this_thread names the calling thread by the address of a variable that each thread has for
 * itself. After the end of a thread another may get its name; that is welcome, since a program which
 * starts a thread in each step then has one place for all of them. */
static uint64_t this_thread(void) { return (uint64_t)(uintptr_t)&here; }

/* ------------------------------------------------------------------------------ the data */

/* A request is what a program asks for. */
typedef struct request {
  uint64_t size, alignment, stream;
} request;

/* An event is an allocation that a plan expects. */
typedef struct event {
  request is;
  uint64_t most;   /* the size that it has room for; is.size is that of the step, which may be less */
  uint64_t offset; /* in the block; NOWHERE: upstream */
  uint64_t hash;   /* of the lane's requests up to and with this one */
  uint64_t lower, upper; /* its lifespan in the cycle of all plans of the text */
} event;

/* A section is a scope of a lane: events first to end-1. */
typedef struct section {
  size_t first, end;
  char name[NAME];
} section;

/* A lane is what one thread allocates in a step. */
typedef struct lane {
  struct plan *plan;
  uint64_t thread; /* its number when it was recorded */
  uint64_t taken;  /* the last step in which a thread has taken it, + 1 */
  int sure;        /* that thread has asked for something that the lane expects */
  event *events;
  section *sections;
  size_t n, scopes;
  uint64_t bytes; /* of all its events */
  uint64_t asks;  /* a hash of their streams */
} lane;

typedef struct plan {
  char name[NAME]; /* of its steps; "" for none */
  uint64_t alignment, guard, height, bound, baseline, period;
  uint64_t entry; /* bytes of the block that are live when its step begins */
  uint64_t steps; /* that have followed it */
  size_t kept;    /* allocations that go upstream */
  uint64_t cycle; /* plans that were made together have the same */
  uint64_t first, end; /* the times of its step */
  lane *lanes;
  size_t n;
  int dead; /* replaced or unloaded; freed once no step follows it */
} plan;

/* A place is where a thread is in the step. */
typedef struct place {
  uint64_t key;
  int named;     /* the key is the caller's, not this_thread */
  lane *lane;    /* NULL: none yet */
  size_t cursor; /* the next event of the lane */
  size_t scope;  /* the next scope of the lane */
  size_t skipped; /* requests that missed since the last hit: they may have been those of the events from the cursor on */
  uint64_t count, hash; /* of all requests in this step */
  request before;       /* the request before; size 0: none */
} place;

/* A range of a block, of a served allocation. */
typedef struct range {
  uintptr_t low, high;
} range;

typedef struct block {
  char *base;
  size_t size, reserved; /* it can grow to what is reserved */
  size_t live; /* ranges in it */
  int pages;   /* it is of mmap, not of upstream */
  unsigned char *touched; /* by chunk: it may be resident; NULL if not of mmap */
  struct block *next;
} block;

/* An entry is a live allocation. */
typedef struct entry {
  uintptr_t address; /* 0: the slot is empty */
  uint64_t size, stream;
  uint64_t id, epoch; /* its number in the recording of this epoch; epoch 0: none */
  uint64_t uses;      /* bit k: the stream with index k uses it */
  uint32_t slack;     /* bytes behind it that hold poison in guard mode */
  char served, held;
} entry;

/* A record is a line of the trace: kind a (allocate), f (free), u (use), w (wait), b (begin), e (end). */
typedef struct record {
  uint64_t x, y;
  uint32_t z;
  uint16_t thread; /* below THREADS */
  char kind;
  char varies; /* other steps of this kind ask for another size here */
} record;

/* A logged is a step among the records, while the arena watches. */
typedef struct logged {
  size_t from, to;    /* its records, with begin and end */
  uint64_t first, n;  /* its allocations: their numbers */
  uint64_t key;       /* a hash of its name and of all that it asks for but the sizes */
  uint64_t survivors; /* a hash of those that live when the next step allocates */
  int missed;         /* no plan served it */
  int slight;         /* all was expected, and a few allocations were refused */
  int planned;        /* it was in a trace */
  int empty;          /* dropped: what is left of it are frees of others */
} logged;

/* A kind is of steps that ask for the same but for sizes: what those depend on. */
typedef struct family {
  uint64_t key;       /* as that of logged; n of 0: the slot is free */
  uint64_t name, asks; /* of its steps; a hash of streams */
  uint64_t used;      /* the last step of this family */
  size_t n, thread;   /* its allocations, which are of one thread */
  size_t first;       /* the first whose size varies; n: none does */
  void *memory;       /* of rows and loose */
  uint64_t *rows[4];  /* sizes of up to three steps, ascending by those of first; room for one more */
  unsigned char *loose; /* by allocation: its size does not follow that of first */
  int samples, checked; /* steps among the rows; whether another one had the sizes that follow from them: 0, PARTLY or FULLY */
} family;

struct stowage_arena {
  mutex lock;
  stowage_arena *next; /* of the registry, for forks */
  stowage_arena_upstream up;
  int pages; /* blocks are of mmap */
  void (*trim)(void *context);
  uint64_t (*resident)(void *context);
  char error[256];

  plan **plans;
  size_t n_plans;
  plan *followed[2];  /* the plan of this and of the last step; NULL: none */
  block *blocks;      /* the first is the one in use if serving is set; others wait to be empty */
  int serving;

  range *ranges; /* ascending */
  size_t n_ranges, cap_ranges;
  entry *table; /* open addressing, linear probing; cap is a power of two, at most 3/4 full */
  size_t n_table, cap_table, promised; /* promised: entries that threads are about to add */
  uint64_t streams[63]; /* index -> name; all others share bit 63 */
  size_t n_streams, n_held;

  place *places;
  size_t n_places, cap_places;
  uint64_t step; /* number of the step that is open, or of the next */
  int depth;     /* 0: no step is open */
  char name[NAME];
  struct {
    uint64_t key;
    int named;
    lane *lane;
    size_t end;
  } stack[DEPTH];

  record *records;
  size_t n_records, cap_records;
  char (*names)[NAME];
  size_t n_names;
  uint64_t epoch, next_id, recorded, wanted;
  enum { IDLE, ARMED, IN_STEP, AFTER } recording;

  int grows;          /* how often a step was larger than a plan of its kind, to 2 */
  int watching, all;  /* records are of steps that were chosen; steps that came once are in traces too */
  int unbegun;        /* the open step has not allocated, so that its begin is not yet among the records */
  uint64_t unbegun_name, key;
  logged logs[LOGS + 2]; /* in order of time; the last two may be dropped yet */
  size_t n_logs;
  family families[FAMILIES];
  int varying;     /* there is a kind whose sizes were checked */
  int loosely;     /* plans were laid out in this step, and leave more unused than a new one might */
  uint64_t wish;   /* bytes that the block lacked for larger sizes; 0: none */
  uint64_t cycles; /* cycles that were loaded */

  uint64_t served_live; /* bytes of ranges */
  uint64_t entry;       /* what served_live was when the step first allocated */
  uint64_t let;         /* bytes that went back upstream since the last trim */
  uint64_t beside;      /* bytes that were live upstream when this step began */
  uint64_t next_idle;   /* the step from which on idle pages are given back again */
  uint32_t idles;       /* how often they were since the last load, to 8 */
  uint64_t seen, least; /* the most bytes live in this step; from how many on the resident memory is read */
  int rising;

  int guard;
  stowage_arena_counts now;
  stowage_arena_statistics s;
};

int stowage_arena_abi(void) { return STOWAGE_ARENA_ABI; }

/* grow makes room for one more element in an array that a pointer points to. It returns 0 if there is no memory. */
static int grow(void *array, size_t n, size_t *cap, size_t size) {
  void **at = array, *more;
  size_t want = *cap ? *cap * 2 : 16;
  if (n < *cap) return 1;
  if (want > SIZE_MAX / size || !(more = realloc(*at, want * size))) return 0;
  *at = more;
  *cap = want;
  return 1;
}

static int fail(stowage_arena *a, int code, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(a->error, sizeof a->error, format, list);
  va_end(list);
  return code;
}

/* ----------------------------------------------------------------------- upstream, forks */

static void *c_malloc(void *context, size_t size, size_t alignment, uint64_t stream) {
  void *p = NULL;
  (void)context;
  (void)stream;
#ifdef _WIN32
  return _aligned_malloc(size, alignment);
#else
  return posix_memalign(&p, alignment < sizeof p ? sizeof p : alignment, size) ? NULL : p;
#endif
}

static void c_free(void *context, void *address, size_t size, uint64_t stream) {
  (void)context;
  (void)size;
  (void)stream;
#ifdef _WIN32
  _aligned_free(address);
#else
  free(address);
#endif
}

/* The registry holds all arenas, so that a fork can take all locks first: else the child could
 * have a lock whose owner it does not have. */
#ifdef _WIN32
static void enrol(stowage_arena *a) { (void)a; }
static void strike(stowage_arena *a) { (void)a; }
#else
static mutex registry = PTHREAD_MUTEX_INITIALIZER;
static stowage_arena *registered;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before_fork(void) {
  mutex_lock(&registry);
  for (stowage_arena *a = registered; a; a = a->next) mutex_lock(&a->lock);
}

static void after_fork(void) {
  for (stowage_arena *a = registered; a; a = a->next) mutex_unlock(&a->lock);
  mutex_unlock(&registry);
}

static void watch_forks(void) { pthread_atfork(before_fork, after_fork, after_fork); }

static void enrol(stowage_arena *a) {
  pthread_once(&once, watch_forks);
  mutex_lock(&registry);
  a->next = registered;
  registered = a;
  mutex_unlock(&registry);
}

static void strike(stowage_arena *a) {
  mutex_lock(&registry);
  stowage_arena **at = &registered;
  while (*at != a) at = &(*at)->next;
  *at = a->next;
  mutex_unlock(&registry);
}
#endif

/* ----------------------------------------------------------------------- table of addresses */

static size_t slot_of(const stowage_arena *a, uintptr_t address) {
  uint64_t h = ((uint64_t)address >> 4) * 0x9E3779B97F4A7C15u;
  return (size_t)(h >> 32) & (a->cap_table - 1);
}

static entry *find(stowage_arena *a, const void *address) {
  if (!a->n_table) return NULL;
  for (size_t i = slot_of(a, (uintptr_t)address); a->table[i].address; i = (i + 1) & (a->cap_table - 1))
    if (a->table[i].address == (uintptr_t)address) return &a->table[i];
  return NULL;
}

static void put(stowage_arena *a, entry e) {
  size_t i = slot_of(a, e.address);
  while (a->table[i].address) i = (i + 1) & (a->cap_table - 1);
  a->table[i] = e;
  a->n_table++;
}

/* promise makes sure that the next put has room, whatever other threads put meanwhile. */
static int promise(stowage_arena *a) {
  if ((a->n_table + a->promised + 1) * 4 > a->cap_table * 3) {
    size_t old = a->cap_table, cap = old ? old * 2 : 64;
    entry *was = a->table, *more = cap > SIZE_MAX / 2 / sizeof *more ? NULL : calloc(cap, sizeof *more);
    if (!more) return 0;
    a->table = more;
    a->cap_table = cap;
    a->n_table = 0;
    for (size_t i = 0; i < old; i++)
      if (was[i].address) put(a, was[i]);
    free(was);
  }
  a->promised++;
  return 1;
}

/* cut removes an entry and moves later ones of its run back, so that no search ends early. */
static void cut(stowage_arena *a, entry *e) {
  size_t mask = a->cap_table - 1, hole = (size_t)(e - a->table);
  for (size_t i = (hole + 1) & mask; a->table[i].address; i = (i + 1) & mask) {
    size_t home = slot_of(a, a->table[i].address);
    if (((i - home) & mask) >= ((i - hole) & mask)) {
      a->table[hole] = a->table[i];
      hole = i;
    }
  }
  a->table[hole].address = 0;
  a->n_table--;
}

/* -------------------------------------------------------------------- live ranges, blocks */

/* above returns the index of the first range that ends above an address. */
static size_t above(const stowage_arena *a, uintptr_t address) {
  size_t low = 0, high = a->n_ranges;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (a->ranges[mid].high > address) high = mid;
    else low = mid + 1;
  }
  return low;
}

static block *block_of(stowage_arena *a, const void *address) {
  uintptr_t x = (uintptr_t)address;
  for (block *b = a->blocks; b; b = b->next)
    if (x >= (uintptr_t)b->base && x < (uintptr_t)b->base + b->size) return b;
  return NULL;
}

/* new_block returns a block; NULL if there is no memory. Of pages, more are reserved if they are to be had. It is called without the lock. */
static block *new_block(stowage_arena *a, size_t size, size_t alignment, size_t reserved) {
  block *b = calloc(1, sizeof *b);
  if (!b) return NULL;
  b->size = b->reserved = size;
#ifndef _WIN32
  if (a->pages && alignment <= (size_t)sysconf(_SC_PAGESIZE)) {
    void *at = MAP_FAILED;
#ifdef MAP_NORESERVE
    if (reserved > size && (b->touched = calloc(reserved / CHUNK + 1, 1))) {
      at = mmap(NULL, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (at != MAP_FAILED) b->reserved = reserved;
    }
#endif
    if (!b->touched) b->touched = calloc(size / CHUNK + 1, 1);
    if (b->touched && at == MAP_FAILED) at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    b->pages = b->touched != NULL;
    if (at != MAP_FAILED) b->base = at;
  }
#else
  (void)reserved;
#endif
  if (!b->pages) b->base = a->up.malloc(a->up.context, size, alignment < 64 ? 64 : alignment, 0);
  if (b->base) return b;
  free(b->touched);
  free(b);
  return NULL;
}

static void delete_block(stowage_arena *a, block *b) {
#ifndef _WIN32
  if (b->pages) munmap(b->base, b->reserved);
#endif
  if (!b->pages) a->up.free(a->up.context, b->base, b->size, 0);
  free(b->touched);
  free(b);
}

/* give_back returns whole pages of a block to the system, in which nothing is live. */
static void give_back(block *b, uintptr_t from, uintptr_t to) {
#ifndef _WIN32
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), base = (uintptr_t)b->base;
  if (!b->pages) return;
  from = (from + page - 1) / page * page;
  to = to == base + b->size ? to : to / page * page;
  if (from >= to) return;
  size_t low = (from - base + CHUNK - 1) / CHUNK, high = to == base + b->size ? (size_t)((to - base) / CHUNK + 1) : (size_t)((to - base) / CHUNK), i;
  /* What was never touched is no work for the system. */
  for (i = (from - base) / CHUNK; i * CHUNK < to - base && !b->touched[i]; i++) {}
  if (i * CHUNK >= to - base || madvise((void *)from, to - from, MADV_DONTNEED)) return;
  if (low < high) memset(b->touched + low, 0, high - low);
#else
  (void)b, (void)from, (void)to;
#endif
}

/* touch notes that a range of a block is served, and returns how many bytes of it may not have been resident. */
static uint64_t touch(block *b, uintptr_t low, uintptr_t high) {
  uint64_t fresh = 0;
  if (!b->touched) return 0;
  for (size_t i = (low - (uintptr_t)b->base) / CHUNK; i <= (high - 1 - (uintptr_t)b->base) / CHUNK; i++) {
    fresh += b->touched[i] ? 0 : CHUNK;
    b->touched[i] = 1;
  }
  return fresh;
}

/* idle gives all pages back in which nothing is live. */
static void idle(stowage_arena *a) {
  if (a->guard) return; /* poison has to stay */
  for (block *b = a->blocks; b; b = b->next) {
    uintptr_t at = (uintptr_t)b->base, end = at + b->size;
    for (size_t i = above(a, at); at < end; i++) {
      uintptr_t to = i < a->n_ranges && a->ranges[i].low < end ? a->ranges[i].low : end;
      give_back(b, at, to);
      at = to < end ? a->ranges[i].high : end;
    }
  }
}

/* leave unlocks the arena and gives back the blocks that are no longer in use and empty. */
static void leave(stowage_arena *a) {
  block *gone = NULL;
  for (block **at = &a->blocks; *at;) {
    block *b = *at;
    if (b->live || (b == a->blocks && a->serving)) {
      at = &b->next;
      continue;
    }
    *at = b->next;
    a->s.block -= b->size;
    b->next = gone;
    gone = b;
  }
  mutex_unlock(&a->lock);
  while (gone) {
    block *next = gone->next;
    delete_block(a, gone);
    gone = next;
  }
}

/* ---------------------------------------------------------------------------------- guard */

static void fill(stowage_arena *a, void *at, int byte, size_t size) {
  if (!size) return;
  if (a->up.fill) a->up.fill(a->up.context, at, byte, size);
  else if (!a->up.device) memset(at, byte, size);
}

/* examine counts a fault if a byte that nobody owns is not poison. */
static void examine(stowage_arena *a, char *at, size_t size, const char *when) {
  if (!a->guard || a->up.device) return;
  for (size_t i = 0; i < size; i++)
    if ((unsigned char)at[i] != STOWAGE_ARENA_POISON) {
      a->s.damaged++;
      fail(a, STOWAGE_ARENA_E_INPUT, "guard: byte %llu of the block was written while no live allocation had it; seen %s",
           (unsigned long long)(at + i - block_of(a, at)->base), when);
      memset(at + i, STOWAGE_ARENA_POISON, size - i); /* say it once */
      return;
    }
}

/* gaps calls examine or fill for all bytes of the blocks that are not live. */
static void gaps(stowage_arena *a, int check) {
  for (block *b = a->blocks; b; b = b->next) {
    uintptr_t at = (uintptr_t)b->base, end = at + b->size;
    for (size_t i = above(a, at); at < end; i++) {
      uintptr_t to = i < a->n_ranges && a->ranges[i].low < end ? a->ranges[i].low : end;
      if (check) examine(a, (char *)at, to - at, "by a check");
      else fill(a, (char *)at, STOWAGE_ARENA_POISON, to - at);
      at = to < end ? a->ranges[i].high : end;
    }
  }
}

void stowage_arena_poison(stowage_arena *a) {
  mutex_lock(&a->lock);
  gaps(a, 0);
  mutex_unlock(&a->lock);
}

void stowage_arena_guard(stowage_arena *a, int on) {
  mutex_lock(&a->lock);
  if (on && !a->guard) gaps(a, 0);
  a->guard = on != 0;
  mutex_unlock(&a->lock);
}

uint64_t stowage_arena_check(stowage_arena *a) {
  uint64_t faults, served = 0;
  mutex_lock(&a->lock);
  faults = a->s.damaged;
  if (a->guard) gaps(a, 1);
  faults = a->s.damaged - faults;
  for (size_t i = 0; i < a->n_ranges; i++) {
    entry *e = find(a, (void *)a->ranges[i].low);
    faults += !e || !e->served || e->address + e->size != a->ranges[i].high || !block_of(a, (void *)e->address);
    faults += i && a->ranges[i].low < a->ranges[i - 1].high;
  }
  for (size_t i = 0; i < a->cap_table; i++) served += a->table[i].address && a->table[i].served;
  faults += served != a->n_ranges;
  mutex_unlock(&a->lock);
  return faults;
}

/* ------------------------------------------------------------------------------ recording */

/* lengthen makes room for one more record, in pages of their own: an array that grows in malloc's heap leaves holes there, and the
 * heap of a program that is recorded would be higher than without. */
static int lengthen(stowage_arena *a) {
#ifdef _WIN32
  return grow(&a->records, a->n_records, &a->cap_records, sizeof *a->records);
#else
  size_t cap = a->cap_records, want = cap ? cap * 2 : CHUNK / sizeof *a->records;
  if (a->n_records < cap) return 1;
  if (want > SIZE_MAX / sizeof *a->records) return 0;
  void *more = MAP_FAILED;
#ifdef MREMAP_MAYMOVE
  if (cap) more = mremap(a->records, cap * sizeof *a->records, want * sizeof *a->records, MREMAP_MAYMOVE); /* a copy would need both at once */
#endif
  if (more == MAP_FAILED) {
    more = mmap(NULL, want * sizeof *a->records, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (more == MAP_FAILED) return 0;
    if (cap) {
      memcpy(more, a->records, a->n_records * sizeof *a->records);
      munmap(a->records, cap * sizeof *a->records);
    }
    a->s.recording = 0; /* of these pages, those are resident that records are put into */
  }
  a->records = more;
  a->cap_records = want;
  return 1;
#endif
}

/* forget_records drops the recording, and gives the pages back that it took. */
static void forget_records(stowage_arena *a) {
#ifndef _WIN32
  if (a->records) munmap(a->records, a->cap_records * sizeof *a->records);
  a->records = NULL;
  a->cap_records = 0;
#endif
  a->n_records = a->n_names = a->n_logs = 0;
  a->s.recording = 0;
}

/* note adds a line to the recording. Without memory the recording ends where the last step did. */
static void note(stowage_arena *a, char kind, size_t thread, uint64_t x, uint64_t y, uint32_t z) {
  if (a->recording < IN_STEP) return;
  if (!lengthen(a)) {
    a->recording = IDLE;
    fail(a, STOWAGE_ARENA_E_MEMORY, "no memory for the recording, after %llu events", (unsigned long long)a->n_records);
    return;
  }
  a->records[a->n_records++] = (record){x, y, z, (uint16_t)thread, kind, 0};
  if (a->n_records * sizeof *a->records > a->s.recording) a->s.recording = a->n_records * sizeof *a->records;
}

/* name_index returns the number of a name, which it keeps; 0 is "". */
static uint64_t name_index(stowage_arena *a, const char *name) {
  size_t i = 0;
  if (!*name) return 0;
  while (i < a->n_names && strcmp(a->names[i], name)) i++;
  if (i == a->n_names) {
    void *more = realloc(a->names, (i + 1) * NAME);
    if (!more) return 0;
    a->names = more;
    strcpy(a->names[a->n_names++], name);
  }
  return i + 1;
}

/* ---- watching: which steps are kept among the records */

/* owner returns the index of the kept step that made an allocation, or n_logs. */
static size_t owner(const stowage_arena *a, uint64_t id) {
  size_t k = 0;
  while (k < a->n_logs && (a->logs[k].empty || id < a->logs[k].first || id >= a->logs[k].first + a->logs[k].n)) k++;
  return k;
}

/* passes says if a record stays when the steps that are empty are left out. k is the step that it is in, or n_logs. */
static int passes(const stowage_arena *a, const record *r, size_t k) {
  if (r->kind == 'w') return 1;
  if (r->kind == 'f' || r->kind == 'u') return owner(a, r->x) < a->n_logs;
  if (k == a->n_logs || !a->logs[k].empty) return 1;
  return (r->kind == 'b' || r->kind == 'e') && r->z == 1;
}

/* sift removes the records of steps that are empty, from step k on, but for frees of others' allocations. Of empty steps in a row one is left. */
static void sift(stowage_arena *a, size_t k) {
  size_t out = a->logs[k].from, kept = 0;
  for (size_t i = out; i < a->n_records; i++) {
    while (k < a->n_logs && i >= a->logs[k].to) k++;
    size_t in = k < a->n_logs && i >= a->logs[k].from ? k : a->n_logs;
    size_t to = a->logs[k < a->n_logs ? k : 0].to;
    if (in < a->n_logs && i == a->logs[in].from) a->logs[in].from = out;
    if (passes(a, &a->records[i], in)) a->records[out++] = a->records[i];
    if (in < a->n_logs && i + 1 == to) a->logs[in].to = out;
  }
  a->n_records = out;
  for (size_t i = 0; i < a->n_logs; i++) {
    logged l = a->logs[i];
    const logged *before = kept ? &a->logs[kept - 1] : NULL;
    if (l.empty && l.to - l.from == 2 && before && before->empty && before->to == l.from) { /* nothing happened since */
      memmove(a->records + l.from, a->records + l.to, (a->n_records - l.to) * sizeof *a->records);
      a->n_records -= 2;
      for (size_t j = i + 1; j < a->n_logs; j++) {
        a->logs[j].from -= 2;
        a->logs[j].to -= 2;
      }
      continue;
    }
    a->logs[kept++] = l;
  }
  a->n_logs = kept;
}

/* survive hashes the allocations of step k that are live when the next step allocates. */
static void survive(stowage_arena *a, size_t k) {
  logged *l = &a->logs[k];
  size_t to = k + 1 < a->n_logs ? a->logs[k + 1].from : a->n_records;
  unsigned char *freed = calloc((size_t)l->n + 1, 1);
  uint64_t hash = FNV;
  for (size_t i = l->from; freed && i < to; i++) {
    const record *r = &a->records[i];
    if (r->kind == 'f' && r->x >= l->first && r->x < l->first + l->n) freed[r->x - l->first] = 1;
  }
  for (uint64_t i = 0; freed && i < l->n; i++)
    if (!freed[i]) hash = (hash ^ i) * 0x100000001B3u;
  free(freed);
  l->survivors = hash;
}

/* envelop gives all kept steps that ask for the same but for sizes the largest of each, so that one plan serves them all. */
static void envelop(stowage_arena *a, size_t k) {
  int grew = 0;
  for (size_t j = 0; j < a->n_logs; j++) {
    logged *l = &a->logs[k], *m = &a->logs[j];
    if (j == k || m->empty || m->key != l->key || m->n != l->n) continue;
    for (size_t x = l->from, y = m->from; x < l->to && y < m->to;) {
      record *p = &a->records[x], *q = &a->records[y];
      if (p->kind != 'a') x++;
      else if (q->kind != 'a') y++;
      else {
        if (p->x > q->x && l->missed) { /* else the plan has room for it */
          grew |= m->planned;
          m->planned = 0;
        }
        if (p->x != q->x) p->varies = q->varies = 1;
        p->varies = q->varies |= p->varies;
        p->x = q->x = p->x > q->x ? p->x : q->x;
        x++, y++;
      }
    }
  }
  a->grows += grew && a->grows < 2;
}

/* twins returns how many kept steps ask for the same as step k, but for sizes; that step included. */
static size_t twins(const stowage_arena *a, size_t k) {
  size_t n = 0;
  for (size_t j = 0; j < a->n_logs; j++) n += !a->logs[j].empty && a->logs[j].key == a->logs[k].key;
  return n;
}

/* judge decides whether the step before the last is kept: if it missed, or the step after it did. Of steps
 * that are alike in what they ask for and what survives them the last two are. */
static void judge(stowage_arena *a) {
  size_t k = a->n_logs - 2, alike = 0, alone = a->n_logs, first = a->n_logs, kept = 0, drop = a->n_logs; /* drop: the first that is dropped */
  if (a->logs[k].empty) return;
  if (!a->logs[k].missed && !a->logs[k + 1].missed) {
    a->logs[k].empty = 1;
    drop = k;
  } else {
    survive(a, k);
    envelop(a, k);
    for (size_t j = 0; j < k; j++) alike += !a->logs[j].empty && a->logs[j].key == a->logs[k].key && a->logs[j].survivors == a->logs[k].survivors;
    for (size_t j = 0; j < k && alike > 1; j++)
      if (!a->logs[j].empty && a->logs[j].key == a->logs[k].key && a->logs[j].survivors == a->logs[k].survivors) {
        a->logs[j].empty = 1;
        drop = j < drop ? j : drop;
        alike--;
      }
  }
  for (;;) {
    kept = 0;
    for (size_t j = 0; j < k; j++) {
      if (a->logs[j].empty) continue;
      if (!kept++) first = j;
      if (alone == a->n_logs && twins(a, j) == 1) alone = j;
    }
    if (kept <= LOGS / 2 && (a->n_records <= LOGGED || !kept)) break;
    if (alone == a->n_logs) alone = first; /* the oldest that came once, or the oldest */
    a->logs[alone].empty = 1;
    drop = alone < drop ? alone : drop;
    alone = a->n_logs;
  }
  if (drop < a->n_logs) sift(a, drop);
}

/* ---- sizes that vary from step to step
 *
 * Idea. Of steps that ask for the same but for sizes, all sizes mostly follow one number, such as that of tokens. It
 * is read off the first allocation whose size varies, as that size, s. The sizes of three steps are kept; the size of an allocation at another s is
 * that of the polynomial of degree 2 through them. Further steps check it: what has another size is loose. Before a fourth s came, nothing
 * follows, for three s may be of steps of different kinds, such as training and evaluation; but if all sizes of the three lie on lines, as
 * those of batches do, the third has checked the two others. If all sizes of two steps are in one proportion, they are followed up to half as
 * much again, which is the room that sizes get if nothing is known of them. When the first request that
 * varies comes, lanes of its kind take the sizes of its s, so that they agree with the step from there on.
 *
 * Offsets are for the largest sizes so far. If a size is larger, all plans that were made together are laid out anew, in the order of
 * their offsets: each event lies on what is below it and live with it. So lifespans, which do not depend on sizes, still do
 * not meet. What is live already, or lives on into the next step, moves only as far as it has to. */

static family *family_of(stowage_arena *a, uint64_t key, size_t n) {
  for (int i = 0; i < FAMILIES; i++)
    if (n && a->families[i].n == n && a->families[i].key == key) return &a->families[i];
  return NULL;
}

static uint64_t streamed(uint64_t hash, uint64_t stream) { return (hash ^ (stream + 1)) * 0x100000001B3u; }

/* rows_of is the memory of a kind, in pages of its own, which are resident as far as they are used. */
static size_t rows_of(size_t n) { return n * (4 * sizeof(uint64_t) + 1); }

static void forget(family *k) {
  if (k->n) {
#ifdef _WIN32
    free(k->memory);
#else
    munmap(k->memory, rows_of(k->n));
#endif
  }
  memset(k, 0, sizeof *k);
}

static void forget_all(stowage_arena *a) {
  for (int i = 0; i < FAMILIES; i++) forget(&a->families[i]);
  a->varying = 0;
}

/* new_family takes the slot of the kind that did not come for the longest time. NULL if there is no memory. */
static family *new_family(stowage_arena *a, uint64_t key, size_t n) {
  family *k = &a->families[0];
  for (int i = 1; i < FAMILIES; i++)
    if (a->families[i].used < k->used) k = &a->families[i];
  forget(k);
#ifdef _WIN32
  k->memory = calloc(rows_of(n), 1);
  if (!k->memory) return NULL;
#else
  void *at = mmap(NULL, rows_of(n), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return NULL;
  k->memory = at;
#endif
  for (int i = 0; i < 4; i++) k->rows[i] = (uint64_t *)k->memory + n * (size_t)i;
  k->loose = (unsigned char *)((uint64_t *)k->memory + 4 * n);
  k->key = key;
  k->n = k->first = n;
  return k;
}

/* weigh says how much each of the rows of a kind counts at s: there are three, or two in one proportion. */
static void weigh(const family *k, uint64_t s, double w[3]) {
  w[0] = 0, w[1] = (double)s / (double)k->rows[1][k->first];
  for (int i = 0; i < 3 && k->samples == 3; i++) {
    w[i] = 1;
    for (int j = 0; j < 3; j++)
      if (j != i) w[i] *= ((double)s - (double)k->rows[j][k->first]) / ((double)k->rows[i][k->first] - (double)k->rows[j][k->first]);
  }
}

/* follows returns the size of an allocation at the s that was weighed. */
static uint64_t follows(const family *k, size_t i, const double w[3]) {
  double y = 0;
  int same = 1;
  for (int j = 0; j < k->samples; j++) {
    y += w[j] * (double)k->rows[j][i];
    same &= k->rows[j][i] == k->rows[0][i];
  }
  if (same) return k->rows[0][i];
  if (y < 1) return 1;
  return y < (double)MOST ? (uint64_t)(y + 0.5) : MOST;
}

/* straight says if all sizes of a row lie on the lines through those of two others. Of two rows, the lowest is held against the other and
 * against nothing: then all sizes that vary are in one proportion. */
static int straight(const family *k) {
  const uint64_t *low = k->rows[0], *at = k->rows[k->samples - 2], *high = k->rows[k->samples - 1];
  size_t f = k->first;
  double from = k->samples == 3 ? (double)low[f] : 0, t = ((double)at[f] - from) / ((double)high[f] - from);
  for (size_t i = f; i < k->n; i++) {
    double y0 = k->samples == 3 || low[i] == high[i] ? (double)low[i] : 0, y = y0 + t * ((double)high[i] - y0);
    if ((uint64_t)(y + 0.5) != at[i]) return 0;
  }
  return 1;
}

/* learn takes the sizes of the step that has just ended. */
static void learn(stowage_arena *a) {
  const logged *l = &a->logs[a->n_logs - 1];
  size_t n = (size_t)l->n, i = 0, differs = 0, thread = THREADS;
  uint64_t asks = FNV;
  if (!n || n > LOGGED) return;
  family *k = family_of(a, l->key, n);
  if (!k && !(k = new_family(a, l->key, n))) return;
  k->used = a->s.steps + 1;
  k->name = a->unbegun_name;
  uint64_t *now = k->rows[3];
  for (size_t j = l->from; j < l->to && i < n; j++) {
    const record *r = &a->records[j];
    if (r->kind != 'a') continue;
    if (i && r->thread != thread) return;
    thread = r->thread;
    asks = streamed(asks, r->y);
    now[i++] = r->x;
  }
  if (i < n) return;
  k->thread = thread;
  k->asks = asks;
  while (k->samples && differs < n && now[differs] == k->rows[0][differs]) differs++;
  if (k->samples && differs == n) return;
  if (k->samples && differs < k->first) { /* what was the same so far is not: the steps before the last say nothing of it */
    k->first = differs;
    k->samples = 1;
    k->checked = 0;
    memset(k->loose, 0, n);
  }
  uint64_t s = k->samples ? now[k->first] : 0;
  int at = 0;
  for (; at < k->samples; at++) {
    if (k->rows[at][k->first] != s) continue;
    for (i = 0; i < n; i++) k->loose[i] |= now[i] != k->rows[at][i];
    return;
  }
  if (k->samples == 3) {
    double w[3];
    weigh(k, s, w);
    for (i = k->first; i < n; i++) k->loose[i] |= follows(k, i, w) != now[i];
    k->checked = FULLY;
    a->varying = 1;
    at = s < k->rows[0][k->first] ? 0 : 2;
    if (at && s < k->rows[2][k->first]) return;
  } else {
    k->samples++;
  }
  k->rows[3] = k->rows[at];
  k->rows[at] = now;
  for (; at && k->rows[at][k->first] < k->rows[at - 1][k->first]; at--) {
    now = k->rows[at];
    k->rows[at] = k->rows[at - 1];
    k->rows[at - 1] = now;
  }
  if (k->samples < 2 || k->checked == FULLY) return;
  k->checked = !straight(k) ? 0 : k->samples == 3 ? FULLY : PARTLY;
  if (k->checked) a->varying = 1;
}

/* much says if so many of a step's allocations are kept that it is a first one, which makes what later ones have. */
static int much(uint64_t kept, uint64_t asked) { return kept * 20 > asked; }

/* close_log ends the record of a step. */
static void close_log(stowage_arena *a) {
  logged *l = &a->logs[a->n_logs - 1];
  const stowage_arena_counts *c = &a->now;
  uint64_t asked = c->served + c->missed + c->refused + c->kept + c->outside, bytes = c->served_bytes + c->missed_bytes + c->refused_bytes + c->kept_bytes + c->outside_bytes;
  uint64_t lost = c->missed + c->refused + c->outside, lost_bytes = c->missed_bytes + c->refused_bytes + c->outside_bytes;
  l->to = a->n_records;
  l->n = a->next_id - l->first;
  l->key = a->key;
  /* What early plans keep may be kept only since its end was not yet seen, as the gradients of the first step of an accumulation. */
  l->missed = lost * 100 > asked || lost_bytes * 100 > bytes || (a->s.steps < EARLY && much(c->kept, asked));
  l->slight = !c->missed && !c->outside && !much(c->refused + c->kept, asked);
  for (size_t j = 0; j + 1 < a->n_logs && l->slight; j++) /* its kind was planned for that already, and it came again */
    l->planned |= !a->logs[j].empty && a->logs[j].key == l->key && a->logs[j].planned && a->logs[j].slight;
  if (a->loosely) l->missed = 1; /* a plan of these sizes would be lower */
  a->loosely = 0;
  learn(a);
  if (a->n_logs > 1) judge(a);
  while (a->n_logs > LOGS) { /* empty steps: forget the oldest, as if what it freed had been freed behind the step before */
    size_t j = 0;
    while (j < a->n_logs - 2 && !a->logs[j].empty) j++;
    size_t gone = a->logs[j].from, rest = a->n_logs - j - 1;
    for (int both = 0; both < 2; both++) { /* its begin and its end */
      size_t at = both ? a->logs[j].to - 2 : gone;
      memmove(a->records + at, a->records + at + 1, (a->n_records - at - 1) * sizeof *a->records);
      a->n_records--;
    }
    memmove(a->logs + j, a->logs + j + 1, rest * sizeof *a->logs);
    a->n_logs--;
    for (size_t m = j; m < a->n_logs; m++) a->logs[m].from -= 2, a->logs[m].to -= 2;
  }
}

/* open_log begins the record of a step, at its first allocation or scope: what is freed before is freed between steps. */
static void open_log(stowage_arena *a, size_t thread) {
  a->unbegun = 0;
  a->logs[a->n_logs++] = (logged){.from = a->n_records, .to = SIZE_MAX, .first = a->next_id};
  a->key = FNV ^ a->unbegun_name;
  note(a, 'b', thread, a->unbegun_name, 0, 1);
}

void stowage_arena_watch(stowage_arena *a, int on) {
  mutex_lock(&a->lock);
  a->watching = on;
  forget_all(a);
  forget_records(a);
  a->next_id = 0;
  a->unbegun = 0;
  a->epoch++;
  a->recording = IDLE;
  mutex_unlock(&a->lock);
}

/* wanted says if step k is in traces: if it is one of several alike, or all are asked for, or nothing is alike and it is one of the last two. */
static int wanted(const stowage_arena *a, size_t k) {
  int any = 0;
  if (a->logs[k].empty) return 0;
  if (a->all || twins(a, k) > 1) return 1;
  for (size_t j = 0; j < a->n_logs && !any; j++) any = !a->logs[j].empty && twins(a, j) > 1;
  return !any && k + 2 >= a->n_logs;
}

uint64_t stowage_arena_watched(stowage_arena *a, int all) {
  uint64_t found = 0;
  mutex_lock(&a->lock);
  a->all = all;
  if (a->n_logs) envelop(a, a->n_logs - 1);
  for (size_t k = 0; k < a->n_logs; k++) found += a->logs[k].missed && !a->logs[k].planned && !a->logs[k].empty && (all || twins(a, k) > 1);
  mutex_unlock(&a->lock);
  return found;
}

void stowage_arena_record(stowage_arena *a, uint64_t steps) {
  mutex_lock(&a->lock);
  a->watching = 0;
  a->n_records = a->n_names = a->n_logs = 0;
  a->next_id = a->recorded = 0;
  a->wanted = steps;
  a->epoch++;
  a->recording = ARMED;
  mutex_unlock(&a->lock);
}

void stowage_arena_stop(stowage_arena *a) {
  mutex_lock(&a->lock);
  a->recording = IDLE;
  mutex_unlock(&a->lock);
}

uint64_t stowage_arena_recorded(stowage_arena *a) {
  mutex_lock(&a->lock);
  uint64_t n = a->recorded;
  mutex_unlock(&a->lock);
  return n;
}

static uint64_t fnv(uint64_t hash, const char *text, size_t n) {
  for (size_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001B3u;
  return hash;
}

/* A sink takes text: what fits goes into text, all of it is counted. */
typedef struct sink {
  char *text;
  size_t length, n;
  uint64_t hash;
} sink;

static void print(sink *s, const char *format, ...) {
  char line[160];
  va_list list;
  va_start(list, format);
  size_t n = (size_t)vsnprintf(line, sizeof line, format, list);
  va_end(list);
  for (size_t i = 0; i < n && s->n + i + 1 < s->length; i++) s->text[s->n + i] = line[i];
  s->hash = fnv(s->hash, line, n);
  s->n += n;
}

static size_t trace(stowage_arena *a, char *text, size_t length) {
  typedef unsigned long long u;
  sink s = {text, length, 0, FNV};
  size_t lines = 1, k = 0, in = SIZE_MAX, next = 0; /* the step that a line is in, and how many allocations of it came */
  const family *of = NULL;
  uint64_t made = 0, base[LOGS + 2]; /* numbers begin anew in a trace */
  int is_wanted[LOGS + 2];
  for (size_t j = 0; j < a->n_logs; j++) is_wanted[j] = wanted(a, j);
  for (size_t j = 0; j < a->n_logs; j++) {
    base[j] = made - a->logs[j].first;
    made += is_wanted[j] ? a->logs[j].n : 0;
  }
  print(&s, "stowage-arena-trace 1\n");
  for (size_t i = 0; i < a->n_records; i++) {
    record line = a->records[i], *r = &line;
    if (a->watching) {
      while (k < a->n_logs && i >= a->logs[k].to) k++;
      int out = k < a->n_logs && i >= a->logs[k].from && !is_wanted[k];
      if (k != in) of = k < a->n_logs ? family_of(a, a->logs[k].key, (size_t)a->logs[k].n) : NULL, in = k, next = 0;
      if (out && (r->kind == 'a' || ((r->kind == 'b' || r->kind == 'e') && r->z > 1))) continue;
      if (r->kind == 'f' || r->kind == 'u') {
        size_t j = owner(a, r->x);
        if (j == a->n_logs || !is_wanted[j]) continue;
        r->x += base[j];
      }
    }
    lines++;
    switch (r->kind) {
    case 'a':
      if (r->varies && a->grows && !(of && of->checked && !of->loose[next])) { /* the next ones may be larger still: by a half, then twice as large */
        r->x += r->x / 2 * ((uint64_t)1 << (a->grows - 1));
        r->x += 64 - r->x % 64;
      }
      next++;
      print(&s, "a %llu %llu %lu %llu\n", (u)r->x, (u)1 << r->z, (unsigned long)r->thread, (u)r->y);
      break;
    case 'f': print(&s, "f %llu %lu\n", (u)r->x, (unsigned long)r->thread); break;
    case 'u': print(&s, "u %llu %llu\n", (u)r->x, (u)r->y); break;
    case 'w':
      print(&s, r->x == STOWAGE_ARENA_EVERY ? "w *" : "w %llu", (u)r->x);
      print(&s, r->y == STOWAGE_ARENA_EVERY ? " *\n" : " %llu\n", (u)r->y);
      break;
    case 'b': print(&s, "b %lu %lu %s\n", (unsigned long)r->z, (unsigned long)r->thread, r->x ? a->names[r->x - 1] : "-"); break;
    default: print(&s, "e %lu %lu\n", (unsigned long)r->z, (unsigned long)r->thread);
    }
  }
  print(&s, "end %llu %016llx\n", (u)lines, (u)s.hash);
  if (length) text[s.n < length ? s.n : length - 1] = 0;
  return s.n;
}

/* written notes that the steps of a trace will be planned. */
static void written(stowage_arena *a) {
  for (size_t k = 0; k < a->n_logs; k++) a->logs[k].planned |= wanted(a, k);
}

size_t stowage_arena_trace(stowage_arena *a, char *text, size_t length) {
  mutex_lock(&a->lock);
  size_t n = trace(a, text, length);
  if (n < length) written(a);
  mutex_unlock(&a->lock);
  return n;
}

int stowage_arena_write(stowage_arena *a, const char *path) {
  int code = STOWAGE_ARENA_OK;
  mutex_lock(&a->lock);
  size_t n = trace(a, NULL, 0);
  char *text = malloc(n + 1), *beside = malloc(strlen(path) + 5);
  if (!text || !beside) code = fail(a, STOWAGE_ARENA_E_MEMORY, "no memory for a trace of %llu bytes", (unsigned long long)n);
  else trace(a, text, n + 1);
  if (!code) written(a);
  mutex_unlock(&a->lock);
  if (!code) {
    strcat(strcpy(beside, path), ".new");
    FILE *f = fopen(beside, "wb");
    int good = f && fwrite(text, 1, n, f) == n;
    if (f && fclose(f)) good = 0;
#ifdef _WIN32
    if (good) remove(path);
#endif
    if (!good || rename(beside, path)) {
      remove(beside);
      mutex_lock(&a->lock);
      code = fail(a, STOWAGE_ARENA_E_FILE, "%s: the trace cannot be written", path);
      mutex_unlock(&a->lock);
    }
  }
  free(text);
  free(beside);
  return code;
}

/* ------------------------------------------------------------------------- reading plans */

/* A reader takes the text of plans apart. After the first fault `what` says what was wanted, and all further
 * reads fail too. */
typedef struct reader {
  const char *at, *end;
  const char *what;
  size_t line;
} reader;

static int expect(reader *r, const char *text) {
  size_t n = strlen(text);
  if (r->what) return 0;
  if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n)) {
    r->what = text;
    return 0;
  }
  r->at += n;
  if (text[n - 1] == '\n') r->line++;
  return 1;
}

/* number reads digits without leading zeros, at most `most`, and then the text that follows them. */
static uint64_t number(reader *r, uint64_t most, const char *then) {
  const char *from = r->at;
  uint64_t x = 0;
  if (r->what) return 0;
  while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
    unsigned digit = (unsigned)(*r->at++ - '0');
    if (digit > most || x > (most - digit) / 10 || (r->at - from > 1 && *from == '0')) {
      r->what = "a smaller number";
      return 0;
    }
    x = x * 10 + digit;
  }
  if (r->at == from) r->what = "a number";
  else expect(r, then);
  return x;
}

/* word reads a name up to the end of the line; "-" is none. */
static void word(reader *r, char name[NAME]) {
  size_t n = 0;
  if (r->what) return;
  while (r->at < r->end && *r->at > ' ' && n < NAME - 1) name[n++] = *r->at++;
  name[n] = 0;
  if (!n) r->what = "a name";
  if (!strcmp(name, "-")) name[0] = 0;
  expect(r, "\n");
}

static uint64_t mix(uint64_t hash, const request *q) {
  uint64_t x = q->size * 0x9E3779B97F4A7C15u ^ q->stream * 0xC2B2AE3D27D4EB4Fu;
  hash = (hash ^ x) * 0xFF51AFD7ED558CCDu;
  return hash ^ hash >> 32;
}

static void free_plan(plan *p) {
  if (!p) return;
  for (size_t i = 0; i < p->n; i++) {
    free(p->lanes[i].events);
    free(p->lanes[i].sections);
  }
  free(p->lanes);
  free(p);
}

/* many reads how many lines follow, and refuses more than the text can have: a damaged number must
 * not make the arena ask for much memory. */
static size_t many(reader *r, size_t shortest, const char *then) {
  return (size_t)number(r, (uint64_t)(r->end - r->at) / shortest, then);
}

typedef struct region {
  uint64_t stream, low, high;
} region;

/* read_lane reads what one thread allocates. */
static void read_lane(reader *r, plan *p, lane *l, const region *regions, size_t n_regions) {
  uint64_t hash = FNV;
  l->plan = p;
  l->asks = FNV;
  expect(r, "lane ");
  l->thread = number(r, MOST, " ");
  size_t n = many(r, 16, " "), scopes = many(r, 8, "\n");
  if (r->what) return;
  l->events = calloc(n + 1, sizeof *l->events);
  l->sections = calloc(scopes + 1, sizeof *l->sections);
  if (!l->events || !l->sections) r->what = "memory";
  for (; l->n < n && !r->what; l->n++) {
    event *e = &l->events[l->n];
    expect(r, "p ");
    e->is.size = e->most = number(r, MOST, " ");
    e->is.alignment = number(r, p->alignment, " ");
    e->is.stream = number(r, UINT64_MAX - 1, " ");
    e->hash = hash = mix(hash, &e->is);
    l->asks = streamed(l->asks, e->is.stream);
    l->bytes += e->is.size;
    e->offset = NOWHERE;
    if (r->at < r->end && *r->at == '-') expect(r, "- "), p->kept++;
    else e->offset = number(r, MOST, " ");
    uint64_t lower = e->lower = number(r, MOST, " "), upper = e->upper = number(r, MOST, "\n");
    if (r->what) break;
    if (!e->is.size || !e->is.alignment || e->is.alignment & (e->is.alignment - 1)) r->what = "a size and a power of two";
    else if (lower > upper) r->what = "an end after its beginning";
    if (r->what || e->offset == NOWHERE) continue;
    if (e->offset % e->is.alignment) r->what = "an aligned offset";
    size_t k = 0;
    while (k < n_regions && regions[k].stream != e->is.stream) k++;
    if (k == n_regions || e->offset < regions[k].low || e->offset > regions[k].high || e->is.size > regions[k].high - e->offset)
      r->what = "an offset within the region of its stream";
  }
  for (; l->scopes < scopes && !r->what; l->scopes++) {
    section *s = &l->sections[l->scopes];
    expect(r, "s ");
    s->first = (size_t)number(r, n, " ");
    s->end = (size_t)number(r, n, " ");
    word(r, s->name);
    if (!r->what && s->first > s->end) r->what = "an end after its beginning";
  }
}

/* read_plan reads one plan and checks all that its use relies on. NULL if it is damaged. */
static plan *read_plan(reader *r) {
  const char *from = r->at;
  size_t first = r->line;
  char skipped[NAME];
  region *regions = NULL;
  plan *p = calloc(1, sizeof *p);
  if (!p) {
    r->what = "memory";
    return NULL;
  }
  expect(r, "stowage-arena-plan 1\n");
  expect(r, "name ");
  word(r, p->name);
  expect(r, "alignment ");
  p->alignment = number(r, 1 << 30, "\n");
  if (!r->what && (!p->alignment || p->alignment & (p->alignment - 1))) r->what = "a power of two";
  expect(r, "guard ");
  p->guard = number(r, 1 << 20, "\n");
  expect(r, "height ");
  p->height = number(r, MOST, "\n");
  if (!r->what && p->height > SIZE_MAX / 2) r->what = "a height for this machine";
  expect(r, "bound ");
  p->bound = number(r, p->height, "\n");
  expect(r, "status ");
  word(r, skipped);
  expect(r, "period ");
  p->period = number(r, MOST, "\n");
  expect(r, "baselines ");
  for (size_t n = many(r, 4, "\n"), i = 0; i < n && !r->what; i++) {
    expect(r, "d ");
    uint64_t bytes = number(r, MOST, " ");
    word(r, skipped);
    if (!i) p->baseline = bytes;
  }
  expect(r, "regions ");
  size_t n = many(r, 8, "\n");
  if (!r->what && !(regions = calloc(n + 1, sizeof *regions))) r->what = "memory";
  uint64_t low = 0; /* regions ascend, so they are disjoint */
  for (size_t i = 0; i < n && !r->what; i++) {
    expect(r, "r ");
    regions[i].stream = number(r, UINT64_MAX - 1, " ");
    regions[i].low = number(r, p->height, " ");
    regions[i].high = regions[i].low + number(r, p->height, "\n");
    for (size_t k = 0; k < i; k++)
      if (regions[k].stream == regions[i].stream) r->what = "one region for each stream";
    if (!r->what && (regions[i].low < low || regions[i].high > p->height)) r->what = "regions that ascend up to the height";
    low = regions[i].high;
  }
  expect(r, "lanes ");
  size_t lanes = many(r, 12, "\n");
  if (!r->what && !(p->lanes = calloc(lanes + 1, sizeof *p->lanes))) r->what = "memory";
  while (p->n < lanes && !r->what) read_lane(r, p, &p->lanes[p->n++], regions, n);
  free(regions);
  uint64_t lines = r->line - first;
  char sum[24];
  snprintf(sum, sizeof sum, "%016llx\n", (unsigned long long)fnv(FNV, from, (size_t)(r->at - from)));
  expect(r, "end ");
  if (number(r, MOST, " ") != lines && !r->what) r->what = "the number of lines before this one";
  if (!r->what && !expect(r, sum)) r->what = "the right checksum";
  if (!r->what) return p;
  free_plan(p);
  return NULL;
}

/* enter works out how many bytes of the block are live when the step of each plan begins. */
static void enter(plan **all, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint64_t begin = all[i]->first;
    all[i]->entry = 0;
    for (size_t h = 0; h < n; h++)
      for (size_t k = 0; k < all[h]->n; k++)
        for (size_t j = 0; j < all[h]->lanes[k].n && all[h]->cycle == all[i]->cycle; j++) {
          const event *e = &all[h]->lanes[k].events[j];
          int live = (e->lower < begin && e->upper > begin) || (e->upper > all[h]->period && e->upper - all[h]->period > begin);
          if (e->offset != NOWHERE && live) all[i]->entry += e->most;
        }
  }
}

/* gather finds the plans that were made together: they have one height and period, and are one cycle. */
static void gather(stowage_arena *a, plan **all, size_t n) {
  for (size_t i = 0; i < n; i++) {
    plan *p = all[i];
    size_t h = 0;
    while (all[h]->period != p->period || all[h]->height != p->height) h++;
    p->cycle = h < i ? all[h]->cycle : ++a->cycles;
    p->first = UINT64_MAX;
    for (size_t k = 0; k < p->n; k++) {
      if (p->lanes[k].n && p->lanes[k].events[0].lower < p->first) p->first = p->lanes[k].events[0].lower;
      p->end += p->lanes[k].n;
    }
    p->end += p->first;
  }
}

/* same says if two plans are for the same allocations. */
static int same(const plan *p, const plan *q) {
  if (p->n != q->n || strcmp(p->name, q->name)) return 0;
  for (size_t i = 0; i < p->n; i++) {
    const lane *l = &p->lanes[i], *m = &q->lanes[i];
    if (l->n != m->n || l->thread != m->thread || (l->n && l->events[l->n - 1].hash != m->events[l->n - 1].hash)) return 0;
  }
  return 1;
}

/* bury frees dead plans. No place follows a plan when it is called. */
static void bury(stowage_arena *a) {
  size_t n = 0;
  for (size_t i = 0; i < a->n_plans; i++) {
    plan *p = a->plans[i];
    if (!p->dead) {
      a->plans[n++] = p;
      continue;
    }
    for (int k = 0; k < 2; k++)
      if (a->followed[k] == p) a->followed[k] = NULL;
    free_plan(p);
  }
  a->n_plans = n;
}

static void raise_peaks(stowage_arena *a) {
  if (a->s.live > a->s.peak) a->s.peak = a->s.live;
  if (a->s.block + a->s.upstream > a->s.total_peak) a->s.total_peak = a->s.block + a->s.upstream;
}

/* widen lets the block have this many bytes, if it does or can where it is. */
static int widen(stowage_arena *a, uint64_t height) {
  block *b = a->serving ? a->blocks : NULL;
  if (!b || height > b->reserved) return 0;
  if (height <= b->size) return 1;
  if (a->guard) fill(a, b->base + b->size, STOWAGE_ARENA_POISON, (size_t)height - b->size);
  a->s.block += height - b->size;
  b->size = (size_t)height;
  raise_peaks(a);
  return 1;
}

/* ensure makes the block large enough. Called with the lock, which it releases meanwhile. */
static int ensure(stowage_arena *a, uint64_t height, uint64_t alignment) {
  size_t was = 0;
  block *b = a->serving ? a->blocks : NULL;
  size_t reserved = a->varying && height < SIZE_MAX / RESERVE ? (size_t)height * RESERVE : (size_t)height;
  if (!height || ((!b || (uintptr_t)b->base % alignment == 0) && widen(a, height))) return 1;
  if (b && !b->live) { /* an empty block goes first, so that there is never more than one */
    was = b->size;
    a->serving = 0;
    leave(a);
  } else {
    mutex_unlock(&a->lock);
  }
  block *more = new_block(a, (size_t)height, (size_t)alignment, reserved);
  int good = more != NULL;
  if (!good && was) more = new_block(a, was, (size_t)alignment, was); /* there is no more: the plans that are loaded keep what they had */
  mutex_lock(&a->lock);
  if (!more) return 0;
  a->s.block += more->size;
  if (a->serving && a->blocks->size >= more->size) { /* another thread was faster; leave gives this one back */
    more->next = a->blocks->next;
    a->blocks->next = more;
    return good;
  }
  more->next = a->blocks;
  a->blocks = more;
  a->serving = 1;
  idle(a); /* blocks that wait for what is live in them need the rest no more */
  if (a->guard) fill(a, more->base, STOWAGE_ARENA_POISON, more->size);
  return good;
}

static int load(stowage_arena *a, const char *text, size_t length, int replace) {
  reader r = {text, text + length, NULL, 1};
  plan **all = NULL;
  size_t n = 0, cap = 0;
  uint64_t height = 0, alignment = 64;
  if (!length) r.what = "stowage-arena-plan 1\n";
  while (r.at < r.end && !r.what) {
    plan *p = read_plan(&r);
    if (p && !grow(&all, n, &cap, sizeof *all)) {
      free_plan(p);
      r.what = "memory";
    } else if (p) {
      all[n++] = p;
      if (p->height > height) height = p->height;
      if (p->alignment > alignment) alignment = p->alignment;
    }
  }
  mutex_lock(&a->lock);
  int code = STOWAGE_ARENA_OK;
  if (r.what && !strcmp(r.what, "memory")) {
    code = fail(a, STOWAGE_ARENA_E_MEMORY, "plan %llu: no memory", (unsigned long long)n + 1);
  } else if (r.what) {
    int cut = (int)strcspn(r.what, "\n");
    code = fail(a, STOWAGE_ARENA_E_INPUT, "plan %llu, line %llu: expected %s%.*s%s; the file is damaged, cut short, or of another version",
                (unsigned long long)n + 1, (unsigned long long)r.line, r.what[cut] ? "\"" : "", cut, r.what, r.what[cut] ? "\"" : "");
  } else if (!ensure(a, height, alignment)) {
    code = fail(a, STOWAGE_ARENA_E_MEMORY, "upstream has no %llu bytes for the block", (unsigned long long)height);
  }
  if (!code) {
    gather(a, all, n);
    enter(all, n);
  }
  for (size_t have = a->n_plans, cap_plans = have, i = 0; i < n && !code; i++) {
    if (i == 0) { /* room for all, so that all or none are added */
      plan **more = realloc(a->plans, (have + n) * sizeof *more);
      if (!more) {
        code = fail(a, STOWAGE_ARENA_E_MEMORY, "no memory for %llu plans", (unsigned long long)n);
        break;
      }
      a->plans = more;
      cap_plans = have + n;
    }
    for (size_t k = 0; k < have; k++) /* plans of one text may begin alike, and differ in what lives on */
      if (!a->plans[k]->dead && (replace || same(a->plans[k], all[i]))) a->plans[k]->dead = 1;
    if (a->n_plans < cap_plans) a->plans[a->n_plans++] = all[i];
  }
  if (code)
    for (size_t i = 0; i < n; i++) free_plan(all[i]);
  else a->s.total_peak = a->next_idle = a->idles = 0;
  raise_peaks(a);
  if (!a->depth) bury(a);
  leave(a);
  free(all);
  return code;
}

int stowage_arena_load(stowage_arena *a, const char *text, size_t length) { return load(a, text, length, 0); }

int stowage_arena_replace(stowage_arena *a, const char *text, size_t length) { return load(a, text, length, 1); }

int stowage_arena_load_file(stowage_arena *a, const char *path) {
  FILE *f = fopen(path, "rb");
  char *text = NULL;
  size_t n = 0, cap = 0;
  int good = f != NULL;
  while (good && grow(&text, n, &cap, 1) && (n += fread(text + n, 1, cap - n, f)) == cap) {}
  good = good && text && !ferror(f) && feof(f);
  if (f) fclose(f);
  int code;
  if (good) {
    code = stowage_arena_load(a, text, n);
    if (code) {
      mutex_lock(&a->lock);
      char was[sizeof a->error];
      memcpy(was, a->error, sizeof was);
      fail(a, code, "%.80s: %.170s", path, was);
      mutex_unlock(&a->lock);
    }
  } else {
    mutex_lock(&a->lock);
    code = fail(a, STOWAGE_ARENA_E_FILE, "%.200s: the plan cannot be read", path);
    mutex_unlock(&a->lock);
  }
  free(text);
  return code;
}

void stowage_arena_unload(stowage_arena *a) {
  mutex_lock(&a->lock);
  for (size_t i = 0; i < a->n_plans; i++) a->plans[i]->dead = 1;
  if (!a->depth) bury(a);
  a->serving = 0;
  a->s.total_peak = 0;
  raise_peaks(a);
  leave(a);
}

/* ----------------------------------------------------------------------- following a plan */

/* place_of returns the place of a thread. The last of THREADS places is shared and follows nothing. */
static place *place_of(stowage_arena *a, uint64_t key, int named) {
  for (size_t i = 0; i < a->n_places; i++)
    if (a->places[i].key == key && a->places[i].named == named) return &a->places[i];
  if (a->n_places < THREADS && grow(&a->places, a->n_places, &a->cap_places, sizeof *a->places)) {
    a->places[a->n_places] = (place){.key = key, .named = named, .hash = FNV};
    return &a->places[a->n_places++];
  }
  return a->n_places ? &a->places[a->n_places - 1] : NULL;
}

static int agrees(const lane *l, size_t i, const request *q) {
  const request *e = &l->events[i].is;
  return i < l->n && e->size == q->size && e->stream == q->stream && e->alignment >= q->alignment;
}

/* fits says if an event has room for a request. */
static int fits(const lane *l, size_t i, const request *q) {
  const request *e = &l->events[i].is;
  uint64_t most = i < l->n ? l->events[i].most : 0;
  return most >= q->size && (most - 1) / SMALLER < q->size && e->stream == q->stream && e->alignment >= q->alignment;
}

static int usable(const stowage_arena *a, const plan *p) { return !p->dead && !strcmp(p->name, a->name); }

/* agreeing returns the lane that begins with all that a thread has asked for in this step, or
 * NULL. Of several it prefers the plan that this step follows, then that of a first step in the first, and others in later ones, then that
 * which begins with as much live as this step did, then the one that keeps least, then the largest, since that serves smaller ones to
 * their end (a step that changes its plan is refused what the other one has placed elsewhere), then the plan of the step before and the
 * thread's own lane. */
static lane *agreeing(stowage_arena *a, const place *at, const request *q) {
  lane *best = NULL;
  int worth = -1, other = 0;
  uint64_t nearest = 0, largest = 0;
  size_t keeps = 0;
  for (size_t i = 0; i < a->n_plans; i++) {
    plan *p = a->plans[i];
    if (!usable(a, p)) continue;
    for (size_t k = 0; k < p->n; k++) {
      lane *l = &p->lanes[k];
      size_t n = (size_t)at->count;
      if (n > l->n || (l->taken == a->step + 1 && l->sure && l != at->lane)) continue;
      if (l->events[n - 1].hash != at->hash || !agrees(l, n - 1, q)) continue;
      int w = 4 * (p == a->followed[0]) + 2 * (p == a->followed[1]) + (l->thread == (uint64_t)(at - a->places));
      uint64_t far = w >= 4 ? 0 : p->entry > a->entry ? p->entry - a->entry : a->entry - p->entry;
      far /= p->height / 256 + 1; /* a batch that is still there is no difference */
      int late = w < 4 ? 1 + (much(p->kept, l->n) == (a->s.steps > 0)) : 0;
      size_t more = a->s.steps ? p->kept : SIZE_MAX - p->kept;
      int better = late != other ? late < other : far != nearest ? far < nearest : more != keeps ? more < keeps : l->bytes != largest ? l->bytes > largest : w > worth;
      if (!best || better) {
        other = late;
        keeps = more;
        largest = l->bytes;
        worth = w;
        nearest = far;
        best = l;
      }
    }
  }
  return best;
}

/* first_lane returns the lane for a thread whose first request no plan has: its own, of the plan
 * that was followed last or of the first. Later requests may find their place in it. */
static lane *first_lane(stowage_arena *a, const place *at) {
  for (int pass = 0; pass < 3; pass++)
    for (size_t i = 0; i < a->n_plans; i++) {
      plan *p = a->plans[i];
      if (!usable(a, p) || (pass < 2 && p != a->followed[pass])) continue;
      for (size_t k = 0; k < p->n; k++)
        if (p->lanes[k].thread == (uint64_t)(at - a->places) && p->lanes[k].taken != a->step + 1) return &p->lanes[k];
    }
  return NULL;
}

/* take gives a lane to a thread, and takes it from a thread that had it by default. */
static void take(stowage_arena *a, place *at, lane *l) {
  if (at->lane) at->lane->taken = 0;
  for (size_t i = 0; l && l->taken == a->step + 1 && i < a->n_places; i++)
    if (a->places[i].lane == l) a->places[i].lane = NULL;
  at->lane = l;
  if (!l) return;
  l->taken = a->step + 1;
  l->sure = 0;
}

/* roomy returns the largest lane whose event at the same place of the step fits a request, of a first step only in the first, unless
 * no other does; NULL if none does. */
static lane *roomy(stowage_arena *a, const place *at, size_t i, const request *q) {
  lane *best = NULL;
  int worst = 0;
  for (size_t k = 0; k < a->n_plans; k++)
    for (size_t j = 0; usable(a, a->plans[k]) && j < a->plans[k]->n; j++) {
      lane *l = &a->plans[k]->lanes[j];
      int late = much(l->plan->kept, l->n) == (a->s.steps > 0);
      if (l->thread != (uint64_t)(at - a->places) || !fits(l, i, q) || (l->taken == a->step + 1 && l->sure && l != at->lane)) continue;
      if (best && (late != worst ? late > worst : l->bytes <= best->bytes)) continue;
      best = l;
      worst = late;
    }
  return best;
}

/* A rise is an event and the offset that it gets. */
typedef struct rise {
  event *e;
  const plan *of;
  uint64_t size, offset;
  int stays; /* it moves only as far as it has to */
} rise;

static int by_offset(const void *x, const void *y) {
  uint64_t a = ((const rise *)x)->e->offset, b = ((const rise *)y)->e->offset;
  return a < b ? -1 : a > b;
}

static uint64_t round_up(uint64_t x, uint64_t step) { return (x + step - 1) / step * step; }

/* in_family says if a lane is that of steps of a kind. */
static int in_family(const stowage_arena *a, const lane *l, const family *k) {
  const char *name = k->name ? a->names[k->name - 1] : "";
  return l->n == k->n && l->thread == k->thread && l->asks == k->asks && l->plan->n == 1 && !strcmp(l->plan->name, name);
}

/* rises lists the events of a cycle that lie in the block, and returns how many there are. Those of a kind have at least these sizes. *spans is
 * the sum of their lifespans. */
static size_t rises(stowage_arena *a, uint64_t cycle, const family *k, const uint64_t *sizes, rise *all, uint64_t *spans) {
  size_t n = 0;
  for (size_t i = 0; i < a->n_plans; i++) {
    const plan *p = a->plans[i];
    for (size_t j = 0; !p->dead && p->cycle == cycle && j < p->n; j++) {
      lane *l = &p->lanes[j];
      int grows = in_family(a, l, k);
      for (size_t x = 0; x < l->n; x++) {
        event *e = &l->events[x];
        if (e->offset == NOWHERE) continue;
        uint64_t size = grows && sizes[x] > e->most ? sizes[x] : e->most;
        all[n++] = (rise){e, p, size, 0, e->upper > p->end || (grows && x < k->first)};
        *spans += e->upper - e->lower;
      }
    }
  }
  return n;
}

/* lay_out gives all events of a cycle offsets for sizes that have grown. If the block is not large enough, or there is no memory, or it
 * would take long, nothing changes, and it returns 0. */
static int lay_out(stowage_arena *a, uint64_t cycle, const family *k, const uint64_t *sizes) {
  size_t events = 0, period = 0;
  uint64_t spans = 0, base = 0, height = 0, peak = 0, bound = 0, alignment = 1, least = MOST;
  for (size_t i = 0; i < a->n_plans; i++) {
    const plan *p = a->plans[i];
    if (p->dead || p->cycle != cycle) continue;
    period = p->period < SPANS ? (size_t)p->period : 0;
    events += (size_t)(p->end - p->first);
    if (p->alignment > alignment) alignment = p->alignment;
  }
  rise *all = malloc((events + 1) * sizeof *all);
  uint64_t *top = period ? calloc(period, 2 * sizeof *top) : NULL, *load = top ? top + period : NULL; /* by time */
  size_t n = all && top ? rises(a, cycle, k, sizes, all, &spans) : 0;
  int good = n && spans < SPANS;
  for (size_t i = 0; i < n; i++)
    if (all[i].e->is.alignment < least) least = all[i].e->is.alignment;
  if (good) qsort(all, n, sizeof *all, by_offset);
  for (size_t i = 0; good && i < n; i++) {
    rise *r = &all[i];
    const event *e = r->e;
    if (!i || e->is.stream != all[i - 1].e->is.stream) { /* regions of streams lie one above the other */
      base = round_up(height, alignment);
      bound += peak;
      peak = 0;
      memset(load, 0, period * sizeof *load);
    }
    uint64_t at = base, whole = round_up(r->size + r->of->guard, least);
    for (uint64_t t = e->lower; t < e->upper; t++) {
      size_t c = (size_t)(t < period ? t : t - period);
      load[c] += whole;
      if (load[c] > peak) peak = load[c];
      if (top[c] > at) at = top[c];
    }
    if (r->stays && e->offset > at) at = e->offset;
    r->offset = round_up(at, e->is.alignment);
    at = r->offset + r->size + r->of->guard;
    for (uint64_t t = e->lower; t < e->upper; t++) top[t < period ? t : t - period] = at;
    if (at > height) height = at;
    good = height < MOST / 2;
  }
  bound += peak;
  bound -= bound < least ? bound : least - 1; /* what lies on top ends with its last byte */
  if (good && !widen(a, height)) a->wish = height, good = 0;
  for (size_t i = 0; good && i < n; i++) {
    all[i].e->most = all[i].size;
    all[i].e->offset = all[i].offset;
  }
  for (size_t i = 0; good && i < a->n_plans; i++) {
    plan *p = a->plans[i];
    if (p->dead || p->cycle != cycle) continue;
    p->height = height;
    p->bound = bound < height ? bound : height;
  }
  if (good) enter(a->plans, a->n_plans);
  if (good && height > bound + bound / 32) a->loosely = 1;
  a->s.grown += (uint64_t)good;
  free(top);
  free(all);
  return good;
}

/* resize gives the events of a lane the sizes that follow from s. */
static void resize(stowage_arena *a, lane *l, const family *k, uint64_t s) {
  uint64_t *sizes = k->rows[3], hash = FNV;
  double w[3];
  int grows = 0;
  if (k->checked == PARTLY && s - s / 3 > k->rows[1][k->first]) return; /* more than half as much again */
  weigh(k, s, w);
  for (size_t i = 0; i < l->n; i++) {
    const event *e = &l->events[i];
    sizes[i] = i == k->first ? s : i < k->first ? e->is.size : k->loose[i] ? e->most : follows(k, i, w);
    grows |= sizes[i] > e->most;
  }
  if (grows && !lay_out(a, l->plan->cycle, k, sizes)) return;
  l->bytes = 0;
  for (size_t i = 0; i < l->n; i++) {
    event *e = &l->events[i];
    e->is.size = sizes[i];
    if (sizes[i] > e->most) e->most = sizes[i]; /* it goes upstream */
    e->hash = hash = mix(hash, &e->is);
    l->bytes += e->most;
  }
}

/* settle resizes the lanes that agree with a thread so far, if its request is the first whose size varies. */
static void settle(stowage_arena *a, const place *at, const request *q, size_t n) {
  for (int i = 0; i < FAMILIES; i++) {
    const family *k = &a->families[i];
    if (!k->checked || k->first != n || k->n <= n) continue;
    for (size_t j = 0; j < a->n_plans; j++) {
      plan *p = a->plans[j];
      lane *l = p->lanes;
      if (!usable(a, p) || p->n != 1 || !in_family(a, l, k) || (l->taken == a->step + 1 && l->sure && l != at->lane)) continue;
      const event *e = &l->events[n];
      if (e->is.size == q->size || e->is.stream != q->stream || e->is.alignment < q->alignment) continue;
      if (!n || e[-1].hash == at->hash) resize(a, l, k, q->size);
    }
  }
}

/* wished makes the block as large as it should have been. Called between steps with the lock, which it releases meanwhile. */
static void wished(stowage_arena *a) {
  uint64_t height = a->wish, alignment = 64;
  if (!height || a->depth) return;
  for (size_t i = 0; i < a->n_plans; i++)
    if (a->plans[i]->alignment > alignment) alignment = a->plans[i]->alignment;
  a->wish = 0;
  if (a->serving) ensure(a, height, alignment);
}

/* hit moves the cursor behind an event. */
static event *hit(place *at, size_t i) {
  at->skipped = 0;
  at->cursor = i + 1;
  at->lane->sure = 1;
  return &at->lane->events[i];
}

/* expected returns the event that a request is taken for, and moves the cursor behind it; NULL if no plan expects it. */
static event *expected(stowage_arena *a, place *at, const request *q) {
  request before = at->before;
  lane *l;
  size_t n = (size_t)at->count++;
  if (a->varying) settle(a, at, q, n);
  at->before = *q;
  at->hash = mix(at->hash, q);
  if (at->lane && at->lane->sure && at->cursor == n && fits(at->lane, n, q)) return hit(at, n);
  if (!at->lane || !agrees(at->lane, at->cursor, q)) {
    if ((l = agreeing(a, at, q))) {
      take(a, at, l);
      at->cursor = n;
    } else if (!at->lane) {
      take(a, at, (l = roomy(a, at, n, q)) ? l : first_lane(a, at));
      at->skipped = at->lane ? n : 0;
      if (l) return hit(at, n);
    }
  }
  if (!(l = at->lane)) return NULL;
  if (agrees(l, at->cursor, q)) return hit(at, at->cursor);
  size_t ahead = at->cursor + at->skipped;
  if (agrees(l, ahead, q) || fits(l, ahead, q)) return hit(at, ahead);
  if (ahead == n && (l = roomy(a, at, n, q))) {
    take(a, at, l);
    return hit(at, n);
  }
  l = at->lane;
  if (at->skipped && fits(l, at->cursor, q)) return hit(at, at->cursor);
  for (size_t d = 1; d <= WINDOW && before.size; d++) {
    size_t j = at->cursor + d;
    for (int back = 0; back < 2; back++, j = at->cursor - d) {
      if ((back && d > at->cursor) || !j || j >= l->n) continue;
      if (!agrees(l, j, q) || !agrees(l, j - 1, &before)) continue;
      return hit(at, j);
    }
  }
  at->skipped++;
  return NULL;
}

/* ----------------------------------------------------------------------- allocate and free */

static uint64_t bit_of(stowage_arena *a, uint64_t stream) {
  size_t i = 0;
  while (i < a->n_streams && a->streams[i] != stream) i++;
  if (i == a->n_streams && i < 63) a->streams[a->n_streams++] = stream;
  return (uint64_t)1 << i;
}

static uint32_t log2_of(size_t x) {
  uint32_t n = 0;
  while (x >>= 1) n++;
  return n;
}

static void count(uint64_t *now, uint64_t *all, uint64_t *now_bytes, uint64_t *all_bytes, size_t size) {
  ++*now;
  ++*all;
  *now_bytes += size;
  *all_bytes += size;
}
#define COUNT(what) count(&a->now.what, &a->s.all.what, &a->now.what##_bytes, &a->s.all.what##_bytes, size)

/* serve returns the first bytes of an event if they are free, else NULL. */
static char *serve(stowage_arena *a, const event *e, size_t size) {
  if (!a->serving || e->offset + size > a->blocks->size) return NULL;
  char *at = a->blocks->base + e->offset;
  uintptr_t low = (uintptr_t)at, high = low + size;
  size_t i = above(a, low);
  if (low % e->is.alignment || (i < a->n_ranges && a->ranges[i].low < high)) return NULL;
  if (!grow(&a->ranges, a->n_ranges, &a->cap_ranges, sizeof *a->ranges)) return NULL;
  memmove(a->ranges + i + 1, a->ranges + i, (a->n_ranges - i) * sizeof *a->ranges);
  a->ranges[i] = (range){low, high};
  a->n_ranges++;
  a->blocks->live++;
  a->served_live += size;
  examine(a, at, size, "when it was served");
  if (a->guard) fill(a, at, FRESH, size);
  return at;
}

/* release ends the life of a served range. */
static void release(stowage_arena *a, entry *e) {
  size_t i = above(a, e->address), size = (size_t)e->size;
  char *at = (char *)e->address;
  a->n_ranges--;
  memmove(a->ranges + i, a->ranges + i + 1, (a->n_ranges - i) * sizeof *a->ranges);
  a->served_live -= size;
  block *b = block_of(a, at);
  b->live--;
  if (b != a->blocks && !a->guard) { /* it waits to be empty */
    uintptr_t low = i ? a->ranges[i - 1].high : 0, high = i < a->n_ranges ? a->ranges[i].low : UINTPTR_MAX;
    if (low < (uintptr_t)b->base) low = (uintptr_t)b->base;
    if (high > (uintptr_t)b->base + b->size) high = (uintptr_t)b->base + b->size;
    give_back(b, low, high);
  }
  if (e->held) {
    a->n_held--;
    a->s.held -= size;
  }
  if (a->guard) fill(a, at, STOWAGE_ARENA_POISON, size);
  cut(a, e);
}

/* look reads the resident memory. */
static void look(stowage_arena *a) {
  if (!a->resident) return;
  uint64_t now = a->resident(a->up.context);
  if (now > a->s.resident_step) a->s.resident_step = now;
  if (now > a->s.resident_peak) a->s.resident_peak = now;
  a->s.resident = now;
}

/* fall looks before memory is freed, if more is live than ever in this step: that is a peak. */
static void fall(stowage_arena *a) {
  if (!a->rising || a->s.live < a->least) return;
  a->rising = 0;
  if (a->s.live > a->seen) a->seen = a->s.live;
  a->least = a->seen - a->seen / 32;
  look(a);
}

static void *allocate(stowage_arena *a, size_t size, size_t alignment, uint64_t stream, uint64_t key, int named) {
  if (!alignment) alignment = 64;
  if (alignment & (alignment - 1) || stream == STOWAGE_ARENA_EVERY) return NULL;
  if (!size) return a->up.malloc(a->up.context, 1, alignment, stream);
  request q = {size, alignment, stream};
  entry e = {.size = size, .stream = stream};
  char *address = NULL;
  mutex_lock(&a->lock);
  int known = promise(a);
  place *at = place_of(a, key, named);
  size_t thread = at ? (size_t)(at - a->places) : 0;
  int planned = 0, trim = 0;
  enum { OUTSIDE, MISSED, REFUSED, KEPT, SERVED } what = OUTSIDE;
  for (size_t i = 0; i < a->n_plans && a->depth && !planned; i++) planned = usable(a, a->plans[i]);
  if (a->depth && a->unbegun) open_log(a, thread);
  if (a->depth && !a->now.served && !a->now.missed && !a->now.kept && !a->now.refused) a->entry = a->served_live;
  if (planned) {
    event *x = at && known && thread < THREADS - 1 ? expected(a, at, &q) : NULL;
    if (x) a->followed[0] = at->lane->plan;
    if (!x) what = MISSED;
    else if (x->offset == NOWHERE) what = KEPT;
    else what = (address = serve(a, x, size)) ? SERVED : REFUSED;
    if (address) {
      uint64_t fresh = touch(a->blocks, (uintptr_t)address, (uintptr_t)address + size), enough = a->blocks->size / 16;
      trim = fresh && a->trim && a->let >= (enough > CHUNK * 16 ? enough : CHUNK * 16);
      if (trim) a->let = 0;
      uint64_t whole = (x->most + at->lane->plan->alignment - 1) / at->lane->plan->alignment * at->lane->plan->alignment + at->lane->plan->guard;
      e.slack = (uint32_t)(whole - size);
    }
  }
  e.served = what == SERVED;
  if (what == MISSED || what == REFUSED) {
    if (a->serving && a->s.upstream + size > a->beside + a->blocks->size / 4 && a->s.steps >= a->next_idle) {
      /* This step's memory is upstream, and idle pages make room for it. If that comes again and again, touching them anew costs more. */
      a->next_idle = a->s.steps + ((uint64_t)1 << a->idles);
      a->idles += a->idles < 8;
      idle(a);
    }
  }
  if (!address || trim) {
    mutex_unlock(&a->lock);
    if (trim) a->trim(a->up.context);
    else address = a->up.malloc(a->up.context, size, alignment, stream);
    mutex_lock(&a->lock);
  }
  if (known) a->promised--;
  if (!address) { /* what fails is no allocation: it is neither counted nor recorded, or a plan would have room for it */
    mutex_unlock(&a->lock);
    return NULL;
  }
  switch (what) {
  case OUTSIDE: COUNT(outside); break;
  case MISSED: COUNT(missed); break;
  case REFUSED: COUNT(refused); break;
  case KEPT: COUNT(kept); break;
  default: COUNT(served);
  }
  if (known) {
    if (a->depth && a->recording == IN_STEP) {
      if (a->watching) a->key = (a->key ^ (thread * 1031 + stream * 65537 + log2_of(alignment) + 1)) * 0x100000001B3u;
      note(a, 'a', thread, size, stream, log2_of(alignment));
      e.epoch = a->epoch;
      e.id = a->next_id++;
    }
    e.address = (uintptr_t)address;
    put(a, e);
    a->s.live += size;
    if (!e.served) a->s.upstream += size;
    raise_peaks(a);
    if (a->s.live > a->seen) a->rising = 1;
  }
  mutex_unlock(&a->lock);
  return address;
}

void *stowage_arena_malloc(stowage_arena *a, size_t size, size_t alignment, uint64_t stream) {
  return allocate(a, size, alignment, stream, this_thread(), 0);
}

void *stowage_arena_malloc_as(stowage_arena *a, size_t size, size_t alignment, uint64_t stream, uint64_t thread) {
  return allocate(a, size, alignment, stream, thread, 1);
}

void stowage_arena_free(stowage_arena *a, void *address) {
  if (!address) return;
  mutex_lock(&a->lock);
  entry *e = find(a, address);
  if (!e || e->held) {
    int inside = e || block_of(a, address);
    if (inside) {
      a->s.damaged++;
      fail(a, STOWAGE_ARENA_E_INPUT, "free of an address of the block that is not live");
    }
    mutex_unlock(&a->lock);
    if (!inside) a->up.free(a->up.context, address, 0, 0);
    return;
  }
  size_t size = (size_t)e->size;
  uint64_t stream = e->stream;
  int served = e->served;
  if (a->depth) fall(a);
  if (e->epoch && e->epoch == a->epoch) {
    place *at = place_of(a, this_thread(), 0);
    note(a, 'f', at ? (size_t)(at - a->places) : 0, e->id, 0, 0);
  }
  a->s.live -= size;
  if (!served) {
    a->s.upstream -= size;
    a->let += size;
    cut(a, e);
  } else {
    if (a->guard) {
      block *b = block_of(a, address);
      size_t at = (size_t)((char *)address - b->base) + size, rest = b->size - at;
      size_t i = above(a, (uintptr_t)address) + 1;
      if (i < a->n_ranges && a->ranges[i].low - ((uintptr_t)address + size) < rest) rest = a->ranges[i].low - ((uintptr_t)address + size);
      examine(a, (char *)address + size, e->slack < rest ? e->slack : rest, "behind memory that was freed");
    }
    if (e->uses) {
      e->held = 1;
      a->n_held++;
      a->s.held += size;
    } else {
      release(a, e);
    }
  }
  leave(a);
  if (!served) a->up.free(a->up.context, address, size, stream);
}

size_t stowage_arena_size(stowage_arena *a, const void *address) {
  mutex_lock(&a->lock);
  entry *e = find(a, address);
  size_t size = e && !e->held ? (size_t)e->size : 0;
  mutex_unlock(&a->lock);
  return size;
}

int stowage_arena_owns(stowage_arena *a, const void *address) {
  mutex_lock(&a->lock);
  int owns = block_of(a, address) != NULL;
  mutex_unlock(&a->lock);
  return owns;
}

/* -------------------------------------------------------------------------------- streams */

void stowage_arena_use(stowage_arena *a, void *address, uint64_t stream) {
  mutex_lock(&a->lock);
  entry *e = find(a, address);
  if (e && !e->held && stream != e->stream) {
    if (e->served) e->uses |= bit_of(a, stream);
    if (e->epoch && e->epoch == a->epoch) note(a, 'u', 0, e->id, stream, 0);
  }
  mutex_unlock(&a->lock);
}

/* A wait counts for memory that is already free: work may be put into the other stream until then. */
void stowage_arena_wait(stowage_arena *a, uint64_t waiter, uint64_t waited) {
  mutex_lock(&a->lock);
  note(a, 'w', 0, waiter, waited, 0);
  uint64_t bit = waited == STOWAGE_ARENA_EVERY ? UINT64_MAX : bit_of(a, waited);
  if (bit == (uint64_t)1 << 63) bit = 0; /* shared by several streams */
  for (size_t i = 0; i < a->cap_table && a->n_held;) {
    entry *e = &a->table[i];
    if (e->address && e->held && (waiter == STOWAGE_ARENA_EVERY || waiter == e->stream)) {
      e->uses &= ~bit;
      if (!e->uses) {
        release(a, e); /* may move another entry to this slot, so look at it again */
        continue;
      }
    }
    i++;
  }
  leave(a);
}

/* ----------------------------------------------------------------------- steps and scopes */

static void clean(char name[NAME], const char *text) {
  size_t n = 0;
  for (; text && text[n] && n < NAME - 1; n++) {
    char c = text[n];
    int good = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '-' || c == '_';
    name[n] = c;
    if (!good) name[n] = '_';
  }
  name[n] = 0;
  if (!strcmp(name, "-")) name[0] = 0; /* files have "-" for none */
}

/* leave_step forgets where the threads are. */
static void leave_step(stowage_arena *a) {
  for (size_t i = 0; i < a->n_places; i++) {
    place *p = &a->places[i];
    *p = (place){.key = p->key, .named = p->named, .hash = FNV};
  }
  a->step++;
}

static void end_levels(stowage_arena *a, int level, size_t thread) {
  if (level < 1 || level > a->depth) return;
  if (!a->unbegun) note(a, 'e', thread, 0, 0, (uint32_t)level);
  for (int d = a->depth - 1; d >= level - 1; d--) {
    if (d >= DEPTH || d == 0 || !a->stack[d].lane) continue;
    place *p = place_of(a, a->stack[d].key, a->stack[d].named);
    if (!p || p->lane != a->stack[d].lane) continue;
    p->cursor = a->stack[d].end;
    p->skipped = 0;
  }
  a->depth = level - 1;
  if (a->depth) return;
  look(a);
  a->s.live_step = a->seen;
  if (a->watching && a->recording == IN_STEP && !a->unbegun) close_log(a);
  a->unbegun = 0;
  if (a->recording == IN_STEP) {
    a->recording = AFTER;
    a->recorded++;
  }
  leave_step(a);
  a->s.last = a->now;
  memset(&a->now, 0, sizeof a->now);
  a->s.steps++;
  if (a->followed[0]) a->followed[1] = a->followed[0];
  plan *p = a->followed[0];
  if (p) p->steps++;
  a->followed[0] = NULL;
  a->s.planned = p ? p->height : 0;
  a->s.bound = p ? p->bound : 0;
  a->s.baseline = p ? p->baseline : 0;
  bury(a);
}

static int begin_level(stowage_arena *a, const char *text, uint64_t key, int named) {
  char name[NAME];
  clean(name, text);
  place *at = place_of(a, key, named);
  size_t thread = at ? (size_t)(at - a->places) : 0;
  int d = a->depth++;
  if (d == 0) {
    strcpy(a->name, name);
    memset(&a->now, 0, sizeof a->now); /* what came between steps is in all, not in last */
    a->beside = a->s.upstream;
    a->least = a->seen - a->seen / 16; /* a step as the last one looks near its peak alone */
    a->seen = a->least;
    a->rising = 0;
    a->s.resident_step = 0;
    look(a);
    if (a->watching) {
      a->unbegun = 1;
      a->unbegun_name = name_index(a, name);
      a->recording = IN_STEP;
      return a->depth;
    }
    if (a->recording == ARMED || (a->recording == AFTER && (!a->wanted || a->recorded < a->wanted))) a->recording = IN_STEP;
    else if (a->recording == AFTER) a->recording = IDLE;
  } else if (d < DEPTH) {
    lane *l = at ? at->lane : NULL;
    a->stack[d].lane = NULL;
    a->stack[d].key = key;
    a->stack[d].named = named;
    size_t k = l ? at->scope : 0;
    while (l && k < l->scopes && strcmp(l->sections[k].name, name)) k++;
    if (l && k < l->scopes) {
      at->scope = k + 1;
      at->cursor = l->sections[k].first;
      at->skipped = 0;
      a->stack[d].lane = l;
      a->stack[d].end = l->sections[k].end;
    }
  }
  if (a->depth > 1 && a->unbegun) open_log(a, thread);
  if (a->recording >= IN_STEP) note(a, 'b', thread, name_index(a, name), 0, (uint32_t)a->depth);
  return a->depth;
}

int stowage_arena_begin(stowage_arena *a, const char *name) {
  mutex_lock(&a->lock);
  wished(a);
  int level = begin_level(a, name, this_thread(), 0);
  leave(a);
  return level;
}

void stowage_arena_end(stowage_arena *a, int level) {
  mutex_lock(&a->lock);
  place *at = place_of(a, this_thread(), 0);
  end_levels(a, level, at ? (size_t)(at - a->places) : 0);
  leave(a);
}

void stowage_arena_mark(stowage_arena *a, const char *name) {
  mutex_lock(&a->lock);
  place *at = place_of(a, this_thread(), 0);
  end_levels(a, 1, at ? (size_t)(at - a->places) : 0);
  wished(a);
  begin_level(a, name, this_thread(), 0);
  leave(a);
}

/* ------------------------------------------------------------- making one, statistics */

stowage_arena *stowage_arena_new(const stowage_arena_upstream *upstream) {
  stowage_arena *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  if (upstream) a->up = *upstream;
  if (!a->up.malloc != !a->up.free) {
    free(a);
    return NULL;
  }
  if (!a->up.malloc) {
    a->up.malloc = c_malloc;
    a->up.free = c_free;
  }
  mutex_init(&a->lock);
  enrol(a);
  return a;
}

void stowage_arena_rest(stowage_arena *a) {
  mutex_lock(&a->lock);
  idle(a);
  a->let = 0;
  mutex_unlock(&a->lock);
  if (a->trim) a->trim(a->up.context);
}

size_t stowage_arena_followed(stowage_arena *a, uint64_t *steps, size_t n) {
  size_t found = 0;
  mutex_lock(&a->lock);
  for (size_t i = 0; i < a->n_plans; i++) {
    if (a->plans[i]->dead) continue;
    if (found < n) steps[found] = a->plans[i]->steps;
    found++;
  }
  mutex_unlock(&a->lock);
  return found;
}

void stowage_arena_system(stowage_arena *a, int pages, void (*trim)(void *context), uint64_t (*resident)(void *context)) {
  mutex_lock(&a->lock);
  a->pages = pages;
  a->trim = trim;
  a->resident = resident;
  mutex_unlock(&a->lock);
}

int stowage_arena_delete(stowage_arena *a) {
  if (!a) return STOWAGE_ARENA_OK;
  mutex_lock(&a->lock);
  if (a->n_ranges) {
    int code = fail(a, STOWAGE_ARENA_E_LIVE, "%llu allocations of the block are not yet free", (unsigned long long)a->n_ranges);
    mutex_unlock(&a->lock);
    return code;
  }
  a->serving = 0;
  leave(a);
  strike(a);
  forget_all(a);
  for (size_t i = 0; i < a->n_plans; i++) free_plan(a->plans[i]);
  mutex_free(&a->lock);
  free(a->plans);
  free(a->ranges);
  free(a->table);
  free(a->places);
#ifdef _WIN32
  free(a->records);
#else
  if (a->records) munmap(a->records, a->cap_records * sizeof *a->records);
#endif
  free(a->names);
  free(a);
  return STOWAGE_ARENA_OK;
}

size_t stowage_arena_error(stowage_arena *a, char *text, size_t length) {
  mutex_lock(&a->lock);
  size_t n = strlen(a->error), m = n < length ? n : length - 1;
  if (length) {
    memcpy(text, a->error, m);
    text[m] = 0;
  }
  mutex_unlock(&a->lock);
  return n;
}

void stowage_arena_stats(stowage_arena *a, stowage_arena_statistics *s, size_t size) {
  mutex_lock(&a->lock);
  a->s.plans = 0;
  for (size_t i = 0; i < a->n_plans; i++) a->s.plans += !a->plans[i]->dead;
  memset(s, 0, size);
  memcpy(s, &a->s, size < sizeof *s ? size : sizeof *s);
  mutex_unlock(&a->lock);
}

void stowage_arena_reset_peaks(stowage_arena *a) {
  mutex_lock(&a->lock);
  a->s.peak = a->s.total_peak = 0;
  raise_peaks(a);
  mutex_unlock(&a->lock);
}

#ifdef STOWAGE_ARENA_CORE
#include "stowage_arena_core.c"
#endif
