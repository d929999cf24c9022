/* A program that the tests of packages build against each of them. */
#include <stdio.h>

#include "stowage_core.h"

int main(void) {
	stowage_core_buffer buffers[] = {{0, 3, 64, 16}, {1, 4, 32, 16}, {3, 6, 64, 16}};
	stowage_core_problem problem = {buffers, 3, NULL, NULL, 0, NULL, 0};
	stowage_core_options options = {0, 10000, NULL, NULL};
	stowage_core_size offsets[3];
	stowage_core_result result;
	static long long workspace[4000];
	int status = stowage_core_plan(&problem, &options, workspace, sizeof workspace, offsets, &result);
	printf("%d %d\n", status, (int)result.height);
	return 0;
}
