package house_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Idea: a test whose outcome depends on how long something takes fails on a busy machine, with nothing wrong. So a test
// counts: nodes, looks (run.EndAtLook), calls of a hook that cancels. Limits of time are held by internal/testkit/pace,
// which fails only in make pace. TestHousePace finds every line of a test that measures time, sleeps, or sets a timer
// or a timeout. Each is in the table below with the reason why what is asserted holds on a machine of any speed. Two
// kinds of timeouts are exempt: a nanosecond is over at once, and minutes or hours only end a test that hangs.

var (
	// clockPatterns are what such lines have, by the end of the file's name.
	clockPatterns = map[string]*regexp.Regexp{
		"_test.go": regexp.MustCompile(`\btime\.(Since|Until|Sleep|After|AfterFunc|NewTimer|NewTicker|Tick)\(|\bprocessor\.(Of|Used)\(|\.Elapsed (<|>)` +
			`|\bWith(Timeout|Deadline)\(|\bTimeout: |--timeout|"-t "|"-t",`),
		".py":  regexp.MustCompile(`\btime\.(time|monotonic|perf_counter|process_time|sleep)|\bTimer\(|setitimer|\balarm\(|timeout=|\bsleep [0-9.]`),
		".mjs": regexp.MustCompile(`performance\.now|Date\.now|setTimeout\(|setInterval\(|timeout(Ms)?: `),
	}
	// clockEasy are values that suit any machine: over at once, or so long that they only end a test that hangs.
	clockEasy = regexp.MustCompile(`time\.(Minute|Hour|Nanosecond)|patience|Timeout: (-?1|2|10|0|forever)[,}]|` +
		`(timeout=|timeout: )(60|100|[1-9][0-9]{2,})\b|timeout=None\b|"--timeout", "[1-9][0-9]{2,}"`)
	// clockTests are the files that are looked at.
	clockTests = regexp.MustCompile(`_test\.go$|(^|/)tests/[^/]*\.py$|(^|/)test_[^/]*\.py$|\.test\.mjs$|(^|/)bindings/js/test/[^/]*\.mjs$`)
)

// A clockUse permits a file some uses of the clock: lines that have a text, and why.
type clockUse struct{ file, text, why string }

