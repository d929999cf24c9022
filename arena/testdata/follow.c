/* follow.c: what the arena does, case by case, with plans made by hand. */
#include "check.h"

static const char *message(stowage_arena *a) {
  static char m[300];
  stowage_arena_error(a, m, sizeof m);
  return m;
}

/* plan1 adds a plan of one lane and one stream, in which allocation i has sizes[i] and lies at offsets[i]; -1 is kept. */
static void plan1(text *t, const char *name, unsigned n, const unsigned *sizes, const int *offsets, unsigned height, const char *scopes) {
  size_t from = t->n;
  unsigned s = 0;
  for (const char *x = scopes; *x; x++) s += *x == '\n';
  add(t, "stowage-arena-plan 1\nname %s\nalignment 64\nguard 0\nheight %u\nbound 0\nstatus feasible\nperiod %u\nbaselines 1\nd 4096 malloc\n", name, height, n);
  add(t, "regions 1\nr 0 0 %u\nlanes 1\nlane 0 %u %u\n", height, n, s);
  for (unsigned i = 0; i < n; i++) {
    if (offsets[i] < 0) add(t, "p %u 64 0 - %u %u\n", sizes[i], i, i);
    else add(t, "p %u 64 0 %d %u %u\n", sizes[i], offsets[i], i, i + 1);
  }
  add(t, "%s", scopes);
  finish(t, from);
}

/* step allocates sizes and frees them in the same order, with each freed before the one after the next. */
static void step(stowage_arena *a, const char *name, unsigned n, const unsigned *sizes) {
  int level = stowage_arena_begin(a, name);
  char *p[64];
  for (unsigned i = 0; i < n; i++) {
    CHECK(p[i] = stowage_arena_malloc(a, sizes[i], 0, 0));
    memset(p[i], (int)i, sizes[i]);
    if (i) stowage_arena_free(a, p[i - 1]);
  }
  stowage_arena_free(a, p[n - 1]);
  stowage_arena_end(a, level);
}

static void counts(stowage_arena *a, unsigned served, unsigned missed, unsigned refused, unsigned kept, unsigned outside) {
  stowage_arena_counts c = stats(a).last;
  if (c.served != served || c.missed != missed || c.refused != refused || c.kept != kept || c.outside != outside) {
    printf("served %u missed %u refused %u kept %u outside %u\n", (unsigned)c.served, (unsigned)c.missed, (unsigned)c.refused, (unsigned)c.kept, (unsigned)c.outside);
    CHECK(0);
  }
}

#define N(x) (unsigned)(sizeof(x) / sizeof *(x))

static void misses(void) {
  stowage_arena *a = stowage_arena_new(NULL);
  text t = {0};
  unsigned sizes[] = {100, 200, 300, 400, 500, 600, 700, 800};
  int offsets[] = {0, 1024, 0, 1024, 0, 1024, 0, 1024};
  plan1(&t, "-", 8, sizes, offsets, 2048, "");
  CHECK(!stowage_arena_load(a, t.s, t.n));
  step(a, NULL, 8, sizes);
  counts(a, 8, 0, 0, 0, 0);
  CHECK(stats(a).planned == 2048 && stats(a).baseline == 4096 && stats(a).steps == 1);
  unsigned more[] = {100, 200, 999, 300, 400, 500, 600, 700, 800}; /* one that the plan does not have */
  step(a, NULL, 9, more);
  counts(a, 8, 1, 0, 0, 0);
  unsigned less[] = {100, 200, 400, 500, 600, 700, 800}; /* one is left out: the cursor moves after one more miss */
  step(a, NULL, 7, less);
  counts(a, 6, 1, 0, 0, 0);
  unsigned first[] = {999, 100, 200, 300, 400, 500, 600, 700, 800}; /* the first is another */
  step(a, NULL, 9, first);
  counts(a, 8, 1, 0, 0, 0);
  unsigned again[] = {500, 600, 700, 800, 100, 200, 300, 400}; /* from the middle, and back */
  step(a, NULL, 8, again);
  counts(a, 6, 2, 0, 0, 0);
  unsigned foreign[] = {5001, 5002, 5003, 5004};
  step(a, NULL, 4, foreign);
  counts(a, 0, 4, 0, 0, 0);
  CHECK(stats(a).planned == 0);
  step(a, "other", 8, sizes); /* no plan has this name */
  counts(a, 0, 0, 0, 0, 8);
  /* What is live is not served twice: a range stays refused until it is free, in whichever step. */
  int level = stowage_arena_begin(a, NULL);
  char *p = stowage_arena_malloc(a, 100, 0, 0);
  CHECK(stowage_arena_owns(a, p) && stowage_arena_size(a, p) == 100);
  stowage_arena_end(a, level);
  step(a, NULL, 8, sizes);
  counts(a, 4, 0, 4, 0, 0);
  CHECK(stowage_arena_delete(a) == STOWAGE_ARENA_E_LIVE && strstr(message(a), "not yet free"));
  /* Without plans the block stays until it is empty. */
  stowage_arena_unload(a);
  CHECK(stats(a).plans == 0 && stats(a).block == 2048);
  stowage_arena_free(a, p);
  CHECK(stats(a).block == 0 && stats(a).live == 0 && stats(a).upstream == 0);
  CHECK(!stowage_arena_delete(a));
  free(t.s);
}

