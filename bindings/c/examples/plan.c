/* Plans five buffers, prints where they are, and asks again with a capacity that is
 * too small.
 *
 *     cc -I.. plan.c -L../../../bin/capi -lstowage -o plan
 */
#include <inttypes.h>
#include <stdio.h>

#include "stowage.h"

int main(void) {
  const int64_t lower[] = {0, 3, 0, 9, 0}, upper[] = {3, 9, 9, 21, 21}, size[] = {4, 4, 4, 4, 4};
  int64_t offsets[5];
  stowage_result r;
  stowage_solver *s = stowage_new();
  int status;

  if (s == NULL || stowage_abi() != STOWAGE_ABI)
    return 1;
  stowage_set_buffers(s, 5, lower, upper, size);
  status = stowage_solve(s, offsets);
  if (status < 0) {
    fprintf(stderr, "%s\n", stowage_error(s));
    return 1;
  }
  stowage_get_result(s, &r, sizeof r);
  printf("height %" PRId64 ", %s\n", r.height, status == STOWAGE_OPTIMAL ? "the lowest there is" : "maybe not the lowest");
  for (int i = 0; i < 5; i++)
    printf("%d at %" PRId64 "\n", i, offsets[i]);

  stowage_set(s, STOWAGE_CAPACITY, 11);
  if (stowage_solve(s, offsets) == STOWAGE_INFEASIBLE)
    printf("11 is too little\n");
  stowage_free(s);
  return 0;
}
