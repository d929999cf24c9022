/* A program that records its steps, plans them by itself, and is then served from the plan: without Go, without a file.
 *
 *     cc -std=c99 -DSTOWAGE_ARENA_CORE -Iarena -Icore examples/arena/in_process.c arena/stowage_arena.c \
 *         core/stowage_core.c -lpthread
 */
#include <stdio.h>

#include "stowage_arena.h"

/* step stands for the work: layers that need a buffer of their own, and what they hand on. */
static void step(stowage_arena *a) {
  void *input = stowage_arena_malloc(a, 60000, 0, 0);
  for (int layer = 1; layer <= 6; layer++) {
    void *scratch = stowage_arena_malloc(a, (size_t)(7000 * layer), 0, 0);
    void *output = stowage_arena_malloc(a, (size_t)(70000 - 9000 * layer), 0, 0);
    stowage_arena_free(a, input);
    stowage_arena_free(a, scratch);
    input = output;
  }
  stowage_arena_free(a, input);
}

int main(void) {
  stowage_arena *a = stowage_arena_new(NULL);
  stowage_arena_statistics s;
  char error[200];
  if (!a) return 1;
  stowage_arena_record(a, 2);
  for (int i = 0; i < 10; i++) {
    if (i == 2 && stowage_arena_plan(a, NULL) != STOWAGE_ARENA_OK) { /* the other steps are then served by upstream */
      stowage_arena_error(a, error, sizeof error);
      fprintf(stderr, "%s\n", error);
    }
    int level = stowage_arena_begin(a, NULL);
    step(a);
    stowage_arena_end(a, level);
  }
  stowage_arena_stats(a, &s, sizeof s);
  printf("%llu served, %llu not; a block of %llu bytes, no plan has less than %llu\n", (unsigned long long)s.all.served,
         (unsigned long long)(s.all.outside + s.all.missed), (unsigned long long)s.block, (unsigned long long)s.bound);
  return stowage_arena_delete(a) != STOWAGE_ARENA_OK;
}
