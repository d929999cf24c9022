// What the interface says, asked of the library: one program for C and for C++, with
// and without sanitizers. Without an argument it checks; "threads" makes 1,000
// calls from eight threads, "leaks" 100,000 calls, "overhead" measures, and "stream"
// answers problems on standard input, for the tests in Go.
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"

static const int64_t lower5[] = {0, 3, 0, 9, 0}, upper5[] = {3, 9, 9, 21, 21}, size5[] = {4, 4, 4, 4, 4};

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t state = 1;
static int64_t draw(int64_t below) {
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)(state >> 33) % below;
}

// columns are made problems of any number of buffers.
typedef struct {
	int64_t *lower, *upper, *size, *offsets;
} columns;

static columns make(int n, int horizon) {
	columns c;
	int64_t *all = (int64_t *)malloc(4 * sizeof(int64_t) * (size_t)n);
	int i;
	c.lower = all, c.upper = all + n, c.size = all + 2 * n, c.offsets = all + 3 * n;
	for (i = 0; i < n; i++) {
		c.lower[i] = draw(horizon);
		c.upper[i] = c.lower[i] + 1 + draw(horizon / 4 + 1);
		c.size[i] = 1 + draw(1000);
	}
	return c;
}

// outcome compares who found the plan, who proved it and why the run ended.
static int outcome(const stowage_solver *s, const char *found_by, const char *proved_by, const char *ended) {
	return strcmp(stowage_found_by(s), found_by) == 0 && strcmp(stowage_proved_by(s), proved_by) == 0 && strcmp(stowage_ended(s), ended) == 0;
}

// words asks for the outcome in words; the last run of the solver minimised lower5 by auto.
static void words(const stowage_solver *five) {
	stowage_solver *s = stowage_new();
	const int64_t fixed5[] = {STOWAGE_NONE, 2, 0, STOWAGE_NONE, STOWAGE_NONE};
	const char *exact = "{\"planner\": \"exact\"}", *heuristic = "{\"planner\": \"first-fit\"}", *stats;
	size_t length = 7;
	CHECK(outcome(five, stowage_found_by(five), "bound", "proof") && stowage_found_by(five)[0] != 0);
	CHECK(outcome(s, "", "", "") && outcome(NULL, "", "", "") && stowage_stats(s, &length) == NULL && length == 0);
	CHECK(strcmp(stowage_error(s), "there is no outcome: the problem has not been planned") == 0);
	CHECK(stowage_set_options(s, exact, strlen(exact)) == 0 && stowage_set_buffers(s, 5, lower5, upper5, size5) == 0);
	CHECK(stowage_solve(s, NULL) == STOWAGE_OPTIMAL && outcome(s, "exact", "bound", "proof"));
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 11) == 0 && stowage_solve(s, NULL) == STOWAGE_INFEASIBLE && outcome(s, "", "bound", "proof"));
	stats = stowage_stats(s, &length);
	CHECK(stats != NULL && strlen(stats) == length && strstr(stats, "\"found_by\": \"\",\n  \"proved_by\": \"bound\",\n  \"ended\": \"proof\"\n}\n") != NULL);
	CHECK(strstr(stats, "\"reason\": \"In [0, 3) 3 buffers take 12") != NULL && strstr(stats, "\"capacity\": 11,\n") != NULL);
	CHECK(stowage_set_fixed(s, fixed5) == 0 && stowage_solve(s, NULL) == STOWAGE_INFEASIBLE && outcome(s, "", "collision", "proof"));
	CHECK(stowage_set_fixed(s, NULL) == 0 && stowage_set_options(s, heuristic, strlen(heuristic)) == 0);
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 1000) == 0 && stowage_solve(s, NULL) > 0);
	CHECK(strcmp(stowage_found_by(s), "first-fit") == 0);
	CHECK(stowage_set_buffers(s, 5, lower5, upper5, size5) == 0 && outcome(s, "", "", "") && stowage_stats(s, NULL) == NULL);
	stowage_free(s);
}

// ends reads times whose names or fractions say less than those of columns: the statistics say how they were read.
static void ends(void) {
	stowage_solver *s = stowage_new();
	const char *end = "[{\"id\": \"a\", \"start\": 0, \"end\": 1, \"size\": 4}, {\"id\": \"b\", \"start\": 1, \"end\": 2, \"size\": 4}]";
	const char *halves = "[{\"id\": \"a\", \"lower\": 0, \"upper\": 0.5, \"size\": 4}]";
	CHECK(stowage_read_json(s, end, strlen(end)) == 0 && stowage_solve(s, NULL) == STOWAGE_OPTIMAL);
	CHECK(strstr(stowage_stats(s, NULL), "\"height\": 8,") != NULL && strstr(stowage_stats(s, NULL), "\"ends\": \"inclusive\"\n}") != NULL);
	CHECK(stowage_read_json(s, halves, strlen(halves)) == 0 && stowage_solve(s, NULL) == STOWAGE_OPTIMAL);
	CHECK(strstr(stowage_stats(s, NULL), "\"ends\"") == NULL && strstr(stowage_stats(s, NULL), "\"time_scale\": 10\n}") != NULL);
	CHECK(stowage_set_buffers(s, 5, lower5, upper5, size5) == 0 && stowage_solve(s, NULL) == STOWAGE_OPTIMAL);
	CHECK(strstr(stowage_stats(s, NULL), "\"ends\"") == NULL && strstr(stowage_stats(s, NULL), "\"time_scale\"") == NULL);
	stowage_free(s);
}

// sizes asks one run about all capacities. The capacity that is set does not count for it.
static void sizes(void) {
	stowage_solver *s = stowage_new();
	const int64_t fixed5[] = {STOWAGE_NONE, 2, 0, STOWAGE_NONE, STOWAGE_NONE};
	stowage_result r;
	int64_t offsets[5], capacity;
	CHECK(stowage_fits(NULL, 1) == STOWAGE_E_INPUT && stowage_size(NULL, NULL) == STOWAGE_E_INPUT);
	CHECK(stowage_fits(s, 1) == STOWAGE_E_INPUT && strstr(stowage_error(s), "no run has ended") != NULL);
	CHECK(stowage_set_buffers(s, 5, lower5, upper5, size5) == 0 && stowage_set(s, STOWAGE_CAPACITY, 5) == 0);
	CHECK(stowage_size(s, offsets) == STOWAGE_OPTIMAL && stowage_verify(s, offsets) == 2); // above the capacity
	CHECK(stowage_get_result(s, &r, sizeof r) == 0 && r.height == 12 && r.lower_bound == 12 && r.capacity == 0);
	for (capacity = -1; capacity < 20; capacity++)
		CHECK(stowage_fits(s, capacity) == (capacity < 12 ? STOWAGE_INFEASIBLE : STOWAGE_FEASIBLE));
	CHECK(strstr(stowage_stats(s, NULL), "\"height\": 12") != NULL);

	// Runs with a capacity say something of others, too.
	CHECK(stowage_solve(s, NULL) == STOWAGE_INFEASIBLE && stowage_fits(s, 5) == STOWAGE_INFEASIBLE && stowage_fits(s, 100) == STOWAGE_UNKNOWN);
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 100) == 0 && stowage_solve(s, NULL) > 0 && stowage_fits(s, 100) == STOWAGE_FEASIBLE);
	CHECK(stowage_set_fixed(s, fixed5) == 0 && stowage_size(s, NULL) == STOWAGE_INFEASIBLE && stowage_fits(s, INT64_MAX) == STOWAGE_INFEASIBLE);
	CHECK(strstr(stowage_reason(s), "no capacity is enough") == NULL); // only right after the run
	CHECK(stowage_size(s, NULL) == STOWAGE_INFEASIBLE && strstr(stowage_reason(s), "no capacity is enough") != NULL);
	CHECK(stowage_set_fixed(s, NULL) == 0 && stowage_set_buffers(s, 5, upper5, lower5, size5) == 0);
	CHECK(stowage_size(s, NULL) == STOWAGE_E_INPUT && stowage_fits(s, 1) == STOWAGE_E_INPUT);
	stowage_free(s);
}

