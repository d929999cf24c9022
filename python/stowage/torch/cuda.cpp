// PyTorch's allocator for GPUs of NVIDIA, with an arena of stowage_arena.h in front of it.
//
// Idea: c10::cuda::CUDACachingAllocator::allocator points to PyTorch's caching allocator. Ours takes its place and
// passes everything on, but for what is allocated in a step: the arena serves that from its block, which is one
// allocation of the caching allocator. So lack of memory, retries, statistics, snapshots, the pools of graphs and
// memory that processes share are answered by PyTorch's own code, and tensors from before stay as they are.
//
// Streams: a plan knows a stream by its place, the order in which streams first allocate in steps of the arena, so a
// plan of another process fits. Each place has its own region of the block, so bytes pass only between kernels of
// one stream, which run in order. A stream that is new to a block waits once for the stream in which the block was
// taken, and the block is recorded as used by it, so that PyTorch gives the block to nobody before this stream's
// work has ended.
//
// If Tensor.record_stream names another stream, the tensor's free waits: an event is recorded in that stream at the
// free, and the arena gets the bytes back when the event is done. Nobody waits. Events are looked at before each
// allocation, and not while a graph is captured, which forbids it. If no event can be made, the GPU is waited for
// instead.
//
// Invariant: bytes that another stream may still use are live for the arena. A call of CUDA that fails here leaves
// no last error, which PyTorch would report at its next call.
//
// Graphs: what a capture allocates goes to the pool of its graph, as PyTorch says it (beginAllocateToPool), in a
// step too.
//
// Tried and dropped: CUDAPluggableAllocator, which answers neither statistics nor snapshots, and needs the caching
// allocator's work done again; MemPool, whose allocator is only asked for segments of 2 MiB and more.
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <array>
#include <exception>
#include <unordered_map>
#include <utility>
#include <vector>

#include "passing.hpp"
#include "slots.hpp"