/* Other alignments, streams and sizes of 0. */
static void requests(void) {
  stowage_arena *a = stowage_arena_new(NULL);
  text t = {0};
  unsigned sizes[] = {100, 200};
  int offsets[] = {0, 1024};
  plan1(&t, "-", 2, sizes, offsets, 2048, "");
  CHECK(!stowage_arena_load(a, t.s, t.n));
  int level = stowage_arena_begin(a, NULL);
  char *p = stowage_arena_malloc(a, 100, 128, 0), *q = stowage_arena_malloc(a, 100, 0, 7), *r = stowage_arena_malloc(a, 100, 16, 0);
  CHECK(p && q && r && (uintptr_t)p % 128 == 0);
  CHECK(!stowage_arena_owns(a, p) && !stowage_arena_owns(a, q) && stowage_arena_owns(a, r));
  char *z = stowage_arena_malloc(a, 0, 0, 0);
  CHECK(z && !stowage_arena_owns(a, z) && stowage_arena_size(a, z) == 0);
  CHECK(!stowage_arena_malloc(a, 8, 3, 0) && !stowage_arena_malloc(a, 8, 0, STOWAGE_ARENA_EVERY));
  stowage_arena_free(a, z);
  stowage_arena_free(a, NULL);
  stowage_arena_free(a, p);
  stowage_arena_free(a, q);
  stowage_arena_free(a, r);
  stowage_arena_end(a, level);
  counts(a, 1, 2, 0, 0, 0);
  CHECK(stats(a).damaged == 0);
  level = stowage_arena_begin(a, NULL);
  r = stowage_arena_malloc(a, 100, 0, 0);
  stowage_arena_free(a, r);
  stowage_arena_free(a, r); /* twice */
  stowage_arena_free(a, r + 8);
  CHECK(stats(a).damaged == 2 && strstr(message(a), "not live"));
  stowage_arena_end(a, level);
  CHECK(!stowage_arena_delete(a));
  free(t.s);
}

/* Plans of several shapes, kept allocations, a plan that replaces another. */
static void shapes(void) {
  stowage_arena *a = stowage_arena_new(NULL);
  text t = {0};
  unsigned small[] = {64, 100, 200, 300}, large[] = {64, 100, 2000, 3000};
  int at[] = {0, -1, 1024, 0}, far[] = {0, -1, 4096, 0};
  plan1(&t, "-", 4, small, at, 2048, "");
  plan1(&t, "-", 4, large, far, 8192, "");
  plan1(&t, "eval", 4, small, at, 2048, "");
  CHECK(!stowage_arena_load(a, t.s, t.n));
  CHECK(stats(a).plans == 3 && stats(a).block == 8192);
  for (int i = 0; i < 3; i++) {
    step(a, NULL, 4, small);
    counts(a, 3, 0, 0, 1, 0);
    CHECK(stats(a).planned == 8192); /* the plan of the larger one begins alike, and serves it to its end */
    step(a, NULL, 4, large);
    counts(a, 3, 0, 0, 1, 0);
    step(a, "eval", 4, small);
    counts(a, 3, 0, 0, 1, 0);
  }
  CHECK(!stowage_arena_load(a, t.s, t.n));
  CHECK(stats(a).plans == 3);
  CHECK(!stowage_arena_delete(a));
  free(t.s);
}