// rules sets every rule in columns, and compares the problem with the same one in JSON.
static void rules(void) {
	static const char *const names[] = {"a", "b", "c", "d", "e"}, *const pools[] = {"tcm", "dram"}, *const aims[] = {"cost", "height", "peak:tcm"};
	static const char *const spill =
		"{\"version\": 2, \"pools\": [{\"id\": \"tcm\", \"capacity\": 64, \"alignment\": 8, \"reserved\": [[0, 16]]}, {\"id\": \"dram\", \"cost\": 1}],"
		"\"objective\": [\"cost\", \"height\", \"peak:tcm\"], \"buffers\": ["
		"{\"id\": \"a\", \"lower\": 0, \"upper\": 4, \"size\": 24}, {\"id\": \"b\", \"lower\": 1, \"upper\": 5, \"size\": 24, \"costs\": {\"dram\": 100}},"
		"{\"id\": \"c\", \"lower\": 2, \"upper\": 6, \"size\": 16}, {\"id\": \"d\", \"lower\": 5, \"upper\": 8, \"size\": 32},"
		"{\"id\": \"e\", \"lower\": 5, \"upper\": 9, \"size\": 8, \"pools\": [\"dram\"], \"evictions\": [{\"lower\": 6, \"upper\": 8, \"cost\": 3}]}],"
		"\"together\": [{\"buffers\": [\"a\", \"d\"], \"at\": [0, 24]}], \"apart\": [[\"a\", \"e\"]], \"may_overlap\": [[\"b\", \"c\"]],"
		"\"distances\": [{\"buffers\": [\"c\", \"d\"], \"distance\": -4}], \"penalties\": [{\"buffers\": [\"b\", \"d\"], \"cost\": 2}]}";
	const int64_t lower[] = {0, 1, 2, 5, 5}, upper[] = {4, 5, 6, 8, 9}, size[] = {24, 24, 16, 32, 8};
	const int64_t zero[] = {0}, one[] = {1}, two[] = {2}, three[] = {3}, four[] = {4}, six[] = {6}, eight[] = {8}, sixteen[] = {16}, back[] = {-4}, hundred[] = {100}, byte24[] = {24};
	const int64_t capacity[] = {64, 0}, alignment[] = {8, 0}, cost[] = {0, 1}, bad[] = {7}, clocks[] = {0, 0, 1, 0, 2, 0, 5, 0, 5, 1}, ends[] = {4, 0, 5, 0, 6, 0, 8, 0, 9, 2};
	int64_t offsets[5], pool[5], value = 0, bound = 0;
	stowage_solver *s = stowage_new(), *t = stowage_new();
	const char *text;
	CHECK(stowage_set_pools(NULL, 0, NULL, NULL, NULL, NULL) == STOWAGE_E_INPUT && stowage_get_pools(NULL, pool) == STOWAGE_E_INPUT);
	CHECK(stowage_set_buffers(s, 5, lower, upper, size) == 0 && stowage_set_names(s, names) == 0);
	CHECK(stowage_set_pools(s, 2, pools, capacity, alignment, cost) == 0 && stowage_set_reserved(s, 1, zero, zero, sixteen) == 0);
	CHECK(stowage_set_allowed(s, 1, four, one) == 0 && stowage_set_costs(s, 1, one, one, hundred) == 0);
	CHECK(stowage_set_together(s, 1, zero, three, byte24) == 0 && stowage_set_apart(s, 1, zero, four) == 0 && stowage_set_may_overlap(s, 1, one, two) == 0);
	CHECK(stowage_set_distances(s, 1, two, three, back) == 0 && stowage_set_penalties(s, 1, one, three, two) == 0);
	CHECK(stowage_set_evictions(s, 1, four, six, eight, three) == 0 && stowage_set_objective(s, 3, aims) == 0);
	CHECK(stowage_read_json(t, spill, strlen(spill)) == 0);
	CHECK(stowage_json(s, NULL) != NULL && strstr(stowage_json(s, NULL), "\"penalties\"") != NULL && strcmp(stowage_json(s, NULL), stowage_json(t, NULL)) == 0);

	// A plan, with its pools and measures, in columns and as JSON.
	CHECK(stowage_get_pools(s, pool) == STOWAGE_E_INPUT && strstr(stowage_error(s), "there is no plan") != NULL);
	CHECK(stowage_set_evictions(s, 0, NULL, NULL, NULL, NULL) == 0 && stowage_solve(s, offsets) == STOWAGE_OPTIMAL);
	CHECK(stowage_get_pools(s, pool) == 0 && pool[0] == pool[3] && pool[4] == 1 && offsets[3] == offsets[0] + 24);
	CHECK(stowage_get_measure(s, "cost", &value, &bound) == 0 && value == bound && value == 24 + 32 + 8);
	CHECK(stowage_get_measure(s, "max_height", &value, &bound) == 0 && value > 0 && bound == STOWAGE_NONE && stowage_get_measure(s, "height:dram", NULL, NULL) == 0);
	CHECK(stowage_get_measure(s, "height:flash", &value, NULL) == STOWAGE_E_INPUT && strstr(stowage_error(s), "flash") != NULL);
	CHECK(stowage_get_parts(s, 0, NULL, NULL, NULL, NULL, NULL) == 0);
	CHECK(stowage_barriers(s, NULL, 0, NULL, NULL, NULL, NULL, NULL) >= 0);
	CHECK(stowage_barriers(s, offsets, 0, NULL, NULL, NULL, NULL, NULL) == STOWAGE_E_INPUT); // without pools
	CHECK(strstr(stowage_json(s, NULL), "\"measures\": {\"height\"") != NULL && strstr(stowage_stats(s, NULL), "\"bounds\"") != NULL);
	CHECK(stowage_verify_plan(s, offsets, pool, 0, NULL, NULL, NULL, NULL, NULL) == 0 && stowage_error(s)[0] == 0);
	CHECK(stowage_verify(s, offsets) > 0); // without pools
	pool[4] = 0;
	CHECK(stowage_verify_plan(s, offsets, pool, 0, NULL, NULL, NULL, NULL, NULL) > 0 && strstr(stowage_error(s), "\"e\"") != NULL);
	CHECK(stowage_verify_plan(s, offsets, pool, 1, four, four, NULL, NULL, NULL) == STOWAGE_E_INPUT);
	CHECK(stowage_verify_plan(s, offsets, pool, 1, four, four, six, NULL, six) > 0 && strstr(stowage_error(s), "parts") != NULL);

	// Banks: two buffers that never meet are in two pools, two that meet in one, and two share an object.
	{
		const int64_t early[] = {0, 4}, late[] = {4, 8}, both[] = {0, 1}, none[] = {0, 0}, bytes[] = {6, 5};
		const char *const height[] = {"height", "objects"}, *const tallest[] = {"max_height"}, *const penalty[] = {"penalty"};
		stowage_solver *b = stowage_new();
		CHECK(stowage_set_buffers(b, 2, early, late, bytes) == 0 && stowage_set_pools(b, 2, pools, NULL, NULL, NULL) == 0);
		CHECK(stowage_set_objective(b, 1, height) == 0 && stowage_set_different_pools(b, 2, none, both) == 0);
		CHECK(stowage_solve(b, offsets) == STOWAGE_OPTIMAL && stowage_get_measure(b, "height", &value, NULL) == 0 && value == 11);
		CHECK(strstr(stowage_json(b, NULL), "\"version\": 3") != NULL && strstr(stowage_json(b, NULL), "\"different_pools\"") != NULL);
		CHECK(stowage_set_buffers(b, 2, none, late, bytes) == 0 && stowage_set_pools(b, 2, pools, NULL, NULL, NULL) == 0);
		CHECK(stowage_set_same_pool(b, 2, none, both) == 0 && stowage_set_objective(b, 1, tallest) == 0 && stowage_solve(b, offsets) == STOWAGE_OPTIMAL);
		CHECK(stowage_get_measure(b, "max_height", &value, NULL) == 0 && value == 11);
		CHECK(stowage_set_same_pool(b, 0, NULL, NULL) == 0 && stowage_set_lockstep(b, 2, none, both) == 0 && stowage_set_allowed(b, 2, both, both) == 0);
		CHECK(stowage_solve(b, offsets) == STOWAGE_OPTIMAL && offsets[0] == offsets[1] && strstr(stowage_json(b, NULL), "\"lockstep\"") != NULL);
		CHECK(stowage_set_granularity(b, 1, none, bytes) == 0 && stowage_set_kinds(b, 2, both, both) == 0);
		CHECK(stowage_set_borders(b, 1, none, bytes) == 0 && stowage_set_spans(b, 1, none) == 0 && stowage_set_sizes(b, 1, both, early, late) == 0);
		CHECK(stowage_solve(b, offsets) == STOWAGE_E_INPUT && strstr(stowage_error(b), "sizes") != NULL);
		CHECK(stowage_set_granularity(b, 0, NULL, NULL) == 0 && stowage_set_kinds(b, 0, NULL, NULL) == 0);
		CHECK(stowage_set_borders(b, 0, NULL, NULL) == 0 && stowage_set_spans(b, 0, NULL) == 0 && stowage_set_sizes(b, 0, NULL, NULL, NULL) == 0);
		CHECK(stowage_set_lockstep(b, 0, NULL, NULL) == 0 && stowage_set_allowed(b, 0, NULL, NULL) == 0);
		CHECK(stowage_set_buffers(b, 2, early, late, bytes) == 0 && stowage_set_pools(b, 1, pools, NULL, NULL, NULL) == 0);
		CHECK(stowage_set_alternatives(b, 2, none, both) == 0 && stowage_set_objective(b, 1, height) == 0 && stowage_solve(b, offsets) == STOWAGE_OPTIMAL);
		CHECK(offsets[0] == STOWAGE_NONE && offsets[1] == 0 && strstr(stowage_json(b, NULL), "\"alternatives\"") != NULL);
		CHECK(stowage_verify(b, offsets) == 0 && stowage_set_alternatives(b, 0, NULL, NULL) == 0);
		CHECK(stowage_set_groups(b, 1, none, none, both + 1) == 0 && stowage_set_group_costs(b, 1, bytes, none) == 0);
		CHECK(stowage_set_objective(b, 1, penalty) == 0 && stowage_solve(b, offsets) == STOWAGE_OPTIMAL && offsets[0] != offsets[1]);
		CHECK(stowage_get_measure(b, "penalty", &value, NULL) == 0 && value == 0 && strstr(stowage_json(b, NULL), "\"groups\"") != NULL);
		CHECK(stowage_set_group_costs(b, 1, bytes, bad) == 0 && stowage_solve(b, offsets) == STOWAGE_E_INPUT);
		CHECK(stowage_set_groups(b, 0, NULL, NULL, NULL) == 0 && stowage_set_group_costs(b, 0, NULL, NULL) == 0);
		CHECK(stowage_set_objective(b, 1, tallest) == 0 && stowage_set_pools(b, 2, pools, NULL, NULL, NULL) == 0);
		CHECK(stowage_set_same_pool(b, 1, none, bad) == 0);
		CHECK(stowage_solve(b, offsets) == STOWAGE_E_INPUT && strstr(stowage_error(b), "same_pool[0] \"7\": there is no buffer of this index") != NULL);
		CHECK(stowage_set_buffers(b, 2, early, late, bytes) == 0 && stowage_set_pools(b, 2, pools, NULL, NULL, NULL) == 0);
		CHECK(stowage_set_objects(b, 2, both) == 0 && stowage_set_objective(b, 2, height) == 0 && stowage_solve(b, offsets) == STOWAGE_OPTIMAL);
		CHECK(stowage_get_measure(b, "objects", &value, &bound) == 0 && value == 1 && bound == 1);
		const int64_t width[] = {6, 3}, tall[] = {1, 2};
		CHECK(stowage_set_extents(b, 2, none, width, NULL, NULL) == STOWAGE_E_INPUT);
		CHECK(stowage_set_extents(b, 2, both, width, tall, NULL) == 0 && stowage_solve(b, offsets) == STOWAGE_OPTIMAL);
		CHECK(stowage_get_measure(b, "height", &value, NULL) == 0 && value == 12 && strstr(stowage_json(b, NULL), "\"size\": [6, 1]") != NULL);
		CHECK(stowage_set_extents(b, 0, NULL, NULL, NULL, NULL) == 0);
		CHECK(stowage_set_objects(b, 1, bad) == 0 && stowage_solve(b, offsets) == STOWAGE_E_INPUT && strstr(stowage_error(b), "objects: there is no pool") != NULL);
		stowage_free(b);
	}

	// What is wrong with rules.
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 9) == 0 && stowage_solve(s, offsets) == STOWAGE_E_INPUT && strstr(stowage_error(s), "here each pool has its own") != NULL);
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 0) == 0 && stowage_set_costs(s, 1, bad, one, one) == 0 && stowage_solve(s, offsets) == STOWAGE_E_INPUT);
	CHECK(strcmp(stowage_error(s), "costs: there is no buffer of the number 7; there are 5") == 0);
	CHECK(stowage_set_costs(s, 0, NULL, NULL, NULL) == 0 && stowage_set_apart(s, 1, zero, bad) == 0 && stowage_solve(s, offsets) == STOWAGE_E_INPUT);
	CHECK(strstr(stowage_error(s), "apart[0] \"7\": there is no buffer of this index") != NULL && stowage_set_apart(s, 1, zero, NULL) == STOWAGE_E_INPUT);
	static const int64_t wide[] = {INT64_C(4294967296)}, low[] = {-5};
	CHECK(stowage_set_apart(s, 1, zero, wide) == 0 && stowage_solve(s, offsets) == STOWAGE_E_INPUT);
	CHECK(strcmp(stowage_error(s), "apart[0] \"4294967296\": there is no buffer of this index; there are 5") == 0);
	CHECK(stowage_set_apart(s, 1, zero, low) == 0 && stowage_solve(s, offsets) == STOWAGE_E_INPUT && strstr(stowage_error(s), "apart[0] \"-5\": there is no buffer of this index") != NULL);
	CHECK(stowage_set_apart(s, 0, NULL, NULL) == 0 && stowage_set_together(s, 1, wide, zero, NULL) == 0 && stowage_solve(s, offsets) == STOWAGE_E_INPUT);
	CHECK(strcmp(stowage_error(s), "together[0] \"4294967296\": there is no buffer of this index; there are 5") == 0);
	CHECK(stowage_set_together(s, 0, NULL, NULL, NULL) == 0 && stowage_set_allowed(s, 1, zero, wide) == 0 && stowage_solve(s, offsets) == STOWAGE_E_INPUT);
	CHECK(strstr(stowage_error(s), "allowed[0] \"4294967296\": there is no pool of this index") != NULL && stowage_set_allowed(s, 0, NULL, NULL) == 0);
	CHECK(stowage_verify_plan(s, offsets, NULL, 1, wide, zero, one, NULL, zero) == STOWAGE_E_INPUT && strcmp(stowage_error(s), "buffer[0] \"4294967296\": there is no such index") == 0);
	CHECK(stowage_set_apart(s, -1, zero, one) == STOWAGE_E_INPUT && stowage_set_pools(s, 1, NULL, NULL, NULL, NULL) == STOWAGE_E_INPUT);
	CHECK(stowage_set_apart(t, 1, zero, one) == STOWAGE_E_INPUT && strstr(stowage_error(t), "JSON") != NULL && stowage_load(t) == STOWAGE_E_UNSUPPORTED && stowage_digest(t) == NULL);
	CHECK(stowage_set_clocks(s, INT64_MAX, clocks, ends) == STOWAGE_E_INPUT && stowage_set_clocks(s, 2, clocks, NULL) == STOWAGE_E_INPUT);

	// Clocks, and a step that repeats. A buffer that crosses the end meets one at the beginning.
	CHECK(stowage_set_buffers(s, 5, lower, upper, size) == 0 && stowage_set_clocks(s, 2, clocks, ends) == 0 && stowage_solve(s, offsets) == STOWAGE_OPTIMAL);
	text = strstr(stowage_json(s, NULL), "\"lower\": [5, 1], \"upper\": [9, 2]");
	CHECK(text != NULL && stowage_verify(s, offsets) == 0);
	CHECK(stowage_set_buffers(s, 5, lower, upper, size) == 0 && stowage_set_period(s, 8) == 0 && stowage_solve(s, offsets) == STOWAGE_OPTIMAL);
	CHECK(stowage_get_measure(s, "height", &value, &bound) == 0 && value == bound && strstr(stowage_json(s, NULL), "\"period\": 8") != NULL);
	CHECK(stowage_get_pools(s, pool) == 0 && pool[0] == 0 && pool[4] == 0 && stowage_verify(s, offsets) == 0);
	CHECK(stowage_set_buffers(s, 5, lower, upper, size) == 0 && stowage_solve(s, offsets) == STOWAGE_OPTIMAL && strstr(stowage_json(s, NULL), "period") == NULL);
	CHECK(stowage_get_measure(s, "height", &value, &bound) == 0 && value == bound && stowage_get_measure(s, "cost", NULL, NULL) == STOWAGE_E_INPUT);
	stowage_free(s), stowage_free(t);
}

