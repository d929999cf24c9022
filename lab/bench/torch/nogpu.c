/* A machine without a GPU as one with an empty GPU of 80 GiB, as far as PyTorch's caching allocator asks.
 *
 * Idea: the allocator decides what to take from the GPU by sizes alone, and never looks at the bytes. So addresses are
 * enough: this library reserves addresses, has nothing behind them, and counts. Loaded before the real runtime, it
 * stands in for libcudart, and names functions of its own when PyTorch asks for those of the driver, by which
 * expandable segments map pages. What it does not know is refused, so an allocator that took another
 * way would fail, and not be measured wrongly. Its soname is that of NVML, which expandable segments ask whether the GPU
 * has a fabric: it has none.
 *
 * Invariant: nogpu_bytes is what is allocated and not freed, or created and not released, in bytes.
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define MEMORY ((size_t)80 << 30)
#define PAGE ((size_t)2 << 20)
#define MOST 65536

size_t nogpu_bytes, nogpu_most; /* the second: the most there ever was of the first */
static struct { uintptr_t at; size_t size; } pieces[MOST]; /* what is allocated or created; at 0 is a free place */
static uintptr_t created = 1;                              /* handles are odd, addresses are even */

static int keep(uintptr_t at, size_t size) {
  if (size > MEMORY - nogpu_bytes) return 0;
  for (int i = 0; i < MOST; i++)
    if (!pieces[i].at) {
      pieces[i].at = at, pieces[i].size = size;
      nogpu_bytes += size;
      if (nogpu_most < nogpu_bytes) nogpu_most = nogpu_bytes;
      return 1;
    }
  return 0;
}

static size_t drop(uintptr_t at) {
  for (int i = 0; at && i < MOST; i++)
    if (pieces[i].at == at) {
      nogpu_bytes -= pieces[i].size, pieces[i].at = 0;
      return pieces[i].size;
    }
  return 0;
}

/* Addresses that begin at a multiple of 2 MiB. What is left at both ends stays reserved. */
static uintptr_t reserve(size_t size) {
  void *p = mmap(NULL, size + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? 0 : ((uintptr_t)p + PAGE - 1) / PAGE * PAGE;
}

cudaError_t cudaMalloc(void **p, size_t size) {
  uintptr_t at = reserve(size);
  if (!at || !keep(at, size)) return cudaErrorMemoryAllocation;
  *p = (void *)at;
  return cudaSuccess;
}
cudaError_t cudaFree(void *p) { return !p || drop((uintptr_t)p) ? cudaSuccess : cudaErrorInvalidValue; }
cudaError_t cudaMemGetInfo(size_t *left, size_t *all) { return *left = MEMORY - nogpu_bytes, *all = MEMORY, cudaSuccess; }
cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
cudaError_t cudaSetDevice(int device) { return device ? cudaErrorInvalidDevice : cudaSuccess; }
cudaError_t cudaDeviceSynchronize(void) { return cudaSuccess; }
cudaError_t cudaGetLastError(void) { return cudaSuccess; }
cudaError_t cudaDriverGetVersion(int *version) { return *version = CUDA_VERSION, cudaSuccess; }
const char *cudaGetErrorString(cudaError_t e) { return e == cudaErrorMemoryAllocation ? "out of memory" : "an error of nogpu.c"; }
const char *cudaGetErrorName(cudaError_t e) { return cudaGetErrorString(e); }
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
  memset(p, 0, sizeof *p);
  strcpy(p->name, "none");
  p->totalGlobalMem = MEMORY, p->major = 8, p->multiProcessorCount = 108;
  return device ? cudaErrorInvalidDevice : cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *most) { return *least = 0, *most = 0, cudaSuccess; }
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *s) {
  return (void)stream, *s = cudaStreamCaptureStatusNone, cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) { return (void)mode, cudaSuccess; }

/* The driver: pages of memory under reserved addresses. */
static CUresult granularity(size_t *bytes, const CUmemAllocationProp *p, CUmemAllocationGranularity_flags how) {
  return (void)p, (void)how, *bytes = PAGE, CUDA_SUCCESS;
}
static CUresult addresses(CUdeviceptr *p, size_t size, size_t alignment, CUdeviceptr wish, unsigned long long flags) {
  (void)wish, (void)flags;
  return alignment <= PAGE && (*p = reserve(size)) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
static CUresult forget(CUdeviceptr p, size_t size) { return munmap((void *)p, size) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; }
static CUresult create(CUmemGenericAllocationHandle *h, size_t size, const CUmemAllocationProp *p, unsigned long long flags) {
  (void)p, (void)flags;
  if (size % PAGE || !keep(created, size)) return CUDA_ERROR_OUT_OF_MEMORY;
  *h = created, created += 2;
  return CUDA_SUCCESS;
}
static CUresult release(CUmemGenericAllocationHandle h) { return drop(h) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
static CUresult map(CUdeviceptr p, size_t size, size_t from, CUmemGenericAllocationHandle h, unsigned long long flags) {
  return (void)size, (void)h, (void)flags, p % PAGE || from ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
static CUresult access(CUdeviceptr p, size_t size, const CUmemAccessDesc *d, size_t count) {
  return (void)p, (void)size, (void)d, count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
static CUresult unmap(CUdeviceptr p, size_t size) { return (void)p, (void)size, CUDA_SUCCESS; }
static CUresult describe(CUresult e, const char **text) { return (void)e, *text = "an error of nogpu.c", CUDA_SUCCESS; }
static CUresult device(CUdevice *d, int ordinal) { return *d = ordinal, CUDA_SUCCESS; }
static CUresult attribute(int *value, CUdevice_attribute what, CUdevice d) { return (void)what, (void)d, *value = 0, CUDA_SUCCESS; }
static CUresult no(void) { return CUDA_ERROR_NOT_SUPPORTED; }

static const struct { const char *name; void (*call)(void); } driver[] = {
#define IS(name, call) {name, (void (*)(void))call}
  IS("cuMemGetAllocationGranularity", granularity), IS("cuMemAddressReserve", addresses), IS("cuMemAddressFree", forget),
  IS("cuMemCreate", create), IS("cuMemRelease", release), IS("cuMemMap", map), IS("cuMemSetAccess", access),
  IS("cuMemUnmap", unmap), IS("cuGetErrorString", describe), IS("cuDeviceGet", device),
  IS("cuDeviceGetAttribute", attribute),
};

/* NVML: there is no device of any address, so no fabric. */
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **found) { return (void)bus, *found = NULL, 0; }
int nvmlDeviceGetNvLinkRemoteDeviceType(void) { return 3; } /* not supported, as the rest */
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void) { return 3; }
int nvmlDeviceGetComputeRunningProcesses(void) { return 3; }
int nvmlSystemGetCudaDriverVersion_v2(void) { return 3; }

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **call, unsigned version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *found) {
  void (*named)(void) = (void (*)(void))no;
  for (size_t i = 0; i < sizeof driver / sizeof *driver; i++)
    if (!strcmp(driver[i].name, name)) named = driver[i].call;
  memcpy(call, &named, sizeof named);
  return (void)version, (void)flags, *found = cudaDriverEntryPointSuccess, cudaSuccess;
}
