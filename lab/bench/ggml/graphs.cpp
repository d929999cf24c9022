// Five architectures as ggml graphs: their bytes by ggml_gallocr and by Stowage, and whether the outputs are the same bits.
//
//     graphs NAME full     at the sizes of the real model; placed, and not computed
//     graphs NAME small    at small sizes: placed and computed in both ways, on bytes that were overwritten before
//     graphs NAME real     as small, at the sizes of the real model: minutes, and up to 7 gigabytes
//     graphs NAME patched  at small sizes, by a ggml_gallocr with examples/ggml/gallocr.patch, beside one without a planner
//     graphs NAME log      at small sizes: placed by ggml_gallocr alone, for its log (format/ggml)
//
// The layers and sizes are those of the papers and configurations of Stable Diffusion 1.5 (unet, vae), CLIP ViT-L/14 at 336 pixels
// (vision), Whisper base (whisper) and Llama 2 7B at a batch of 512 tokens (llama). Weights are random. Those of Llama's matrices at real
// size are in Q4_0, as llama.cpp keeps them; the activations have the same sizes as with any other type.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml-cpu.h"
#include "ggml.h"
#include "stowage_ggml.h"

using T = ggml_tensor;

static ggml_context *weights_in, *in;
static std::vector<T *> weights, inputs;

static T *weight(int64_t a, int64_t b = 1, int64_t c = 1, int64_t d = 1, ggml_type type = GGML_TYPE_F32) {
  weights.push_back(ggml_new_tensor_4d(weights_in, type, a, b, c, d));
  return weights.back();
}

static T *input(int64_t a, int64_t b = 1, int64_t c = 1) {
  inputs.push_back(ggml_new_tensor_3d(in, GGML_TYPE_F32, a, b, c));
  ggml_set_input(inputs.back());
  return inputs.back();
}

// ---- Layers ---------------------------------------------------------------------------------------

static ggml_type matrices = GGML_TYPE_F32;  // the type of the weights of linear

static T *linear(T *x, int64_t to, bool bias = true) {
  T *y = ggml_mul_mat(in, weight(x->ne[0], to, 1, 1, matrices), x);
  return bias ? ggml_add(in, y, weight(to)) : y;
}

static T *norm(T *x) { return ggml_add(in, ggml_mul(in, ggml_norm(in, x, 1e-5f), weight(x->ne[0])), weight(x->ne[0])); }

static T *rms(T *x) { return ggml_mul(in, ggml_rms_norm(in, x, 1e-5f), weight(x->ne[0])); }

// attend is attention of the rows of x to the rows of y, with so many heads.
static T *attend(T *x, T *y, int heads, bool bias, T *mask = nullptr) {
  const int64_t d = x->ne[0], n = x->ne[1], m = y->ne[1], h = d / heads;
  T *q = ggml_permute(in, ggml_reshape_3d(in, linear(x, d, bias), h, heads, n), 0, 2, 1, 3);
  T *k = ggml_permute(in, ggml_reshape_3d(in, linear(y, d, bias), h, heads, m), 0, 2, 1, 3);
  T *v = ggml_cont(in, ggml_permute(in, ggml_reshape_3d(in, linear(y, d, bias), h, heads, m), 1, 2, 0, 3));
  T *s = ggml_soft_max_ext(in, ggml_mul_mat(in, k, q), mask, 1 / std::sqrt(float(h)), 0);
  T *o = ggml_cont_2d(in, ggml_permute(in, ggml_mul_mat(in, v, s), 0, 2, 1, 3), d, n);
  return linear(o, d, bias);
}

static T *conv(T *x, int64_t to, int k, int stride = 1) {
  T *y = ggml_conv_2d(in, weight(k, k, x->ne[2], to, GGML_TYPE_F16), x, stride, stride, k / 2, k / 2, 1, 1);
  return ggml_add(in, y, weight(1, 1, to));
}

static T *group(T *x) {
  const int64_t c = x->ne[2];
  return ggml_add(in, ggml_mul(in, ggml_group_norm(in, x, c < 32 ? 8 : 32, 1e-5f), weight(1, 1, c)), weight(1, 1, c));
}

