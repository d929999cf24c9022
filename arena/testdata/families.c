/* families.c: steps whose sizes vary with a number n, drawn at random, which the arena learns while it watches.
 *
 * One or two kinds of steps, which may begin alike. Each allocation has a size a + b*n + c*n*n, or in some families one at random, and is freed after another
 * one of its step, or of the next. What must hold:
 *
 *   - The content of live memory is what its owner wrote, and the arena's tables are in order, always.
 *   - Once all kinds are planned and three lengths are known, nothing misses, whatever n, if all sizes follow n and the block is of pages.
 *   - Of one kind nothing is refused, but where something of a step before lies where it was before the plan grew.
 */
#include "check.h"

enum { EVENTS = 40, KINDS = 2, MOST = 100 };

typedef struct {
  unsigned a, b, c, loose;
  unsigned end; /* it is freed before allocation end of its step, or, from n on, end - n of the next */
} size;

static uint64_t r;
static unsigned draw(unsigned n) { return below(&r, n); }

static size family[KINDS][EVENTS];
static unsigned n_events[KINDS];
static unsigned char *carried[EVENTS];
static size_t sizes[EVENTS];
static unsigned due[EVENTS];

/* invent makes two kinds. Their first allocations are the same, or the first of all differ. */
static void invent(unsigned loose, int alike) {
  unsigned first = draw(4) + !alike, shared = alike ? first + 1 + draw(5) : 0;
  for (int k = 0; k < KINDS; k++) {
    unsigned n = n_events[k] = first + 3 + shared + draw(EVENTS - 20);
    if (k && n == n_events[0]) n = --n_events[k];
    for (unsigned i = 0; i < n; i++) {
      size *s = &family[k][i];
      if (k && i < shared) {
        *s = family[0][i];
      } else {
        *s = (size){1 + draw(1500) * 2 + (unsigned)k, 0, 0, 0, 0};
        if (i == first) s->b = 1 + draw(64);
        else if (i > first && draw(4)) s->b = draw(90), s->c = draw(3) ? 0 : draw(4);
        s->loose = i > first && draw(100) < loose;
      }
      s->end = i + 1 + draw(n - i);
      if (draw(12) == 0) s->end = n + draw(n); /* into the next step */
    }
  }
}

static unsigned char mark(const void *p, size_t n) { return (unsigned char)((uintptr_t)p / 64 + n); }

static void release(stowage_arena *a, unsigned char **p, size_t n) {
  for (size_t i = 0; *p && i < n; i++) CHECK((*p)[i] == mark(*p, n));
  stowage_arena_free(a, *p);
  *p = NULL;
}

/* step runs a step of a kind; what the step before left is freed where that says. */
static void step(stowage_arena *a, int k, unsigned n) {
  unsigned char *p[EVENTS] = {0};
  size_t of[EVENTS];
  int level = stowage_arena_begin(a, NULL);
  for (unsigned i = 0; i <= n_events[k]; i++) {
    for (unsigned j = 0; j < EVENTS; j++)
      if (carried[j] && (due[j] == i || i == n_events[k])) release(a, &carried[j], sizes[j]);
    for (unsigned j = 0; j < i; j++)
      if (p[j] && family[k][j].end == i) release(a, &p[j], of[j]);
    if (i == n_events[k]) break;
    const size *s = &family[k][i];
    of[i] = s->a + s->b * n + s->c * n * n;
    if (s->loose) of[i] = 1 + draw((unsigned)of[i]);
    CHECK(p[i] = stowage_arena_malloc(a, of[i], 0, 0));
    memset(p[i], mark(p[i], of[i]), of[i]);
  }
  stowage_arena_end(a, level);
  for (unsigned j = 0; j < n_events[k]; j++)
    if (p[j]) carried[j] = p[j], sizes[j] = of[j], due[j] = family[k][j].end - n_events[k];
  CHECK(!stowage_arena_check(a));
}

#ifdef STOWAGE_ARENA_CORE
/* apart has training with two sizes of a batch, and an evaluation that begins alike, with a larger batch. The plan of training must not grow for it. */
static void apart(void) {
  stowage_arena_planning how = {.all = 1, .nodes = -1};
  stowage_arena *a = stowage_arena_new(NULL);
  stowage_arena_system(a, 1, NULL, NULL);
  stowage_arena_watch(a, 1);
  n_events[0] = 6, n_events[1] = 4;
  for (unsigned i = 0; i < n_events[0]; i++) family[0][i] = (size){8, 64 + 8 * i, 0, 0, 6};
  for (unsigned i = 0; i < n_events[1]; i++) family[1][i] = i ? (size){16, 1, 0, 0, 4} : family[0][0];
  family[1][0].end = 4;
  for (unsigned i = 0; i < 12; i++) step(a, 0, i % 3 ? 32 : 20);
  CHECK(stowage_arena_watched(a, 1) && !stowage_arena_plan(a, &how));
  for (unsigned i = 0; i < 12; i++) step(a, i % 4 == 3, i % 4 == 3 ? 50 : 32);
  CHECK(stats(a).all.served && !stats(a).grown);
  CHECK(!stowage_arena_delete(a));
}
#endif

