//go:build ignore
/* (The line above keeps the go command from compiling this file. C compilers see a comment.)
 *
 * stowage_arena_core.c: a recorded program plans its steps by itself, with stowage_core.c and without Stowage in Go.
 * It is part of stowage_arena.c, which includes it if STOWAGE_ARENA_CORE is defined. stowage_arena.h has the
 * interface.
 *
 * Idea. Steps are of one kind if their threads ask for the same in the same order. The clock of a step counts its
 * allocations, so steps that differ only in their frees have the same times. An allocation lives from its own time to
 * that of its free, in this step or in the next one of its kind. The kinds, one behind the other, are a cycle. Each
 * stream is a problem by itself, with a region of its own. format/arena/step.go makes the same plans but for offsets;
 * it explains each rule, and a test compares both.
 *
 * A cycle has no first moment, and stowage_core wants one: the moment that the fewest allocations live across is
 * taken. Those that do live over the whole cycle, with a gap.
 *
 * Invariant: the lifespan of an allocation covers its lifespans in all steps of its kind. Whatever a trace says, the
 * plan is one that stowage_arena_load takes.
 *
 * Complexity: O(n log n) for n lines, O(steps * kinds), O(waits * uses), O((threads + scopes) * lines of a step),
 * O(streams * allocations of the kinds), and that of stowage_core.
 */
#include "stowage_core.h"

typedef char sizes_have_64_bits[sizeof(stowage_core_size) == 8 ? 1 : -1];

enum {
  NODES = 2000000, /* of the search, divided by the allocations of a stream, as a node takes that much longer */
  SEARCHED = 20000 /* allocations of a stream; more are planned by heuristics, as a search needs too much memory */
};

/* An action is a line of a trace. */
typedef struct action {
  uint64_t x;              /* a: size; f, u: number of the allocation */
  uint64_t stream, waiter; /* a: its stream; u: the stream that uses it; w: who waits for whom */
  const char *name;        /* b: in the text, up to the end of the line */
  size_t thread, level;
  char kind, shift; /* a: the alignment is 1 << shift */
} action;

/* A made is an allocation of the trace, by its number. */
typedef struct made {
  const action *is;
  size_t step, rank; /* rank: its place among those of its step, by thread, then by time */
  char apart;        /* it survives its step, and that tells the step apart */
  char live;
  size_t uses;       /* 1 + index of the last stream that uses it, 0 for none */
  size_t left;       /* uses that no wait has ended yet, once it is free */
  uint64_t freed;    /* 1 + the time in the last step at which it was freed, if that is the next one; 0: it was not */
} made;

/* A stage is a step of the trace. */
typedef struct stage {
  size_t first, n; /* its allocations */
  size_t from, to; /* its lines, from its begin to its end */
  uint64_t hash;
  size_t kind, next; /* its kind, and the next stage of this kind; NONE: none */
  int whole;         /* its end is in the trace */
} stage;

typedef struct life {
  char seen, crosses, kept;
  uint64_t upper; /* in the step, or in the next one if it crosses */
} life;

typedef struct kind {
  size_t times, last; /* its stages, and the last of them */
  life *lives;        /* by rank; NULL: this kind is not planned */
  uint64_t base;      /* its first time in the cycle */
  int keeps;          /* something is kept: its place is taken when it comes again */
} kind;

typedef struct use {
  size_t of, before; /* the allocation; 1 + index of an earlier use of it */
  uint64_t stream;
  int held; /* the allocation is free */
} use;

typedef struct spot { /* where an allocation of a planned kind lies */
  uint64_t lower, upper, offset;
} spot;

typedef struct by_thread {
  size_t thread, id;
} by_thread;

typedef struct like { /* what an allocation shares with that of the step before */
  uint64_t size, stream;
  size_t id;
} like;

typedef struct owned {
  struct owned *next;
  union {
    uint64_t number;
    void *pointer;
  } align;
} owned;

