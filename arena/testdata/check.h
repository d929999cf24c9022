/* What the C tests share: checks, random numbers, plans made by hand. */
#ifndef CHECK_H
#define CHECK_H
#include "../stowage_arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(x) \
  do { \
    if (!(x)) { \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #x); \
      fflush(stdout); \
      abort(); \
    } \
  } while (0)

typedef struct {
  char *s;
  size_t n, cap;
} text;

static inline void add(text *t, const char *format, ...) {
  va_list list;
  char line[256];
  va_start(list, format);
  size_t n = (size_t)vsnprintf(line, sizeof line, format, list);
  va_end(list);
  if (t->n + n + 1 > t->cap) CHECK(t->s = realloc(t->s, t->cap = (t->cap + n) * 2 + 64));
  memcpy(t->s + t->n, line, n + 1);
  t->n += n;
}

static inline uint64_t checksum(const char *s, size_t n) {
  uint64_t h = 0xCBF29CE484222325u;
  for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 0x100000001B3u;
  return h;
}

/* finish adds the last line to a text whose last plan begins at a byte. */
static inline void finish(text *t, size_t from) {
  unsigned lines = 0;
  for (size_t i = from; i < t->n; i++) lines += t->s[i] == '\n';
  add(t, "end %u %016llx\n", lines, (unsigned long long)checksum(t->s + from, t->n - from));
}

/* rng is splitmix64. */
static inline uint64_t rng(uint64_t *x) {
  uint64_t z = (*x += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}
static inline unsigned below(uint64_t *x, unsigned n) { return (unsigned)(rng(x) % n); }

static inline stowage_arena_statistics stats(stowage_arena *a) {
  stowage_arena_statistics s;
  stowage_arena_stats(a, &s, sizeof s);
  return s;
}

int follow(void);
int model(uint64_t seed, uint64_t events);
int damage(const char *path, uint64_t seed, unsigned times);
int threads(uint64_t seed, unsigned rounds);
int forks(unsigned times);
int record(const char *path);
int cored(void);
int families(uint64_t seed, unsigned rounds);
int serve(const char *trace, const char *plan, unsigned times, const char *again);
#endif
