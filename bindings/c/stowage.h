/*
 * stowage.h: Stowage's planner of static memory, for C and C++.
 *
 * You give it buffers whose sizes and lifespans are known before a program runs. It gives
 * each an offset in one block of memory. Buffers that are live at the same time never
 * overlap, and the block is as small as the search can make it; often that is proven to be
 * the minimum.
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
 * Sizes, offsets and heights are in one unit of space, called bytes here. An offset, an
 * end and the sum of all sizes are at most 2305843009213693951. The height of a plan is
 * the size of the block that it needs.
 *
 * Units: times of the clock are nanoseconds where the name ends in _NS or _ns. In JSON
 * options a time is a number of seconds or text with a unit.
 *
 * Memory: arrays and texts that you pass in stay yours. The arrays of a problem are not
 * copied when they are set. stowage_solve, stowage_start, stowage_size, stowage_verify,
 * stowage_bound, stowage_explain, stowage_json and the sessions read them; keep them unchanged while one of those runs.
 * A text that a handle returns (error, reason, JSON) is valid until the next call with
 * that handle.
 *
 * Threads: use each handle from one thread at a time. A second call while one runs returns
 * STOWAGE_E_BUSY. Different handles are independent. A token may be used by any thread at
 * any time. The only global state is the Go runtime. A signal handler may call
 * stowage_cancel and no other function.
 *
 * Processes: the runtime starts threads, and a forked child does not have them. In the
 * child every call that plans returns STOWAGE_E_FORKED. A child that executes another
 * program is not affected.
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

/* The ABI that this header describes. While the number stays the same, functions, options
 * and fields at the end of a structure are added, and nothing is changed or removed. */
#define STOWAGE_ABI 1

/* stowage_abi returns the ABI of the library that is loaded. */
STOWAGE_API int stowage_abi(void);

/* stowage_version returns the library's version, such as "0.3.0". It is static. */
STOWAGE_API const char *stowage_version(void);

/* What calls return. Numbers from 0 up are outcomes. Numbers below 0 are errors, and
 * stowage_error has the text. A run that a limit ends is never STOWAGE_INFEASIBLE. */
enum {
  /* generated: statuses */
  STOWAGE_UNKNOWN = 0,    /* a limit came before an answer; there is no plan */
  STOWAGE_FEASIBLE = 1,   /* a plan that fits, not known to be the lowest */
  STOWAGE_OPTIMAL = 2,    /* a plan, proven to be the lowest */
  STOWAGE_INFEASIBLE = 3, /* proven: no plan fits */
  /* end of statuses */
  STOWAGE_RUNNING = 4,    /* only from stowage_wait: the run has not ended */

  STOWAGE_OK = 0, /* from calls that set something */

  STOWAGE_E_INPUT = -1,       /* a bad problem, option or argument; the text lists all faults */
  STOWAGE_E_UNSUPPORTED = -2, /* the planner cannot plan this kind of problem */
  STOWAGE_E_BUSY = -3,        /* the handle is in use */
  STOWAGE_E_FORKED = -4,      /* the process was forked after the library was loaded */
  STOWAGE_E_MEMORY = -5,      /* malloc returned NULL */
  STOWAGE_E_INTERNAL = -6     /* a mistake in the library */
};

/* Why a run ended before it had its answer. The answer of a run that minimises is a proof that no plan is lower. */
enum {
  /* generated: stops */
  STOWAGE_FINISHED = 0,       /* it has its answer */
  STOWAGE_STOP_TIMEOUT = 1,   /* the timeout came */
  STOWAGE_STOP_NODES = 2,     /* the node limit came */
  STOWAGE_STOP_CANCELLED = 3, /* a token or the progress callback said so */
  STOWAGE_STOP_EFFORT = 4,    /* no limit came: the planner ended by itself */
  /* end of stops */
};

/* STOWAGE_NONE marks, in arrays, the buffers to which a column does not apply. */
#define STOWAGE_NONE (-1)

/* A solver holds a problem, options, and the outcome of the last run. */
typedef struct stowage_solver stowage_solver;

/* stowage_new returns NULL if there is no memory. stowage_free accepts NULL. If
 * stowage_start has begun a run, stowage_free ends it and waits for it first. */
STOWAGE_API stowage_solver *stowage_new(void);
STOWAGE_API void stowage_free(stowage_solver *);

/* stowage_error says in words what was wrong with the last call; "" if nothing was. The
 * text has a line for each fault. Call it in a statement of its own: C does not say which
 * call of printf("%d %s", stowage_solve(s, x), stowage_error(s)) comes first. */
STOWAGE_API const char *stowage_error(const stowage_solver *);

/* stowage_reason says in words why nothing fits. Call it right after a run that returned STOWAGE_INFEASIBLE or after
 * stowage_explain; after any other call it is "". The text says which moment is too full and by how much, which
 * buffer is too large or fixed too high, or which fixed offsets collide. If none of these is the cause, it says by
 * how much the proven bound is above the capacity; stowage_explain then names the buffers. Of a problem with rules
 * it says only that no plan keeps them, until stowage_explain has run. After a run the text is worked out by this
 * call: it takes about as long as stowage_bound, and does not read the caller's arrays. */
STOWAGE_API const char *stowage_reason(const stowage_solver *);

/* ---- The problem ---------------------------------------------------------------- */

/* stowage_set_buffers sets the number of buffers and their columns. It forgets what was
 * set for the buffers before: alignments, gaps, names and so on. */
STOWAGE_API int stowage_set_buffers(stowage_solver *, int64_t count, const int64_t *lower,
                                    const int64_t *upper, const int64_t *size);

