// Sessions with rules, from C. Without an argument it checks what each function does and refuses; "leaks" makes many
// calls.
#include "check.h"

// guide returns the session of docs/sessions.md, section With rules. b is in pool 0, too, or in b_in.
static stowage_session *guide(stowage_solver *s, int64_t b_in) {
	static const int64_t lower[] = {0, 4, 0}, upper[] = {4, 9, 9}, size[] = {8, 8, 4}, at[] = {0, 0, 8}, room[] = {12, 0}, c[] = {2}, fast[] = {0};
	static const char *const names[] = {"a", "b", "c"}, *const pools[] = {"sram", "dram"};
	int64_t in[] = {0, 0, 0};
	stowage_session_options o;
	stowage_session *plan;
	memset(&o, 0, sizeof o);
	in[1] = b_in;
	o.pools = in;
	CHECK(stowage_set_buffers(s, 3, lower, upper, size) == 0 && stowage_set_names(s, names) == 0);
	CHECK(stowage_set_pools(s, 2, pools, room, NULL, NULL) == 0 && stowage_set_allowed(s, 1, c, fast) == 0);
	CHECK(stowage_session_open(s, at, &o, sizeof o, &plan) == STOWAGE_FEASIBLE);
	return plan;
}

// pair is a solver with one pair of buffers by their names, for rules.
static stowage_solver *pair(const char *first, const char *second) {
	static const int64_t any[2], zero[1], one[1] = {1};
	static const char *names[2];
	stowage_solver *r = stowage_new();
	int same = strcmp(first, second) == 0;
	names[0] = first, names[1] = second;
	CHECK(stowage_set_buffers(r, same ? 1 : 2, any, any, any) == 0 && stowage_set_names(r, names) == 0);
	CHECK(stowage_set_together(r, 1, zero, same ? zero : one, NULL) == 0);
	return r;
}

// list makes the pair of a solver one of another list.
static void list(stowage_solver *r, int (*set)(stowage_solver *, int64_t, const int64_t *, const int64_t *)) {
	static const int64_t zero[1], one[1] = {1};
	CHECK(stowage_set_together(r, 0, NULL, NULL, NULL) == 0 && set(r, 1, zero, one) == 0);
}

