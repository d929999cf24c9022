// l1_planner.hpp: plans a core's L1 that is used from two ends, as on Tenstorrent's chips below tt-mlir. The circular
// buffers of each operation grow from the lower end, and tensors lie above them, towards the upper end.
//
// Idea: an operation's circular buffers are one buffer at the fixed offset 0 that lives as long as the operation. The
// core finds the lowest plan of all. Then all tensors move up by what is left of the window.
//
// Invariant: at each operation the tensors lie above its circular buffers, so moving them up keeps a plan right. The
// bytes that are left are a gap between both ends at every operation: its circular buffers may grow by so much. If the
// plan is optimal, no plan has a larger gap at its tightest operation.
//
// Source: requests with an inclusive first and last operation, and a window of addresses, are those of tt-mlir's
// allocation::Planner and of its option available-l1-addr-range (tt-mlir#5946).
#ifndef L1_PLANNER_HPP
#define L1_PLANNER_HPP

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "stowage_core.h"

namespace l1 {

struct Request {
  std::int64_t size;          // bytes, at least 1
  std::int32_t first, last;   // operations, both included
  std::int64_t address = -1;  // set by plan
};

struct Window {
  std::int64_t begin, end;  // addresses that may be used: [begin, end)
  std::int64_t alignment;   // of each tensor's address, at least 1
};

struct Stats {
  std::int64_t usage;  // bytes of the lowest plan, for circular buffers and tensors
  std::int64_t bound;  // no plan needs less
  std::int64_t gap;    // left between both ends at each operation; negative: it does not fit, and no address is set
};

// Sets the tensors' addresses. circular[k] is how many bytes the circular buffers of operation k take, from begin on,
// which is rounded up to the alignment. Returns none if a size, a time or the window is not valid.
inline std::optional<Stats> plan(std::vector<Request> &tensors, const std::vector<std::int64_t> &circular,
                                 const Window &window) {
  if (window.alignment < 1 || window.begin < 0 || window.begin > window.end ||
      tensors.size() > std::numeric_limits<std::int32_t>::max() / 2 ||
      circular.size() > std::numeric_limits<std::int32_t>::max() / 2 ||
      window.alignment > std::numeric_limits<std::int64_t>::max() - window.end)
    return std::nullopt;
  const std::int64_t begin = (window.begin + window.alignment - 1) / window.alignment * window.alignment;
  std::vector<stowage_core_buffer> buffers;
  std::vector<stowage_core_size> fixed(tensors.size(), -1);
  for (const Request &t : tensors) {
    if (t.last == std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    buffers.push_back({t.first, t.last + 1, t.size, window.alignment});
  }
  for (std::size_t k = 0, same = 0; k < circular.size(); k = same) {  // as many bytes for some operations: one buffer
    for (same = k; same < circular.size() && circular[same] == circular[k]; ++same) continue;
    if (circular[k] == 0) continue;
    buffers.push_back({static_cast<std::int32_t>(k), static_cast<std::int32_t>(same), circular[k], 1});
    fixed.push_back(0);
  }
  if (buffers.empty()) return Stats{0, 0, window.end - begin};

  const stowage_core_problem problem = {
      buffers.data(), static_cast<std::int32_t>(buffers.size()), fixed.data(), nullptr, 0, nullptr, 0};
  std::vector<char> workspace(stowage_core_workspace(&problem, STOWAGE_CORE_LEVEL));
  std::vector<stowage_core_size> offsets(buffers.size());
  stowage_core_result found;
  auto core = [&](std::int64_t capacity, std::int64_t nodes) {  // whether there is a plan, which is in offsets then
    const stowage_core_options options = {capacity, nodes, nullptr, nullptr};
    const int status =
        stowage_core_plan(&problem, &options, workspace.data(), workspace.size(), offsets.data(), &found);
    return status == STOWAGE_CORE_OPTIMAL || status == STOWAGE_CORE_FEASIBLE;
  };
  const std::int64_t room = window.end - begin;
  if (!core(0, 10000)) return std::nullopt;
  std::int64_t usage = found.height;
  const std::int64_t bound = found.bound;
  if (usage > room && bound <= room && core(room, 100000)) usage = found.height;  // easier to find than the lowest
  if (usage > room) return Stats{usage, bound, room - usage};
  const std::int64_t gap = (room - usage) / window.alignment * window.alignment;
  for (std::size_t i = 0; i < tensors.size(); ++i) tensors[i].address = begin + gap + offsets[i];
  return Stats{usage, bound, gap};
}

}  // namespace l1
#endif
