package plantest

import (
	"flag"
	"os"
	"testing"
)

// Share returns how many cases of a test run: all of them with CI=true, as .ci/run
// sets it, fewer on a desk, so that make test takes less than a minute. A short run
// takes its own number, if one is given, else that of a desk; what is asked before the
// flags are read is of no short run.
func Share[N int | int64 | uint64](all, desk N, short ...N) N {
	switch brief := flag.Parsed() && testing.Short(); {
	case brief && len(short) > 0:
		return short[0]
	case os.Getenv("CI") == "true" && !brief:
		return all
	}
	return desk
}
