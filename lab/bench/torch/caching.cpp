// What PyTorch's caching allocator takes from a GPU for a list of allocations: the allocator itself, out of PyTorch's
// wheel (libc10_cuda.so), over nogpu.c in place of a GPU.
//
// The allocations come on standard input: "a NUMBER SIZE" takes, "f NUMBER" gives back. It prints the most that the
// allocator had reserved, the most that was allocated by its own account, and the most that nogpu.c gave out. The
// environment says how the allocator works: PYTORCH_ALLOC_CONF, as everywhere.
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/PeerToPeerAccess.h>
#include <cstdio>
#include <unordered_map>

extern "C" size_t nogpu_most;

int main() {
  namespace allocator = c10::cuda::CUDACachingAllocator;
  c10::cuda::detail::init_p2p_access_cache(1);
  allocator::init(1);
  std::unordered_map<long, void *> live;
  char what;
  long number;
  while (std::scanf(" %c %ld", &what, &number) == 2) {
    if (what == 'a') {
      long size;
      if (std::scanf("%ld", &size) != 1 || size < 1) return 2;
      live[number] = allocator::raw_alloc(static_cast<size_t>(size));
    } else if (what == 'f' && live.count(number)) {
      allocator::raw_delete(live[number]);
      live.erase(number);
    } else {
      return 2;
    }
  }
  const auto stats = allocator::getDeviceStats(0);
  std::printf("%lld %lld %zu\n", static_cast<long long>(stats.reserved_bytes[0].peak), static_cast<long long>(stats.allocated_bytes[0].peak), nogpu_most);
}
