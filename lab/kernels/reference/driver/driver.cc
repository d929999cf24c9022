// Runs one operator of TensorFlow Lite Micro at a time, as text on standard input says, and finds how closely its result
// may lie over its operands. Each operator is prepared and invoked by TensorFlow Lite Micro's own KernelRunner.
//
// With TRACE, the kernels are compiled with -fsanitize=thread. The compiler then calls a function before each access
// to memory. These functions are here instead of in the sanitizer's library, and record in order what is read of an
// operand and what is written of a result. So the distance is that of its definition: the end of what was written less
// the first byte of a later read. memcpy, memmove and memset are wrapped by the linker. memcpy counts as a write
// before a read, since its order is its own.
//
// Without TRACE, the kernels are compiled as firmware has them. A result is laid over an operand at the distances that the
// table permits, and the bytes are compared with those of a run apart.
//
// Input, a line for each operator:
//   KIND OPERANDS RESULTS  20 options (see Options)  then for each tensor: TYPE CONSTANT RANK dims COUNT data
//   PAIRS (operand result distance equal)...   equal: at this distance only
// Output, a line for each operator: "ok" and for each pair its answer, or "fail".
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "prelude.h"

namespace {

// Options are an operator's numbers, in the order of the input.
struct Options {
  long stride[2], dilation[2], filter[2], same, multiplier, axis, block, align, half, symmetric, begin, end, ellipsis,
      new_axis, shrink, offset, per_channel;
};
static_assert(sizeof(Options) == 20 * sizeof(long), "as many numbers as a line has");

// Where the operands and the results are, and what was written of each result.
constexpr int kMost = 16;
struct Range {
  const char *from, *to;
};
Range operands[kMost], results[kMost];
int operand_count, result_count;
bool recording;
long written[kMost], least[kMost][kMost];
constexpr long kNever = -(1L << 60);

inline void Read(const void *p) {
  if (!recording) return;
  const char *at = static_cast<const char *>(p);
  for (int o = 0; o < operand_count; o++) {
    if (at < operands[o].from || at >= operands[o].to) continue;
    for (int r = 0; r < result_count; r++) {
      long d = written[r] - (at - operands[o].from);
      if (written[r] != kNever && d > least[o][r]) least[o][r] = d;
    }
  }
}

inline void Write(const void *p, size_t n) {
  if (!recording || n == 0) return;
  const char *at = static_cast<const char *>(p);
  for (int r = 0; r < result_count; r++)
    if (at >= results[r].from && at < results[r].to) {
      long end = at - results[r].from + n;
      if (end > written[r]) written[r] = end;
    }
}

}  // namespace

#ifdef TRACE
extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_read1(void *p) { Read(p); }
void __tsan_read2(void *p) { Read(p); }
void __tsan_read4(void *p) { Read(p); }
void __tsan_read8(void *p) { Read(p); }
void __tsan_read16(void *p) { Read(p); }
void __tsan_unaligned_read2(void *p) { Read(p); }
void __tsan_unaligned_read4(void *p) { Read(p); }
void __tsan_unaligned_read8(void *p) { Read(p); }
void __tsan_unaligned_read16(void *p) { Read(p); }
void __tsan_write1(void *p) { Write(p, 1); }
void __tsan_write2(void *p) { Write(p, 2); }
void __tsan_write4(void *p) { Write(p, 4); }
void __tsan_write8(void *p) { Write(p, 8); }
void __tsan_write16(void *p) { Write(p, 16); }
void __tsan_unaligned_write2(void *p) { Write(p, 2); }
void __tsan_unaligned_write4(void *p) { Write(p, 4); }
void __tsan_unaligned_write8(void *p) { Write(p, 8); }
void __tsan_unaligned_write16(void *p) { Write(p, 16); }
void __tsan_read_range(void *p, unsigned long n) {
  if (n > 0) Read(p);
}
void __tsan_write_range(void *p, unsigned long n) { Write(p, n); }
void __tsan_vptr_update(void **, void *) {}

