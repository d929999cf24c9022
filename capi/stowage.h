/*
 * stowage.h: Stowage's planner of static memory, for C and C++.
 *
 * Buffers whose sizes and lifespans are known before a program runs get offsets, so
 * that no two that are live at once overlap, as low as can be, with a proof where
 * there is one.
 *
 *     int64_t lower[] = {0, 0, 1}, upper[] = {2, 4, 4}, size[] = {600, 300, 500};
 *     int64_t offsets[3];
 *     stowage_solver *s = stowage_new();
 *     stowage_set_buffers(s, 3, lower, upper, size);
 *     if (stowage_solve(s, offsets) < 0)
 *         fprintf(stderr, "%s\n", stowage_error(s));
 *     stowage_free(s);
 *
 * Times are logical and half-open: a buffer is live at lower, lower+1, ..., upper-1.
 * Sizes, offsets and heights are in any one unit of space, called bytes here; an
 * offset, an end and the sum of all sizes are at most 2305843009213693951.
 *
 * Memory: arrays and texts that are passed in stay the caller's. The arrays of a
 * problem are not copied when they are set: they are read by stowage_solve,
 * stowage_start, stowage_verify, stowage_bound and stowage_json, and must be there
 * and unchanged while one of those runs. What a handle gives out (errors, JSON) is
 * valid until the next call with that handle.
 *
 * Threads: each handle is used by one thread at a time; a second call while one runs
 * is answered with STOWAGE_E_BUSY. Different handles are independent. A token may be
 * used by any thread at any time. There is no global state but the Go runtime. Of all
 * functions a signal handler may call stowage_cancel alone.
 *
 * Processes: the runtime starts threads, which a forked child does not have. There
 * all that plans answers STOWAGE_E_FORKED, unless the child executes a program.
 *
 * Determinism: with one worker, the same problem, seed and node limit give the same
 * plan, byte for byte, as they do from Go, Python and the command.
 */
#ifndef STOWAGE_H
#define STOWAGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(STOWAGE_BUILDING)
#define STOWAGE_API __declspec(dllexport)
#elif defined(_WIN32)
#define STOWAGE_API
#else
#define STOWAGE_API __attribute__((visibility("default")))
#endif

/* The ABI that this header describes. Within one number functions, options and fields
 * at the end of a structure are only added. */
#define STOWAGE_ABI 1

/* stowage_abi returns the ABI of the library that is loaded. */
STOWAGE_API int stowage_abi(void);

/* stowage_version returns the library's version, such as "0.2.0". It is static. */
STOWAGE_API const char *stowage_version(void);

/* What calls return. Numbers of 0 and above are outcomes; those below 0 are errors,
 * of which stowage_error has the text. A limit is never STOWAGE_INFEASIBLE. */
enum {
  STOWAGE_UNKNOWN = 0,    /* a limit came before an answer; there is no plan */
  STOWAGE_FEASIBLE = 1,   /* a plan that fits, not known to be the lowest */
  STOWAGE_OPTIMAL = 2,    /* a plan, proven to be the lowest */
  STOWAGE_INFEASIBLE = 3, /* proven: no plan fits */
  STOWAGE_RUNNING = 4,    /* of stowage_wait alone: not ended yet */

  STOWAGE_OK = 0, /* of calls that set something */

  STOWAGE_E_INPUT = -1,       /* a bad problem, option or argument; all faults are listed */
  STOWAGE_E_UNSUPPORTED = -2, /* the planner does not take this problem */
  STOWAGE_E_BUSY = -3,        /* the handle is in use */
  STOWAGE_E_FORKED = -4,      /* the process was forked after the library was loaded */
  STOWAGE_E_MEMORY = -5,      /* malloc gave nothing */
  STOWAGE_E_INTERNAL = -6     /* a mistake in the library */
};

