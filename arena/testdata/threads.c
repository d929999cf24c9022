/* threads.c: many threads allocate, free for one another, and begin scopes, while the main thread steps, records, loads
 * and unloads plans, and asks for statistics. And forks, while threads are inside of the arena. */
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 4, SLOTS = 16, STEPS = 200 };

static stowage_arena *a;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
  unsigned char *p;
  unsigned size;
  unsigned char mark;
} slots[SLOTS];
static int stop, working, steps;
static unsigned rounds_of;

static int stopped(void) {
  pthread_mutex_lock(&mutex);
  int s = stop;
  pthread_mutex_unlock(&mutex);
  return s;
}

/* going reports whether the main thread has made few steps so far: on a busy machine it may wait while all others run,
 * and then no plan has served anyone. */
static int going(void) {
  pthread_mutex_lock(&mutex);
  int few = steps < STEPS;
  pthread_mutex_unlock(&mutex);
  return few;
}

/* give_away frees what lies in a slot, and puts something else there. */
static void give_away(unsigned k, unsigned char *p, unsigned size, unsigned char mark) {
  pthread_mutex_lock(&mutex);
  unsigned char *q = slots[k].p;
  unsigned n = slots[k].size;
  unsigned char was = slots[k].mark;
  slots[k].p = p, slots[k].size = size, slots[k].mark = mark;
  pthread_mutex_unlock(&mutex);
  if (!q) return;
  for (unsigned i = 0; i < n; i++) CHECK(q[i] == was);
  stowage_arena_free(a, q);
}

static void *work(void *number) {
  uint64_t r = (uint64_t)(size_t)number;
  for (unsigned k = 0; rounds_of ? k < rounds_of || going() : !stopped(); k++) {
    unsigned size = 64 * (1 + (k + (unsigned)r % 3) % 7);
    int level = below(&r, 8) ? 0 : stowage_arena_begin(a, "scope");
    unsigned char *p = stowage_arena_malloc(a, size, 0, 0), mark = (unsigned char)below(&r, 256);
    CHECK(p);
    memset(p, mark, size);
    if (below(&r, 3)) {
      give_away(below(&r, SLOTS), p, size, mark);
    } else {
      for (unsigned i = 0; i < size; i++) CHECK(p[i] == mark);
      stowage_arena_free(a, p);
    }
    if (level && below(&r, 4)) stowage_arena_end(a, level);
  }
  pthread_mutex_lock(&mutex);
  working--;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void make_plan(text *t) {
  add(t, "stowage-arena-plan 1\nname -\nalignment 64\nguard 0\nheight 65536\nbound 0\nstatus feasible\nperiod 400\nbaselines 0\nregions 1\nr 0 0 65536\nlanes %d\n", WORKERS);
  for (unsigned l = 0; l < WORKERS; l++) {
    add(t, "lane %u 100 0\n", l);
    for (unsigned i = 0; i < 100; i++) add(t, "p %u 64 0 %u %u %u\n", 64 * (1 + i % 7), 16384 * l + 512 * (i % 31), i, i + 1);
  }
  finish(t, 0);
}

static void begin_work(pthread_t *workers, unsigned rounds) {
  rounds_of = rounds;
  stop = 0;
  working = WORKERS;
  for (size_t i = 0; i < WORKERS; i++) CHECK(!pthread_create(&workers[i], NULL, work, (void *)(i + 1)));
}

static void end_work(pthread_t *workers) {
  pthread_mutex_lock(&mutex);
  stop = 1;
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < WORKERS; i++) CHECK(!pthread_join(workers[i], NULL));
  for (unsigned k = 0; k < SLOTS; k++) give_away(k, NULL, 0, 0);
}

int threads(uint64_t seed, unsigned rounds) {
  pthread_t workers[WORKERS];
  text t = {0};
  make_plan(&t);
  a = stowage_arena_new(NULL);
  CHECK(!stowage_arena_load(a, t.s, t.n));
  begin_work(workers, rounds);
  for (int busy = 1; busy;) {
    pthread_mutex_lock(&mutex);
    busy = working;
    steps++;
    pthread_mutex_unlock(&mutex);
    usleep(20);
    stowage_arena_mark(a, below(&seed, 9) ? NULL : "other");
    switch (below(&seed, 20)) {
    case 0: stowage_arena_record(a, 2); break;
    case 1: stowage_arena_unload(a); break;
    case 2: CHECK(stowage_arena_trace(a, NULL, 0)); break;
    case 3: CHECK(!stowage_arena_check(a)); break;
    case 4: stowage_arena_guard(a, (int)below(&seed, 2)); break;
    case 5: stowage_arena_poison(a); break;
    case 6: stowage_arena_wait(a, STOWAGE_ARENA_EVERY, STOWAGE_ARENA_EVERY); break;
    default:
      if (below(&seed, 4) == 0) CHECK(!stowage_arena_load(a, t.s, t.n));
    }
  }
  end_work(workers);
  stowage_arena_end(a, 1);
  stowage_arena_statistics s = stats(a);
  printf("served %llu missed %llu refused %llu outside %llu\n", (unsigned long long)s.all.served, (unsigned long long)s.all.missed,
         (unsigned long long)s.all.refused, (unsigned long long)s.all.outside);
  CHECK(!s.live && !s.upstream && !s.damaged && s.all.served && !stowage_arena_check(a) && !stowage_arena_delete(a));
  free(t.s);
  return 0;
}

int forks(unsigned times) {
  pthread_t workers[WORKERS];
  text t = {0};
  make_plan(&t);
  a = stowage_arena_new(NULL);
  stowage_arena *b = stowage_arena_new(NULL); /* another arena's lock must be free, too */
  CHECK(!stowage_arena_load(a, t.s, t.n));
  stowage_arena_mark(a, NULL);
  begin_work(workers, 0);
  for (unsigned k = 0; k < times; k++) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
      alarm(20); /* if a lock is held for ever */
      stowage_arena_mark(a, NULL);
      for (unsigned i = 0; i < 50; i++) {
        unsigned char *p = stowage_arena_malloc(a, 64 * (1 + i % 7), 0, 0);
        if (!p) _exit(2);
        memset(p, 1, 64);
        stowage_arena_free(a, p);
      }
      stowage_arena_free(b, stowage_arena_malloc(b, 8, 0, 0));
      _exit(stats(a).last.served + stats(a).all.served && !stowage_arena_check(a) ? 0 : 3);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) {
      printf("fork %u: status %d\n", k, status);
      CHECK(0);
    }
    stowage_arena_mark(a, NULL);
  }
  end_work(workers);
  CHECK(!stats(a).live && !stowage_arena_delete(a) && !stowage_arena_delete(b));
  free(t.s);
  return 0;
}
