// What solver.c and the Go side share. One side sets a field, and the other reads it during a run.
#ifndef STOWAGE_SOLVER_H
#define STOWAGE_SOLVER_H

#define STOWAGE_BUILDING 1 // stowage.h then marks what a DLL exports
#include "stowage.h"

// The largest size, offset and height. A test compares it with Go's model.MaxSum.
#define STOWAGE_MOST INT64_C(2305843009213693951)

struct stowage_token {
	int32_t cancelled; // atomic
	int32_t watched;   // a socket + 1; 0 for none. Atomic
	unsigned char byte;
};

// The lists of rules, as package columns has them. Their columns are in the order of the arguments of the call that sets
// them.
enum {
	STOWAGE_RESERVED, STOWAGE_ALLOWED, STOWAGE_COSTS, STOWAGE_TOGETHER, STOWAGE_APART, STOWAGE_MAY_OVERLAP,
	STOWAGE_DISTANCES, STOWAGE_PENALTIES, STOWAGE_EVICTIONS, STOWAGE_DIFFERENT_POOLS, STOWAGE_SAME_POOL, STOWAGE_OBJECTS,
	STOWAGE_LOCKSTEP, STOWAGE_BORDERS, STOWAGE_SIZES, STOWAGE_SPANS, STOWAGE_GRANULARITY,
	STOWAGE_KINDS, STOWAGE_GROUPS, STOWAGE_GROUP_COSTS, STOWAGE_ALTERNATIVES, STOWAGE_EXTENTS, STOWAGE_LISTS
};

// The rules of a problem, borrowed from the caller as its columns are.
struct stowage_rules {
	int32_t any; // not 0: a call has set one
	int64_t pools;
	const char *const *names; // of pools
	const int64_t *capacity, *alignment, *cost;
	struct {
		int64_t count;
		const int64_t *column[4];
	} list[STOWAGE_LISTS];
	int64_t threads;
	const int64_t *clock_lower, *clock_upper;
	int64_t period;
	int64_t measures;
	const char *const *objective;
};

struct stowage_solver {
	// The columns of the problem, borrowed from the caller. If json is set, the problem is on the
	// Go side, and only start is used.
	int64_t count;
	const int64_t *lower, *upper, *size, *alignment, *fixed, *hint, *start;
	const int64_t *first, *gap_lower, *gap_upper, *window_lower, *window_upper;
	const char *const *names;
	struct stowage_rules rules;
	int32_t json;

	int64_t options[STOWAGE_SEED + 1]; // by number
	stowage_progress_fn progress;
	void *user;
	stowage_token *token;

	int32_t busy;    // atomic: a call runs
	int32_t started; // atomic: stowage_start has begun a run that nobody waits for
	int32_t outcome; // not 0: the last run of this problem has an outcome
	uintptr_t peer;  // handle of the Go side; 0 while there is none
	stowage_result result;
	char found_by[32], proved_by[32], ended[16]; // of the last run; "" if there is no outcome
	char digest[20]; // of stowage_digest
	int32_t why;    // the last call was a run that found that nothing fits
	char *error;    // malloc'ed; NULL for none
	char *reason;   // of stowage_reason; malloc'ed; NULL for none, or not worked out yet
	char *text;     // of stowage_json, stowage_stats, stowage_plan_graph and stowage_plan_trace; malloc'ed
};

struct stowage_session {
	int32_t busy;    // atomic: a call runs
	int32_t closed;  // nothing is left on the Go side
	uintptr_t peer;  // handle of the Go side
	stowage_token *token;
	stowage_session_answer answer;
	char *error, *proof; // malloc'ed; NULL for none
};

// The calls of a session. Those up to the last named one are about a buffer by its name; those from the first solver on
// read the problem of a solver, or write to it.
enum {
	STOWAGE_CALL_WEIGHT, STOWAGE_CALL_ADD, STOWAGE_CALL_FITS, STOWAGE_CALL_REMOVE, STOWAGE_CALL_RESIZE, STOWAGE_CALL_RETIME,
	STOWAGE_CALL_PIN, STOWAGE_CALL_PIN_IN, STOWAGE_CALL_UNPIN, STOWAGE_CALL_OFFSET, STOWAGE_CALL_POOL_OF,
	STOWAGE_CALL_LAST_NAMED = STOWAGE_CALL_POOL_OF,
	STOWAGE_CALL_LIMIT, STOWAGE_CALL_LIMIT_POOL, STOWAGE_CALL_REPLAN, STOWAGE_CALL_MARK, STOWAGE_CALL_ROLLBACK, STOWAGE_CALL_COMMIT,
	STOWAGE_CALL_COUNT, STOWAGE_CALL_HEIGHT, STOWAGE_CALL_LOAD, STOWAGE_CALL_CAPACITY, STOWAGE_CALL_OFFSETS, STOWAGE_CALL_POOLS,
	STOWAGE_CALL_PLACE, STOWAGE_CALL_FITS_ALL, STOWAGE_CALL_BIND, STOWAGE_CALL_UNBIND, STOWAGE_CALL_REPLACE, STOWAGE_CALL_SNAPSHOT,
	STOWAGE_CALL_FIRST_SOLVER = STOWAGE_CALL_PLACE
};

struct stowage_call {
	int32_t call;
	const char *id;
	int64_t number[4];
	stowage_solver *problem, *rules;
	int64_t *to; // where offsets or pools are written
};

// solver.c has these; rules.c and session.c call them too.
int stowageEnter(stowage_solver *);                            // begins a call
int stowageReady(stowage_solver *);                            // begins a call that reads columns
int64_t stowageLeave(stowage_solver *, int64_t answer);        // ends a call, which returns the answer
int stowageFail(stowage_solver *, int code, const char *text); // sets the error, and returns code
int stowageForked(void);                                       // whether this is a forked child

// rules.c has this: whether a list names an owner that is none, or an index that is too wide for Go. It sets the error.
int stowageBadRules(stowage_solver *);

#define ENTER_BY(how, s)                \
	do {                                \
		int code_ = how(s);             \
		if (code_ != STOWAGE_OK)        \
			return code_;               \
	} while (0)
#define ENTER(s) ENTER_BY(stowageEnter, s)

// Calls the progress callback: Go cannot call a pointer to a C function.
int stowageTell(stowage_progress_fn, void *user, int64_t height, int64_t lower_bound,
	int64_t nodes, int64_t elapsed_ns, const int64_t *offsets);

#define STOWAGE_WAS_FORKED "this process was forked after the library was loaded: the threads of the library are not in it"

// Reads a token. Another thread may write it at the same time.
int stowageIsCancelled(stowage_token *);

#endif
