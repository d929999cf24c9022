#include "solver.h"

// The version is that of the release, which docs/architecture.md's modules share. A
// build may set another: -DSTOWAGE_VERSION.
#ifndef STOWAGE_VERSION
#define STOWAGE_VERSION "0.2.0"
#endif

const char *stowage_version(void) { return STOWAGE_VERSION; }
