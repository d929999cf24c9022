#include "solver.h"

// The version is that of internal/version/VERSION: a test compares the two.
#ifndef STOWAGE_VERSION
#define STOWAGE_VERSION "0.3.0"
#endif

const char *stowage_version(void) { return STOWAGE_VERSION; }