/* Columns that a problem may have; NULL removes one. A buffer's offset is a multiple of its alignment (0 and 1 mean
 * any offset). A fixed offset is where a buffer must be. A hint is an offset that planners may try first; they need
 * not use it. A start is a whole plan to improve on. */
STOWAGE_API int stowage_set_alignments(stowage_solver *, const int64_t *alignment);
STOWAGE_API int stowage_set_fixed(stowage_solver *, const int64_t *offset_or_none);
STOWAGE_API int stowage_set_hints(stowage_solver *, const int64_t *offset_or_none);
STOWAGE_API int stowage_set_start(stowage_solver *, const int64_t *offsets);

/* Names are used in messages, JSON and pictures. They are UTF-8, distinct and not empty.
 * Without names, buffer i is called i. */
STOWAGE_API int stowage_set_names(stowage_solver *, const char *const *names);

/* A gap is a time [lower, upper) within a lifespan in which the buffer uses no space. The gaps of buffer i have the
 * indices first[i] to first[i + 1] - 1; first has count + 1 entries. A gap may have a window: the buffer then still
 * uses its own bytes [window_lower, window_upper) in the gap. A window_lower of STOWAGE_NONE means no window; both
 * window columns may be NULL. */
STOWAGE_API int stowage_set_gaps(stowage_solver *, const int64_t *first, const int64_t *lower,
                                 const int64_t *upper, const int64_t *window_lower,
                                 const int64_t *window_upper);

/* ---- Rules ---------------------------------------------------------------------- */

/* Rules say what one block of bytes and plain lifespans cannot: several memories, buffers at fixed distances,
 * pairs kept apart, penalties and so on (docs/memories.md has an example of each). Each kind is a list, in
 * columns: the k-th entries of the columns are one rule. Buffers and pools are numbers from 0. A count of 0
 * removes a list. The columns are not copied. stowage_set_buffers removes all rules. So set rules after it, and the
 * pools first. A problem that was read from JSON has rules of its own. */

/* The memories to plan for. names are distinct and not empty. The other columns may be NULL. A capacity of 0 is
 * no limit, and an alignment of 0 or 1 is none. cost is the cost of each byte of a buffer in the pool. With pools the
 * option STOWAGE_CAPACITY must be 0. */
STOWAGE_API int stowage_set_pools(stowage_solver *, int64_t count, const char *const *names,
                                  const int64_t *capacity, const int64_t *alignment,
                                  const int64_t *cost);

/* Bytes [lower, upper) of a pool that no buffer may use. They count in no height. */
STOWAGE_API int stowage_set_reserved(stowage_solver *, int64_t count, const int64_t *pool,
                                     const int64_t *lower, const int64_t *upper);

/* The pools that a buffer may be in, a pair for each. A buffer without a pair may be in any. */
STOWAGE_API int stowage_set_allowed(stowage_solver *, int64_t count, const int64_t *buffer,
                                    const int64_t *pool);

/* What the whole buffer costs in a pool, in place of the pool's cost for each byte. */
STOWAGE_API int stowage_set_costs(stowage_solver *, int64_t count, const int64_t *buffer,
                                  const int64_t *pool, const int64_t *cost);

/* Ties two buffers: they are in one pool, and offset[second] - offset[first] = distance. A NULL column means 0.
 * Pairs with a common buffer make one group, for views, aliases and contiguous buffers. Buffers of a group do not
 * conflict. */
STOWAGE_API int stowage_set_together(stowage_solver *, int64_t count, const int64_t *first,
                                     const int64_t *second, const int64_t *distance);

/* stowage_set_apart: pairs that must share no byte, whatever their lifespans. stowage_set_may_overlap: pairs that may
 * share bytes although both live. A pair in both lists is apart. */
STOWAGE_API int stowage_set_apart(stowage_solver *, int64_t count, const int64_t *first,
                                  const int64_t *second);
STOWAGE_API int stowage_set_may_overlap(stowage_solver *, int64_t count, const int64_t *first,
                                        const int64_t *second);

/* Buffers that meet in one slot: first dies in it, and second is born in it. They may share bytes if
 * offset[first] - offset[second] >= distance. */
STOWAGE_API int stowage_set_distances(stowage_solver *, int64_t count, const int64_t *first,
                                      const int64_t *second, const int64_t *distance);

/* Pairs that cost something if they share bytes. If a pair is listed twice, its costs are added. */
STOWAGE_API int stowage_set_penalties(stowage_solver *, int64_t count, const int64_t *first,
                                      const int64_t *second, const int64_t *cost);

/* Stretches [lower, upper) inside the life of a buffer in which it may be absent. A plan that takes an eviction pays
 * its cost. Each part of the life that is left has an offset and a pool of its own. */
STOWAGE_API int stowage_set_evictions(stowage_solver *, int64_t count, const int64_t *buffer,
                                      const int64_t *lower, const int64_t *upper,
                                      const int64_t *cost);

/* Lists of buffers, a row for each buffer: the number of its list, and the buffer. The rows of a list follow one
 * another. stowage_set_different_pools: any two buffers of a list are in different pools. stowage_set_same_pool: all
 * buffers of a list are in one pool. stowage_set_lockstep: all buffers of a list are at one offset, each in its pool. */
STOWAGE_API int stowage_set_different_pools(stowage_solver *, int64_t count, const int64_t *list,
                                            const int64_t *buffer);
STOWAGE_API int stowage_set_same_pool(stowage_solver *, int64_t count, const int64_t *list,
                                      const int64_t *buffer);