// barriers lists the waits of three buffers in the same bytes, once and as a step that repeats.
static void barriers(void) {
	const int64_t lower[] = {0, 2, 4}, upper[] = {2, 4, 6}, size[] = {8, 8, 8}, overlap[] = {0, 4, 4}, bad[] = {-8, 0, 0};
	int64_t offsets[3], of[5][3];
	stowage_solver *s = stowage_new();
	CHECK(stowage_barriers(NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL) == STOWAGE_E_INPUT);
	CHECK(stowage_set_buffers(s, 3, lower, upper, size) == 0);
	CHECK(stowage_barriers(s, NULL, 0, NULL, NULL, NULL, NULL, NULL) == STOWAGE_E_INPUT && strstr(stowage_error(s), "there is no plan") != NULL);
	CHECK(stowage_solve(s, offsets) == STOWAGE_OPTIMAL && stowage_barriers(s, NULL, 3, of[0], of[1], of[2], of[3], of[4]) == 2);
	CHECK(of[0][0] == 1 && of[1][0] == 2 && of[2][0] == 0 && of[3][0] == 2 && of[4][0] == 0);
	CHECK(of[0][1] == 2 && of[1][1] == 4 && of[2][1] == 1 && of[3][1] == 4 && of[4][1] == 0);
	of[0][1] = 9;
	CHECK(stowage_barriers(s, overlap, 1, of[0], NULL, NULL, NULL, NULL) == 2 && of[0][0] == 1 && of[0][1] == 9); // room for one
	CHECK(stowage_barriers(s, bad, 0, NULL, NULL, NULL, NULL, NULL) == STOWAGE_E_INPUT && strstr(stowage_error(s), "below zero") != NULL);
	CHECK(stowage_set_period(s, 6) == 0 && stowage_solve(s, offsets) == STOWAGE_OPTIMAL && stowage_barriers(s, NULL, 3, of[0], of[1], of[2], of[3], of[4]) == 3);
	CHECK(of[0][0] == 0 && of[1][0] == 0 && of[2][0] == 2 && of[3][0] == 6 && of[4][0] == -1);
	stowage_free(s);
}