/* A plan serves smaller requests at the same place; larger ones miss, and what follows them is still at its place. */
static void smaller(void) {
  stowage_arena *a = stowage_arena_new(NULL);
  text t = {0};
  unsigned sizes[] = {8, 4000, 64, 4000, 8000, 64, 3000}, tiny[] = {8, 2000, 64, 2000, 4000, 64, 1500}, mixed[] = {8, 6000, 64, 6000, 9000, 64, 2000};
  int offsets[] = {0, 64, 4096, 8192, 16384, 4096, 64};
  plan1(&t, "-", 7, sizes, offsets, 32768, "");
  CHECK(!stowage_arena_load(a, t.s, t.n));
  step(a, NULL, 7, tiny);
  counts(a, 7, 0, 0, 0, 0);
  CHECK(stats(a).planned == 32768);
  step(a, NULL, 7, mixed);
  counts(a, 4, 3, 0, 0, 0);
  unsigned none[] = {8, 4000, 64, 4000, 100, 64, 3000}; /* less than a 64th: it is another request */
  step(a, NULL, 7, none);
  counts(a, 6, 1, 0, 0, 0);
  CHECK(!stowage_arena_delete(a));
  free(t.s);
}

/* Of plans that begin alike the one is followed at whose beginning as much is live as now: the first step of an accumulation
 * leaves what the others do not. */
static void alike(void) {
  stowage_arena *a = stowage_arena_new(NULL);
  text t = {0};
  for (int k = 0; k < 2; k++) { /* one cycle of two steps; the second allocation of the first lives through the second */
    size_t from = t.n;
    add(&t, "stowage-arena-plan 1\nname -\nalignment 64\nguard 0\nheight 4096\nbound 0\nstatus feasible\nperiod 4\nbaselines 0\nregions 1\nr 0 0 4096\nlanes 1\nlane 0 2 0\n");
    add(&t, k ? "p 100 64 0 1024 2 3\np 200 64 0 2048 3 4\n" : "p 100 64 0 0 0 1\np 200 64 0 512 1 4\n");
    finish(&t, from);
  }
  CHECK(!stowage_arena_load(a, t.s, t.n) && stats(a).plans == 2);
  char *kept = NULL, *base = NULL;
  for (int i = 0; i < 6; i++) {
    int level = stowage_arena_begin(a, NULL), first = i % 2 == 0;
    if (first) stowage_arena_free(a, kept);
    char *p = stowage_arena_malloc(a, 100, 0, 0), *q = stowage_arena_malloc(a, 200, 0, 0);
    if (!base) base = p;
    CHECK(p - base == (first ? 0 : 1024) && q - base == (first ? 512 : 2048));
    stowage_arena_free(a, p);
    if (first) kept = q;
    else stowage_arena_free(a, q);
    stowage_arena_end(a, level);
    counts(a, 2, 0, 0, 0, 0);
  }
  uint64_t followed[2];
  CHECK(stowage_arena_followed(a, followed, 2) == 2 && followed[0] == 3 && followed[1] == 3);
  stowage_arena_free(a, kept);
  CHECK(!stowage_arena_delete(a));
  free(t.s);
}

/* Watching keeps steps that missed, the largest sizes of those that are alike, and what they leave behind. */
static void watching(void) {
  stowage_arena *a = stowage_arena_new(NULL);
  char text_[4000];
  unsigned small[] = {64, 100, 200}, large[] = {64, 300, 150}, other[] = {64, 64};
  stowage_arena_watch(a, 1);
  step(a, NULL, 2, other);
  step(a, NULL, 3, small);
  CHECK(!stowage_arena_watched(a, 0));
  step(a, NULL, 3, large);
  CHECK(stowage_arena_watched(a, 0) == 2 && stowage_arena_watched(a, 1) == 3);
  CHECK(stowage_arena_watched(a, 0) && stowage_arena_trace(a, text_, sizeof text_) < sizeof text_);
  CHECK(!strstr(text_, "a 100 ") && strstr(text_, "a 64 64 0 0\na 300 64 0 0\nf 0 0\na 200 64 0 0\nf 1 0\nf 2 0\ne 1 0\n"));
  for (int i = 0; i < 100; i++) step(a, NULL, 2 + (unsigned)i % 2, i % 2 ? small : other);
  CHECK(stowage_arena_watched(a, 0) && stowage_arena_trace(a, text_, sizeof text_) < 2000); /* two of each kind */
  /* What a step frees of the step before it, before it allocates, is freed between them. */
  stowage_arena_watch(a, 1);
  char *kept = NULL;
  for (int i = 0; i < 3; i++) {
    int level = stowage_arena_begin(a, "x");
    stowage_arena_free(a, kept);
    kept = stowage_arena_malloc(a, 70, 0, 0);
    stowage_arena_end(a, level);
  }
  stowage_arena_free(a, kept);
  CHECK(stowage_arena_trace(a, text_, sizeof text_) < sizeof text_ && strstr(text_, "b 1 0 x\na 70 64 0 0\ne 1 0\nf 0 0\nb 1 0 x\n"));
  CHECK(!stowage_arena_delete(a));
}