STOWAGE_API int stowage_set_lockstep(stowage_solver *, int64_t count, const int64_t *list,
                                     const int64_t *buffer);

/* Lists of buffers as above. A plan has one buffer of each list: the forms that a buffer may have. The offset and the pool
 * of the others are STOWAGE_NONE, and no rule says anything of them. */
STOWAGE_API int stowage_set_alternatives(stowage_solver *, int64_t count, const int64_t *list,
                                         const int64_t *buffer);

/* The pools that are divided into objects, such as textures: an object has one buffer at a time. Two buffers of such a
 * pool begin at the same byte or share none. */
STOWAGE_API int stowage_set_objects(stowage_solver *, int64_t count, const int64_t *pool);

/* Sizes of two or three dimensions, which a texture has. An object is as large as its largest buffer in each. The size of the
 * buffer is then the product, and that of stowage_set_buffers does not count. depth may be NULL, and 0 is none. */
STOWAGE_API int stowage_set_extents(stowage_solver *, int64_t count, const int64_t *buffer,
                                    const int64_t *width, const int64_t *height,
                                    const int64_t *depth);

/* The borders of pools, ascending in each: a bank of the pool ends at the byte. No buffer lies on both sides of a border,
 * but for those of stowage_set_spans. */
STOWAGE_API int stowage_set_borders(stowage_solver *, int64_t count, const int64_t *pool,
                                    const int64_t *at);
STOWAGE_API int stowage_set_spans(stowage_solver *, int64_t count, const int64_t *buffer);

/* The granularity of pools, in bytes of a page, and lists of buffers of one kind. Two buffers of different kinds that
 * conflict have no page in common. */
STOWAGE_API int stowage_set_granularity(stowage_solver *, int64_t count, const int64_t *pool,
                                        const int64_t *bytes);
STOWAGE_API int stowage_set_kinds(stowage_solver *, int64_t count, const int64_t *list,
                                  const int64_t *buffer);

/* Groups: prices that are paid once for a set of pairs, in the measure "penalty". stowage_set_groups has a row for each
 * pair: the number of its group and the two buffers. The rows of a group follow one another. stowage_set_group_costs has
 * a row for each group, in their order: its cost, and when it is paid. Two buffers share bytes as for a penalty; they
 * coincide if they are in one pool, at one offset, and do not conflict. */
enum {
  STOWAGE_IF_ONE_SHARES = 0,       /* if the buffers of one pair share bytes */
  STOWAGE_IF_ALL_SHARE = 1,        /* if those of each pair do */
  STOWAGE_UNLESS_ALL_COINCIDE = 2, /* unless the buffers of each pair coincide */
  STOWAGE_UNLESS_ONE_COINCIDES = 3 /* unless those of one pair do */
};
STOWAGE_API int stowage_set_groups(stowage_solver *, int64_t count, const int64_t *group,
                                   const int64_t *first, const int64_t *second);
STOWAGE_API int stowage_set_group_costs(stowage_solver *, int64_t count, const int64_t *cost,
                                        const int64_t *paid);

/* The sizes that a pool may have, ascending in each, and their prices. The cost of a plan has, for each pool with a
 * buffer, the price of the cheapest size that holds its buffers. The largest size is the capacity. */
STOWAGE_API int stowage_set_sizes(stowage_solver *, int64_t count, const int64_t *pool,
                                  const int64_t *bytes, const int64_t *price);

/* Lifespans by several clocks. lower and upper have so many numbers as threads for each buffer, one buffer after another.
 * The lifespans of stowage_set_buffers then do not count. A buffer ends before another starts if its end is at most the
 * other's start by every clock. If threads is 0, the clocks are removed. */
STOWAGE_API int stowage_set_clocks(stowage_solver *, int64_t threads, const int64_t *lower,
                                   const int64_t *upper);

/* The length of a step that repeats: lifespans may run over its end. 0 removes it. */
STOWAGE_API int stowage_set_period(stowage_solver *, int64_t period);

/* The measures to minimise: "height", "max_height", "peak", "max_peak", "cost", "penalty", "eviction", "objects",
 * "height:POOL" and "peak:POOL". The second one decides only between plans that are equal in the first, and so on. The default is
 * the height for one pool, and the cost, then the height, for several. */
STOWAGE_API int stowage_set_objective(stowage_solver *, int64_t count,
                                      const char *const *measures);

/* ---- JSON ----------------------------------------------------------------------- */

/* stowage_read_json takes the problem from JSON text in the command's format (docs/GUIDE.md). The text is copied,
 * and a plan in it is not used. A buffer may have end in place of upper: it is read as inclusive, the last time slot
 * of the lifespan. Times may have fractions: all are multiplied by the same power of ten, which changes no offset,
 * and every time that the library returns is multiplied too. stowage_stats says both, as "ends" and "time_scale".
 * stowage_count returns the number of buffers. */
STOWAGE_API int stowage_read_json(stowage_solver *, const char *text, size_t length);
STOWAGE_API int64_t stowage_count(const stowage_solver *);

/* stowage_generate makes a problem as `stowage gen` does, and takes it as if stowage_read_json had read it. The JSON
 * object names the kind and its options, as the flags of the command are named:
 *
 *     {"kind": "random", "buffers": 60, "seed": 7, "max-size": "4KiB"}
 *
 * The same object makes the same problem on every machine. */
STOWAGE_API int stowage_generate(stowage_solver *, const char *json, size_t length);

/* ---- Options -------------------------------------------------------------------- */

