/* Reads orders and sizes, and prints what stowage_place makes of them: for each case the words, the buffers and the
 * sizes. With -DLOOPS=N it places each case N times and prints nanoseconds for one in place of the offsets. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "stowage_place.h"

int main(void)
{
	unsigned words, buffers;
	while (scanf("%u %u", &words, &buffers) == 2) {
		uint32_t *order = malloc(words * sizeof *order + 1);
		int64_t *sizes = malloc(buffers * sizeof *sizes + 1), *offsets = calloc(buffers + 1, sizeof *offsets), height = 0;
		unsigned char *seen = malloc(buffers + 1);
		for (unsigned k = 0; k < words; k++)
			if (scanf("%" SCNu32, &order[k]) != 1)
				return 1;
		for (unsigned k = 0; k < buffers; k++)
			if (scanf("%" SCNd64, &sizes[k]) != 1)
				return 1;
		if (!stowage_order_valid(order, words, buffers, seen)) {
			printf("invalid\n");
		} else {
#ifdef LOOPS
			clock_t t = clock();
			for (long k = 0; k < LOOPS; k++) {
				sizes[0] += k & 1 ? 64 : -64;
				height += stowage_place(order, sizes, offsets);
			}
			printf("%u buffers, %u words: %.3f us (%" PRId64 ")\n", buffers, words,
			       1e6 * (double)(clock() - t) / CLOCKS_PER_SEC / LOOPS, height & 1);
#else
			height = stowage_place(order, sizes, offsets);
			printf("%" PRId64, height);
			for (unsigned k = 0; k < buffers && height >= 0; k++)
				printf(" %" PRId64, offsets[k]);
			printf("\n");
#endif
		}
		free(order), free(sizes), free(offsets), free(seen);
	}
	return 0;
}
