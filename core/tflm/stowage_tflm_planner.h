// stowage_tflm_planner.h: a memory planner for TensorFlow Lite Micro that plans with stowage_core. The runtime's arena
// becomes as small as a plan can make it when the device starts: no offline plan is needed, and no model changes.
//
//	static stowage::TflmPlanner planner;
//	auto* allocator = tflite::MicroAllocator::Create(arena, sizeof arena, &planner);
//	tflite::MicroInterpreter interpreter(model, resolver, allocator);
//
// Idea: the runtime hands over the unused rest of the arena as scratch. It holds the buffers (16 bytes each; the greedy
// planner takes 40), and what is left is the workspace of stowage_core. If that is too small, stowage_core leaves
// techniques out. If not even its heuristics have room, or offline offsets share bytes, first fit by size plans among
// the buffers themselves; its plan is that of the greedy planner. The lower plan wins.
// Invariant: no plan is higher than the greedy planner's, and none takes more scratch. Offline offsets stay.
// Complexity: that of stowage_core with so many nodes; first fit: O(n^3) at worst.
//
// Compile stowage_core.c beside it. With STOWAGE_CORE_SIZE32 for both, the workspace is smaller. C++17, no allocation.
#ifndef STOWAGE_TFLM_PLANNER_H
#define STOWAGE_TFLM_PLANNER_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "stowage_core.h"
#include "tensorflow/lite/c/common.h"
#include "tensorflow/lite/micro/compatibility.h"
#include "tensorflow/lite/micro/memory_planner/micro_memory_planner.h"
#include "tensorflow/lite/micro/micro_arena_constants.h"
#include "tensorflow/lite/micro/micro_log.h"

namespace tflite {
namespace micro {}
}  // namespace tflite

namespace stowage {

// The runtime has these names in tflite or, in versions since October 2026, in tflite::micro.
namespace runtime {
using namespace tflite;
using namespace tflite::micro;
}  // namespace runtime

class TflmPlanner : public runtime::MicroMemoryPlanner {
 public:
  // The search takes at most so many nodes; 0: heuristics alone. A model whose plan is at its load needs none.
  explicit TflmPlanner(int32_t nodes = 2000) : nodes_(nodes < 0 ? 0 : nodes) {}

  // Begins a plan. scratch is needed until the last offset is asked for.
  TfLiteStatus Init(unsigned char* scratch, int bytes) override {
    rest_ = scratch;
    left_ = scratch == nullptr || bytes < 0 ? 0 : static_cast<size_t>(bytes);
    count_ = 0, level_ = 0, height_ = 0, planned_ = false;
    buffers_ = Carve<Buffer>(0);
    return kTfLiteOk;  // without room, AddBuffer says so: the runtime does not look at what Init returns
  }

  TfLiteStatus AddBuffer(int size, int first, int last) override { return Add(size, first, last, kFree); }

  TfLiteStatus AddBuffer(int size, int first, int last, int offline_offset) override {
    if (offline_offset < kFree) {
      MicroPrintf("Stowage: buffer %d has the offline offset %d", count_, offline_offset);
      return kTfLiteError;
    }
    return Add(size, first, last, offline_offset);
  }

  // The height of the plan; 0 if there is none.
  size_t GetMaximumMemorySize() override { return Plan() ? static_cast<size_t>(height_) : 0; }

  int GetBufferCount() override { return count_; }

  TfLiteStatus GetOffsetForBuffer(int index, int* offset) override {
    if (index < 0 || index >= count_) {
      MicroPrintf("Stowage: there is no buffer %d, there are %d", index, count_);
      return kTfLiteError;
    }
    if (!Plan()) return kTfLiteError;
    *offset = buffers_[index].offset;
    return kTfLiteOk;
  }

  bool preserves_all_tensors() const override { return false; }

  void PrintMemoryPlan() override {
    if (!Plan()) return;
    for (int i = 0; i < count_; i++) {
      const Buffer& b = buffers_[i];
      MicroPrintf("%d: offset %d, size %d, used from %d to %d", i, b.offset, b.size, b.first, b.last);
    }
    MicroPrintf("Stowage: %d buffers in %d bytes", count_, height_);
  }

  // Which techniques the scratch had room for: the level of stowage_core, or 0 for first fit alone.
  int level() const { return level_; }

 private:
  static constexpr int32_t kFree = -1;  // as the runtime marks it

  struct Buffer {
    int32_t size, first, last;
    int32_t offset;  // kFree, or the offline offset; after Plan the offset
  };

  // Takes room for count elements from the scratch. The result is nullptr, and nothing is taken, if there is none.
  template <typename T>
  T* Carve(int count) {
    const size_t pad = (alignof(T) - reinterpret_cast<uintptr_t>(rest_) % alignof(T)) % alignof(T);
    if (left_ < pad || (left_ - pad) / sizeof(T) < static_cast<size_t>(count)) return nullptr;
    const size_t bytes = pad + static_cast<size_t>(count) * sizeof(T);
    T* const at = reinterpret_cast<T*>(rest_ + pad);
    rest_ += bytes, left_ -= bytes;
    return at;
  }

