//go:build ignore
/* (The line above keeps the go command from compiling this file. C compilers see a comment.)
 *
 * Tests of examples/ggml on a stand-in for ggml: random graphs with views, weights, inputs, outputs and results in place; backends that
 * refuse; and the planner of gallocr.patch. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "stowage_ggml.h"

#define CHECK(x)                                                   \
  do {                                                             \
    if (!(x)) {                                                    \
      fprintf(stderr, "check.c:%d: seed %u: %s\n", __LINE__, seed, #x); \
      exit(1);                                                     \
    }                                                              \
  } while (0)

static unsigned seed;

static int below(int n) {
  static uint32_t state;
  static unsigned of = UINT_MAX;
  if (of != seed) of = seed, state = 2654435761u * (seed + 1);
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 8) % (uint32_t)n);
}

/* ---- the stand-in ---------------------------------------------------------------------------------- */

enum { ALIGNMENT = 32 };

struct ggml_backend_buffer_type {
  int refused_buffer, refused_tensor; /* how many it gives and places before it refuses one; below 0: it refuses none */
};
struct ggml_backend_buffer {
  ggml_backend_buffer_type_t type;
  char *base;
};
struct ggml_gallocr {
  ggml_backend_buffer_type_t type;
  ggml_backend_buffer_t buffer;
  size_t size;
};

static int buffers; /* that exist */

int ggml_graph_n_nodes(struct ggml_cgraph *g) { return g->n_nodes; }
struct ggml_tensor *ggml_graph_node(struct ggml_cgraph *g, int k) { return g->nodes[k]; }
size_t ggml_backend_buft_get_alignment(ggml_backend_buffer_type_t t) { return (void)t, ALIGNMENT; }
size_t ggml_backend_buft_get_alloc_size(ggml_backend_buffer_type_t t, const struct ggml_tensor *x) { return (void)t, x->size; }
void *ggml_backend_buffer_get_base(ggml_backend_buffer_t b) { return b->base; }
void ggml_backend_buffer_set_usage(ggml_backend_buffer_t b, int usage) { (void)b, (void)usage; }

ggml_backend_buffer_t ggml_backend_buft_alloc_buffer(ggml_backend_buffer_type_t t, size_t size) {
  if (t->refused_buffer-- == 0) return NULL;
  ggml_backend_buffer_t b = malloc(sizeof *b);
  b->type = t, b->base = malloc(size), buffers++;
  return b;
}

void ggml_backend_buffer_free(ggml_backend_buffer_t b) {
  if (b != NULL) free(b->base), free(b), buffers--;
}

enum ggml_status ggml_backend_tensor_alloc(ggml_backend_buffer_t b, struct ggml_tensor *x, void *at) {
  CHECK(x->buffer == NULL && x->data == NULL && x->view_src == NULL);
  if (b->type->refused_tensor-- == 0) return GGML_STATUS_FAILED;
  x->buffer = b, x->data = at;
  return GGML_STATUS_SUCCESS;
}

enum ggml_status ggml_backend_view_init(struct ggml_tensor *x) {
  CHECK(x->buffer == NULL && x->view_src->buffer != NULL);
  x->buffer = x->view_src->buffer, x->data = (char *)x->view_src->data + x->view_offs;
  return GGML_STATUS_SUCCESS;
}

ggml_gallocr_t ggml_gallocr_new(ggml_backend_buffer_type_t t) {
  ggml_gallocr_t g = calloc(1, sizeof *g);
  g->type = t;
  return g;
}

void ggml_gallocr_free(ggml_gallocr_t g) {
  if (g != NULL) ggml_backend_buffer_free(g->buffer), free(g);
}

size_t ggml_gallocr_get_buffer_size(ggml_gallocr_t g, int buffer) { return (void)buffer, g->size; }

static struct ggml_tensor tensors[128];
static struct ggml_cgraph graph;