var clockAllowed = []clockUse{
	{"internal/library/limits_test.go", "WithDeadline(", "a deadline that is over"},
	{"internal/library/limits_test.go", "Timeout: tc.timeout}", "a nanosecond, none, or centuries"},
	{"internal/library/limits_test.go", "time.Sleep(50", "holds a process up, which changes nothing"},
	{"cmd/stowage/command/late_test.go", `"--timeout", "1s"`, "nothing is ever there to read"},
	{"cmd/stowage/command/late_test.go", `"--timeout", "10ms"`, "there is a plan after any limit"},
	{"cmd/stowage/command/main_test.go", "time.Sleep(10 *", "waits for a file"},
	{"cmd/stowage/command/main_test.go", "time.Sleep(300 *", "holds a puppet up"},
	{"cmd/stowage/command/main_test.go", "--timeout 20", "the puppet waits for the end, however late"},
	{"cmd/stowage/command/progress_test.go", `"--timeout", timeout`, "a longer one if nothing was written"},
	{"cmd/stowage/command/checkpoint_unix_test.go", "time.Sleep(time.Millisecond)", "waits for the search"},
	{"cmd/stowage/command/checkpoint_unix_test.go", "time.Sleep(time.Duration(random", "a kill may come at any time"},
	{"cmd/stowage/command/signal_unix_test.go", "time.Sleep(time.Millisecond)", "waits for the search"},
	{"cmd/stowage/command/signal_unix_test.go", "time.Since(sent)", "compared under pace.On alone"},
	{"cmd/stowage/command/size_test.go", `"-t", "0"`, "no timeout"},
	{"cmd/stowage/command/terminal_linux_test.go", `"--timeout", (periods`, "a longer one if nothing was drawn"},
	{"cmd/stowage/command/terminal_linux_test.go", `puppet-wait --timeout "`, "a longer one if nothing was drawn"},
	{"cmd/stowage/command/terminal_linux_test.go", `--input=%s --timeout=%v`, "a longer one if nothing was drawn"},
	{"cmd/stowage/command/unwritable_unix_test.go", `"--timeout", timeout`, "a longer one if nothing was written; without --progress there is a plan after any"},
	{"cmd/stowage/command/unwritable_unix_test.go", "time.Sleep(time.Millisecond)", "waits for a file; that the command is quicker is allowed"},
	{"cmd/stowage/command/values_test.go", "imeout", "how flags are read; nothing runs"},
	{"example_test.go", "Timeout: 10 * time.Second}", "the guide's example; a few nodes decide it"},
	{"internal/auto/auto_test.go", "b.Elapsed < 0", "times that are told are not negative"},
	{"internal/climb/climb_test.go", "pace.Within(", "a limit of pace; the plan is valid after any limit"},
	{"internal/exact/engine/limits_test.go", ".Elapsed <= 0", "times that are told only grow"},
	{"internal/exact/engine/limits_test.go", "p.Elapsed < all", "times that are told only grow"},
	{"internal/exact/engine/limits_test.go", "Timeout: timeout}", "that a limit is no proof holds after any"},
	{"internal/run/run_test.go", "time.Until(deadline) > o.Timeout", "a deadline is never farther off than when it was set"},
	{"internal/run/run_test.go", "Timeout: timeout}", "none, or an hour"},
	{"internal/run/run_test.go", "Timeout: time.Millisecond}", "the puppet waits for the end, however late"},
	{"internal/setting/setting_test.go", "Timeout: ", "how options are read; nothing runs"},
	{"lab/agree/second_test.go", "RuledPatience", "what is compared holds after any limit; most problems are decided by a bound or in a few nodes"},
	{"internal/planners/boxing/boxing_test.go", "pace.Within(", "a limit of pace; the plan is valid after any limit"},
	{"lab/baselines/limits_test.go", "WithTimeout(", "there is a plan after any limit"},
	{"lab/bench/outside/outside_test.go", "--timeout 7", "a flag that the script must get; it ends at once"},
	{"lab/bench/outside/outside_test.go", "Timeout: 7 ", "a flag that the script must get; it ends at once"},
	{"lab/milp/internal/milp/looks_test.go", "time.Second)", "that it comes back is asserted, not when"},
	{"lab/milp/internal/milp/milp_test.go", "Timeout: 500", "the plan to start from is there after any limit"},
	{"lab/milp/internal/milp/milp_test.go", "time.AfterFunc(", "that an interrupt is no refutation holds whenever it comes"},
	{"lab/milp/internal/milp/native_test.go", "Timeout: 700", "the plan to start from is there after any limit"},
	{"internal/library/latency_test.go", "time.Since(began)", "a benchmark"},
	{"internal/planners/core/twin_test.go", "processor.Of(", "a benchmark"},
	{"bindings/js/test/package.test.mjs", "timeout: 0.4", "the search does not end by itself, and has a plan at once"},
	{"bindings/js/test/package.test.mjs", "timeout: 0.2", "the search does not end by itself, and has a plan at once"},
	{"bindings/js/test/package.test.mjs", "timeout: -1", "how options are read; nothing runs"},
	{"bindings/js/test/package.test.mjs", `timeout: "soon"`, "how options are read; nothing runs"},
	{"bindings/js/test/package.test.mjs", "timeoutMs: ", "how options are read; nothing runs"},
	{"bindings/js/test/package.test.mjs", "timeout: 20 }", "the search is cancelled"},
	{"bindings/js/test/package.test.mjs", "timeout: 3 }", "how options are read; nothing runs"},
	{"bindings/js/test/package.test.mjs", "timeout: Infinity", "no limit"},
	{"bindings/js/test/package.test.mjs", "timeout: 1e300", "no limit"},
	{"bindings/js/test/package.test.mjs", `timeout: "10m"`, "only ends what hangs"},
	{"plan/plan_test.go", "Timeout: tc.o.Timeout", "how options are checked; nothing runs"},
	{"python/python_test.go", "time.Since(begin)", "logs it"},
	{"python/tests/test_many.py", "timeout=5)", "there is a plan after any limit"},
	{"python/tests/test_mypy.py", "timeout=", "types; nothing runs"},
	{"python/tests/test_omnimalloc.py", "timeout=", "there is a plan after any limit"},
	{"python/tests/test_stowage.py", "timeout is", "how options are read; nothing runs"},
	{"python/tests/test_stowage.py", `timeout="-1s"`, "how options are read; nothing runs"},
	{"python/tests/test_stowage.py", "timeout=seconds", "a bound decides before any clock is read"},
	{"python/tests/test_stowage.py", "timeout=0.", "the search does not end by itself; there is a plan after any limit"},
	{"python/tests/test_sweep.py", `timeout="50ms"`, "the search does not end by itself"},
	{"python/tests/test_torch.py", "sleep 0.3", "holds a process up, which changes nothing"},
	{"python/tests/test_transport.py", "timeout=-1", "how options are read; nothing runs"},
	{"python/tests/test_units.py", "timeout=", "how options are read; a bound decides before any clock is read"},
	{"python/tests/test_xdsl.py", "timeout=5.0", "how options are read; there is a plan after any limit"},
	{"internal/ruled/single_test.go", "Timeout: limit", "what a planner is told; nothing searches"},
	{"internal/library/solve_test.go", "Timeout: -time.Second", "how options are checked; nothing runs"},
	{"internal/library/solve_test.go", "stowage.Options{Timeout: time.Second}", "how options are checked; nothing runs"},
	{"internal/library/solve_test.go", "WithDeadline(", "a deadline that is over"},
	{"internal/library/solve_test.go", "Timeout: 20 * time.Millisecond", "a problem that takes hours"},
	{"internal/library/solve_test.go", "now.Elapsed <", "times that are told only grow"},
	{"sweep/command/signal_unix_test.go", "time.Sleep(", "waits for files"},
	{"sweep/command/sweep_test.go", "time.Sleep(", "waits for files"},
	{"sweep/engines/cluster_test.go", "2*time.Second", "asked again until it answers"},
	{"sweep/engines/cluster_test.go", "10 * time.Second", "then it is killed"},
	{"sweep/engines/flink_test.go", "time.Since(", "logs it"},
	{"sweep/engines/flink_test.go", "time.Sleep(", "waits for files"},
	{"sweep/engines/plain_test.go", "time.After(", "waits for files"},
	{"sweep/report/runs_test.go", "Timeout: r.Timeout", "how rows are read; nothing runs"},
}