static void answers(void) {
	static const int64_t lower[] = {2}, upper[] = {6}, size[] = {2}, four[] = {4}, zero[1], one[] = {1};
	static const char *const view[] = {"view"};
	stowage_solver *s = stowage_new(), *more = stowage_new(), *rules, *copy = stowage_new();
	stowage_session *plan = guide(s, 0), *again;
	stowage_session_answer a;
	int64_t at = -7, in[8], mark;
	const char *text;

	CHECK(stowage_session_pool_of(plan, "a") == 0 && stowage_session_capacity(plan) == 0 && stowage_session_count(plan) == 3);
	mark = stowage_session_mark(plan);
	rules = pair("a", "b");
	list(rules, stowage_set_apart);
	CHECK(stowage_session_bind(plan, rules) == STOWAGE_FEASIBLE);
	CHECK(stowage_session_get_answer(plan, &a, sizeof a) == 0 && a.step == STOWAGE_STEP_REPAIR && a.moved_bytes == 8 && a.least && a.pools == NULL);
	CHECK(stowage_session_pool_of(plan, "a") == 1 && stowage_session_offset(plan, "a") == 0);
	CHECK(stowage_session_pools(plan, 8, in) == 3 && in[0] == 1 && in[1] == 0 && in[2] == 0);
	in[1] = 77;
	CHECK(stowage_session_pools(plan, 1, in) == 3 && in[1] == 77 && stowage_session_pools(plan, 0, NULL) == 3);

	// view lies 4 bytes into a. The columns of rules do not count, and the session has copies of all that does.
	CHECK(stowage_set_buffers(more, 1, lower, upper, size) == 0 && stowage_set_names(more, view) == 0);
	stowage_free(rules);
	rules = pair("a", "view");
	CHECK(stowage_set_together(rules, 1, zero, one, four) == 0);
	CHECK(stowage_session_fits_with(plan, more, rules, &at) == STOWAGE_FEASIBLE && at == 4);
	CHECK(stowage_session_get_answer(plan, &a, sizeof a) == 0 && a.pools != NULL && a.pools[0] == 1 && stowage_session_count(plan) == 3);
	at = -7;
	CHECK(stowage_session_place_with(plan, more, rules, STOWAGE_STEP_NONE, &at) == STOWAGE_FEASIBLE && at == 4);
	CHECK(stowage_session_get_answer(plan, &a, sizeof a) == 0 && a.pools[0] == 1 && a.step == STOWAGE_STEP_KEEP && a.moved_bytes == 0);
	CHECK(stowage_session_count(plan) == 4);
	CHECK(stowage_session_get_answer(plan, &a, sizeof a) == 0 && a.pools == NULL); // they went with the next call
	CHECK(stowage_session_limit_pool(plan, 0, 3) == STOWAGE_INFEASIBLE);
	CHECK(strcmp(stowage_session_proof(plan), "buffer \"c\" of 4 has no place: in the pool \"sram\" it takes 4, more than the capacity of 3") == 0);
	CHECK(stowage_session_get_answer(plan, &a, sizeof a) == 0 && strcmp(a.why, "rules") == 0 && a.pools == NULL);

	// A snapshot has the rules, and a session begins with it.
	CHECK(stowage_session_snapshot(plan, copy) == 0 && (text = stowage_json(copy, NULL)) != NULL);
	CHECK(strstr(text, "\"apart\"") != NULL && strstr(text, "\"together\"") != NULL && strstr(text, "\"sram\"") != NULL && strstr(text, "\"offsets\"") != NULL);
	CHECK(stowage_get_pools(copy, in) == 0 && in[0] == 1 && in[3] == 1 && in[1] == 0);
	CHECK(stowage_get_measure(copy, "height:dram", in, in + 1) == 0 && in[0] == 8 && in[1] == STOWAGE_NONE);
	CHECK(stowage_session_open(copy, NULL, NULL, 0, &again) == STOWAGE_FEASIBLE && stowage_session_count(again) == 4);
	CHECK(stowage_session_pool_of(again, "a") == stowage_session_pool_of(again, "view") && stowage_session_pool_of(again, "a") != stowage_session_pool_of(again, "b"));
	stowage_session_free(again);

	// Rules that a solver had before its problem was read do not count: their columns may be gone.
	{
		static const int64_t low[5], up[] = {1, 1, 1, 1, 1}, pool[] = {3}, high[] = {9};
		int64_t *owner = malloc(sizeof *owner);
		stowage_solver *used = stowage_new();
		*owner = 4;
		CHECK(stowage_set_buffers(used, 5, low, up, up) == 0 && stowage_set_allowed(used, 1, owner, zero) == 0 && stowage_set_reserved(used, 1, pool, zero, high) == 0);
		free(owner);
		CHECK(stowage_session_snapshot(plan, used) == 0 && stowage_json(used, NULL) != NULL);
		CHECK(stowage_solve(used, NULL) == STOWAGE_OPTIMAL && stowage_session_snapshot(plan, used) == 0);
		stowage_free(used);
	}

	// Both of a pair leave their group; then view need not follow a.
	CHECK(stowage_session_pin_in(plan, "view", 0, STOWAGE_NONE) == STOWAGE_FEASIBLE && stowage_session_pool_of(plan, "a") == 0 && stowage_session_pool_of(plan, "b") == 1);
	CHECK(stowage_session_unbind(plan, rules) == STOWAGE_FEASIBLE);
	CHECK(stowage_session_pin_in(plan, "view", 1, 30) == STOWAGE_FEASIBLE && stowage_session_offset(plan, "view") == 30);
	CHECK(stowage_session_offset(plan, "a") != 26 || stowage_session_pool_of(plan, "a") != 1);
	CHECK(stowage_session_get_answer(plan, &a, sizeof a) == 0 && a.pools == NULL); // of an earlier call
	CHECK(stowage_session_unpin(plan, "view") == 0 && stowage_session_pin(plan, "view", STOWAGE_NONE) == STOWAGE_FEASIBLE);
	CHECK(stowage_session_get_answer(plan, &a, sizeof a) == 0 && a.pools[0] == 1);
	CHECK(stowage_session_unbind(plan, rules) == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "\"a\": is tied to no buffer") != NULL);

	// One of a group leaves it.
	CHECK(stowage_session_rollback(plan, mark) == 0 && stowage_session_bind(plan, rules) == STOWAGE_E_INPUT);
	CHECK(stowage_session_place_with(plan, more, rules, STOWAGE_STEP_KEEP, &at) == STOWAGE_UNKNOWN && stowage_session_count(plan) == 3); // b is in the way
	CHECK(stowage_session_place_with(plan, more, rules, STOWAGE_STEP_FIT, &at) == STOWAGE_FEASIBLE && at == 4 && stowage_session_offset(plan, "a") == 0);
	CHECK(stowage_session_pool_of(plan, "view") == 1 && stowage_session_pool_of(plan, "a") == 1);
	stowage_free(rules);
	rules = pair("view", "view");
	CHECK(stowage_session_unbind(plan, rules) == STOWAGE_FEASIBLE && stowage_session_offset(plan, "view") == 8);
	CHECK(stowage_session_rollback(plan, mark) == STOWAGE_E_INPUT);

	// A buffer gets other pools, and another size at that.
	{
		int64_t low[] = {4}, up[] = {9}, bytes[] = {6}, allowed[] = {1};
		const char *name[] = {"b"};
		CHECK(stowage_set_buffers(more, 1, low, up, bytes) == 0 && stowage_set_names(more, name) == 0 && stowage_set_allowed(more, 1, zero, allowed) == 0);
		CHECK(stowage_session_replace(plan, more, &at) == STOWAGE_FEASIBLE);
		CHECK(stowage_session_get_answer(plan, &a, sizeof a) == 0 && a.pools[0] == 1);
		CHECK(stowage_session_pool_of(plan, "b") == 1 && stowage_session_offset(plan, "b") == at);
		// A pin, and then the pool of the pin for good.
		CHECK(stowage_set_allowed(more, 0, NULL, NULL) == 0 && stowage_session_replace(plan, more, &at) == STOWAGE_FEASIBLE);
		CHECK(stowage_session_pin(plan, "b", STOWAGE_NONE) == STOWAGE_FEASIBLE && stowage_set_allowed(more, 1, zero, allowed) == 0);
		CHECK(stowage_session_replace(plan, more, &at) == STOWAGE_FEASIBLE && stowage_session_pin_in(plan, "b", 0, 40) == STOWAGE_E_INPUT);
	}
	stowage_session_free(plan);

	// A program that was compiled for fewer fields gets those.
	plan = guide(s, 1);
	memset(&a, 7, sizeof a);
	CHECK(stowage_session_get_answer(plan, &a, offsetof(stowage_session_answer, pools)) == 0 && ((char *)&a)[offsetof(stowage_session_answer, pools)] == 7);
	stowage_session_free(plan);
	stowage_free(s), stowage_free(more), stowage_free(copy), stowage_free(rules);
}

