// The interface of MLIR's planners of static memory, in the shape that the adapter needs: the names and fields of
// llvm-project's header of this path (acc36a08), over the standard library in place of LLVM's containers.
#ifndef STATIC_MEMORY_PLANNING_H
#define STATIC_MEMORY_PLANNING_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace llvm {
template <class T>
using SmallVector = std::vector<T>;
template <class T>
class ArrayRef {
 public:
  ArrayRef(const std::vector<T> &all) : all(all) {}
  std::size_t size() const { return all.size(); }
  const T &operator[](std::size_t i) const { return all[i]; }
  const T *begin() const { return all.data(); }
  const T *end() const { return all.data() + all.size(); }

 private:
  const std::vector<T> &all;
};
}  // namespace llvm

namespace mlir {
namespace bufferization {
struct MemoryPlannerAlloc {
  int64_t sizeInBytes = 0;
  int64_t alignment = 1;
  int64_t timeStart = 0;
  int64_t timeEnd = 0;
};
llvm::SmallVector<int64_t> bestFitMemoryPlanner(int64_t arenaAlignment, llvm::ArrayRef<MemoryPlannerAlloc> allocs);
llvm::SmallVector<int64_t> stowageMemoryPlanner(int64_t arenaAlignment, llvm::ArrayRef<MemoryPlannerAlloc> allocs);
}  // namespace bufferization
}  // namespace mlir
#endif
