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

// The lists: their names, how many columns must be there, and what the indices in the columns name: b is a buffer and p a
// pool. A capital letter is whom the rule belongs to, and - a number of another kind.
static const struct {
	const char *name, *of;
	int columns;
} lists[STOWAGE_LISTS] = {
	[STOWAGE_RESERVED] = {"reserved", "P", 3}, [STOWAGE_ALLOWED] = {"allowed", "Bp", 2}, [STOWAGE_COSTS] = {"costs", "Bp", 3},
	[STOWAGE_EVICTIONS] = {"evictions", "B", 4}, [STOWAGE_TOGETHER] = {"together", "bb", 2}, [STOWAGE_APART] = {"apart", "bb", 2},
	[STOWAGE_MAY_OVERLAP] = {"may_overlap", "bb", 2}, [STOWAGE_DISTANCES] = {"distances", "bb", 3},
	[STOWAGE_PENALTIES] = {"penalties", "bb", 3}, [STOWAGE_DIFFERENT_POOLS] = {"different_pools", "-b", 2},
	[STOWAGE_SAME_POOL] = {"same_pool", "-b", 2}, [STOWAGE_OBJECTS] = {"objects", "P", 1},
	[STOWAGE_LOCKSTEP] = {"lockstep", "-b", 2}, [STOWAGE_BORDERS] = {"borders", "P", 2}, [STOWAGE_SIZES] = {"sizes", "P", 3},
	[STOWAGE_SPANS] = {"spans", "B", 1}, [STOWAGE_GRANULARITY] = {"granularity", "P", 2}, [STOWAGE_KINDS] = {"kinds", "-b", 2},
	[STOWAGE_ALTERNATIVES] = {"alternatives", "-b", 2}, [STOWAGE_EXTENTS] = {"extents", "B", 3},
	[STOWAGE_GROUPS] = {"groups", "-bb", 3}, [STOWAGE_GROUP_COSTS] = {"groups", "", 2},
};

