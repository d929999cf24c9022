package stowage_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Idea: a test that compares how long something takes fails on a busy machine, with nothing wrong. So such limits are held by
// internal/testkit/pace, which fails only in make pace. Tests read no clock beside it; a deadline that is set is no reading.

var (
	// clockRead is what measures a time, or compares one that was measured.
	clockRead = regexp.MustCompile(`\btime\.(Since|Until)\(|\bprocessor\.(Of|Used|Children)\(|\.Elapsed (<|>)`)
	// clockAllowed has the tests that may, and why.
	clockAllowed = map[string]string{
		"latency_test.go":                         "a benchmark",
		"stowage_test.go":                         "times that are told only grow",
		"cmd/stowage/command/report_test.go":      "the date of a file is today's, give or take an hour",
		"cmd/stowage/command/signal_unix_test.go": "compares under pace.On alone",
		"internal/exact/engine/limits_test.go":    "times that are told only grow",
		"internal/auto/auto_test.go":              "times that are told are not negative",
		"internal/run/run_test.go":                "a deadline that is handed on; a run of nothing has a minute",
		"python/python_test.go":                   "logs it",
		"sweep/engines/flink_test.go":             "logs it",
		"housepace_test.go":                       "names it",
	}
)

// TestHousePace holds that no test compares elapsed time, but for those that are allowed to.
func TestHousePace(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "bin" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		name := filepath.ToSlash(p)
		if !strings.HasSuffix(name, "_test.go") || clockAllowed[name] != "" {
			return nil
		}
		files++
		for k, line := range read(t, p) {
			if found := clockRead.FindString(line); found != "" {
				t.Errorf("%s:%d: %s: a test does not depend on a clock: see internal/testkit/pace, or count the effort", name, k+1, found)
			}
		}
		return nil
	})
	if err != nil || files < 300 {
		t.Fatalf("%d files, %v", files, err)
	}
	if clockRead.FindString("if time.Since(began) > time.Second {") == "" || clockRead.FindString("r.Stats.Elapsed > limit") == "" {
		t.Error("the pattern finds nothing")
	}
}
