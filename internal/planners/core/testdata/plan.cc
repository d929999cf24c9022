// Plans three buffers by stowage_core.hpp. The exit code says what was wrong.
#include "stowage_core.hpp"

#include <vector>

int main() {
  const stowage_core_buffer buffers[] = {{0, 3, 64, 16}, {1, 4, 32, 16}, {3, 6, 64, 16}};
  const stowage_core_link links[] = {{1, 0, 0}};
  stowage::core::Problem problem{buffers};
  std::vector<stowage_core_size> offsets(3);
  std::vector<std::byte> workspace(problem.workspace());
  auto plan = problem.plan(workspace, offsets);
  if (plan.status != STOWAGE_CORE_OPTIMAL || plan.result.height != 96) return 1;
  if (problem.check(offsets) != 96) return 2;
  problem.links = links;
  plan = problem.plan(workspace, offsets, 1000);
  if (!plan.fits() || offsets[0] != offsets[1]) return 3;
  if (problem.plan(workspace, offsets, 32).status != STOWAGE_CORE_INFEASIBLE) return 4;
  if (problem.plan({}, offsets).status != STOWAGE_CORE_NO_WORKSPACE) return 5;
  const stowage_core_size fixed[] = {0, 64, -1};
  problem.links = {}, problem.fixed = fixed;
  if (!problem.plan(workspace, offsets).fits() || offsets[1] != 64) return 6;
  problem.fixed = std::span(fixed, 1);  // too short: no call reads beyond it
  if (problem.plan(workspace, offsets).status != STOWAGE_CORE_INVALID) return 7;
  return problem.workspace() == 0 && problem.check(offsets) == -1 ? 0 : 8;
}
