/* Plans two memories. The fast one keeps its first 16 bytes, and is too small for all four buffers;
 * each byte in the slow one costs 1.
 *
 *     cc -I.. memories.c -L../../../bin/capi -lstowage -o memories
 */
#include <inttypes.h>
#include <stdio.h>

#include "stowage.h"

int main(void) {
  const int64_t lower[] = {0, 1, 2, 5}, upper[] = {4, 5, 6, 8}, size[] = {24, 24, 16, 32};
  const char *const names[] = {"tcm", "dram"};
  const int64_t capacity[] = {64, 0}, cost[] = {0, 1};       /* of the pools; 0: no limit */
  const int64_t pool[] = {0}, from[] = {0}, to[] = {16};     /* reserved bytes */
  const int64_t first[] = {0}, second[] = {3};               /* never share a byte */
  int64_t offsets[4], pools[4], paid, bound;
  stowage_solver *s = stowage_new();

  if (s == NULL)
    return 1;
  stowage_set_buffers(s, 4, lower, upper, size);
  stowage_set_pools(s, 2, names, capacity, NULL, cost);
  stowage_set_reserved(s, 1, pool, from, to);
  stowage_set_apart(s, 1, first, second);
  if (stowage_solve(s, offsets) < 0 || stowage_get_pools(s, pools) < 0) {
    fprintf(stderr, "%s\n", stowage_error(s));
    return 1;
  }
  stowage_get_measure(s, "cost", &paid, &bound);
  printf("cost %" PRId64 ", at least %" PRId64 "\n", paid, bound);
  for (int i = 0; i < 4; i++)
    printf("%d in %s at %" PRId64 "\n", i, names[pools[i]], offsets[i]);
  stowage_free(s);
  return 0;
}
