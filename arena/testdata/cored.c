/* cored.c: plans traces in process. The input has cases, each a line of numbers and the bytes of a trace. The output
 * has for each a line, "plan" or "fault" with a length, and so many bytes. */
#include "check.h"

int cored(void) {
#ifdef STOWAGE_ARENA_CORE
  char line[200];
  while (fgets(line, sizeof line, stdin)) {
    stowage_arena_planning how = {0};
    unsigned long long length, alignment, guard;
    long long nodes;
    char why[200] = "", *trace, *text;
    size_t n = 0;
    CHECK(sscanf(line, "%llu %llu %llu %lld %d %d", &length, &alignment, &guard, &nodes, &how.all, &how.apart) == 6);
    how.alignment = alignment, how.guard = guard, how.nodes = nodes;
    CHECK((trace = malloc(length ? length : 1)) && fread(trace, 1, length, stdin) == length);
    text = stowage_arena_plan_trace(trace, length, &how, &n, why, sizeof why);
    CHECK(!text == !!*why && (!text || strlen(text) == n));
    if (text) { /* the arena takes it */
      stowage_arena *a = stowage_arena_new(NULL);
      int code = strstr(text, "\nheight 0\n") ? 0 : stowage_arena_load(a, text, n);
      if (code) stowage_arena_error(a, why, sizeof why), printf("%s\n%s", why, text);
      CHECK(!code && !stowage_arena_delete(a));
    }
    if (!text) n = strlen(why);
    printf("%s %llu\n", text ? "plan" : "fault", (unsigned long long)n);
    fwrite(text ? text : why, 1, n, stdout);
    free(text);
    free(trace);
  }
#endif
  return 0;
}
