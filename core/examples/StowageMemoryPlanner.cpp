//===- StowageMemoryPlanner.cpp - Static memory planning by Stowage -------===//
//
// A third planner for MLIR's pass of static memory plans, beside those of
// mlir/Dialect/Bufferization/Transforms/StaticMemoryPlanning.h. To try it: put this file, stowage_core.c and
// stowage_core.h into lib/Dialect/Bufferization/Transforms, name the first two in its CMakeLists.txt, declare
// stowageMemoryPlanner in the header, and call it where the pass calls bestFitMemoryPlanner.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/Transforms/StaticMemoryPlanning.h"
#include "stowage_core.h"
#include <algorithm>
#include <limits>
#include <vector>

using namespace mlir::bufferization;

/// Lowest packing that is found within a fixed number of search nodes, so the
/// same allocations have the same offsets on every machine. Falls back to best
/// fit for sizes and times that the core refuses. Allocations without bytes lie
/// at 0 and take no part.
/// Complexity: O(n^2) before the search, where n is the number of allocations.
llvm::SmallVector<int64_t> mlir::bufferization::stowageMemoryPlanner(
    int64_t arenaAlignment, llvm::ArrayRef<MemoryPlannerAlloc> allocs) {
  llvm::SmallVector<int64_t> offsets(allocs.size(), 0);
  int64_t earliest = std::numeric_limits<int64_t>::max();
  int64_t latest = 0;
  for (const MemoryPlannerAlloc &alloc : allocs) {
    earliest = std::min(earliest, alloc.timeStart);
    latest = std::max(latest, alloc.timeEnd);
  }
  if (allocs.size() == 0)
    return offsets;
  // Operation indices are not negative, so the difference has room.
  if (earliest < 0 || latest - earliest > std::numeric_limits<int32_t>::max() ||
      allocs.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    return bestFitMemoryPlanner(arenaAlignment, allocs);

  std::vector<stowage_core_buffer> buffers;
  std::vector<size_t> which; // the allocation of each buffer
  for (size_t i = 0; i < allocs.size(); ++i) {
    const MemoryPlannerAlloc &alloc = allocs[i];
    if (alloc.sizeInBytes == 0)
      continue;
    buffers.push_back({static_cast<int32_t>(alloc.timeStart - earliest),
                       static_cast<int32_t>(alloc.timeEnd - earliest),
                       alloc.sizeInBytes, alloc.alignment});
    which.push_back(i);
  }
  if (buffers.empty())
    return offsets;

  const stowage_core_problem problem = {
      buffers.data(), static_cast<int32_t>(buffers.size()), nullptr, nullptr, 0, nullptr, 0};
  const stowage_core_options options = {/*capacity=*/0, /*nodes=*/10000, nullptr, nullptr};
  std::vector<char> workspace(stowage_core_workspace(&problem, STOWAGE_CORE_LEVEL));
  std::vector<stowage_core_size> planned(buffers.size());
  stowage_core_result result;
  int status = stowage_core_plan(&problem, &options, workspace.data(), workspace.size(), planned.data(), &result);
  if (status != STOWAGE_CORE_OPTIMAL && status != STOWAGE_CORE_FEASIBLE)
    return bestFitMemoryPlanner(arenaAlignment, allocs);
  for (size_t k = 0; k < which.size(); ++k)
    offsets[which[k]] = planned[k];
  return offsets;
}
