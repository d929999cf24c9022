/* stowage_core.h: a static memory planner in one C99 file, for compilers, runtimes and the device itself.
 *
 * Given buffers whose sizes and lifespans are known, it finds an offset for each, so that no two that live at the same
 * time overlap, and all fit a capacity or need as few bytes as possible. It does not allocate, print, recurse, use
 * floating point or keep state between calls, so any number of threads may plan at the same time.
 *
 *	stowage_core_buffer buffers[] = {{0, 3, 64, 16}, {1, 4, 32, 16}, {3, 6, 64, 16}};
 *	stowage_core_problem problem = {buffers, 3, NULL, NULL, 0, NULL, 0};
 *	stowage_core_options options = {0, 10000, NULL, NULL};
 *	stowage_core_size offsets[3];
 *	stowage_core_result result;
 *	size_t bytes = stowage_core_workspace(&problem, STOWAGE_CORE_LEVEL);
 *	int status = stowage_core_plan(&problem, &options, malloc(bytes), bytes, offsets, &result);
 *
 * docs/core.md has the sizes of the code, the workspace, and what is left out.
 */
#ifndef STOWAGE_CORE_H
#define STOWAGE_CORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is compiled: 1 heuristics, 2 search as well, 3 merge as well. Define it when stowage_core.c is compiled. Level 1
 * is small: it refuses links and gaps as invalid, has no stowage_core_check, and takes O(n^2). */
#ifndef STOWAGE_CORE_LEVEL
#define STOWAGE_CORE_LEVEL 3
#endif

/* Offsets and sizes. With STOWAGE_CORE_SIZE32 they have 32 bits; define it for every file that includes this one. */
#ifdef STOWAGE_CORE_SIZE32
typedef int32_t stowage_core_size;
#else
typedef int64_t stowage_core_size;
#endif

/* A buffer is live from lower to before upper: [lower, upper). alignment 0 is 1. A size is at least 1. */
typedef struct {
	int32_t lower, upper;
	stowage_core_size size, alignment;
} stowage_core_buffer;

/* The buffer lies at the offset of another one, with, plus distance: a view, or a result in place. Their bytes may
 * overlap while both live. with has a lower number than buffer, and the distance to the first buffer of such a chain
 * is not negative, and is a multiple of the buffer's alignment. Links are in the order of buffer, one for each. */
typedef struct {
	int32_t buffer, with;
	stowage_core_size distance;
} stowage_core_link;

/* A time in which the buffer's bytes are free for others. Gaps are in the order of buffer, then of time. They lie
 * within the lifespan, touch neither its ends nor each other, and keep the offset. */
typedef struct {
	int32_t buffer, lower, upper;
} stowage_core_gap;

typedef struct {
	const stowage_core_buffer *buffers;
	int32_t count;
	const stowage_core_size *fixed; /* NULL, or the offset of each buffer; negative: free. Buffers of links are free. */
	const stowage_core_link *links;
	int32_t link_count;
	const stowage_core_gap *gaps;
	int32_t gap_count;
} stowage_core_problem;

typedef struct {
	stowage_core_size capacity;   /* 0: the lowest plan; otherwise any plan that fits */
	int64_t nodes;                /* of the search, at most; 0: heuristics alone */
	int (*cancel)(void *context); /* NULL, or asked now and then: a result other than 0 ends the search */
	void *context;
} stowage_core_options;

enum {
	STOWAGE_CORE_OPTIMAL = 0,        /* a plan, and none is lower */
	STOWAGE_CORE_FEASIBLE = 1,       /* a plan, which fits the capacity if there is one */
	STOWAGE_CORE_UNDECIDED = 2,      /* no plan fits as far as was searched. If height is not 0, offsets have the lowest */
	STOWAGE_CORE_INFEASIBLE = 3,     /* proven: no plan fits the capacity, or fixed offsets collide */
	STOWAGE_CORE_INVALID = -1,       /* the problem or the options are not valid, or sizes are too large */
	STOWAGE_CORE_NO_WORKSPACE = -2   /* not even heuristics have room; result.workspace is what they need */
};

typedef struct {
	stowage_core_size height; /* of the plan: its largest offset + size; 0 if there is none */
	stowage_core_size bound;  /* no plan is lower */
	int64_t nodes;            /* of the search */
	size_t workspace;         /* what would have been enough for all that this call wanted to do */
	int32_t level;            /* the highest level that had room: less workspace means fewer techniques */
} stowage_core_result;

/* Returns how many bytes stowage_core_plan needs for this problem, with all techniques of a level: 1, 2 or 3. It takes
 * O(n^2) for level 2 and 3, and is 0 if the problem is not valid. */
size_t stowage_core_workspace(const stowage_core_problem *problem, int level);

/* Plans. offsets has problem->count elements. Only status OPTIMAL, FEASIBLE and UNDECIDED leave a plan in it. */
int stowage_core_plan(const stowage_core_problem *problem, const stowage_core_options *options, void *workspace,
	size_t bytes, stowage_core_size *offsets, stowage_core_result *result);

/* Checks a plan by the definitions alone, without workspace. Returns the height, or -1 if the plan is wrong or the
 * problem is not valid. It takes O(n^2), times the length of a chain if many buffers of long chains live together. */
stowage_core_size stowage_core_check(const stowage_core_problem *problem, const stowage_core_size *offsets);

#ifdef __cplusplus
}
#endif
#endif