static T *residual(T *x, int64_t to, T *time) {
  T *h = conv(ggml_silu(in, group(x)), to, 3);
  if (time != nullptr) h = ggml_add(in, h, ggml_reshape_3d(in, linear(ggml_silu(in, time), to), 1, 1, to));
  h = conv(ggml_silu(in, group(h)), to, 3);
  return ggml_add(in, x->ne[2] == to ? x : conv(x, to, 1), h);
}

// flat makes rows of channels of an image, and back makes an image of rows.
static T *flat(T *x) { return ggml_cont(in, ggml_transpose(in, ggml_reshape_2d(in, x, x->ne[0] * x->ne[1], x->ne[2]))); }
static T *back(T *x, T *as) { return ggml_reshape_3d(in, ggml_cont(in, ggml_transpose(in, x)), as->ne[0], as->ne[1], as->ne[2]); }

static T *transformer(T *image, T *context, int heads) {
  T *x = flat(conv(group(image), image->ne[2], 1));
  T *a = norm(x);
  x = ggml_add(in, x, attend(a, a, heads, false));
  x = ggml_add(in, x, attend(norm(x), linear(context, x->ne[0], false), heads, false));
  T *f = norm(x);
  x = ggml_add(in, x, linear(ggml_mul(in, linear(f, 4 * x->ne[0]), ggml_gelu(in, linear(f, 4 * x->ne[0]))), x->ne[0]));
  return ggml_add(in, image, conv(back(x, image), image->ne[2], 1));
}

// ---- Architectures --------------------------------------------------------------------------------

static T *unet(bool full) {
  const int64_t side = full ? 64 : 16, c = full ? 320 : 32, words = full ? 77 : 9;
  const int64_t of[] = {1, 2, 4, 4};
  const int heads = full ? 8 : 2;
  T *context = input(full ? 768 : 48, words), *time = linear(ggml_silu(in, linear(input(c), 4 * c)), 4 * c);
  T *h = conv(input(side, side, 4), c, 3);
  std::vector<T *> skips = {h};
  for (int level = 0; level < 4; level++) {
    for (int k = 0; k < 2; k++) {
      h = residual(h, c * of[level], time);
      if (level < 3) h = transformer(h, context, heads);
      skips.push_back(h);
    }
    if (level < 3) skips.push_back(h = conv(h, c * of[level], 3, 2));
  }
  h = residual(transformer(residual(h, 4 * c, time), context, heads), 4 * c, time);
  for (int level = 3; level >= 0; level--) {
    for (int k = 0; k < 3; k++) {
      h = residual(ggml_concat(in, h, skips.back(), 2), c * of[level], time);
      skips.pop_back();
      if (level < 3) h = transformer(h, context, heads);
    }
    if (level > 0) h = conv(ggml_upscale(in, h, 2, GGML_SCALE_MODE_NEAREST), c * of[level], 3);
  }
  return conv(ggml_silu(in, group(h)), 4, 3);
}

static T *vae(bool full) {
  const int64_t side = full ? 64 : 8, c = full ? 128 : 16;
  const int64_t of[] = {4, 4, 2, 1};
  T *h = residual(conv(input(side, side, 4), 4 * c, 3), 4 * c, nullptr);
  T *x = flat(group(h));
  h = residual(ggml_add(in, h, back(attend(x, x, 1, true), h)), 4 * c, nullptr);
  for (int level = 0; level < 4; level++) {
    for (int k = 0; k < 3; k++) h = residual(h, c * of[level], nullptr);
    if (level < 3) h = conv(ggml_upscale(in, h, 2, GGML_SCALE_MODE_NEAREST), c * of[level], 3);
  }
  return conv(ggml_silu(in, group(h)), 3, 3);
}

