/* What Stowage is to a ggml with gallocr.patch: a planner that ggml_gallocr asks, so that ggml_backend_sched, and with it llama.cpp, runs on
 * planned offsets.
 *
 *     ggml_gallocr_set_planner(galloc, stowage_gallocr_planner, NULL);
 */

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "ggml-alloc.h"
#include "stowage.h"

size_t stowage_gallocr_planner(void *ctx, struct ggml_gallocr_block *blocks, int count, int buffer_id, size_t alignment) {
  (void)ctx;
  int64_t n = 0, height = 0, *columns = malloc((size_t)(5 * count + 1) * sizeof *columns);
  if (columns == NULL) return 0;
  int64_t *lower = columns, *upper = lower + count, *size = upper + count, *align = size + count, *offset = align + count;
  for (int k = 0; k < count; k++) {
    if (blocks[k].buffer_id != buffer_id) continue;
    lower[n] = blocks[k].first, upper[n] = (int64_t)blocks[k].last + 1;
    size[n] = blocks[k].size > 0 ? (int64_t)blocks[k].size : 1, align[n++] = (int64_t)alignment;
  }
  if (n > 0) height = stowage_assign(n, lower, upper, size, align, offset);
  n = 0;
  for (int k = 0; k < count && height > 0; k++)
    if (blocks[k].buffer_id == buffer_id) blocks[k].offset = (size_t)offset[n++];
  free(columns);
  return height > 0 ? (size_t)height : 0;
}
