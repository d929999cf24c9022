// Idea: rules are lists of tuples, each list in columns: the k-th entries of its columns are one rule. So a
// pair, a price and a range all pass through one function. As with the columns of a problem, only the addresses are
// stored; the Go side reads them during a run (rules.go), and says what is wrong with numbers.

#include "solver.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "_cgo_export.h"

// begin is ENTER for a call that sets rules. A problem from JSON has rules of its own.
static int begin(stowage_solver *s) {
	ENTER(s);
	if (s->json)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "the problem is JSON, which has rules of its own"));
	return STOWAGE_OK;
}

// wide refuses an index that does not fit Go's 32 bits, as the caller has given it. Go says what is wrong with others. It sets
// the error.
static int wide(stowage_solver *s) {
	static const struct {
		int list, column;
		const char *name, *of;
	} indices[] = {
		{STOWAGE_APART, 0, "apart", "buffer"}, {STOWAGE_APART, 1, "apart", "buffer"},
		{STOWAGE_MAY_OVERLAP, 0, "may_overlap", "buffer"}, {STOWAGE_MAY_OVERLAP, 1, "may_overlap", "buffer"},
		{STOWAGE_TOGETHER, 0, "together", "buffer"}, {STOWAGE_TOGETHER, 1, "together", "buffer"},
		{STOWAGE_DISTANCES, 0, "distances", "buffer"}, {STOWAGE_DISTANCES, 1, "distances", "buffer"},
		{STOWAGE_PENALTIES, 0, "penalties", "buffer"}, {STOWAGE_PENALTIES, 1, "penalties", "buffer"},
		{STOWAGE_ALLOWED, 1, "allowed", "pool"}, {STOWAGE_COSTS, 1, "costs", "pool"},
	};
	for (size_t k = 0; k < sizeof indices / sizeof *indices; k++) {
		const int64_t *column = s->rules.list[indices[k].list].column[indices[k].column];
		for (int64_t i = 0; i < s->rules.list[indices[k].list].count; i++)
			if (column[i] < INT32_MIN || column[i] > INT32_MAX) {
				char text[160];
				snprintf(text, sizeof text, "%s[%" PRId64 "] \"%" PRId64 "\": there is no %s of this index; there are %" PRId64, indices[k].name, i, column[i],
					indices[k].of, indices[k].of[0] == 'p' ? s->rules.pools : s->count);
				stowageFail(s, STOWAGE_E_INPUT, text);
				return 1;
			}
	}
	return 0;
}

int stowageBadRules(stowage_solver *s) {
	static const struct {
		int list;
		const char *name, *owner;
	} owned[] = {
		{STOWAGE_RESERVED, "reserved", "pool"}, {STOWAGE_ALLOWED, "allowed", "buffer"},
		{STOWAGE_COSTS, "costs", "buffer"}, {STOWAGE_EVICTIONS, "evictions", "buffer"},
	};
	for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
		const int64_t *owner = s->rules.list[owned[k].list].column[0];
		int64_t most = k == 0 ? s->rules.pools : s->count;
		for (int64_t i = 0; i < s->rules.list[owned[k].list].count; i++)
			if (owner[i] < 0 || owner[i] >= most) {
				char text[128];
				snprintf(text, sizeof text, "%s: there is no %s of the number %" PRId64 "; there are %" PRId64, owned[k].name, owned[k].owner, owner[i], most);
				stowageFail(s, STOWAGE_E_INPUT, text);
				return 1;
			}
	}
	return wide(s);
}

// bad_count refuses a number of rules that is none.
static const char *bad_count(int64_t count) {
	return count < 0 || count > INT32_MAX ? "rules: their number must be from 0 to 2147483647" : NULL;
}

int stowage_set_pools(stowage_solver *s, int64_t count, const char *const *names, const int64_t *capacity, const int64_t *alignment, const int64_t *cost) {
	ENTER_BY(begin, s);
	const char *wrong = bad_count(count);
	if (wrong == NULL && count > 0 && names == NULL)
		wrong = "pools: names must not be NULL";
	if (wrong != NULL)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, wrong));
	s->rules.any = 1;
	s->rules.pools = count;
	s->rules.names = names;
	s->rules.capacity = capacity;
	s->rules.alignment = alignment;
	s->rules.cost = cost;
	return stowageLeave(s, STOWAGE_OK);
}

// set_list sets the columns of a list. The last one may be NULL if that means something.
static int set_list(stowage_solver *s, int list, int64_t count, const int64_t *a, const int64_t *b, const int64_t *c, const int64_t *d, int columns, int optional) {
	ENTER_BY(begin, s);
	const int64_t *column[4] = {a, b, c, d};
	const char *wrong = bad_count(count);
	for (int k = 0; wrong == NULL && count > 0 && k < columns - optional; k++)
		if (column[k] == NULL)
			wrong = "rules: a column is NULL";
	if (wrong != NULL)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, wrong));
	s->rules.any = 1;
	s->rules.list[list].count = count;
	memcpy(s->rules.list[list].column, column, sizeof column);
	return stowageLeave(s, STOWAGE_OK);
}

int stowage_set_reserved(stowage_solver *s, int64_t count, const int64_t *pool, const int64_t *lower, const int64_t *upper) {
	return set_list(s, STOWAGE_RESERVED, count, pool, lower, upper, NULL, 3, 0);
}

int stowage_set_allowed(stowage_solver *s, int64_t count, const int64_t *buffer, const int64_t *pool) {
	return set_list(s, STOWAGE_ALLOWED, count, buffer, pool, NULL, NULL, 2, 0);
}

int stowage_set_costs(stowage_solver *s, int64_t count, const int64_t *buffer, const int64_t *pool, const int64_t *cost) {
	return set_list(s, STOWAGE_COSTS, count, buffer, pool, cost, NULL, 3, 0);
}

