// A compiler's hook: what XLA's heap simulator, MLIR's memory planning or TVM's USMP
// call to place what they allocate. They have values with a first and a last use, a
// size and an alignment, and want an offset in each: columns go in, offsets come out,
// and no text is made on the way.
//
//     c++ -std=c++17 -I.. hook.cc -L../../../bin/capi -lstowage -o hook
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include "stowage.h"

// What a compiler knows of a value.
struct Allocation {
  int64_t firstUse, lastUse; // instructions, both included
  int64_t bytes, alignment;
  int64_t offset = -1; // the answer
};

// A planner that is kept from function to function: its memory is used again.
class Planner {
 public:
  Planner() : solver_(stowage_new(), stowage_free) {
    if (!solver_) throw std::bad_alloc();
  }

  // Gives each allocation its offset and returns the size of the arena. The timeout is
  // for graphs that are hard; the best plan so far counts then.
  int64_t assign(std::vector<Allocation> &all, std::chrono::nanoseconds timeout = {}) {
    const size_t n = all.size();
    for (auto *column : {&lower_, &upper_, &size_, &alignment_, &offset_}) column->resize(n);
    for (size_t i = 0; i < n; i++) {
      lower_[i] = all[i].firstUse;
      upper_[i] = all[i].lastUse + 1; // half-open
      size_[i] = all[i].bytes;
      alignment_[i] = all[i].alignment;
    }
    check(stowage_set_buffers(solver_.get(), int64_t(n), lower_.data(), upper_.data(), size_.data()));
    check(stowage_set_alignments(solver_.get(), alignment_.data()));
    check(stowage_set(solver_.get(), STOWAGE_TIMEOUT_NS, timeout.count()));
    const int status = check(stowage_solve(solver_.get(), offset_.data()));
    if (status != STOWAGE_FEASIBLE && status != STOWAGE_OPTIMAL) throw std::runtime_error("no plan");
    for (size_t i = 0; i < n; i++) all[i].offset = offset_[i];
    stowage_result r;
    check(stowage_get_result(solver_.get(), &r, sizeof r));
    return r.height;
  }

 private:
  int check(int code) {
    if (code < 0) throw std::runtime_error(stowage_error(solver_.get()));
    return code;
  }

  std::unique_ptr<stowage_solver, void (*)(stowage_solver *)> solver_;
  std::vector<int64_t> lower_, upper_, size_, alignment_, offset_;
};

// A function of n values, most of which die soon, as in a network: a made one.
static std::vector<Allocation> function(int n) {
  std::vector<Allocation> all;
  uint32_t state = 12345;
  auto draw = [&](uint32_t below) { return int64_t((state = state * 1664525 + 1013904223) >> 8) % below; };
  for (int i = 0; i < n; i++) {
    const int64_t last = i + 1 + draw(3) + (draw(8) == 0 ? draw(12) : 0);
    all.push_back({i, last, 64 * (1 + draw(200)), 64});
  }
  return all;
}

int main() {
  Planner planner;
  for (int n : {20, 100, 700}) {
    auto all = function(n);
    int64_t arena = 0, sum = 0;
    auto least = std::chrono::nanoseconds::max();
    for (int round = 0; round < 5; round++) {
      const auto begin = std::chrono::steady_clock::now();
      arena = planner.assign(all);
      least = std::min(least, std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin));
    }
    for (const auto &a : all) sum += a.bytes;
    for (const auto &a : all)
      for (const auto &b : all)
        if (&a < &b && a.firstUse <= b.lastUse && b.firstUse <= a.lastUse && a.offset < b.offset + b.bytes &&
            b.offset < a.offset + a.bytes)
          return std::fprintf(stderr, "two values share bytes\n"), 1;
    std::printf("%d values: %lld bytes, of %lld without sharing\n", n, (long long)arena, (long long)sum);
    std::fprintf(stderr, "%d values: %.1f us\n", n, double(least.count()) / 1e3);
  }
}
