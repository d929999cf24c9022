package main_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/changes"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// Idea: testdata/session.c and, with rules, ruled.c check what each function of a session does and refuses.
// testdata/calls.c makes the calls of random sessions, and what it prints is compared with what the session in Go
// answered.

var sessions = []string{"testdata/session.c", "testdata/ruled.c"}

func TestSession(t *testing.T) {
	for _, source := range sessions {
		execute(t, program(t, source, false, c99...))
		execute(t, program(t, source, true, c99...))
	}
}

// plays holds that Go and C agree on every call of sessions, byte for byte, and that there are calls and steps of each
// kind. Python is compared with the same answers by its own tests.
func plays(t *testing.T, cases []changes.Case, err error, kinds string) {
	t.Helper()
	must.Do(t, err)
	var calls, answers strings.Builder
	for i := range cases {
		c := &cases[i]
		_, plan, _ := strings.Cut(c.Head, "\n")
		offsets, _, _ := strings.Cut(plan, "\n")
		fmt.Fprintf(&calls, "%d %d\n%s%s%s", len(c.Problem), len(strings.Fields(offsets)), c.Problem, c.Head, c.Calls)
		answers.WriteString(c.Answers)
	}
	want, count := answers.String(), changes.Kinds(answers.String())
	t.Log(count)
	for _, kind := range strings.Fields(kinds) {
		if count[kind] == 0 {
			t.Errorf("no call is or takes %s", kind)
		}
	}
	if got := answered(t, strings.NewReader(calls.String()), program(t, "testdata/calls.c", false, c99...)); got != want {
		t.Errorf("C differs from Go: %s", changes.Difference(got, want))
	}
}

func TestSessionPlays(t *testing.T) {
	cases, err := changes.Cases(plantest.Share(200, 40, 20))
	plays(t, cases, err, "keep fit repair no undecided add ask replan pin unpin mark rollback commit")
}

func TestRuledSessionPlays(t *testing.T) {
	cases, err := changes.RuledCases(plantest.Share(300, 24, 18))
	plays(t, cases, err, "keep fit repair hints no undecided refused place fits bind unbind replace resize pin pin_in "+
		"limit_pool replan rollback commit")
}

// TestSessionThreads calls one session from eight threads, and closes it meanwhile.
func TestSessionThreads(t *testing.T) {
	execute(t, program(t, "testdata/session.c", false, c99...), "threads")
}

func TestSessionLeaks(t *testing.T) {
	for k, calls := range []int{plantest.Share(400_000, 80_000, 40_000), plantest.Share(240_000, 24_000, 12_000)} {
		execute(t, program(t, sessions[k], false, c99...), "leaks", strconv.Itoa(calls))
	}
}

// TestSessionSanitizers repeats the checks with the C code instrumented.
func TestSessionSanitizers(t *testing.T) {
	library(t)
	flags := append(slices.Clone(c99), sanitizers(t)...)
	for _, source := range sessions {
		execute(t, program(t, source, false, flags...))
		execute(t, program(t, source, false, flags...), "leaks", "2000")
	}
	execute(t, program(t, "testdata/session.c", false, flags...), "threads")
}

// TestSessionExample compiles and runs the session with rules.
func TestSessionExample(t *testing.T) {
	const want = "a is in dram\n" +
		"view is at 4 in dram\n" +
		"3 bytes of sram: buffer \"c\" of 4 has no place: in the pool \"sram\" it takes 4, more than the capacity of 3\n"
	if got := printed(t, "session.c", string(mustRead(t, filepath.FromSlash("examples/session.c"))), c99); got != want {
		t.Errorf("it prints %q, not %q", got, want)
	}
}

// TestSessionGuide compiles the C code of docs/sessions.md, and compares what it prints with the page.
func TestSessionGuide(t *testing.T) {
	page := string(mustRead(t, filepath.FromSlash("../../docs/sessions.md")))
	all := regexp.MustCompile("(?s)```c\n(.*?)```\n\nIt prints\n\n```text\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(all) != 1 {
		t.Fatalf("docs/sessions.md has %d programs in C with their output, not one", len(all))
	}
	for _, m := range all {
		text := "#include <stdio.h>\n#include \"stowage.h\"\nint main(void) {\n" + m[1] + "return 0;\n}\n"
		if got := printed(t, "guide.c", text, c99); got != m[2] {
			t.Errorf("the page's program prints %q, and the page says %q", got, m[2])
		}
	}
}