// each opens a session with each rule that it takes, and adds a buffer that is of such a problem.
static void each(void) {
	static const int64_t lower[] = {0, 2}, upper[] = {3, 5}, size[] = {4, 4}, first[] = {0}, second[] = {1}, by[] = {-4}, clocks[] = {0, 0, 1, 1}, ends[] = {1, 1, 2, 2};
	stowage_solver *s = stowage_new(), *more = stowage_new();
	stowage_session *plan;
	int64_t at, all[2];
	const char *name[] = {"n"};
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 8) == 0);

	// Clocks: one ends before the other starts.
	CHECK(stowage_set_buffers(s, 2, lower, upper, size) == 0 && stowage_set_clocks(s, 2, clocks, ends) == 0);
	CHECK(stowage_session_open(s, NULL, NULL, 0, &plan) == STOWAGE_FEASIBLE && stowage_session_height(plan) == 4);
	CHECK(stowage_session_add(plan, "n", 0, 1, 4, 0, &at) == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "clocks") != NULL);
	CHECK(stowage_set_buffers(more, 1, lower, upper, size) == 0 && stowage_set_names(more, name) == 0 && stowage_set_clocks(more, 2, clocks, ends + 2) == 0);
	CHECK(stowage_session_place(plan, more, STOWAGE_STEP_NONE, &at) == STOWAGE_FEASIBLE && at == 4);
	stowage_session_free(plan);

	// A period: the second buffer runs over the end of the step, into the first.
	CHECK(stowage_set_buffers(s, 2, lower, upper, size) == 0 && stowage_set_period(s, 4) == 0);
	CHECK(stowage_session_open(s, NULL, NULL, 0, &plan) == STOWAGE_FEASIBLE && stowage_session_height(plan) == 8);
	CHECK(stowage_session_fits(plan, "n", 0, 1, 1, 0, &at) == STOWAGE_INFEASIBLE && stowage_session_add(plan, "n", 9, 10, 1, 0, &at) == STOWAGE_E_INPUT);
	CHECK(stowage_set_buffers(more, 1, lower, upper, size) == 0 && stowage_set_names(more, name) == 0 && stowage_set_period(more, 5) == 0);
	CHECK(stowage_session_place(plan, more, 0, &at) == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "period \"5\": must be that of the session, 4") != NULL);
	stowage_session_free(plan);

	// Distances, and pairs that may overlap.
	CHECK(stowage_set_buffers(s, 2, lower, upper, size) == 0 && stowage_set_distances(s, 1, first, second, by) == 0 && stowage_set(s, STOWAGE_CAPACITY, 7) == 0);
	CHECK(stowage_session_open(s, NULL, NULL, 0, &plan) == STOWAGE_FEASIBLE && stowage_session_height(plan) == 4);
	stowage_session_free(plan);
	CHECK(stowage_set_buffers(s, 2, lower, upper, size) == 0 && stowage_set_may_overlap(s, 1, first, second) == 0);
	CHECK(stowage_session_open(s, NULL, NULL, 0, &plan) == STOWAGE_FEASIBLE && stowage_session_offsets(plan, 2, all) == 2 && all[0] == 0 && all[1] == 0);
	CHECK(stowage_session_limit(plan, 4) == STOWAGE_FEASIBLE && stowage_session_capacity(plan) == 4 && stowage_session_limit_pool(plan, 0, 5) == STOWAGE_FEASIBLE && stowage_session_capacity(plan) == 5);
	stowage_session_free(plan);

	// New buffers have rules about each other.
	CHECK(stowage_set_buffers(s, 0, NULL, NULL, NULL) == 0 && stowage_set_pools(s, 0, NULL, NULL, NULL, NULL) == 0);
	CHECK(stowage_session_open(s, NULL, NULL, 0, &plan) == STOWAGE_FEASIBLE && stowage_session_count(plan) == 0);
	CHECK(stowage_set_buffers(more, 2, lower, upper, size) == 0 && stowage_session_fits_all(plan, more, NULL) == STOWAGE_INFEASIBLE);
	CHECK(stowage_set_may_overlap(more, 1, second, first) == 0 && stowage_session_place(plan, more, STOWAGE_STEP_NONE, all) == STOWAGE_FEASIBLE);
	stowage_session_free(plan);
	stowage_free(s), stowage_free(more);
}

