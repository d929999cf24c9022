/*
 * stowage_arena.h: an allocator that records what a program allocates, and then serves it from a plan.
 *
 * A training step or an inference allocates the same sizes in the same order each time. The
 * arena records some steps. `stowage arena plan` reads the recording (the trace), and gives
 * each allocation of a step an offset in one block. The arena loads that plan, and serves
 * later steps from the block. Whatever the plan does not expect goes upstream: to the
 * functions that the arena was made with.
 *
 *     stowage_arena *a = stowage_arena_new(NULL);
 *     stowage_arena_record(a, 3);                      // the next three steps
 *     for (int i = 0; i < 100; i++) {
 *         if (i == 3) {
 *             stowage_arena_write(a, "steps.trace");
 *             system("stowage arena plan steps.trace -o steps.plan");
 *             stowage_arena_load_file(a, "steps.plan");
 *         }
 *         int step = stowage_arena_begin(a, NULL);
 *         ... stowage_arena_malloc(a, size, 0, 0), stowage_arena_free(a, address) ...
 *         stowage_arena_end(a, step);
 *     }
 *
 * Safety: the arena serves an allocation only if the plan expects it (its size, alignment
 * and stream) and its range meets no range that is served and not yet free. So a wrong,
 * foreign or outdated plan costs bytes, and never hands out bytes twice. A plan decides where
 * an allocation lies; it is never believed about what is live.
 *
 * What a step is: everything between the outermost begin and its end, on all threads. A begin
 * within a step is a scope: it names a part of the step, where the arena finds its place in the
 * plan again after a miss. Allocations outside of steps go upstream. Memory that was served
 * may be freed at any time, in a later step, outside of steps, and by any thread.
 *
 * Steps of several shapes: load a plan for each. The arena follows the plan that agrees with
 * the first allocations of the step, and changes to another if that one agrees with all of the
 * step so far. A step with a name is only served from plans of that name.
 *
 * Threads: every function may be called by any thread at any time, except stowage_arena_delete.
 * Each thread has its own place in the plan, so that threads may interleave differently in each
 * step. One lock guards an arena; it is not held while upstream functions run. An upstream
 * function may call any arena.
 *
 * Processes: after fork the child has its own copy of the arena and may go on with it, even if
 * other threads were inside of it at that time. That is of use only if the upstream memory
 * itself survives a fork, as that of malloc does. (Windows has no fork.)
 *
 * Streams: on devices, work that is put into one stream runs in order. An allocation belongs to
 * the stream that it is asked for. Each stream has its own region of the block, so that bytes
 * never pass from one stream to another. If an allocation is also used by work in another
 * stream, say so with stowage_arena_use; its bytes are then held back after its free until
 * stowage_arena_wait says that this work has ended. A program without streams passes 0.
 *
 * Units: sizes, alignments and offsets are bytes.
 *
 * No dependency but the C library and a mutex (pthread, or an SRW lock on Windows). C99.
 * The formats of traces and plans are in docs/arena.md.
 */
#ifndef STOWAGE_ARENA_H
#define STOWAGE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* STOWAGE_ARENA_API goes before each function. Define it, if you build the file into a library
 * whose symbols are hidden or exported in another way. */
#ifndef STOWAGE_ARENA_API
#define STOWAGE_ARENA_API
#endif

/* The interface that this header describes. While the number stays the same, functions, and fields at
 * the end of a structure, are added, and nothing is changed or removed. */
#define STOWAGE_ARENA_ABI 1
STOWAGE_ARENA_API int stowage_arena_abi(void);

typedef struct stowage_arena stowage_arena;

/* What calls return that can fail. stowage_arena_error has the text of the last failure. */
enum {
  STOWAGE_ARENA_OK = 0,
  STOWAGE_ARENA_E_INPUT = -1,  /* a bad argument, or a plan that is damaged or of another version */
  STOWAGE_ARENA_E_MEMORY = -2, /* no memory */
  STOWAGE_ARENA_E_FILE = -3,   /* a file cannot be read or written */
  STOWAGE_ARENA_E_LIVE = -4    /* memory that was served is not yet free */
};

/* ---------------------------------------------------------------------- making an arena */

/* Where memory comes from that no plan has, and the block itself. All fields may be 0.
 *
 * malloc returns memory of a size above 0, aligned to alignment (a power of two, perhaps 1), for a stream;
 * or NULL if there is none. free takes back what malloc returned; size is what was asked for, or 0 if the
 * arena does not know the address. Both are called without the arena's lock.
 *
 * fill sets bytes of the memory. It is needed only for stowage_arena_poison and for guard mode,
 * and only if the processor cannot write the memory. It is called with the lock held. */