/* Options by number. All are 0 at first. */
enum {
  /* generated: options */
  STOWAGE_CAPACITY = 1,   /* bytes to fit into; without it the problem's own capacity counts, if it has one */
  STOWAGE_MINIMIZE = 2,   /* not 0: look for the lowest plan; implied without a capacity */
  STOWAGE_TIMEOUT_NS = 3, /* the most time that a run may take, in nanoseconds; 0 for no limit */
  STOWAGE_NODES = 4,      /* the most nodes that a run may search; unlike a time, reproducible */
  STOWAGE_WORKERS = 5,    /* threads that may search side by side; 0 is 1, more than 1024 are 1024 */
  STOWAGE_SEED = 6,       /* drives every random choice; its bits count as unsigned */
  /* end of options */

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
 * An option that is not named stays as it is. A capacity is a number of bytes or a text with a unit ("2KiB"). A
 * timeout is a number of seconds or a text with a unit ("500ms").
 * The planners are auto, beam, boxing, climb, core, exact, first-fit, merge, minimalloc, rows, sweep and tela.
 * Some have techniques, which "without" switches off, and parameters, which "set" sets; `stowage planners exact`
 * lists those of exact.
 *
 * A wrong name or value is refused at once (STOWAGE_E_INPUT): the text lists all that is wrong and what may have
 * been meant, and nothing is changed. Techniques and parameters must be those of the planner that is named, here or
 * in a call before. */
STOWAGE_API int stowage_set_options(stowage_solver *, const char *json, size_t length);

/* What a progress callback is told. */
typedef struct stowage_progress {
  int64_t height;      /* of the lowest plan so far; 0 for none */
  int64_t lower_bound; /* proven: no plan is lower */
  int64_t nodes;       /* searched so far */
  int64_t elapsed_ns;  /* nanoseconds since the start of the run */
} stowage_progress;

/* A progress callback is called as soon as there is something to tell, then every 50 milliseconds, and once more at
 * the end if there is news. Calls never overlap, and may come from a thread of the library. offsets are those of the
 * lowest plan. They are given if the height is not that of the call before and the planner has them at hand;
 * otherwise offsets is NULL. They are valid during the call.
 *
 * The callback returns 0 to go on. Any other value ends the run, and the callback is not called again. It must
 * return soon, and must not use this solver; it may use another. It must not leave by an exception or by longjmp. */
typedef int (*stowage_progress_fn)(const stowage_progress *, const int64_t *offsets, void *user);
STOWAGE_API int stowage_on_progress(stowage_solver *, stowage_progress_fn, void *user);

/* A token ends runs from outside. A run that uses it stops within some milliseconds of stowage_cancel, with its best
 * plan. The token stays cancelled until stowage_token_reset. Several solvers may share a token; it must outlive
 * their runs. Any thread and any signal handler may call stowage_cancel. */
typedef struct stowage_token stowage_token;
STOWAGE_API stowage_token *stowage_token_new(void);
STOWAGE_API void stowage_token_free(stowage_token *);
STOWAGE_API void stowage_token_reset(stowage_token *);
STOWAGE_API void stowage_cancel(stowage_token *);
STOWAGE_API int stowage_set_token(stowage_solver *, stowage_token *);

/* A token may watch a socket as well: a run stops when this byte can be read from it. The byte stays in the socket.
 * This is for languages that handle signals only after a call has returned, and write the signal's number to a
 * socket, as Python does (signal.set_wakeup_fd). A socket below 0 ends the watch. Windows watches nothing. */
STOWAGE_API void stowage_token_watch(stowage_token *, int socket, unsigned char byte);

/* ---- Runs ----------------------------------------------------------------------- */

/* stowage_solve plans and returns a status or an error. If there is a plan, it writes an offset for each buffer, in
 * their order, to offsets, which has room for all of them or is NULL. Every plan has been verified. Call it as often
 * as you like, for the same buffers or others; a solver reuses its memory. */
STOWAGE_API int stowage_solve(stowage_solver *, int64_t *offsets);

/* stowage_start begins the same in the background and returns STOWAGE_OK or an error. offsets must stay there until
 * stowage_wait has returned the status. stowage_wait waits for the run, at most that many milliseconds (below 0:
 * without limit), and returns STOWAGE_RUNNING if the run goes on. Between the two, make no other call with the
 * solver. */
STOWAGE_API int stowage_start(stowage_solver *, int64_t *offsets);
STOWAGE_API int stowage_wait(stowage_solver *, int64_t milliseconds);

/* The outcome of the last run. */
typedef struct stowage_result {
  int32_t status;      /* STOWAGE_UNKNOWN to STOWAGE_INFEASIBLE */
  int32_t stopped;     /* STOWAGE_FINISHED to STOWAGE_STOP_EFFORT */
  int64_t height;      /* of the plan; 0 without a plan */
  int64_t lower_bound; /* proven: no plan is lower */
  int64_t capacity;    /* that the run had to fit; 0 for none */
  int64_t nodes;       /* searched */
  int64_t backtracks;  /* nodes all of whose children failed */
  int64_t elapsed_ns;  /* nanoseconds in the planner */
  char planner[32];    /* that ran */
  char member[32];     /* of a portfolio: which part of it made the plan; else "" */
} stowage_result;

/* stowage_get_result fills in the outcome of the last run. Pass sizeof(stowage_result) as
 * size: a program that was built for fewer fields then gets those. */
STOWAGE_API int stowage_get_result(const stowage_solver *, stowage_result *, size_t size);

/* The outcome of the last run in single words, as `stowage solve --stats` has them:
 *
 *   stowage_found_by   who found the plan: the part of the planner, such as "merge" for
 *                      auto, or the planner; "" if there is no plan
 *   stowage_proved_by  who proved the outcome: a planner, "bound" (no search was needed) or
 *                      "collision" (of two fixed offsets); "" if nobody did
 *   stowage_ended      why the run ended: "proof"; "fits"; "done" (a heuristic came to its
 *                      end); or what ended it before its answer: "timeout", "nodes",
 *                      "interrupt" (STOWAGE_STOP_CANCELLED) or "effort"
 *
 * All are "" if there is no outcome. The texts are valid until the next call with the handle. */
STOWAGE_API const char *stowage_found_by(const stowage_solver *);
STOWAGE_API const char *stowage_proved_by(const stowage_solver *);
STOWAGE_API const char *stowage_ended(const stowage_solver *);

/* stowage_stats returns the outcome of the last run as the JSON object that `stowage solve
 * --stats` writes (docs/GUIDE.md); NULL if there is none, or an error. The text ends with a
 * 0; length, if not NULL, gets its length without that. */
STOWAGE_API const char *stowage_stats(stowage_solver *, size_t *length);

/* stowage_json returns the problem and the outcome of the last run as JSON, as the command
 * writes it for the same input and options; NULL if there is an error. The text ends with
 * a 0; length, if not NULL, gets its length without that. */
STOWAGE_API const char *stowage_json(stowage_solver *, size_t *length);

/* What the plan of the last run has of rules. STOWAGE_E_INPUT: there is no plan.
 *
 *   stowage_get_pools    writes the number of the pool of each buffer; 0 for all if there is one
 *   stowage_get_measure  writes a measure of the plan, such as "cost", and a proven lower bound of it. Either
 *                        address may be NULL. The bound holds for all plans that are best in the measures
 *                        before it in the objective. It is STOWAGE_NONE if there is none.
 *                        STOWAGE_E_INPUT: the problem has no such measure.
 *   stowage_get_parts    writes the parts of buffers that are evicted: at most room of them, in the order of
 *                        the buffers and of time. It returns how many there are. Columns may be NULL.
 *
 * offsets and pools are those of the first part of such a buffer. With rules, the height of stowage_result is
 * the sum over pools. */
STOWAGE_API int stowage_get_pools(stowage_solver *, int64_t *pools);
STOWAGE_API int stowage_get_measure(stowage_solver *, const char *measure, int64_t *value,
                                    int64_t *bound);
STOWAGE_API int64_t stowage_get_parts(stowage_solver *, int64_t room, int64_t *buffer,
                                      int64_t *lower, int64_t *upper, int64_t *pool,
                                      int64_t *offset);

/* stowage_barriers lists which buffers take over bytes of others and must wait for them: before time at, buffer
 * must not begin, until behind has ended at time until. The list is the least one (docs/barriers.md). offsets is a plan; NULL means the
 * plan of the last run, with its pools and parts. It writes at most room waits, sorted by buffer, at and behind, and
 * returns how many there are. Columns may be NULL. turn is 0, or -1 if behind is of the turn before, in
 * problems with a period. Below 0 is an error; STOWAGE_E_INPUT: there is no plan, or it breaks a rule. */
STOWAGE_API int64_t stowage_barriers(stowage_solver *, const int64_t *offsets, int64_t room,
                                     int64_t *buffer, int64_t *at, int64_t *behind,
                                     int64_t *until, int64_t *turn);

/* stowage_size finds which capacities are enough. It plans as stowage_solve does without a
 * capacity; the capacity that is set does not count. lower_bound of the result is rounded up to
 * a height that the sizes can make. What it proves is of the buffers that were set: the model that
 * they come from may need less, if its own plan lets tensors share bytes, as Vela's do.
 *
 * stowage_fits says what the last run, of stowage_size or another, knows of any capacity:
 * STOWAGE_FEASIBLE from the height of its plan up, STOWAGE_INFEASIBLE below lower_bound, and
 * STOWAGE_UNKNOWN between them. A capacity of 0 is no bytes here. STOWAGE_E_INPUT: no run has an
 * outcome.
 *
 *     stowage_size(s, NULL);
 *     if (stowage_fits(s, 512 << 10) == STOWAGE_FEASIBLE) ...
 */
STOWAGE_API int stowage_size(stowage_solver *, int64_t *offsets);
STOWAGE_API int stowage_fits(stowage_solver *, int64_t capacity);

/* stowage_verify counts the rules that a plan breaks: 0 means that it is valid, and below
 * 0 is an error. stowage_error has the first broken rule in words. */
STOWAGE_API int64_t stowage_verify(stowage_solver *, const int64_t *offsets);

/* stowage_verify_plan is stowage_verify for a plan of several pools. pools has one for each buffer; NULL
 * if there is one pool. The rest are the parts of buffers that are evicted, as stowage_get_parts
 * writes them; 0 and NULL for none. */
STOWAGE_API int64_t stowage_verify_plan(stowage_solver *, const int64_t *offsets,
                                        const int64_t *pools, int64_t parts, const int64_t *buffer,
                                        const int64_t *lower, const int64_t *upper,
                                        const int64_t *pool, const int64_t *offset);

/* stowage_bound returns a proven lower bound of the height without a search: the most bytes that are in use at once
 * (the load), raised where alignments and fixed offsets allow. Below 0 it is an error. */
STOWAGE_API int64_t stowage_bound(stowage_solver *);

/* stowage_load returns the load: the most bytes that are in use at once. Below 0 it is an
 * error; STOWAGE_E_UNSUPPORTED if the problem has rules. */
STOWAGE_API int64_t stowage_load(stowage_solver *);

/* stowage_digest returns 16 hexadecimal digits that name the problem by its content: its
 * buffers with their names, in their order. The capacity does not count. Files of runs, such
 * as those of `stowage compare --resume`, have the same digest. NULL is an error; a problem with rules
 * has no digest. The text is valid until the next call of stowage_digest with the handle. */
STOWAGE_API const char *stowage_digest(stowage_solver *);

/* stowage_explain looks for buffers that cannot fit the capacity together; if any one of them is left out, the
 * others fit. It writes their numbers in ascending order and returns how many they are; buffers has room for all
 * buffers of the problem. 0 means that all fit, or, if stowage_error says so, that a limit came first. Below 0 is an
 * error. stowage_reason then has the cause in words. */
STOWAGE_API int64_t stowage_explain(stowage_solver *, int64_t *buffers);

/* ---- Graphs --------------------------------------------------------------------- */

/* What stowage_plan_graph may be told, added up. */
enum {
  STOWAGE_REORDER = 1,   /* look for the order of the operators with the lowest plan */
  STOWAGE_IN_PLACE = 2,  /* only permits for exact distances, and for 0 or less, count */
  STOWAGE_NO_PERMITS = 4, /* no permit counts */
  STOWAGE_SPLIT = 8       /* run operators that say which lines they read in strips, with up to 10% more arithmetic */
};

/* stowage_plan_graph plans a graph: operators with operands, results, and permits for results to lie over operands.
 * Graph and plan are JSON text (docs/graph.md has the keys). It returns the plan, with its status, order, offsets
 * and overlaps; or NULL if there is an error, and stowage_error has the text. The options and the token of the
 * solver count; without a capacity, or with minimize, it looks for the lowest plan. The solver's own problem and its
 * outcome are left alone. The text ends with a 0 and is valid until the next call of stowage_plan_graph or
 * stowage_json; plan_length, if not NULL, gets its length without that. */
STOWAGE_API const char *stowage_plan_graph(stowage_solver *, const char *graph, size_t length,
                                           int flags, size_t *plan_length);

/* ---- Traces --------------------------------------------------------------------- */

/* stowage_plan_trace plans the steps of a running program from what stowage_arena.c recorded (docs/arena.md). Trace
 * and plan are text; the plan is for stowage_arena_load. alignment is the least alignment of every allocation, 0 for
 * 64; guard is how many bytes stay free behind each allocation. Otherwise it is as stowage_plan_graph. The options
 * and the token of the solver count; there must be no capacity, and the timeout is 20 seconds if none is set. */
STOWAGE_API const char *stowage_plan_trace(stowage_solver *, const char *trace, size_t length,
                                           int64_t alignment, int64_t guard, size_t *plan_length);

/* ---- Sessions ------------------------------------------------------------------- */

/* A session keeps a problem with a valid plan while the problem changes: buffers come, leave, grow, shift and are
 * pinned, and as few bytes as possible get another offset (docs/sessions.md). Buffers are named by text: UTF-8,
 * distinct and not empty.
 *
 *     stowage_session *plan;
 *     if (stowage_session_open(s, NULL, NULL, 0, &plan) == STOWAGE_FEASIBLE) {
 *         int64_t offset, mark = stowage_session_mark(plan);
 *         if (stowage_session_add(plan, "t7", 3, 9, 4096, 1, &offset) == STOWAGE_INFEASIBLE)
 *             puts(stowage_session_proof(plan));
 *         stowage_session_rollback(plan, mark);
 *     }
 *     stowage_session_free(plan);
 *
 * A call that may move buffers returns a status. STOWAGE_FEASIBLE: the change is made. STOWAGE_INFEASIBLE: no plan
 * exists, which is proven. STOWAGE_UNKNOWN: a limit came first, or a token ended the call. Below 0 is an error.
 * After all but STOWAGE_FEASIBLE the session is as it was before the call. Every plan has been verified. With the
 * same calls and options the offsets are the same in C, C++, Go and Python.
 *
 * The problem may have rules: pools, allowed pools, ties, pairs, distances, clocks and a period. Rules then come and
 * go as buffers do (stowage_session_bind), and a change of pool counts as a movement. What has a price is refused
 * with STOWAGE_E_UNSUPPORTED: penalties, costs, evictions and an objective of these. If rules are to come later,
 * open the session with none by stowage_set_pools(s, 0, NULL, NULL, NULL, NULL). Without that, calls about rules are
 * STOWAGE_E_UNSUPPORTED. Pools are numbers from 0, in the order in which the problem has them.
 *
 * A session is used from one thread at a time; a second call while one runs returns STOWAGE_E_BUSY. After
 * stowage_session_close each call returns STOWAGE_E_INPUT. */
typedef struct stowage_session stowage_session;

/* The steps by which a place is found, in their order. A call stops at the first that
 * succeeds, or at the last that it may take: its effort. */
enum {
  STOWAGE_STEP_NONE = 0,   /* as effort: that of the session. In an answer: no step was needed */
  STOWAGE_STEP_KEEP = 1,   /* every buffer keeps its offset */
  STOWAGE_STEP_FIT = 2,    /* the changed buffers go where there is room */
  STOWAGE_STEP_REPAIR = 3, /* others move to make room for them */
  STOWAGE_STEP_WINDOW = 4, /* the buffers near in time are planned again */
  STOWAGE_STEP_HINTS = 5,  /* all buffers are planned again, with their offsets as hints */
  STOWAGE_STEP_FRESH = 6   /* all buffers are planned again */
};

/* Options of a session. All may be 0. */
typedef struct stowage_session_options {
  int64_t alignment;      /* the least alignment of each buffer; 0 and 1: any offset */
  int64_t effort;         /* the last step that a call may take; STOWAGE_STEP_NONE: fresh */
  const int64_t *weights; /* what a byte of each buffer costs if it moves, 0 to 65536; NULL: 1 */
  const int64_t *pools;   /* the pools of the plan, beside the offsets; NULL if there is one pool */
} stowage_session_options;

/* stowage_session_open begins a session with the problem of a solver, which it copies. offsets is a valid plan, in
 * the order of the buffers; NULL: the session plans by itself. If there are several pools, options has theirs.
 * Planner, capacity, nodes (0: 500 for each call), timeout (of each call), seed and token of the solver become those
 * of the session. Its other options do not count; techniques and parameters by name are refused. Without a capacity
 * plans may be of any height. options may be NULL; otherwise pass sizeof(stowage_session_options) as size.
 *
 * It returns STOWAGE_FEASIBLE and the session; or, with *session = NULL, STOWAGE_INFEASIBLE (stowage_reason says
 * why), STOWAGE_UNKNOWN, or an error, of which stowage_error has the text. */
STOWAGE_API int stowage_session_open(stowage_solver *, const int64_t *offsets,
                                     const stowage_session_options *options, size_t size,
                                     stowage_session **session);

/* stowage_session_close ends a session and gives back what it holds. The handle stays:
 * calls with it return an error. stowage_session_free closes it, if that has not happened, and
 * frees the handle. It accepts NULL. No call may run meanwhile. */
STOWAGE_API int stowage_session_close(stowage_session *);
STOWAGE_API void stowage_session_free(stowage_session *);

/* stowage_session_error says in words what was wrong with the last call; "" if nothing was.
 * stowage_session_proof says in a sentence why no plan exists, after a call that returned STOWAGE_INFEASIBLE;
 * otherwise it is "". The texts are valid until the next call with the handle. */
STOWAGE_API const char *stowage_session_error(const stowage_session *);
STOWAGE_API const char *stowage_session_proof(const stowage_session *);

/* stowage_session_set_token gives the session another token; NULL: none. A call that it ends changes nothing
 * and returns STOWAGE_UNKNOWN. The token must outlive the calls. */
STOWAGE_API int stowage_session_set_token(stowage_session *, stowage_token *);

/* stowage_session_set_weight says what a byte of a buffer costs if it moves: 0 to 65536, 1 if nothing was said. It is
 * for a buffer that comes later; one that is in the session has its weight already. */
STOWAGE_API int stowage_session_set_weight(stowage_session *, const char *id, int64_t weight);

/* stowage_session_add adds a buffer that is live in [lower, upper), and writes its offset. stowage_session_fits asks
 * whether one could be added, and changes nothing: the offset is where it would lie. If the load decides, that takes
 * O(log n). offset may be NULL. */
STOWAGE_API int stowage_session_add(stowage_session *, const char *id, int64_t lower, int64_t upper,
                                    int64_t size, int64_t alignment, int64_t *offset);
STOWAGE_API int stowage_session_fits(stowage_session *, const char *id, int64_t lower,
                                     int64_t upper, int64_t size, int64_t alignment,
                                     int64_t *offset);

/* The same for all buffers of a solver at once, with their names, gaps, fixed offsets (these are pinned there)
 * and hints (these are tried first): all are added or none. effort is the last step that the call may take. offsets has room
 * for all of them, or is NULL. Other fields of the solver do not count, and its outcome is left alone.
 *
 * In a session with rules their allowed pools, clocks and rules about one another come with them. The solver needs no
 * pools; if it has some, they have the names of the session's, in the same order, and nothing else of them counts. */
STOWAGE_API int stowage_session_place(stowage_session *, stowage_solver *, int effort,
                                      int64_t *offsets);
STOWAGE_API int stowage_session_fits_all(stowage_session *, stowage_solver *, int64_t *offsets);

/* The same with rules about these buffers and those of the session. The second solver has the rules:
 * stowage_set_together, stowage_set_apart, stowage_set_may_overlap and stowage_set_distances. Its buffers are known by
 * their names (stowage_set_names), and nothing else of them counts; so one column of any numbers will do for
 * stowage_set_buffers. NULL: no rules. */
STOWAGE_API int stowage_session_place_with(stowage_session *, stowage_solver *, stowage_solver *rules,
                                           int effort, int64_t *offsets);
STOWAGE_API int stowage_session_fits_with(stowage_session *, stowage_solver *, stowage_solver *rules,
                                          int64_t *offsets);

/* stowage_session_bind adds rules about buffers of the session, which such a solver has. Buffers that do not keep
 * them move, and count as moved. stowage_session_unbind takes rules out. Both buffers of a pair of
 * stowage_set_together leave their group, and the others of the group stay tied; the pair may be a buffer and itself. A pair of
 * another list goes in either order. Distances do not count. */
STOWAGE_API int stowage_session_bind(stowage_session *, stowage_solver *rules);
STOWAGE_API int stowage_session_unbind(stowage_session *, stowage_solver *rules);

/* stowage_session_remove takes a buffer out, and the others stay. It returns STOWAGE_OK or an error. */
STOWAGE_API int stowage_session_remove(stowage_session *, const char *id);

/* A buffer gets another size or another lifespan. It keeps its offset if it fits there. offset may be NULL. */
STOWAGE_API int stowage_session_resize(stowage_session *, const char *id, int64_t size,
                                       int64_t *offset);
STOWAGE_API int stowage_session_retime(stowage_session *, const char *id, int64_t lower,
                                       int64_t upper, int64_t *offset);

/* stowage_session_replace gives the buffer of a solver that has one all that the solver says of it: lifespan, size,
 * alignment, gaps, fixed offset, hint, allowed pools and clocks. The session has a buffer of its name. Rules about
 * other buffers stay, and the solver must have none. */
STOWAGE_API int stowage_session_replace(stowage_session *, stowage_solver *, int64_t *offset);

/* stowage_session_pin fixes a buffer at an offset; STOWAGE_NONE is where it lies. It does not move until
 * stowage_session_unpin, which returns STOWAGE_OK or an error. Others that are in the way move. With several
 * pools it stays in its pool, and stowage_session_pin_in fixes it in another one. */
STOWAGE_API int stowage_session_pin(stowage_session *, const char *id, int64_t offset);
STOWAGE_API int stowage_session_pin_in(stowage_session *, const char *id, int64_t pool, int64_t offset);
STOWAGE_API int stowage_session_unpin(stowage_session *, const char *id);

/* stowage_session_limit gives the session another capacity; 0: none. Buffers that end above it move. With several
 * pools it is an error, and stowage_session_limit_pool gives one of them another capacity. */
STOWAGE_API int stowage_session_limit(stowage_session *, int64_t capacity);
STOWAGE_API int stowage_session_limit_pool(stowage_session *, int64_t pool, int64_t capacity);

/* stowage_session_replan looks for a plan of at most a height; 0: the lowest plan that the steps up to effort find, which is
 * always STOWAGE_FEASIBLE. A plan that is not lower than the present one is not taken. With several pools the height
 * is the sum of theirs, and must be 0. */
STOWAGE_API int stowage_session_replan(stowage_session *, int64_t height, int effort);

/* stowage_session_mark remembers the present state, and returns a number above 0 for it. stowage_session_rollback returns
 * to it: buffers, offsets, pins, capacity and order of arrival. The mark and all later ones are gone then. stowage_session_commit
 * drops the mark and all later ones, and the changes stay. Both return STOWAGE_OK or an error. Until then a
 * session keeps one entry for each change since the first mark. */
STOWAGE_API int64_t stowage_session_mark(stowage_session *);
STOWAGE_API int stowage_session_rollback(stowage_session *, int64_t mark);
STOWAGE_API int stowage_session_commit(stowage_session *, int64_t mark);

/* What became of the last call that returned a status. */
typedef struct stowage_session_answer {
  int32_t status;        /* that the call returned; STOWAGE_UNKNOWN also if there was none */
  int32_t step;          /* that found the plan: STOWAGE_STEP_KEEP to STOWAGE_STEP_FRESH */
  int32_t least;         /* not 0: no plan moves fewer bytes by weight or, if equal, fewer buffers */
  int32_t moved_buffers; /* other buffers that moved; those of the call do not count */
  int64_t moved_cost;    /* their bytes times their weights */
  int64_t moved_bytes;   /* their bytes */
  int64_t moved_slots;   /* their bytes times the lengths of their lives */
  int64_t enough;        /* if unknown: a capacity for which a planner found a plan; 0: none */
  int64_t nodes;         /* searched */
  char why[16];          /* if infeasible: "load", "collision", "pin", "search" or "rules"; else "" */
  int64_t proof_time;    /* by load: a time at which it is too much */
  int64_t proof_load;    /* by load: the bytes that are live then */
  int64_t proof_bound;   /* no plan is lower; 0: nothing is known */
  const int64_t *pools;  /* of the buffers of the call, as offsets; NULL if there is one pool, or no plan. Valid
                            until the next call with the handle */
} stowage_session_answer;

/* stowage_session_get_answer fills in the answer. Pass sizeof(stowage_session_answer) as size. */
STOWAGE_API int stowage_session_get_answer(const stowage_session *, stowage_session_answer *,
                                           size_t size);

/* The session as it is: its number of buffers, the offset and the pool of one, the height of the plan, the load (no plan
 * is lower) and the capacity (0: none, or several pools). Below 0 is an error. With rules the height is the sum over pools,
 * and the load is that of all buffers; then a plan may be lower. */
STOWAGE_API int64_t stowage_session_count(stowage_session *);
STOWAGE_API int64_t stowage_session_offset(stowage_session *, const char *id);
STOWAGE_API int64_t stowage_session_pool_of(stowage_session *, const char *id);
STOWAGE_API int64_t stowage_session_height(stowage_session *);
STOWAGE_API int64_t stowage_session_load(stowage_session *);
STOWAGE_API int64_t stowage_session_capacity(stowage_session *);

/* stowage_session_offsets writes at most room offsets, in the order in which the buffers arrived, and returns how many
 * buffers there are. offsets may be NULL if room is 0. stowage_session_pools does so with their pools. stowage_session_snapshot copies problem and plan into a solver, in
 * the same order, as if stowage_read_json had read the problem and a run had found the plan: stowage_json writes
 * both, and stowage_barriers is about the plan. */
STOWAGE_API int64_t stowage_session_offsets(stowage_session *, int64_t room, int64_t *offsets);
STOWAGE_API int64_t stowage_session_pools(stowage_session *, int64_t room, int64_t *pools);
STOWAGE_API int stowage_session_snapshot(stowage_session *, stowage_solver *);

/* ---- One call ------------------------------------------------------------------- */

/* stowage_assign is for a compiler that has columns and wants offsets. It looks for the
 * lowest plan, without limits, by the default planner, and returns the height or an error
 * below 0. alignment may be NULL. It has no text for errors. */
STOWAGE_API int64_t stowage_assign(int64_t count, const int64_t *lower, const int64_t *upper,
                                   const int64_t *size, const int64_t *alignment, int64_t *offsets);

#ifdef __cplusplus
}
#endif

#endif
