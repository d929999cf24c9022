/* Idea: ggml_gallocr_alloc_graph leaves each tensor alone that has a place already. So this file gives the tensors of
 * a graph their places before that, by ggml_backend_tensor_alloc and ggml_backend_view_init.
 *
 * A buffer of the problem is a tensor that is no view and has no place. It lives from the node that makes it, or from
 * the start if no node does, to the last node that reads it or a view of it. It lives to the end if it is an output,
 * or if nothing reads it or a view of it: the caller may. That is how long ggml_gallocr keeps it.
 *
 * In place: ggml_gallocr writes some results over an operand. Which ones it takes is not public, so it is asked: it
 * allocates the graph once, and a result that it puts at the address of an operand is in place, because an operand is
 * live while its node runs. Each such pair is a link of stowage_core. The places of this run also are a plan, which is
 * taken if stowage_core finds no lower one, and the reference for what is printed. Its buffer is freed before the
 * planned one is allocated. Links come in the order of results, as stowage_core wants them, because a result's number
 * is above its operand's.
 *
 * Complexity: O(n) for n tensors, beside the planner.
 */

#include "stowage_ggml.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ggml-alloc.h"
#include "stowage_core.h"

/* Nodes of the search times tensors; above so many tensors heuristics plan alone, as a search needs too much memory. */
enum { NODES = 2000000, SEARCHED = 20000 };

/* What is known of a tensor that the graph names. */
typedef struct entry {
  struct ggml_tensor *tensor;
  int32_t number; /* of its buffer in the problem; -1 if it is a view or has a place */
  int made, read; /* whether a node makes it, and whether one reads it */
} entry;

typedef struct graph_of {
  struct ggml_cgraph *graph;
  int nodes;
  entry *table; /* by open addressing */
  size_t room;
  entry **order; /* the entries in the order in which they came */
  size_t count;
  /* The problem, and the places by ggml_gallocr. */
  int32_t buffers, ties;
  stowage_core_buffer *live;
  stowage_core_link *over; /* what is in place */
  stowage_core_size *offset, *theirs;
  struct ggml_tensor **roots;
} graph_of;

static struct ggml_tensor *root_of(struct ggml_tensor *t) {
  while (t->view_src != NULL) t = t->view_src;
  return t;
}

/* find returns the entry of a tensor, which is new if the tensor was not seen before. */
static entry *find(graph_of *g, struct ggml_tensor *t) {
  size_t at = (size_t)((uintptr_t)t / 16 * 0x9E3779B97F4A7C15u) % g->room;
  while (g->table[at].tensor != NULL && g->table[at].tensor != t) at = (at + 1) % g->room;
  entry *e = &g->table[at];
  if (e->tensor == NULL) {
    e->tensor = t, e->number = -1;
    g->order[g->count++] = e;
  }
  return e;
}

/* use notes that node k uses a tensor. */
static void use(graph_of *g, struct ggml_tensor *t, int k) {
  find(g, t);
  entry *e = find(g, root_of(t));
  if (e->tensor->data != NULL || e->tensor->buffer != NULL) return; /* it has a place */
  if (e->number < 0) {
    e->number = g->buffers++;
    g->roots[e->number] = e->tensor;
    g->live[e->number].lower = e->made && !(e->tensor->flags & GGML_TENSOR_FLAG_INPUT) ? k : 0;
  }
  g->live[e->number].upper = k + 1;
}

/* walk lists the tensors of the graph, and when each is used. */
static void walk(graph_of *g) {
  for (int k = 0; k < g->nodes; k++) find(g, ggml_graph_node(g->graph, k))->made = 1;
  for (int k = 0; k < g->nodes; k++) {
    struct ggml_tensor *node = ggml_graph_node(g->graph, k);
    for (int j = 0; j < GGML_MAX_SRC; j++) {
      if (node->src[j] == NULL) continue;
      find(g, node->src[j])->read = 1;
      use(g, node->src[j], k);
    }
    use(g, node, k);
  }
  for (size_t k = 0; k < g->count; k++) {
    entry *e = g->order[k], *root = find(g, root_of(e->tensor));
    if (root->number >= 0 && (!e->read && e->made || e->tensor->flags & GGML_TENSOR_FLAG_OUTPUT))
      g->live[root->number].upper = g->nodes;
  }
}

/* forget takes the places of the tensors back. */
static void forget(graph_of *g) {
  for (size_t k = 0; k < g->count; k++) {
    struct ggml_tensor *t = g->order[k]->tensor;
    if (find(g, root_of(t))->number >= 0) t->data = NULL, t->buffer = NULL;
  }
}

/* ask lets ggml_gallocr place the graph, notes what it did, and takes the places back. It returns the bytes that it took, or 0. */
static size_t ask(graph_of *g, ggml_backend_buffer_type_t type) {
  ggml_gallocr_t theirs = ggml_gallocr_new(type);
  size_t bytes = 0;
  if (theirs != NULL && ggml_gallocr_alloc_graph(theirs, g->graph)) {
    bytes = ggml_gallocr_get_buffer_size(theirs, 0);
    for (int32_t k = 0; k < g->buffers; k++) {
      struct ggml_tensor *t = g->roots[k];
      /* Several buffers have no common base. Their places are then no plan, and nothing is known of what is in place. */
      if (t->buffer != g->roots[0]->buffer) bytes = 0;
      g->theirs[k] = (char *)t->data - (char *)ggml_backend_buffer_get_base(t->buffer);
    }
    for (int k = 0; k < g->nodes; k++) {
      struct ggml_tensor *node = ggml_graph_node(g->graph, k);
      entry *e = find(g, node);
      for (int j = 0; j < GGML_MAX_SRC && e->number >= 0; j++) {
        entry *from = node->src[j] == NULL ? NULL : find(g, root_of(node->src[j]));
        if (from != NULL && from != e && from->number >= 0 && from->tensor->data == node->data) {
          g->over[g->ties++] = (stowage_core_link){e->number, from->number, 0};
          break;
        }
      }
    }
  }
  forget(g);
  ggml_gallocr_free(theirs);
  return bytes;
}

