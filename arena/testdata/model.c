/* model.c: random events against a model of the arena, which shares no code with it.
 *
 * The model knows what is live, in plain arrays that it searches from end to end, and the plan
 * as numbers. It does not know how the arena follows a plan. It demands of each event:
 *
 *   - Memory is aligned, and meets nothing that is live or held (all ranges are compared).
 *   - What lies in the block lies where some event of a loaded plan of this name and stream has it, and is at most as large.
 *   - If all requests of this step so far are those of the plan, the allocation is served or kept as the plan says, and refused exactly if its range meets something live or held.
 *   - Nothing is served outside of steps, or without a plan for the step's name.
 *   - The content of live memory is what its owner wrote.
 *   - Statistics are those of the model.
 */
#include "check.h"

enum { LIVE = 192, EVENTS = 24, PLANS = 3, LANES = 2, STREAMS = 3, UNIT = 64, REGION = 4096 };

typedef struct {
  unsigned size, align, stream;
  int offset; /* -1: kept */
} request;

typedef struct {
  int loaded, named; /* named: for steps "x" */
  unsigned n[LANES];
  request lane[LANES][EVENTS];
} plan;

typedef struct {
  unsigned char *at;
  unsigned size, stream, uses;
  int served, held;
  unsigned char mark;
} memory;

static struct {
  uint64_t r;
  stowage_arena *a;
  plan plans[PLANS];
  memory live[LIVE];
  unsigned n;
  stowage_arena_counts all;
  uint64_t bytes, peak, held, upstream, bad;
  int depth, named, guard, loads;
  /* of each thread: the requests of this step, and whether they are those of a plan */
  unsigned count[LANES];
  int faithful[LANES], chosen;
  int follow; /* the plan that this step means to follow, or -1 */
} m;

static unsigned draw(unsigned n) { return below(&m.r, n); }

/* invent makes a plan with offsets that may collide, in the region of each stream. */
static void invent(plan *p) {
  p->named = (int)draw(3) == 0;
  unsigned sizes = draw(2) ? 4 : 900;
  for (int l = 0; l < LANES; l++) {
    p->n[l] = draw(EVENTS + 1);
    for (unsigned i = 0; i < p->n[l]; i++) {
      request *q = &p->lane[l][i];
      q->size = 1 + draw(sizes);
      q->align = draw(8) ? UNIT : 256;
      q->stream = draw(4) ? 0 : draw(STREAMS);
      unsigned room = (REGION - q->size) / q->align + 1;
      q->offset = draw(12) ? (int)(q->stream * REGION + draw(room) * q->align) : -1;
    }
  }
}

static void print(text *t, const plan *p) {
  size_t from = t->n;
  add(t, "stowage-arena-plan 1\nname %s\nalignment 256\nguard %u\nheight %u\nbound 0\nstatus feasible\nperiod 1000\nbaselines 0\nregions %d\n",
      p->named ? "x" : "-", draw(2) * 32, STREAMS * REGION, STREAMS);
  for (int s = 0; s < STREAMS; s++) add(t, "r %d %d %d\n", s, s * REGION, REGION);
  add(t, "lanes %d\n", LANES);
  for (int l = 0; l < LANES; l++) {
    add(t, "lane %d %u 0\n", l, p->n[l]);
    for (unsigned i = 0; i < p->n[l]; i++) {
      const request *q = &p->lane[l][i];
      if (q->offset < 0) add(t, "p %u %u %u - 5 5\n", q->size, q->align, q->stream);
      else add(t, "p %u %u %u %d 5 6\n", q->size, q->align, q->stream, q->offset);
    }
  }
  finish(t, from);
}

/* load replaces all plans. The model's plans have pairwise different first requests in lane 0, so that it knows
 * which one the arena follows. */
static void load(void) {
  text t = {0};
  stowage_arena_unload(m.a);
  for (int k = 0; k < PLANS; k++) {
    plan *p = &m.plans[k];
    do invent(p);
    while (!p->n[0] || !p->n[1]);
    p->lane[0][0].size = 1000 + 10 * (unsigned)k;
    p->lane[1][0].size = 2000 + 10 * (unsigned)k;
    for (int l = 0; l < LANES; l++)
      if (p->lane[l][0].offset >= 0) p->lane[l][0].offset = (int)(p->lane[l][0].stream * REGION);
    p->loaded = 1;
    print(&t, p);
  }
  CHECK(!stowage_arena_load(m.a, t.s, t.n));
  free(t.s);
  m.loads++;
}

static int meets(const unsigned char *at, unsigned size) {
  for (unsigned i = 0; i < m.n; i++)
    if (m.live[i].at < at + size && at < m.live[i].at + m.live[i].size) return 1;
  return 0;
}

