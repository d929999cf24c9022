// What solver.c and the Go side share. One side sets a field, and the other reads it during a
// run.
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

struct stowage_solver {
	// The columns of the problem, borrowed from the caller. If json is set, the problem is on the
	// Go side, and only start is used.
	int64_t count;
	const int64_t *lower, *upper, *size, *alignment, *fixed, *hint, *start;
	const int64_t *first, *gap_lower, *gap_upper, *window_lower, *window_upper;
	const char *const *names;
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
	char *text;     // of stowage_json, stowage_stats and stowage_plan_graph; malloc'ed
};

// Calls the progress callback: Go cannot call a pointer to a C function.
int stowageTell(stowage_progress_fn, void *user, int64_t height, int64_t lower_bound,
	int64_t nodes, int64_t elapsed_ns, const int64_t *offsets);

// Reads a token. Another thread may write it at the same time.
int stowageIsCancelled(stowage_token *);

#endif
