/* stowage_core.c: see stowage_core.h. C99, freestanding but for memcpy and memset.
 *
 * From top to bottom:
 *
 *	workspace    the caller's memory, handed out once
 *	problem      buffers become bodies, time becomes sections, loads give a lower bound
 *	heuristics   first fit, best fit and stacking, in several orders                        (level 1)
 *	kernel       the state of the search over canonical plans, and what undoes it           (level 2)
 *	inference    lifting, the suffix bound, not-first: what follows from what is placed
 *	search       depth first, by a stack of frames; postponement, splitting, twins
 *	questions    does a partition fit a capacity?
 *	forest       bodies that fit together are planned as one: merge                         (level 3)
 *	plan         who has a turn, until the plan is the lowest or the nodes are spent
 *	checker      a plan held against the definitions
 *
 * Words. A body is a buffer, or several that are linked. A section is a maximal stretch of time in which the same
 * bodies live: [first, last) are sections. A piece is a stretch of sections in which a body has one height. A body
 * without links and gaps has one piece. A partition is a set of bodies that shares no section with others.
 * reach(i, j) is how far above body i's offset body j may begin.
 *
 *	offset                         sections 0 1 2
 *	  64 ┌───────┐                 body a lives in [0, 2), b in [1, 3), c in [0, 1)
 *	     │   b   │                 load of the sections: a + c, a + b, b
 *	  32 ├─────┬─┘
 *	     │  a  │
 *	   0 └─────┴── time
 *
 * internal/planners/core in Stowage's Go has the same functions with the same decisions. A test compares them plan by
 * plan and node by node: a change here is a change there. */
#include "stowage_core.h"

void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);

typedef stowage_core_size addr; /* an offset or a size */
typedef int32_t idx;            /* a number of a body, piece, section or position */

#ifdef __GNUC__ /* what is smaller if it is not inlined */
#define APART __attribute__((noinline)) static
#else
#define APART static
#endif

#define MAX_ADDR ((addr)(((uint64_t)1 << (8 * sizeof(addr) - 1)) - 1))
#define MOST (MAX_ADDR / 4)     /* no plan is higher, so sums of two heights and an alignment do not overflow */
#define GONE (MAX_ADDR / 8 * 7) /* the start of a piece that is placed: behind all others */
#define MOST_COUNT ((idx)1 << 24)
#define SHAPES (STOWAGE_CORE_LEVEL >= 2) /* level 1 is small: no links, no gaps, no tree, no checker */

static addr greater(addr a, addr b) { return a > b ? a : b; }
static addr lesser(addr a, addr b) { return a < b ? a : b; }
static addr round_up(addr x, addr to) { return to <= 1 ? x : (x + to - 1) / to * to; }
APART addr divisor(addr a, addr b) {
	while (b) {
		addr rest = a % b;
		a = b, b = rest;
	}
	return a;
}

/* ---------------------------------------------------------------------------------------------------- workspace
 * Idea: memory is handed out from the front and never given back one by one. A copy of the struct remembers a place,
 * and what is handed out behind it is free again when the copy is used. A dry run (at == NULL) only adds up. */
typedef struct {
	char *at;
	size_t left, used;
	int dry, failed; /* failed: there was not enough */
} arena;

static void *take(arena *a, size_t each, size_t count) {
	size_t bytes;
	void *p = a->at;
	if (count > (SIZE_MAX - 16) / each || a->used > SIZE_MAX - 16 - each * count) a->failed = 1;
	if (a->failed) return NULL;
	bytes = (each * count + 7) & ~(size_t)7;
	a->used += bytes;
	if (a->dry) return NULL;
	if (bytes > a->left) {
		a->failed = 1;
		return NULL;
	}
	a->at += bytes, a->left -= bytes;
	return p;
}
#define TAKE(a, type, count) ((type *)take(a, sizeof(type), (size_t)(count)))

static const arena dry_run = {NULL, 0, 0, 1, 0};

/* How large a problem is: bodies, pieces, sections, and the sections of all pieces. */
typedef struct {
	size_t n, pieces, m, spans;
} extent;
/* The arrays of a struct, as a table, which is smaller than code: where their pointer is, how many bytes there are for
 * each of what is counted, and what that is. */
typedef struct {
	uint16_t pointer, each, of;
} slot;
enum { OF_N, OF_N1, OF_PIECES, OF_M2, OF_SPANS, OF_N_BITS, OF_M_BITS };
#define SLOT(type, name, times, of) {offsetof(type, name), (times) * sizeof *((type *)0)->name, of}
#define LAY_OUT(to, slots, a, x) lay_out(to, slots, sizeof slots / sizeof *slots, a, x)
APART void lay_out(void *to, const slot *s, size_t slots, arena *a, const extent *x) {
	size_t counts[] = {x->n, x->n + 1, x->pieces, x->m + 2, x->spans, x->n / 32 + 1, x->m / 32 + 1};
	for (; slots > 0; slots--, s++) {
		void *p = take(a, s->each, counts[s->of]);
		memcpy((char *)to + s->pointer, &p, sizeof p);
	}
}

/* ------------------------------------------------------------------------------------------------------ problem */
typedef struct {
	idx lower, upper; /* time */
	idx first, last;  /* sections */
	idx id;           /* the number of its first buffer */
#if SHAPES
	idx piece, count; /* its pieces */
#endif
	addr size, align;
	addr fixed; /* or -1 */
} body;

#if SHAPES
typedef struct {
	idx owner, first, last; /* body; sections, and time until sections are cut */
	addr size;              /* the bytes from the body's offset */
	addr need;              /* of these at least so many are in use */
} piece;
#define NEED(x) ((x)->need)
#else
typedef body piece; /* a body is its only piece */
#define NEED(x) ((x)->size)
#endif

typedef struct {
	idx n, pieces, m; /* bodies, pieces, sections */
	body *bodies;     /* in the order of their begin */
	piece *piece;     /* in the order of their bodies */
	addr *at;         /* the best plan */
	addr *trial;      /* a plan in the making; loads of sections while these are cut */
	addr *load;       /* of a body: the largest load of its sections */
	idx *order, *next; /* lists of bodies in the making; as long as the pieces */
	idx *tree, *meet; /* see heuristics; n */
	addr step;        /* every offset and size is a multiple of it */
	addr bound;       /* no plan is lower */
	uint64_t full;    /* the mean load of a section */
	int loose;        /* a body takes bytes that it does not need, so only the bound proves anything */
	int sparse;       /* few bodies meet */
	int scored;       /* ranks are by a score: weight x log load + load[i]. See merge */
	idx weight;
} problem;

typedef int (*before_fn)(const void *context, idx a, idx b);

/* Sorts by a total order. Shell sort: small, and fast on lists that are nearly sorted. */
static void sort(idx *list, idx n, before_fn before, const void *context) {
	idx gap = 1, i;
	while (gap < n / 3) gap = 3 * gap + 1;
	for (; gap > 0; gap /= 3) {
		for (i = gap; i < n; i++) {
			idx x = list[i], p = i;
			for (; p >= gap && before(context, x, list[p - gap]); p -= gap) list[p] = list[p - gap];
			list[p] = x;
		}
	}
}
/* By a time of pieces: context is that of the first piece. Ties go by the number. */
static int by_time(const void *context, idx i, idx j) {
	const idx *time = context;
	idx x = time[i * (idx)(sizeof(piece) / sizeof(idx))], y = time[j * (idx)(sizeof(piece) / sizeof(idx))];
	return x != y ? x < y : i < j;
}
static const slot problem_slots[] = {
	SLOT(problem, bodies, 1, OF_N), SLOT(problem, at, 1, OF_N), SLOT(problem, load, 1, OF_N),
	SLOT(problem, trial, 1, OF_PIECES), SLOT(problem, order, 1, OF_PIECES), SLOT(problem, next, 1, OF_PIECES),
#if SHAPES
	SLOT(problem, piece, 1, OF_PIECES), SLOT(problem, tree, 1, OF_N), SLOT(problem, meet, 1, OF_N),
#endif
};
static void problem_arrays(problem *p, arena *a, const extent *x) {
	LAY_OUT(p, problem_slots, a, x);
#if !SHAPES
	p->piece = p->bodies;
#endif
}

/* What is needed while bodies are made of buffers. */
typedef struct {
	piece *raw;     /* has a piece for each stretch of each buffer, grouped by body; p->piece for plain problems */
	addr *distance; /* of a buffer, from the offset of its body */
	idx *root;      /* of a buffer: the first buffer of its body */
} transient;

/* Returns how many pieces there may be, or 0 if the problem is not valid. */
static size_t validate(const stowage_core_problem *q) {
	idx i, n = q->count;
#if SHAPES
	idx g, l;
#endif
	if (n < 0 || n > MOST_COUNT || (n > 0 && !q->buffers)) return 0;
	if (q->gap_count < 0 || q->gap_count > MOST_COUNT || (q->gap_count > 0 && !q->gaps)) return 0;
	if (q->link_count < 0 || q->link_count > n || (q->link_count > 0 && !q->links)) return 0;
	for (i = 0; i < n; i++) {
		const stowage_core_buffer *b = &q->buffers[i];
		addr align = greater(b->alignment, 1);
		if (b->lower >= b->upper || b->size <= 0 || b->size > MOST || b->alignment < 0 || align > MOST) return 0;
		if (q->fixed && q->fixed[i] >= 0 && (q->fixed[i] > MOST || q->fixed[i] % align != 0)) return 0;
	}
#if SHAPES
	for (g = 0; g < q->gap_count; g++) {
		const stowage_core_gap *x = &q->gaps[g];
		const stowage_core_buffer *b;
		if (x->buffer < 0 || x->buffer >= n || (g > 0 && x->buffer < x[-1].buffer)) return 0;
		b = &q->buffers[x->buffer];
		if (x->lower >= x->upper || x->lower <= b->lower || x->upper >= b->upper) return 0;
		if (g > 0 && x[-1].buffer == x->buffer && x->lower <= x[-1].upper) return 0;
	}
	for (l = 0; l < q->link_count; l++) {
		const stowage_core_link *x = &q->links[l];
		if (x->buffer < 0 || x->buffer >= n || x->with < 0 || x->with >= x->buffer) return 0;
		if ((l > 0 && x->buffer <= x[-1].buffer) || (q->fixed && q->fixed[x->buffer] >= 0)) return 0;
		if (x->distance > MOST || x->distance < -MOST) return 0;
	}
	i = n + q->gap_count;
	return q->gap_count > 0 || q->link_count > 0 ? 2 * (size_t)i : (size_t)i;
#else
	return q->gap_count > 0 || q->link_count > 0 ? 0 : (size_t)n;
#endif
}

static int is_empty(const stowage_core_problem *q) {
	return q->count == 0 && q->gap_count == 0 && q->link_count == 0;
}

#if SHAPES
/* Makes bodies of buffers.
 *
 * Idea: linked buffers are one body. In each of its pieces it takes the bytes from its offset to its highest buffer.
 * So two bodies that share a section may not have offsets whose difference is in one open interval around 0, and the
 * search needs no other kind of conflict. Where the highest buffer of a piece does not begin at the body's offset, the
 * bytes below it may be free, and the body is loose: plans are right, but the search proves nothing.
 *
 * Invariant: raw, which is p->piece for plain problems, has a piece for each stretch of each buffer, grouped by body.
 * distance[i] is from the offset of i's body. Returns whether links, fixed offsets and sums of sizes are valid.
 * Complexity: O(n log n), and the square of a body's stretches. Source: bodies of Stowage's internal/lower. */
