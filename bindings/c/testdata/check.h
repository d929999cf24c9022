// What the tests in C share.
#ifndef CHECK_H
#define CHECK_H

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stowage.h"

#define CHECK(what)                                                            \
	do {                                                                       \
		if (!(what)) {                                                         \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
			exit(1);                                                           \
		}                                                                      \
	} while (0)

// said is true if a text has a part.
static inline int said(const char *text, const char *part) { return text != NULL && strstr(text, part) != NULL; }

// resident returns how much memory the process has, in kB; 0 if the system does not say so.
static inline int64_t resident(void) {
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f == NULL || fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	if (f != NULL)
		fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

// leaks calls a function, which makes so many calls each time. It compares the most memory that the process has in the
// first half with the least in the second: garbage comes and goes, what leaks stays.
static inline void leaks(int calls, int each, void (*once)(int k)) {
	int64_t before = 0, after = 0, now;
	int k, round;
	for (round = 0; round < 10; round++) {
		for (k = 0; k < calls / 10 / each; k++)
			once(k);
		now = resident();
		if (round < 5 && now > before)
			before = now;
		if (round == 5 || (round > 5 && now < after))
			after = now;
	}
	printf("%" PRId64 " and %" PRId64 " kB\n", before, after);
	CHECK(after <= before + before / 10 + 1024);
}

#endif
