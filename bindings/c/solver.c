// Idea: a solver is C memory. A call that sets a column or an option stores a pointer or a number, and does not leave
// C. A run enters Go once; that is its only cost beside the planner. Everything that can fail before is checked here.

#include "solver.h"

#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <pthread.h>
#include <sys/socket.h>
#endif

#include "_cgo_export.h"

// A forked child has one thread, and none of those of the Go runtime, so a call would wait for
// ever. This is the only global variable. It belongs to the process.
static int32_t forked;

#ifndef _WIN32
static void in_child(void) { __atomic_store_n(&forked, 1, __ATOMIC_RELAXED); }
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }
#endif

int stowageForked(void) { return __atomic_load_n(&forked, __ATOMIC_RELAXED); }

int stowage_abi(void) { return STOWAGE_ABI; }

static void clear(stowage_solver *s) {
	free(s->error);
	free(s->reason);
	s->error = s->reason = NULL;
	s->why = 0;
}

int stowageFail(stowage_solver *s, int code, const char *text) {
	clear(s);
	if ((s->error = malloc(strlen(text) + 1)) != NULL)
		strcpy(s->error, text);
	return code;
}

// stowageEnter makes the calling thread the one that uses the solver.
int stowageEnter(stowage_solver *s) {
	if (s == NULL)
		return STOWAGE_E_INPUT;
	int32_t idle = 0;
	// This check comes first: a run that was under way at the fork stays busy in the child.
	if (__atomic_load_n(&forked, __ATOMIC_RELAXED))
		return STOWAGE_E_FORKED;
	if (!__atomic_compare_exchange_n(&s->busy, &idle, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return STOWAGE_E_BUSY;
	clear(s);
	return STOWAGE_OK;
}

int64_t stowageLeave(stowage_solver *s, int64_t answer) {
	__atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE);
	return answer;
}

stowage_solver *stowage_new(void) { return calloc(1, sizeof(stowage_solver)); }

void stowage_free(stowage_solver *s) {
	if (s == NULL)
		return;
	if (s->peer != 0 && !__atomic_load_n(&forked, __ATOMIC_RELAXED))
		stowageFree(s);
	free(s->error);
	free(s->reason);
	free(s->text);
	free(s);
}

const char *stowage_error(const stowage_solver *s) {
	if (s == NULL)
		return "there is no solver: it is NULL";
	if (__atomic_load_n(&forked, __ATOMIC_RELAXED))
		return STOWAGE_WAS_FORKED;
	// The text belongs to the call that runs, which may be about to free it.
	if (__atomic_load_n(&s->busy, __ATOMIC_ACQUIRE))
		return "the solver is in use: a call with it, or a run in the background, has not ended";
	return s->error == NULL ? "" : s->error;
}

const char *stowage_reason(const stowage_solver *handle) {
	// The text is worked out at the first request. A handle comes from stowage_new, so it is never really const.
	stowage_solver *s = (stowage_solver *)handle;
	int32_t idle = 0;
	if (s == NULL || __atomic_load_n(&forked, __ATOMIC_RELAXED) ||
		!__atomic_compare_exchange_n(&s->busy, &idle, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return "";
	if (s->why && s->reason == NULL)
		stowageReason(s);
	const char *reason = s->reason == NULL ? "" : s->reason;
	stowageLeave(s, STOWAGE_OK);
	return reason;
}

// ---- The problem

int stowage_set_buffers(stowage_solver *s, int64_t count, const int64_t *lower, const int64_t *upper, const int64_t *size) {
	ENTER(s);
	if (count < 0 || count > INT32_MAX)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "count: must be from 0 to 2147483647"));
	if (count > 0 && (lower == NULL || upper == NULL || size == NULL))
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "lower, upper and size: none may be NULL"));
	s->count = count;
	s->lower = lower;
	s->upper = upper;
	s->size = size;
	s->alignment = s->fixed = s->hint = s->start = NULL;
	s->first = s->gap_lower = s->gap_upper = s->window_lower = s->window_upper = NULL;
	s->names = NULL;
	memset(&s->rules, 0, sizeof s->rules);
	s->json = 0;
	s->outcome = 0;
	memset(&s->result, 0, sizeof s->result);
	s->found_by[0] = s->proved_by[0] = s->ended[0] = 0;
	return stowageLeave(s, STOWAGE_OK);
}