static void plans(void) {
	stowage_solver *s = stowage_new();
	stowage_result r;
	int64_t offsets[5], i;
	CHECK(stowage_abi() == STOWAGE_ABI && strlen(stowage_version()) > 0);
	CHECK(stowage_solve(s, NULL) == STOWAGE_OPTIMAL); // of no buffers
	CHECK(stowage_set_buffers(s, 5, lower5, upper5, size5) == STOWAGE_OK && stowage_count(s) == 5);
	CHECK(stowage_bound(s) == 12);
	CHECK(stowage_solve(s, offsets) == STOWAGE_OPTIMAL);
	CHECK(stowage_get_result(s, &r, sizeof r) == STOWAGE_OK);
	CHECK(r.status == STOWAGE_OPTIMAL && r.height == 12 && r.lower_bound == 12 && r.stopped == STOWAGE_FINISHED && r.capacity == 0);
	CHECK(strcmp(r.planner, "auto") == 0 && r.elapsed_ns > 0);
	words(s);
	CHECK(stowage_verify(s, offsets) == 0 && stowage_error(s)[0] == 0);
	offsets[0] = offsets[2];
	CHECK(stowage_verify(s, offsets) == 1 && stowage_error(s)[0] != 0);
	CHECK(stowage_verify(s, NULL) == STOWAGE_E_INPUT);
	CHECK(stowage_solve(s, NULL) == STOWAGE_OPTIMAL);

	sizes();
	ends();
	barriers();

	// A caller of an older header asks for fewer fields.
	memset(&r, 7, sizeof r);
	CHECK(stowage_get_result(s, &r, 16) == STOWAGE_OK && r.height == 12 && r.lower_bound == 0x0707070707070707);

	// Capacity, in both directions.
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 11) == STOWAGE_OK && stowage_solve(s, offsets) == STOWAGE_INFEASIBLE);
	CHECK(stowage_get_result(s, &r, sizeof r) == STOWAGE_OK && r.height == 0 && r.lower_bound == 12 && r.capacity == 11);
	CHECK(strcmp(stowage_reason(s), "In [0, 3) 3 buffers take 12, which is 1 more than the capacity of 11. They are 0 (4), 2 (4) and 4 (4).") == 0);
	CHECK(strstr(stowage_reason(s), "In [0, 3)") != NULL && stowage_bound(s) == 12 && stowage_reason(s)[0] == 0);
	CHECK(stowage_explain(s, offsets) == 3 && offsets[0] < offsets[1] && offsets[1] < offsets[2] && stowage_error(s)[0] == 0);
	CHECK(strstr(stowage_reason(s), " they take 12, which is 1 too much.") != NULL);
	{
		const int64_t both[] = {STOWAGE_NONE, 2, 0, STOWAGE_NONE, STOWAGE_NONE};
		CHECK(stowage_set_fixed(s, both) == 0 && stowage_solve(s, offsets) == STOWAGE_INFEASIBLE);
		CHECK(strcmp(stowage_reason(s), "The buffers 1 and 2 have fixed offsets that collide: both use bytes [2, 4) at times [3, 9), so no capacity is enough.") == 0);
		CHECK(stowage_explain(s, offsets) == 2 && strstr(stowage_reason(s), "no capacity is enough") != NULL);
		CHECK(stowage_set_fixed(s, NULL) == 0 && stowage_reason(s)[0] == 0);
	}
	{
		// The reason is worked out after the run, when the caller's arrays may be gone: also
		// of a run in the background, of JSON, and of an offset too high.
		const char *json = "{\"version\": 1, \"capacity\": 7, \"buffers\": [{\"id\": \"a\", \"lower\": 0, \"upper\": 2, \"size\": 4}, {\"id\": \"b\", \"lower\": 1, \"upper\": 3, \"size\": 4}]}";
		int64_t *gone = (int64_t *)malloc(15 * sizeof *gone), at[] = {STOWAGE_NONE, STOWAGE_NONE, 10, STOWAGE_NONE, STOWAGE_NONE};
		memcpy(gone, lower5, sizeof lower5), memcpy(gone + 5, upper5, sizeof upper5), memcpy(gone + 10, size5, sizeof size5);
		CHECK(stowage_set_buffers(s, 5, gone, gone + 5, gone + 10) == 0 && stowage_start(s, NULL) == 0 && stowage_reason(s)[0] == 0);
		CHECK(stowage_wait(s, -1) == STOWAGE_INFEASIBLE);
		free(gone);
		CHECK(strstr(stowage_reason(s), "take 12, which is 1 more than the capacity of 11") != NULL);
		CHECK(stowage_set_buffers(s, 5, lower5, upper5, size5) == 0 && stowage_set_fixed(s, at) == 0 && stowage_solve(s, offsets) == STOWAGE_INFEASIBLE);
		CHECK(strcmp(stowage_reason(s), "Buffer 2 is fixed at 10 and ends at 14, above the capacity of 11.") == 0);
		CHECK(stowage_set(s, STOWAGE_CAPACITY, 0) == 0 && stowage_read_json(s, json, strlen(json)) == 0 && stowage_solve(s, offsets) == STOWAGE_INFEASIBLE);
		CHECK(strcmp(stowage_reason(s), "In [1, 2) 2 buffers take 8, which is 1 more than the capacity of 7. They are a (4) and b (4).") == 0);
		CHECK(stowage_set_buffers(s, 5, lower5, upper5, size5) == 0);
	}
	CHECK(stowage_set_options(s, "{\"planner\": \"gone\"}", 19) == STOWAGE_E_INPUT && stowage_reason(s)[0] == 0);
	CHECK(strstr(stowage_error(s), "options: no planner is named \"gone\"; the choices are auto, ") != NULL && strstr(stowage_error(s), "register") == NULL);
	CHECK(stowage_set_options(s, "{\"planner\": \"auto\"}", 19) == 0);
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 0) == STOWAGE_OK && stowage_explain(s, offsets) == STOWAGE_E_INPUT);
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 12) == STOWAGE_OK && stowage_explain(s, offsets) == 0 && stowage_error(s)[0] == 0);
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 100) == STOWAGE_OK && stowage_solve(s, offsets) > 0);

	// Every column: alignment, a fixed offset, a hint, a gap with a window and one without.
	{
		const int64_t alignment[] = {8, 1, 1, 8, 0}, fixed[] = {STOWAGE_NONE, STOWAGE_NONE, 20, STOWAGE_NONE, STOWAGE_NONE};
		const int64_t hint[] = {STOWAGE_NONE, 7, STOWAGE_NONE, STOWAGE_NONE, 3}, first[] = {0, 0, 0, 0, 2, 3};
		const int64_t from[] = {14, 10, 2}, to[] = {15, 12, 20}, low[] = {STOWAGE_NONE, 0, 1}, high[] = {STOWAGE_NONE, 2, 3};
		CHECK(stowage_set_alignments(s, alignment) == 0 && stowage_set_fixed(s, fixed) == 0 && stowage_set_hints(s, hint) == 0);
		CHECK(stowage_set_gaps(s, first, from, to, low, high) == 0);
		CHECK(stowage_solve(s, offsets) > 0 && offsets[2] == 20 && offsets[0] % 8 == 0 && offsets[3] % 8 == 0);
		CHECK(strstr(stowage_json(s, NULL), "\"gaps\": [{\"lower\": 10, \"upper\": 12, \"window\": [0, 2]}, {\"lower\": 14, \"upper\": 15}]") != NULL);
		CHECK(stowage_set_gaps(s, first, NULL, to, NULL, NULL) == STOWAGE_E_INPUT);
		CHECK(stowage_set_gaps(s, first, from, to, low, NULL) == STOWAGE_E_INPUT);
		CHECK(stowage_set_gaps(s, fixed, from, to, NULL, NULL) == STOWAGE_E_INPUT); // begins with -1
		{
			int64_t many[64] = {0};
			many[stowage_count(s)] = INT64_MAX;
			CHECK(stowage_set_gaps(s, many, from, to, NULL, NULL) == STOWAGE_E_INPUT && strstr(stowage_error(s), "first must end") != NULL);
		}
		{
			// What was right when it was set may not be so when it is read.
			int64_t later[] = {0, 0, 0, 0, 2, 3};
			CHECK(stowage_set_gaps(s, later, from, to, low, high) == 0);
			later[1] = 5;
			CHECK(stowage_solve(s, offsets) == STOWAGE_E_INPUT && strstr(stowage_error(s), "descend") != NULL && stowage_json(s, NULL) == NULL);
			CHECK(stowage_start(s, offsets) == STOWAGE_E_INPUT && stowage_bound(s) == STOWAGE_E_INPUT);
		}
		CHECK(stowage_set_gaps(s, NULL, NULL, NULL, NULL, NULL) == 0);
	}

	// A start, which is kept where nothing is lower, and refused where it is no plan.
	{
		const int64_t start[] = {0, 0, 4, 0, 8}, bad[] = {0, 0, 0, 0, 8};
		CHECK(stowage_set_buffers(s, 5, lower5, upper5, size5) == 0 && stowage_set_start(s, start) == 0);
		CHECK(stowage_solve(s, offsets) > 0 && stowage_set_start(s, bad) == 0);
		CHECK(stowage_solve(s, offsets) == STOWAGE_E_INPUT && strstr(stowage_error(s), "start") != NULL);
	}
	for (i = 0; i < 5; i++)
		CHECK(stowage_assign(i, lower5, upper5, size5, NULL, offsets) == (i == 0 ? 0 : i == 4 ? 8 : 4 * ((i + 1) / 2)));
	CHECK(stowage_assign(5, lower5, upper5, size5, size5, offsets) == 12 && offsets[4] % 4 == 0);
	CHECK(stowage_assign(5, upper5, lower5, size5, NULL, offsets) == STOWAGE_E_INPUT);
	stowage_free(s);
	stowage_free(NULL);
}