  TfLiteStatus Add(int size, int first, int last, int offset) {
    if (planned_) {
      MicroPrintf("Stowage: buffer %d comes after the plan was made", count_);
      return kTfLiteError;
    }
    if (size < 0 || last < first || last == INT_MAX || offset > INT_MAX - size) {
      MicroPrintf("Stowage: buffer %d is not valid: size %d, used from %d to %d, offset %d", count_, size, first, last,
                  offset);
      return kTfLiteError;
    }
    if (buffers_ == nullptr || Carve<Buffer>(1) == nullptr) {
      MicroPrintf("Stowage: the arena has no room to plan more than %d buffers", count_);
      return kTfLiteError;
    }
    buffers_[count_++] = {size, first, last, offset};
    return kTfLiteOk;
  }

  bool Plan() {
    if (planned_ || count_ == 0) return true;
    stowage_core_result result = {};
    stowage_core_size* offsets = nullptr;
    const bool optimal = Core(&offsets, &result) == STOWAGE_CORE_OPTIMAL;
    if (!optimal && !FirstFit()) return false;
    if (result.height > 0 && (optimal || result.height < Height())) {
      for (int i = 0, k = 0; i < count_; i++) {
        // Buffers of no bytes are not in the problem.
        buffers_[i].offset = buffers_[i].size > 0 ? static_cast<int32_t>(offsets[k++]) : 0;
      }
    }
    height_ = Height();
    return planned_ = true;
  }

  // Plans with stowage_core. Its offsets stay in the scratch, and result->height is 0 if there are none.
  int Core(stowage_core_size** offsets, stowage_core_result* result) {
    stowage_core_buffer* const given = Carve<stowage_core_buffer>(count_);
    bool any = false;
    for (int i = 0; i < count_; i++) any = any || buffers_[i].offset != kFree;
    stowage_core_size* const fixed = Carve<stowage_core_size>(any ? count_ : 0);
    *offsets = Carve<stowage_core_size>(count_);
    if (given == nullptr || fixed == nullptr || *offsets == nullptr) return STOWAGE_CORE_NO_WORKSPACE;
    const int32_t step = static_cast<int32_t>(runtime::MicroArenaBufferAlignment());
    int32_t n = 0;
    for (int i = 0; i < count_; i++) {
      const Buffer& b = buffers_[i];
      if (b.size == 0) continue;
      given[n] = {b.first, b.last + 1, b.size, b.offset > 0 && b.offset % step != 0 ? 1 : step};
      if (any) fixed[n] = b.offset;
      n++;
    }
    const stowage_core_problem problem = {given, n, any ? fixed : nullptr, nullptr, 0, nullptr, 0};
    const stowage_core_options options = {0, nodes_, nullptr, nullptr};
    const int status = stowage_core_plan(&problem, &options, rest_, left_, *offsets, result);
    if (result->height > INT_MAX) {
      result->height = 0;
      return STOWAGE_CORE_INVALID;
    }
    level_ = result->height > 0 ? static_cast<int>(result->level) : 0;
    return status;
  }

  // Places the largest buffer that has no offset, of equal ones the last, at the lowest offset, until all have one.
  bool FirstFit() {
    const int64_t step = static_cast<int64_t>(runtime::MicroArenaBufferAlignment());
    for (;;) {
      Buffer* next = nullptr;
      for (int i = 0; i < count_; i++) {
        Buffer& b = buffers_[i];
        if (b.offset == kFree && (next == nullptr || b.size >= next->size)) next = &b;
      }
      if (next == nullptr) return true;
      int64_t at = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < count_; i++) {
          const Buffer& b = buffers_[i];
          if (b.offset == kFree || b.first > next->last || next->first > b.last) continue;
          const int64_t end = static_cast<int64_t>(b.offset) + b.size;
          if (b.offset >= at + next->size || at >= end) continue;
          at = (end + step - 1) / step * step, moved = true;
        }
      }
      if (at > INT_MAX - next->size) {
        MicroPrintf("Stowage: the plan is larger than %d bytes", INT_MAX);
        return false;
      }
      next->offset = static_cast<int32_t>(at);
    }
  }

  int32_t Height() const {
    int32_t height = 0;
    for (int i = 0; i < count_; i++) {
      const int32_t end = buffers_[i].offset + buffers_[i].size;
      height = height < end ? end : height;
    }
    return height;
  }

  const int32_t nodes_;
  unsigned char* rest_ = nullptr;  // the unused scratch, and its bytes
  size_t left_ = 0;
  Buffer* buffers_ = nullptr;
  int count_ = 0, level_ = 0;
  int32_t height_ = 0;
  bool planned_ = false;

  TF_LITE_REMOVE_VIRTUAL_DELETE
};

}  // namespace stowage

#endif  // STOWAGE_TFLM_PLANNER_H
