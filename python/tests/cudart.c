/* A runtime of CUDA for tests, over malloc: it counts, and stands in for a GPU whose work ends at once. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

long cudart_live, cudart_waits, cudart_events, cudart_fail; /* cudart_fail: so many allocations fail */

int cudaGetDevice(int *device) { return *device = 0; }
int cudaSetDevice(int device) { return device != 0; }
int cudaDeviceSynchronize(void) { return cudart_waits++, 0; }
/* The process may have the real runtime too, whose functions would be called in place of those here. */
static int take(void **p, size_t size) {
  if (cudart_fail > 0) return cudart_fail--, 2;
  *p = aligned_alloc(512, (size + 511) / 512 * 512);
  cudart_live += *p != NULL;
  return *p ? 0 : 2;
}
static int give(void *p) { return cudart_live -= p != NULL, free(p), 0; }
int cudaMalloc(void **p, size_t size) { return take(p, size); }
int cudaFree(void *p) { return give(p); }
int cudaMemset(void *p, int byte, size_t size) { return memset(p, byte, size), 0; }
int cudaMallocAsync(void **p, size_t size, void *stream) { return (void)stream, take(p, size); }
int cudaFreeAsync(void *p, void *stream) { return (void)stream, give(p); }
int cudaDeviceGetDefaultMemPool(void **pool, int device) { return *pool = &cudart_live, device; }
int cudaMemPoolSetAttribute(void *pool, int what, void *value) { return (void)pool, what != 4 || *(uint64_t *)value != UINT64_MAX; }
int cudaMemPoolTrimTo(void *pool, size_t keep) { return (void)pool, (void)keep, 0; }
int cudaEventCreateWithFlags(void **event, unsigned flags) { return *event = malloc(1), flags != 2; }
int cudaEventRecord(void *event, void *stream) { return (void)event, (void)stream, 0; }
int cudaEventDestroy(void *event) { return free(event), 0; }
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags) { return (void)stream, (void)event, cudart_events++, (int)flags; }