static void faults(void) {
	stowage_solver *s = stowage_new();
	int64_t offsets[5];
	const char *options = "{\"planner\": \"exact\", \"capacity\": 12, \"minimize\": true, \"timeout\": \"10s\", \"nodes\": 1000, \"workers\": 2, \"seed\": 18446744073709551615, \"without\": [\"memo\"]}";
	const char *bad[] = {"{\"planer\": 1}", "[]", "", "{} {}", "{\"timeout\": \"soon\"}", "{\"timeout\": []}", "{\"timeout\": 1e300}", "{\"nodes\": 1.5}", "{\"without\": 1}"};
	size_t k;
	CHECK(stowage_set_buffers(s, 5, upper5, lower5, size5) == 0 && stowage_solve(s, offsets) == STOWAGE_E_INPUT);
	CHECK(strstr(stowage_error(s), "buffer 0: upper \"0\"") != NULL && strstr(stowage_error(s), "buffer 4") != NULL);
	CHECK(stowage_verify(s, offsets) == STOWAGE_E_INPUT && stowage_bound(s) == STOWAGE_E_INPUT);
	CHECK(stowage_set_buffers(s, 5, lower5, NULL, size5) == STOWAGE_E_INPUT);
	CHECK(stowage_set_buffers(s, -1, lower5, upper5, size5) == STOWAGE_E_INPUT);
	CHECK(stowage_set_buffers(s, 5, lower5, upper5, size5) == 0);
	CHECK(stowage_set(s, 0, 1) == STOWAGE_E_INPUT && stowage_set(s, 7, 1) == STOWAGE_E_INPUT);
	// What an option cannot have is refused when it is set, and changes nothing.
	{
		static const struct { int option; int64_t value; const char *said; } wrong[] = {
			{STOWAGE_CAPACITY, -5, "capacity \"-5\": must be from 1 to 2305843009213693951, or 0 for none"},
			{STOWAGE_CAPACITY, INT64_C(2305843009213693952), "capacity \"2305843009213693952\": must be from 1 to"},
			{STOWAGE_TIMEOUT_NS, -1, "timeout \"-1ns\": must not be negative"},
			{STOWAGE_NODES, -1, "node limit \"-1\": must not be negative"},
			{STOWAGE_WORKERS, -2, "workers \"-2\": must not be negative"},
		};
		stowage_result r;
		CHECK(stowage_set(s, STOWAGE_CAPACITY, 100) == 0);
		for (k = 0; k < sizeof wrong / sizeof *wrong; k++)
			CHECK(stowage_set(s, wrong[k].option, wrong[k].value) == STOWAGE_E_INPUT && strncmp(stowage_error(s), wrong[k].said, strlen(wrong[k].said)) == 0);
		CHECK(stowage_solve(s, offsets) > 0 && stowage_get_result(s, &r, sizeof r) == 0 && r.capacity == 100);
		CHECK(stowage_set(s, STOWAGE_MINIMIZE, -7) == 0 && stowage_set(s, STOWAGE_SEED, -7) == 0 && stowage_set(s, STOWAGE_WORKERS, 1000000000) == 0);
		CHECK(stowage_set(s, STOWAGE_CAPACITY, INT64_C(2305843009213693951)) == 0 && stowage_set(s, STOWAGE_TIMEOUT, INT64_MAX) == 0 && stowage_set(s, STOWAGE_NODES, INT64_MAX) == 0);
		CHECK(stowage_solve(s, offsets) == STOWAGE_OPTIMAL);
		for (k = STOWAGE_CAPACITY; k <= STOWAGE_SEED; k++)
			CHECK(stowage_set(s, (int)k, 0) == 0);
	}
	{
		static const struct { const char *json, *said; } wrong[] = {
			{"{\"planner\": \"exat\"}", "options: no planner is named \"exat\"; did you mean exact? The choices are exact, "},
			{"{\"capasity\": 5, \"nodes\": 7}", "options: there is no option \"capasity\"; did you mean capacity? The choices are capacity, "},
			{"{\"capacity\": -5}", "options: capacity \"-5\": must be from 1 to "},
			{"{\"capacity\": \"2 KiBs\"}", "options: capacity \"2 KiBs\": must be a whole number of bytes or a text such as \"2KiB\""},
			{"{\"timeout\": -1}", "options: timeout \"-1\": must not be negative"},
			{"{\"planner\": \"exact\", \"without\": [\"mem\"]}", "options: planner exact has no technique \"mem\"; did you mean memo? It has "},
			{"{\"planner\": \"exact\", \"set\": {\"order\": \"TWA\"}}", "options: planner exact has no parameter \"order\"; did you mean orders? It has "},
			{"{\"planner\": \"exact\", \"set\": {\"orders\": \"QQQ\"}}", "options: "},
			{"{\"workers\": \"2\"}", "options: workers \"2\": must be a whole number of at least 0"},
			{"{\"seed\": -1}", "options: seed \"-1\": must be a whole number from 0 to 18446744073709551615"},
			{"{\"minimize\": 1}", "options: minimize \"1\": must be true or false"},
			{"{\"timeout\": \"soon\", \"nodes\": 1.5, \"capacity\": 12}", "options: nodes \"1.5\": must be a whole number of at least 0\noptions: timeout \"soon\": must be a number of seconds"},
		};
		const char *right = "{\"capacity\": \"1KiB\", \"timeout\": 0.5, \"planner\": null}";
		stowage_result r;
		for (k = 0; k < sizeof wrong / sizeof *wrong; k++)
			CHECK(stowage_set_options(s, wrong[k].json, strlen(wrong[k].json)) == STOWAGE_E_INPUT && strncmp(stowage_error(s), wrong[k].said, strlen(wrong[k].said)) == 0);
		CHECK(stowage_solve(s, offsets) == STOWAGE_OPTIMAL && stowage_get_result(s, &r, sizeof r) == 0 && r.capacity == 0 && strcmp(r.planner, "auto") == 0);
		CHECK(stowage_set_options(s, right, strlen(right)) == 0 && stowage_solve(s, offsets) > 0 && stowage_get_result(s, &r, sizeof r) == 0 && r.capacity == 1024);
		CHECK(stowage_set(s, STOWAGE_CAPACITY, 0) == 0 && stowage_set(s, STOWAGE_TIMEOUT_NS, 0) == 0);
	}
	CHECK(stowage_set_options(s, options, strlen(options)) == 0 && stowage_solve(s, offsets) == STOWAGE_OPTIMAL);
	for (k = 0; k < sizeof bad / sizeof *bad; k++)
		CHECK(stowage_set_options(s, bad[k], strlen(bad[k])) == STOWAGE_E_INPUT && strncmp(stowage_error(s), "options: ", 9) == 0 && strstr(stowage_error(s), "Go ") == NULL && strstr(stowage_error(s), "EOF") == NULL);
	// A planner that does not have what is switched off already.
	CHECK(stowage_set_options(s, "{\"planner\": \"climb\"}", 20) == STOWAGE_E_INPUT && strstr(stowage_error(s), "no technique \"memo\"") != NULL);
	CHECK(stowage_set_options(s, "{\"without\": []}", 15) == 0);
	CHECK(stowage_set_options(s, "{\"planner\": \"\"}", 15) == 0 && stowage_wait(s, 0) == STOWAGE_E_INPUT);
	{
		const char *twice[] = {"a", "b", "a", "c", "d"}, *hole[] = {"a", NULL, "c", "d", "e"};
		CHECK(stowage_set_names(s, twice) == 0 && stowage_solve(s, offsets) == STOWAGE_E_INPUT && strstr(stowage_error(s), "duplicate") != NULL);
		CHECK(stowage_set_names(s, hole) == 0 && stowage_solve(s, offsets) == STOWAGE_E_INPUT && strstr(stowage_error(s), "empty") != NULL);
	}
	// Lengths that no text has: of a difference that came out negative, or cut to 32 bits.
	CHECK(stowage_read_json(s, "{}", (size_t)-1) == STOWAGE_E_INPUT && strstr(stowage_error(s), "length") != NULL);
	CHECK(stowage_set_options(s, "{}", (size_t)-2) == STOWAGE_E_INPUT && strstr(stowage_error(s), "length") != NULL);
	CHECK(stowage_set_names(s, NULL) == 0 && stowage_error(s)[0] == 0);
	CHECK(stowage_solve(NULL, offsets) == STOWAGE_E_INPUT && stowage_set_hints(NULL, NULL) == STOWAGE_E_INPUT && stowage_error(NULL)[0] != 0);
	stowage_free(s);
}