/* Scopes: the cursor finds its place again; levels may be left without an end. */
static void scopes(void) {
  stowage_arena *a = stowage_arena_new(NULL);
  text t = {0};
  unsigned sizes[] = {100, 100, 100, 100, 700, 100, 100, 800};
  int offsets[] = {0, 128, 256, 384, 1024, 512, 640, 2048};
  plan1(&t, "-", 8, sizes, offsets, 4096, "s 1 4 forward\ns 2 3 inner\ns 5 7 back_ward\n");
  CHECK(!stowage_arena_load(a, t.s, t.n));
  for (int i = 0; i < 4; i++) {
    char *p[8];
    int level = stowage_arena_begin(a, NULL);
    p[0] = stowage_arena_malloc(a, 100, 0, 0);
    int forward = stowage_arena_begin(a, "forward");
    CHECK(level == 1 && forward == 2);
    p[1] = stowage_arena_malloc(a, i == 1 ? 999 : 100, 0, 0); /* a miss, and two are left out */
    if (i == 2) CHECK(stowage_arena_begin(a, "nobody's") == 3); /* an exception: no end */
    else stowage_arena_end(a, forward);
    if (i == 2) stowage_arena_end(a, forward);
    stowage_arena_end(a, forward); /* a second end means nothing */
    p[2] = stowage_arena_malloc(a, 700, 0, 0);
    int backward = stowage_arena_begin(a, "back ward");
    CHECK(backward == 2);
    p[3] = stowage_arena_malloc(a, 100, 0, 0);
    if (i != 3) stowage_arena_end(a, backward);
    p[4] = stowage_arena_malloc(a, i == 3 ? 100 : 800, 0, 0);
    for (int k = 0; k < 5; k++) stowage_arena_free(a, p[k]);
    stowage_arena_end(a, level); /* ends all */
    counts(a, i == 1 ? 4 : 5, i == 1, 0, 0, 0);
  }
  stowage_arena_mark(a, NULL);
  CHECK(stowage_arena_begin(a, "x") == 2);
  stowage_arena_mark(a, NULL);
  CHECK(stowage_arena_begin(a, "x") == 2 && stats(a).steps == 5);
  for (int i = 3; i < 200; i++) CHECK(stowage_arena_begin(a, "deep") == i);
  stowage_arena_end(a, 1);
  CHECK(!stowage_arena_delete(a));
  free(t.s);
}

/* Threads have lanes of their own, which threads of later steps take by their first allocation. */
static void lanes(void) {
  stowage_arena *a = stowage_arena_new(NULL);
  text t = {0};
  add(&t, "stowage-arena-plan 1\nname -\nalignment 64\nguard 0\nheight 4096\nbound 0\nstatus feasible\nperiod 4\nbaselines 0\nregions 1\nr 0 0 4096\nlanes 2\n");
  add(&t, "lane 0 2 0\np 100 64 0 0 0 4\np 200 64 0 256 1 4\nlane 1 2 0\np 300 64 0 1024 2 4\np 400 64 0 2048 3 4\n");
  finish(&t, 0);
  CHECK(!stowage_arena_load(a, t.s, t.n));
  for (unsigned i = 0; i < 4; i++) { /* in each step other threads, in another order */
    int level = stowage_arena_begin(a, NULL);
    uint64_t x = 10 * i + (i & 1), y = 10 * i + !(i & 1);
    char *p = stowage_arena_malloc_as(a, 100, 0, 0, x), *q = stowage_arena_malloc_as(a, 300, 0, 0, y);
    char *r = stowage_arena_malloc_as(a, 400, 0, 0, y), *s = stowage_arena_malloc_as(a, 200, 0, 0, x);
    CHECK(q - p == 1024 && r - p == 2048 && s - p == 256);
    stowage_arena_free(a, p);
    stowage_arena_free(a, q);
    stowage_arena_free(a, r);
    stowage_arena_free(a, s);
    stowage_arena_end(a, level);
    counts(a, 4, 0, 0, 0, 0);
  }
  CHECK(!stowage_arena_delete(a));
  free(t.s);
}

