package plantest

import (
	"flag"
	"os"
	"testing"
)

// cases is what STOWAGE_CASES says: "night" in make nightly, "all" before a release, else nothing.
func cases() string { return os.Getenv("STOWAGE_CASES") }

// AtNight reports whether the tests run that are too long for each commit.
func AtNight() bool { return cases() != "" }

// Nightly skips a test that takes too long for each commit, or needs other people's programs. make nightly runs it.
// docs/testing.md lists these tests, and what their short form still checks.
func Nightly(t testing.TB) {
	t.Helper()
	if !AtNight() {
		t.Skip("make nightly runs it, and so does STOWAGE_CASES=night")
	}
}

// Share returns the number of cases of a test:
//
//	on a desk, in CI      desk, so few that make test takes less than a minute
//	STOWAGE_CASES=night   a third of all, at least desk and at most twice desk; make nightly sets it
//	STOWAGE_CASES=all     all, for releases: hours
//	a short run           short if it is given, else desk
//
// Before the flags are read, no run counts as short.
func Share[N int | int64 | uint64](all, desk N, short ...N) N {
	switch brief := flag.Parsed() && testing.Short(); {
	case brief && len(short) > 0:
		return short[0]
	case brief:
		return desk
	case cases() == "all":
		return all
	case cases() == "night":
		return max(desk, min(all/3, 2*desk))
	}
	return desk
}