/* Why a run ended without an answer (a proof where it minimises). */
enum {
  STOWAGE_FINISHED = 0,      /* it has its answer */
  STOWAGE_STOP_TIMEOUT = 1,  /* the timeout came */
  STOWAGE_STOP_NODES = 2,    /* the node limit came */
  STOWAGE_STOP_CANCELLED = 3, /* a token or the progress callback said so */
  STOWAGE_STOP_EFFORT = 4    /* no limit came: the planner ended by itself */
};

/* STOWAGE_NONE marks, in arrays, the buffers to which a column does not apply. */
#define STOWAGE_NONE (-1)

/* A solver holds a problem, options, and the outcome of the last run. */
typedef struct stowage_solver stowage_solver;

/* stowage_new returns NULL where malloc does. stowage_free takes NULL; it first ends
 * and awaits a run that stowage_start has begun. */
STOWAGE_API stowage_solver *stowage_new(void);
STOWAGE_API void stowage_free(stowage_solver *);

/* stowage_error says in words what was wrong with the last call; "" for nothing. The
 * text has a line for each fault. Call it after the call that it is about, not beside it
 * as in printf("%d %s", stowage_solve(s, x), stowage_error(s)), where either may be first. */
STOWAGE_API const char *stowage_error(const stowage_solver *);

/* stowage_reason says in words why nothing fits. Call it right after a run that returned
 * STOWAGE_INFEASIBLE or after stowage_explain; after any other call it is "". The text
 * says which moment is too full and by how much, which buffer is too large or fixed too
 * high, or which fixed offsets collide. If none of these is the cause, it says by how
 * much the proven bound is above the capacity; stowage_explain then names the buffers.
 * After a run the text is worked out by this call: it takes about as long as
 * stowage_bound, and does not read the caller's arrays. */
STOWAGE_API const char *stowage_reason(const stowage_solver *);

/* ---- The problem ---------------------------------------------------------------- */

/* stowage_set_buffers sets how many buffers there are, and their columns. It forgets
 * all that was set of other buffers before: alignments, gaps, names and so on. */
STOWAGE_API int stowage_set_buffers(stowage_solver *, int64_t count, const int64_t *lower,
                                    const int64_t *upper, const int64_t *size);

/* Columns that a problem may have; NULL takes one away. Offsets are multiples of the
 * alignments (0 and 1 mean any). A buffer with a fixed offset is there and nowhere
 * else. A hint is where a buffer may be tried first, and binds nobody. A start is a
 * whole plan to improve on. */
STOWAGE_API int stowage_set_alignments(stowage_solver *, const int64_t *alignment);
STOWAGE_API int stowage_set_fixed(stowage_solver *, const int64_t *offset_or_none);
STOWAGE_API int stowage_set_hints(stowage_solver *, const int64_t *offset_or_none);
STOWAGE_API int stowage_set_start(stowage_solver *, const int64_t *offsets);

/* Names are for messages, JSON and pictures; without them buffer i is named i. They
 * are UTF-8, distinct and not empty. */
STOWAGE_API int stowage_set_names(stowage_solver *, const char *const *names);

/* Gaps are times [lower, upper) within a lifespan at which a buffer uses no space.
 * Those of buffer i have the indices first[i] up to, not including, first[i + 1];
 * first has count + 1 entries. Where windows are given, a buffer still uses the bytes
 * [window_lower, window_upper) of its own in the gap, unless window_lower is
 * STOWAGE_NONE. Both windows may be NULL. */
STOWAGE_API int stowage_set_gaps(stowage_solver *, const int64_t *first, const int64_t *lower,
                                 const int64_t *upper, const int64_t *window_lower,
                                 const int64_t *window_upper);

/* stowage_read_json takes the problem from JSON text, as the command reads it
 * (docs/GUIDE.md), which is copied; a plan in it is not used. stowage_count then says
 * how many buffers it has. */
STOWAGE_API int stowage_read_json(stowage_solver *, const char *text, size_t length);
STOWAGE_API int64_t stowage_count(const stowage_solver *);

