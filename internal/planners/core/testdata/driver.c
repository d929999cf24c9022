/* driver.c: plans the problems of standard input by stowage_core.c, one a line: capacity, nodes, buffers (lower upper
 * size alignment fixed), links and gaps. Each answer is a line: status height bound nodes, then the offsets. The
 * workspace has just the bytes that were asked for, so that a sanitizer sees what is beyond it. -t prints the time of
 * the fastest of five runs in microseconds in front. Built with -DFUZZER it is a fuzzer of the interface instead, with
 * -DBARE and bare.c a program for emulated devices. */
#ifdef BARE
#include "bare.h"
#else
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#endif

#include "stowage_core.h"

static void *copy_of(size_t each, size_t count) { return calloc(count ? count : 1, each); }
#ifdef FUZZER
static uint64_t state;
static uint64_t draw(void) { /* splitmix64 */
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}
static int64_t below(int64_t n) { return (int64_t)((draw() >> 1) % (uint64_t)n); }
static int64_t hostile(int64_t usual) { /* seldom a number at an edge */
	static const int64_t edges[] = {0, 1, -1, 2, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, INT64_MAX / 2, INT64_MAX / 4, INT64_MAX / 4 + 1, INT64_MAX / 8};
	return below(400) ? usual : edges[below((int64_t)(sizeof edges / sizeof *edges))];
}
static int left_to_cancel;
static int cancel(void *context) { return context == &state && --left_to_cancel < 0; }