typedef struct folding {
  const stowage_arena_planning *how;
  const char *what; /* why there is no plan; NULL: nothing is wrong */
  owned *memory;
  action *actions;
  made *all;
  stage *stages;
  by_thread *order; /* allocations of each stage by rank */
  kind *kinds;
  use *uses;
  spot *spots; /* by number of the allocation in the last stage of its kind */
  region *regions;
  int64_t *changes; /* how many more allocations live across a moment of the cycle than across the one before */
  size_t n_actions, n_all, n_stages, n_kinds, n_uses, n_held, n_planned, n_regions;
  uint64_t period, height, bound, alignment;
  int optimal;
} folding;

#define NONE SIZE_MAX

/* room returns zeroed memory that ends with the folding. */
static void *room(folding *f, size_t n, size_t size) {
  owned *o = f->what || n > (SIZE_MAX - sizeof *o) / size ? NULL : calloc(1, sizeof *o + n * size);
  if (!o) {
    if (!f->what) f->what = "memory";
    return NULL;
  }
  o->next = f->memory;
  f->memory = o;
  return o + 1;
}

/* ------------------------------------------------------------------------------ the trace */

static int is_name(const char *from, const char *to) {
  if (from == to || to - from >= NAME) return 0;
  for (; from < to; from++)
    if (!((*from >= '0' && *from <= '9') || (*from >= 'A' && *from <= 'Z') || (*from >= 'a' && *from <= 'z') ||
          *from == '.' || *from == '-' || *from == '_')) return 0;
  return 1;
}

/* read_stream reads a stream, or * for every one. */
static uint64_t read_stream(reader *r, const char *then) {
  if (r->at < r->end && *r->at == '*') {
    expect(r, "*");
    expect(r, then);
    return STOWAGE_ARENA_EVERY;
  }
  return number(r, UINT64_MAX - 1, then);
}

/* read_action reads one line. level is that of the innermost scope, n the number of allocations before. */
static action read_action(reader *r, size_t level, size_t n) {
  action e = {.kind = r->at < r->end ? *r->at : 0};
  const char *line = r->at;
  if (!e.kind || !strchr("afuwbe", e.kind)) r->what = "an event: a, f, u, w, b, e or end";
  else if (r->end - r->at < 2 || r->at[1] != ' ') r->what = "a blank";
  else r->at += 2;
  switch (e.kind) {
  case 'a':
    e.x = number(r, MOST - 1, " ");
    uint64_t alignment = number(r, 1 << 30, " ");
    if (!r->what && (!e.x || !level || !alignment || alignment & (alignment - 1)))
      r->what = level ? "a size above 0 and a power of two" : "an allocation within a step";
    while (alignment >>= 1) e.shift++;
    e.thread = (size_t)number(r, INT32_MAX, " ");
    e.stream = number(r, UINT64_MAX - 1, "\n");
    break;
  case 'f':
  case 'u':
    e.x = number(r, MOST, " ");
    if (!r->what && e.x >= n) r->what = "an allocation that came before";
    if (e.kind == 'f') e.thread = (size_t)number(r, INT32_MAX, "\n");
    else e.stream = number(r, UINT64_MAX - 1, "\n");
    break;
  case 'w':
    e.waiter = read_stream(r, " ");
    e.stream = read_stream(r, "\n");
    break;
  default:
    e.level = (size_t)number(r, INT32_MAX, " ");
    e.thread = (size_t)number(r, INT32_MAX, e.kind == 'b' ? " " : "\n");
    if (!r->what && (e.kind == 'b' ? e.level != level + 1 : e.level < 1 || e.level > level))
      r->what = "a level that is open";
    if (r->what || e.kind == 'e') break;
    e.name = r->at;
    while (r->at < r->end && *r->at != '\n') r->at++;
    if (!is_name(e.name, r->at)) r->what = "a name";
    expect(r, "\n");
  }
  if (r->what) r->at = line;
  return e;
}