static void refusals(void) {
	static const int64_t lower[] = {0, 0}, upper[] = {4, 4}, size[] = {1, 1}, zero[1], one[] = {1}, two[] = {2}, nine[] = {9}, at[] = {0, 0};
	static const char *const pools[] = {"x", "y"}, *const others[] = {"y", "x"}, *const cost[] = {"cost"};
	static const char *const ids[] = {"n", "m"};
	stowage_solver *s = stowage_new(), *more = stowage_new(), *rules;
	stowage_session *plan, *none = (stowage_session *)&s;
	stowage_session_answer a;
	stowage_session_options o;
	stowage_token *t = stowage_token_new();
	int64_t in[] = {0, 5}, to[2], mark;
	int k;

	// What has a price is refused, by name.
	for (k = 0; k < 5; k++) {
		static const char *const said[] = {"penalties", "the objective \"cost\"", "the cost of pool \"y\"", "the costs of buffer \"1\"", "the evictions of buffer \"1\""};
		CHECK(stowage_set_buffers(s, 2, lower, upper, size) == 0 && stowage_set_pools(s, 2, pools, NULL, NULL, k == 2 ? in : NULL) == 0);
		if (k == 0)
			CHECK(stowage_set_penalties(s, 1, zero, one, one) == 0);
		if (k == 1)
			CHECK(stowage_set_objective(s, 1, cost) == 0);
		if (k == 3)
			CHECK(stowage_set_costs(s, 1, one, zero, nine) == 0);
		if (k == 4)
			CHECK(stowage_set_evictions(s, 1, one, one, two, nine) == 0);
		CHECK(stowage_session_open(s, NULL, NULL, 0, &none) == STOWAGE_E_UNSUPPORTED && none == NULL && strstr(stowage_error(s), said[k]) != NULL);
	}

	// Plans that are none.
	memset(&o, 0, sizeof o);
	CHECK(stowage_set_buffers(s, 2, lower, upper, size) == 0 && stowage_set_names(s, ids + 0) == 0 && stowage_set_pools(s, 2, pools, NULL, NULL, NULL) == 0);
	CHECK(stowage_session_open(s, at, NULL, 0, &none) == STOWAGE_E_INPUT && strstr(stowage_error(s), "a pool for each if there are several") != NULL);
	o.pools = in;
	CHECK(stowage_session_open(s, NULL, &o, sizeof o, &none) == STOWAGE_E_INPUT && strstr(stowage_error(s), "pools") != NULL);
	CHECK(stowage_session_open(s, at, &o, sizeof o, &none) == STOWAGE_E_INPUT && strstr(stowage_error(s), "pool") != NULL);
	in[1] = INT64_C(1) << 32;
	CHECK(stowage_session_open(s, at, &o, sizeof o, &none) == STOWAGE_E_INPUT);
	in[1] = 0;
	CHECK(stowage_session_open(s, at, &o, sizeof o, &none) == STOWAGE_E_INPUT && strstr(stowage_error(s), "offsets") != NULL);
	CHECK(stowage_session_open(s, at, &o, offsetof(stowage_session_options, pools), &none) == STOWAGE_E_INPUT && strstr(stowage_error(s), "several") != NULL);
	in[1] = 1;
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 9) == 0 && stowage_session_open(s, at, &o, sizeof o, &none) == STOWAGE_E_INPUT && strstr(stowage_error(s), "capacity") != NULL);
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 0) == 0 && stowage_set_token(s, t) == 0);
	CHECK(stowage_session_open(s, at, &o, sizeof o, &plan) == STOWAGE_FEASIBLE && stowage_session_pool_of(plan, "m") == 1);

	// A token ends calls, and they change nothing.
	rules = pair("n", "m");
	stowage_cancel(t);
	CHECK(stowage_session_bind(plan, rules) == STOWAGE_UNKNOWN && stowage_session_limit_pool(plan, 0, 1) == STOWAGE_UNKNOWN);
	CHECK(stowage_session_pin_in(plan, "n", 1, 4) == STOWAGE_UNKNOWN && stowage_session_pool_of(plan, "n") == 0);
	CHECK(stowage_session_get_answer(plan, &a, sizeof a) == 0 && a.status == STOWAGE_UNKNOWN && a.pools == NULL);
	stowage_token_reset(t);
	mark = stowage_session_mark(plan);
	CHECK(stowage_session_bind(plan, rules) == STOWAGE_FEASIBLE && stowage_session_pool_of(plan, "n") == stowage_session_pool_of(plan, "m"));
	CHECK(stowage_session_rollback(plan, mark) == 0 && stowage_session_pool_of(plan, "m") == 1 && stowage_session_unbind(plan, rules) == STOWAGE_E_INPUT);

	// Wrong arguments, each with a text.
	CHECK(stowage_session_bind(plan, NULL) == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "NULL") != NULL && stowage_session_unbind(plan, NULL) == STOWAGE_E_INPUT);
	CHECK(stowage_session_pin_in(plan, NULL, 0, 0) == STOWAGE_E_INPUT && stowage_session_pool_of(plan, NULL) == STOWAGE_E_INPUT);
	CHECK(stowage_session_pin_in(plan, "n", 2, 0) == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "there are 2") != NULL);
	CHECK(stowage_session_pin_in(plan, "n", -1, 0) == STOWAGE_E_INPUT && stowage_session_pin_in(plan, "q", 0, STOWAGE_NONE) == STOWAGE_E_INPUT);
	CHECK(stowage_session_limit_pool(plan, 2, 9) == STOWAGE_E_INPUT && stowage_session_limit_pool(plan, 0, -9) == STOWAGE_E_INPUT && stowage_session_limit_pool(plan, INT64_C(1) << 32, 9) == STOWAGE_E_INPUT);
	CHECK(stowage_session_limit(plan, 9) == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "2 pools") != NULL && stowage_session_replan(plan, 1, 0) == STOWAGE_E_INPUT);
	CHECK(stowage_session_pool_of(plan, "q") == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "not in the session") != NULL);
	CHECK(stowage_session_pools(plan, 1, NULL) == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "pools") != NULL);
	CHECK(stowage_set_buffers(more, 1, lower, upper, size) == 0 && stowage_session_place_with(plan, NULL, rules, 0, to) == STOWAGE_E_INPUT);
	CHECK(stowage_session_place_with(plan, more, rules, 9, to) == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "effort") != NULL);
	CHECK(stowage_set_pools(more, 2, others, NULL, NULL, NULL) == 0 && stowage_session_place(plan, more, 0, to) == STOWAGE_E_INPUT);
	CHECK(strstr(stowage_session_error(plan), "names of the 2 pools of the session, in their order") != NULL && stowage_error(more)[0] == 0);
	CHECK(stowage_set_pools(more, 2, pools, NULL, NULL, NULL) == 0 && stowage_session_fits_all(plan, more, to) == STOWAGE_FEASIBLE);
	CHECK(stowage_set_allowed(more, 1, zero, two) == 0 && stowage_session_place(plan, more, 0, to) == STOWAGE_E_INPUT);
	CHECK(stowage_set_allowed(more, 1, one, zero) == 0 && stowage_session_place(plan, more, 0, to) == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "allowed") != NULL);
	CHECK(stowage_set_allowed(more, 0, NULL, NULL) == 0 && stowage_set_apart(more, 1, zero, nine) == 0 && stowage_session_place(plan, more, 0, to) == STOWAGE_E_INPUT);
	CHECK(strstr(stowage_session_error(plan), "apart \"9\": there is no buffer of this number; there are 1") != NULL);
	CHECK(stowage_set_apart(more, 0, NULL, NULL) == 0 && stowage_set_costs(more, 1, zero, zero, one) == 0 && stowage_session_place(plan, more, 0, to) == STOWAGE_E_UNSUPPORTED);
	CHECK(stowage_set_costs(more, 0, NULL, NULL, NULL) == 0 && stowage_set_objective(more, 1, cost) == 0 && stowage_session_place(plan, more, 0, to) == STOWAGE_E_UNSUPPORTED);
	CHECK(stowage_set_objective(rules, 1, cost) == 0 && stowage_session_bind(plan, rules) == STOWAGE_E_UNSUPPORTED && strstr(stowage_session_error(plan), "objective") != NULL);
	CHECK(stowage_session_replace(plan, s, to) == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "there must be one buffer, and there are 2") != NULL);
	CHECK(stowage_set_buffers(more, 1, lower, upper, size) == 0 && stowage_session_replace(plan, more, to) == STOWAGE_E_INPUT && stowage_session_replace(plan, NULL, to) == STOWAGE_E_INPUT);
	CHECK(stowage_set_names(more, ids) == 0 && stowage_set_apart(more, 1, zero, zero) == 0 && stowage_session_replace(plan, more, to) == STOWAGE_E_INPUT);
	CHECK(strstr(stowage_session_error(plan), "stowage_session_bind") != NULL && stowage_session_count(plan) == 2);
	// The solver of the buffers may be that of the rules: they count once.
	CHECK(stowage_set_buffers(more, 2, lower, upper, size) == 0 && stowage_set_apart(more, 1, zero, one) == 0);
	CHECK(stowage_session_place_with(plan, more, more, 0, to) == STOWAGE_FEASIBLE && stowage_session_count(plan) == 4);

	// After the end.
	CHECK(stowage_session_close(plan) == 0);
	CHECK(stowage_session_bind(plan, rules) == STOWAGE_E_INPUT && strcmp(stowage_session_error(plan), "the session is closed") == 0 && stowage_session_unbind(plan, rules) == STOWAGE_E_INPUT);
	CHECK(stowage_session_place_with(plan, more, rules, 0, to) == STOWAGE_E_INPUT && stowage_session_fits_with(plan, more, rules, to) == STOWAGE_E_INPUT);
	CHECK(stowage_session_replace(plan, more, to) == STOWAGE_E_INPUT && stowage_session_pin_in(plan, "n", 0, 0) == STOWAGE_E_INPUT && stowage_session_limit_pool(plan, 0, 9) == STOWAGE_E_INPUT);
	CHECK(stowage_session_pool_of(plan, "n") == STOWAGE_E_INPUT && stowage_session_pools(plan, 2, to) == STOWAGE_E_INPUT);
	CHECK(stowage_session_get_answer(plan, &a, sizeof a) == 0 && a.pools == NULL);
	CHECK(stowage_session_bind(NULL, rules) == STOWAGE_E_INPUT && stowage_session_pool_of(NULL, "n") == STOWAGE_E_INPUT);
	stowage_session_free(plan);

	// A session without rules.
	CHECK(stowage_set_buffers(s, 2, lower, upper, size) == 0 && stowage_session_open(s, NULL, NULL, 0, &plan) == STOWAGE_FEASIBLE);
	CHECK(stowage_set_objective(rules, 0, NULL) == 0 && stowage_session_bind(plan, rules) == STOWAGE_E_UNSUPPORTED && strstr(stowage_session_error(plan), "without rules") != NULL);
	CHECK(stowage_session_limit_pool(plan, 0, 9) == STOWAGE_E_UNSUPPORTED && stowage_session_pin_in(plan, "0", 0, 0) == STOWAGE_E_UNSUPPORTED);
	CHECK(stowage_session_place_with(plan, rules, rules, 0, to) == STOWAGE_E_UNSUPPORTED && stowage_session_pool_of(plan, "1") == 0 && stowage_session_pools(plan, 2, to) == 2 && to[1] == 0);
	CHECK(stowage_set_buffers(more, 2, lower, upper, size) == 0 && stowage_set_names(more, ids) == 0 && stowage_session_place_with(plan, more, NULL, 0, to) == STOWAGE_FEASIBLE);
	stowage_session_free(plan);
	stowage_free(s), stowage_free(more), stowage_free(rules);
	stowage_token_free(t);
}