/* Draws a problem and some calls, and checks what they say against each other and against the checker. */
static int fuzz(uint64_t seed) {
	int32_t n, i, links = 0, gaps = 0, horizon;
	stowage_core_buffer *b;
	stowage_core_link *l;
	stowage_core_gap *g;
	stowage_core_size *fixed, *offsets, lowest = 0, proven = 0;
	stowage_core_problem p;
	int composite, calls;
	state = seed;
	n = (int32_t)(below(8) ? 1 + below(12) : below(120)), horizon = (int32_t)(1 + below(20)), composite = below(2) == 0;
	b = copy_of(sizeof *b, (size_t)n), l = copy_of(sizeof *l, (size_t)n), g = copy_of(sizeof *g, (size_t)n * 3);
	fixed = copy_of(sizeof *fixed, (size_t)n), offsets = copy_of(sizeof *offsets, (size_t)n);
	for (i = 0; i < n; i++) {
		int64_t align = below(3) ? 1 : 1 + below(8), from = below(horizon);
		b[i].lower = (int32_t)hostile(from), b[i].upper = (int32_t)hostile(from + 1 + below(horizon));
		b[i].size = (stowage_core_size)hostile(1 + below(below(2) ? 9 : 1000)), b[i].alignment = (stowage_core_size)hostile(align);
		fixed[i] = (stowage_core_size)hostile(below(6) ? -1 : below(20) * align);
		if (composite && i > 0 && below(3) == 0) {
			l[links].buffer = (int32_t)hostile(i), l[links].with = (int32_t)hostile(below(i));
			l[links++].distance = (stowage_core_size)hostile(below(2) ? 0 : below(6) * align), fixed[i] = -1;
		}
		if (composite && below(4) == 0 && from + 2 < b[i].upper) {
			g[gaps].buffer = (int32_t)hostile(i), g[gaps].lower = (int32_t)hostile(from + 1);
			g[gaps++].upper = (int32_t)hostile(from + 2);
		}
	}
	p.buffers = b, p.count = n, p.fixed = below(2) ? fixed : NULL;
	p.links = l, p.link_count = links, p.gaps = g, p.gap_count = gaps;
	for (calls = 0; calls < 4; calls++) {
		stowage_core_options o;
		stowage_core_result r;
		size_t bytes = stowage_core_workspace(&p, 1 + (int)below(3)), at = (size_t)below(8);
		char *workspace, *all;
		int status;
		stowage_core_size height;
		if (below(3) == 0) bytes = (size_t)below((int64_t)bytes + 1);
		if (bytes > (size_t)1 << 26) bytes = 1 << 10;
		all = malloc(bytes + at), workspace = all + at;
		memset(&o, 0, sizeof o);
		o.capacity = (stowage_core_size)hostile(below(2) ? 0 : proven > 0 ? proven + below(3) : 1 + below(60));
		o.nodes = hostile(below(300));
		if (o.nodes > 1000) o.nodes = 1000;
		left_to_cancel = (int)below(200);
		if (below(2)) o.cancel = cancel, o.context = &state;
		status = stowage_core_plan(&p, &o, workspace, bytes, offsets, &r);
		free(all);
		if (status == STOWAGE_CORE_INVALID || status == STOWAGE_CORE_NO_WORKSPACE) continue;
		if (status < 0 || status > 3) return 1;
		height = r.height ? stowage_core_check(&p, offsets) : 0;
		if (height != r.height) return 2;
		if ((status == STOWAGE_CORE_OPTIMAL) != (height > 0 && height <= r.bound && (o.capacity == 0 || height <= o.capacity)) && n > 0) return 3;
		if (status <= STOWAGE_CORE_FEASIBLE && o.capacity && height > o.capacity) return 4;
		if (status == STOWAGE_CORE_INFEASIBLE && o.capacity && lowest && lowest <= o.capacity) return 5;
		if (height && (!lowest || height < lowest)) lowest = height;
		if (r.bound > proven) proven = r.bound;
		if (lowest && proven > lowest) return 6;
	}
	free(b), free(l), free(g), free(fixed), free(offsets);
	return 0;
}
int main(int argc, char **argv) {
	uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 10) : 0, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000, i;
	for (i = from; i < from + count; i++) {
		int fault = fuzz(i);
		if (fault) {
			printf("seed %llu: fault %d\n", (unsigned long long)i, fault);
			return 1;
		}
	}
	printf("ok\n");
	return 0;
}
#else
#ifdef BARE
static double now(void) { return 0; }
#else
static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}
static int64_t number(void) {
	long long x;
	if (scanf("%lld", &x) != 1) exit(0);
	return x;
}
#endif
int main(int argc, char **argv) {
	int timed = argc > 1 && strcmp(argv[1], "-t") == 0;
	for (;;) {
		stowage_core_problem p;
		stowage_core_options o = {0, 0, NULL, NULL};
		stowage_core_result r;
		stowage_core_buffer *b;
		stowage_core_size *fixed, *offsets;
		stowage_core_link *l;
		stowage_core_gap *g;
		void *workspace;
		size_t bytes;
		int status = 0, run;
		double best = 1e18;
		int32_t i;
		o.capacity = (stowage_core_size)number(), o.nodes = number(), p.count = (int32_t)number();
		b = copy_of(sizeof *b, (size_t)p.count), fixed = copy_of(sizeof *fixed, (size_t)p.count);
		for (i = 0; i < p.count; i++) {
			b[i].lower = (int32_t)number(), b[i].upper = (int32_t)number(), b[i].size = (stowage_core_size)number();
			b[i].alignment = (stowage_core_size)number(), fixed[i] = (stowage_core_size)number();
		}
		p.link_count = (int32_t)number(), l = copy_of(sizeof *l, (size_t)p.link_count);
		for (i = 0; i < p.link_count; i++) {
			l[i].buffer = (int32_t)number(), l[i].with = (int32_t)number(), l[i].distance = (stowage_core_size)number();
		}
		p.gap_count = (int32_t)number(), g = copy_of(sizeof *g, (size_t)p.gap_count);
		for (i = 0; i < p.gap_count; i++) {
			g[i].buffer = (int32_t)number(), g[i].lower = (int32_t)number(), g[i].upper = (int32_t)number();
		}
		p.buffers = b, p.fixed = fixed, p.links = l, p.gaps = g;
		bytes = stowage_core_workspace(&p, STOWAGE_CORE_LEVEL);
		workspace = malloc(bytes), offsets = copy_of(sizeof *offsets, (size_t)p.count);
		for (run = 0; run < (timed ? 5 : 1); run++) {
			double before = now();
			status = stowage_core_plan(&p, &o, workspace, bytes, offsets, &r);
			before = now() - before;
			if (before < best) best = before;
		}
#ifndef BARE
		if (timed) printf("%.1f ", best);
#endif
		if (r.workspace > bytes) printf("workspace of %zu, but asked for %zu\n", r.workspace, bytes);
#if STOWAGE_CORE_LEVEL >= 2
		if (r.height && stowage_core_check(&p, offsets) != r.height) printf("the checker says %lld\n", (long long)stowage_core_check(&p, offsets));
#endif
		printf("%d %lld %lld %lld", status, (long long)r.height, (long long)r.bound, (long long)r.nodes);
		for (i = 0; r.height && i < p.count; i++) printf(" %lld", (long long)offsets[i]);
		printf("\n");
		fflush(stdout);
		free(b), free(fixed), free(l), free(g), free(workspace), free(offsets);
	}
}
#endif