static void read_trace(folding *f, reader *r) {
  const char *from = r->at;
  size_t level = 0, lines = 0;
  for (const char *at = from; at < r->end; at++) lines += *at == '\n';
  f->actions = room(f, lines, sizeof *f->actions);
  f->all = room(f, lines, sizeof *f->all);
  f->stages = room(f, lines, sizeof *f->stages);
  expect(r, "stowage-arena-trace 1\n");
  while (!f->what && !r->what && (r->end - r->at < 4 || memcmp(r->at, "end ", 4))) {
    action *e = &f->actions[f->n_actions];
    *e = read_action(r, level, f->n_all);
    if (r->what) break;
    stage *s = f->n_stages ? &f->stages[f->n_stages - 1] : NULL;
    if (e->kind == 'a') {
      f->all[f->n_all++] = (made){.is = e, .step = f->n_stages - 1};
      s->n++;
    } else if (e->kind == 'b') {
      level = e->level;
      if (level == 1)
        f->stages[f->n_stages++] = (stage){.first = f->n_all, .from = f->n_actions, .kind = NONE, .next = NONE};
    } else if (e->kind == 'e') {
      level = e->level - 1;
      if (!level) s->to = f->n_actions, s->whole = 1;
    }
    f->n_actions++;
  }
  char sum[24];
  snprintf(sum, sizeof sum, "%016llx\n", (unsigned long long)fnv(FNV, from, (size_t)(r->at - from)));
  lines = r->line - 1;
  expect(r, "end ");
  if (number(r, MOST, " ") != lines && !r->what) r->what = "the number of lines before this one";
  if (!r->what && !expect(r, r->at < r->end && *r->at == '-' ? "-\n" : sum)) r->what = "the right checksum";
  if (!r->what && r->at < r->end) r->what = "the end of the trace";
}

/* ------------------------------------------------------------------------- kinds of steps */

static int compare_threads(const void *p, const void *q) {
  const by_thread *x = p, *y = q;
  if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
  return x->id < y->id ? -1 : x->id > y->id;
}

/* same_name compares names, which end with their lines. */
static int same_name(const char *p, const char *q) {
  while (*p == *q && *p != '\n') p++, q++;
  return *p == *q;
}

/* alike says if two steps are of one kind. */
static int alike(const folding *f, const stage *s, const stage *t) {
  if (s->hash != t->hash || s->n != t->n || !same_name(f->actions[s->from].name, f->actions[t->from].name)) return 0;
  for (size_t i = 0; i < s->n; i++) {
    const made *p = &f->all[f->order[s->first + i].id], *q = &f->all[f->order[t->first + i].id];
    if (p->is->thread != q->is->thread || p->is->x != q->is->x || p->is->shift != q->is->shift ||
        p->is->stream != q->is->stream || p->apart != q->apart) return 0;
  }
  return 1;
}

/* rank orders the allocations of each step by thread. */
static void rank(folding *f) {
  f->order = room(f, f->n_all, sizeof *f->order);
  f->kinds = room(f, f->n_stages, sizeof *f->kinds);
  if (f->what) return;
  for (size_t i = 0; i < f->n_all; i++) f->order[i] = (by_thread){f->all[i].is->thread, i};
  for (size_t k = 0; k < f->n_stages; k++) {
    stage *s = &f->stages[k];
    qsort(f->order + s->first, s->n, sizeof *f->order, compare_threads);
    for (size_t i = 0; i < s->n; i++) f->all[f->order[s->first + i].id].rank = i;
  }
}

/* split finds the kinds. */
static void split(folding *f) {
  f->n_kinds = 0;
  for (size_t k = 0; k < f->n_stages; k++) {
    stage *s = &f->stages[k];
    s->kind = s->next = NONE;
    s->hash = FNV;
    if (!s->whole) continue;
    for (size_t i = 0; i < s->n; i++) {
      const made *m = &f->all[f->order[s->first + i].id];
      request asked = {m->is->x, (uint64_t)1 << m->is->shift, m->is->stream};
      s->hash = mix(s->hash + m->is->thread + (uint64_t)m->apart, &asked);
    }
    for (s->kind = 0; s->kind < f->n_kinds && !alike(f, s, &f->stages[f->kinds[s->kind].last]); s->kind++) {}
    kind *d = &f->kinds[s->kind];
    if (s->kind == f->n_kinds) *d = (kind){0}, f->n_kinds++;
    else f->stages[d->last].next = k;
    d->times++;
    d->last = k;
  }
}