APART int gather(problem *p, const stowage_core_problem *q, const transient *of) {
	idx i, k, n = 0, *root = of->root;
	piece *raw = of->raw;
	addr *distance = of->distance;
	idx g = 0, l = 0;
	int composite = q->gap_count > 0 || q->link_count > 0;
	body *b = p->bodies;
	addr sum = 0, fixed = 0;
	for (i = 0; i < q->count; i++) { /* root[i]: the first buffer of i's body, whose begin is in p->piece */
		const stowage_core_buffer *x = &q->buffers[i];
		root[i] = i, distance[i] = 0;
		if (l < q->link_count && q->links[l].buffer == i) {
			idx with = q->links[l].with;
			root[i] = root[with], distance[i] = distance[with] + q->links[l++].distance;
			if (distance[i] < 0 || distance[i] > MOST - x->size || distance[i] % greater(x->alignment, 1) != 0) return 0;
			if (x->lower < p->piece[root[i]].first) p->piece[root[i]].first = x->lower;
			continue;
		}
		p->piece[i].first = x->lower, p->order[n++] = i;
	}
	sort(p->order, n, by_time, &p->piece->first);
	for (k = 0; k < n; k++) {
		body y = {0, 0, 0, 0, 0, 0, 0, 0, 1, -1};
		y.id = p->order[k], y.lower = p->piece[y.id].first;
		if (q->fixed && q->fixed[y.id] >= 0) y.fixed = q->fixed[y.id];
		y.upper = y.lower, p->next[y.id] = k, b[k] = y;
	}
	for (i = 0; i < q->count; i++) {
		const stowage_core_buffer *x = &q->buffers[i];
		body *to = &b[p->next[root[i]]];
		addr align = greater(x->alignment, 1), lcm = to->align / divisor(to->align, align);
		if (x->upper > to->upper) to->upper = x->upper;
		to->size = greater(to->size, distance[i] + x->size);
		if (lcm > MOST / align) return 0;
		to->align = lcm * align, to->count++;
		for (; g < q->gap_count && q->gaps[g].buffer == i; g++) to->count++;
	}
	p->n = n;
	for (i = k = 0; k < n; k++) {
		p->order[k] = b[k].piece = i, i += b[k].count;
		if (b[k].size > MOST - sum || b[k].align > MOST - sum - b[k].size) return 0;
		sum += b[k].size + b[k].align - 1;
		if (b[k].fixed > 0 && b[k].fixed % b[k].align != 0) return 0;
		fixed = greater(fixed, b[k].fixed);
	}
	if (fixed > MOST - sum) return 0; /* even all bodies above one another stay below MOST */
	g = 0;
	for (i = 0; i < q->count; i++) {
		const stowage_core_buffer *x = &q->buffers[i];
		idx from = x->lower;
		piece y = {0, 0, 0, 0, 0};
		y.owner = p->next[root[i]], y.size = distance[i] + x->size, y.need = x->size;
		for (; g < q->gap_count && q->gaps[g].buffer == i; g++) {
			y.first = from, y.last = q->gaps[g].lower, from = q->gaps[g].upper;
			raw[p->order[y.owner]++] = y;
		}
		y.first = from, y.last = x->upper;
		raw[p->order[y.owner]++] = y;
	}
	p->pieces = p->order[n - 1];
	if (!composite) return 1;
	for (i = k = 0; k < n; k++) { /* raw pieces of a body overlap in time: cut them */
		piece *from = raw + b[k].piece;
		idx count = b[k].count, t, e;
		b[k].piece = i;
		for (e = 1; e < count; e++) {
			piece x = from[e];
			for (t = e; t > 0 && from[t - 1].first > x.first; t--) from[t] = from[t - 1];
			from[t] = x;
		}
		for (t = from[0].first; t < b[k].upper;) {
			piece x = {0, 0, 0, 0, 0};
			addr need = 0;
			x.owner = k, x.first = t, x.last = b[k].upper;
			for (e = 0; e < count && from[e].first <= t; e++) {
				const piece *y = &from[e];
				if (y->last <= t) continue;
				if (y->size > x.size || (y->size == x.size && y->need > x.need)) x.size = y->size, x.need = y->need;
				need = greater(need, y->need);
				if (y->last < x.last) x.last = y->last;
			}
			if (e < count && from[e].first < x.last) x.last = from[e].first;
			t = x.last;
			if (x.size == 0) continue;
			if (x.need < x.size) p->loose = 1, x.need = need;
			if (i > b[k].piece) {
				piece *y = &p->piece[i - 1];
				if (y->last == x.first && y->size == x.size && y->need == x.need) {
					y->last = x.last;
					continue;
				}
			}
			p->piece[i++] = x;
		}
		b[k].count = i - b[k].piece;
	}
	p->pieces = i;
	return 1;
}
#else
/* A buffer is a body. Returns whether fixed offsets and sums of sizes are valid. */
static int gather(problem *p, const stowage_core_problem *q, const transient *of) {
	(void)of;
	idx i, k;
	addr sum = 0, fixed = 0;
	p->n = p->pieces = q->count;
	for (i = 0; i < p->n; i++) p->order[i] = i, p->bodies[i].first = q->buffers[i].lower;
	sort(p->order, p->n, by_time, &p->bodies->first);
	for (k = 0; k < p->n; k++) {
		const stowage_core_buffer *x = &q->buffers[i = p->order[k]];
		body *b = &p->bodies[k];
		b->id = i, b->lower = b->first = x->lower, b->upper = b->last = x->upper;
		b->size = x->size, b->align = greater(x->alignment, 1), b->fixed = q->fixed ? q->fixed[i] : -1;
		if (b->size > MOST - sum || b->align > MOST - sum - b->size) return 0;
		sum += b->size + b->align - 1, fixed = greater(fixed, b->fixed);
	}
	return fixed <= MOST - sum;
}
#endif

/* Cuts time into sections, and computes loads.
 *
 * Idea: one sweep over begins and ends. A section closes at an end that follows a begin, so sections are the maximal
 * sets of pieces that live at once. Complexity: O(pieces log pieces), and the sections of all pieces for loads.
 *
 * Bound: a load, rounded up to the step. All offsets are multiples of unit, the divisor of all alignments. So all
 * bodies but the topmost take their size rounded up to the unit. */