typedef struct stowage_arena_upstream {
  void *(*malloc)(void *context, size_t size, size_t alignment, uint64_t stream);
  void (*free)(void *context, void *address, size_t size, uint64_t stream);
  void (*fill)(void *context, void *address, int byte, size_t size);
  void *context;
  int device; /* not 0: the processor cannot read or write this memory */
} stowage_arena_upstream;

/* stowage_arena_new makes an arena over upstream functions, which are copied. NULL, or NULL for both
 * malloc and free, means the C library's. It returns NULL if there is no memory, or if only one of the two is given. */
STOWAGE_ARENA_API stowage_arena *stowage_arena_new(const stowage_arena_upstream *upstream);

/* stowage_arena_system says what the arena may do about resident memory; it is called before the first step. Not 0 as pages: blocks are
 * pages of the system's own, which become resident as they are served, instead of upstream's (not on Windows). trim gives the system back
 * what upstream keeps of freed memory; it is called without the lock. resident returns the resident memory of the process. Both may be NULL,
 * and get upstream's context. */
STOWAGE_ARENA_API void stowage_arena_system(stowage_arena *a, int pages, void (*trim)(void *context), uint64_t (*resident)(void *context));

/* stowage_arena_delete frees the arena, its plans and its block. If memory that it served is not
 * yet free, it does nothing and returns STOWAGE_ARENA_E_LIVE. Memory from upstream stays as it
 * is. NULL is accepted. No other call may run or follow. */
STOWAGE_ARENA_API int stowage_arena_delete(stowage_arena *a);

/* stowage_arena_error copies the text of the last failure of this arena into text, cut to length
 * - 1 bytes and a 0, and returns its whole length. "" if nothing has failed. */
STOWAGE_ARENA_API size_t stowage_arena_error(stowage_arena *a, char *text, size_t length);

/* --------------------------------------------------------------------- allocate and free */

/* stowage_arena_malloc returns memory of a size, from the block or from upstream, or NULL if upstream has none.
 * alignment is a power of two, or 0 for 64. stream is 0 if the program has no streams. A size of 0 goes upstream
 * as size 1 and is neither recorded nor counted, and nor is a request that fails. */
STOWAGE_ARENA_API void *stowage_arena_malloc(stowage_arena *a, size_t size, size_t alignment, uint64_t stream);

/* stowage_arena_malloc_as allocates as stowage_arena_malloc does, for a thread that the caller
 * names, instead of the thread that calls. Names are any numbers; they share no space with real threads. */
STOWAGE_ARENA_API void *stowage_arena_malloc_as(stowage_arena *a, size_t size, size_t alignment, uint64_t stream, uint64_t thread);

/* stowage_arena_free frees memory. An address that the arena does not know goes to upstream's free with size and
 * stream 0, so an arena may be installed while memory from the same upstream is in use. NULL is accepted.
 * Freeing an address of the block that is not live is counted as damaged, and does nothing else. */
STOWAGE_ARENA_API void stowage_arena_free(stowage_arena *a, void *address);

/* stowage_arena_size returns the size with which a live address was asked for; 0 if the arena does not know it. */
STOWAGE_ARENA_API size_t stowage_arena_size(stowage_arena *a, const void *address);

/* stowage_arena_owns returns 1 if an address is in the block, live or not; else 0. */
STOWAGE_ARENA_API int stowage_arena_owns(stowage_arena *a, const void *address);

/* ------------------------------------------------------------------------------- streams */

/* STOWAGE_ARENA_EVERY stands for the host (as waiter), or for all streams (as what is waited for). */
#define STOWAGE_ARENA_EVERY UINT64_MAX

/* stowage_arena_use says that work in another stream uses a live allocation. What is served
 * is then held back after its free until a wait. Memory from upstream is passed upstream at
 * its free; upstream must care for its own. */
STOWAGE_ARENA_API void stowage_arena_use(stowage_arena *a, void *address, uint64_t stream);

/* stowage_arena_wait says that work which waiter starts from now on comes after all work that
 * waited has been given so far. If waiter is STOWAGE_ARENA_EVERY, the host has waited, and so
 * all streams have. A program that does not know when streams wait may instead call
 * stowage_arena_free only after all work with the memory has ended, and neither use nor wait. */
STOWAGE_ARENA_API void stowage_arena_wait(stowage_arena *a, uint64_t waiter, uint64_t waited);

/* --------------------------------------------------------------------- steps and scopes */

/* stowage_arena_begin begins a step or, within a step, a scope. It returns its level: 1 for a step, 2 and above for scopes.
 * name is text of letters, digits, and . _ - (other bytes are taken for _), at most 63 bytes (the rest is cut), or NULL for none.
 * A step is one for all threads. A scope is of the thread that begins it. */
STOWAGE_ARENA_API int stowage_arena_begin(stowage_arena *a, const char *name);