int stowage_set_together(stowage_solver *s, int64_t count, const int64_t *first, const int64_t *second, const int64_t *distance) {
	return set_list(s, STOWAGE_TOGETHER, count, first, second, distance, NULL, 3, 1);
}

int stowage_set_apart(stowage_solver *s, int64_t count, const int64_t *first, const int64_t *second) {
	return set_list(s, STOWAGE_APART, count, first, second, NULL, NULL, 2, 0);
}

int stowage_set_may_overlap(stowage_solver *s, int64_t count, const int64_t *first, const int64_t *second) {
	return set_list(s, STOWAGE_MAY_OVERLAP, count, first, second, NULL, NULL, 2, 0);
}

int stowage_set_distances(stowage_solver *s, int64_t count, const int64_t *first, const int64_t *second, const int64_t *distance) {
	return set_list(s, STOWAGE_DISTANCES, count, first, second, distance, NULL, 3, 0);
}

int stowage_set_penalties(stowage_solver *s, int64_t count, const int64_t *first, const int64_t *second, const int64_t *cost) {
	return set_list(s, STOWAGE_PENALTIES, count, first, second, cost, NULL, 3, 0);
}

int stowage_set_evictions(stowage_solver *s, int64_t count, const int64_t *buffer, const int64_t *lower, const int64_t *upper, const int64_t *cost) {
	return set_list(s, STOWAGE_EVICTIONS, count, buffer, lower, upper, cost, 4, 0);
}

int stowage_set_clocks(stowage_solver *s, int64_t threads, const int64_t *lower, const int64_t *upper) {
	ENTER_BY(begin, s);
	if (threads < 0 || threads > INT32_MAX || threads * s->count > INT32_MAX)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "clocks: threads times buffers must be from 0 to 2147483647"));
	if (threads * s->count > 0 && (lower == NULL || upper == NULL))
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "clocks: lower and upper must not be NULL"));
	s->rules.any = 1;
	s->rules.threads = threads;
	s->rules.clock_lower = lower;
	s->rules.clock_upper = upper;
	return stowageLeave(s, STOWAGE_OK);
}

int stowage_set_period(stowage_solver *s, int64_t period) {
	ENTER_BY(begin, s);
	s->rules.any = 1;
	s->rules.period = period;
	return stowageLeave(s, STOWAGE_OK);
}

int stowage_set_objective(stowage_solver *s, int64_t count, const char *const *measures) {
	ENTER_BY(begin, s);
	const char *wrong = bad_count(count);
	if (wrong == NULL && count > 0 && measures == NULL)
		wrong = "objective: measures must not be NULL";
	if (wrong != NULL)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, wrong));
	s->rules.any = 1;
	s->rules.measures = count;
	s->rules.objective = measures;
	return stowageLeave(s, STOWAGE_OK);
}

// ---- Outcomes

// planned is ENTER for a call that asks about a plan.
static int planned(stowage_solver *s) {
	ENTER(s);
	if (!s->outcome || (s->result.status != STOWAGE_FEASIBLE && s->result.status != STOWAGE_OPTIMAL))
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "there is no plan: no run has ended with one"));
	return STOWAGE_OK;
}

int stowage_get_pools(stowage_solver *s, int64_t *pools) {
	ENTER_BY(planned, s);
	if (pools == NULL && s->count > 0)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "there is no room for pools: it is NULL"));
	return stowageLeave(s, stowageGetPools(s, pools));
}

int stowage_get_measure(stowage_solver *s, const char *measure, int64_t *value, int64_t *bound) {
	ENTER_BY(planned, s);
	if (measure == NULL)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "there is no measure: it is NULL"));
	return stowageLeave(s, stowageGetMeasure(s, (char *)measure, value, bound));
}

int64_t stowage_barriers(stowage_solver *s, const int64_t *offsets, int64_t room, int64_t *buffer, int64_t *at, int64_t *behind, int64_t *until, int64_t *turn) {
	int (*enter)(stowage_solver *) = offsets == NULL ? planned : stowageReady;
	ENTER_BY(enter, s);
	int64_t waits = stowageBarriers(s, (int64_t *)offsets, room, buffer, at, behind, until, turn);
	stowageLeave(s, STOWAGE_OK);
	return waits;
}

int64_t stowage_get_parts(stowage_solver *s, int64_t room, int64_t *buffer, int64_t *lower, int64_t *upper, int64_t *pool, int64_t *offset) {
	ENTER_BY(planned, s);
	int64_t parts = stowageGetParts(s, room, buffer, lower, upper, pool, offset);
	stowageLeave(s, STOWAGE_OK);
	return parts;
}

int64_t stowage_verify_plan(stowage_solver *s, const int64_t *offsets, const int64_t *pools, int64_t parts, const int64_t *buffer,
	const int64_t *lower, const int64_t *upper, const int64_t *pool, const int64_t *offset) {
	ENTER_BY(stowageReady, s);
	const char *wrong = bad_count(parts);
	if (wrong == NULL && offsets == NULL && s->count > 0)
		wrong = "there are no offsets: they are NULL";
	if (wrong == NULL && parts > 0 && (buffer == NULL || lower == NULL || upper == NULL || offset == NULL))
		wrong = "parts: only their pools may be NULL";
	if (wrong != NULL)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, wrong));
	int64_t broken = stowageVerifyPlan(s, (int64_t *)offsets, (int64_t *)pools, parts, (int64_t *)buffer, (int64_t *)lower,
		(int64_t *)upper, (int64_t *)pool, (int64_t *)offset);
	stowageLeave(s, STOWAGE_OK);
	return broken;
}