// Go finds the place of a rule by its owner, and other indices have 32 bits there. What is wrong with those Go says, in the
// words that are used here.
int stowageBadRules(stowage_solver *s) {
	char text[160];
	for (int list = 0; list < STOWAGE_LISTS; list++)
		for (int k = 0; lists[list].of[k] != 0; k++) {
			char of = lists[list].of[k];
			const char *name = lists[list].name, *thing = of == 'p' || of == 'P' ? "pool" : "buffer";
			int64_t most = thing[0] == 'p' ? s->rules.pools : s->count;
			for (int64_t i = 0; i < s->rules.list[list].count; i++) {
				int64_t x = s->rules.list[list].column[k][i];
				int owner = of < 'a';
				if (of == '-')
					continue;
				if (owner ? x >= 0 && x < most : x >= INT32_MIN && x <= INT32_MAX)
					continue;
				if (owner)
					snprintf(text, sizeof text, "%s: there is no %s of the number %" PRId64 "; there are %" PRId64, name, thing, x, most);
				else
					snprintf(text, sizeof text, "%s[%" PRId64 "] \"%" PRId64 "\": there is no %s of this index; there are %" PRId64, name, i, x, thing, most);
				stowageFail(s, STOWAGE_E_INPUT, text);
				return 1;
			}
		}
	return 0;
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

// set_list sets the columns of a list. Those that it needs must not be NULL.
static int set_list(stowage_solver *s, int list, int64_t count, const int64_t *a, const int64_t *b, const int64_t *c, const int64_t *d) {
	ENTER_BY(begin, s);
	const int64_t *column[4] = {a, b, c, d};
	const char *wrong = bad_count(count);
	for (int k = 0; wrong == NULL && count > 0 && k < lists[list].columns; k++)
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
	return set_list(s, STOWAGE_RESERVED, count, pool, lower, upper, NULL);
}
int stowage_set_allowed(stowage_solver *s, int64_t count, const int64_t *buffer, const int64_t *pool) {
	return set_list(s, STOWAGE_ALLOWED, count, buffer, pool, NULL, NULL);
}
int stowage_set_costs(stowage_solver *s, int64_t count, const int64_t *buffer, const int64_t *pool, const int64_t *cost) {
	return set_list(s, STOWAGE_COSTS, count, buffer, pool, cost, NULL);
}
int stowage_set_together(stowage_solver *s, int64_t count, const int64_t *first, const int64_t *second, const int64_t *distance) {
	return set_list(s, STOWAGE_TOGETHER, count, first, second, distance, NULL);
}
int stowage_set_apart(stowage_solver *s, int64_t count, const int64_t *first, const int64_t *second) {
	return set_list(s, STOWAGE_APART, count, first, second, NULL, NULL);
}
int stowage_set_may_overlap(stowage_solver *s, int64_t count, const int64_t *first, const int64_t *second) {
	return set_list(s, STOWAGE_MAY_OVERLAP, count, first, second, NULL, NULL);
}
int stowage_set_distances(stowage_solver *s, int64_t count, const int64_t *first, const int64_t *second, const int64_t *distance) {
	return set_list(s, STOWAGE_DISTANCES, count, first, second, distance, NULL);
}
int stowage_set_penalties(stowage_solver *s, int64_t count, const int64_t *first, const int64_t *second, const int64_t *cost) {
	return set_list(s, STOWAGE_PENALTIES, count, first, second, cost, NULL);
}
int stowage_set_evictions(stowage_solver *s, int64_t count, const int64_t *buffer, const int64_t *lower, const int64_t *upper, const int64_t *cost) {
	return set_list(s, STOWAGE_EVICTIONS, count, buffer, lower, upper, cost);
}
int stowage_set_different_pools(stowage_solver *s, int64_t count, const int64_t *list, const int64_t *buffer) {
	return set_list(s, STOWAGE_DIFFERENT_POOLS, count, list, buffer, NULL, NULL);
}
int stowage_set_same_pool(stowage_solver *s, int64_t count, const int64_t *list, const int64_t *buffer) {
	return set_list(s, STOWAGE_SAME_POOL, count, list, buffer, NULL, NULL);
}
int stowage_set_lockstep(stowage_solver *s, int64_t count, const int64_t *list, const int64_t *buffer) {
	return set_list(s, STOWAGE_LOCKSTEP, count, list, buffer, NULL, NULL);
}
int stowage_set_borders(stowage_solver *s, int64_t count, const int64_t *pool, const int64_t *at) {
	return set_list(s, STOWAGE_BORDERS, count, pool, at, NULL, NULL);
}
int stowage_set_spans(stowage_solver *s, int64_t count, const int64_t *buffer) {
	return set_list(s, STOWAGE_SPANS, count, buffer, NULL, NULL, NULL);
}
int stowage_set_sizes(stowage_solver *s, int64_t count, const int64_t *pool, const int64_t *bytes, const int64_t *price) {
	return set_list(s, STOWAGE_SIZES, count, pool, bytes, price, NULL);
}
int stowage_set_granularity(stowage_solver *s, int64_t count, const int64_t *pool, const int64_t *bytes) {
	return set_list(s, STOWAGE_GRANULARITY, count, pool, bytes, NULL, NULL);
}
int stowage_set_kinds(stowage_solver *s, int64_t count, const int64_t *list, const int64_t *buffer) {
	return set_list(s, STOWAGE_KINDS, count, list, buffer, NULL, NULL);
}
int stowage_set_groups(stowage_solver *s, int64_t count, const int64_t *group, const int64_t *first, const int64_t *second) {
	return set_list(s, STOWAGE_GROUPS, count, group, first, second, NULL);
}
int stowage_set_group_costs(stowage_solver *s, int64_t count, const int64_t *cost, const int64_t *paid) {
	return set_list(s, STOWAGE_GROUP_COSTS, count, cost, paid, NULL, NULL);
}
int stowage_set_alternatives(stowage_solver *s, int64_t count, const int64_t *list, const int64_t *buffer) {
	return set_list(s, STOWAGE_ALTERNATIVES, count, list, buffer, NULL, NULL);
}
int stowage_set_objects(stowage_solver *s, int64_t count, const int64_t *pool) {
	return set_list(s, STOWAGE_OBJECTS, count, pool, NULL, NULL, NULL);
}

int stowage_set_extents(stowage_solver *s, int64_t count, const int64_t *buffer, const int64_t *width, const int64_t *height, const int64_t *depth) {
	return set_list(s, STOWAGE_EXTENTS, count, buffer, width, height, depth);
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
	return stowageLeave(s, stowageBarriers(s, (int64_t *)offsets, room, buffer, at, behind, until, turn));
}

int64_t stowage_get_parts(stowage_solver *s, int64_t room, int64_t *buffer, int64_t *lower, int64_t *upper, int64_t *pool, int64_t *offset) {
	ENTER_BY(planned, s);
	return stowageLeave(s, stowageGetParts(s, room, buffer, lower, upper, pool, offset));
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
	return stowageLeave(s, stowageVerifyPlan(s, (int64_t *)offsets, (int64_t *)pools, parts, (int64_t *)buffer, (int64_t *)lower,
		(int64_t *)upper, (int64_t *)pool, (int64_t *)offset));
}