// A trace of an arena comes and its plan goes as text.
static void trace(void) {
	stowage_solver *s = stowage_new();
	const char *t = "stowage-arena-trace 1\nb 1 0 -\na 600 64 0 0\na 300 64 0 0\nf 0 0\na 500 64 0 0\nf 1 0\nf 2 0\ne 1 0\nend 9 -\n";
	size_t n = 7;
	const char *plan = stowage_plan_trace(s, t, strlen(t), 0, 0, &n);
	CHECK(plan != NULL && strlen(plan) == n && strstr(plan, "\nheight 920\nbound 920\nstatus optimal\n") != NULL);
	CHECK((plan = stowage_plan_trace(s, t, strlen(t), 128, 64, NULL)) != NULL && strstr(plan, "\nalignment 128\nguard 64\n") != NULL);
	CHECK(stowage_plan_trace(s, t, strlen(t), 3, 0, &n) == NULL && n == 0 && strstr(stowage_error(s), "power of two") != NULL);
	CHECK(stowage_plan_trace(s, t, strlen(t) - 1, 0, 0, &n) == NULL && strstr(stowage_error(s), "cut short") != NULL);
	CHECK(stowage_plan_trace(s, NULL, 1, 0, 0, NULL) == NULL && stowage_error(s)[0] != 0);
	stowage_free(s);
}

// A graph comes and goes as text, with the options of the solver.
static void graph(void) {
	stowage_solver *s = stowage_new();
	const char *g = "{\"values\": [{\"name\": \"x\", \"size\": 64}, {\"name\": \"y\", \"size\": 64}], \"operators\": ["
			"{\"name\": \"relu\", \"operands\": [\"x\"], \"results\": [\"y\"], \"permits\": [{\"result\": \"y\", \"operand\": \"x\"}]}], "
			"\"inputs\": [\"x\"], \"outputs\": [\"y\"]}";
	size_t n = 7;
	const char *plan = stowage_plan_graph(s, g, strlen(g), STOWAGE_REORDER, &n);
	CHECK(plan != NULL && strlen(plan) == n && strstr(plan, "\"height\": 64,") != NULL && strstr(plan, "\"order\": [\"relu\"]") != NULL);
	plan = stowage_plan_graph(s, g, strlen(g), STOWAGE_NO_PERMITS, NULL);
	CHECK(plan != NULL && strstr(plan, "\"height\": 128,") != NULL);
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 100) == STOWAGE_OK);
	CHECK((plan = stowage_plan_graph(s, g, strlen(g), STOWAGE_IN_PLACE, &n)) != NULL && strstr(plan, "\"height\": 64,") != NULL);
	CHECK((plan = stowage_plan_graph(s, g, strlen(g), STOWAGE_NO_PERMITS, &n)) != NULL && strstr(plan, "infeasible") != NULL);
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 0) == STOWAGE_OK);
	const char *lined = "{\"values\": [{\"name\": \"x\", \"size\": 64, \"lines\": 8}, {\"name\": \"y\", \"size\": 512, \"lines\": 8}, "
			"{\"name\": \"z\", \"size\": 64, \"lines\": 8}], \"operators\": ["
			"{\"name\": \"wide\", \"operands\": [\"x\"], \"results\": [\"y\"], \"reads\": [{\"operand\": \"x\"}]}, "
			"{\"name\": \"slim\", \"operands\": [\"y\"], \"results\": [\"z\"], \"reads\": [{\"operand\": \"y\"}]}], "
			"\"inputs\": [\"x\"], \"outputs\": [\"z\"]}";
	CHECK((plan = stowage_plan_graph(s, lined, strlen(lined), 0, &n)) != NULL && strstr(plan, "\"height\": 576,") != NULL);
	CHECK((plan = stowage_plan_graph(s, lined, strlen(lined), STOWAGE_SPLIT, &n)) != NULL && strstr(plan, "\"height\": 128,") != NULL &&
			strstr(plan, "\"operators\": [\"wide\", \"slim\"], \"strips\": 8, \"work\": 0") != NULL);
	CHECK(stowage_plan_graph(s, g, strlen(g), 64, &n) == NULL && n == 0 && strstr(stowage_error(s), "64") != NULL);
	CHECK(stowage_plan_graph(s, "{", 1, 0, &n) == NULL && n == 0 && strstr(stowage_error(s), "cut off") != NULL);
	CHECK(stowage_plan_graph(s, NULL, 1, 0, NULL) == NULL && stowage_error(s)[0] != 0);
	CHECK(stowage_plan_graph(NULL, g, strlen(g), 0, NULL) == NULL);
	stowage_free(s);
}

// sweeps asks for what a sweep needs beside runs: problems, their loads and their digests.
static void sweeps(void) {
	stowage_solver *s = stowage_new(), *t = stowage_new();
	const char *random = "{\"kind\": \"random\", \"buffers\": 60, \"seed\": 7, \"max-size\": \"4KiB\"}", *copy;
	const char *wrong[] = {
		"{\"kind\": \"randon\"}", "{\"kind\": \"random\", \"holes\": 0.5}", "{\"kind\": \"random\", \"buffer\": 5}",
		"{\"kind\": \"random\", \"buffers\": \"soon\"}", "{\"kind\": \"random\"} 5", "5", "", NULL,
	};
	char digest[17];
	size_t n = 0, k;
	CHECK(stowage_generate(s, random, strlen(random)) == STOWAGE_OK && stowage_count(s) == 60);
	CHECK(stowage_load(s) > 4096 && stowage_load(s) <= stowage_bound(s) && stowage_load(NULL) == STOWAGE_E_INPUT);
	CHECK(strlen(strcpy(digest, stowage_digest(s))) == 16 && stowage_digest(NULL) == NULL);
	CHECK((copy = stowage_json(s, &n)) != NULL && stowage_read_json(t, copy, n) == STOWAGE_OK);
	CHECK(stowage_load(t) == stowage_load(s) && strcmp(stowage_digest(t), digest) == 0);
	CHECK(stowage_set(t, STOWAGE_CAPACITY, 1 << 20) == STOWAGE_OK && strcmp(stowage_digest(t), digest) == 0);
	CHECK(stowage_solve(t, NULL) > 0);
	for (k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		CHECK(stowage_generate(s, wrong[k], wrong[k] == NULL ? 0 : strlen(wrong[k])) == STOWAGE_E_INPUT && stowage_error(s)[0] != 0);
		CHECK(stowage_count(s) == 60 && strcmp(stowage_digest(s), digest) == 0); // what was there is still there
	}
	CHECK(stowage_set_buffers(t, 5, lower5, upper5, size5) == STOWAGE_OK && stowage_load(t) == 12 && strcmp(stowage_digest(t), digest) != 0);
	CHECK(stowage_set_buffers(t, 5, upper5, lower5, size5) == STOWAGE_OK && stowage_load(t) == STOWAGE_E_INPUT && stowage_error(t)[0] != 0);
	stowage_free(s);
	stowage_free(t);
}