/* stowage_arena_end ends the step or scope of a level, and all within it that have not ended
 * (an exception may have left them). A level that has already ended is ignored. */
STOWAGE_ARENA_API void stowage_arena_end(stowage_arena *a, int level);

/* stowage_arena_mark ends the step, if one is open, and begins the next. It is enough for a program
 * that has one place in its loop to call. */
STOWAGE_ARENA_API void stowage_arena_mark(stowage_arena *a, const char *name);

/* ------------------------------------------------------------------------------ recording */

/* stowage_arena_record forgets what was recorded and records the next steps, with the frees after them until the
 * next step begins. It begins with the next step. steps of 0 means: until stowage_arena_stop. Recording and serving go
 * together. Recording ends by itself if there is no memory for it; stowage_arena_recorded then stays below steps. */
STOWAGE_ARENA_API void stowage_arena_record(stowage_arena *a, uint64_t steps);
STOWAGE_ARENA_API void stowage_arena_stop(stowage_arena *a);

/* stowage_arena_recorded returns how many whole steps are recorded, and 0 after stowage_arena_record. */
STOWAGE_ARENA_API uint64_t stowage_arena_recorded(stowage_arena *a);

/* stowage_arena_trace copies the trace into text, at most length bytes with a 0 at the end, and returns the
 * bytes that the whole text needs without that 0. As with snprintf, text may be NULL if length is 0. */
STOWAGE_ARENA_API size_t stowage_arena_trace(stowage_arena *a, char *text, size_t length);

/* stowage_arena_write writes the trace to a file: to a file beside it first, which then takes its name. */
STOWAGE_ARENA_API int stowage_arena_write(stowage_arena *a, const char *path);

/* stowage_arena_watch, with on not 0, forgets what was recorded and keeps from then on, of all steps, those that are worth a plan: those that were
 * not served, and those before them. Of steps that ask for the same in the same order, but for sizes, the trace has the largest of each
 * size, so that one plan serves all of them; steps that leave different allocations behind are kept apart. It also learns how
 * sizes of steps of one thread follow the first one that varies, and lays loaded plans out for larger steps when these come. It ends
 * with 0, with stowage_arena_record, or if there is no memory.
 *
 * stowage_arena_watched returns how many of the kept steps are in no trace that was written, missed, and have come twice; or with all,
 * once. The next traces have all kept steps, or those that have come twice; the last two if none has. */
STOWAGE_ARENA_API void stowage_arena_watch(stowage_arena *a, int on);
STOWAGE_ARENA_API uint64_t stowage_arena_watched(stowage_arena *a, int all);

/* -------------------------------------------------------------------------------- plans */

/* stowage_arena_load adds the plans of a text, one or several, to those that are loaded. All of them are
 * added, or none if one is damaged or if there is no memory; those that are loaded go on then. A plan for the same allocations as an earlier one takes its place.
 * They are used from the next step on. The block is allocated here, and grows if a plan needs
 * more; a smaller block goes back upstream as soon as nothing in it is live. */
STOWAGE_ARENA_API int stowage_arena_load(stowage_arena *a, const char *text, size_t length);
STOWAGE_ARENA_API int stowage_arena_load_file(stowage_arena *a, const char *path);

/* stowage_arena_replace is stowage_arena_load after which no plan that was loaded before is left; the block stays if it is large enough. */
STOWAGE_ARENA_API int stowage_arena_replace(stowage_arena *a, const char *text, size_t length);

/* stowage_arena_unload removes all plans. The block goes back upstream as soon as nothing in it is live. */
STOWAGE_ARENA_API void stowage_arena_unload(stowage_arena *a);

/* stowage_arena_rest gives all pages of blocks back to the system in which nothing is live, and trims upstream. It is for the time between
 * steps; the next step touches pages anew. */
STOWAGE_ARENA_API void stowage_arena_rest(stowage_arena *a);

/* stowage_arena_followed fills in, for each plan in the order of loading, how many steps have followed it, n at most, and returns how
 * many plans there are. */
STOWAGE_ARENA_API size_t stowage_arena_followed(stowage_arena *a, uint64_t *steps, size_t n);

/* ------------------------------------------------------------------- planning in process */

/* These two are compiled if STOWAGE_ARENA_CORE is defined: stowage_arena.c then includes stowage_arena_core.c, and
 * stowage_core.c is compiled and linked beside it. The plans are those of stowage arena plan; they may be higher,
 * since the search is that of stowage_core, and they have no baselines. docs/core.md says what it can do. */