// enter_text is ENTER for a call that reads a text. It refuses NULL, and a length that was a negative number.
static int enter_text(stowage_solver *s, const char *text, size_t length) {
	ENTER(s);
	if (text == NULL)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "there is no text: it is NULL"));
	if (length > PTRDIFF_MAX)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "the text's length: no text is so long"));
	return STOWAGE_OK;
}

// set_column sets a column of the arrays. A problem from JSON has columns of its own.
static int set_column(stowage_solver *s, const void **to, const void *column) {
	ENTER(s);
	if (s->json)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "the problem is JSON, which has columns of its own"));
	*to = column;
	return stowageLeave(s, STOWAGE_OK);
}

int stowage_set_alignments(stowage_solver *s, const int64_t *column) { return s == NULL ? STOWAGE_E_INPUT : set_column(s, (const void **)&s->alignment, column); }
int stowage_set_fixed(stowage_solver *s, const int64_t *column) { return s == NULL ? STOWAGE_E_INPUT : set_column(s, (const void **)&s->fixed, column); }
int stowage_set_hints(stowage_solver *s, const int64_t *column) { return s == NULL ? STOWAGE_E_INPUT : set_column(s, (const void **)&s->hint, column); }
int stowage_set_names(stowage_solver *s, const char *const *names) { return s == NULL ? STOWAGE_E_INPUT : set_column(s, (const void **)&s->names, names); }

int stowage_set_start(stowage_solver *s, const int64_t *offsets) {
	ENTER(s);
	s->start = offsets;
	return stowageLeave(s, STOWAGE_OK);
}

// bad_first says what is wrong with the indices of gaps. It returns NULL if nothing is.
static const char *bad_first(int64_t count, const int64_t *first) {
	if (first == NULL)
		return NULL;
	if (first[0] != 0)
		return "gaps: first must begin with 0";
	for (int64_t i = 0; i < count; i++)
		if (first[i + 1] < first[i])
			return "gaps: first must not descend";
	if (first[count] > INT32_MAX)
		return "gaps: first must end with at most 2147483647";
	return NULL;
}

// stowageReady is stowageEnter for a call that reads the columns. It checks the indices of gaps and rules again, because
// they lead to other memory and may have changed since they were set. A problem from JSON has no columns: those that were
// set before it may be gone.
int stowageReady(stowage_solver *s) {
	ENTER(s);
	if (s->json)
		return STOWAGE_OK;
	const char *wrong = bad_first(s->count, s->first);
	if (wrong == NULL && stowageBadRules(s))
		return stowageLeave(s, STOWAGE_E_INPUT);
	return wrong == NULL ? STOWAGE_OK : stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, wrong));
}

int stowage_set_gaps(stowage_solver *s, const int64_t *first, const int64_t *lower, const int64_t *upper, const int64_t *window_lower, const int64_t *window_upper) {
	ENTER(s);
	if (s->json)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "the problem is JSON, which has columns of its own"));
	const char *wrong = bad_first(s->count, first);
	if (wrong != NULL)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, wrong));
	if (first != NULL) {
		if (first[s->count] > 0 && (lower == NULL || upper == NULL))
			return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "gaps: lower and upper must not be NULL"));
		if ((window_lower == NULL) != (window_upper == NULL))
			return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "gaps: both windows or none must be given"));
	}
	s->first = first;
	s->gap_lower = lower;
	s->gap_upper = upper;
	s->window_lower = window_lower;
	s->window_upper = window_upper;
	return stowageLeave(s, STOWAGE_OK);
}

int stowage_read_json(stowage_solver *s, const char *text, size_t length) {
	int code = enter_text(s, text, length);
	return code < 0 ? code : stowageLeave(s, stowageReadJSON(s, (char *)text, length));
}

int stowage_generate(stowage_solver *s, const char *json, size_t length) {
	int code = enter_text(s, json, length);
	return code < 0 ? code : stowageLeave(s, stowageGenerate(s, (char *)json, length));
}

int64_t stowage_count(const stowage_solver *s) { return s == NULL ? 0 : s->count; }

// ---- Options