/* ---- Options -------------------------------------------------------------------- */

/* Options by number. All are 0 at first. */
enum {
  STOWAGE_CAPACITY = 1, /* bytes to fit into; 0: the JSON problem's, else none */
  STOWAGE_MINIMIZE = 2, /* not 0: look for the lowest plan; implied without a capacity */
  STOWAGE_TIMEOUT_NS = 3, /* nanoseconds that a run may take in all; 0: any time */
  STOWAGE_NODES = 4,    /* nodes that a run may search, reproducibly; 0: any number */
  STOWAGE_WORKERS = 5,  /* threads that may search side by side; 0 is 1, 1024 are the most */
  STOWAGE_SEED = 6,     /* drives every random choice; its bits count as unsigned */

  STOWAGE_TIMEOUT = STOWAGE_TIMEOUT_NS /* its former name */
};

/* stowage_set sets an option by number. A value that the option cannot have is refused at
 * once (STOWAGE_E_INPUT) and changes nothing. */
STOWAGE_API int stowage_set(stowage_solver *, int option, int64_t value);

/* stowage_set_options sets options by name, from a JSON object such as
 *
 *     {"planner": "exact", "capacity": "1MiB", "minimize": true, "timeout": "10s",
 *      "nodes": 100000, "workers": 2, "seed": 7, "without": ["memo"],
 *      "set": {"orders": "TWA,TAW"}}
 *
 * An option that is not named stays as it is. A capacity is a number of bytes or a text
 * with a unit ("2KiB"). A timeout is a number of seconds or a text with a unit ("500ms").
 * The planners are all that `stowage planners` lists, except milp and tela-learned: auto,
 * climb, exact, first-fit and merge, and the baselines, such as minimalloc. Each has
 * techniques, which "without" switches off, and parameters, which "set" sets;
 * `stowage planners exact` lists those of exact.
 *
 * A wrong name or value is refused at once (STOWAGE_E_INPUT): the text lists all that is
 * wrong and what may have been meant, and nothing is changed. Techniques and parameters
 * must be those of the planner that is named, here or in a call before. */
STOWAGE_API int stowage_set_options(stowage_solver *, const char *json, size_t length);

/* What a progress callback is told. */
typedef struct stowage_progress {
  int64_t height;      /* of the lowest plan so far; 0 for none */
  int64_t lower_bound; /* proven: no plan is lower */
  int64_t nodes;       /* searched so far */
  int64_t elapsed_ns;  /* nanoseconds since the start of the run */
} stowage_progress;

/* A progress callback is called once there is something to tell, then every 50
 * milliseconds while a run lasts, and at its end where that has news; never twice at once,
 * maybe from a thread of the library's. offsets are those of the lowest plan where that is
 * new since the last call and they are at hand, else NULL, and valid during the call. It must return
 * soon, must not use the solver, and ends the run where it does not return 0: it is then
 * not called again. It may plan with another solver; it must not leave by an exception or
 * by longjmp. */
typedef int (*stowage_progress_fn)(const stowage_progress *, const int64_t *offsets, void *user);
STOWAGE_API int stowage_on_progress(stowage_solver *, stowage_progress_fn, void *user);

/* A token ends runs from outside: a run that uses it stops within some milliseconds of
 * stowage_cancel, with its best plan. It stays cancelled until stowage_token_reset.
 * Several solvers may use one token; it must outlive their runs. stowage_cancel may be
 * called by any thread and from a signal handler. */
typedef struct stowage_token stowage_token;
STOWAGE_API stowage_token *stowage_token_new(void);
STOWAGE_API void stowage_token_free(stowage_token *);
STOWAGE_API void stowage_token_reset(stowage_token *);
STOWAGE_API void stowage_cancel(stowage_token *);
STOWAGE_API int stowage_set_token(stowage_solver *, stowage_token *);