/* place gives the tensors their places in the buffer. */
static int place(graph_of *g, ggml_backend_buffer_t buffer) {
  char *base = ggml_backend_buffer_get_base(buffer);
  for (int32_t k = 0; k < g->buffers; k++)
    if (ggml_backend_tensor_alloc(buffer, g->roots[k], base + g->offset[k]) != GGML_STATUS_SUCCESS) return -1;
  for (size_t k = 0; k < g->count; k++) {
    struct ggml_tensor *t = g->order[k]->tensor;
    if (t->view_src != NULL && t->buffer == NULL && t->view_src->buffer != NULL && ggml_backend_view_init(t) != GGML_STATUS_SUCCESS) return -1;
  }
  return 0;
}

/* solve plans the problem, and notes what the plan takes: 0 if there is none. */
static int solve(graph_of *g, stowage_ggml_plan *plan) {
  stowage_core_problem problem = {g->live, g->buffers, NULL, g->over, g->ties, NULL, 0};
  stowage_core_options options = {0, NODES / (g->buffers + 1), NULL, NULL};
  stowage_core_result result = {0, 0, 0, 0, 0};
  size_t bytes = stowage_core_workspace(&problem, g->buffers > SEARCHED ? 1 : STOWAGE_CORE_LEVEL);
  void *workspace = malloc(bytes > 0 ? bytes : 1);
  int status = STOWAGE_CORE_NO_WORKSPACE;
  if (workspace != NULL) status = stowage_core_plan(&problem, &options, workspace, bytes, g->offset, &result);
  free(workspace);
  plan->bytes = (size_t)result.height, plan->lower_bound = (size_t)result.bound;
  return status;
}

static int fail(char *error, size_t room, const char *why) {
  if (error != NULL && room > 0) snprintf(error, room, "%s", why);
  return -1;
}

int stowage_ggml_alloc_graph(
    struct ggml_cgraph *graph, ggml_backend_buffer_type_t type, stowage_ggml_plan *plan, char *error, size_t room) {
  graph_of g = {.graph = graph, .nodes = ggml_graph_n_nodes(graph)};
  size_t most = (size_t)g.nodes * (2 * GGML_MAX_SRC + 2) + 16, alignment = ggml_backend_buft_get_alignment(type);
  int code = -1;
  memset(plan, 0, sizeof *plan);
  g.room = 2 * most, g.table = calloc(g.room, sizeof *g.table), g.order = calloc(most, sizeof *g.order);
  g.roots = calloc(most, sizeof *g.roots), g.live = calloc(most, sizeof *g.live), g.over = calloc(most, sizeof *g.over);
  g.offset = calloc(most, sizeof *g.offset), g.theirs = calloc(most, sizeof *g.theirs);
  if (!g.table || !g.order || !g.roots || !g.live || !g.over || !g.offset || !g.theirs) {
    fail(error, room, "there is no memory");
    goto end;
  }
  walk(&g);
  if (g.buffers == 0) {
    fail(error, room, "every tensor of the graph has a place already");
    goto end;
  }
  for (int32_t k = 0; k < g.buffers; k++) {
    size_t need = ggml_backend_buft_get_alloc_size(type, g.roots[k]);
    g.live[k].size = (stowage_core_size)((need + alignment - 1) / alignment * alignment);
    g.live[k].alignment = (stowage_core_size)alignment;
    if (g.live[k].size == 0) g.live[k].size = g.live[k].alignment;
  }
  plan->tensors = (int)g.buffers;
  plan->gallocr_bytes = ask(&g, type);
  plan->in_place = (int)g.ties;

  if (solve(&g, plan) == STOWAGE_CORE_NO_WORKSPACE && plan->gallocr_bytes == 0) {
    fail(error, room, "there is no memory");
    goto end;
  }
  if (plan->gallocr_bytes > 0 && (plan->bytes == 0 || plan->bytes > plan->gallocr_bytes)) {
    memcpy(g.offset, g.theirs, (size_t)g.buffers * sizeof *g.offset);
    plan->bytes = plan->gallocr_bytes;
  } else if (plan->bytes == 0) {
    fail(error, room, "there is no plan: sizes are too large");
    goto end;
  }
  plan->buffer = ggml_backend_buft_alloc_buffer(type, plan->bytes);
  if (plan->buffer == NULL) {
    fail(error, room, "the backend has no room for the buffer");
    goto end;
  }
  ggml_backend_buffer_set_usage(plan->buffer, GGML_BACKEND_BUFFER_USAGE_COMPUTE);
  code = place(&g, plan->buffer) == 0 ? 0 : fail(error, room, "the backend refuses a tensor");
  if (code != 0) {
    forget(&g);
    ggml_backend_buffer_free(plan->buffer);
    plan->buffer = NULL;
  }
end:
  free(g.table), free(g.order), free(g.roots), free(g.live), free(g.over), free(g.offset), free(g.theirs);
  return code;
}
