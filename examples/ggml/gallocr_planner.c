/* What Stowage is to a ggml with gallocr.patch: a planner that ggml_gallocr asks, so that ggml_backend_sched, and with
 * it llama.cpp, runs on planned offsets. It needs stowage_core.c and nothing else of Stowage.
 *
 *     ggml_gallocr_set_planner(galloc, stowage_gallocr_planner, NULL);
 *
 * A result in place is no block of its own: the patch lets the block of its operand live as long as both.
 */

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "ggml-alloc.h"
#include "stowage_core.h"

/* Nodes of the search times blocks; above so many blocks heuristics plan alone, as a search needs too much memory. */
enum { NODES = 2000000, SEARCHED = 20000 };

size_t stowage_gallocr_planner(
    void *ctx, struct ggml_gallocr_block *blocks, int count, int buffer_id, size_t alignment) {
  stowage_core_buffer *buffers = malloc((size_t)(count + 1) * sizeof *buffers);
  stowage_core_size *offsets = malloc((size_t)(count + 1) * sizeof *offsets);
  stowage_core_problem problem = {buffers, 0, NULL, NULL, 0, NULL, 0};
  stowage_core_options options = {0, NODES / (count + 1), NULL, NULL};
  stowage_core_result result = {0, 0, 0, 0, 0};
  void *workspace = NULL;
  (void)ctx;
  for (int k = 0; k < count && buffers != NULL; k++) {
    if (blocks[k].buffer_id != buffer_id) continue;
    stowage_core_size size = blocks[k].size > 0 ? (stowage_core_size)blocks[k].size : 1;
    int last = blocks[k].last < INT_MAX ? blocks[k].last : INT_MAX - 1;
    buffers[problem.count++] = (stowage_core_buffer){blocks[k].first, last + 1, size, (stowage_core_size)alignment};
  }
  size_t bytes = stowage_core_workspace(&problem, problem.count > SEARCHED ? 1 : STOWAGE_CORE_LEVEL);
  if (problem.count > 0 && offsets != NULL && (workspace = malloc(bytes)) != NULL)
    stowage_core_plan(&problem, &options, workspace, bytes, offsets, &result);
  for (int k = 0, n = 0; k < count && result.height > 0; k++)
    if (blocks[k].buffer_id == buffer_id) blocks[k].offset = (size_t)offsets[n++];
  free(workspace), free(offsets), free(buffers);
  return (size_t)result.height;
}