static T *vision(bool full) {
  const int64_t side = full ? 336 : 56, d = full ? 1024 : 64;
  T *patches = ggml_conv_2d(in, weight(14, 14, 3, d, GGML_TYPE_F16), input(side, side, 3), 14, 14, 0, 0, 1, 1);
  T *x = ggml_concat(in, weight(d), flat(patches), 1);
  x = norm(ggml_add(in, x, weight(d, x->ne[1])));
  for (int layer = 0; layer < (full ? 24 : 4); layer++) {
    T *a = norm(x);
    x = ggml_add(in, x, attend(a, a, full ? 16 : 4, true));
    x = ggml_add(in, x, linear(ggml_gelu_quick(in, linear(norm(x), 4 * d)), d));
  }
  return x;
}

static T *whisper(bool full) {
  const int64_t frames = full ? 3000 : 100, d = full ? 512 : 64;
  T *x = ggml_gelu(in, ggml_add(in, ggml_conv_1d_ph(in, weight(3, 80, d, 1, GGML_TYPE_F16), input(frames, 80), 1, 1), weight(1, d)));
  x = ggml_gelu(in, ggml_add(in, ggml_conv_1d_ph(in, weight(3, d, d, 1, GGML_TYPE_F16), x, 2, 1), weight(1, d)));
  x = ggml_cont(in, ggml_transpose(in, x));
  x = ggml_add(in, x, weight(d, x->ne[1]));
  for (int layer = 0; layer < (full ? 6 : 3); layer++) {
    T *a = norm(x);
    x = ggml_add(in, x, attend(a, a, full ? 8 : 4, true));
    x = ggml_add(in, x, linear(ggml_gelu(in, linear(norm(x), 4 * d)), d));
  }
  return norm(x);
}

static T *llama(bool full) {
  const int64_t d = full ? 4096 : 128, n = full ? 512 : 32, wide = full ? 11008 : 344, heads = full ? 32 : 4, h = d / heads;
  if (full) matrices = GGML_TYPE_Q4_0;
  T *x = input(d, n), *mask = input(n, n), *at = ggml_new_tensor_1d(in, GGML_TYPE_I32, n);
  ggml_set_input(at), inputs.push_back(at);
  for (int layer = 0; layer < (full ? 32 : 4); layer++) {
    T *a = rms(x);
    T *q = ggml_rope(in, ggml_reshape_3d(in, linear(a, d, false), h, heads, n), at, int(h), 0);
    T *k = ggml_rope(in, ggml_reshape_3d(in, linear(a, d, false), h, heads, n), at, int(h), 0);
    T *v = linear(a, d, false);
    q = ggml_permute(in, q, 0, 2, 1, 3), k = ggml_permute(in, k, 0, 2, 1, 3);
    v = ggml_cont(in, ggml_permute(in, ggml_reshape_3d(in, v, h, heads, n), 1, 2, 0, 3));
    T *s = ggml_soft_max_ext(in, ggml_mul_mat(in, k, q), mask, 1 / std::sqrt(float(h)), 0);
    T *o = ggml_cont_2d(in, ggml_permute(in, ggml_mul_mat(in, v, s), 0, 2, 1, 3), d, n);
    x = ggml_add(in, x, linear(o, d, false));
    T *b = rms(x);
    x = ggml_add(in, x, linear(ggml_mul(in, ggml_silu(in, linear(b, wide, false)), linear(b, wide, false)), d, false));
  }
  return linear(rms(x), full ? 32000 : 500, false);
}

// ---- Runs -----------------------------------------------------------------------------------------

static float drawn(uint32_t &state) {
  state = state * 1664525u + 1013904223u;
  return float(state >> 8) / float(1 << 24) - 0.5f;
}

