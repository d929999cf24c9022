/* damage.c: plans that are damaged. Each is refused, or it is used: then nothing may be served outside of
 * the block, twice, or to another stream. Three in four get a new last line, so that the checksum does not stop
 * them. */
#include "check.h"

static void *up_malloc(void *context, size_t size, size_t alignment, uint64_t stream) {
  void *p = NULL;
  (void)context, (void)stream;
  return size > 1 << 26 || alignment > 1 << 26 || posix_memalign(&p, alignment < 64 ? 64 : alignment, size) ? NULL : p;
}

static void up_free(void *context, void *p, size_t size, uint64_t stream) {
  (void)context, (void)size, (void)stream;
  free(p);
}

static char *whole(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  CHECK(f && !fseek(f, 0, SEEK_END));
  *n = (size_t)ftell(f);
  rewind(f);
  char *s = malloc(*n + 1);
  CHECK(s && fread(s, 1, *n, f) == *n);
  s[*n] = 0;
  fclose(f);
  return s;
}

/* harm damages a text in one place. */
static void harm(text *t, uint64_t *r) {
  char line[64];
  size_t at = below(r, (unsigned)t->n), n = 1 + below(r, 40);
  if (n > t->n - at) n = t->n - at;
  switch (below(r, 6)) {
  case 0: t->s[at] = (char)(below(r, 3) ? '0' + below(r, 10) : below(r, 256)); break;
  case 1: /* cut out */
    memmove(t->s + at, t->s + at + n, t->n - at - n + 1);
    t->n -= n;
    break;
  case 2: t->s[t->n = at] = 0; break;
  case 3: /* copied from elsewhere */
    if (at + n <= t->n) memmove(t->s + at, t->s + below(r, (unsigned)(t->n - n + 1)), n);
    break;
  default: /* a number is another, perhaps a very large one */
    while (at < t->n && (t->s[at] < '0' || t->s[at] > '9')) at++;
    n = 0;
    while (at + n < t->n && t->s[at + n] >= '0' && t->s[at + n] <= '9') n++;
    unsigned bits = below(r, 64);
    snprintf(line, sizeof line, "%llu", (unsigned long long)(below(r, 2) ? rng(r) >> bits : below(r, 9) * 64));
    text u = {0};
    t->s[t->n] = 0;
    for (size_t i = 0; i < at; i++) add(&u, "%c", t->s[i]);
    add(&u, "%s", line);
    for (size_t i = at + n; i < t->n; i++) add(&u, "%c", t->s[i]);
    free(t->s);
    *t = u;
  }
}

/* use plays what the lines of a plan say, and writes to all bytes. */
static void use(stowage_arena *a, const char *s) {
  struct {
    unsigned char *at;
    size_t size;
  } live[64];
  unsigned n = 0;
  char name[64] = "";
  const char *line = strstr(s, "name ");
  if (line) sscanf(line, "name %63s", name);
  int level = stowage_arena_begin(a, name);
  for (; (line = strchr(s, '\n')); s = line + 1) {
    unsigned long long size, align, stream;
    if (sscanf(s, "p %llu %llu %llu", &size, &align, &stream) != 3 || size > 1 << 20 || align > 4096) continue;
    unsigned char *p = stowage_arena_malloc(a, size, align, stream);
    if (!p) continue;
    for (unsigned i = 0; i < n; i++) CHECK(p + size <= live[i].at || live[i].at + live[i].size <= p);
    memset(p, 0x55, size);
    live[n].at = p;
    live[n++].size = size;
    if (n == 64)
      while (n > 20) stowage_arena_free(a, live[--n].at);
  }
  while (n) stowage_arena_free(a, live[--n].at);
  stowage_arena_end(a, level);
}

int damage(const char *path, uint64_t seed, unsigned times) {
  size_t n;
  char *good = whole(path, &n);
  stowage_arena_upstream up = {up_malloc, up_free, NULL, NULL, 0};
  unsigned loaded = 0;
  uint64_t served = 0;
  for (unsigned i = 0; i < times; i++) {
    stowage_arena *a = stowage_arena_new(&up);
    text t = {0};
    for (size_t k = 0; k < n; k += 200) add(&t, "%.*s", (int)(n - k < 200 ? n - k : 200), good + k);
    int resum = below(&seed, 4) != 0;
    if (resum) {
      char *end = t.s;
      for (char *x = t.s; (x = strstr(x, "\nend ")); x++) end = x + 1;
      *end = 0;
      t.n = (size_t)(end - t.s);
    }
    for (unsigned k = 1 + below(&seed, 3); k > 0 && t.n > 2; k--) harm(&t, &seed);
    if (resum) {
      size_t from = 0;
      t.s[t.n] = 0;
      for (char *x = t.s; (x = strstr(x, "stowage-arena-plan 1\n")); x++) from = (size_t)(x - t.s);
      finish(&t, from);
    }
    char *exact = malloc(t.n); /* without a 0 behind it, so that reading on is seen */
    CHECK(exact || !t.n);
    memcpy(exact, t.s, t.n);
    int code = stowage_arena_load(a, exact, t.n);
    free(exact);
    char message[300];
    CHECK((stowage_arena_error(a, message, sizeof message) > 0) == (code != 0));
    if (!code) {
      loaded++;
      stowage_arena_guard(a, 1);
      use(a, t.s);
      use(a, t.s);
      served += stats(a).all.served;
      CHECK(!stats(a).damaged && !stowage_arena_check(a));
    }
    CHECK(!stowage_arena_delete(a));
    free(t.s);
  }
  free(good);
  printf("%u of %u loaded, %llu allocations served\n", loaded, times, (unsigned long long)served);
  CHECK(times < 1000 || (loaded > times / 500 && loaded < times && served));
  return 0;
}
