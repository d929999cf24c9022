// Makes the calls of sessions that internal/testkit/changes writes, from standard input, and prints what each answers
// as that package does.
#include "check.h"

static const char *steps[] = {"none", "keep", "fit", "repair", "window", "hints", "fresh"};
static const char *const lists[] = {"together", "apart", "may_overlap", "distances"};

static int64_t number(void) {
	int64_t x;
	CHECK(scanf("%" SCNd64, &x) == 1);
	return x;
}

static const char *word(char *to) {
	CHECK(scanf("%63s", to) == 1);
	return to;
}

// The problem of a call: new buffers, or rules by names.
enum { MOST = 8 };
struct call {
	stowage_solver *s;
	int64_t count, column[6][MOST]; // lower, upper, size, alignment, fixed offset, hint
	int64_t allowed, buffer[MOST], pool[MOST], threads, clock_lower[64], clock_upper[64];
	int64_t rules[4], first[4][MOST], second[4][MOST], by[4][MOST];
	char id[MOST][64];
	const char *names[MOST];
};

// named reads a name, and returns its number.
static int64_t named(struct call *c) {
	char id[64];
	int64_t k;
	word(id);
	for (k = 0; k < c->count; k++)
		if (strcmp(c->id[k], id) == 0)
			return k;
	CHECK(c->count < MOST);
	c->names[k] = strcpy(c->id[k], id);
	return c->count++;
}

static void read_buffer(struct call *c) {
	int64_t i = named(c), k, t, pool;
	for (k = 0; k < 6; k++)
		c->column[k][i] = number();
	if ((pool = number()) >= 0)
		c->buffer[c->allowed] = i, c->pool[c->allowed++] = pool;
	if ((t = number()) > 0)
		c->threads = t;
	for (k = 0; k < t; k++)
		c->clock_lower[i * t + k] = number();
	for (k = 0; k < t; k++)
		c->clock_upper[i * t + k] = number();
}

static void read_rules(struct call *c, int64_t n) {
	for (; n > 0; n--) {
		char kind[64];
		int64_t k = 0, m;
		for (word(kind); strcmp(lists[k], kind) != 0; k++)
			CHECK(k < 3);
		m = c->rules[k]++;
		c->first[k][m] = named(c), c->second[k][m] = named(c), c->by[k][m] = number();
	}
}

// given gives the solver of a call what was read.
static stowage_solver *given(struct call *c) {
	stowage_solver *s = c->s = stowage_new();
	CHECK(stowage_set_buffers(s, c->count, c->column[0], c->column[1], c->column[2]) == 0 && stowage_set_names(s, c->names) == 0);
	CHECK(stowage_set_alignments(s, c->column[3]) == 0 && stowage_set_fixed(s, c->column[4]) == 0 && stowage_set_hints(s, c->column[5]) == 0);
	CHECK(stowage_set_allowed(s, c->allowed, c->buffer, c->pool) == 0 && stowage_set_clocks(s, c->threads, c->clock_lower, c->clock_upper) == 0);
	CHECK(stowage_set_together(s, c->rules[0], c->first[0], c->second[0], c->by[0]) == 0 && stowage_set_apart(s, c->rules[1], c->first[1], c->second[1]) == 0);
	CHECK(stowage_set_may_overlap(s, c->rules[2], c->first[2], c->second[2]) == 0 && stowage_set_distances(s, c->rules[3], c->first[3], c->second[3], c->by[3]) == 0);
	return s;
}

static void column(const char *before, const int64_t *numbers, int64_t n) {
	printf("%s", before);
	for (int64_t k = 0; k < n; k++)
		printf(" %" PRId64, numbers[k]);
}

static int64_t marks[256], marked;