void *__real_memcpy(void *, const void *, size_t);
void *__real_memmove(void *, const void *, size_t);
void *__real_memset(void *, int, size_t);
void *__wrap_memcpy(void *to, const void *from, size_t n) {
  Write(to, n);
  if (n > 0) Read(from);
  return __real_memcpy(to, from, n);
}
void *__wrap_memmove(void *to, const void *from, size_t n) {
  if (n > 0) Read(from);
  Write(to, n);
  return __real_memmove(to, from, n);
}
void *__wrap_memset(void *to, int value, size_t n) {
  Write(to, n);
  return __real_memset(to, value, n);
}
}
#endif

// The one function that KernelRunner needs of TensorFlow Lite Micro's test_helpers.cc.
namespace tflite {
namespace testing {
TfLiteIntArray *IntArrayFromInts(const int *ints) { return reinterpret_cast<TfLiteIntArray *>(const_cast<int *>(ints)); }
}  // namespace testing
}  // namespace tflite

namespace {

struct Kernel {
  const char *name;
  TFLMRegistration (*make)();
};
#define KERNEL(name) {#name, tflite::Register_##name}
const Kernel kKernels[] = {
    KERNEL(ABS), KERNEL(ADD), KERNEL(ADD_N), KERNEL(AVERAGE_POOL_2D), KERNEL(BATCH_TO_SPACE_ND), KERNEL(CAST),
    KERNEL(CEIL), KERNEL(CONCATENATION), KERNEL(CONV_2D), KERNEL(COS), KERNEL(DEPTHWISE_CONV_2D),
    KERNEL(DEPTH_TO_SPACE), KERNEL(DEQUANTIZE), KERNEL(DIV), KERNEL(ELU), KERNEL(EQUAL), KERNEL(EXP),
    KERNEL(EXPAND_DIMS), KERNEL(FLOOR), KERNEL(FLOOR_DIV), KERNEL(FLOOR_MOD), KERNEL(FULLY_CONNECTED),
    KERNEL(GREATER), KERNEL(GREATER_EQUAL), KERNEL(HARD_SWISH), KERNEL(L2_NORMALIZATION), KERNEL(L2_POOL_2D),
    KERNEL(LEAKY_RELU), KERNEL(LESS), KERNEL(LESS_EQUAL), KERNEL(LOG), KERNEL(LOGICAL_AND), KERNEL(LOGICAL_NOT),
    KERNEL(LOGICAL_OR), KERNEL(LOGISTIC), KERNEL(LOG_SOFTMAX), KERNEL(MAXIMUM), KERNEL(MAX_POOL_2D), KERNEL(MINIMUM),
    KERNEL(MIRROR_PAD), KERNEL(MUL), KERNEL(NEG), KERNEL(NOT_EQUAL), KERNEL(PACK), KERNEL(PAD), KERNEL(PADV2),
    KERNEL(PRELU), KERNEL(QUANTIZE), KERNEL(RELU), KERNEL(RELU6), KERNEL(RESHAPE), KERNEL(RESIZE_BILINEAR),
    KERNEL(RESIZE_NEAREST_NEIGHBOR), KERNEL(ROUND), KERNEL(RSQRT), KERNEL(SIN), KERNEL(SLICE), KERNEL(SOFTMAX),
    KERNEL(SPACE_TO_BATCH_ND), KERNEL(SPACE_TO_DEPTH), KERNEL(SPLIT), KERNEL(SPLIT_V), KERNEL(SQRT), KERNEL(SQUARE),
    KERNEL(SQUARED_DIFFERENCE), KERNEL(SQUEEZE), KERNEL(STRIDED_SLICE), KERNEL(SUB), KERNEL(TANH), KERNEL(UNPACK),
};

// A Parameters is the structure that a kernel gets its options in.
union Parameters {
  TfLiteConvParams conv;
  TfLiteDepthwiseConvParams depthwise;
  TfLitePoolParams pool;
  TfLiteFullyConnectedParams connected;
  TfLiteAddParams add;
  TfLiteSubParams sub;
  TfLiteSoftmaxParams softmax;
  TfLiteConcatenationParams concatenation;
  TfLitePackParams pack;
  TfLiteUnpackParams unpack;
  TfLiteSplitParams split;
  TfLiteStridedSliceParams strided_slice;
  TfLiteResizeBilinearParams bilinear;
  TfLiteResizeNearestNeighborParams nearest;
  TfLiteSpaceToDepthParams space_to_depth;
  TfLiteMirrorPaddingParams mirror;
  TfLiteLeakyReluParams leaky;
  TfLiteReshapeParams reshape;
  char all[512];
};

Parameters Fill(const std::string &kind, const Options &o, int operand_count, int result_count) {
  Parameters p;
  memset(&p, 0, sizeof p);
  const TfLitePadding padding = o.same ? kTfLitePaddingSame : kTfLitePaddingValid;
  if (kind == "CONV_2D") {
    p.conv = {padding, int(o.stride[1]), int(o.stride[0]), kTfLiteActNone, int(o.dilation[1]), int(o.dilation[0]), kTfLiteNoType};
  } else if (kind == "DEPTHWISE_CONV_2D") {
    p.depthwise = {padding, int(o.stride[1]), int(o.stride[0]), int(o.multiplier), kTfLiteActNone, int(o.dilation[1]), int(o.dilation[0])};
  } else if (kind.find("_POOL_2D") != std::string::npos) {
    p.pool.padding = padding;
    p.pool.stride_width = o.stride[1], p.pool.stride_height = o.stride[0];
    p.pool.filter_width = o.filter[1], p.pool.filter_height = o.filter[0];
  } else if (kind == "SOFTMAX") {
    p.softmax.beta = 1;
  } else if (kind == "CONCATENATION") {
    p.concatenation.axis = o.axis;
  } else if (kind == "PACK") {
    p.pack = {operand_count, int(o.axis)};
  } else if (kind == "UNPACK") {
    p.unpack = {result_count, int(o.axis)};
  } else if (kind == "SPLIT" || kind == "SPLIT_V") {
    p.split.num_splits = result_count;
  } else if (kind == "STRIDED_SLICE") {
    p.strided_slice = {int(o.begin), int(o.end), int(o.ellipsis), int(o.new_axis), int(o.shrink), o.offset != 0};
  } else if (kind == "RESIZE_BILINEAR") {
    p.bilinear = {o.align != 0, o.half != 0};
  } else if (kind == "RESIZE_NEAREST_NEIGHBOR") {
    p.nearest = {o.align != 0, o.half != 0};
  } else if (kind == "SPACE_TO_DEPTH" || kind == "DEPTH_TO_SPACE") {
    p.space_to_depth.block_size = o.block;
  } else if (kind == "MIRROR_PAD") {
    p.mirror.mode = o.symmetric ? kTfLiteMirrorPaddingSymmetric : kTfLiteMirrorPaddingReflect;
  } else if (kind == "LEAKY_RELU") {
    p.leaky.alpha = 0.5f;
  }
  return p;
}

// A Tensor has its shape, its bytes, and its quantisation.
struct Tensor {
  TfLiteType type = kTfLiteNoType;
  bool constant = false;
  std::vector<int> dims;      // with the rank in front, as TfLiteIntArray has it
  std::vector<int> elements;  // of a constant that is given
  size_t count = 1, size = 0, bytes = 0;
  std::vector<float> scale;    // with a length in front
  std::vector<int> zero_point;  // with a length in front
  TfLiteAffineQuantization quantization{};
};

size_t SizeOf(TfLiteType t) {
  switch (t) {
    case kTfLiteFloat32: case kTfLiteInt32: return 4;
    case kTfLiteInt16: return 2;
    case kTfLiteInt64: return 8;
    default: return 1;
  }
}

TfLiteType TypeOf(const std::string &s) {
  static const std::map<std::string, TfLiteType> all = {
      {"FLOAT32", kTfLiteFloat32}, {"INT32", kTfLiteInt32}, {"UINT8", kTfLiteUInt8}, {"BOOL", kTfLiteBool},
      {"INT16", kTfLiteInt16}, {"INT8", kTfLiteInt8}, {"INT4", kTfLiteInt4}, {"INT64", kTfLiteInt64}};
  auto found = all.find(s);
  return found == all.end() ? kTfLiteNoType : found->second;
}

// Quantise gives a tensor the scale and the zero point that a kernel asks for, so that results are not all the same:
// taps products are added up for an element of a result, and 0 if there are no products.
void Quantise(const std::string &kind, Tensor &t, TfLiteType first, bool operand, int place, bool per_channel, size_t taps) {
  float scale = 0.5f;
  int zero = 0, n = 1, dimension = 0;
  const bool bias = operand && place == 2 && (kind == "FULLY_CONNECTED" || kind == "CONV_2D" || kind == "DEPTHWISE_CONV_2D");
  if (t.type == kTfLiteFloat32 || t.type == kTfLiteBool) return;
  if ((t.type == kTfLiteInt32 || t.type == kTfLiteInt64) && kind != "QUANTIZE" && !bias) return;
  if (bias) scale = 0.25f;
  if (!operand) {
    const bool wide = t.type == kTfLiteInt16;
    if (kind == "SOFTMAX" || kind == "LOGISTIC") scale = wide ? 1.f / 32768 : 1.f / 256, zero = wide ? 0 : -128;
    if (kind == "SOFTMAX" && wide && first == kTfLiteInt8) scale = 1.f / 65536, zero = -32768;
    if (kind == "LOG_SOFTMAX") scale = 16.f / 256, zero = 127;
    if (kind == "TANH") scale = wide ? 1.f / 32768 : 1.f / 128;
    if (kind == "L2_NORMALIZATION") scale = 1.f / 128;
  }
  if (kind == "RSQRT") zero = operand ? -128 : 0, scale = operand ? 0.5f : 1.f / 128;
  if (operand && (kind == "LOGISTIC" || kind == "TANH")) scale = t.type == kTfLiteInt16 ? 1.f / 4096 : 1.f / 16;
  if (kind == "RELU6") scale = t.type == kTfLiteInt16 ? 1.f / 4096 : 1.f / 16;
  if (!operand && kind == "MUL") scale = t.type == kTfLiteInt16 ? 1400 : 32;
  if (!operand && kind == "PRELU") scale = t.type == kTfLiteInt16 ? 64 : 16;
  if (!operand && taps > 0) scale = (t.type == kTfLiteInt16 ? 13 : 33) * std::sqrt(float(taps));
  if (operand && place == 1 && per_channel) {
    if (kind == "DEPTHWISE_CONV_2D") n = t.dims[4], dimension = 3;
    if (kind == "CONV_2D" || kind == "FULLY_CONNECTED") n = t.dims[1];
  }
  t.scale.assign(n + 1, scale);
  t.zero_point.assign(n + 1, zero);
  const int length = n;
  memcpy(&t.scale[0], &length, sizeof length);
  t.zero_point[0] = n;
  t.quantization = {reinterpret_cast<TfLiteFloatArray *>(t.scale.data()), reinterpret_cast<TfLiteIntArray *>(t.zero_point.data()), dimension};
}

unsigned long state = 1;
unsigned Random() {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state >> 33;
}

// Data fills a tensor with numbers that its operator accepts.
void Data(const std::string &kind, const Tensor &t, char *to) {
  const bool positive = kind == "LOG" || kind == "SQRT" || kind == "RSQRT" || kind.find("DIV") != std::string::npos || kind == "FLOOR_MOD";
  const int few = kind == "EQUAL" || kind == "NOT_EQUAL" ? 3 : 0;  // so that some are equal
  auto whole = [&](int most) { return int(Random() % (few ? few : most)) + 1 - (positive ? 0 : few ? few / 2 : most / 2); };
  for (size_t i = 0; i < t.count; i++) switch (t.type) {
      case kTfLiteFloat32: {
        float x = few ? float(whole(1)) : positive ? 1 + (Random() % 4096) / 1024.f : (Random() % 8192) / 1024.f - 4;
        memcpy(to + 4 * i, &x, 4);
        break;
      }
      case kTfLiteInt32: {
        int x = t.elements.size() > i ? t.elements[i] : whole(1000);
        memcpy(to + 4 * i, &x, 4);
        break;
      }
      case kTfLiteInt64: {
        long x = whole(1000);
        memcpy(to + 8 * i, &x, 8);
        break;
      }
      case kTfLiteInt16: {
        short x = whole(20000);
        memcpy(to + 2 * i, &x, 2);
        break;
      }
      case kTfLiteBool: to[i] = Random() % 2; break;
      case kTfLiteInt4: to[i / 2] = Random(); break;
      case kTfLiteUInt8: to[i] = 1 + Random() % 254; break;
      default: to[i] = positive ? whole(126) : whole(252);
    }
}

struct Case {
  std::string kind;
  Options options;
  std::vector<Tensor> tensors;
  int operands, results;
};

char memory[1 << 20];

// Run invokes an operator with its tensors where data says. It returns false if the kernel refuses it.
bool Run(Case &c, const std::vector<char *> &data) {
  const Kernel *kernel = nullptr;
  for (const Kernel &k : kKernels)
    if (c.kind == k.name) kernel = &k;
  if (kernel == nullptr) return false;
  // KernelRunner has 10,000 bytes for temporaries. SPLIT and SPLIT_V take 24 for each block that they copy.
  if (c.kind == "SPLIT" || c.kind == "SPLIT_V") {
    const Tensor &x = c.tensors[c.kind == "SPLIT"], &axis = c.tensors[c.kind == "SPLIT" ? 0 : 2];
    size_t outer = 1;
    for (int d = 0; d < (axis.elements[0] + x.dims[0]) % x.dims[0]; d++) outer *= x.dims[1 + d];
    if (24 * (outer * c.results + 8) > 9000) return false;
  }
  std::vector<TfLiteTensor> tensors(c.tensors.size());
  std::vector<std::vector<int>> dims(c.tensors.size());
  std::vector<int> in = {c.operands}, out = {c.results};
  for (size_t i = 0; i < c.tensors.size(); i++) {
    Tensor &t = c.tensors[i];
    TfLiteTensor &x = tensors[i];
    memset(&x, 0, sizeof x);
    dims[i] = t.dims;
    x.type = t.type;
    x.dims = reinterpret_cast<TfLiteIntArray *>(dims[i].data());
    x.bytes = t.bytes;
    x.data.raw = data[i];
    x.allocation_type = t.constant ? kTfLiteMmapRo : kTfLiteArenaRw;
    if (!t.scale.empty()) {
      x.quantization = {kTfLiteAffineQuantization, &t.quantization};
      x.params = {t.scale[1], t.zero_point[1]};
    }
    (int(i) < c.operands ? in : out).push_back(i);
  }
  Parameters p = Fill(c.kind, c.options, c.operands, c.results);
  const TFLMRegistration registration = kernel->make();
  tflite::micro::KernelRunner runner(registration, tensors.data(), tensors.size(), reinterpret_cast<TfLiteIntArray *>(in.data()),
                                     reinterpret_cast<TfLiteIntArray *>(out.data()), &p);
  if (runner.InitAndPrepare() != kTfLiteOk) return false;
  recording = true;
  const bool ok = runner.Invoke() == kTfLiteOk;
  recording = false;
  return ok;
}

// Place lays all tensors apart, from a place of the memory on.
std::vector<char *> Place(const Case &c, char *at) {
  std::vector<char *> out;
  for (const Tensor &t : c.tensors) {
    out.push_back(at);
    at += (t.bytes + 127) / 64 * 64;
  }
  return out;
}

// Overlapped runs a case with a result at a distance from an operand and compares it with a run apart: 1 if all results
// are equal, 0 if one differs, -1 if the kernel refuses it.
int Overlapped(Case &c, int o, int r, long distance, unsigned seed) {
  const size_t size = c.tensors[o].bytes, all = c.tensors[c.operands + r].bytes;
  std::vector<char *> apart = Place(c, memory), over = Place(c, memory + sizeof memory / 2);
  char *block = over.back() + c.tensors.back().bytes + 64;
  block += (64 - reinterpret_cast<size_t>(block) % 64) % 64 + (distance < 0 ? (-distance + 63) / 64 * 64 : 0);
  over[c.operands + r] = block;
  over[o] = block + distance;
  if (block + all + size + (distance > 0 ? distance : 0) > memory + sizeof memory) abort();
  for (const std::vector<char *> *d : {&apart, &over}) {
    state = 0x9E3779B97F4A7C15ul * (seed + 1);
    for (int i = 0; i < c.operands; i++)
      if (i != o) Data(c.kind, c.tensors[i], (*d)[i]);
    Data(c.kind, c.tensors[o], (*d)[o]);
    if (!Run(c, *d)) return -1;
  }
  for (int k = 0; k < c.results; k++)
    if (memcmp(apart[c.operands + k], over[c.operands + k], c.tensors[c.operands + k].bytes) != 0) return 0;
  return 1;
}

bool ReadCase(Case &c) {
  char word[64];
  if (scanf("%63s %d %d", word, &c.operands, &c.results) != 3) return false;
  c.kind = word;
  for (size_t i = 0; i < 20; i++)
    if (scanf("%ld", reinterpret_cast<long *>(&c.options) + i) != 1) return false;
  for (int i = 0; i < c.operands + c.results; i++) {
    Tensor t;
    int constant, rank, n, x;
    if (scanf("%63s %d %d", word, &constant, &rank) != 3) return false;
    t.type = TypeOf(word), t.constant = constant, t.size = SizeOf(t.type);
    t.dims.push_back(rank);
    for (int d = 0; d < rank; d++) {
      if (scanf("%d", &x) != 1) return false;
      t.dims.push_back(x), t.count *= x;
    }
    if (scanf("%d", &n) != 1) return false;
    for (int d = 0; d < n; d++) {
      if (scanf("%d", &x) != 1) return false;
      t.elements.push_back(x);
    }
    t.bytes = t.type == kTfLiteInt4 ? (t.count + 1) / 2 : t.count * t.size;
    c.tensors.push_back(t);
  }
  size_t taps = 0;
  if (c.kind == "CONV_2D" || c.kind == "FULLY_CONNECTED") taps = c.tensors[1].count / c.tensors[1].dims[1];
  if (c.kind == "DEPTHWISE_CONV_2D") taps = c.tensors[1].count / c.tensors[1].dims[4];
  for (int i = 0; i < c.operands + c.results; i++)
    Quantise(c.kind, c.tensors[i], c.tensors[0].type, i < c.operands, i < c.operands ? i : i - c.operands, c.options.per_channel, taps);
  return true;
}

}  // namespace