/* A token may watch a socket as well: a run stops once the byte waits in it to be read;
 * nothing is taken out of it. Languages that answer signals only after a call write
 * their numbers to one, such as Python (signal.set_wakeup_fd). A socket below 0 ends
 * that. On Windows nothing is watched. */
STOWAGE_API void stowage_token_watch(stowage_token *, int socket, unsigned char byte);

/* ---- Runs ----------------------------------------------------------------------- */

/* stowage_solve plans, writes an offset for each buffer, in their order, where there is
 * a plan, and returns its status or an error. Every plan has been verified. offsets has
 * room for as many as there are buffers, or is NULL. It may be called again and again,
 * with the same buffers or others; a solver keeps its memory for that. */
STOWAGE_API int stowage_solve(stowage_solver *, int64_t *offsets);

/* stowage_start begins the same in the background and returns STOWAGE_OK or an error;
 * offsets must be there until stowage_wait returns the run's status. stowage_wait waits
 * for that, but no longer than so many milliseconds (below 0: for ever), and returns
 * STOWAGE_RUNNING where the run goes on; it cannot fail otherwise than the run does.
 * Between the two no other call may be made with the solver. */
STOWAGE_API int stowage_start(stowage_solver *, int64_t *offsets);
STOWAGE_API int stowage_wait(stowage_solver *, int64_t milliseconds);

/* The outcome of the last run. */
typedef struct stowage_result {
  int32_t status;      /* STOWAGE_UNKNOWN to STOWAGE_INFEASIBLE */
  int32_t stopped;     /* STOWAGE_FINISHED to STOWAGE_STOP_EFFORT */
  int64_t height;      /* of the plan; 0 where there is none */
  int64_t lower_bound; /* proven: no plan is lower */
  int64_t capacity;    /* that counted; 0 for none */
  int64_t nodes;       /* searched */
  int64_t backtracks;  /* nodes all of whose children failed */
  int64_t elapsed_ns;  /* nanoseconds in the planner */
  char planner[32];    /* that ran */
  char member[32];     /* of a portfolio: which part of it made the plan; else "" */
} stowage_result;

/* stowage_get_result fills in the outcome of the last run; size is
 * sizeof(stowage_result), so that a caller that knows fewer fields gets those. */
STOWAGE_API int stowage_get_result(const stowage_solver *, stowage_result *, size_t size);

/* stowage_json returns the problem and the outcome of the last run as JSON: what the
 * command writes for the same input and options. length may be NULL; the text ends with
 * a 0 in any case. It is NULL for an error. */
STOWAGE_API const char *stowage_json(stowage_solver *, size_t *length);

/* stowage_verify counts the rules that a plan breaks: 0 for a valid one; stowage_error
 * then has the first of them. Below 0 it is an error. It shares no code with the
 * planners but a sort. */
STOWAGE_API int64_t stowage_verify(stowage_solver *, const int64_t *offsets);

/* stowage_bound returns a height that no plan is under, without planning: the most
 * that is live at once, sharpened. Below 0 it is an error. */
STOWAGE_API int64_t stowage_bound(stowage_solver *);

/* stowage_explain writes the numbers of buffers that cannot fit the capacity together,
 * though without any one of them the rest do, ascending, and returns how many they are;
 * buffers has room for as many as there are. 0 is that all fit or, where stowage_error
 * says so, that a limit came first. Below 0 it is an error. stowage_reason has the same
 * in words. */
STOWAGE_API int64_t stowage_explain(stowage_solver *, int64_t *buffers);

/* ---- One call ------------------------------------------------------------------- */

/* stowage_assign is the hook for a compiler that has columns and wants offsets: the
 * lowest plan, without limits, by the default planner. alignment may be NULL. It
 * returns the height, or an error below 0; what was wrong has no words here. */
STOWAGE_API int64_t stowage_assign(int64_t count, const int64_t *lower, const int64_t *upper,
                                   const int64_t *size, const int64_t *alignment, int64_t *offsets);

#ifdef __cplusplus
}
#endif

#endif
