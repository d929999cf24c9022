package plantest

import (
	"os"
	"testing"
)

// Share returns how many cases of a test run: all of them with CI=true, as .ci/run
// sets it, fewer on a desk, so that make test takes less than a minute. A short run
// takes its own number, if one is given.
func Share[N int | int64 | uint64](all, desk N, short ...N) N {
	switch {
	case len(short) > 0 && testing.Short():
		return short[0]
	case os.Getenv("CI") == "true":
		return all
	}
	return desk
}
