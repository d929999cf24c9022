/* placetime.c: processor time of stowage_place. Reads the number of rounds, then for each order: words, buffers, the words, the sizes. Prints
 * the least nanoseconds of a call over the rounds; a round has so many calls that it takes milliseconds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "stowage_place.h"

int main(void)
{
	unsigned rounds, words, buffers;
	if (scanf("%u", &rounds) != 1) {
		return 1;
	}
	while (scanf("%u %u", &words, &buffers) == 2) {
		uint32_t *order = malloc(words * sizeof *order);
		int64_t *sizes = malloc((buffers + 1) * sizeof *sizes), *offsets = malloc((buffers + 1) * sizeof *offsets);
		for (unsigned k = 0; k < words; k++) {
			if (scanf("%" SCNu32, &order[k]) != 1) {
				return 1;
			}
		}
		for (unsigned k = 0; k < buffers; k++) {
			if (scanf("%" SCNd64, &sizes[k]) != 1) {
				return 1;
			}
		}
		const unsigned calls = 4000000 / (buffers + 1);
		double least = 1e18;
		int64_t sum = 0;
		for (unsigned r = 0; r < rounds; r++) {
			const clock_t from = clock();
			for (unsigned k = 0; k < calls; k++) {
				sum += stowage_place(order, sizes, offsets);
			}
			const double ns = (double)(clock() - from) * (1e9 / CLOCKS_PER_SEC) / calls;
			least = ns < least ? ns : least;
		}
		printf("%.1f %d\n", least, sum > 0);
		free(order);
		free(sizes);
		free(offsets);
	}
	return 0;
}