/* choose decides which kinds are planned: those that came twice; if there are none, the last. */
static void choose(folding *f) {
  size_t last = NONE;
  int twice = 0;
  for (size_t i = 0; i < f->n_kinds; i++) {
    const kind *d = &f->kinds[i];
    if (!f->stages[d->last].n) continue;
    twice |= d->times > 1;
    if (last == NONE || d->last > f->kinds[last].last) last = i;
  }
  f->n_planned = 0;
  f->period = 0;
  for (size_t i = 0; i < f->n_kinds; i++) {
    kind *d = &f->kinds[i];
    size_t n = f->stages[d->last].n;
    if (!n || (!f->how->all && (twice ? d->times < 2 : i != last))) continue;
    d->lives = room(f, n, sizeof *d->lives);
    d->base = f->period;
    f->period += n;
    f->n_planned++;
  }
}

/* ------------------------------------------------------------------------------ lifespans */

static kind *kind_of(const folding *f, size_t id) {
  size_t k = f->stages[f->all[id].step].kind;
  return k != NONE && f->kinds[k].lives ? &f->kinds[k] : NULL;
}

/* twin returns the allocation of the last step of a kind that is there what this one is in its own step. */
static size_t twin(const folding *f, const kind *d, size_t id) {
  return f->order[f->stages[d->last].first + f->all[id].rank].id;
}

/* time_of is the time of an allocation in its step, as the last step of its kind has it. */
static uint64_t time_of(const folding *f, const kind *d, size_t id) {
  return twin(f, d, id) - f->stages[d->last].first;
}

static void see(life *l, int crosses, uint64_t upper) {
  if (l->seen && crosses == l->crosses) upper = upper > l->upper ? upper : l->upper;
  else if (l->seen && l->crosses) crosses = 1, upper = l->upper;
  *l = (life){1, (char)crosses, l->kept, upper};
}

/* A moment is a position in the trace. */
typedef struct moment {
  size_t step; /* the step that is open, or the last one */
  uint64_t clock;
  int within; /* it is open */
} moment;

/* end_life notes the end of an allocation. */
static void end_life(folding *f, size_t id, moment now) {
  made *m = &f->all[id];
  kind *d = kind_of(f, id);
  if (now.within && now.step + 1 == f->n_stages && m->step + 1 == now.step) m->freed = 1 + now.clock;
  if (!d) return;
  life *l = &d->lives[m->rank];
  size_t next = f->stages[m->step].next;
  uint64_t end = now.within ? now.clock : f->stages[d->last].n;
  if (now.step == m->step) see(l, 0, end);
  else if (next == NONE || now.step < next) {
    if (f->stages[now.step].whole) see(l, 1, 0);
  } else if (now.step == next && end <= time_of(f, d, id)) see(l, 1, end);
  else l->kept = 1;
}

/* wait_for ends uses of allocations that are free. */
static void wait_for(folding *f, const action *e, moment now) {
  for (size_t i = 0; i < f->n_uses && f->n_held; i++) {
    use *u = &f->uses[i];
    made *m = &f->all[u->of];
    if (!u->held || (e->waiter != STOWAGE_ARENA_EVERY && e->waiter != m->is->stream)) continue;
    if (e->stream != STOWAGE_ARENA_EVERY && e->stream != u->stream) continue;
    u->held = 0;
    f->n_held--;
    if (!--m->left) end_life(f, u->of, now);
  }
}

