package plantest

import (
	"flag"
	"os"
	"testing"
)

// Share returns the number of cases of a test:
//
//	STOWAGE_CASES=all   all, for nights and releases
//	on a desk           desk, so few that make test takes less than a minute
//	CI=true             a third of all, at least desk and at most twice desk; .ci/run sets it
//	a short run         short if it is given, else desk
//
// Before the flags are read, no run counts as short.
func Share[N int | int64 | uint64](all, desk N, short ...N) N {
	switch brief := flag.Parsed() && testing.Short(); {
	case brief && len(short) > 0:
		return short[0]
	case os.Getenv("STOWAGE_CASES") == "all" && !brief:
		return all
	case os.Getenv("CI") == "true" && !brief:
		return max(desk, min(all/3, 2*desk))
	}
	return desk
}
