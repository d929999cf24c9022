/* Plans the memory of a ggml graph with Stowage, through ggml's public interface and without a change to ggml. */
#ifndef STOWAGE_GGML_H
#define STOWAGE_GGML_H

#include "ggml-backend.h"
#include "ggml.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stowage_ggml_plan {
  ggml_backend_buffer_t buffer; /* holds all tensors of the graph that had no place; free it after the last run */
  size_t bytes;                 /* that the plan takes */
  size_t lower_bound;           /* no plan with these results in place takes fewer; proven */
  size_t gallocr_bytes;         /* that ggml_gallocr takes for the same graph */
  int tensors, in_place;        /* that were placed; of those, results that lie over an operand */
} stowage_ggml_plan;

/* Gives a place to each tensor of the graph that has none, as ggml_gallocr_alloc_graph does, in one buffer of this type. It takes never
 * more bytes than ggml_gallocr. Then ggml_backend_graph_compute runs the graph, any number of times. Returns 0, or
 * -1 if it cannot: error then has the reason, the graph is as before, and plan->buffer is NULL. error may be NULL. */
int stowage_ggml_alloc_graph(struct ggml_cgraph *graph, ggml_backend_buffer_type_t type, stowage_ggml_plan *plan, char *error, size_t room);

#ifdef __cplusplus
}
#endif
#endif
