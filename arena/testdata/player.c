/* player.c: record writes the trace of a small program; serve plays a trace against a plan, and prints
 * what came of it. */
#include "check.h"

/* record: three threads in two streams, scopes, a first step that differs, gradients that live into the next step,
 * an evaluation of another name, and something that no step frees. */
int record(const char *path) {
  stowage_arena *a = stowage_arena_new(NULL);
  void *gradients[8] = {0}, *forever[8], *kept = NULL;
  stowage_arena_record(a, 6);
  for (unsigned i = 0; i < 8; i++) {
    int eval = i == 3 || i == 5, level = stowage_arena_begin(a, eval ? "eval" : "train");
    void *x[4];
    if (i == 0) forever[7] = stowage_arena_malloc(a, 7777, 0, 0);
    int scope = stowage_arena_begin(a, "forward");
    for (unsigned k = 0; k < 4; k++) x[k] = stowage_arena_malloc_as(a, 1000 * (k + 1), k == 3 ? 256 : 0, 0, 0);
    stowage_arena_end(a, scope);
    void *y = stowage_arena_malloc_as(a, 5000, 0, 3, 1);
    stowage_arena_use(a, x[0], 3);
    stowage_arena_free(a, x[0]);
    if (!eval) {
      forever[i > 6 ? 6 : i] = kept; /* the one of the step before the last is freed: it lives two steps */
      for (unsigned k = 0; k < 8; k++) {
        if (k == 4) stowage_arena_wait(a, 0, 3);
        stowage_arena_free(a, gradients[k]);
        gradients[k] = stowage_arena_malloc_as(a, 300 + 100 * k, 0, 0, 2);
      }
      kept = stowage_arena_malloc_as(a, 50, 0, 0, 2);
    }
    for (unsigned k = 1; k < 4; k++) stowage_arena_free(a, x[k]);
    stowage_arena_free(a, y);
    stowage_arena_wait(a, STOWAGE_ARENA_EVERY, STOWAGE_ARENA_EVERY);
    stowage_arena_end(a, level);
  }
  (void)forever; /* never freed, on purpose: the arena does not own what is upstream */
  CHECK(stowage_arena_recorded(a) == 6 && !stowage_arena_write(a, path));
  CHECK(!stowage_arena_delete(a));
  return 0;
}

enum { LIVE = 1 << 16 };
static unsigned char *live[LIVE];
static size_t sizes[LIVE];

/* play goes once through a trace, and frees at its end what is still live. */
static void play(stowage_arena *a, const char *path) {
  FILE *f = fopen(path, "rb");
  char line[200], name[80];
  unsigned n = 0;
  int levels[64] = {0};
  CHECK(f);
  while (fgets(line, sizeof line, f)) {
    unsigned long long x, y, z, w;
    if (sscanf(line, "a %llu %llu %llu %llu", &x, &y, &z, &w) == 4) {
      CHECK(n < LIVE && (live[n] = stowage_arena_malloc_as(a, x, y, w, z)) && (uintptr_t)live[n] % y == 0);
      memset(live[n], (int)n & 255, sizes[n] = x);
      n++;
    } else if (sscanf(line, "f %llu", &x) == 1) {
      CHECK(x < n && live[x]);
      for (size_t i = 0; i < sizes[x]; i++) CHECK(live[x][i] == (x & 255));
      stowage_arena_free(a, live[x]);
      live[x] = NULL;
    } else if (sscanf(line, "u %llu %llu", &x, &y) == 2) {
      stowage_arena_use(a, live[x], y);
    } else if (line[0] == 'w') {
      uint64_t who = STOWAGE_ARENA_EVERY, whom = STOWAGE_ARENA_EVERY;
      if (sscanf(line, "w %llu", &x) == 1) who = x;
      if (sscanf(strchr(line + 2, ' '), " %llu", &x) == 1) whom = x;
      stowage_arena_wait(a, who, whom);
    } else if (sscanf(line, "b %llu %llu %79s", &x, &y, name) == 3) {
      int level = stowage_arena_begin(a, name);
      CHECK(level == (int)x && x < 64);
      levels[x] = level;
    } else if (sscanf(line, "e %llu", &x) == 1) {
      stowage_arena_end(a, levels[x]);
    }
  }
  fclose(f);
  stowage_arena_end(a, 1);
  for (unsigned i = 0; i < n; i++)
    if (live[i]) stowage_arena_free(a, live[i]), live[i] = NULL;
  stowage_arena_wait(a, STOWAGE_ARENA_EVERY, STOWAGE_ARENA_EVERY);
}

int serve(const char *trace, const char *plan, unsigned times, const char *again) {
  stowage_arena *a = stowage_arena_new(NULL);
  int code = stowage_arena_load_file(a, plan);
  char message[300];
  stowage_arena_error(a, message, sizeof message);
  if (code) printf("%s\n", message);
  CHECK(!code);
  stowage_arena_guard(a, 1);
  for (unsigned i = 0; i < times; i++) play(a, trace);
  stowage_arena_statistics s = stats(a);
  printf("served %llu missed %llu refused %llu kept %llu outside %llu block %llu peak %llu damaged %llu\n", (unsigned long long)s.all.served,
         (unsigned long long)s.all.missed, (unsigned long long)s.all.refused, (unsigned long long)s.all.kept, (unsigned long long)s.all.outside,
         (unsigned long long)s.block, (unsigned long long)s.peak, (unsigned long long)s.damaged);
  CHECK(!s.live && !s.upstream && !s.held && !stowage_arena_check(a));
  if (again) { /* a program that the plan is not for */
    play(a, again);
    s = stats(a);
    printf("then served %llu missed %llu refused %llu damaged %llu\n", (unsigned long long)s.all.served, (unsigned long long)s.all.missed,
           (unsigned long long)s.all.refused, (unsigned long long)s.damaged);
    CHECK(!s.live && !stowage_arena_check(a));
  }
  CHECK(!stowage_arena_delete(a));
  return 0;
}
