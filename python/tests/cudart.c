/* CUDA's runtime for tests: memory of the processor, streams whose work ends when a test says so, and CUDA's rules.
 *
 * Loaded before PyTorch, as libcuda.so.1 by its name, it stands in for libcudart and the driver. Nothing is computed. The rules:
 *  - a call that fails sets the last error, and one that succeeds does not clear it; that is done by cudaGetLastError alone;
 *  - an event is done when the work is that its stream had at that time, and what the stream had waited for;
 *  - while a stream captures a graph, waiting for the GPU and asking whether an event is done is an error.
 */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MEMORY ((size_t)1 << 30)
#define MOST 4096
typedef struct node { /* a time in a stream */
  struct stream *stream;
  long given;
} node;
typedef struct stream {
  long given, done; /* pieces of work */
  long waits;
  struct { long from; node until; } wait[256]; /* work after from waits for until */
  int capturing;
} stream;

size_t cudart_limit = MEMORY, cudart_bytes;
long cudart_syncs, cudart_no_events; /* waits for the GPU; not 0: no event can be made */
static int last, capturing;
static struct { char *at; size_t size; } pieces[MOST];
static stream usual, *streams[MOST] = {&usual};

static cudaError_t say(int e) { return e ? last = e, (cudaError_t)e : cudaSuccess; }
static stream *of(cudaStream_t s) { return (uintptr_t)s <= 2 ? &usual : (stream *)s; }
static int done(node n) {
  if (n.stream->done < n.given) return 0;
  for (long i = 0; i < n.stream->waits; i++)
    if (n.stream->wait[i].from < n.given && !done(n.stream->wait[i].until)) return 0;
  return 1;
}

/* What tests say: a stream gets work; its work has ended. */
void cudart_work(cudaStream_t s) { of(s)->given++; }
void cudart_finish(cudaStream_t s) { of(s)->done = of(s)->given; }
/* How much work of another stream a stream's next work comes after. */
long cudart_waited(cudaStream_t s, cudaStream_t other) {
  long most = 0;
  for (long i = 0; i < of(s)->waits; i++)
    if (of(s)->wait[i].until.stream == of(other) && of(s)->wait[i].until.given > most) most = of(s)->wait[i].until.given;
  return most;
}

cudaError_t cudaGetLastError(void) { int e = last; last = 0; return (cudaError_t)e; }
cudaError_t cudaPeekAtLastError(void) { return (cudaError_t)last; }
cudaError_t cudaMalloc(void **p, size_t size) {
  if (size > cudart_limit - cudart_bytes) return say(cudaErrorMemoryAllocation);
  for (int i = 0; i < MOST; i++)
    if (!pieces[i].at) {
      char *at = mmap(NULL, size + (2 << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (at == MAP_FAILED) break;
      *p = pieces[i].at = (char *)(((uintptr_t)at + (2 << 20) - 1) >> 21 << 21);
      cudart_bytes += pieces[i].size = size;
      return cudaSuccess;
    }
  return say(cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void *p) {
  for (int i = 0; p && i < MOST; i++)
    if (pieces[i].at == p) {
      munmap(p, pieces[i].size);
      cudart_bytes -= pieces[i].size, pieces[i].at = NULL;
      return cudaSuccess;
    }
  return p ? say(cudaErrorInvalidValue) : cudaSuccess;
}
cudaError_t cudaMemset(void *p, int byte, size_t size) { return memset(p, byte, size), cudaSuccess; }
cudaError_t cudaMemGetInfo(size_t *left, size_t *all) { return *left = cudart_limit - cudart_bytes, *all = cudart_limit, cudaSuccess; }

cudaError_t cudaGetDeviceCount(int *n) { return *n = 1, cudaSuccess; }
cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
cudaError_t cudaSetDevice(int device) { return say(device ? cudaErrorInvalidDevice : 0); }
cudaError_t cudaDriverGetVersion(int *version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
  memset(p, 0, sizeof *p);
  strcpy(p->name, "none");
  p->totalGlobalMem = MEMORY, p->major = 9, p->multiProcessorCount = 1;
  return say(device ? cudaErrorInvalidDevice : 0);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *most) { return *least = 0, *most = 0, cudaSuccess; }
cudaError_t cudaDeviceSynchronize(void) {
  if (capturing) return say(cudaErrorStreamCaptureUnsupported);
  cudart_syncs++;
  for (int i = 0; i < MOST && streams[i]; i++) streams[i]->done = streams[i]->given;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int priority) {
  (void)flags, (void)priority;
  int i = 0;
  while (streams[i]) i++;
  *s = (cudaStream_t)(streams[i] = calloc(1, sizeof(stream)));
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t s) { return (void)s, cudaDeviceSynchronize(); }
cudaError_t cudaStreamQuery(cudaStream_t s) { return say(of(s)->done < of(s)->given ? cudaErrorNotReady : 0); }
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags) {
  stream *a = of(s);
  (void)flags;
  if (a->waits == 256) abort();
  a->wait[a->waits].from = a->given;
  a->wait[a->waits++].until = *(node *)e;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags) {
  (void)flags;
  if (cudart_no_events) return say(cudaErrorMemoryAllocation);
  *e = calloc(1, sizeof(node));
  ((node *)*e)->stream = &usual;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) { return *(node *)e = (node){of(s), of(s)->given}, cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t e) {
  return say(capturing ? cudaErrorStreamCaptureUnsupported : done(*(node *)e) ? 0 : cudaErrorNotReady);
}
cudaError_t cudaEventSynchronize(cudaEvent_t e) { return (void)e, cudaDeviceSynchronize(); }
cudaError_t cudaEventDestroy(cudaEvent_t e) { return free(e), cudaSuccess; }

/* The driver, as far as PyTorch asks it. */
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) { return (void)device, *flags = 0, *active = 1, 0; }

/* Graphs: they are empty. */
cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode mode) { return (void)mode, of(s)->capturing = 1, capturing++, cudaSuccess; }
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *g) { return of(s)->capturing = 0, capturing--, *g = malloc(1), cudaSuccess; }
cudaError_t cudaStreamIsCapturing(cudaStream_t s, enum cudaStreamCaptureStatus *status) {
  return *status = of(s)->capturing ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone, cudaSuccess;
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *g,
                                     const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges, size_t *n) {
  if (id) *id = 1;
  if (g) *g = NULL;
  if (nodes) *nodes = NULL;
  if (edges) *edges = NULL;
  if (n) *n = 0;
  return cudaStreamIsCapturing(s, status);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) { return (void)mode, cudaSuccess; }
cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *nodes, size_t *n) { return (void)g, (void)nodes, *n = 0, cudaSuccess; }
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *e, cudaGraph_t g, unsigned long long flags) { return (void)g, (void)flags, *e = malloc(1), cudaSuccess; }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *e, cudaGraph_t g, unsigned long long flags) { return cudaGraphInstantiateWithFlags(e, g, flags); }
cudaError_t cudaGraphLaunch(cudaGraphExec_t e, cudaStream_t s) { return (void)e, cudart_work(s), cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t e) { return free(e), cudaSuccess; }
cudaError_t cudaGraphDestroy(cudaGraph_t g) { return free(g), cudaSuccess; }