/* base is where the block is: upstream sees it, for nothing else is as large. */
static unsigned char *base;
static uint64_t given, blocks;

static void *up_malloc(void *context, size_t size, size_t alignment, uint64_t stream) {
  void *p = NULL;
  CHECK(context == &m && stream < STREAMS && !posix_memalign(&p, alignment, size));
  if (size == STREAMS * REGION) base = p, blocks++;
  given++;
  return p;
}

static void up_free(void *context, void *p, size_t size, uint64_t stream) {
  CHECK(context == &m && stream < STREAMS && size);
  if (size == STREAMS * REGION) blocks--;
  given--;
  free(p);
}

static void count(uint64_t *n, uint64_t *bytes, unsigned size) {
  ++*n;
  *bytes += size;
}

static void allocate(unsigned thread, request q) {
  stowage_arena_statistics before = stats(m.a);
  unsigned char *p = stowage_arena_malloc_as(m.a, q.size, q.align, q.stream, 100 + thread);
  stowage_arena_statistics after = stats(m.a);
  CHECK(p && (uintptr_t)p % q.align == 0 && !meets(p, q.size));
  int owned = stowage_arena_owns(m.a, p), usable = 0;
  for (int k = 0; k < PLANS; k++) usable |= m.plans[k].loaded && m.plans[k].named == m.named;
  usable = usable && m.depth;
  CHECK((after.all.served > before.all.served) == owned);
  if (!usable) CHECK(after.all.outside == before.all.outside + 1 && !owned);
  if (owned) {
    CHECK(usable);
    int known = 0;
    for (int k = 0; k < PLANS; k++)
      for (int l = 0; l < LANES; l++)
        for (unsigned i = 0; i < m.plans[k].n[l] && m.plans[k].named == m.named; i++) {
          request *e = &m.plans[k].lane[l][i];
          known |= e->size >= q.size && e->stream == q.stream && e->align >= q.align && e->offset >= 0 && base + e->offset == p;
        }
    CHECK(known);
  }
  /* If the thread has done what the plan says, so does the arena. */
  if (usable && m.follow >= 0 && m.faithful[0] && m.faithful[1]) {
    plan *f = &m.plans[m.follow];
    unsigned i = m.count[thread];
    request *e = &f->lane[thread][i];
    if (i < f->n[thread] && e->size == q.size && e->align == q.align && e->stream == q.stream) {
      if (e->offset < 0) CHECK(after.all.kept == before.all.kept + 1);
      else if (meets(base + e->offset, e->size)) CHECK(after.all.refused == before.all.refused + 1);
      else CHECK(owned && p == base + e->offset);
    } else {
      m.faithful[thread] = 0;
    }
  } else {
    m.faithful[thread] = 0;
  }
  m.count[thread]++;
  m.bytes += q.size;
  if (!owned) m.upstream += q.size;
  if (m.bytes > m.peak) m.peak = m.bytes;
  count(&m.all.served, &m.all.served_bytes, 0); /* all together */
  memory *x = &m.live[m.n++];
  *x = (memory){p, q.size, q.stream, 0, owned, 0, (unsigned char)draw(256)};
  memset(p, x->mark, q.size);
}

static void intact(const memory *x) {
  for (unsigned i = 0; i < x->size; i++) CHECK(x->at[i] == x->mark);
}

static void release(unsigned i) {
  memory *x = &m.live[i];
  intact(x);
  stowage_arena_free(m.a, x->at);
  m.bytes -= x->size;
  if (!x->served) m.upstream -= x->size;
  if (x->served && x->uses) {
    x->held = 1;
    m.held += x->size;
    return;
  }
  m.live[i] = m.live[--m.n];
}

static void wait_for(unsigned waiter, int everybody, unsigned waited, int everything) {
  stowage_arena_wait(m.a, everybody ? STOWAGE_ARENA_EVERY : waiter, everything ? STOWAGE_ARENA_EVERY : waited);
  for (unsigned i = 0; i < m.n;) {
    memory *x = &m.live[i];
    if (x->held && (everybody || x->stream == waiter)) {
      x->uses = everything ? 0 : x->uses & ~(1u << waited);
      if (!x->uses) {
        m.held -= x->size;
        m.live[i] = m.live[--m.n];
        continue;
      }
    }
    i++;
  }
}

static void compare(void) {
  stowage_arena_statistics s = stats(m.a);
  stowage_arena_counts *c = &s.all;
  CHECK(c->served + c->missed + c->refused + c->kept + c->outside == m.all.served);
  CHECK(s.live == m.bytes && s.peak == m.peak && s.held == m.held && s.upstream == m.upstream && s.damaged == m.bad);
  CHECK(!stowage_arena_check(m.a));
}