int main() {
  for (;;) {
    Case c;
    if (!ReadCase(c)) return feof(stdin) ? 0 : 1;
    int pairs;
    if (scanf("%d", &pairs) != 1) return 1;
    std::vector<long> asked(4 * pairs);
    for (long &x : asked)
      if (scanf("%ld", &x) != 1) return 1;
#ifdef TRACE
    std::vector<char *> data = Place(c, memory);
    state = 88172645463325252ul;
    operand_count = c.operands, result_count = c.results;
    for (int i = 0; i < c.operands; i++) {
      Data(c.kind, c.tensors[i], data[i]);
      operands[i] = {data[i], data[i] + c.tensors[i].bytes};
    }
    for (int i = 0; i < c.results; i++) {
      results[i] = {data[c.operands + i], data[c.operands + i] + c.tensors[c.operands + i].bytes};
      written[i] = kNever;
    }
    for (auto &row : least)
      for (long &x : row) x = kNever;
    if (!Run(c, data)) {
      puts("fail");
      continue;
    }
    printf("ok");
    for (int o = 0; o < c.operands; o++)
      for (int r = 0; r < c.results; r++)
        if (!c.tensors[o].constant) printf(" %d %d %ld", o, r, least[o][r]);
#else
    // For each pair: how many of the runs at its distance and above differ, and how far below it no run of some differs.
    constexpr unsigned kSeeds = 4;
    constexpr int kSteps = 64;
    printf("ok");
    for (int k = 0; k < pairs; k++) {
      const int o = asked[4 * k], r = asked[4 * k + 1];
      const bool equal = asked[4 * k + 3] != 0;
      const long d = asked[4 * k + 2], end = c.tensors[c.operands + r].bytes;
      const long step = std::min(c.tensors[o].size, c.tensors[c.operands + r].size);
      long wrong = 0, slack = 0;
      int refused = 0;
      for (unsigned seed = 0; seed < kSeeds && !refused; seed++)
        for (long at : {d, d + step, d + 3 * step, (d + end) / 2 / step * step, end - step}) {
          if (at < d || (equal && at > d)) continue;
          const int got = Overlapped(c, o, r, at, seed);
          refused |= got < 0;
          wrong += got == 0;
        }
      for (; slack < kSteps && !refused && !wrong && !equal; slack++) {
        if (d - (slack + 1) * step < -long(c.tensors[o].bytes)) break;
        bool same = true;
        for (unsigned seed = 0; seed < 2 * kSeeds && same; seed++) same = Overlapped(c, o, r, d - (slack + 1) * step, seed) == 1;
        if (!same) break;
      }
      printf(" %d %d %ld", o, r, refused ? -1 : wrong ? -2 : slack * step);
    }
#endif
    puts("");
  }
}
