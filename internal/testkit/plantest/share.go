package plantest

import (
	"flag"
	"os"
	"testing"
)

// Share returns how many cases of a test run. With STOWAGE_CASES=all, which is for nights and
// releases, it is all. On a desk it is so few that make test takes less than a minute. With
// CI=true, as .ci/run sets it, it is a third of all, but no fewer than on a desk and no more than
// twice as many: what nights ask may take hours. A short run takes its own number, if one is
// given, else that of a desk; what is asked before the flags are read is of no short run.
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
