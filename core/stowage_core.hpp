// stowage_core.hpp: stowage_core.h with spans, for C++20. Optional: C++ may call the C interface as it is.
//
//   stowage::core::Problem problem{buffers};
//   std::vector<std::byte> workspace(problem.workspace());
//   std::vector<stowage_core_size> offsets(buffers.size());
//   auto plan = problem.plan(workspace, offsets, capacity);
//   if (plan.fits()) use(offsets, plan.result.height);
#ifndef STOWAGE_CORE_HPP
#define STOWAGE_CORE_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "stowage_core.h"

namespace stowage::core {

struct Plan {
  int status;  // STOWAGE_CORE_OPTIMAL and so on
  stowage_core_result result;
  bool fits() const { return status == STOWAGE_CORE_OPTIMAL || status == STOWAGE_CORE_FEASIBLE; }
};

// A problem, as in stowage_core.h. It does not own what its spans show. fixed is empty, or as long as buffers; otherwise
// the problem is not valid.
struct Problem {
  std::span<const stowage_core_buffer> buffers;
  std::span<const stowage_core_size> fixed = {};
  std::span<const stowage_core_link> links = {};
  std::span<const stowage_core_gap> gaps = {};

  std::size_t workspace(int level = STOWAGE_CORE_LEVEL) const {
    const stowage_core_problem p = c();
    return stowage_core_workspace(&p, level);
  }
  // offsets must be as long as buffers. capacity 0 asks for the lowest plan.
  Plan plan(std::span<std::byte> workspace, std::span<stowage_core_size> offsets, stowage_core_size capacity = 0,
            std::int64_t nodes = 10000, int (*cancel)(void *) = nullptr, void *context = nullptr) const {
    const stowage_core_problem p = c();
    const stowage_core_options o = {capacity, nodes, cancel, context};
    Plan plan{STOWAGE_CORE_INVALID, {}};
    if (offsets.size() < buffers.size()) return plan;
    plan.status = stowage_core_plan(&p, &o, workspace.data(), workspace.size(), offsets.data(), &plan.result);
    return plan;
  }
#if STOWAGE_CORE_LEVEL >= 2
  stowage_core_size check(std::span<const stowage_core_size> offsets) const {
    const stowage_core_problem p = c();
    return offsets.size() < buffers.size() ? -1 : stowage_core_check(&p, offsets.data());
  }
#endif

 private:
  stowage_core_problem c() const {
    const bool valid = fixed.empty() || fixed.size() == buffers.size();
    return {buffers.data(), valid ? count(buffers) : -1, fixed.empty() ? nullptr : fixed.data(),
            links.data(),   count(links),                gaps.data(),
            count(gaps)};
  }
  template <typename T>
  static std::int32_t count(std::span<T> list) {  // -1, which is not valid, if there are too many
    return list.size() <= INT32_MAX ? static_cast<std::int32_t>(list.size()) : -1;
  }
};

}  // namespace stowage::core
#endif