namespace {

constexpr size_t ALIGNMENT = 512; // that of the caching allocator

// A block of an arena. The event is done when the work has ended that the stream had when it took the block.
struct Block {
  char* base;
  size_t size;
  cudaStream_t stream;
  cudaEvent_t taken;
};

// What a slot has on its GPU.
struct Side {
  DeviceIndex device = 0;
  std::vector<cudaStream_t> streams; // by place
  std::vector<Block> blocks;
};

// A served address that was freed while other streams may use it.
struct Late {
  int slot;
  void* at;
  std::vector<cudaStream_t> streams; // in which no event is recorded yet
  std::vector<cudaEvent_t> events;   // that were not done
};

// Where allocations go of the streams that a filter names: a graph's, or that of torch.cuda.use_mem_pool.
struct Pool {
  DeviceIndex device;
  MempoolId_t id;
  std::function<bool(cudaStream_t)> filter;
};

std::mutex guard; // of all below; never held while an arena is called
Side sides[SLOTS];
std::unordered_map<void*, std::vector<cudaStream_t>> uses; // of live served addresses, by other streams
std::vector<Late> late;
std::vector<Pool> pools;
std::atomic<size_t> used{0}, waiting{0}, pooled{0}; // how many these are; read without the lock
std::atomic<int> captures{0};                       // graphs that are being captured

thread_local const cudaStream_t* asking = nullptr; // the stream of what an arena is asked for; null: it takes a block
thread_local std::exception_ptr failed;            // what the caching allocator threw, which may not pass through C

// good returns if a call of CUDA succeeded, and clears the last error if not.
bool good(cudaError_t e) {
  if (e == cudaSuccess) return true;
  (void)cudaGetLastError();
  return false;
}

// A DataPtr as the caching allocator knows it, which does not free.
struct Lent {
  c10::DataPtr data;
  Lent(void* p, DeviceIndex device) : data(p, p, before->raw_deleter(), c10::Device(c10::kCUDA, device)) {}
  ~Lent() {
    data.release_context();
  }
};

// admit lets a stream use a block: after the work of the stream that took it.
void admit(const Block& b, cudaStream_t stream, DeviceIndex device) {
  if (stream == b.stream) return;
  if (!b.taken || !good(cudaStreamWaitEvent(stream, b.taken, 0))) good(cudaDeviceSynchronize());
  before->recordStream(Lent(b.base, device).data, c10::cuda::getStreamFromExternal(stream, device));
}

uint64_t place(Side& s, cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(guard);
  for (size_t i = 0; i < s.streams.size(); i++)
    if (s.streams[i] == stream) return i;
  for (const Block& b : s.blocks) admit(b, stream, s.device);
  s.streams.push_back(stream);
  return s.streams.size() - 1;
}

void* take_block(Side& s, size_t size) {
  if (captures.load() > 0) return nullptr;
  c10::cuda::CUDAGuard on(s.device);
  before->emptyCache({0, 0}); // what the steps before the plan have left
  cudaStream_t stream = c10::cuda::getCurrentCUDAStream(s.device).stream();
  Block b = {static_cast<char*>(before->raw_alloc_with_stream(size, stream)), size, stream, nullptr};
  if (!good(cudaEventCreateWithFlags(&b.taken, cudaEventDisableTiming))) b.taken = nullptr;
  if (b.taken && !good(cudaEventRecord(b.taken, stream))) {
    good(cudaEventDestroy(b.taken));
    b.taken = nullptr;
  }
  std::lock_guard<std::mutex> lock(guard);
  for (cudaStream_t other : s.streams) admit(b, other, s.device);
  s.blocks.push_back(b);
  return b.base;
}

void* upstream_malloc(void* context, size_t size, size_t, uint64_t) {
  try {
    return asking ? before->raw_alloc_with_stream(size, *asking) : take_block(*static_cast<Side*>(context), size);
  } catch (...) {
    failed = std::current_exception();
    return nullptr;
  }
}

void upstream_free(void* context, void* p, size_t, uint64_t) {
  Side& s = *static_cast<Side*>(context);
  {
    std::lock_guard<std::mutex> lock(guard);
    for (size_t i = 0; i < s.blocks.size(); i++)
      if (s.blocks[i].base == p) {
        if (s.blocks[i].taken) good(cudaEventDestroy(s.blocks[i].taken));
        s.blocks.erase(s.blocks.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
  }
  before->raw_delete(p);
}

// fill is for tests, which poison what nobody uses.
void fill(void* context, void* p, int byte, size_t size) {
  c10::cuda::CUDAGuard on(static_cast<Side*>(context)->device);
  good(cudaDeviceSynchronize());
  good(cudaMemset(p, byte, size));
  good(cudaDeviceSynchronize());
}

// done returns if no other stream uses a freed address any more.
bool done(Late& x) {
  c10::cuda::CUDAGuard on(sides[x.slot].device);
  for (; !x.streams.empty(); x.streams.pop_back()) {
    cudaEvent_t event = nullptr;
    if (good(cudaEventCreateWithFlags(&event, cudaEventDisableTiming))) {
      x.events.push_back(event);
      if (good(cudaEventRecord(event, x.streams.back()))) continue;
      x.events.pop_back();
      good(cudaEventDestroy(event));
    }
    if (!good(cudaDeviceSynchronize())) return false; // it stays live
  }
  for (; !x.events.empty() && good(cudaEventQuery(x.events.back())); x.events.pop_back())
    good(cudaEventDestroy(x.events.back()));
  return x.events.empty();
}

// settle frees what waits for events that are done.
void settle() {
  if (!waiting.load() || captures.load() > 0) return;
  std::vector<Late> ended;
  {
    std::lock_guard<std::mutex> lock(guard);
    for (size_t i = late.size(); i-- > 0;) {
      if (!done(late[i])) continue;
      ended.push_back(std::move(late[i]));
      late.erase(late.begin() + static_cast<std::ptrdiff_t>(i));
    }
    waiting = late.size();
  }
  for (const Late& x : ended) {
    stowage_arena_free(slots[x.slot].arena, x.at);
    drop(slots[x.slot]);
  }
}

void release(int at, void* p) {
  if (used.load()) {
    std::unique_lock<std::mutex> lock(guard);
    auto found = uses.find(p);
    if (found != uses.end()) {
      late.push_back({at, p, std::move(found->second), {}});
      uses.erase(found);
      used = uses.size();
      waiting = late.size();
      lock.unlock();
      settle(); // records the events
      return;
    }
  }
  stowage_arena_free(slots[at].arena, p);
  drop(slots[at]);
}

template <size_t I>
void release_of(void* p) {
  release(static_cast<int>(I), p);
}

template <size_t... I>
constexpr std::array<c10::DeleterFnPtr, SLOTS> releases(std::index_sequence<I...>) {
  return {&release_of<I>...};
}
constexpr auto RELEASE = releases(std::make_index_sequence<SLOTS>());

// release_raw frees what raw_alloc gave out, ours or not.
void release_raw(void* p) {
  int at = holder(p);
  if (at < 0) {
    before->raw_delete(p);
    return;
  }
  release(at, p);
  drop(slots[at]); // for this look
}

// open_on returns the slot whose step serves a GPU, or -1: the innermost of this thread, or the latest for all threads.
int open_on(DeviceIndex device) {
  int at = mine ? innermost() : -1;
  if (at < 0) at = everyones.load(std::memory_order_relaxed);
  if (at < 0 || sides[at].device == device) return at;
  at = -1;
  for (int i = 0; i < static_cast<int>(SLOTS); i++)
    if (slots[i].open > 0 && sides[i].device == device && (at < 0 || slots[i].turn > slots[at].turn)) at = i;
  return at;
}

bool to_pool(DeviceIndex device, cudaStream_t stream) {
  if (!pooled.load()) return false;
  std::lock_guard<std::mutex> lock(guard);
  for (const Pool& pool : pools)
    if (pool.device == device && pool.filter(stream)) return true;
  return false;
}

// serve allocates in the step that is open. It returns null if there is none, and throws if there is no memory.
void* serve(size_t size, DeviceIndex device, cudaStream_t stream, int& at) {
  settle();
  at = size ? open_on(device) : -1;
  if (at < 0 || to_pool(device, stream) || !hold(slots[at])) return nullptr;
  uint64_t region = place(sides[at], stream);
  failed = nullptr;
  asking = &stream;
  void* p = stowage_arena_malloc(slots[at].arena, size, ALIGNMENT, region);
  asking = nullptr;
  if (p) return p;
  drop(slots[at]);
  if (failed) std::rethrow_exception(std::exchange(failed, nullptr));
  return nullptr;
}

// base_of returns the block that an address is in; the address itself if it is in none.
void* base_of(void* p) {
  std::lock_guard<std::mutex> lock(guard);
  for (const Side& s : sides)
    for (const Block& b : s.blocks)
      if (p >= b.base && p < b.base + b.size) return b.base;
  return p;
}

// The rest is in passing.hpp.
struct Allocator final : Passing {
  c10::DataPtr allocate(size_t n) override {
    auto stream = c10::cuda::getCurrentCUDAStream();
    int at = -1;
    void* p = serve(n, stream.device_index(), stream.stream(), at);
    if (!p) return before->allocate(n);
    return {p, p, RELEASE[static_cast<size_t>(at)], stream.device()};
  }
  void* raw_alloc(size_t n) override {
    auto stream = c10::cuda::getCurrentCUDAStream();
    int at = -1;
    void* p = serve(n, stream.device_index(), stream.stream(), at);
    return p ? p : before->raw_alloc(n);
  }
  void* raw_alloc_with_stream(size_t n, cudaStream_t stream) override {
    int at = -1;
    void* p = serve(n, c10::cuda::current_device(), stream, at);
    return p ? p : before->raw_alloc_with_stream(n, stream);
  }
  void raw_delete(void* p) override { release_raw(p); }
  c10::DeleterFnPtr raw_deleter() const override { return &release_raw; }

  void recordStream(const c10::DataPtr& data, c10::cuda::CUDAStream stream) override {
    void* p = data.get();
    int at = holder(p);
    if (at < 0) {
      before->recordStream(data, stream);
      return;
    }
    if (stowage_arena_owns(slots[at].arena, p)) {
      std::lock_guard<std::mutex> lock(guard);
      auto& streams = uses[p];
      bool known = false;
      for (cudaStream_t other : streams) known |= other == stream.stream();
      if (!known) streams.push_back(stream.stream());
      used = uses.size();
    } else {
      before->recordStream(Lent(p, data.device().index()).data, stream);
    }
    drop(slots[at]);
  }

  void beginAllocateToPool(DeviceIndex device, MempoolId_t id, std::function<bool(cudaStream_t)> filter) override {
    {
      std::lock_guard<std::mutex> lock(guard);
      pools.push_back({device, id, filter});
      pooled = pools.size();
    }
    before->beginAllocateToPool(device, id, std::move(filter));
  }
  void endAllocateToPool(DeviceIndex device, MempoolId_t id) override {
    before->endAllocateToPool(device, id);
    std::lock_guard<std::mutex> lock(guard);
    for (size_t i = 0; i < pools.size(); i++)
      if (pools[i].device == device && pools[i].id == id) {
        pools.erase(pools.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
    pooled = pools.size();
  }
  void markCaptureBegin(DeviceIndex device) override {
    captures++;
    before->markCaptureBegin(device);
  }
  void markCaptureEnd(DeviceIndex device) override {
    before->markCaptureEnd(device);
    captures--;
  }
  void emptyCache(MempoolId_t id) override {
    settle();
    before->emptyCache(id);
  }

  // A tensor in a block lies within the block's allocation, for processes that share it.
  void* getBaseAllocation(void* p, size_t* size) override { return before->getBaseAllocation(base_of(p), size); }
  caching::ShareableHandle shareIpcHandle(void* p) override {
    void* base = base_of(p);
    auto handle = before->shareIpcHandle(base);
    handle.offset += static_cast<char*>(p) - static_cast<char*>(base);
    return handle;
  }
};

} // namespace

static bool install(stowage_arena_upstream& up, int slot, int device) {
  static Allocator* ours = new Allocator; // for ever: tensors outlive all else
  if (!before) {
    before = caching::allocator.load();
    caching::allocator.store(ours);
    c10::SetAllocator(c10::kCUDA, ours, 100);
  }
  std::lock_guard<std::mutex> lock(guard);
  sides[slot] = {static_cast<DeviceIndex>(device), {}, {}};
  up = {upstream_malloc, upstream_free, fill, &sides[slot], 1};
  return caching::allocator.load() == ours;
}
