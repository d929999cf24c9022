// What Arduino adds to a sketch, as far as examples/Plan needs it.
#include <cstdio>

struct {
  void begin(long) {}
  void println(long number) { std::printf("%ld\n", number); }
} Serial;

#include "../../../examples/Plan/Plan.ino"

int main() {
  setup();
  loop();
}