/* follow goes through the trace and notes when allocations end. */
static void follow(folding *f) {
  moment now = {NONE, 0, 0};
  size_t id = 0;
  f->n_uses = f->n_held = 0;
  for (size_t i = 0; i < f->n_all; i++) f->all[i].live = 0, f->all[i].uses = 0, f->all[i].freed = 0;
  for (size_t k = 0; k < f->n_actions; k++) {
    const action *e = &f->actions[k];
    made *m = e->kind == 'f' || e->kind == 'u' ? &f->all[e->x] : NULL;
    const kind *d;
    size_t u;
    switch (e->kind) {
    case 'b':
      if (e->level == 1) now = (moment){now.step + 1, 0, 1};
      break;
    case 'e':
      if (e->level == 1) now.within = 0;
      break;
    case 'a':
      if ((d = kind_of(f, id)) && now.clock <= time_of(f, d, id)) now.clock = time_of(f, d, id) + 1;
      f->all[id++].live = 1;
      break;
    case 'u':
      for (u = m->uses; u && f->uses[u - 1].stream != e->stream;) u = f->uses[u - 1].before;
      if (!m->live || u || e->stream == m->is->stream) break;
      f->uses[f->n_uses] = (use){(size_t)e->x, m->uses, e->stream, 0};
      m->uses = ++f->n_uses;
      break;
    case 'f':
      if (!m->live) break; /* a second free */
      m->live = 0;
      m->left = 0;
      for (u = m->uses; u; u = f->uses[u - 1].before) f->uses[u - 1].held = 1, m->left++, f->n_held++;
      if (!m->left) end_life(f, (size_t)e->x, now);
      break;
    case 'w': wait_for(f, e, now); break;
    }
  }
  for (size_t i = 0; i < f->n_all; i++) { /* what is never freed is kept, if it should have come again */
    kind *d = kind_of(f, i);
    if (d && (f->all[i].live || f->all[i].left) && f->stages[f->all[i].step].next != NONE)
      d->lives[f->all[i].rank].kept = 1;
  }
}

static int compare_likes(const void *p, const void *q) {
  const like *x = p, *y = q;
  if (x->size != y->size) return x->size < y->size ? -1 : 1;
  if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
  return x->id < y->id ? -1 : x->id > y->id;
}

/* guess gives allocations that are live at the end of a trace, whose last step came once, the ends of those of the step
 * before that have the same size and stream. Both are sorted by these, and the first goes with the first. */
static void guess(folding *f) {
  if (f->n_stages < 2) return;
  const stage *s = &f->stages[f->n_stages - 1], *t = s - 1;
  if (s->kind == NONE || f->kinds[s->kind].times > 1 || !f->kinds[s->kind].lives) return;
  kind *d = &f->kinds[s->kind];
  like *now = room(f, s->n, sizeof *now), *before = room(f, t->n, sizeof *before);
  size_t n = 0, m = 0;
  if (f->what) return;
  for (size_t i = s->first; i < s->first + s->n; i++)
    if (!d->lives[f->all[i].rank].seen && !d->lives[f->all[i].rank].kept)
      now[n++] = (like){f->all[i].is->x, f->all[i].is->stream, i};
  for (size_t i = t->first; i < t->first + t->n; i++)
    if (f->all[i].freed) before[m++] = (like){f->all[i].is->x, f->all[i].is->stream, i};
  qsort(now, n, sizeof *now, compare_likes);
  qsort(before, m, sizeof *before, compare_likes);
  for (size_t i = 0, j = 0; i < n && j < m;) {
    like x = now[i], y = before[j];
    x.id = y.id = 0;
    int c = compare_likes(&x, &y);
    uint64_t end = f->all[before[j].id].freed - 1;
    if (!c && end <= time_of(f, d, now[i].id)) see(&d->lives[f->all[now[i].id].rank], 1, end);
    i += c <= 0;
    j += c >= 0;
  }
}

/* keep notes which kinds keep something, and returns whether one of several steps does. */
static int keep(folding *f) {
  int any = 0;
  for (size_t k = 0; k < f->n_kinds; k++) {
    kind *d = &f->kinds[k];
    d->keeps = 0;
    for (size_t i = 0; d->lives && d->times > 1 && i < f->stages[d->last].n; i++) d->keeps |= d->lives[i].kept;
    any |= d->keeps;
  }
  return any;
}

/* outlive tells steps of kinds that keep something apart by what is live when the next step allocates. */
static void outlive(folding *f, const stage *s) {
  size_t id = s->first + s->n;
  for (size_t i = s->first; i < id; i++) f->all[i].apart = 1;
  const action *end = id < f->n_all ? f->all[id].is : f->actions + f->n_actions;
  for (const action *e = f->actions + s->from; e < end; e++)
    if (e->kind == 'f' && e->x >= s->first && e->x < id) f->all[e->x].apart = 0;
}

static void fold(folding *f) {
  split(f);
  choose(f);
  if (f->what || !f->n_planned) return;
  follow(f);
  guess(f);
}

/* -------------------------------------------------------------------------------- problems */

