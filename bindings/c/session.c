// Idea: a session lives on the Go side. Its handle is C memory, so that a call after the end, a second call at the same
// time and a call in a forked child meet a check here, and never Go.
//
// Invariant: while busy is 1, one thread alone has the handle. closed goes from 0 to 1, and peer is valid while it is 0.

#include "solver.h"

#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"

static void clear(stowage_session *s) {
	free(s->error);
	free(s->proof);
	free((int64_t *)s->answer.pools);
	s->error = s->proof = NULL;
	s->answer.pools = NULL;
}

static int say(stowage_session *s, int code, const char *text) {
	if ((s->error = malloc(strlen(text) + 1)) != NULL)
		strcpy(s->error, text);
	return code;
}

static int leave(stowage_session *s, int code) {
	__atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE);
	return code;
}

// grab makes the calling thread the one that uses the session, closed or not.
static int grab(stowage_session *s) {
	int32_t idle = 0;
	if (s == NULL)
		return STOWAGE_E_INPUT;
	if (stowageForked())
		return STOWAGE_E_FORKED;
	if (!__atomic_compare_exchange_n(&s->busy, &idle, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return STOWAGE_E_BUSY;
	clear(s);
	return STOWAGE_OK;
}

// enter is grab for a session that must be open.
static int enter(stowage_session *s) {
	int code = grab(s);
	if (code == STOWAGE_OK && s->closed)
		return leave(s, say(s, STOWAGE_E_INPUT, "the session is closed"));
	return code;
}

// named is enter for a call that is about a buffer.
static int named(stowage_session *s, const char *id) {
	int code = enter(s);
	if (code == STOWAGE_OK && id == NULL)
		return leave(s, say(s, STOWAGE_E_INPUT, "id: it is NULL"));
	return code;
}

// with is enter for a call that reads the problem of a solver, or writes to it.
static int with(stowage_session *s, stowage_solver *problem, int (*how)(stowage_solver *)) {
	int code = enter(s);
	if (code != STOWAGE_OK)
		return code;
	if (problem == NULL)
		return leave(s, say(s, STOWAGE_E_INPUT, "there is no solver: it is NULL"));
	if ((code = how(problem)) != STOWAGE_OK)
		return leave(s, say(s, code, stowage_error(problem)));
	return STOWAGE_OK;
}

// part leaves both.
static int part(stowage_session *s, stowage_solver *problem, int code) {
	stowageLeave(problem, STOWAGE_OK);
	return leave(s, code);
}

int stowage_session_open(stowage_solver *problem, const int64_t *offsets, const stowage_session_options *options, size_t size, stowage_session **session) {
	stowage_session_options o;
	if (session != NULL)
		*session = NULL;
	ENTER_BY(stowageReady, problem);
	if (session == NULL)
		return stowageLeave(problem, stowageFail(problem, STOWAGE_E_INPUT, "there is no place for the session: it is NULL"));
	memset(&o, 0, sizeof o);
	if (options != NULL)
		memcpy(&o, options, size < sizeof o ? size : sizeof o);
	stowage_session *s = calloc(1, sizeof *s);
	if (s == NULL)
		return stowageLeave(problem, stowageFail(problem, STOWAGE_E_MEMORY, "there is no memory for a session"));
	s->token = problem->token;
	int code = stowageSessionOpen(s, problem, (int64_t *)offsets, &o);
	if (code == STOWAGE_FEASIBLE)
		*session = s;
	else
		free(s);
	return stowageLeave(problem, code);
}

int stowage_session_close(stowage_session *s) {
	ENTER_BY(grab, s);
	if (!s->closed)
		stowageSessionClose(s);
	s->closed = 1;
	return leave(s, STOWAGE_OK);
}

void stowage_session_free(stowage_session *s) {
	if (s == NULL)
		return;
	if (!s->closed && !stowageForked())
		stowageSessionClose(s);
	clear(s);
	free(s);
}

const char *stowage_session_error(const stowage_session *s) {
	if (s == NULL)
		return "there is no session: it is NULL";
	if (stowageForked())
		return STOWAGE_WAS_FORKED;
	if (__atomic_load_n(&s->busy, __ATOMIC_ACQUIRE))
		return "the session is in use: a call with it has not ended";
	return s->error == NULL ? "" : s->error;
}

const char *stowage_session_proof(const stowage_session *s) {
	if (s == NULL || __atomic_load_n(&s->busy, __ATOMIC_ACQUIRE) || s->proof == NULL)
		return "";
	return s->proof;
}

int stowage_session_set_token(stowage_session *s, stowage_token *t) {
	ENTER_BY(enter, s);
	s->token = t;
	return leave(s, STOWAGE_OK);
}

int stowage_session_set_weight(stowage_session *s, const char *id, int64_t weight) {
	int code = named(s, id);
	return code != STOWAGE_OK ? code : leave(s, stowageSessionWeight(s, (char *)id, weight));
}

int stowage_session_add(stowage_session *s, const char *id, int64_t lower, int64_t upper, int64_t size, int64_t alignment, int64_t *offset) {
	int code = named(s, id);
	return code != STOWAGE_OK ? code : leave(s, stowageSessionAdd(s, (char *)id, lower, upper, size, alignment, 1, offset));
}

int stowage_session_fits(stowage_session *s, const char *id, int64_t lower, int64_t upper, int64_t size, int64_t alignment, int64_t *offset) {
	int code = named(s, id);
	return code != STOWAGE_OK ? code : leave(s, stowageSessionAdd(s, (char *)id, lower, upper, size, alignment, 0, offset));
}

// placed is stowageSessionPlace with the rules of a second solver; NULL, or the same one: there are no others.
static int placed(stowage_session *s, stowage_solver *buffers, stowage_solver *rules, int effort, int keep, int64_t *offsets) {
	int code = with(s, buffers, stowageReady);
	if (code != STOWAGE_OK)
		return code;
	if (rules == buffers)
		rules = NULL;
	if (rules != NULL && (code = stowageReady(rules)) != STOWAGE_OK)
		return part(s, buffers, say(s, code, stowage_error(rules)));
	code = stowageSessionPlace(s, buffers, rules, effort, keep, offsets);
	if (rules != NULL)
		stowageLeave(rules, STOWAGE_OK);
	return part(s, buffers, code);
}

int stowage_session_place(stowage_session *s, stowage_solver *buffers, int effort, int64_t *offsets) {
	return placed(s, buffers, NULL, effort, 1, offsets);
}

int stowage_session_fits_all(stowage_session *s, stowage_solver *buffers, int64_t *offsets) {
	return placed(s, buffers, NULL, STOWAGE_STEP_NONE, 0, offsets);
}

int stowage_session_place_with(stowage_session *s, stowage_solver *buffers, stowage_solver *rules, int effort, int64_t *offsets) {
	return placed(s, buffers, rules, effort, 1, offsets);
}

int stowage_session_fits_with(stowage_session *s, stowage_solver *buffers, stowage_solver *rules, int64_t *offsets) {
	return placed(s, buffers, rules, STOWAGE_STEP_NONE, 0, offsets);
}

int stowage_session_bind(stowage_session *s, stowage_solver *rules) {
	int code = with(s, rules, stowageReady);
	return code != STOWAGE_OK ? code : part(s, rules, stowageSessionBind(s, rules, 1));
}

int stowage_session_unbind(stowage_session *s, stowage_solver *rules) {
	int code = with(s, rules, stowageReady);
	return code != STOWAGE_OK ? code : part(s, rules, stowageSessionBind(s, rules, 0));
}

int stowage_session_remove(stowage_session *s, const char *id) {
	int code = named(s, id);
	return code != STOWAGE_OK ? code : leave(s, stowageSessionRemove(s, (char *)id));
}

int stowage_session_resize(stowage_session *s, const char *id, int64_t size, int64_t *offset) {
	int code = named(s, id);
	return code != STOWAGE_OK ? code : leave(s, stowageSessionResize(s, (char *)id, size, offset));
}

int stowage_session_retime(stowage_session *s, const char *id, int64_t lower, int64_t upper, int64_t *offset) {
	int code = named(s, id);
	return code != STOWAGE_OK ? code : leave(s, stowageSessionRetime(s, (char *)id, lower, upper, offset));
}

int stowage_session_replace(stowage_session *s, stowage_solver *buffer, int64_t *offset) {
	int code = with(s, buffer, stowageReady);
	return code != STOWAGE_OK ? code : part(s, buffer, stowageSessionReplace(s, buffer, offset));
}

int stowage_session_pin(stowage_session *s, const char *id, int64_t offset) {
	int code = named(s, id);
	return code != STOWAGE_OK ? code : leave(s, stowageSessionPin(s, (char *)id, offset));
}

int stowage_session_pin_in(stowage_session *s, const char *id, int64_t pool, int64_t offset) {
	int code = named(s, id);
	return code != STOWAGE_OK ? code : leave(s, stowageSessionPinIn(s, (char *)id, pool, offset));
}

int stowage_session_unpin(stowage_session *s, const char *id) {
	int code = named(s, id);
	return code != STOWAGE_OK ? code : leave(s, stowageSessionUnpin(s, (char *)id));
}

int stowage_session_limit(stowage_session *s, int64_t capacity) {
	ENTER_BY(enter, s);
	return leave(s, stowageSessionLimit(s, capacity));
}

int stowage_session_limit_pool(stowage_session *s, int64_t pool, int64_t capacity) {
	ENTER_BY(enter, s);
	return leave(s, stowageSessionLimitPool(s, pool, capacity));
}

int stowage_session_replan(stowage_session *s, int64_t height, int effort) {
	ENTER_BY(enter, s);
	return leave(s, stowageSessionReplan(s, height, effort));
}

int64_t stowage_session_mark(stowage_session *s) {
	ENTER_BY(enter, s);
	int64_t mark = stowageSessionMark(s);
	leave(s, STOWAGE_OK);
	return mark;
}

int stowage_session_rollback(stowage_session *s, int64_t mark) {
	ENTER_BY(enter, s);
	return leave(s, stowageSessionReturn(s, mark, 1));
}

int stowage_session_commit(stowage_session *s, int64_t mark) {
	ENTER_BY(enter, s);
	return leave(s, stowageSessionReturn(s, mark, 0));
}

int stowage_session_get_answer(const stowage_session *s, stowage_session_answer *a, size_t size) {
	if (s == NULL || a == NULL)
		return STOWAGE_E_INPUT;
	if (__atomic_load_n(&s->busy, __ATOMIC_ACQUIRE))
		return STOWAGE_E_BUSY;
	memset(a, 0, size);
	memcpy(a, &s->answer, size < sizeof s->answer ? size : sizeof s->answer);
	return STOWAGE_OK;
}

// asked returns a figure of the session: its number is that of stowageSessionFigure.
static int64_t asked(stowage_session *s, int figure) {
	ENTER_BY(enter, s);
	int64_t answer = stowageSessionFigure(s, figure);
	leave(s, STOWAGE_OK);
	return answer;
}

int64_t stowage_session_count(stowage_session *s) { return asked(s, 0); }
int64_t stowage_session_height(stowage_session *s) { return asked(s, 1); }
int64_t stowage_session_load(stowage_session *s) { return asked(s, 2); }
int64_t stowage_session_capacity(stowage_session *s) { return asked(s, 3); }

// place_of returns the offset of a buffer, or its pool.
static int64_t place_of(stowage_session *s, const char *id, int pool) {
	int code = named(s, id);
	if (code != STOWAGE_OK)
		return code;
	int64_t place = stowageSessionPlaceOf(s, (char *)id, pool);
	leave(s, STOWAGE_OK);
	return place;
}

int64_t stowage_session_offset(stowage_session *s, const char *id) { return place_of(s, id, 0); }
int64_t stowage_session_pool_of(stowage_session *s, const char *id) { return place_of(s, id, 1); }

// places writes the offsets of all buffers, or their pools.
static int64_t places(stowage_session *s, int64_t room, int64_t *to, int pools) {
	ENTER_BY(enter, s);
	if (room > 0 && to == NULL)
		return leave(s, say(s, STOWAGE_E_INPUT, pools ? "there is no room for pools: it is NULL" : "there is no room for offsets: it is NULL"));
	int64_t count = stowageSessionPlaces(s, room, to, pools);
	leave(s, STOWAGE_OK);
	return count;
}

int64_t stowage_session_offsets(stowage_session *s, int64_t room, int64_t *offsets) { return places(s, room, offsets, 0); }
int64_t stowage_session_pools(stowage_session *s, int64_t room, int64_t *pools) { return places(s, room, pools, 1); }

int stowage_session_snapshot(stowage_session *s, stowage_solver *to) {
	int code = with(s, to, stowageEnter);
	return code != STOWAGE_OK ? code : part(s, to, stowageSessionSnapshot(s, to));
}