#ifdef STOWAGE_ARENA_CORE
/* halves has training whose sizes are in one proportion to its batch, and an evaluation that begins alike. After two batches, one that is larger
 * by half is served, and one that is larger than that is not taken for training. After three, any is. */
static void halves(void) {
  stowage_arena_planning how = {.all = 1, .nodes = -1};
  for (int larger = 0; larger < 2; larger++) {
    stowage_arena *a = stowage_arena_new(NULL);
    stowage_arena_system(a, 1, NULL, NULL);
    stowage_arena_watch(a, 1);
    n_events[0] = 6, n_events[1] = 4;
    for (unsigned i = 0; i < n_events[0]; i++) family[0][i] = (size){i == 3 ? 40 : 0, i == 3 ? 0 : 64 + 8 * i, 0, 0, 6};
    for (unsigned i = 0; i < n_events[1]; i++) family[1][i] = i ? (size){16, 1, 0, 0, 4} : family[0][0];
    family[1][0].end = 4;
    for (unsigned i = 0; i < 12; i++) step(a, 0, i % 3 ? 32 : 20);
    CHECK(stowage_arena_watched(a, 1) && !stowage_arena_plan(a, &how));
    if (larger) {
      for (unsigned i = 0; i < 4; i++) step(a, i % 4 == 3, i % 4 == 3 ? 50 : 32);
      CHECK(!stats(a).grown);
    } else {
      step(a, 0, 48);
      CHECK(stats(a).grown == 1 && !stats(a).last.missed && stats(a).last.served == n_events[0]);
      step(a, 0, 100);
      CHECK(stats(a).grown == 2 && !stats(a).last.missed && stats(a).last.served == n_events[0]);
    }
    CHECK(!stowage_arena_delete(a));
  }
}
#endif

int families(uint64_t seed, unsigned rounds) {
#ifdef STOWAGE_ARENA_CORE
  apart();
  halves();
  uint64_t grown = 0, missed = 0, refused = 0, served = 0;
  r = seed;
  for (unsigned round = 0; round < rounds; round++) {
    int pages = draw(2) != 0, alike = draw(2) != 0, kinds = 1 + (int)draw(KINDS);
    unsigned loose = draw(3) ? 0 : 20, most = 0, moved = 0;
    stowage_arena_planning how = {.all = 1, .nodes = -1, .guard = draw(3) ? 0 : 64};
    stowage_arena *a = stowage_arena_new(NULL);
    stowage_arena_system(a, pages, NULL, NULL);
    stowage_arena_watch(a, 1);
    invent(loose, alike);
    if (how.guard) stowage_arena_guard(a, 1);
    for (unsigned i = 0; i < 12; i++) { /* a kind that comes after itself and after the other, as later */
      unsigned n = 10 + i * 3;
      if (n > most) most = n;
      step(a, (int)(i / 3) % kinds, n);
    }
    CHECK(stowage_arena_watched(a, 1) && !stowage_arena_plan(a, &how));
    for (unsigned i = 0; i < 30; i++) {
      unsigned n = 1 + draw(MOST), larger = n > most;
      uint64_t before = stats(a).grown;
      step(a, (int)draw((unsigned)kinds), n);
      stowage_arena_counts c = stats(a).last;
      served += c.served, missed += c.missed, refused += c.refused;
      if (larger) most = n;
      moved = stats(a).grown > before ? 4 : moved ? moved - 1 : 0;
      if (loose) continue;
      if (pages) CHECK(!c.missed);
      if (kinds == 1 && !c.missed) CHECK(moved || !c.refused);
    }
    grown += stats(a).grown;
    for (unsigned j = 0; j < EVENTS; j++) release(a, &carried[j], sizes[j]);
    CHECK(!stowage_arena_delete(a));
  }
  printf("served %llu missed %llu refused %llu, grown %llu times\n", (unsigned long long)served, (unsigned long long)missed, (unsigned long long)refused,
         (unsigned long long)grown);
  CHECK(grown > rounds);
#else
  (void)seed, (void)rounds, (void)step, (void)invent;
#endif
  return 0;
}