static uint64_t up(uint64_t x, uint64_t step) { return (x + step - 1) / step * step; }

static uint64_t asked_alignment(const folding *f, const action *e) {
  uint64_t least = f->how->alignment ? f->how->alignment : 64, own = (uint64_t)1 << e->shift;
  return own > least ? own : least;
}

/* spread gives the allocations of planned kinds their lifespans in the cycle. */
static void spread(folding *f) {
  f->spots = room(f, f->n_all, sizeof *f->spots);
  for (size_t k = 0; k < f->n_kinds && !f->what; k++) {
    const kind *d = &f->kinds[k];
    const stage *s = &f->stages[d->last];
    for (size_t i = 0; d->lives && i < s->n; i++) {
      size_t id = f->order[s->first + i].id;
      const life *l = &d->lives[i];
      spot *p = &f->spots[id];
      p->lower = p->upper = d->base + id - s->first;
      p->offset = NOWHERE;
      if (l->seen && !l->kept) p->upper = d->base + l->upper + (l->crosses ? f->period : 0);
      uint64_t own = asked_alignment(f, f->all[id].is);
      if (own > f->alignment) f->alignment = own;
    }
  }
}

/* quietest returns the moment of the cycle that the fewest of the allocations live across. */
static uint64_t quietest(const folding *f, const size_t *ids, size_t n) {
  int64_t *change = f->changes, across = 0, least = INT64_MAX;
  uint64_t best = 0;
  memset(change, 0, (size_t)f->period * sizeof *change);
  for (size_t i = 0; i < n; i++) {
    uint64_t from = f->spots[ids[i]].lower + 1, to = f->spots[ids[i]].upper; /* across the moments from to to - 1 */
    change[from % f->period]++;
    change[to % f->period]--;
    change[0] += from < f->period && to >= f->period;
  }
  for (uint64_t t = 0; t < f->period; t++) {
    across += change[t];
    if (across < least) least = across, best = t;
  }
  return best;
}

/* plan_stream places the allocations of a stream above the height so far. */
static void plan_stream(folding *f, uint64_t stream, const size_t *ids, size_t n) {
  stowage_core_buffer *buffers = room(f, n, sizeof *buffers);
  stowage_core_gap *gaps = room(f, n, sizeof *gaps);
  stowage_core_size *offsets = room(f, n, sizeof *offsets);
  stowage_core_problem q = {buffers, (int32_t)n, NULL, NULL, 0, gaps, 0};
  int64_t nodes = f->how->nodes < 0 ? 0 : f->how->nodes ? f->how->nodes : NODES / (int64_t)n;
  stowage_core_options o = {0, nodes, f->how->cancel, f->how->context};
  stowage_core_result r;
  if (f->what) return;
  uint64_t begin = quietest(f, ids, n);
  for (size_t i = 0; i < n; i++) {
    const action *e = f->all[ids[i]].is;
    const spot *p = &f->spots[ids[i]];
    uint64_t lower = (p->lower + f->period - begin) % f->period, upper = lower + (p->upper - p->lower);
    if (upper > f->period) {
      uint64_t end = upper - f->period;
      if (end < lower) gaps[q.gap_count++] = (stowage_core_gap){(int32_t)i, (int32_t)end, (int32_t)lower};
      lower = 0, upper = f->period;
    }
    uint64_t size = e->x + f->how->guard, own = asked_alignment(f, e);
    buffers[i] = (stowage_core_buffer){(int32_t)lower, (int32_t)upper, (stowage_core_size)size, (stowage_core_size)own};
  }
  size_t bytes = stowage_core_workspace(&q, n > SEARCHED ? 1 : 3);
  void *workspace = malloc(bytes ? bytes : 1);
  if (!workspace) workspace = malloc(bytes = stowage_core_workspace(&q, 1)); /* without a search */
  int status = workspace ? stowage_core_plan(&q, &o, workspace, bytes, offsets, &r) : STOWAGE_CORE_NO_WORKSPACE;
  free(workspace);
  if (status == STOWAGE_CORE_NO_WORKSPACE) f->what = "memory";
  else if (status != STOWAGE_CORE_OPTIMAL && status != STOWAGE_CORE_FEASIBLE) f->what = "sizes that add up to less";
  if (f->what) return;
  f->optimal &= status == STOWAGE_CORE_OPTIMAL;
  f->height = up(f->height, f->alignment);
  f->bound = up(f->bound, f->alignment) + (uint64_t)(status == STOWAGE_CORE_OPTIMAL ? r.height : r.bound);
  for (size_t i = 0; i < n; i++) f->spots[ids[i]].offset = f->height + (uint64_t)offsets[i];
  f->regions[f->n_regions++] = (region){stream, f->height, f->height + (uint64_t)r.height};
  f->height += (uint64_t)r.height;
  if (f->height > MOST) f->what = "sizes that add up to less";
}