int stowage_set(stowage_solver *s, int option, int64_t value) {
	ENTER(s);
	if (option < STOWAGE_CAPACITY || option > STOWAGE_SEED)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "there is no option of this number"));
	// Every value is valid for the seed and for minimize. For the other options, Go looks at
	// values that may be wrong, because it has the error messages.
	int64_t before = s->options[option];
	int code = STOWAGE_OK;
	s->options[option] = value;
	if (option != STOWAGE_SEED && option != STOWAGE_MINIMIZE && (value < 0 || value > STOWAGE_MOST) && (code = stowageRefused(s)) < 0)
		s->options[option] = before;
	return stowageLeave(s, code);
}

int stowage_set_options(stowage_solver *s, const char *json, size_t length) {
	int code = enter_text(s, json, length);
	return code < 0 ? code : stowageLeave(s, stowageSetOptions(s, (char *)json, length));
}

int stowage_on_progress(stowage_solver *s, stowage_progress_fn progress, void *user) {
	ENTER(s);
	s->progress = progress;
	s->user = user;
	return stowageLeave(s, STOWAGE_OK);
}

int stowageTell(stowage_progress_fn progress, void *user, int64_t height, int64_t lower_bound, int64_t nodes, int64_t elapsed_ns, const int64_t *offsets) {
	stowage_progress p = {height, lower_bound, nodes, elapsed_ns};
	return progress(&p, offsets, user);
}

stowage_token *stowage_token_new(void) { return calloc(1, sizeof(stowage_token)); }
void stowage_token_free(stowage_token *t) { free(t); }
void stowage_token_reset(stowage_token *t) { if (t != NULL) __atomic_store_n(&t->cancelled, 0, __ATOMIC_RELAXED); }
void stowage_cancel(stowage_token *t) { if (t != NULL) __atomic_store_n(&t->cancelled, 1, __ATOMIC_RELAXED); }

void stowage_token_watch(stowage_token *t, int socket, unsigned char byte) {
	if (t == NULL)
		return;
	t->byte = byte;
	__atomic_store_n(&t->watched, socket < 0 ? 0 : socket + 1, __ATOMIC_RELEASE);
}

int stowageIsCancelled(stowage_token *t) {
	if (__atomic_load_n(&t->cancelled, __ATOMIC_RELAXED))
		return 1;
#ifndef _WIN32
	int socket = __atomic_load_n(&t->watched, __ATOMIC_ACQUIRE) - 1;
	unsigned char waiting[64];
	if (socket >= 0) {
		ssize_t n = recv(socket, waiting, sizeof waiting, MSG_PEEK | MSG_DONTWAIT);
		return n > 0 && memchr(waiting, t->byte, (size_t)n) != NULL;
	}
#endif
	return 0;
}

int stowage_set_token(stowage_solver *s, stowage_token *t) {
	ENTER(s);
	s->token = t;
	return stowageLeave(s, STOWAGE_OK);
}

// ---- Runs

int stowage_solve(stowage_solver *s, int64_t *offsets) {
	ENTER_BY(stowageReady, s);
	return stowageLeave(s, stowageSolve(s, offsets));
}

int stowage_size(stowage_solver *s, int64_t *offsets) {
	ENTER_BY(stowageReady, s);
	return stowageLeave(s, stowageSize(s, offsets));
}

int stowage_fits(stowage_solver *s, int64_t capacity) {
	ENTER(s);
	if (!s->outcome)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "there is no outcome: no run has ended"));
	return stowageLeave(s, stowageFits(s, capacity));
}

int stowage_start(stowage_solver *s, int64_t *offsets) {
	ENTER_BY(stowageReady, s);
	stowageStart(s, offsets);
	__atomic_store_n(&s->started, 1, __ATOMIC_RELEASE);
	return STOWAGE_OK; // the solver stays busy until stowage_wait has the outcome
}

int stowage_wait(stowage_solver *s, int64_t milliseconds) {
	if (s == NULL)
		return STOWAGE_E_INPUT;
	if (__atomic_load_n(&forked, __ATOMIC_RELAXED))
		return STOWAGE_E_FORKED;
	// A thread that waits takes the run, and gives it back if the run goes on. So a second
	// thread that waits finds no run.
	int32_t started = 1;
	if (!__atomic_compare_exchange_n(&s->started, &started, 0, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		ENTER(s);
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "there is no run to wait for"));
	}
	int code = stowageWait(s, milliseconds);
	if (code == STOWAGE_RUNNING) {
		__atomic_store_n(&s->started, 1, __ATOMIC_RELEASE);
		return code;
	}
	return stowageLeave(s, code);
}

