// Plans two buffers that are live together with the planner that the argument names, and prints
// what became of it.
#include <stdio.h>
#include <string.h>

#include "stowage.h"

int main(int argc, char **argv) {
	int64_t lower[] = {0, 0}, upper[] = {4, 4}, size[] = {8, 4}, offsets[2];
	stowage_solver *s = stowage_new();
	stowage_result r;
	char options[128];
	int code;
	if (argc != 2 || s == NULL) return 2;
	snprintf(options, sizeof options, "{\"planner\": \"%s\"}", argv[1]);
	code = stowage_set_options(s, options, strlen(options));
	if (code != 0) {
		printf("%d %s\n", code, stowage_error(s));
	} else if (stowage_set_buffers(s, 2, lower, upper, size) < 0 || stowage_solve(s, offsets) < 0 ||
			stowage_get_result(s, &r, sizeof r) != 0) {
		printf("failed: %s\n", stowage_error(s));
	} else {
		printf("0 %s height %d\n", r.planner, (int)r.height);
	}
	stowage_free(s);
	return 0;
}