// fill writes numbers into a tensor: small ones, or positions, or a mask of what comes later. Those of matrices and convolutions are scaled by
// how many of them are added up, so that no result grows beyond what 16 bits hold.
static void fill(T *t, uint32_t seed) {
  const size_t n = size_t(ggml_nelements(t));
  const bool kernel = t->type == GGML_TYPE_F16, matrix = !(t->flags & GGML_TENSOR_FLAG_INPUT) && t->ne[0] > 1 && t->ne[1] > 1;
  const float scale = kernel ? 2 / std::sqrt(float(t->ne[0] * t->ne[1] * t->ne[2])) : matrix ? 2 / std::sqrt(float(t->ne[0])) : 0.25f;
  std::vector<float> f(n);
  for (auto &x : f) x = drawn(seed) * scale;
  if (t->flags & GGML_TENSOR_FLAG_INPUT && t->type == GGML_TYPE_F32 && inputs.size() == 3 && t == inputs[1] && t->ne[0] == t->ne[1])
    for (size_t k = 0; k < n; k++) f[k] = int64_t(k) % t->ne[0] > int64_t(k) / t->ne[0] ? -INFINITY : 0;
  std::vector<char> bytes(ggml_nbytes(t));
  if (t->type == GGML_TYPE_F32) std::memcpy(bytes.data(), f.data(), bytes.size());
  if (t->type == GGML_TYPE_F16) ggml_fp32_to_fp16_row(f.data(), reinterpret_cast<ggml_fp16_t *>(bytes.data()), int64_t(n));
  if (t->type == GGML_TYPE_Q4_0) ggml_quantize_chunk(t->type, f.data(), bytes.data(), 0, ggml_nrows(t), t->ne[0], nullptr);
  if (t->type == GGML_TYPE_I32)
    for (size_t k = 0; k < n; k++) reinterpret_cast<int32_t *>(bytes.data())[k] = int32_t(k);
  ggml_backend_tensor_set(t, bytes.data(), 0, bytes.size());
}

static std::vector<char> run(ggml_backend_t cpu, ggml_cgraph *graph, T *out, void *base, size_t size) {
  std::memset(base, 0x7f, size);
  for (size_t k = 0; k < inputs.size(); k++) fill(inputs[k], uint32_t(k) + 1);
  if (ggml_backend_graph_compute(cpu, graph) != GGML_STATUS_SUCCESS) std::exit(1);
  std::vector<char> bytes(ggml_nbytes(out));
  ggml_backend_tensor_get(out, bytes.data(), 0, bytes.size());
  return bytes;
}

// released takes the places of the tensors in a buffer back.
static void released(ggml_cgraph *graph, ggml_backend_buffer_t buffer) {
  for (int k = 0; k < ggml_graph_n_nodes(graph); k++) {
    T *node = ggml_graph_node(graph, k);
    for (T *t : node->src)
      if (t != nullptr && t->buffer == buffer) t->data = nullptr, t->buffer = nullptr;
    if (node->buffer == buffer) node->data = nullptr, node->buffer = nullptr;
  }
}

// allocated runs a graph in the places that ggml_gallocr gives it, and takes these back.
static std::vector<char> allocated(ggml_gallocr_t by, ggml_backend_t cpu, ggml_cgraph *graph, T *out, size_t *bytes) {
  if (!ggml_gallocr_alloc_graph(by, graph)) std::exit(1);
  *bytes = ggml_gallocr_get_buffer_size(by, 0);
  std::vector<char> result = run(cpu, graph, out, ggml_backend_buffer_get_base(inputs[0]->buffer), *bytes);
  released(graph, inputs[0]->buffer);
  return result;
}

// verdict prints whether outputs are the same, and returns the exit code.
static int verdict(const std::vector<char> &own, bool same) {
  double sum = 0;
  for (size_t k = 0; k < own.size() / 4; k++) sum += std::fabs(reinterpret_cast<const float *>(own.data())[k]);
  same = same && std::isfinite(sum) && sum > 0;
  std::printf("; %zu outputs, %s, mean %g\n", own.size() / 4, same ? "equal to the bit" : "DIFFERENT", sum / (double(own.size()) / 4));
  return same ? 0 : 1;
}

#ifdef GALLOCR_PATCHED
extern "C" size_t stowage_gallocr_planner(void *, ggml_gallocr_block *, int, int, size_t);