/* Streams: regions are apart, and what another stream uses is held. */
static void streams(void) {
  stowage_arena *a = stowage_arena_new(NULL);
  text t = {0};
  add(&t, "stowage-arena-plan 1\nname -\nalignment 64\nguard 0\nheight 2048\nbound 0\nstatus feasible\nperiod 4\nbaselines 0\nregions 2\nr 5 0 1024\nr 9 1024 1024\nlanes 1\n");
  add(&t, "lane 0 4 0\np 100 64 5 0 0 1\np 100 64 5 0 1 2\np 100 64 9 1024 2 3\np 100 64 9 1024 3 4\n");
  finish(&t, 0);
  CHECK(!stowage_arena_load(a, t.s, t.n));
  for (int i = 0; i < 4; i++) {
    int level = stowage_arena_begin(a, NULL);
    char *p = stowage_arena_malloc(a, 100, 0, 5);
    stowage_arena_use(a, p, 9);
    stowage_arena_wait(a, 5, 9); /* too early: it counts only after the free */
    stowage_arena_free(a, p);
    CHECK(stats(a).held == 100 && stowage_arena_size(a, p) == 0 && !stowage_arena_check(a));
    if (i == 1) stowage_arena_wait(a, 5, 9);
    if (i == 2) stowage_arena_wait(a, STOWAGE_ARENA_EVERY, STOWAGE_ARENA_EVERY);
    if (i == 3) stowage_arena_wait(a, 9, 5); /* the wrong way round */
    char *q = stowage_arena_malloc(a, 100, 0, 5);
    CHECK((q == p) == (i == 1 || i == 2));
    stowage_arena_free(a, q);
    q = stowage_arena_malloc(a, 100, 0, 9);
    CHECK(q - p == 1024);
    stowage_arena_use(a, q, 9); /* its own stream */
    stowage_arena_free(a, q);
    stowage_arena_wait(a, STOWAGE_ARENA_EVERY, 9);
    CHECK(stats(a).held == 0);
    stowage_arena_end(a, level);
    counts(a, i == 1 || i == 2 ? 3 : 2, 0, i == 0 || i == 3, 0, 0);
  }
  CHECK(!stowage_arena_delete(a));
  free(t.s);
}

/* Guard mode finds what is written where nobody lives, and says where. */
static void guard(void) {
  stowage_arena *a = stowage_arena_new(NULL);
  text t = {0};
  unsigned sizes[] = {100, 200};
  int offsets[] = {0, 1024};
  plan1(&t, "-", 2, sizes, offsets, 2048, "");
  CHECK(!stowage_arena_load(a, t.s, t.n));
  stowage_arena_guard(a, 1);
  step(a, NULL, 2, sizes);
  CHECK(!stowage_arena_check(a));
  int level = stowage_arena_begin(a, NULL);
  unsigned char *p = stowage_arena_malloc(a, 100, 0, 0);
  CHECK(p[0] == 0xCB && p[99] == 0xCB && p[100] == STOWAGE_ARENA_POISON);
  p[110] = 1; /* behind its end, within its alignment */
  stowage_arena_free(a, p);
  CHECK(stats(a).damaged == 1 && strstr(message(a), "byte 110 of the block"));
  CHECK(p[0] == STOWAGE_ARENA_POISON);
  p[1024] = 1; /* free memory */
  unsigned char *q = stowage_arena_malloc(a, 200, 0, 0);
  CHECK(q == p + 1024 && stats(a).damaged == 2 && strstr(message(a), "byte 1024"));
  stowage_arena_free(a, q);
  p[2000] = 1;
  CHECK(stowage_arena_check(a) == 1 && !stowage_arena_check(a));
  stowage_arena_guard(a, 0);
  p[5] = 1;
  stowage_arena_poison(a);
  CHECK(p[5] == STOWAGE_ARENA_POISON);
  stowage_arena_end(a, level);
  CHECK(!stowage_arena_delete(a));
  free(t.s);
}