// TestHousePace: no test depends on a clock except those in the table, and the table has no stale entry.
func TestHousePace(t *testing.T) {
	files, used := 0, make([]bool, len(clockAllowed))
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "bin" ||
			d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		name := filepath.ToSlash(p)
		if d.IsDir() || !clockTests.MatchString(name) || name == "internal/house/pace_test.go" {
			return nil
		}
		files++
		for k, line := range read(t, p) {
			found := clockIn(name, line)
			for n, x := range clockAllowed {
				if found != "" && x.file == name && strings.Contains(line, x.text) {
					found, used[n] = "", true
				}
			}
			if found != "" {
				t.Errorf("%s:%d: %s: a test does not depend on a clock: count the effort, cancel at a hook, or use internal/testkit/pace\n\t%s",
					name, k+1, found, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil || files < 300 {
		t.Fatalf("%d files, %v", files, err)
	}
	for n, x := range clockAllowed {
		if !used[n] {
			t.Errorf("%s: no line has %q: the table is old", x.file, x.text)
		}
	}
}

// TestHousePaceFinds is what TestHousePace sees, and what it passes over.
func TestHousePaceFinds(t *testing.T) {
	for _, tc := range []struct {
		file, line string
		found      bool
	}{
		{"a_test.go", "if time.Since(began) > time.Second {", true},
		{"a_test.go", "r.Stats.Elapsed > limit", true},
		{"a_test.go", "plan.Options{Timeout: 300 * time.Millisecond}", true},
		{"a_test.go", "time.AfterFunc(30*time.Millisecond, cancel)", true},
		{"a_test.go", "ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)", true},
		{"a_test.go", `"solve --timeout 20ms": 4`, true},
		{"a_test.go", "plan.Options{Timeout: 1}", false},
		{"a_test.go", "case <-time.After(time.Minute):", false},
		{"tests/test_a.py", "threading.Timer(0.05, os.kill)", true},
		{"tests/test_a.py", "self.assertLess(time.monotonic() - begin, 30)", true},
		{"tests/test_a.py", "stowage.solve(*hard(), timeout=0.3)", true},
		{"tests/test_a.py", "stowage.solve(*hard(), timeout=600)", false},
		{"bindings/js/test/a.test.mjs", "assert.ok(performance.now() - began < 8000);", true},
		{"bindings/js/test/a.test.mjs", "setTimeout(() => stop.abort(), 300);", true},
	} {
		if found := clockIn(tc.file, tc.line); (found != "") != tc.found {
			t.Error(fmt.Sprintf("%s: %q: ", tc.file, tc.line), found)
		}
	}
}

// clockIn returns what a line of a file does with the clock, or "".
func clockIn(file, line string) string {
	for end, pattern := range clockPatterns {
		if strings.HasSuffix(file, end) && !clockEasy.MatchString(line) {
			return pattern.FindString(line)
		}
	}
	return ""
}