/* Until when the bytes of a tensor are wanted: those who read it or a view of it, and the end for what nobody reads. */
static int wanted(struct ggml_tensor *x) {
  int last = -1;
  for (int k = 0; k < graph.n_nodes; k++) {
    struct ggml_tensor *y = graph.nodes[k];
    bool same = y == x || y->view_src == x, read = false;
    for (int j = 0; j < GGML_MAX_SRC; j++)
      if (y->src[j] == x || (y->src[j] != NULL && y->src[j]->view_src == x)) last = k;
    for (int i = 0; i < graph.n_nodes; i++)
      for (int j = 0; j < GGML_MAX_SRC; j++) read = read || graph.nodes[i]->src[j] == y;
    if (same && (!read || y->flags & GGML_TENSOR_FLAG_OUTPUT)) return graph.n_nodes;
  }
  return last;
}

/* It gives every tensor bytes of its own, except that it writes some results over an operand that ends. */
bool ggml_gallocr_alloc_graph(ggml_gallocr_t g, struct ggml_cgraph *of) {
  g->buffer = ggml_backend_buft_alloc_buffer(g->type, (size_t)of->n_nodes * (GGML_MAX_SRC + 1) * 4096);
  if (g->buffer == NULL) return false;
  for (int k = 0; k < of->n_nodes; k++) {
    struct ggml_tensor *x = of->nodes[k], *over = x->src[0];
    for (int j = 0; j <= GGML_MAX_SRC; j++) { /* operands that no node makes, and then the result */
      struct ggml_tensor *t = j < GGML_MAX_SRC ? x->src[j] : x;
      if (t == NULL || t->data != NULL) continue;
      if (t->view_src != NULL) {
        if (t->view_src->buffer != NULL) ggml_backend_view_init(t);
        continue;
      }
      t->buffer = g->buffer;
      if (t == x && x->elementwise && over != NULL && over->view_src == NULL && over->buffer == g->buffer && over->size == x->size &&
          wanted(over) == k) {
        x->data = over->data;
        continue;
      }
      t->data = g->buffer->base + g->size;
      g->size += (t->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
  }
  return true;
}

/* ---- graphs ----------------------------------------------------------------------------------------- */

static char weights[4096];
static stowage_ggml_plan plan;

/* draw makes a random graph: tensors 0 to 3 are leaves, of which 0 is a weight and 1 an input. */
static void draw(void) {
  memset(tensors, 0, sizeof tensors);
  memset(&graph, 0, sizeof graph);
  for (int k = 0; k < 4; k++) tensors[k].size = (size_t)(1 + below(4)) * 100;
  tensors[0].data = weights;
  tensors[1].flags = GGML_TENSOR_FLAG_INPUT;
  int n = 4, nodes = 2 + below(40);
  for (; graph.n_nodes < nodes; n++) {
    struct ggml_tensor *x = &tensors[n], *of = &tensors[below(n)];
    x->src[0] = of;
    if (below(5) == 0) {
      x->view_src = of->view_src != NULL ? of->view_src : of; /* as in ggml: never a view of a view */
      x->view_offs = of->view_offs, x->size = of->size / 2;
      if (of->data != NULL) x->data = of->data; /* ggml gives such a view its place at once */
    } else {
      x->size = below(3) ? of->size : (size_t)(1 + below(4)) * 100;
      x->elementwise = below(2);
      if (below(2)) x->src[1] = &tensors[below(n)];
    }
    if (below(12) == 0) x->flags |= GGML_TENSOR_FLAG_OUTPUT;
    graph.nodes[graph.n_nodes++] = x;
  }
}

static int from(struct ggml_tensor *x) {
  for (int k = 0; k < graph.n_nodes; k++)
    if (graph.nodes[k] == x) return k;
  return -1;
}

/* sound checks the places in a buffer of so many bytes: all in it, and no two that are wanted at once share bytes, except a result and the
 * operand that it is written over. It returns how many results are over an operand. */
static int sound(ggml_backend_buffer_t b, size_t bytes) {
  int over = 0;
  for (int i = 0; i < 128; i++) {
    struct ggml_tensor *x = &tensors[i];
    if (x->size == 0 || (x->data >= (void *)weights && x->data < (void *)(weights + sizeof weights))) continue;
    if (x->data == NULL) { /* a leaf that no node reads */
      CHECK(i < 4 && wanted(x) < 0);
      continue;
    }
    size_t at = (size_t)((char *)x->data - b->base);
    CHECK(x->buffer == b && at + x->size <= bytes);
    if (x->view_src != NULL) {
      CHECK(x->data == (char *)x->view_src->data + x->view_offs);
      continue;
    }
    CHECK(at % ALIGNMENT == 0);
    for (int j = 0; j < i; j++) {
      struct ggml_tensor *y = &tensors[j];
      if (y->view_src != NULL || y->buffer != b || (char *)y->data >= (char *)x->data + x->size || (char *)x->data >= (char *)y->data + y->size) continue;
      if (from(x) >= 0 && x->elementwise && x->src[0] == y && x->data == y->data && wanted(y) == from(x)) over++;
      else CHECK(wanted(y) < from(x) || wanted(x) < from(y));
    }
  }
  return over;
}

static void untouched(void) {
  for (int i = 1; i < 128; i++) CHECK(tensors[i].buffer == NULL && (tensors[i].data == NULL || (char *)tensors[i].data == weights));
  CHECK(buffers == 0);
}

int main(int argc, char **argv) {
  const int graphs = argc > 1 ? atoi(argv[1]) : 300;
  struct ggml_backend_buffer_type type;
  char error[100];
  int over = 0, lower = 0;
  for (seed = 0; seed < (unsigned)graphs; seed++) {
    draw();
    type.refused_buffer = type.refused_tensor = -1;
    int code = stowage_ggml_alloc_graph(&graph, &type, &plan, error, sizeof error);
    if (code != 0) { /* all of it is about the weight */
      CHECK(strstr(error, "has a place already") != NULL);
      untouched();
      continue;
    }
    CHECK(plan.bytes <= plan.gallocr_bytes && plan.lower_bound <= plan.bytes && buffers == 1);
    over += sound(plan.buffer, plan.bytes);
    lower += plan.bytes < plan.gallocr_bytes;
    ggml_backend_buffer_free(plan.buffer);
    /* If ggml_gallocr gets no buffer, nothing is in place. */
    draw();
    type.refused_buffer = 0;
    CHECK(stowage_ggml_alloc_graph(&graph, &type, &plan, NULL, 0) == 0 && plan.gallocr_bytes == 0 && plan.in_place == 0);
    CHECK(sound(plan.buffer, plan.bytes) == 0);
    ggml_backend_buffer_free(plan.buffer);
    draw();
    type.refused_buffer = 1;
    /* The buffer is refused, and then some tensor. */
    CHECK(stowage_ggml_alloc_graph(&graph, &type, &plan, error, sizeof error) == -1 && strstr(error, "no room") != NULL);
    CHECK(plan.buffer == NULL);
    untouched();
    type.refused_buffer = -1, type.refused_tensor = below(plan.tensors);
    CHECK(stowage_ggml_alloc_graph(&graph, &type, &plan, error, sizeof error) == -1 && strstr(error, "refuses a tensor") != NULL);
    CHECK(plan.buffer == NULL);
    untouched();
  }
  CHECK(over > graphs / 3 && lower > graphs * 2 / 3);

  size_t stowage_gallocr_planner(void *, struct ggml_gallocr_block *, int, int, size_t);
  struct ggml_gallocr_block blocks[] = {{0, 0, 1, 96, 7}, {1, 0, 9, 64, 7}, {0, 2, INT_MAX, 128, 7}, {0, 1, 1, 0, 7}, {0, 1, 2, 32, 7}};
  CHECK(stowage_gallocr_planner(NULL, blocks, 5, 0, ALIGNMENT) == 160);
  CHECK(blocks[1].offset == 7); /* of another buffer */
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < i; j++)
      CHECK(i == 1 || j == 1 || blocks[i].last < blocks[j].first || blocks[j].last < blocks[i].first || blocks[i].offset + blocks[i].size <= blocks[j].offset ||
            blocks[j].offset + blocks[j].size <= blocks[i].offset);
  CHECK(stowage_gallocr_planner(NULL, blocks, 5, 1, ALIGNMENT) == 64 && blocks[1].offset == 0);
  CHECK(stowage_gallocr_planner(NULL, blocks, 5, 2, ALIGNMENT) == 0 && stowage_gallocr_planner(NULL, blocks, 0, 0, ALIGNMENT) == 0);
  blocks[0].size = (size_t)-1; /* no plan: ggml_gallocr keeps its own */
  CHECK(stowage_gallocr_planner(NULL, blocks, 5, 0, ALIGNMENT) == 0);
  printf("%d results in place, %d plans of %d lower\n", over, lower, graphs);
  return 0;
}