/* plan_all plans the streams in the order in which they come. */
static void plan_all(folding *f) {
  size_t *ids = room(f, f->n_all, sizeof *ids), *one = room(f, f->n_all, sizeof *one), n = 0;
  f->regions = room(f, f->n_all, sizeof *f->regions);
  f->changes = room(f, (size_t)f->period, sizeof *f->changes);
  f->optimal = 1;
  if (f->period > INT32_MAX) f->what = "fewer allocations";
  for (size_t k = 0; k < f->n_kinds && !f->what; k++) {
    const stage *s = &f->stages[f->kinds[k].last];
    for (size_t i = 0; f->kinds[k].lives && i < s->n; i++) {
      size_t id = f->order[s->first + i].id;
      if (f->spots[id].upper > f->spots[id].lower) ids[n++] = id;
    }
  }
  while (n && !f->what) {
    uint64_t stream = f->all[ids[0]].is->stream;
    size_t rest = 0, many = 0;
    for (size_t i = 0; i < n; i++) {
      if (f->all[ids[i]].is->stream == stream) one[many++] = ids[i];
      else ids[rest++] = ids[i];
    }
    plan_stream(f, stream, one, many);
    n = rest;
  }
}

/* -------------------------------------------------------------------------------- the text */

/* print_lane writes the allocations of ranks first to end - 1, which are of one thread, and its scopes. */
static size_t print_lane(const folding *f, sink *out, const stage *s, size_t first, size_t end) {
  typedef unsigned long long u;
  const action *begin = f->actions + s->from + 1, *last = f->actions + s->to;
  size_t thread = f->order[s->first + first].thread, scopes = 0, at = 0;
  for (const action *e = begin; e < last; e++) scopes += e->kind == 'b' && e->thread == thread;
  print(out, "lane %llu %llu %llu\n", (u)thread, (u)(end - first), (u)scopes);
  for (size_t i = first; i < end; i++) {
    const action *e = f->all[f->order[s->first + i].id].is;
    const spot *p = &f->spots[f->order[s->first + i].id];
    print(out, "p %llu %llu %llu ", (u)e->x, (u)asked_alignment(f, e), (u)e->stream);
    print(out, p->offset == NOWHERE ? "- " : "%llu ", (u)p->offset);
    print(out, "%llu %llu\n", (u)p->lower, (u)p->upper);
  }
  for (const action *e = begin; scopes && e < last; e++) {
    at += e->kind == 'a' && e->thread == thread;
    if (e->kind != 'b' || e->thread != thread) continue;
    size_t to = at;
    for (const action *x = e + 1; x < last && !(x->kind == 'e' && x->level <= e->level); x++)
      to += x->kind == 'a' && x->thread == thread;
    print(out, "s %llu %llu %.*s\n", (u)at, (u)to, (int)strcspn(e->name, "\n"), e->name);
  }
  return 1 + end - first + scopes;
}

