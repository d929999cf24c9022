// Idea: a session lives on the Go side. Its handle is C memory, so that a call after the end, a second call at the same
// time and a call in a forked child meet a check here, and never Go. A call is one structure, whatever it asks: so there
// is one way in, here and in session.go.
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

// made makes a call of an open session in Go. It enters the solvers that the call reads or writes.
static int64_t made(stowage_session *s, struct stowage_call c) {
	int code = enter(s);
	if (code != STOWAGE_OK)
		return code;
	if (c.call <= STOWAGE_CALL_LAST_NAMED && c.id == NULL)
		return leave(s, say(s, STOWAGE_E_INPUT, "id: it is NULL"));
	if (c.rules == c.problem) // the rules of the buffers themselves, which count once
		c.rules = NULL;
	if (c.call >= STOWAGE_CALL_FIRST_SOLVER) {
		if (c.problem == NULL)
			return leave(s, say(s, STOWAGE_E_INPUT, "there is no solver: it is NULL"));
		if ((code = (c.call == STOWAGE_CALL_SNAPSHOT ? stowageEnter : stowageReady)(c.problem)) != STOWAGE_OK)
			return leave(s, say(s, code, stowage_error(c.problem)));
		if (c.rules != NULL && (code = stowageReady(c.rules)) != STOWAGE_OK) {
			stowageLeave(c.problem, STOWAGE_OK);
			return leave(s, say(s, code, stowage_error(c.rules)));
		}
	}
	int64_t answer = stowageSessionCall(s, &c);
	if (c.rules != NULL)
		stowageLeave(c.rules, STOWAGE_OK);
	if (c.problem != NULL)
		stowageLeave(c.problem, STOWAGE_OK);
	leave(s, STOWAGE_OK);
	return answer;
}

#define CALL(s, which, ...) made(s, (struct stowage_call){.call = STOWAGE_CALL_##which, __VA_ARGS__})

int stowage_session_set_weight(stowage_session *s, const char *id, int64_t weight) { return CALL(s, WEIGHT, .id = id, .number = {weight}); }

int stowage_session_add(stowage_session *s, const char *id, int64_t lower, int64_t upper, int64_t size, int64_t alignment, int64_t *offset) {
	return CALL(s, ADD, .id = id, .number = {lower, upper, size, alignment}, .to = offset);
}

int stowage_session_fits(stowage_session *s, const char *id, int64_t lower, int64_t upper, int64_t size, int64_t alignment, int64_t *offset) {
	return CALL(s, FITS, .id = id, .number = {lower, upper, size, alignment}, .to = offset);
}

int stowage_session_place_with(stowage_session *s, stowage_solver *buffers, stowage_solver *rules, int effort, int64_t *offsets) {
	return CALL(s, PLACE, .problem = buffers, .rules = rules, .number = {effort}, .to = offsets);
}

int stowage_session_fits_with(stowage_session *s, stowage_solver *buffers, stowage_solver *rules, int64_t *offsets) {
	return CALL(s, FITS_ALL, .problem = buffers, .rules = rules, .to = offsets);
}

int stowage_session_place(stowage_session *s, stowage_solver *buffers, int effort, int64_t *offsets) {
	return stowage_session_place_with(s, buffers, NULL, effort, offsets);
}

int stowage_session_fits_all(stowage_session *s, stowage_solver *buffers, int64_t *offsets) { return stowage_session_fits_with(s, buffers, NULL, offsets); }
int stowage_session_bind(stowage_session *s, stowage_solver *rules) { return CALL(s, BIND, .problem = rules); }
int stowage_session_unbind(stowage_session *s, stowage_solver *rules) { return CALL(s, UNBIND, .problem = rules); }
int stowage_session_replace(stowage_session *s, stowage_solver *one, int64_t *offset) { return CALL(s, REPLACE, .problem = one, .to = offset); }
int stowage_session_snapshot(stowage_session *s, stowage_solver *to) { return CALL(s, SNAPSHOT, .problem = to); }

int stowage_session_remove(stowage_session *s, const char *id) { return CALL(s, REMOVE, .id = id); }
int stowage_session_unpin(stowage_session *s, const char *id) { return CALL(s, UNPIN, .id = id); }
int stowage_session_pin(stowage_session *s, const char *id, int64_t offset) { return CALL(s, PIN, .id = id, .number = {offset}); }

int stowage_session_resize(stowage_session *s, const char *id, int64_t size, int64_t *offset) {
	return CALL(s, RESIZE, .id = id, .number = {size}, .to = offset);
}

int stowage_session_retime(stowage_session *s, const char *id, int64_t lower, int64_t upper, int64_t *offset) {
	return CALL(s, RETIME, .id = id, .number = {lower, upper}, .to = offset);
}

int stowage_session_pin_in(stowage_session *s, const char *id, int64_t pool, int64_t offset) {
	return CALL(s, PIN_IN, .id = id, .number = {offset, pool});
}

int stowage_session_limit(stowage_session *s, int64_t capacity) { return CALL(s, LIMIT, .number = {capacity}); }
int stowage_session_limit_pool(stowage_session *s, int64_t pool, int64_t capacity) { return CALL(s, LIMIT_POOL, .number = {capacity, pool}); }
int stowage_session_replan(stowage_session *s, int64_t height, int effort) { return CALL(s, REPLAN, .number = {effort, height}); }
int64_t stowage_session_mark(stowage_session *s) { return CALL(s, MARK, .id = NULL); }
int stowage_session_rollback(stowage_session *s, int64_t mark) { return CALL(s, ROLLBACK, .number = {mark}); }
int stowage_session_commit(stowage_session *s, int64_t mark) { return CALL(s, COMMIT, .number = {mark}); }

int64_t stowage_session_count(stowage_session *s) { return CALL(s, COUNT, .id = NULL); }
int64_t stowage_session_height(stowage_session *s) { return CALL(s, HEIGHT, .id = NULL); }
int64_t stowage_session_load(stowage_session *s) { return CALL(s, LOAD, .id = NULL); }
int64_t stowage_session_capacity(stowage_session *s) { return CALL(s, CAPACITY, .id = NULL); }
int64_t stowage_session_offset(stowage_session *s, const char *id) { return CALL(s, OFFSET, .id = id); }
int64_t stowage_session_pool_of(stowage_session *s, const char *id) { return CALL(s, POOL_OF, .id = id); }
int64_t stowage_session_offsets(stowage_session *s, int64_t room, int64_t *to) { return CALL(s, OFFSETS, .number = {room}, .to = to); }
int64_t stowage_session_pools(stowage_session *s, int64_t room, int64_t *to) { return CALL(s, POOLS, .number = {room}, .to = to); }

int stowage_session_get_answer(const stowage_session *s, stowage_session_answer *a, size_t size) {
	if (s == NULL || a == NULL)
		return STOWAGE_E_INPUT;
	if (__atomic_load_n(&s->busy, __ATOMIC_ACQUIRE))
		return STOWAGE_E_BUSY;
	memset(a, 0, size);
	memcpy(a, &s->answer, size < sizeof s->answer ? size : sizeof s->answer);
	return STOWAGE_OK;
}
