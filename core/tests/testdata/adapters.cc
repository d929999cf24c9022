// A driver of the adapters in core/examples. It answers each line of its input with one:
//
//	mlir N {LOWER UPPER SIZE ALIGNMENT}...       by the adapter: OFFSET...
//	c N {LOWER UPPER SIZE ALIGNMENT}...          by stowage_core_plan itself: OFFSET...
//	l1 BEGIN END ALIGNMENT OPERATIONS {CIRCULAR}... N {FIRST LAST SIZE}...
//	                                             USAGE BOUND GAP ADDRESS..., or none
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "../../examples/l1_planner.hpp"
#include "mlir/Dialect/Bufferization/Transforms/StaticMemoryPlanning.h"

using mlir::bufferization::MemoryPlannerAlloc;

// What the adapter falls back to: here one after another, so that a test sees it.
llvm::SmallVector<int64_t> mlir::bufferization::bestFitMemoryPlanner(int64_t,
                                                                     llvm::ArrayRef<MemoryPlannerAlloc> allocs) {
  llvm::SmallVector<int64_t> offsets;
  int64_t end = 0;
  for (const auto &a : allocs) {
    offsets.push_back((end + a.alignment - 1) / a.alignment * a.alignment);
    end = offsets.back() + a.sizeInBytes;
  }
  return offsets;
}

static std::vector<MemoryPlannerAlloc> read() {
  size_t n;
  std::cin >> n;
  std::vector<MemoryPlannerAlloc> allocs(n);
  for (auto &a : allocs) std::cin >> a.timeStart >> a.timeEnd >> a.sizeInBytes >> a.alignment;
  return allocs;
}

static void print(const std::vector<int64_t> &all) {
  for (size_t i = 0; i < all.size(); ++i) std::cout << (i ? " " : "") << all[i];
}

static std::vector<int64_t> plain(const std::vector<MemoryPlannerAlloc> &allocs) {
  std::vector<stowage_core_buffer> buffers;
  for (const auto &a : allocs)
    buffers.push_back({int32_t(a.timeStart), int32_t(a.timeEnd), a.sizeInBytes, a.alignment});
  stowage_core_problem problem{buffers.data(), int32_t(buffers.size()), nullptr, nullptr, 0, nullptr, 0};
  stowage_core_options options{0, 10000, nullptr, nullptr};
  std::vector<char> space(stowage_core_workspace(&problem, STOWAGE_CORE_LEVEL));
  std::vector<int64_t> offsets(buffers.size());
  stowage_core_result result;
  if (stowage_core_plan(&problem, &options, space.data(), space.size(), offsets.data(), &result) < 0) offsets.clear();
  return offsets;
}

static void tensix() {
  l1::Window window;
  size_t operations, n;
  std::cin >> window.begin >> window.end >> window.alignment >> operations;
  std::vector<int64_t> circular(operations);
  for (auto &c : circular) std::cin >> c;
  std::cin >> n;
  std::vector<l1::Request> tensors(n);
  for (auto &t : tensors) std::cin >> t.first >> t.last >> t.size;
  auto stats = l1::plan(tensors, circular, window);
  if (!stats) {
    std::cout << "none";
    return;
  }
  std::cout << stats->usage << " " << stats->bound << " " << stats->gap;
  for (const auto &t : tensors) std::cout << " " << t.address;
}

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string what; std::cin >> what; std::cout << std::endl) {
    if (what == "mlir") {
      auto allocs = read();
      int64_t most = 1;
      for (const auto &a : allocs) most = std::max(most, a.alignment);
      print(mlir::bufferization::stowageMemoryPlanner(most, allocs));
    } else if (what == "c") {
      print(plain(read()));
    } else {
      tensix();
    }
  }
}