static int patched(const char *name, ggml_backend_t cpu, ggml_cgraph *graph, T *out) {
  ggml_gallocr_t plain = ggml_gallocr_new(ggml_backend_cpu_buffer_type()), planned = ggml_gallocr_new(ggml_backend_cpu_buffer_type());
  ggml_gallocr_set_planner(planned, stowage_gallocr_planner, nullptr);
  size_t before, after;
  const std::vector<char> own = allocated(plain, cpu, graph, out, &before), ours = allocated(planned, cpu, graph, out, &after);
  std::printf("%s patched: ggml_gallocr %zu bytes, with the planner %zu (%.1f%%)", name, before, after, 100.0 * (double(after) / double(before) - 1));
  return verdict(own, own == ours && after <= before);
}
#else
static int patched(const char *, ggml_backend_t, ggml_cgraph *, T *) {
  std::fprintf(stderr, "this program was built without the patch\n");
  return 2;
}
#endif

static void say(ggml_log_level, const char *text, void *) { std::fputs(text, stderr); }

int main(int argc, char **argv) {
  const std::string name = argc == 3 ? argv[1] : "", how = argc == 3 ? argv[2] : "";
  const bool real = how == "real", placed = how == "full", full = real || placed;
  ggml_init_params room = {size_t(256) << 20, nullptr, true};
  weights_in = ggml_init(room), in = ggml_init(room);
  T *out = name == "unet" ? unet(full) : name == "vae" ? vae(full) : name == "vision" ? vision(full) : name == "whisper" ? whisper(full) : name == "llama" ? llama(full) : nullptr;
  if (out == nullptr || (!full && how != "small" && how != "patched" && how != "log")) {
    std::fprintf(stderr, "usage: graphs unet|vae|vision|whisper|llama full|small|real|patched|log\n");
    return 2;
  }
  ggml_set_output(out);
  ggml_cgraph *graph = ggml_new_graph_custom(in, 16384, false);
  ggml_build_forward_expand(graph, out);
  ggml_backend_t cpu = ggml_backend_cpu_init();
  ggml_backend_cpu_set_n_threads(cpu, 1);
  ggml_backend_buffer_type_t type = ggml_backend_cpu_buffer_type();
  if (placed) {
    for (T *t : weights) t->data = reinterpret_cast<void *>(64);  // they are elsewhere
  } else {
    ggml_backend_alloc_ctx_tensors(weights_in, cpu);
    for (size_t k = 0; k < weights.size(); k++) fill(weights[k], uint32_t(k) + 100);
  }
  if (how == "log") {
    ggml_log_set(say, nullptr);
    ggml_gallocr_t theirs = ggml_gallocr_new(type);
    ggml_gallocr_reserve(theirs, graph);
    std::printf("%zu\n", ggml_gallocr_get_buffer_size(theirs, 0));
    return 0;
  }

  if (how == "patched") return patched(name.c_str(), cpu, graph, out);
  stowage_ggml_plan plan;
  char error[256];
  if (stowage_ggml_alloc_graph(graph, type, &plan, error, sizeof error) != 0) {
    std::fprintf(stderr, "%s\n", error);
    return 1;
  }
  std::printf("%s %s: %d nodes, %d tensors, %d in place; ggml_gallocr %zu bytes, Stowage %zu (%.1f%%), bound %zu", name.c_str(), how.c_str(), ggml_graph_n_nodes(graph),
              plan.tensors, plan.in_place, plan.gallocr_bytes, plan.bytes, 100.0 * (double(plan.bytes) / double(plan.gallocr_bytes) - 1), plan.lower_bound);
  if (placed) return std::puts(""), 0;

  const std::vector<char> planned = run(cpu, graph, out, ggml_backend_buffer_get_base(plan.buffer), plan.bytes);
  const std::vector<char> again = real ? planned : run(cpu, graph, out, ggml_backend_buffer_get_base(plan.buffer), plan.bytes);
  released(graph, plan.buffer);
  ggml_backend_buffer_free(plan.buffer);
  size_t bytes;
  const std::vector<char> own = allocated(ggml_gallocr_new(type), cpu, graph, out, &bytes);
  return verdict(own, planned == own && again == own && plan.bytes <= bytes);
}
