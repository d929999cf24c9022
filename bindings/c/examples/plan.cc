// Plans five buffers in C++, prints where they are, and asks again with a capacity that is
// too small.
//
//     c++ -std=c++17 -I.. plan.cc -L../../../bin/capi -lstowage -Wl,-rpath,$PWD/../../../bin/capi -o plan
#include <cstdio>

#include "stowage.hpp"

int main() {
  try {
    stowage::solver solver;
    solver.buffers({0, 3, 0, 9, 0}, {3, 9, 9, 21, 21}, {4, 4, 4, 4, 4});  // lower, upper, size
    const stowage::plan best = solver.solve();
    std::printf("height %lld, %s\n", (long long)best.height, best.status == stowage::status::optimal ? "the lowest there is" : "maybe not the lowest");
    for (std::size_t i = 0; i < best.offsets.size(); i++) std::printf("%zu at %lld\n", i, (long long)best.offsets[i]);

    stowage::options options;
    options.capacity = 11;
    const stowage::plan tight = solver.set(options).solve();
    if (!tight) std::printf("11 is too little: %s\n", tight.reason.c_str());
  } catch (const stowage::error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