// make makes a call, and prints what it answers.
static void make(stowage_session *plan, const char *kind) {
	enum { NONE = -100 };
	int64_t a, b, placed = 0, offsets[MOST];
	int code = NONE, done = NONE;
	char id[64];
	struct call first, second;
	memset(&first, 0, sizeof first), memset(&second, 0, sizeof second);
#define IS(name) (strcmp(kind, name) == 0)
	if (IS("place") || IS("fits")) {
		int effort = (int)number();
		int64_t news = placed = number(), own = number(), with = number();
		for (; news > 0; news--)
			read_buffer(&first);
		read_rules(&first, own), read_rules(&second, with);
		given(&first);
		if (with > 0)
			given(&second);
		code = IS("place") ? stowage_session_place_with(plan, first.s, second.s, effort, offsets) : stowage_session_fits_with(plan, first.s, second.s, offsets);
	} else if (IS("add") || IS("ask")) {
		int64_t x[4], k;
		word(id), placed = 1;
		for (k = 0; k < 4; k++)
			x[k] = number();
		code = (IS("add") ? stowage_session_add : stowage_session_fits)(plan, id, x[0], x[1], x[2], x[3], offsets);
	} else if (IS("bind") || IS("unbind")) {
		read_rules(&first, number());
		code = (IS("bind") ? stowage_session_bind : stowage_session_unbind)(plan, given(&first));
	} else if (IS("replace")) {
		read_buffer(&first), placed = 1;
		code = stowage_session_replace(plan, given(&first), offsets);
	} else if (IS("remove") || IS("unpin")) {
		done = (IS("remove") ? stowage_session_remove : stowage_session_unpin)(plan, word(id));
	} else if (IS("resize")) {
		word(id), a = number(), placed = 1;
		code = stowage_session_resize(plan, id, a, offsets);
	} else if (IS("retime")) {
		word(id), a = number(), b = number(), placed = 1;
		code = stowage_session_retime(plan, id, a, b, offsets);
	} else if (IS("pin")) {
		word(id), offsets[0] = number(), placed = 1;
		code = stowage_session_pin(plan, id, offsets[0]);
	} else if (IS("pin_in")) {
		word(id), a = number(), offsets[0] = number(), placed = 1;
		code = stowage_session_pin_in(plan, id, a, offsets[0]);
	} else if (IS("limit_pool")) {
		a = number(), b = number();
		code = stowage_session_limit_pool(plan, a, b);
	} else if (IS("limit")) {
		code = stowage_session_limit(plan, number());
	} else if (IS("replan")) {
		code = stowage_session_replan(plan, number(), STOWAGE_STEP_NONE);
	} else if (IS("mark")) {
		CHECK(marked < 256 && (marks[marked++] = stowage_session_mark(plan)) > 0);
		done = 0;
	} else {
		CHECK(IS("rollback") || IS("commit"));
		done = (IS("rollback") ? stowage_session_rollback : stowage_session_commit)(plan, marks[number()]);
	}
	printf("%s", kind);
	if (code == STOWAGE_E_INPUT || code == STOWAGE_E_UNSUPPORTED || done == STOWAGE_E_INPUT || done == STOWAGE_E_UNSUPPORTED) {
		const char *c;
		printf(" refused: ");
		for (c = stowage_session_error(plan); *c != 0; c++)
			printf(*c == '\n' ? "; " : "%c", *c);
	} else if (done == 0) {
		printf(" done");
	} else {
		stowage_session_answer x;
		CHECK(code >= 0 && stowage_session_get_answer(plan, &x, sizeof x) == 0 && x.status == code);
		printf(" %d %s", x.status, steps[x.step]);
		column(" at", offsets, code == STOWAGE_FEASIBLE ? placed : 0);
		column(" in", x.pools, x.pools != NULL ? placed : 0);
		printf(" moved %" PRId64 " %d %" PRId64 " %" PRId64 " least %d enough %" PRId64 " nodes %" PRId64, x.moved_cost, x.moved_buffers, x.moved_bytes, x.moved_slots, x.least, x.enough, x.nodes);
		if (code == STOWAGE_INFEASIBLE)
			printf(" %s %" PRId64 " %" PRId64 " %" PRId64 ": %s", x.why, x.proof_time, x.proof_load, x.proof_bound, stowage_session_proof(plan));
	}
	stowage_free(first.s), stowage_free(second.s);
}

int main(void) {
	long long length, n;
	while (scanf("%lld %lld", &length, &n) == 2) {
		char *text = malloc((size_t)length + 1), kind[64];
		int64_t *at = calloc((size_t)n + 256, sizeof *at), *in = calloc((size_t)n + 256, sizeof *in), nodes, seed, count, k;
		stowage_session_options o;
		stowage_session *plan;
		stowage_solver *s = stowage_new();
		getchar();
		CHECK(fread(text, 1, (size_t)length, stdin) == (size_t)length && stowage_read_json(s, text, (size_t)length) == 0 && stowage_count(s) == n);
		memset(&o, 0, sizeof o);
		nodes = number(), seed = number(), o.effort = number();
		if (number())
			o.pools = in;
		for (k = 0; k < 2 * n; k++)
			*(k < n ? &at[k] : &in[k - n]) = number();
		CHECK(stowage_set(s, STOWAGE_NODES, nodes) == 0 && stowage_set(s, STOWAGE_SEED, seed) == 0);
		CHECK(stowage_session_open(s, at, &o, sizeof o, &plan) == STOWAGE_FEASIBLE || (fprintf(stderr, "%s\n", stowage_error(s)), 0));
		stowage_free(s), free(text); // a session needs no solver
		for (marked = 0; strcmp(word(kind), "end") != 0;) {
			make(plan, kind);
			count = stowage_session_offsets(plan, n + 256, at);
			CHECK(count >= 0 && count == stowage_session_count(plan) && count == stowage_session_pools(plan, n + 256, in));
			column(" |", at, count);
			column(" |", in, count);
			printf("\n");
		}
		stowage_session_free(plan);
		free(at), free(in);
	}
	return 0;
}