static void text(void) {
	stowage_solver *s = stowage_new();
	const char *problem = "{\"version\": 1, \"name\": \"two\", \"capacity\": 9, \"buffers\": [{\"id\": \"a\", \"lower\": 0, \"upper\": 2, \"size\": 4}, {\"id\": \"b\", \"lower\": 1, \"upper\": 3, \"size\": 4}]}";
	int64_t offsets[2];
	size_t n = 0;
	stowage_result r;
	CHECK(stowage_read_json(s, "{", 1) == STOWAGE_E_INPUT && strstr(stowage_error(s), "cut off") != NULL);
	CHECK(stowage_read_json(s, problem, strlen(problem)) == STOWAGE_OK && stowage_count(s) == 2);
	CHECK(stowage_set_hints(s, offsets) == STOWAGE_E_INPUT);
	CHECK(stowage_json(s, NULL) != NULL && strstr(stowage_json(s, &n), "\"plan\"") == NULL);
	CHECK(stowage_solve(s, offsets) > 0 && stowage_get_result(s, &r, sizeof r) == 0 && r.capacity == 9 && r.height == 8);
	CHECK(strstr(stowage_json(s, &n), "\"offsets\": [") != NULL && strlen(stowage_json(s, NULL)) == n && n > 100);
	CHECK(stowage_set_buffers(s, 2, lower5, upper5, size5) == 0 && strstr(stowage_json(s, &n), "\"plan\"") == NULL);
	stowage_free(s);
}

typedef struct {
	stowage_token *token;
	int calls, enough;
	int64_t height; // with offsets
	int64_t before; // of the call before
	double last; // when it was last called
	int close;   // calls that came sooner than they should
} watcher;

static int tell(const stowage_progress *p, const int64_t *offsets, void *user) {
	watcher *w = (watcher *)user;
	w->close += w->calls++ > 0 && now() - w->last < 0.049;
	w->last = now();
	CHECK(offsets == NULL || (p->height > 0 && p->height != w->before));
	w->before = p->height;
	if (p->height > 0 && offsets != NULL)
		w->height = p->height;
	return w->enough > 0 && w->calls >= w->enough;
}

// Of a callback the solver that calls it is out of reach, and another one is not.
static int reach(const stowage_progress *p, const int64_t *offsets, void *user) {
	stowage_solver *s = *(stowage_solver **)user;
	stowage_result r;
	int64_t five[5];
	(void)p, (void)offsets;
	CHECK(stowage_solve(s, NULL) == STOWAGE_E_BUSY && strstr(stowage_error(s), "in use") != NULL);
	CHECK(stowage_get_result(s, &r, sizeof r) == STOWAGE_E_BUSY && stowage_json(s, NULL) == NULL);
	CHECK(stowage_assign(5, lower5, upper5, size5, NULL, five) == 12);
	return 1;
}

// Of two that wait for one run one has it, and the other is told so.
static void *wait_too(void *user) {
	int *code = (int *)malloc(sizeof *code);
	*code = stowage_wait((stowage_solver *)user, -1);
	return code;
}

static void *cancel_soon(void *user) {
	usleep(100000);
	stowage_cancel((stowage_token *)user);
	return NULL;
}

static void limits(void) {
	// The buffers of a problem that nobody solves soon.
	columns c = make(3000, 400);
	stowage_solver *s = stowage_new();
	stowage_token *t = stowage_token_new();
	stowage_result r;
	watcher w = {NULL, 0, 0, 0, 0, 0, 0};
	pthread_t thread;
	double begin;
	int code;
	CHECK(stowage_set_buffers(s, 3000, c.lower, c.upper, c.size) == 0 && stowage_set(s, STOWAGE_TIMEOUT_NS, 600000000000) == 0);

	CHECK(stowage_set_token(s, t) == 0 && pthread_create(&thread, NULL, cancel_soon, t) == 0);
	begin = now();
	code = stowage_solve(s, c.offsets);
	pthread_join(thread, NULL);
	CHECK(code == STOWAGE_FEASIBLE && now() - begin < 30 && stowage_get_result(s, &r, sizeof r) == 0 && r.stopped == STOWAGE_STOP_CANCELLED);
	CHECK(strcmp(stowage_ended(s), "interrupt") == 0 && stowage_proved_by(s)[0] == 0);
	CHECK(stowage_verify(s, c.offsets) == 0);
	// It stays cancelled, and a run that begins so still answers.
	CHECK(stowage_solve(s, c.offsets) >= 0 && stowage_get_result(s, &r, sizeof r) == 0 && r.stopped == STOWAGE_STOP_CANCELLED);
	stowage_token_reset(t);

	{
		// A byte that waits in a socket; another byte is none of its business.
		int ends[2];
		CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
		stowage_token_watch(t, ends[0], 2);
		CHECK(write(ends[1], "\1", 1) == 1 && stowage_start(s, c.offsets) == 0 && stowage_wait(s, 100) == STOWAGE_RUNNING);
		CHECK(write(ends[1], "\2", 1) == 1 && stowage_wait(s, -1) >= 0);
		CHECK(stowage_get_result(s, &r, sizeof r) == 0 && r.stopped == STOWAGE_STOP_CANCELLED);
		stowage_token_watch(t, -1, 0);
		close(ends[0]), close(ends[1]);
	}

	w.enough = 1;
	CHECK(stowage_on_progress(s, tell, &w) == 0 && stowage_solve(s, c.offsets) >= 0 && w.calls == 1);
	CHECK(stowage_get_result(s, &r, sizeof r) == 0 && r.stopped == STOWAGE_STOP_CANCELLED);
	// It is called on and on, whether the planner has something to say or not.
	w.calls = 0, w.before = 0, w.enough = 12, begin = now();
	CHECK(stowage_solve(s, c.offsets) >= 0 && w.calls == 12 && w.close == 0 && now() - begin < 30);
	CHECK(stowage_get_result(s, &r, sizeof r) == 0 && r.stopped == STOWAGE_STOP_CANCELLED);
	// And evenly, but for what is news at the end.
	w.calls = w.enough = 0, w.height = w.before = 0;
	CHECK(stowage_set(s, STOWAGE_TIMEOUT_NS, 500000000) == 0 && stowage_solve(s, c.offsets) >= 0 && w.calls > 1 && w.close <= 1);
	CHECK(stowage_get_result(s, &r, sizeof r) == 0 && w.height >= r.height && stowage_set(s, STOWAGE_TIMEOUT_NS, 600000000000) == 0);
	CHECK(stowage_on_progress(s, reach, &s) == 0 && stowage_solve(s, c.offsets) >= 0 && stowage_error(s)[0] == 0);
	CHECK(stowage_on_progress(s, NULL, NULL) == 0);

	{
		void *other;
		int mine;
		CHECK(stowage_start(s, c.offsets) == 0 && pthread_create(&thread, NULL, wait_too, s) == 0);
		usleep(50000);
		stowage_cancel(t);
		mine = stowage_wait(s, -1);
		pthread_join(thread, &other);
		CHECK((mine == STOWAGE_FEASIBLE) + (*(int *)other == STOWAGE_FEASIBLE) == 1 && (mine < 0 || *(int *)other < 0));
		free(other);
		stowage_token_reset(t);
	}

	// Behind: busy while it runs; ended by the token, or by stowage_free.
	CHECK(stowage_start(s, c.offsets) == 0 && stowage_wait(s, 1) == STOWAGE_RUNNING && stowage_solve(s, NULL) == STOWAGE_E_BUSY);
	CHECK(stowage_start(s, c.offsets) == STOWAGE_E_BUSY && stowage_set(s, STOWAGE_SEED, 1) == STOWAGE_E_BUSY);
	stowage_cancel(t);
	CHECK(stowage_wait(s, -1) >= 0 && stowage_get_result(s, &r, sizeof r) == 0 && r.stopped == STOWAGE_STOP_CANCELLED);
	stowage_token_reset(t);
	CHECK(stowage_set(s, STOWAGE_TIMEOUT_NS, 20000000) == 0 && stowage_start(s, c.offsets) == 0);
	while ((code = stowage_wait(s, 5)) == STOWAGE_RUNNING) {
	}
	CHECK(code >= 0 && stowage_get_result(s, &r, sizeof r) == 0 && r.stopped == STOWAGE_STOP_TIMEOUT);
	// The longest time there is: what std::chrono::nanoseconds::max() is.
	CHECK(stowage_set_buffers(s, 5, lower5, upper5, size5) == 0 && stowage_set(s, STOWAGE_TIMEOUT_NS, INT64_MAX) == 0 && stowage_solve(s, c.offsets) == STOWAGE_OPTIMAL);
	CHECK(stowage_set_buffers(s, 3000, c.lower, c.upper, c.size) == 0);
	CHECK(stowage_set(s, STOWAGE_TIMEOUT_NS, 0) == 0 && stowage_start(s, c.offsets) == 0);
	stowage_free(s);
	stowage_token_free(t);
	free(c.lower);
}