int model(uint64_t seed, uint64_t events) {
  m.r = seed;
  stowage_arena_upstream up = {up_malloc, up_free, NULL, &m, 0};
  m.a = stowage_arena_new(&up);
  load();
  unsigned at[LANES] = {0, 0};
  int level = 0;
  m.follow = -1;
  for (uint64_t done = 0; done < events; done++) {
    unsigned what = draw(1000);
    if (!m.depth && what < 200) { /* a step begins: half of them follow a plan exactly, but for what else happens */
      m.named = (int)draw(3) == 0;
      m.follow = -1;
      if (draw(4)) {
        int k = (int)draw(PLANS);
        if (m.plans[k].loaded && m.plans[k].named == m.named) m.follow = k;
      }
      for (int l = 0; l < LANES; l++) m.count[l] = at[l] = 0, m.faithful[l] = 1;
      level = stowage_arena_begin(m.a, m.named ? "x" : NULL);
      CHECK(level == 1);
      m.depth = 1;
    } else if (m.depth && what < 12) {
      stowage_arena_end(m.a, level);
      m.depth = 0;
    } else if (!m.depth && what < 220 && draw(4) == 0) {
      wait_for(0, 1, 0, 1);
      for (unsigned i = m.n; i > 0 && draw(8); i--) release(i - 1); /* what stays lies in an older block */
      wait_for(0, 1, 0, 1);
      load();
    } else if (what < 210 && m.depth) { /* scopes, and ends of what is not open */
      int inner = stowage_arena_begin(m.a, "inner");
      CHECK(inner == 2);
      if (draw(2)) stowage_arena_end(m.a, inner);
      stowage_arena_end(m.a, inner);
      stowage_arena_end(m.a, 77);
    } else if (what < 215) {
      m.guard = !m.guard;
      stowage_arena_guard(m.a, m.guard);
    } else if (what < 217) {
      stowage_arena_record(m.a, draw(3));
    } else if (what < 218) {
      char *t;
      size_t n = stowage_arena_trace(m.a, NULL, 0);
      CHECK((t = malloc(n + 1)) && stowage_arena_trace(m.a, t, n + 1) == n && strlen(t) == n);
      CHECK(stowage_arena_trace(m.a, t, n / 2 + 1) == n && strlen(t) == n / 2);
      free(t);
    } else if (what < 230) {
      stowage_arena_poison(m.a);
    } else if (what < 250) {
      wait_for(draw(STREAMS), draw(4) == 0, draw(STREAMS), draw(4) == 0);
    } else if (what < 270 && m.n) {
      unsigned i = draw(m.n), s = draw(STREAMS);
      if (!m.live[i].held) {
        stowage_arena_use(m.a, m.live[i].at, s);
        if (s != m.live[i].stream && m.live[i].served) m.live[i].uses |= 1u << s;
      }
    } else if (what < 272 && m.n) { /* a bad free, of memory that is held or within the block */
      unsigned i = draw(m.n);
      if (m.live[i].held) stowage_arena_free(m.a, m.live[i].at), m.bad++;
      else if (m.live[i].served && m.live[i].size > 1) stowage_arena_free(m.a, m.live[i].at + 1), m.bad++;
    } else if (what < 630 && m.n < LIVE) {
      unsigned l = draw(LANES);
      request q = {1 + draw(300), UNIT, draw(STREAMS), 0};
      if (m.follow >= 0 && at[l] < m.plans[m.follow].n[l] && draw(60)) { /* as the plan says */
        q = m.plans[m.follow].lane[l][at[l]++];
        if (!draw(100)) at[l]++; /* then one is left out */
      } else if (m.follow >= 0 && draw(4)) {
        continue;
      }
      allocate(l, q);
    } else if (m.n) {
      unsigned i = draw(m.n);
      if (!m.live[i].held) release(i);
    }
    if (done % 64 == 0) compare();
  }
  wait_for(0, 1, 0, 1);
  for (unsigned i = m.n; i-- > 0;) release(i);
  wait_for(0, 1, 0, 1);
  stowage_arena_end(m.a, 1);
  compare();
  stowage_arena_statistics s = stats(m.a);
  printf("served %llu missed %llu refused %llu kept %llu outside %llu, %d loads\n", (unsigned long long)s.all.served, (unsigned long long)s.all.missed,
         (unsigned long long)s.all.refused, (unsigned long long)s.all.kept, (unsigned long long)s.all.outside, m.loads);
  CHECK(events < 50000 || (s.all.served && s.all.missed && s.all.refused && s.all.kept && s.all.outside));
  CHECK(!stowage_arena_delete(m.a) && !given && !blocks);
  return 0;
}
