/* A stand-in for the part of ggml's public interface that examples/ggml uses, so that its files are compiled and run in tests without
 * ggml. lab/bench/ggml/run.sh runs them on the real one. */
#ifndef STAND_IN_GGML_H
#define STAND_IN_GGML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GGML_API
#define GGML_MAX_SRC 4

enum ggml_status { GGML_STATUS_FAILED = -1, GGML_STATUS_SUCCESS = 0 };
enum { GGML_TENSOR_FLAG_INPUT = 1, GGML_TENSOR_FLAG_OUTPUT = 2 };
enum { GGML_BACKEND_BUFFER_USAGE_COMPUTE = 2 };

typedef struct ggml_backend_buffer_type *ggml_backend_buffer_type_t;
typedef struct ggml_backend_buffer *ggml_backend_buffer_t;
typedef struct ggml_gallocr *ggml_gallocr_t;

struct ggml_tensor {
  ggml_backend_buffer_t buffer;
  int32_t flags;
  struct ggml_tensor *src[GGML_MAX_SRC], *view_src;
  size_t view_offs, size; /* ggml has shape and type in place of size */
  bool elementwise;       /* may be written over its first operand */
  void *data;
};

struct ggml_cgraph {
  int n_nodes;
  struct ggml_tensor *nodes[64];
};

int ggml_graph_n_nodes(struct ggml_cgraph *);
struct ggml_tensor *ggml_graph_node(struct ggml_cgraph *, int);

size_t ggml_backend_buft_get_alignment(ggml_backend_buffer_type_t);
size_t ggml_backend_buft_get_alloc_size(ggml_backend_buffer_type_t, const struct ggml_tensor *);
ggml_backend_buffer_t ggml_backend_buft_alloc_buffer(ggml_backend_buffer_type_t, size_t);
void *ggml_backend_buffer_get_base(ggml_backend_buffer_t);
void ggml_backend_buffer_set_usage(ggml_backend_buffer_t, int);
void ggml_backend_buffer_free(ggml_backend_buffer_t);
enum ggml_status ggml_backend_tensor_alloc(ggml_backend_buffer_t, struct ggml_tensor *, void *);
enum ggml_status ggml_backend_view_init(struct ggml_tensor *);

ggml_gallocr_t ggml_gallocr_new(ggml_backend_buffer_type_t);
void ggml_gallocr_free(ggml_gallocr_t);
bool ggml_gallocr_alloc_graph(ggml_gallocr_t, struct ggml_cgraph *);
size_t ggml_gallocr_get_buffer_size(ggml_gallocr_t, int);

#endif