static size_t print_plans(const folding *f, char *text, size_t length) {
  typedef unsigned long long u;
  sink s = {text, length, 0, FNV}, *out = &s;
  for (size_t k = 0; k < f->n_kinds; k++) {
    const kind *d = &f->kinds[k];
    const stage *of = &f->stages[d->last];
    const char *name = f->actions[of->from].name;
    size_t lanes = 0, lines = 11 + f->n_regions, begin = 0;
    if (!d->lives) continue;
    const by_thread *order = f->order + of->first;
    for (size_t i = 0; i < of->n; i++) lanes += !i || order[i].thread != order[i - 1].thread;
    s.hash = FNV;
    print(out, "stowage-arena-plan 1\nname %.*s\n", (int)strcspn(name, "\n"), name);
    print(out, "alignment %llu\nguard %llu\n", (u)f->alignment, (u)f->how->guard);
    print(out, "height %llu\nbound %llu\n", (u)f->height, (u)(f->bound < f->height ? f->bound : f->height));
    print(out, "status %s\nperiod %llu\n", f->optimal ? "optimal" : "feasible", (u)f->period);
    print(out, "baselines 0\nregions %llu\n", (u)f->n_regions);
    for (size_t i = 0; i < f->n_regions; i++)
      print(out, "r %llu %llu %llu\n", (u)f->regions[i].stream, (u)f->regions[i].low,
            (u)(f->regions[i].high - f->regions[i].low));
    print(out, "lanes %llu\n", (u)lanes);
    for (size_t i = 1; i <= of->n; i++) {
      if (i < of->n && order[i].thread == order[begin].thread) continue;
      lines += print_lane(f, out, of, begin, i);
      begin = i;
    }
    print(out, "end %llu %016llx\n", (u)lines, (u)s.hash);
  }
  return s.n;
}

char *stowage_arena_plan_trace(
    const char *trace, size_t length, const stowage_arena_planning *how, size_t *n, char *error, size_t cut) {
  static const stowage_arena_planning usual;
  folding f = {.how = how ? how : &usual};
  reader r = {trace, trace + length, NULL, 1};
  char *text = NULL;
  *n = 0;
  if (error && cut) *error = 0;
  uint64_t least = f.how->alignment;
  if (least & (least - 1) || least > 1 << 30) f.what = "an alignment that is a power of two";
  else if (f.how->guard > 1 << 20) f.what = "a guard of at most 1048576";
  else read_trace(&f, &r);
  f.uses = room(&f, f.n_actions, sizeof *f.uses);
  if (!f.what && r.what) f.what = r.what;
  rank(&f);
  if (!f.what) fold(&f);
  if (!f.what && f.how->apart && keep(&f)) {
    for (size_t k = 0; k < f.n_stages; k++)
      if (f.stages[k].kind != NONE && f.kinds[f.stages[k].kind].keeps) outlive(&f, &f.stages[k]);
    fold(&f);
  }
  if (!f.what && !f.n_planned) f.what = "a whole step with an allocation";
  if (!f.what) spread(&f);
  if (!f.what) plan_all(&f);
  if (!f.what) {
    *n = print_plans(&f, NULL, 0);
    if (!(text = malloc(*n + 1))) f.what = "memory", *n = 0;
    else print_plans(&f, text, *n + 1), text[*n] = 0;
  }
  if (f.what && error && cut) {
    int end = (int)strcspn(f.what, "\n");
    if (!strcmp(f.what, "memory")) snprintf(error, cut, "no memory for the plan");
    else if (!r.what) snprintf(error, cut, "the trace cannot be planned: expected %s", f.what);
    else snprintf(error, cut, "the trace, line %llu: expected %.*s", (unsigned long long)r.line, end, f.what);
  }
  while (f.memory) {
    owned *next = f.memory->next;
    free(f.memory);
    f.memory = next;
  }
  return text;
}

int stowage_arena_plan(stowage_arena *a, const stowage_arena_planning *how) {
  char *text = NULL, *plans, why[200] = "no memory for the trace";
  size_t size, n = stowage_arena_trace(a, NULL, 0);
  do { /* other threads may record meanwhile */
    free(text);
    size = n + 1;
    if ((text = malloc(size))) n = stowage_arena_trace(a, text, size);
  } while (text && n >= size);
  plans = text ? stowage_arena_plan_trace(text, n, how, &n, why, sizeof why) : NULL;
  free(text);
  if (!plans) {
    mutex_lock(&a->lock);
    int code = fail(a, strncmp(why, "no memory", 9) ? STOWAGE_ARENA_E_INPUT : STOWAGE_ARENA_E_MEMORY, "%s", why);
    mutex_unlock(&a->lock);
    return code;
  }
  int code = stowage_arena_load(a, plans, n);
  free(plans);
  return code;
}