static void forks(void) {
	int64_t offsets[5];
	int status = 0;
	stowage_solver *running = stowage_new();
	pid_t child;
	CHECK(stowage_assign(5, lower5, upper5, size5, NULL, offsets) == 12);
	CHECK(stowage_set_buffers(running, 5, lower5, upper5, size5) == 0 && stowage_start(running, NULL) == 0);
	child = fork();
	if (child == 0) {
		stowage_solver *s = stowage_new();
		int code = stowage_solve(s, offsets);
		int told = strstr(stowage_error(s), "forked") != NULL;
		stowage_free(s);
		// A run that was under way is so for ever.
		told = told && stowage_wait(running, -1) == STOWAGE_E_FORKED && stowage_solve(running, NULL) == STOWAGE_E_FORKED && strstr(stowage_error(running), "forked") != NULL;
		stowage_free(running);
		_exit(code == STOWAGE_E_FORKED && told && stowage_assign(5, lower5, upper5, size5, NULL, offsets) == STOWAGE_E_FORKED ? 0 : 1);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(stowage_wait(running, -1) == STOWAGE_OPTIMAL);
	stowage_free(running);
	CHECK(stowage_assign(5, lower5, upper5, size5, NULL, offsets) == 12);
}

// Each thread plans problems of its own and those of all, which must come out alike.
static int64_t heights[125];

static void *calls(void *user) {
	int mine = *(int *)user, k;
	stowage_solver *s = stowage_new();
	for (k = 0; k < 125; k++) {
		int64_t lower[40], upper[40], size[40], offsets[40];
		uint64_t x = 77 + (uint64_t)k;
		int i, n = 10 + k % 31;
		stowage_result r;
		for (i = 0; i < n; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			lower[i] = (int64_t)(x >> 40) % 30, upper[i] = lower[i] + 1 + (int64_t)(x >> 50) % 9, size[i] = 1 + (int64_t)(x >> 33) % 64;
		}
		if (k % 3 == 0) { // a new one now and then
			stowage_free(s);
			s = stowage_new();
		}
		CHECK(stowage_set_buffers(s, n, lower, upper, size) == 0 && stowage_solve(s, offsets) > 0 && stowage_verify(s, offsets) == 0);
		CHECK(stowage_get_result(s, &r, sizeof r) == 0);
		if (mine == 0)
			__atomic_store_n(&heights[k], r.height, __ATOMIC_RELAXED);
		else {
			int64_t first = __atomic_load_n(&heights[k], __ATOMIC_RELAXED);
			CHECK(first == 0 || first == r.height);
		}
	}
	stowage_free(s);
	return NULL;
}

static void threads(void) {
	pthread_t all[8];
	int k, mine[8];
	for (k = 0; k < 8; k++) {
		mine[k] = k;
		CHECK(pthread_create(&all[k], NULL, calls, &mine[k]) == 0);
	}
	for (k = 0; k < 8; k++)
		pthread_join(all[k], NULL);
}

static void leak(int all) {
	columns c = make(20, 20);
	int64_t before = 0, after;
	int k;
	for (k = 0; k < all; k++) {
		stowage_solver *s = stowage_new();
		stowage_token *t = stowage_token_new();
		CHECK(stowage_set_buffers(s, 20, c.lower, c.upper, c.size) == 0 && stowage_set_token(s, t) == 0);
		if (k % 10 == 0)
			CHECK(stowage_set_options(s, "{\"without\": [\"exact\"]}", 22) == 0);
		if (k % 3 == 0)
			CHECK(stowage_start(s, c.offsets) == 0 && stowage_wait(s, -1) > 0);
		else
			CHECK(stowage_solve(s, c.offsets) > 0);
		if (k % 5 == 0)
			CHECK(stowage_json(s, NULL) != NULL);
		if (k % 7 == 0)
			CHECK(stowage_set(s, STOWAGE_NODES, -1) < 0 && stowage_set(s, STOWAGE_CAPACITY, 1) == 0 && stowage_solve(s, NULL) == STOWAGE_INFEASIBLE && stowage_reason(s)[0] != 0);
		stowage_free(s);
		stowage_token_free(t);
		if (k == all / 5)
			before = resident();
	}
	after = resident();
	printf("%" PRId64 " kB after a fifth of the calls, %" PRId64 " kB after all\n", before, after);
	CHECK(after < before + 4096);
	free(c.lower);
}

// By how much a call takes longer than the planner in it, and one that only enters.
static int by_size(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void overhead(void) {
	static const int sizes[] = {20, 100, 700};
	static double beside[500], whole[500];
	stowage_solver *s = stowage_new();
	stowage_result r;
	size_t k;
	int i;
	double begin;
	stowage_bound(s);
	begin = now();
	for (i = 0; i < 100000; i++)
		stowage_bound(s);
	printf("%d buffers: %.2f us a call that finds nothing to do\n", 0, (now() - begin) * 10);
	for (k = 0; k < 3; k++) {
		int n = sizes[k], rounds = n > 500 ? 20 : 500;
		columns c = make(n, n);
		for (i = 0; i < rounds; i++) {
			begin = now();
			CHECK(stowage_set_buffers(s, n, c.lower, c.upper, c.size) == 0 && stowage_solve(s, c.offsets) > 0);
			whole[i] = (now() - begin) * 1e6;
			stowage_get_result(s, &r, sizeof r);
			beside[i] = whole[i] - (double)r.elapsed_ns / 1e3;
		}
		qsort(beside, (size_t)rounds, sizeof *beside, by_size);
		qsort(whole, (size_t)rounds, sizeof *whole, by_size);
		printf("%d buffers: %.1f us a call, %.1f us of it beside the planner (medians)\n", n, whole[rounds / 2], beside[rounds / 2]);
		free(c.lower);
	}
	stowage_free(s);
}

// A problem comes as its numbers in the machine's order, and as JSON; so do the answers.
static int64_t take(void) {
	int64_t x;
	if (fread(&x, sizeof x, 1, stdin) != 1)
		exit(0);
	return x;
}

static int64_t *take_all(int64_t n) {
	int64_t *all = (int64_t *)malloc(sizeof(int64_t) * (size_t)(n + 1));
	CHECK(fread(all, sizeof *all, (size_t)n, stdin) == (size_t)n);
	return all;
}

static void give(const void *from, size_t bytes) { CHECK(fwrite(from, 1, bytes, stdout) == bytes); }

static void stream(void) {
	stowage_solver *s = stowage_new();
	for (;;) {
		int64_t n = take(), gaps = take(), length = take(), k, status;
		int64_t *column[6], *gap[4], *options = take_all(STOWAGE_SEED + 1), *first, *offsets = (int64_t *)malloc(sizeof(int64_t) * (size_t)(n + 1));
		stowage_result r;
		char *json;
		const char *answer;
		size_t size = 0;
		for (k = 0; k < 6; k++)
			column[k] = take_all(n);
		first = take_all(n + 1);
		for (k = 0; k < 4; k++)
			gap[k] = take_all(gaps);
		json = (char *)malloc((size_t)length + 1);
		CHECK(fread(json, 1, (size_t)length, stdin) == (size_t)length);

		CHECK(stowage_set_buffers(s, n, column[0], column[1], column[2]) == 0 && stowage_set_alignments(s, column[3]) == 0);
		CHECK(stowage_set_fixed(s, column[4]) == 0 && stowage_set_hints(s, column[5]) == 0 && stowage_set_gaps(s, first, gap[0], gap[1], gap[2], gap[3]) == 0);
		for (k = 1; k <= STOWAGE_SEED; k++)
			CHECK(stowage_set(s, (int)k, options[k]) == 0);
		status = stowage_solve(s, offsets);
		CHECK(stowage_get_result(s, &r, sizeof r) == 0);
		give(&status, sizeof status), give(&r.height, sizeof r.height), give(&r.lower_bound, sizeof r.lower_bound), give(&r.nodes, sizeof r.nodes);
		if (status == STOWAGE_FEASIBLE || status == STOWAGE_OPTIMAL)
			give(offsets, sizeof(int64_t) * (size_t)n);

		CHECK(stowage_read_json(s, json, (size_t)length) == 0 && stowage_solve(s, NULL) == status);
		answer = stowage_json(s, &size);
		CHECK(answer != NULL);
		length = (int64_t)size;
		give(&length, sizeof length), give(answer, size);
		fflush(stdout);
		for (k = 0; k < 6; k++)
			free(column[k]);
		for (k = 0; k < 4; k++)
			free(gap[k]);
		free(first), free(options), free(offsets), free(json);
	}
}

int main(int argc, char **argv) {
	const char *what = argc > 1 ? argv[1] : "";
	if (strcmp(what, "threads") == 0)
		threads();
	else if (strcmp(what, "leaks") == 0)
		leak(argc > 2 ? atoi(argv[2]) : 100000);
	else if (strcmp(what, "overhead") == 0)
		overhead();
	else if (strcmp(what, "stream") == 0)
		stream();
	else
		plans(), rules(), faults(), text(), sweeps(), graph(), trace(), limits(), forks();
	return 0;
}
