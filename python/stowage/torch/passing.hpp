// An allocator for GPUs that passes everything on to the one that was there before it.
//
// Idea: cuda.cpp changes a few functions of PyTorch's caching allocator. This file has the others, one line each.
//
// Invariant: every virtual function of c10::cuda::CUDACachingAllocator::CUDAAllocator is here or in cuda.cpp. One that is
// not would be that of the interface, which refuses or does nothing.
#pragma once

#include <c10/cuda/CUDACachingAllocator.h>

#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace {

namespace caching = c10::cuda::CUDACachingAllocator;
using c10::DeviceIndex;
using c10::MempoolId_t;

caching::CUDAAllocator* before = nullptr; // the allocator that was there

struct Passing : caching::CUDAAllocator {
  void copy_data(void* to, const void* from, size_t n) const override { before->copy_data(to, from, n); }
  bool initialized() override { return before->initialized(); }
  caching::DeviceStats getDeviceStats(DeviceIndex device) override { return before->getDeviceStats(device); }
  void resetAccumulatedStats(DeviceIndex device) override { before->resetAccumulatedStats(device); }
  void resetPeakStats(DeviceIndex device) override { before->resetPeakStats(device); }
  std::pair<size_t, size_t> getMemoryInfo(DeviceIndex device) override { return before->getMemoryInfo(device); }
  void init(int devices) override { before->init(devices); }
  double getMemoryFraction(DeviceIndex device) override { return before->getMemoryFraction(device); }
  void setMemoryFraction(double fraction, DeviceIndex device) override { before->setMemoryFraction(fraction, device); }
  std::vector<caching::StreamSegmentSize> getExpandableSegmentSizes(DeviceIndex device) override {
    return before->getExpandableSegmentSizes(device);
  }
  void enable(bool value) override { before->enable(value); }
  bool isEnabled() const override { return before->isEnabled(); }
  void cacheInfo(DeviceIndex device, size_t* largest) override { before->cacheInfo(device, largest); }
  caching::SnapshotInfo snapshot(MempoolId_t id, bool traces) override { return before->snapshot(id, traces); }
  void releasePool(DeviceIndex device, MempoolId_t id) override { before->releasePool(device, id); }
  int getPoolUseCount(DeviceIndex device, MempoolId_t id) override { return before->getPoolUseCount(device, id); }
  void createOrIncrefPool(DeviceIndex device, MempoolId_t id, std::shared_ptr<CUDAAllocator> of) override {
    before->createOrIncrefPool(device, id, std::move(of));
  }
  void setUseOnOOM(DeviceIndex device, MempoolId_t id, bool use) override { before->setUseOnOOM(device, id, use); }
  void setNoSplit(DeviceIndex device, MempoolId_t id) override { before->setNoSplit(device, id); }
  bool checkPoolLiveAllocations(DeviceIndex device, MempoolId_t id, const std::unordered_set<void*>& live) override {
    return before->checkPoolLiveAllocations(device, id, live);
  }
  std::shared_ptr<void> getIpcDevPtr(std::string handle) override { return before->getIpcDevPtr(std::move(handle)); }
  bool isHistoryEnabled() override { return before->isHistoryEnabled(); }
  std::shared_ptr<c10::GatheredContext> getContextForPointer(const void* p) override {
    return before->getContextForPointer(p);
  }
  void recordHistory(bool on, caching::CreateContextFn recorder, size_t most, caching::RecordContext when,
      bool clear, const std::vector<std::string>& skip) override {
    before->recordHistory(on, recorder, most, when, clear, skip);
  }
  void recordAnnotation(const std::vector<std::pair<std::string, std::string>>& pairs) override {
    before->recordAnnotation(pairs);
  }
  void pushCompileContext(std::string& text) override { before->pushCompileContext(text); }
  void popCompileContext() override { before->popCompileContext(); }
  bool supportsUserMetadata() override { return before->supportsUserMetadata(); }
  void setUserMetadata(const std::string& text) override { before->setUserMetadata(text); }
  std::string getUserMetadata() override { return before->getUserMetadata(); }
  void annotateMemory(const void* p, const std::string& text) override { before->annotateMemory(p, text); }
  void attachOutOfMemoryObserver(caching::OutOfMemoryObserver observer) override {
    before->attachOutOfMemoryObserver(std::move(observer));
  }
  void attachOomRejectionObserver(caching::OomRejectionObserver observer) override {
    before->attachOomRejectionObserver(std::move(observer));
  }
  void attachAllocatorTraceTracker(caching::AllocatorTraceTracker tracker) override {
    before->attachAllocatorTraceTracker(std::move(tracker));
  }
  void enablePeerAccess(DeviceIndex device, DeviceIndex other) override { before->enablePeerAccess(device, other); }
  cudaError_t memcpyAsync(void* to, int at, const void* from, int other, size_t n, cudaStream_t stream,
      bool peers) override {
    return before->memcpyAsync(to, at, from, other, n, stream, peers);
  }
  std::shared_ptr<caching::AllocatorState> getCheckpointState(DeviceIndex device, MempoolId_t id) override {
    return before->getCheckpointState(device, id);
  }
  caching::CheckpointDelta setCheckpointPoolState(DeviceIndex device,
      std::shared_ptr<caching::AllocatorState> state) override {
    return before->setCheckpointPoolState(device, std::move(state));
  }
  c10::DataPtr allocateWithAddress(size_t n, void* p) override { return before->allocateWithAddress(n, p); }
  std::string name() override { return before->name(); }
};

} // namespace