// once makes a session and twelve calls.
static void once(int k) {
	static const int64_t low[] = {2}, up[] = {6}, size[] = {2}, four[] = {4}, zero[1], one[] = {1};
	static const char *const view[] = {"view"};
	stowage_solver *s = stowage_new(), *more = stowage_new(), *rules = pair("a", "view");
	stowage_session *plan = guide(s, k % 2);
	int64_t at, mark = stowage_session_mark(plan);
	CHECK(stowage_set_buffers(more, 1, low, up, size) == 0 && stowage_set_names(more, view) == 0 && stowage_set_together(rules, 1, zero, one, four) == 0);
	CHECK(stowage_session_fits_with(plan, more, rules, &at) == STOWAGE_FEASIBLE && stowage_session_place_with(plan, more, rules, 0, &at) == STOWAGE_FEASIBLE);
	CHECK(stowage_session_pin_in(plan, "a", 1, 8) == STOWAGE_FEASIBLE && stowage_session_limit_pool(plan, 0, 3) == STOWAGE_INFEASIBLE);
	CHECK(stowage_session_bind(plan, more) == STOWAGE_FEASIBLE && stowage_session_limit_pool(plan, 2, 3) == STOWAGE_E_INPUT);
	CHECK(stowage_session_unbind(plan, rules) == STOWAGE_FEASIBLE && stowage_session_resize(plan, "view", 3, &at) == STOWAGE_FEASIBLE);
	CHECK(stowage_session_snapshot(plan, s) == STOWAGE_OK && stowage_json(s, NULL) != NULL && stowage_session_rollback(plan, mark) == STOWAGE_OK);
	CHECK(stowage_session_pin(plan, "a", STOWAGE_NONE) == STOWAGE_FEASIBLE); // its answer has pools, which go with the session
	stowage_session_free(plan);
	stowage_free(s), stowage_free(more), stowage_free(rules);
}

int main(int argc, char **argv) {
	if (argc > 2 && strcmp(argv[1], "leaks") == 0)
		leaks(atoi(argv[2]), 12, once);
	else
		answers(), each(), refusals();
	return 0;
}
