/* main.c: what to test is the first argument; it prints "ok" if all was well. */
#include "check.h"

static unsigned long long number(const char *s) { return s ? strtoull(s, NULL, 10) : 0; }

int main(int n, char **arg) {
  const char *what = n > 1 ? arg[1] : "";
  int code = 1;
  if (!strcmp(what, "follow")) code = follow();
  else if (!strcmp(what, "model") && n > 3) code = model(number(arg[2]), number(arg[3]));
  else if (!strcmp(what, "families") && n > 3) code = families(number(arg[2]), (unsigned)number(arg[3]));
  else if (!strcmp(what, "damage") && n > 4) code = damage(arg[2], number(arg[3]), (unsigned)number(arg[4]));
  else if (!strcmp(what, "threads") && n > 3) code = threads(number(arg[2]), (unsigned)number(arg[3]));
  else if (!strcmp(what, "forks") && n > 2) code = forks((unsigned)number(arg[2]));
  else if (!strcmp(what, "record") && n > 2) code = record(arg[2]);
  else if (!strcmp(what, "serve") && n > 4) code = serve(arg[2], arg[3], (unsigned)number(arg[4]), n > 5 ? arg[5] : NULL);
  else if (!strcmp(what, "plan")) code = cored();
  else printf("usage: follow | model SEED EVENTS | families SEED ROUNDS | damage PLANS SEED TIMES | threads SEED ROUNDS | forks TIMES | record TRACE | serve TRACE PLAN TIMES [TRACE] | plan\n");
  if (!code) printf("ok\n");
  return code;
}