typedef struct stowage_arena_planning {
  uint64_t alignment;           /* of every allocation at least: a power of two; 0: 64 */
  uint64_t guard;               /* bytes that stay free behind each allocation, for guard mode */
  int64_t nodes;                /* of the search, for each stream; 0: 2,000,000 / allocations; below 0: heuristics alone */
  int all;                      /* not 0: steps that come only once are planned, too */
  int apart;                    /* not 0: steps alike are told apart by what survives them, if else something were kept */
  int (*cancel)(void *context); /* NULL, or asked now and then: a result other than 0 ends the search */
  void *context;
} stowage_arena_planning;

/* stowage_arena_plan plans what the arena has recorded, and loads the plans. The lock is free meanwhile. how may be NULL. */
STOWAGE_ARENA_API int stowage_arena_plan(stowage_arena *a, const stowage_arena_planning *how);

/* stowage_arena_plan_trace plans a trace, and returns the text of the plans, of *n bytes with a 0 behind them; give it to free.
 * NULL if there is no plan; error then has the reason, cut to room - 1 bytes and a 0. how and error may be NULL. */
STOWAGE_ARENA_API char *stowage_arena_plan_trace(
    const char *trace, size_t length, const stowage_arena_planning *how, size_t *n, char *error, size_t room);

/* --------------------------------------------------------------------- statistics and guard */

/* What happened to allocations. */
typedef struct stowage_arena_counts {
  uint64_t served;  /* from the block */
  uint64_t missed;  /* upstream: no plan expected it */
  uint64_t refused; /* upstream: a plan expected it, but its range was live */
  uint64_t kept;    /* upstream, as the plan says: it outlives a whole step */
  uint64_t outside; /* upstream: not in a step, or no plan is loaded for the step's name */
  uint64_t served_bytes, missed_bytes, refused_bytes, kept_bytes, outside_bytes;
} stowage_arena_counts;

typedef struct stowage_arena_statistics {
  stowage_arena_counts all;  /* since stowage_arena_new */
  stowage_arena_counts last; /* of the last step that ended */
  uint64_t steps;            /* steps that ended */
  uint64_t plans;            /* plans that are loaded */
  uint64_t live;             /* bytes that are live now, as asked for */
  uint64_t peak;             /* the highest that live was: no allocator needs less */
  uint64_t block;            /* bytes of the block, and of smaller ones that are not yet empty */
  uint64_t upstream;         /* bytes that are live upstream now, as asked for; the blocks not counted */
  uint64_t total_peak;       /* the highest that block + upstream was since the last load or unload */
  uint64_t held;             /* bytes that are free but held back for other streams */
  uint64_t damaged;          /* faults that guard mode has found, and bad frees */
  uint64_t planned;          /* height of the plan that the last step followed; 0 if none */
  uint64_t bound;            /* its proven bound: no plan is lower */
  uint64_t baseline;         /* what its default allocator would take, as the planner simulated it; 0: unknown */
  uint64_t resident;         /* resident memory when it was last read: at the ends of steps, and before frees at a peak; 0: unknown */
  uint64_t resident_step;    /* the most in the last step */
  uint64_t resident_peak;    /* the most in any step */
  uint64_t live_step;        /* the most bytes that were live in the last step, to a sixteenth */
  uint64_t recording;        /* bytes of the pages that the recording has touched */
  uint64_t grown;            /* how often plans were laid out for sizes larger than planned */
} stowage_arena_statistics;

/* stowage_arena_stats fills in statistics of size bytes: sizeof(stowage_arena_statistics). */
STOWAGE_ARENA_API void stowage_arena_stats(stowage_arena *a, stowage_arena_statistics *s, size_t size);

/* stowage_arena_reset_peaks sets the peaks to what is live now. */
STOWAGE_ARENA_API void stowage_arena_reset_peaks(stowage_arena *a);

/* stowage_arena_poison fills every byte of the block that is not live with STOWAGE_ARENA_POISON. A
 * program that reads memory which it has freed then computes nonsense. Device memory needs fill. */
#define STOWAGE_ARENA_POISON 0xDB
STOWAGE_ARENA_API void stowage_arena_poison(stowage_arena *a);

/* stowage_arena_guard switches guard mode on or off. In guard mode, every byte of the block that is not live
 * holds STOWAGE_ARENA_POISON. The arena fills memory with 0xCB when it serves it and with poison at its free. It checks
 * the poison in a range before it serves it, and behind a range at its free (up to the alignment
 * of the plan, and its guard bytes if it has them). A byte that has changed is counted as damaged, and
 * stowage_arena_error says where. For tests: it touches each byte twice. Device memory is filled, and not checked. */
STOWAGE_ARENA_API void stowage_arena_guard(stowage_arena *a, int on);

/* stowage_arena_check checks all poison of the block, if guard mode is on, and the arena's own tables in any case.
 * It returns how many faults it has found. */
STOWAGE_ARENA_API uint64_t stowage_arena_check(stowage_arena *a);

#ifdef __cplusplus
}
#endif

#endif