static void cut_sections(problem *p) {
	idx i, e, s = 0, count = p->pieces;
	int open = 0;
	addr load = 0, padded = 0, pad = 0, unit = 0, step = 0;
	int64_t meetings = 0;
	for (i = 0; i < p->n; i++) {
		body *b = &p->bodies[i];
		unit = divisor(unit, b->align);
		step = divisor(step, b->size);
		if (b->align > 1) step = divisor(step, b->align);
		if (b->fixed > 0) step = divisor(step, b->fixed);
		p->bound = greater(p->bound, greater(b->fixed, 0) + b->size);
	}
	for (i = 0; i < count; i++) {
		p->order[i] = p->next[i] = i;
		step = divisor(step, p->piece[i].size);
		pad = greater(pad, round_up(NEED(&p->piece[i]), unit) - NEED(&p->piece[i]));
	}
	if (p->loose) step = 1;
	p->step = step;
	sort(p->order, count, by_time, &p->piece->first);
	sort(p->next, count, by_time, &p->piece->last);
	for (e = 0; e < count;) {
		piece *x = &p->piece[p->next[e]];
		if (s < count && p->piece[p->order[s]].first < x->last) { /* both are times still */
			piece *y = &p->piece[p->order[s]];
			load += NEED(y), padded += round_up(NEED(y), unit);
			meetings += s - e, s++, open = 1;
			y->first = p->m;
			continue;
		}
		if (open) {
			p->bound = greater(p->bound, greater(load, p->loose ? 0 : padded - pad));
			p->trial[p->m++] = load, open = 0;
		}
		load -= NEED(x), padded -= round_up(NEED(x), unit);
		x->last = p->m, e++;
	}
	p->sparse = count == p->n && p->n > 64 && meetings < (int64_t)p->n * p->n / 16;
	p->bound = round_up(p->bound, step);
	for (s = 0; s < p->m; s++) p->full += (uint64_t)p->trial[s] / (uint64_t)p->m;
	for (i = 0; i < p->n; i++) {
		body *b = &p->bodies[i];
		p->at[i] = 2 * MOST, p->load[i] = 0;
#if SHAPES
		b->first = p->piece[b->piece].first, b->last = p->piece[b->piece + b->count - 1].last;
		for (e = b->piece; e < b->piece + b->count; e++) {
			const piece *x = &p->piece[e];
#else
		{
			const piece *x = b;
#endif
			for (s = x->first; s < x->last; s++) p->load[i] = greater(p->load[i], p->trial[s]);
		}
	}
}

#if SHAPES
#define WHOLE(b) ((b)->count == 1) /* it has one piece */
#else
#define WHOLE(b) 1
#endif
/* Returns how far above body i's offset body j must begin at least, if it is above, or 0 if they never meet.
 * Complexity: O(pieces of both). */
static addr reach(const problem *p, idx i, idx j) {
	const body *a = &p->bodies[i], *b = &p->bodies[j];
#if SHAPES
	addr most = 0;
	idx x = a->piece, y = b->piece, ends = x + a->count, endt = y + b->count;
#endif
	if (a->first >= b->last || b->first >= a->last) return 0;
#if SHAPES
	if (WHOLE(a) && WHOLE(b)) return a->size;
	while (x < ends && y < endt) {
		const piece *s = &p->piece[x], *t = &p->piece[y];
		if (s->first < t->last && t->first < s->last) most = greater(most, s->size);
		if (s->last <= t->last) x++; else y++;
	}
	return most;
#else
	return a->size;
#endif
}
static addr height_of(const problem *p, idx low, idx high) {
	addr most = 0;
	idx i;
	for (i = low; i < high; i++) most = greater(most, p->at[i] + p->bodies[i].size);
	return most;
}
/* Returns the end of the partition that begins with body low. */
static idx partition_end(const problem *p, idx low) {
	idx end = p->bodies[low].last, j = low;
	for (; j < p->n && p->bodies[j].first < end; j++) if (p->bodies[j].last > end) end = p->bodies[j].last;
	return j;
}

/* --------------------------------------------------------------------------------------------------- heuristics
 * Idea: bodies are placed one by one in some order, each at the lowest offset (first fit), or in the smallest hole that
 * takes it (best fit). The order "stack" is made by placing: always the body that can go lowest. Different orders
 * suit different problems, so the table has many, best first. Each partition keeps the best plan of its own.
 *
 * An order is a word of keys, each descending if it is a capital and ascending if not. The last tie is the number.
 *
 *	A size x width  C sections  I number  L begin  T load  U end  W width  Z size
 *
 * Invariant: the placed bodies are a list in the order of their offsets, so holes are found from below. In sparse
 * problems only bodies that meet the new one are looked at: a tree over the bodies, in the order of their begin, has
 * the largest end of what is placed below each node.
 *
 * Complexity: O(n^2) for a row at worst, O(meetings + n log n) in sparse partitions.
 * Source: first fit by size is that of TensorFlow Lite Micro, best fit by begin MLIR's and ggml's, best fit in the
 * order of the input IREE's, stacking that of Stowage's internal/greedy. */
typedef struct {
	const problem *p;
	const char *word;
	idx base; /* numbers are from this body on */
} keys;

static uint64_t key(const problem *p, idx i, char letter) {
	const body *b = &p->bodies[i];
	switch (letter & ~32) {
	case 'A': return (uint64_t)b->size * (uint64_t)((int64_t)b->upper - b->lower);
	case 'C': return (uint64_t)(b->last - b->first);
	case 'I': return (uint64_t)b->id;
	case 'L': return (uint64_t)((int64_t)b->lower + ((int64_t)1 << 31));
	case 'T': return (uint64_t)p->load[i];
	case 'U': return (uint64_t)((int64_t)b->upper + ((int64_t)1 << 31));
	case 'W': return (uint64_t)((int64_t)b->upper - b->lower);
	default: return (uint64_t)b->size;
	}
}
static int by_word(const void *context, idx i, idx j) {
	const keys *k = context;
	const char *w;
	i += k->base, j += k->base;
	for (w = k->word; *w; w++) {
		uint64_t x = key(k->p, i, *w), y = key(k->p, j, *w);
		if (x != y) return (*w & 32) ? x < y : x > y;
	}
	return k->p->bodies[i].id < k->p->bodies[j].id;
}

enum { FIRST, BEST, STACK };
static const struct {
	char word[4];
	char way;
} rows[] = {
	{"Z", FIRST}, {"TWA", STACK}, {"ZI", FIRST}, {"A", FIRST}, {"L", FIRST}, {"l", BEST}, {"lUZ", BEST}, {"TW", STACK},
	{"uA", STACK}, {"A", BEST}, {"Z", BEST}, {"LTA", STACK}, {"CZ", BEST}, {"i", BEST},
};
enum { FEW = 8, ROWS = sizeof rows / sizeof *rows, STACK_MOST = 4096, SMALL = 48 };

#if SHAPES
/* The tree: its nodes are positions of a binary search in [low, high), so that it needs no pointers. */
static void tree_place(problem *p, idx low, idx high, idx i) {
	while (low < high) {
		idx middle = low + (high - low) / 2;
		if (p->tree[middle] < p->bodies[i].last) p->tree[middle] = p->bodies[i].last;
		if (i == middle) return;
		if (i < middle) high = middle; else low = middle + 1;
	}
}
static int by_offset(const void *context, idx i, idx j) {
	const addr *at = context;
	return at[i] != at[j] ? at[i] < at[j] : i < j;
}
/* Makes a list of what is placed and meets body i, in the order of offsets. Returns its head, or -1. */
static idx tree_meet(problem *p, idx low, idx high, idx i) {
	idx from[32], to[32], depth = 0, n = 0, first = p->bodies[i].first, last = p->bodies[i].last, head = -1;
	from[depth] = low, to[depth++] = high;
	while (depth > 0) {
		idx a, b, middle;
		depth--, a = from[depth], b = to[depth];
		while (a < b) {
			middle = a + (b - a) / 2;
			if (p->tree[middle] <= first) break;
			if (p->bodies[middle].first < last) {
				if (p->trial[middle] != GONE && p->bodies[middle].last > first) p->meet[n++] = middle;
				from[depth] = middle + 1, to[depth++] = b;
			}
			b = middle;
		}
	}
	sort(p->meet, n, by_offset, p->trial);
	while (n > 0) p->next[p->meet[--n]] = head, head = p->meet[n];
	return head;
}
#endif
/* Returns where body i goes, beside what is placed: the list from head on. A body of several pieces may fit below one
 * body and not below the next, so it begins again at each new offset, and takes the lowest. */
static addr list_find(problem *p, idx head, idx i, int best) {
	const body *b = &p->bodies[i];
	addr at = 0, found = -1, room = MAX_ADDR;
	idx c = head;
	while (c >= 0) {
		const body *o = &p->bodies[c];
		addr below = 0, end;
		if (b->first < o->last && o->first < b->last) below = WHOLE(b) && WHOLE(o) ? b->size : reach(p, i, c);
		if (below == 0) {
			c = p->next[c];
			continue;
		}
		if (p->trial[c] - at >= b->size) {
			if (p->trial[c] - at < room) found = at, room = p->trial[c] - at;
			if (!best || !WHOLE(b)) break;
		} else if (p->trial[c] - at >= below) {
			c = p->next[c];
			continue;
		}
		end = round_up(p->trial[c] + (WHOLE(b) && WHOLE(o) ? o->size : reach(p, c, i)), b->align);
		if (end > at) {
			at = end;
			if (!WHOLE(b)) {
				c = head;
				continue;
			}
		}
		c = p->next[c];
	}
	return found >= 0 ? found : at;
}

enum { NOT_LOWER = -1, COLLISION = -2 };

/* Whether fixed body i collides with one of the list. */
static int collides(const problem *p, idx head, idx i) {
	addr at = p->bodies[i].fixed;
	idx c;
	for (c = head; c >= 0; c = p->next[c]) {
		if (p->trial[c] - at < reach(p, i, c) && at - p->trial[c] < reach(p, c, i)) return 1;
	}
	return 0;
}
/* Places the bodies of p->order, which are [low, high), fixed ones first. Returns the height, NOT_LOWER if it is not
 * below most, or COLLISION. */
static addr place_in_order(problem *p, idx low, idx high, int best, addr most) {
	addr height = 0;
	idx head = -1, n = high - low, k, i;
	int fixed;
#if SHAPES
	if (p->sparse) for (i = low; i < high; i++) p->tree[i] = -1, p->trial[i] = GONE;
#endif
	for (fixed = 1; fixed >= 0; fixed--) {
		for (k = 0; k < n; k++) {
			addr at;
			idx c, before = -1;
			i = p->order[k];
			if ((p->bodies[i].fixed >= 0) != fixed) continue;
			if (fixed) {
				if (collides(p, head, i)) return COLLISION;
				at = p->bodies[i].fixed;
			}
#if SHAPES
			else if (p->sparse) at = list_find(p, tree_meet(p, low, high, i), i, best);
#endif
			else at = list_find(p, head, i, best);
			if (at + p->bodies[i].size >= most) return NOT_LOWER;
			height = greater(height, at + p->bodies[i].size);
			p->trial[i] = at;
#if SHAPES
			if (p->sparse) {
				tree_place(p, low, high, i);
				if (!fixed) continue;
			}
#endif
			for (c = head; c >= 0 && p->trial[c] < at; c = p->next[c]) before = c;
			p->next[i] = c;
			if (before < 0) head = i; else p->next[before] = i;
		}
	}
	return height;
}
/* Puts p->order in the order of stacking: always the body that can go lowest, ties by the order. */
static void stack_order(problem *p, idx low, idx high) {
	idx n = high - low, i, k, pick, j;
	for (i = low; i < high; i++) p->trial[i] = 0;
	for (k = 0; k < n; k++) {
		for (pick = i = k; i < n; i++) if (p->trial[p->order[i]] < p->trial[p->order[pick]]) pick = i;
		j = p->order[pick];
		for (; pick > k; pick--) p->order[pick] = p->order[pick - 1];
		p->order[k] = j;
		for (i = k + 1; i < n; i++) {
			idx c = p->order[i];
			addr up;
			if (p->bodies[c].first >= p->bodies[j].last || p->bodies[j].first >= p->bodies[c].last) continue;
			up = reach(p, j, c);
			if (up > 0 && p->trial[c] < p->trial[j] + up) p->trial[c] = round_up(p->trial[j] + up, p->bodies[c].align);
		}
	}
}
/* Plans bodies [low, high) by rows [row, end) until the height is at most goal. Returns the height of the best plan,
 * which is at most lowest, or COLLISION. */
static addr heuristics(problem *p, idx low, idx high, addr goal, addr lowest, idx row, idx end) {
	idx i;
	for (; row < end && lowest > goal; row++) {
		keys k;
		addr h;
		k.p = p, k.word = rows[row].word, k.base = 0;
		for (i = low; i < high; i++) p->order[i - low] = i;
		sort(p->order, high - low, by_word, &k);
		if (rows[row].way == STACK && high - low <= STACK_MOST) stack_order(p, low, high);
		h = place_in_order(p, low, high, rows[row].way == BEST, lowest);
		if (h == COLLISION) return h;
		if (h < 0) continue;
		lowest = h;
		for (i = low; i < high; i++) p->at[i] = p->trial[i];
	}
	return lowest;
}

#if STOWAGE_CORE_LEVEL >= 2
/* The nodes of a call, and whether the caller wants an end. */
typedef struct {
	const stowage_core_options *options;
	int64_t left, spent;
	int cancelled;
} run;

static int cancelled(run *r) {
	if (!r->cancelled && r->options->cancel && r->options->cancel(r->options->context)) r->cancelled = 1, r->left = 0;
	return r->cancelled;
}
static void spend(run *r, int64_t nodes) {
	if (nodes > r->left) nodes = r->left;
	r->left -= nodes, r->spent += nodes;
}

/* ------------------------------------------------------------------------------------------------------- kernel
 * Idea: a plan in which no body can be lowered is canonical, and if there is a plan, there is a canonical one at most
 * as high. Its bodies are placed in the order of their offsets, and among equal ones in the order of their ranks. So
 * each is placed at its bound lb, the lowest offset above all that is placed and meets it, and no later one is lower.
 *
 * State. An unplaced body has two bounds: lb, where it lies if it is placed now, and inf >= lb, which no plan below
 * this node undercuts. It waits if its lb is below the last offset, so that it must be raised before it is placed.
 * blocks have inf and height of unplaced pieces, so that sections are checked without looking at bodies.
 *
 * Invariant: the trail has what undo needs. Bounds are logged once for each level, ranks at each change. If the trail
 * is full the search ends as cut off, never as exhausted.
 * Source: Moffitt, MiniMalloc, ASPLOS 2023; Stowage's internal/exact/canonical, without memo and fronts. */
typedef struct {
	idx first, last;   /* sections */
	idx rank;          /* the last placement: nothing is placed below it */
	addr offset;
} part;
typedef struct {
	idx first, last;   /* sections */
	idx piece, end;    /* blocks [piece, end) */
	idx twin;          /* a body with a lower number that is just like it, or -1 */
	idx rank, tie;     /* tie: the rank by the word alone */
	idx seen, logged;  /* the epoch of lifting that saw it; the last log of its bounds in the trail */
	idx by;            /* the neighbour on whose end inf stands, if distance is added; or -1 */
	addr distance;
	addr align, tall;  /* tall: the size, rounded up to unit */
	addr lb, inf, ub;  /* bounds of the offset */
	addr best;         /* the plan */
	addr crowd;        /* the largest load of its sections */
} item;
typedef struct {
	addr start, size;  /* inf of the body, or GONE; rounded up to unit */
	idx first, last, owner;
} block;
typedef struct {
	addr total;        /* what is unplaced */
	addr top;          /* the highest start that was checked */
	idx live;          /* unplaced blocks */
	idx cuts;          /* unplaced bodies that go on behind it */
	idx begins;        /* bodies [begins of s, begins of t) begin in sections [s, t) */
	idx list_at;       /* its blocks are in list from here on, first those unplaced */
	idx edges;         /* how many unplaced blocks begin or end at its begin */
} section;
typedef struct { idx at; addr lb, inf; } change; /* at: both bounds of a body; ~at: its rank, in lb */
typedef struct {
	part c;             /* what is searched; its last placement is that of the body tried */
	idx body, trail, path, level;
	idx base, end, next; /* the parts that it fell into, parts[base, end), and the next of them */
	addr top;           /* no candidate is above */
} frame;

enum { EXHAUSTED, SOLVED, CUT };
enum { TRAIL_EACH = 48 };

typedef struct { /* what is used most is in front, where it takes the shortest instructions */
	item *items;                /* the bodies */
	section *sections;          /* m + 2 of them, for begins, list_at and edges */
	block *blocks;              /* the pieces of bodies */
	problem *p;
	uint32_t *dirty, *starts;   /* sections that must be checked, of those with edges */
	uint32_t *unplaced;         /* bodies */
	idx *near;                  /* what meets a body */
	idx trail_count, path_count, part_count, level;
	int full;                   /* the trail or the parts are, or the caller cancelled */
	idx epoch;                  /* of seen */
	idx base, n, m, s0;         /* bodies [base, base + n) of p; m sections from s0 */
	addr highest;               /* the highest start that moved since the last undo */
	addr unit, limit;           /* the divisor of alignments; no top is above the limit */
	int64_t nodes, most, raised;
	run *r;
	part *parts;
	frame *frames;
	change *trail;
	idx *list;
	idx *path, *scratch, *open; /* what is placed; and lists in the making: those of heuristics, as near */
	addr *ends;                 /* of what is open */
	idx pieces;
	int composite;              /* some body has several pieces */
} kernel;

static idx trailing_zeros(uint32_t x) {
	idx n = 0;
#ifdef __GNUC__
	n = __builtin_ctz(x);
#else
	while (!(x & 1)) x >>= 1, n++;
#endif
	return n;
}
static idx leading_zeros(uint32_t x) {
	idx n = 0;
#ifdef __GNUC__
	n = __builtin_clz(x);
#else
	while (!(x >> 31)) x <<= 1, n++;
#endif
	return n;
}
static void set_bit(uint32_t *set, idx i) { set[i >> 5] |= (uint32_t)1 << (i & 31); }
static void clear_bit(uint32_t *set, idx i) { set[i >> 5] &= ~((uint32_t)1 << (i & 31)); }
static void clear_bits(uint32_t *set, idx n) { memset(set, 0, sizeof(uint32_t) * (size_t)(n / 32 + 1)); }
/* Returns the first bit of [from, high), or high. */
static idx bit_from(const uint32_t *set, idx from, idx high) {
	idx w = from >> 5;
	uint32_t x;
	if (from >= high) return high;
	x = set[w] & (~(uint32_t)0 << (from & 31));
	while (!x) {
		if (++w << 5 >= high) return high;
		x = set[w];
	}
	from = (w << 5) + trailing_zeros(x);
	return from < high ? from : high;
}
/* Returns the last bit of [low, to), or low - 1. */
static idx bit_before(const uint32_t *set, idx to, idx low) {
	idx w = (to - 1) >> 5;
	uint32_t x;
	if (to <= low) return low - 1;
	x = set[w] & (~(uint32_t)0 >> (31 - ((to - 1) & 31)));
	while (!x) {
		if (w-- << 5 <= low) return low - 1;
		x = set[w];
	}
	to = (w << 5) + 31 - leading_zeros(x);
	return to >= low ? to : low - 1;
}
/* The unplaced bodies of a part: for (j = -1; next_of(k, c, &j);). Returns whether there is another one. */
static int next_of(const kernel *k, const part *c, idx *j) {
	idx from = k->sections[c->first].begins, end = k->sections[c->last].begins;
	*j = bit_from(k->unplaced, *j < 0 ? from : *j + 1, end);
	return *j < end;
}

static int placed(const kernel *k, idx j) { return k->blocks[k->items[j].piece].start == GONE; }
static int waits(const kernel *k, const part *c, idx j) {
	return k->items[j].lb < c->offset || (k->items[j].lb == c->offset && k->items[j].rank < c->rank);
}
static addr above(const kernel *k, idx i, idx j) {
	return k->composite ? round_up(reach(k->p, k->base + i, k->base + j), k->unit) : k->items[i].tall;
}

/* Lists the unplaced bodies that meet j in k->near, and returns how many. */
static idx neighbours(kernel *k, idx j) {
	idx n = 0, c, high = k->sections[k->items[j].last].begins;
	const idx *live = k->list + k->sections[k->items[j].first].list_at;
	if (k->composite) { /* in a gap it is not in the list of a section */
		for (c = bit_from(k->unplaced, 0, high); c < high; c = bit_from(k->unplaced, c + 1, high)) {
			if (c != j && reach(k->p, k->base + j, k->base + c) > 0) k->near[n++] = c;
		}
		return n;
	}
	for (c = k->sections[k->items[j].first].live; c > 0; live++) {
		if (k->blocks[*live].start >= GONE) continue;
		c--;
		if (*live != j) k->near[n++] = *live;
	}
	c = bit_from(k->unplaced, k->sections[k->items[j].first + 1].begins, high);
	for (; c < high; c = bit_from(k->unplaced, c + 1, high)) k->near[n++] = c;
	return n;
}

APART void log_change(kernel *k, idx at, addr lb, addr inf) {
	change c;
	if (k->trail_count == TRAIL_EACH * (k->n + 1)) {
		k->full = 1;
		return;
	}
	c.at = at, c.lb = lb, c.inf = inf;
	k->trail[k->trail_count++] = c;
}
static void log_bounds(kernel *k, idx j) {
	idx at = k->items[j].logged;
	if (at >= k->level && at < k->trail_count && k->trail[at].at == j) return;
	k->items[j].logged = k->trail_count;
	log_change(k, j, k->items[j].lb, k->items[j].inf);
}
static void mark_dirty(kernel *k, idx first, idx last) {
	idx s = bit_from(k->starts, first, last);
	for (; s < last; s = bit_from(k->starts, s + 1, last)) set_bit(k->dirty, s);
}
/* After inf[j] changed. */
static void moved(kernel *k, idx j) {
	idx e;
	if (k->items[j].inf > k->highest) k->highest = k->items[j].inf;
	for (e = k->items[j].piece; e < k->items[j].end; e++) {
		k->blocks[e].start = k->items[j].inf;
		mark_dirty(k, k->blocks[e].first, k->blocks[e].last);
	}
}
static void count_edge(kernel *k, idx s, int by) {
	if ((k->sections[s].edges += by) > 0) set_bit(k->starts, s); else clear_bit(k->starts, s);
}
/* Takes j out of what is unplaced (by is -1), or back into it (1). */
static void move_body(kernel *k, idx j, int by) {
	addr start = by > 0 ? k->items[j].inf : GONE;
	idx e, s;
	if (by > 0) set_bit(k->unplaced, j); else clear_bit(k->unplaced, j);
	for (s = k->items[j].first; s + 1 < k->items[j].last; s++) k->sections[s].cuts += by;
	for (e = k->items[j].piece; e < k->items[j].end; e++) {
		block *b = &k->blocks[e];
		b->start = start;
		for (s = b->first; s < b->last; s++) {
			section *x = &k->sections[s];
			x->total += by > 0 ? b->size : -b->size, x->live += by;
			if (by > 0 && x->top < start) x->top = start;
		}
		count_edge(k, b->first, by), count_edge(k, b->last, by);
	}
}
/* Goes back to where the trail and the path had these lengths. */
static void undo(kernel *k, idx trail, idx path) {
	idx e;
	while (k->trail_count > trail) {
		const change *c = &k->trail[--k->trail_count];
		if (c->at < 0) {
			k->items[~c->at].rank = (idx)c->lb;
			continue;
		}
		k->items[c->at].lb = c->lb, k->items[c->at].inf = c->inf;
		for (e = k->items[c->at].piece; e < k->items[c->at].end; e++) k->blocks[e].start = c->inf;
	}
	while (k->path_count > path) move_body(k, k->path[--k->path_count], 1);
	clear_bits(k->dirty, k->m);
	k->highest = 0;
}
/* Raises inf: no plan has j lower. Returns whether that fits. */
static int tighten(kernel *k, idx j, addr to) {
	log_bounds(k, j);
	k->items[j].inf = round_up(to, k->items[j].align);
	moved(k, j);
	k->raised++;
	return k->items[j].inf <= k->items[j].ub;
}
/* Raises lb, since what is placed reaches up to top. Returns whether that fits. */
static int raise(kernel *k, idx j, addr top) {
	if (k->items[j].lb >= top) return 1;
	top = round_up(top, k->items[j].align);
	if (top > k->items[j].ub) return 0;
	log_bounds(k, j);
	k->items[j].lb = top;
	if (k->items[j].inf < top) {
		k->items[j].inf = top;
		moved(k, j);
	}
	return 1;
}
/* Returns the start of the run of section s: sections between two starts have the same pieces. */
static idx run_of(const kernel *k, idx s) {
	idx start = bit_before(k->starts, s + 1, 0);
	return start < 0 ? 0 : start;
}
/* Places j at its bound. Returns whether all that meets it still fits. */
static int place_body(kernel *k, idx j) {
	idx n, i, e;
	k->items[j].best = k->items[j].lb;
	k->path[k->path_count++] = j;
	k->highest = 0;
	move_body(k, j, -1);
	for (e = k->items[j].piece; e < k->items[j].end; e++) {
		mark_dirty(k, k->blocks[e].first, k->blocks[e].last);
		if (k->sections[k->blocks[e].first].live > 0) set_bit(k->dirty, run_of(k, k->blocks[e].first));
	}
	n = neighbours(k, j);
	for (i = 0; i < n; i++) if (!raise(k, k->near[i], k->items[j].lb + above(k, j, k->near[i]))) return 0;
	return 1;
}

/* ---------------------------------------------------------------------------------------------------- inference
 * The suffix bound. Idea: of the unplaced pieces of a section, in the order of their starts, each has below it at most
 * what its start leaves, so start + sizes of this and all later ones <= limit. With slack = limit - all sizes that is
 * start - sizes of earlier ones <= slack. Invariant: the list of a section is kept nearly sorted by start, and top is
 * the highest start for which it held. Complexity: O(pieces of the section).
 * Source: Stowage's internal/exact/canonical/suffixbound.go. */
static void sort_pieces(kernel *k, idx *list, idx from, idx live) {
	idx *apart = k->scratch, away = 0, to = from, r, p;
	for (r = from; to < live; r++) {
		idx x = list[r];
		addr start = k->blocks[x].start;
		if (start == GONE) {
			apart[away++] = x;
			continue;
		}
		for (p = to; p > 0 && k->blocks[list[p - 1]].start > start; p--) list[p] = list[p - 1];
		list[p] = x;
		to++;
	}
	for (r = 0; r < away; r++) list[live + r] = apart[r];
}
/* Not-first. Idea: a piece whose start is above the slack leaves too much empty if it is the lowest of its section, so
 * another one is below it, and it begins where the first of the others can end. least and second are the two
 * smallest ends. Source: edge finding of scheduling (Carlier and Pinson 1989); notfirst.go of the same package. */
static int not_first(kernel *k, const idx *list, idx n, addr slack, addr least, addr second) {
	idx i;
	for (i = 0; i < n; i++) {
		block b = k->blocks[list[i]];
		addr other;
		if (b.start <= slack) continue;
		if (b.start >= second) break;
		other = b.start + b.size == least ? second : least;
		if (other > b.start && (other == MAX_ADDR || !tighten(k, k->blocks[list[i]].owner, other))) return 0;
	}
	return 1;
}
/* Both, in section s. Returns whether it fits. */
static int check_section(kernel *k, idx s) {
	addr slack = k->limit - k->sections[s].total, top = greater(k->sections[s].top, k->highest);
	idx *all = k->list + k->sections[s].list_at, n = k->sections[s].live, at;
	int sorted;
	if (top <= slack) {
		k->sections[s].top = top;
		return 1;
	}
	for (sorted = 0;; sorted = 1) {
		addr least = MAX_ADDR, second = MAX_ADDR, last = -1, sum = 0;
		for (at = 0; at < n; at++) {
			block b = k->blocks[all[at]];
			addr end;
			if (b.start - sum > slack || b.start < last) break; /* also if it is GONE */
			last = b.start, sum += b.size, end = b.start + b.size;
			second = lesser(second, greater(least, end));
			least = lesser(least, end);
		}
		if (at == n) {
			k->sections[s].top = last;
			return second <= slack || not_first(k, all, n, slack, least, second);
		}
		if (sorted) return 0;
		sort_pieces(k, all, at, n);
	}
}
/* Lifting. Idea: a body that waits is placed later only if a neighbour raises it, so it begins at the earliest end of
 * an unplaced neighbour, which may itself wait. Invariant: by[j] is the neighbour on whose end inf[j] stood when it
 * was last raised. confirmed follows these from body to body to one that does not wait, so that most nodes lift
 * nothing. What is not confirmed is lifted in the order of ends, as in Dijkstra's algorithm.
 * Complexity: O(open^2 + neighbours of these). Source: Stowage's internal/exact/canonical/lifting.go. */
static int confirmed(kernel *k, const part *c, idx j) {
	idx chain = 0;
	int ok;
	for (;;) {
		const item *w = &k->items[j];
		if (k->items[j].seen >= k->epoch - 1) {
			ok = k->items[j].seen == k->epoch;
			break;
		}
		k->items[j].seen = k->epoch - 1;
		k->scratch[chain++] = j;
		ok = 0;
		if (w->by < 0 || placed(k, w->by) || k->items[w->by].inf + w->distance > k->items[j].inf) break;
		ok = !waits(k, c, w->by);
		if (ok) break;
		j = w->by;
	}
	if (ok) while (chain > 0) k->items[k->scratch[--chain]].seen = k->epoch;
	return ok;
}
static int lift(kernel *k, const part *c) {
	idx n = 0, i, j, b, *open = k->open;
	addr *ends = k->ends;
	k->epoch += 2; /* seen: epoch - 1 not confirmed, epoch confirmed */
	for (b = -1; next_of(k, c, &b);) {
		if (waits(k, c, b) && !confirmed(k, c, b)) open[n++] = b;
	}
	for (i = 0; i < n; i++) {
		addr least = MAX_ADDR;
		idx count;
		b = open[i];
		count = neighbours(k, b);
		for (j = 0; j < count; j++) {
			idx y = k->near[j];
			addr up = above(k, y, b), end = k->items[y].inf + up;
			if (end < least && k->items[y].seen != k->epoch - 1) least = end, k->items[b].by = y, k->items[b].distance = up;
		}
		ends[i] = least == MAX_ADDR ? least : greater(k->items[b].inf, round_up(least, k->items[b].align));
	}
	for (; n > 0; n--) {
		idx pick = 0;
		addr to;
		for (i = 1; i < n; i++) if (ends[i] < ends[pick]) pick = i;
		b = open[pick], to = ends[pick];
		if (to == MAX_ADDR) return 0;
		if (to > k->items[b].inf && !tighten(k, b, to)) return 0;
		open[pick] = open[n - 1], ends[pick] = ends[n - 1];
		for (i = 0; i < n - 1; i++) {
			idx o = open[i];
			addr up, end;
			if (k->items[o].first >= k->items[b].last || k->items[b].first >= k->items[o].last) continue;
			up = above(k, b, o);
			if (up == 0) continue;
			end = greater(k->items[o].inf, round_up(k->items[b].inf + up, k->items[o].align));
			if (end < ends[i]) ends[i] = end, k->items[o].by = b, k->items[o].distance = up;
		}
	}
	return 1;
}
/* Infers in part c until nothing changes, for some rounds. Returns 0 if c cannot be completed. */
static int infer(kernel *k, const part *c) {
	idx s;
	int round;
	for (round = 0; round < 30; round++) {
		int64_t raised;
		if (!lift(k, c)) return 0;
		raised = k->raised;
		for (s = round & 1 ? c->first - 1 : c->last;;) { /* odd rounds go up, even ones down */
			s = round & 1 ? bit_from(k->dirty, s + 1, c->last) : bit_before(k->dirty, s, c->first);
			if (s < c->first || s >= c->last) break;
			clear_bit(k->dirty, s);
			if (!check_section(k, s)) return 0;
		}
		if (k->raised == raised) return 1;
	}
	for (s = bit_from(k->dirty, c->first, c->last); s < c->last; s = bit_from(k->dirty, s + 1, c->last)) {
		clear_bit(k->dirty, s);
		k->sections[s].top = greater(k->sections[s].top, k->highest);
	}
	return 1;
}

/* -------------------------------------------------------------------------------------------------------- search
 * Ranks say in which order candidates with the same offset are tried. They begin with the load of what is unplaced, so
 * they are renewed where a part falls apart. */
static int by_load(const void *context, idx i, idx j) {
	const kernel *k = context;
	const item *a = &k->items[i], *b = &k->items[j];
	return a->crowd != b->crowd ? a->crowd > b->crowd : a->tie < b->tie;
}
/* Returns 256 log2 x, within 3. */
static int32_t log256(uint64_t x) {
	int32_t e = 0;
	uint64_t y = x;
	uint32_t rest;
	while (y > 1) y >>= 1, e++;
	rest = (uint32_t)(e > 8 ? x >> (e - 8) : x << (8 - e)) & 255;
	return e * 256 + (int32_t)(rest + rest * (256 - rest) * 88 / 65536);
}
static void rank_bodies(kernel *k, const part *c) {
	idx *list = k->p->order, n = 0, j, s, r;
	for (j = -1; next_of(k, c, &j);) {
		addr most = 0;
		list[n++] = j;
		for (s = k->items[j].first; s < k->items[j].last; s++) most = greater(most, k->sections[s].total);
		k->items[j].crowd = most;
		if (k->p->scored) k->items[j].crowd = (addr)(k->p->weight * log256((uint64_t)most) / 256) + k->p->load[k->base + j];
	}
	sort(list, n, by_load, k);
	for (r = 0; r < n; r++) {
		j = list[r];
		if (k->items[j].rank == r) continue;
		log_change(k, ~j, k->items[j].rank, 0);
		k->items[j].rank = r;
	}
}
/* Returns the highest offset at which a body may still be placed: the rest of the fullest section is above it. */
static addr ceiling(const kernel *k, const part *c) {
	addr most = 0;
	idx s;
	for (s = c->first; s < c->last; s++) most = greater(most, k->sections[s].total);
	return k->limit - most;
}
/* Twins. Of two bodies that are just alike, the one with the lower number is placed first. */
static int eligible(const kernel *k, idx j) {
	return k->items[j].inf <= k->items[j].lb && (k->items[j].twin < 0 || placed(k, k->items[j].twin));
}
static int tried_before(const kernel *k, idx i, idx j) {
	return k->items[i].lb != k->items[j].lb ? k->items[i].lb < k->items[j].lb : k->items[i].rank < k->items[j].rank;
}

/* Splitting. Idea: if no unplaced body lives on both sides of a cut, the two sides are searched by themselves, and the
 * second is not searched again for each plan of the first. New cuts are within the lifespan of what was placed.
 * Infers in all parts. Returns whether all may be completed. */
static void push_part(kernel *k, const part *whole, idx first, idx last) {
	part c = *whole;
	idx j = -1;
	c.first = first, c.last = last;
	if (!next_of(k, &c, &j)) return;
	if (k->part_count == 2 * (k->n + 1)) k->full = 1;
	else k->parts[k->part_count++] = c;
}
static int split_part(kernel *k, frame *f) {
	idx from = f->c.first, s, i, j = f->body;
	for (s = k->items[j].first; s + 1 < k->items[j].last; s++) {
		if (k->sections[s].cuts != 0 || s + 1 <= f->c.first || s + 1 >= f->c.last) continue;
		push_part(k, &f->c, from, s + 1);
		from = s + 1;
	}
	push_part(k, &f->c, from, f->c.last);
	f->end = k->part_count;
	for (i = f->base; i < f->end; i++) {
		if (f->end - f->base > 1) {
			rank_bodies(k, &k->parts[i]);
			k->parts[i].rank = -1;
		}
		if (!infer(k, &k->parts[i])) return 0;
	}
	return 1;
}
/* Begins a node for part c, which is not empty. Returns EXHAUSTED or CUT, or -1 if f now has a candidate to try. */
static int open_node(kernel *k, const part *c, frame *f) {
	idx i, j = -1;
	if (k->nodes >= k->most || k->full) return CUT;
	if ((++k->nodes & 31) == 0 && cancelled(k->r)) {
		k->full = 1;
		return CUT;
	}
	for (i = -1; next_of(k, c, &i);) {
		if (j >= 0 && !tried_before(k, i, j)) continue;
		if (!waits(k, c, i) && eligible(k, i)) j = i;
	}
	f->top = ceiling(k, c);
	if (j < 0 || k->items[j].lb > f->top) return EXHAUSTED;
	f->c = *c, f->body = j;
	return -1;
}
/* Places the candidate of f and infers. Returns whether the rest may be completed. */
static int try_body(kernel *k, frame *f) {
	idx j = f->body;
	f->trail = k->trail_count, f->path = k->path_count, f->level = k->level;
	f->base = f->next = f->end = k->part_count;
	k->level = f->trail;
	f->c.offset = k->items[j].lb, f->c.rank = k->items[j].rank;
	return place_body(k, j) && split_part(k, f);
}
/* Postponement. Idea: what failed waits until a neighbour has raised it, as if it had been placed and had gone: the
 * next candidate comes after it in the order of offset and rank, and lifting infers from that.
 * Finds the next candidate of f. Returns whether there is one. */
static int next_body(kernel *k, frame *f) {
	for (;;) {
		idx next = -1, i, j = f->body;
		for (i = -1; next_of(k, &f->c, &i);) {
			if (k->items[i].lb > f->top || !tried_before(k, j, i) || waits(k, &f->c, i)) continue;
			if (next < 0 || tried_before(k, i, next)) next = i;
		}
		if (next < 0) return 0;
		f->body = j = next;
		if (!eligible(k, j)) continue;
		f->c.offset = k->items[j].lb, f->c.rank = k->items[j].rank;
		if (!infer(k, &f->c)) {
			clear_bits(k->dirty, k->m);
			return 0;
		}
		if (eligible(k, j)) return 1;
	}
}
/* Searches part c.
 *
 * Invariant: frames[0, depth) are the nodes from the root to here. A node is solved with its last part, and leaves the
 * stack; undo takes it back by trail and path. */
static int search(kernel *k, part c) {
	idx depth = 0;
	int result = open_node(k, &c, &k->frames[0]);
	for (;;) {
		frame *f;
		if (result == -1) { /* frames[depth] has a candidate */
			result = try_body(k, &k->frames[depth++]) ? SOLVED : EXHAUSTED;
			continue;
		}
		if (result == CUT) return CUT;
		if (depth == 0) return result;
		f = &k->frames[depth - 1];
		if (result == SOLVED) {
			if (f->next < f->end) {
				c = k->parts[f->next++];
				result = open_node(k, &c, &k->frames[depth]);
				continue;
			}
			k->part_count = f->base;
			depth--;
			continue;
		}
		if (k->full) return CUT;
		undo(k, f->trail, f->path);
		k->level = f->level, k->part_count = f->base;
		result = next_body(k, f) ? -1 : EXHAUSTED;
		if (k->full) return CUT;
		depth--;
	}
}

static const slot kernel_slots[] = {
	SLOT(kernel, items, 1, OF_N), SLOT(kernel, blocks, 1, OF_PIECES), SLOT(kernel, sections, 1, OF_M2),
	SLOT(kernel, parts, 2, OF_N1), SLOT(kernel, frames, 1, OF_N1), SLOT(kernel, trail, TRAIL_EACH, OF_N1),
	SLOT(kernel, list, 1, OF_SPANS), SLOT(kernel, unplaced, 1, OF_N_BITS), SLOT(kernel, starts, 1, OF_M_BITS),
	SLOT(kernel, dirty, 1, OF_M_BITS),
};
/* Sets what does not depend on the capacity, for bodies [base, base + n). */
static void kernel_init(kernel *k) {
	const problem *p = k->p;
	idx n = k->n, m = k->m, i, j, s, e, first_piece = p->bodies[k->base].piece;
	k->path = p->tree, k->near = p->meet, k->open = p->next, k->scratch = p->order, k->ends = p->trial;
	k->unit = 0;
	for (j = 0; j < n; j++) k->unit = divisor(k->unit, p->bodies[k->base + j].align);
	memset(k->sections, 0, sizeof(section) * (size_t)(m + 2));
	for (j = 0; j < n; j++) {
		const body *b = &p->bodies[k->base + j];
		item *x = &k->items[j];
		x->first = b->first - k->s0, x->last = b->last - k->s0;
		x->piece = b->piece - first_piece, x->end = x->piece + b->count;
		x->align = b->align, x->tall = round_up(b->size, k->unit), x->twin = -1;
		k->sections[x->first + 1].begins++;
		for (e = x->piece; e < x->end; e++) {
			const piece *y = &p->piece[first_piece + e];
			block *z = &k->blocks[e];
			z->owner = j, z->first = y->first - k->s0, z->last = y->last - k->s0, z->size = round_up(y->size, k->unit);
			for (s = z->first; s < z->last; s++) k->sections[s + 1].list_at++;
		}
		for (i = j - 1; i >= 0 && k->items[i].first == x->first && b->fixed < 0 && b->count == 1; i--) {
			const body *o = &p->bodies[k->base + i];
			if (o->last != b->last || o->align != b->align || o->size != b->size || o->fixed >= 0 || o->count > 1) continue;
			x->twin = i;
			break;
		}
	}
	k->composite = k->pieces > n;
	for (s = 0; s <= m; s++) {
		k->sections[s + 1].begins += k->sections[s].begins;
		k->sections[s + 1].list_at += k->sections[s].list_at;
	}
	for (e = 0; e < k->pieces; e++) {
		for (s = k->blocks[e].first; s < k->blocks[e].last; s++) k->list[k->sections[s].list_at + k->sections[s].live++] = e;
	}
}
/* Searches a plan of at most that height with ranks by that word, within so many nodes. */
APART int ask_order(kernel *k, addr capacity, const char *word, int64_t most) {
	const problem *p = k->p;
	idx n = k->n, m = k->m, j, s, r, *list = k->p->order;
	int alone = 1;
	keys by;
	part c;
	k->limit = 0, k->nodes = 0, k->most = most, k->full = 0, k->epoch = 2, k->raised = 0;
	k->path_count = k->trail_count = k->part_count = k->level = 0, k->highest = 0;
	for (s = 0; s <= m; s++) {
		section *x = &k->sections[s];
		x->total = 0, x->live = x->cuts = x->edges = 0, x->top = GONE;
	}
	clear_bits(k->unplaced, n), clear_bits(k->starts, m);
	for (j = 0; j < n; j++) {
		const body *b = &p->bodies[k->base + j];
		item *x = &k->items[j];
		x->ub = capacity < b->size ? -1 : (capacity - b->size) / b->align * b->align;
		x->lb = x->inf = greater(b->fixed, 0);
		if (x->lb > x->ub) alone = 0;
		if (b->fixed >= 0) x->ub = b->fixed;
		k->limit = greater(k->limit, x->ub + x->tall);
		x->seen = 0, x->logged = x->by = x->rank = -1;
		move_body(k, j, 1);
	}
	if (!alone) return EXHAUSTED;
	by.p = p, by.word = word, by.base = k->base;
	for (j = 0; j < n; j++) list[j] = j;
	sort(list, n, by_word, &by);
	for (r = 0; r < n; r++) k->items[list[r]].tie = r;
	c.first = 0, c.last = m, c.rank = -1, c.offset = -1;
	rank_bodies(k, &c);
	k->trail_count = 0;
	memcpy(k->dirty, k->starts, sizeof(uint32_t) * (size_t)(m / 32 + 1));
	clear_bit(k->dirty, m);
	r = infer(k, &c) ? search(k, c) : EXHAUSTED;
	return r == EXHAUSTED && k->full ? CUT : r;
}

/* ---------------------------------------------------------------------------------------------------- questions
 * Does a partition fit a capacity? Three orders of ranks have a turn each, since each is fast on other problems. */
typedef struct {
	run *r;
	problem *p;
	arena rest; /* for the kernel */
	kernel k;
	idx built;  /* the partition that k is for, by its first body; or -1 */
	int stuck;  /* the trail was full in all orders, so more nodes do not help */
} asker;

enum { NEVER = -1, UNKNOWN = 0, FITS = 1 };
static const char words[][3] = {"WA", "AW", "C"}; /* after the load */

static size_t spans_of(const problem *p, idx low, idx high) {
	size_t sum = 0;
	idx e, end = p->bodies[high - 1].piece + p->bodies[high - 1].count;
	for (e = p->bodies[low].piece; e < end; e++) sum += (size_t)(p->piece[e].last - p->piece[e].first);
	return sum;
}
static idx last_section(const problem *p, idx low, idx high) {
	idx last = 0, j;
	for (j = low; j < high; j++) if (p->bodies[j].last > last) last = p->bodies[j].last;
	return last;
}
static void kernel_of(kernel *k, const problem *p, idx low, idx high, arena *a) {
	extent x;
	k->base = low, k->n = high - low, k->s0 = p->bodies[low].first, k->m = last_section(p, low, high) - k->s0;
	k->pieces = p->bodies[high - 1].piece + p->bodies[high - 1].count - p->bodies[low].piece;
	x.n = (size_t)k->n, x.pieces = (size_t)k->pieces, x.m = (size_t)k->m, x.spans = spans_of(p, low, high);
	LAY_OUT(k, kernel_slots, a, &x);
}
/* Asks about bodies [low, high), with at most limit nodes an order. */
static int ask(asker *q, idx low, idx high, addr capacity, int64_t limit) {
	kernel *k = &q->k;
	idx j;
	size_t o;
	int full = 1;
	if (q->built != low) {
		arena a = q->rest;
		kernel_of(k, q->p, low, high, &a);
		k->p = q->p, k->r = q->r;
		kernel_init(k);
		q->built = low;
	}
	for (o = 0; o < sizeof words / sizeof *words && q->r->left > 0; o++) {
		int result = ask_order(k, capacity, words[o], limit < q->r->left ? limit : q->r->left);
		spend(q->r, k->nodes > 0 ? k->nodes : 1);
		if (result == EXHAUSTED) return NEVER;
		full &= k->full;
		if (result == CUT && q->p->scored) break;
		if (result == CUT) continue;
		for (j = 0; j < k->n; j++) q->p->at[low + j] = k->items[j].best;
		return FITS;
	}
	q->stuck |= full;
	return UNKNOWN;
}
/* Asks about every partition that is above the capacity. halves is how many nodes for two bodies. */
static int ask_all(asker *q, addr capacity, int64_t halves) {
	int all = FITS;
	idx low, high;
	for (low = 0; low < q->p->n; low = high) {
		int answer;
		high = partition_end(q->p, low);
		if (height_of(q->p, low, high) <= capacity) continue;
		if (q->r->left <= 0) return UNKNOWN;
		answer = ask(q, low, high, capacity, halves * (high - low) / 2 + 1);
		if (answer == NEVER) return NEVER;
		if (answer == UNKNOWN) all = UNKNOWN;
	}
	return all;
}
#endif

#if STOWAGE_CORE_LEVEL >= 3
/* ------------------------------------------------------------------------------------------------------- forest
 * Merge. Idea: some problems were made by cutting a rectangle apart. Two bodies of the same size that follow each
 * other without a section between are perhaps one (beside), and so are two with the same lifespan (stacked). They are
 * joined, best score first, until nothing joins; the search plans the roots, of which there are far fewer. A bad
 * join makes that impossible, so rounds take a stretch of time apart and join again with noise in the scores, and
 * keep what leaves fewer roots. What the roots fit, their bodies fit.
 *
 * Invariant: the roots tile their bodies. heads are lists of the roots that begin (0) or end (1) at a section.
 * A score is the logarithm of how surprising it is that two sizes or lifespans agree, in 1/256 of a bit.
 * Source: Stowage's internal/merge, with integers for floating point. */
enum { SINGLE, BESIDE, STACKED };
enum { PAIRS_EACH = 16 };
typedef struct {
	idx first, last;
	addr size, align, at;
	idx parts[2], previous[2], next[2], place; /* in heads; in live */
	uint8_t shape, root, sealed;               /* sealed: fixed, or of several pieces; never joined */
} bundle;
typedef struct {
	int32_t score;
	idx p, q;
	int32_t shape;
} pair;
typedef struct {
	problem *p;
	run *r;
	bundle *all;
	idx *heads[2], *counts[2], *live, *spare, *log; /* log: p was joined, ~p was split */
	pair *heap;
	idx all_count, live_count, spare_count, heap_count, log_count;
	uint64_t random;
	int stacking, noise; /* the weight of stacking, in halves; noise, in tenths */
	int64_t work, dived; /* since it was charged; nodes of dives */
	int16_t *scores;     /* of the bodies, and three weights: the best, then those of the last dive */
} forest;

static uint64_t draw(forest *f) { /* splitmix64 */
	uint64_t z = f->random += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}
static idx draw_below(forest *f, idx n) { return (idx)((draw(f) >> 33) % (uint64_t)n); }
/* Returns a draw of Gumbel's distribution: the best of scores with it is drawn in proportion to their exponentials. */
static int32_t gumbel(forest *f) {
	return 2183 - log256((uint64_t)(32 * 256 + 1 - log256((draw(f) >> 32) | 1)));
}

static void add_root(forest *f, idx p) {
	bundle *c = &f->all[p];
	int end;
	c->root = 1;
	for (end = 0; end < 2; end++) {
		idx s = end ? c->last : c->first;
		c->previous[end] = -1, c->next[end] = f->heads[end][s];
		if (c->next[end] >= 0) f->all[c->next[end]].previous[end] = p;
		f->heads[end][s] = p, f->counts[end][s]++;
	}
	c->place = f->live_count, f->live[f->live_count++] = p;
}
static void remove_root(forest *f, idx p) {
	bundle *c = &f->all[p];
	idx mover = f->live[--f->live_count];
	int end;
	c->root = 0;
	for (end = 0; end < 2; end++) {
		idx s = end ? c->last : c->first;
		if (c->previous[end] >= 0) f->all[c->previous[end]].next[end] = c->next[end];
		else f->heads[end][s] = c->next[end];
		if (c->next[end] >= 0) f->all[c->next[end]].previous[end] = c->previous[end];
		f->counts[end][s]--;
	}
	f->live[c->place] = mover, f->all[mover].place = c->place;
}
static void join(forest *f, idx p) {
	remove_root(f, f->all[p].parts[0]);
	remove_root(f, f->all[p].parts[1]);
	add_root(f, p);
}
static void unjoin(forest *f, idx p) {
	remove_root(f, p);
	add_root(f, f->all[p].parts[0]);
	add_root(f, f->all[p].parts[1]);
}
static int joinable(const forest *f, idx p, idx q, int shape) {
	const bundle *a = &f->all[p], *b = &f->all[q];
	if (p == q || !a->root || !b->root || a->sealed || b->sealed || a->align != b->align) return 0;
	if (shape == BESIDE) return a->last == b->first && a->size == b->size;
	return a->first == b->first && a->last == b->last && a->size % a->align == 0 && b->size % b->align == 0;
}
/* Puts a pair into the heap, if it can be joined. Returns whether it can. */
static int offer(forest *f, idx p, idx q, int shape) {
	const bundle *a = &f->all[p];
	pair c;
	idx k;
	if (!joinable(f, p, q, shape)) return 0;
	c.p = p, c.q = q, c.shape = shape;
	if (shape == BESIDE) {
		c.score = log256((uint64_t)(a->size / f->p->step)) -
			log256((uint64_t)f->counts[1][a->last] * (uint64_t)f->counts[0][a->last]);
	} else {
		c.score = f->stacking * (2 * log256((uint64_t)(a->last - a->first) + 1) -
			log256((uint64_t)f->counts[0][a->first] * (uint64_t)f->counts[1][a->last])) / 4;
	}
	if (f->noise) c.score += f->noise * gumbel(f) / 10;
	if (f->heap_count == PAIRS_EACH * f->p->n) return 1;
	for (k = f->heap_count++; k > 0 && f->heap[(k - 1) / 2].score < c.score; k = (k - 1) / 2) {
		f->heap[k] = f->heap[(k - 1) / 2];
	}
	f->heap[k] = c;
	return 1;
}
static pair best_pair(forest *f) {
	pair top = f->heap[0], c = f->heap[--f->heap_count];
	idx k = 0;
	for (;;) {
		idx child = 2 * k + 1;
		if (child + 1 < f->heap_count && f->heap[child + 1].score > f->heap[child].score) child++;
		if (child >= f->heap_count || f->heap[child].score <= c.score) break;
		f->heap[k] = f->heap[child], k = child;
	}
	f->heap[k] = c;
	return top;
}
/* Offers pairs of p with what begins with it, begins at its end, ends at its begin. */
static void offer_pairs(forest *f, idx p) {
	const bundle *c = &f->all[p];
	int way;
	for (way = 0; way < 3; way++) {
		idx q = way == 0 ? f->heads[0][c->first] : way == 1 ? f->heads[0][c->last] : f->heads[1][c->first];
		int seen = 0, offered = 0;
		for (; q >= 0 && seen < 256 && offered < PAIRS_EACH; q = f->all[q].next[way == 2], seen++) {
			f->work++;
			offered += way == 2 ? offer(f, q, p, BESIDE) : offer(f, p, q, way == 0 ? STACKED : BESIDE);
		}
	}
}
/* Joins until nothing joins. */
static void settle(forest *f) {
	while (f->heap_count > 0) {
		pair c = best_pair(f);
		bundle *m;
		idx p;
		f->work++;
		if (!joinable(f, c.p, c.q, c.shape)) continue;
		p = f->spare_count > 0 ? f->spare[--f->spare_count] : f->all_count++;
		m = &f->all[p];
		m->first = f->all[c.p].first, m->last = f->all[c.q].last, m->align = f->all[c.p].align;
		m->shape = (uint8_t)c.shape, m->sealed = 0;
		m->size = f->all[c.p].size + (c.shape == STACKED ? f->all[c.q].size : 0);
		m->parts[0] = c.p, m->parts[1] = c.q;
		join(f, p);
		f->log[f->log_count++] = p;
		offer_pairs(f, p);
	}
}
/* Takes what touches sections [low, high) apart and joins again. Keeps that if there are no more roots than before. */
APART void round_at(forest *f, idx low, idx high) {
	idx before = f->live_count, k, p;
	f->log_count = f->heap_count = 0;
	for (k = 0; k < f->live_count;) {
		const bundle *c = &f->all[f->live[k]];
		if (c->shape == SINGLE || c->first >= high || c->last <= low) {
			k++;
			continue;
		}
		f->log[f->log_count++] = ~f->live[k];
		unjoin(f, f->live[k]);
	}
	for (k = 0; k < f->live_count; k++) {
		const bundle *c = &f->all[f->live[k]];
		if (c->first <= high && c->last >= low) offer_pairs(f, f->live[k]);
	}
	settle(f);
	if (f->live_count <= before) {
		for (k = 0; k < f->log_count; k++) if (f->log[k] < 0) f->spare[f->spare_count++] = ~f->log[k];
		return;
	}
	while (f->log_count > 0) {
		p = f->log[--f->log_count];
		if (p < 0) {
			join(f, ~p);
			continue;
		}
		unjoin(f, p);
		f->spare[f->spare_count++] = p;
	}
}
static const slot forest_slots[] = {
	SLOT(forest, all, 3, OF_N), SLOT(forest, live, 1, OF_N), SLOT(forest, spare, 3, OF_N),
	SLOT(forest, heads[0], 1, OF_M2), SLOT(forest, heads[1], 1, OF_M2), SLOT(forest, counts[0], 1, OF_M2),
	SLOT(forest, counts[1], 1, OF_M2),
};
static const slot heap_slots[] = {SLOT(forest, heap, PAIRS_EACH, OF_N), SLOT(forest, log, 4, OF_N)};
static size_t scores_of(idx n) { return 2 * ((size_t)n + 3); }

/* Makes every body a root, and joins. */
static void plant(forest *f) {
	const problem *p = f->p;
	idx i, s;
	f->all_count = p->n, f->live_count = f->spare_count = f->heap_count = f->log_count = 0;
	for (s = 0; s <= p->m; s++) f->heads[0][s] = f->heads[1][s] = -1, f->counts[0][s] = f->counts[1][s] = 0;
	for (i = 0; i < p->n; i++) {
		const body *b = &p->bodies[i];
		bundle *c = &f->all[i];
		c->first = b->first, c->last = b->last, c->size = b->size, c->align = b->align, c->at = 0;
		c->shape = SINGLE, c->sealed = b->fixed >= 0 || b->count > 1;
		add_root(f, i);
	}
	for (i = 0; i < p->n; i++) offer_pairs(f, i);
	settle(f);
}
/* Returns the body in whose place bundle p begins. */
static idx leaf_of(const forest *f, idx p) {
	while (f->all[p].shape != SINGLE) p = f->all[p].parts[0];
	return p;
}
/* Draws scores near the best ones, and gives them to the roots. */
static void draw_scores(forest *f, problem *q) {
	static const uint16_t fars[] = {8, 26, 77, 256};
	idx n = f->p->n, i, far = fars[draw_below(f, 4)];
	int16_t *drawn = f->scores + n + 3;
	for (i = 0; i < n + 3; i++) drawn[i] = (int16_t)(f->scores[i] + far * gumbel(f) / 256);
	q->scored = 1, q->weight = 512 + drawn[n];
	for (i = 0; i < q->n; i++) {
		const body *b = &q->bodies[i];
		q->load[i] = (drawn[n + 1] * log256((uint64_t)(b->last - b->first)) + drawn[n + 2] * log256((uint64_t)b->size)) / 256 +
			drawn[leaf_of(f, f->live[b->id])];
	}
}
/* Plans the roots: asks about the goal, with few nodes and with more. When minimising, dives follow.
 *
 * Dives. Idea: whether a short search finds a plan depends on which root it places first. So the core makes many short
 * searches, of three nodes a root each. Each orders the roots by a score: the logarithms of load, sections and size,
 * each times a weight, and a number of the root's first body. Weights and numbers are drawn at random near those that
 * lowered the plan last, so what was learned holds for other roots as well. Dives take three quarters of all nodes.
 * Source: Stowage's internal/merge/dives.go. */
APART void plan_roots(forest *f, arena rest, addr goal, int minimise) {
	problem q, *p = f->p;
	asker t;
	int64_t halves = 3;
	idx k, e, count, *todo;
	int words = 1;
	addr height, target = goal;
	extent x;
	memset(&q, 0, sizeof q);
	x.n = (size_t)f->live_count, x.pieces = (size_t)(f->live_count + p->pieces - p->n), x.m = x.spans = 0;
	problem_arrays(&q, &rest, &x);
	q.n = f->live_count, q.loose = p->loose;
	for (k = 0; k < q.n; k++) q.order[k] = k, q.piece[k].first = f->all[f->live[k]].first;
	sort(q.order, q.n, by_time, &q.piece->first);
	for (k = 0; k < q.n; k++) {
		const bundle *c = &f->all[f->live[q.order[k]]];
		body b = p->bodies[leaf_of(f, f->live[q.order[k]])];
		const piece *from = &p->piece[b.piece];
		b.lower = c->first, b.upper = c->last, b.id = q.order[k], b.size = c->size, b.piece = q.pieces;
		q.bodies[k] = b;
		for (e = 0; e < b.count; e++) {
			piece *y = &q.piece[q.pieces++];
			*y = *from++;
			y->owner = k;
			if (!c->sealed) y->first = c->first, y->last = c->last, y->size = y->need = c->size;
		}
	}
	cut_sections(&q);
	t.r = f->r, t.p = &q, t.rest = rest, t.built = -1, t.stuck = 0;
	for (;;) {
		int64_t before = f->r->spent;
		if (ask_all(&t, target, halves) == FITS) { /* what the roots fit, their bodies fit */
			for (k = 0; k < q.n; k++) f->all[f->live[q.bodies[k].id]].at = q.at[k];
			todo = f->spare + f->spare_count; /* of 3 n: enough, since bundles in use are not spare */
			for (k = 0; k < q.n; k++) {
				for (todo[0] = f->live[k], count = 1; count > 0;) {
					idx i = todo[--count];
					const bundle *c = &f->all[i];
					if (c->shape == SINGLE) {
						p->at[i] = c->at;
						continue;
					}
					f->all[c->parts[0]].at = c->at;
					f->all[c->parts[1]].at = c->at + (c->shape == STACKED ? f->all[c->parts[0]].size : 0);
					todo[count++] = c->parts[1], todo[count++] = c->parts[0];
				}
			}
			if (q.scored) memcpy(f->scores, f->scores + p->n + 3, sizeof *f->scores * (size_t)(p->n + 3));
		}
		if (q.scored) f->dived += f->r->spent - before;
		height = height_of(p, 0, p->n);
		if (height <= goal || f->r->left <= 0) return;
		halves = 6;
		if (words-- > 0) continue;
		if (!minimise || (q.scored && f->dived > f->r->spent / 4 * 3)) return;
		draw_scores(f, &q);
		target = greater(height - p->step * (1 + draw_below(f, 8)), goal);
	}
}
static void charge(forest *f) {
	spend(f->r, 1 + f->work / 256);
	f->work = 0;
	cancelled(f->r);
}
/* Improves the forest by rounds at random places, until so many in a row gained nothing. */
static void rounds(forest *f, int patience, int64_t until) {
	static const uint8_t noises[] = {10, 3, 20};
	int idle;
	f->noise = noises[draw_below(f, 3)];
	for (idle = 0; idle < patience && f->live_count > 1 && f->r->left > until; idle++) {
		const bundle *c = &f->all[f->live[draw_below(f, f->live_count)]];
		idx at = draw_below(f, 2) ? c->last : c->first, radius = 1 << draw_below(f, 4), before = f->live_count;
		round_at(f, at - radius, at + radius);
		charge(f);
		if (f->live_count < before) idle = -1;
	}
}
/* Begins anew, with other weights and more noise, until the height is the goal or so many nodes are spent. begun counts
 * the beginnings of all calls, and scores outlive them. */
APART void merge(run *r, problem *p, arena rest, addr goal, int minimise, int64_t nodes, int *begun, int16_t *scores) {
	static const uint8_t weights[] = {2, 1, 4, 8}, noises[] = {10, 3, 20};
	forest f;
	arena behind;
	extent x;
	int64_t until = r->left > nodes ? r->left - nodes : 0;
	memset(&f, 0, sizeof f);
	f.p = p, f.r = r, f.scores = scores, f.random = UINT64_C(0x6d65726765) + (uint64_t)*begun;
	x.n = (size_t)p->n, x.m = (size_t)p->m, x.pieces = x.spans = 0;
	LAY_OUT(&f, forest_slots, &rest, &x);
	behind = rest; /* the heap has the place of what plan_roots takes */
	LAY_OUT(&f, heap_slots, &behind, &x);
	while (r->left > until) {
		int k = (*begun)++, zeros = 0, phase;
		while (!(((k + 1) >> zeros) & 1)) zeros++;
		f.stacking = weights[k & 3], f.noise = k > 0 ? noises[k % 3] : 0;
		plant(&f);
		charge(&f);
		if (k == 0 && f.live_count > p->n - p->n / 16) return; /* nothing to merge here */
		for (phase = 0; phase < 2; phase++) {
			if (phase == 1) rounds(&f, 30 << (zeros < 20 ? zeros : 20), until);
			plan_roots(&f, rest, goal, minimise);
			if (height_of(p, 0, p->n) <= goal || r->left <= until) return;
		}
	}
}
#endif

/* --------------------------------------------------------------------------------------------------------- plan */
#if STOWAGE_CORE_LEVEL >= 2
/* Returns what the search, or merge as well, takes beside the problem; SIZE_MAX if that is too much to count. Merge's
 * heap has the place of the kernel, which is larger. */
static size_t search_bytes(const extent *x, int level) {
	arena a = dry_run;
	kernel k;
#if STOWAGE_CORE_LEVEL >= 3
	if (level >= 3 && x->n >= SMALL) {
		forest f;
		problem q;
		TAKE(&a, int16_t, scores_of((idx)x->n));
		LAY_OUT(&f, forest_slots, &a, x);
		problem_arrays(&q, &a, x);
	}
#endif
	(void)level;
	LAY_OUT(&k, kernel_slots, &a, x);
	return a.failed ? SIZE_MAX : a.used;
}
#endif
#if SHAPES
/* The arrays of the problem itself, and what lies behind them while bodies are made of buffers. */
static void plan_arrays(problem *p, transient *t, arena *a, const extent *x) {
	arena behind;
	problem_arrays(p, a, x);
	behind = *a;
	t->raw = x->pieces > x->n ? TAKE(&behind, piece, x->pieces / 2) : p->piece;
	t->distance = TAKE(&behind, addr, x->n), t->root = TAKE(&behind, idx, x->n);
	if (behind.failed) a->failed = 1;
	if (a->dry && behind.used > a->used) a->used = behind.used;
}
#else
#define plan_arrays(p, t, a, x) ((void)(t), problem_arrays(p, a, x))
#endif

size_t stowage_core_workspace(const stowage_core_problem *q, int level) {
	arena dry = dry_run;
	problem p;
	transient t;
	extent x;
	x.n = (size_t)q->count, x.m = x.spans = x.pieces = validate(q);
	if (x.pieces == 0) return 0;
	plan_arrays(&p, &t, &dry, &x);
#if SHAPES
	if (level >= 2) { /* a piece lives in at most as many sections as pieces begin within its life, and one more */
		size_t bytes;
		arena own = dry_run;
		idx i, j;
		problem_arrays(&p, &own, &x);
		for (i = 0; i < q->count; i++) {
			const stowage_core_buffer *b = &q->buffers[i];
			for (j = 0; j < q->count; j++) {
				x.spans += q->buffers[j].lower > b->lower && q->buffers[j].lower < b->upper;
				x.spans += x.pieces > x.n && q->buffers[j].upper > b->lower && q->buffers[j].upper < b->upper;
			}
			for (j = 0; j < q->gap_count; j++) {
				x.spans += q->gaps[j].lower > b->lower && q->gaps[j].lower < b->upper;
				x.spans += q->gaps[j].upper > b->lower && q->gaps[j].upper < b->upper;
			}
		}
		bytes = search_bytes(&x, level);
		if (bytes > SIZE_MAX - 16 - own.used) return 0;
		if (own.used + bytes > dry.used) dry.used = own.used + bytes;
	}
#endif
	(void)level;
	return dry.failed ? 0 : dry.used + 8; /* 8: the workspace may begin anywhere */
}

/* Runs rows [row, end) on each partition that is above goal. Returns the height, or COLLISION. */
static addr improve(problem *p, addr goal, idx row, idx end) {
	addr height = 0;
	idx low, high;
	for (low = 0; low < p->n; low = high) {
		addr h;
		high = partition_end(p, low);
		h = heuristics(p, low, high, goal, height_of(p, low, high), row, end);
		if (h == COLLISION) return h;
		height = greater(height, h);
	}
	return height;
}
#if SHAPES
/* Searches until the plan is at most goal, or the nodes are spent. Merge and questions have turns, and the shares of
 * both grow. Without a capacity, a round of questions is about the bound, the middle, and one step below the plan.
 * Refutations raise the bound, which is the goal. Returns the bound that follows, or -1 if nothing fits the capacity. */
APART addr deepen(run *r, problem *p, arena rest, addr goal, int merging) {
	addr height = height_of(p, 0, p->n), span = height - goal, capacity = r->options->capacity;
	int64_t halves = 3, share = 16 * (int64_t)p->n;
	int begun = 0, turn;
	asker q;
#if STOWAGE_CORE_LEVEL >= 3
	int16_t *scores = NULL;
	if (merging) {
		scores = TAKE(&rest, int16_t, scores_of(p->n));
		memset(scores, 0, sizeof *scores * scores_of(p->n));
	}
#endif
	q.r = r, q.p = p, q.rest = rest, q.built = -1, q.stuck = 0;
	for (; r->left > 0 && height > goal && (merging || !q.stuck); share = share < INT64_MAX / 8 ? 4 * share : share) {
#if STOWAGE_CORE_LEVEL >= 3
		if (merging) {
			q.built = -1;
			merge(r, p, rest, goal, !capacity, share, &begun, scores);
			height = height_of(p, 0, p->n);
		}
#endif
		for (turn = 0; turn < (capacity ? 1 : 3) && r->left > 0 && height > goal; turn++) {
			addr c = turn == 0 ? goal : turn == 1 ? goal + (height - goal) / 2 / p->step * p->step : height - p->step;
			if (ask_all(&q, c, halves) == NEVER) {
				if (capacity) return -1;
				goal = c + p->step;
			}
			height = height_of(p, 0, p->n);
		}
		if (height - goal >= span - span / 8 && halves < INT32_MAX) halves *= 2;
		span = height - goal;
	}
	(void)begun, (void)merging;
	return capacity ? p->bound : lesser(goal, height);
}
#endif

/* Who has a turn: without a search, all rows of heuristics. Otherwise one of them; more, if the problem is large, where
 * they take less time than the search, and not so full that they seldom fit it; the search; the rows left out. */
static int plan(problem *p, arena rest, const stowage_core_options *options, stowage_core_result *result) {
	addr capacity = lesser(options->capacity, MOST), goal = greater(capacity, p->bound), height;
	int searching = SHAPES && options->nodes > 0, large = p->sparse || p->n > 256;
	int full = searching && p->n >= SMALL && p->full > (uint64_t)goal / 3 * 2;
	idx row = searching && !full && !large;
	(void)rest;
	result->bound = p->bound, result->level = 1;
	if (capacity && p->bound > capacity) return STOWAGE_CORE_INFEASIBLE;
	height = improve(p, goal, row, searching ? row + 1 : ROWS);
	if (height == COLLISION) return p->loose ? STOWAGE_CORE_UNDECIDED : STOWAGE_CORE_INFEASIBLE;
#if SHAPES
	if (height > goal && searching) {
		size_t need = 0;
		extent x;
		int level = STOWAGE_CORE_LEVEL;
		x.n = (size_t)p->n, x.pieces = (size_t)p->pieces, x.m = (size_t)p->m, x.spans = spans_of(p, 0, p->n);
		for (; level > 1; level--) {
			size_t bytes = search_bytes(&x, level);
			if (bytes > need) need = bytes;
			if (bytes <= rest.left) break;
		}
		if (need > SIZE_MAX - 8 - rest.used) result->workspace = SIZE_MAX;
		else if (rest.used + need + 8 > result->workspace) result->workspace = rest.used + need + 8;
		result->level = level;
		row = 0;
		if (level < 2 || p->n < SMALL || (full ? height <= goal + goal / 8 : large)) {
			height = improve(p, goal, 0, row = level < 2 ? ROWS : FEW);
		}
		if (height > goal && level >= 2) {
			run r;
			addr bound;
			r.options = options, r.left = options->nodes, r.spent = 0, r.cancelled = 0;
			bound = deepen(&r, p, rest, goal, level >= 3 && p->n >= SMALL);
			result->nodes = r.spent;
			if (bound < 0 && !p->loose) {
				result->bound = round_up(capacity + 1, p->step);
				return STOWAGE_CORE_INFEASIBLE;
			}
			if (!p->loose && bound > result->bound) result->bound = bound;
			height = improve(p, greater(capacity, result->bound), row, ROWS);
		}
	}
#endif
	result->height = height;
	if (capacity && height > capacity) return STOWAGE_CORE_UNDECIDED;
	return height <= result->bound ? STOWAGE_CORE_OPTIMAL : STOWAGE_CORE_FEASIBLE;
}

int stowage_core_plan(const stowage_core_problem *q, const stowage_core_options *options, void *workspace, size_t bytes,
	stowage_core_size *offsets, stowage_core_result *result) {
	size_t pad = (size_t)(-(uintptr_t)workspace & 7);
	extent x;
	problem p;
	arena a = dry_run;
	transient t;
	idx i;
	int status;
	memset(result, 0, sizeof *result);
	memset(&p, 0, sizeof p);
	if (options->capacity < 0 || options->nodes < 0) return STOWAGE_CORE_INVALID;
	x.n = (size_t)q->count, x.pieces = validate(q), x.m = x.spans = 0;
	if (x.pieces == 0) return is_empty(q) ? STOWAGE_CORE_OPTIMAL : STOWAGE_CORE_INVALID;
	result->workspace = stowage_core_workspace(q, 1);
	a.dry = 0;
	if (workspace && bytes > pad) a.at = (char *)workspace + pad, a.left = bytes - pad;
	plan_arrays(&p, &t, &a, &x);
	if (a.failed) return STOWAGE_CORE_NO_WORKSPACE;
	if (!gather(&p, q, &t)) return STOWAGE_CORE_INVALID;
	cut_sections(&p);
	status = plan(&p, a, options, result);
	if (result->height == 0) return status;
	for (i = 0; i < p.n; i++) offsets[p.bodies[i].id] = p.at[i];
#if SHAPES
	for (i = 0; i < q->link_count; i++) offsets[q->links[i].buffer] = offsets[q->links[i].with] + q->links[i].distance;
#endif
	return status;
}

#if SHAPES
/* ------------------------------------------------------------------------------------------------------- checker */
/* Returns where the links or gaps of buffer i begin in a list in the order of buffers, each of so many bytes. */
static idx first_of(const void *list, idx count, size_t each, idx i) {
	idx low = 0, high = count;
	while (low < high) {
		idx middle = low + (high - low) / 2;
		if (*(const idx *)((const char *)list + each * (size_t)middle) < i) low = middle + 1; else high = middle;
	}
	return low;
}
/* Returns the first buffer of the chain of links that i is in. */
static idx root_of(const stowage_core_problem *q, idx i) {
	for (;;) {
		idx l = first_of(q->links, q->link_count, sizeof *q->links, i);
		if (l == q->link_count || q->links[l].buffer != i) return i;
		i = q->links[l].with;
	}
}
/* Returns until when buffer i is in a gap at time t, or t. */
static idx gap_until(const stowage_core_problem *q, idx i, idx t) {
	idx g = first_of(q->gaps, q->gap_count, sizeof *q->gaps, i);
	for (; g < q->gap_count && q->gaps[g].buffer == i; g++) {
		if (q->gaps[g].lower <= t && t < q->gaps[g].upper) return q->gaps[g].upper;
	}
	return t;
}
/* Whether buffers i and j are ever live at the same time. */
static int live_together(const stowage_core_problem *q, idx i, idx j) {
	const stowage_core_buffer *a = &q->buffers[i], *b = &q->buffers[j];
	idx t = a->lower > b->lower ? a->lower : b->lower, end = a->upper < b->upper ? a->upper : b->upper;
	while (t < end) {
		idx to = gap_until(q, j, gap_until(q, i, t));
		if (to == t) return 1;
		t = to;
	}
	return 0;
}
stowage_core_size stowage_core_check(const stowage_core_problem *q, const stowage_core_size *offsets) {
	idx i, j, l;
	addr height = 0;
	if (validate(q) == 0) return is_empty(q) ? 0 : -1;
	for (i = 0; i < q->count; i++) {
		const stowage_core_buffer *b = &q->buffers[i];
		if (offsets[i] < 0 || offsets[i] > MAX_ADDR - b->size || offsets[i] % greater(b->alignment, 1) != 0) return -1;
		if (q->fixed && q->fixed[i] >= 0 && offsets[i] != q->fixed[i]) return -1;
		height = greater(height, offsets[i] + b->size);
	}
	for (l = 0; l < q->link_count; l++) {
		const stowage_core_link *x = &q->links[l];
		if (offsets[x->buffer] - offsets[x->with] != x->distance) return -1;
	}
	for (i = 0; i < q->count; i++) {
		for (j = 0; j < i; j++) {
			const stowage_core_buffer *a = &q->buffers[i], *b = &q->buffers[j];
			if (offsets[i] >= offsets[j] + b->size || offsets[j] >= offsets[i] + a->size) continue;
			if (live_together(q, i, j) && root_of(q, i) != root_of(q, j)) return -1;
		}
	}
	return height;
}
#endif