int stowage_get_result(const stowage_solver *s, stowage_result *r, size_t size) {
	if (s == NULL || r == NULL)
		return STOWAGE_E_INPUT;
	if (__atomic_load_n(&s->busy, __ATOMIC_ACQUIRE))
		return STOWAGE_E_BUSY;
	memset(r, 0, size);
	memcpy(r, &s->result, size < sizeof s->result ? size : sizeof s->result);
	return STOWAGE_OK;
}

// word returns a word of the last outcome. A run in another thread may be about to write it.
static const char *word(const stowage_solver *s, const char *text) {
	return __atomic_load_n(&s->busy, __ATOMIC_ACQUIRE) ? "" : text;
}

const char *stowage_found_by(const stowage_solver *s) { return s == NULL ? "" : word(s, s->found_by); }
const char *stowage_proved_by(const stowage_solver *s) { return s == NULL ? "" : word(s, s->proved_by); }
const char *stowage_ended(const stowage_solver *s) { return s == NULL ? "" : word(s, s->ended); }

// written ends a call of a solver that is entered. It returns the text of n bytes that the call
// has written; NULL if n is an error.
static const char *written(stowage_solver *s, int64_t n, size_t *length) {
	if (length != NULL)
		*length = n < 0 ? 0 : (size_t)n;
	stowageLeave(s, STOWAGE_OK);
	return n < 0 ? NULL : s->text;
}

const char *stowage_json(stowage_solver *s, size_t *length) {
	if (stowageReady(s) != STOWAGE_OK)
		return NULL;
	return written(s, stowageJSON(s), length);
}

const char *stowage_stats(stowage_solver *s, size_t *length) {
	if (stowageEnter(s) != STOWAGE_OK)
		return NULL;
	return written(s, stowageStats(s), length);
}

const char *stowage_plan_graph(stowage_solver *s, const char *graph, size_t length, int flags, size_t *plan_length) {
	if (plan_length != NULL)
		*plan_length = 0;
	return enter_text(s, graph, length) < 0 ? NULL : written(s, stowagePlanGraph(s, (char *)graph, length, flags), plan_length);
}

const char *stowage_plan_trace(stowage_solver *s, const char *trace, size_t length, int64_t alignment, int64_t guard, size_t *plan_length) {
	if (plan_length != NULL)
		*plan_length = 0;
	return enter_text(s, trace, length) < 0 ? NULL : written(s, stowagePlanTrace(s, (char *)trace, length, alignment, guard), plan_length);
}

int64_t stowage_verify(stowage_solver *s, const int64_t *offsets) {
	ENTER_BY(stowageReady, s);
	if (offsets == NULL && s->count > 0)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "there are no offsets: they are NULL"));
	return stowageLeave(s, stowageVerify(s, (int64_t *)offsets));
}

int64_t stowage_bound(stowage_solver *s) {
	ENTER_BY(stowageReady, s);
	return stowageLeave(s, stowageBound(s));
}

int64_t stowage_load(stowage_solver *s) {
	ENTER_BY(stowageReady, s);
	return stowageLeave(s, stowageLoad(s));
}

const char *stowage_digest(stowage_solver *s) {
	if (stowageReady(s) != STOWAGE_OK)
		return NULL;
	return stowageLeave(s, stowageDigest(s)) < 0 ? NULL : s->digest;
}

int64_t stowage_explain(stowage_solver *s, int64_t *buffers) {
	ENTER_BY(stowageReady, s);
	if (buffers == NULL && s->count > 0)
		return stowageLeave(s, stowageFail(s, STOWAGE_E_INPUT, "there is no room for buffers: it is NULL"));
	return stowageLeave(s, stowageExplain(s, buffers));
}

int64_t stowage_assign(int64_t count, const int64_t *lower, const int64_t *upper, const int64_t *size, const int64_t *alignment, int64_t *offsets) {
	stowage_solver s;
	memset(&s, 0, sizeof s);
	int code = stowage_set_buffers(&s, count, lower, upper, size);
	if (code == STOWAGE_OK) {
		s.alignment = alignment;
		code = stowage_solve(&s, offsets);
		if (code >= 0)
			code = s.result.status == STOWAGE_FEASIBLE || s.result.status == STOWAGE_OPTIMAL ? 0 : STOWAGE_E_INTERNAL;
	}
	if (s.peer != 0)
		stowageFree(&s);
	free(s.error);
	free(s.reason);
	return code < 0 ? code : s.result.height;
}