/* Upstream without memory; files that are not there; a block that grows while one is in use. */
static size_t limit;
static void *scarce(void *context, size_t size, size_t alignment, uint64_t stream) {
  (void)context, (void)stream;
  void *p = NULL;
  return size > limit || posix_memalign(&p, alignment < 64 ? 64 : alignment, size) ? NULL : p;
}
static void give(void *context, void *p, size_t size, uint64_t stream) {
  (void)context, (void)size, (void)stream;
  free(p);
}

static void failures(void) {
  stowage_arena_upstream up = {.malloc = scarce};
  CHECK(!stowage_arena_new(&up));
  up.free = give;
  stowage_arena *a = stowage_arena_new(&up);
  text t = {0}, u = {0};
  unsigned sizes[] = {100, 200};
  int offsets[] = {0, 1024}, far[] = {4096, 0};
  plan1(&t, "-", 2, sizes, offsets, 2048, "");
  sizes[0] = 101;
  plan1(&u, "-", 2, sizes, far, 8192, "");
  char *p;
  limit = 1000;
  CHECK(stowage_arena_load(a, t.s, t.n) == STOWAGE_ARENA_E_MEMORY && stats(a).plans == 0);
  stowage_arena_record(a, 1);
  int level = stowage_arena_begin(a, NULL);
  CHECK(!stowage_arena_malloc(a, 1001, 0, 0));
  CHECK(stats(a).live == 0);
  CHECK(p = stowage_arena_malloc(a, 10, 0, 0));
  stowage_arena_free(a, p);
  stowage_arena_end(a, level);
  counts(a, 0, 0, 0, 0, 1);
  /* What fails is no allocation: a plan would have room for it, and perhaps no machine has that room. */
  char trace[200];
  CHECK(stowage_arena_trace(a, trace, sizeof trace) == strlen(trace) && !strstr(trace, "1001"));
  CHECK(strstr(trace, "b 1 0 -\na 10 64 0 0\nf 0 0\ne 1 0\n"));
  limit = 1 << 20;
  CHECK(!stowage_arena_load(a, t.s, t.n));
  limit = 4096; /* no memory for a larger block: that of the plan before stays */
  CHECK(stowage_arena_load(a, u.s, u.n) == STOWAGE_ARENA_E_MEMORY && stats(a).plans == 1 && stats(a).block == 2048);
  limit = 1 << 20;
  level = stowage_arena_begin(a, NULL);
  p = stowage_arena_malloc(a, 100, 0, 0);
  CHECK(stowage_arena_owns(a, p));
  CHECK(!stowage_arena_load(a, u.s, u.n)); /* in a step, with something live */
  CHECK(stats(a).block == 2048 + 8192);
  char *q = stowage_arena_malloc(a, 200, 0, 0);
  CHECK(stowage_arena_owns(a, q));
  stowage_arena_free(a, p);
  CHECK(stats(a).block == 8192);
  stowage_arena_free(a, q);
  stowage_arena_end(a, level);
  CHECK(stowage_arena_load_file(a, "/no/such/file") == STOWAGE_ARENA_E_FILE && strstr(message(a), "/no/such/file"));
  CHECK(stowage_arena_load_file(a, "/") == STOWAGE_ARENA_E_FILE);
  CHECK(stowage_arena_write(a, "/no/such/folder/x") == STOWAGE_ARENA_E_FILE);
  CHECK(stowage_arena_load(a, "", 0) == STOWAGE_ARENA_E_INPUT);
  CHECK(stowage_arena_load(a, t.s, t.n - 1) == STOWAGE_ARENA_E_INPUT && strstr(message(a), "plan 1, line "));
  t.s[19] = '2';
  CHECK(stowage_arena_load(a, t.s, t.n) == STOWAGE_ARENA_E_INPUT && strstr(message(a), "line 1: expected \"stowage-arena-plan 1\""));
  CHECK(stowage_arena_abi() == STOWAGE_ARENA_ABI && stats(a).plans == 2);
  CHECK(!stowage_arena_delete(a) && !stowage_arena_delete(NULL));
  free(t.s);
  free(u.s);
}

int follow(void) {
  misses();
  requests();
  shapes();
  smaller();
  alike();
  watching();
  scopes();
  lanes();
  streams();
  guard();
  failures();
  return 0;
}
