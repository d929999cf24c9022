package main_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/changes"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// Idea: session_test.go for sessions with rules. testdata/ruled.c checks what each function does and refuses, and plays
// calls.

func TestRuledSession(t *testing.T) {
	execute(t, program(t, "testdata/ruled.c", false, c99...))
	execute(t, program(t, "testdata/ruled.c", true, c99...))
}

// ruledCalls returns the calls of random cases as testdata/ruled.c reads them, and what Go answers.
func ruledCalls(t *testing.T, n int) (in, answers string) {
	t.Helper()
	cases, err := changes.RuledCases(n)
	if err != nil {
		t.Fatal(err)
	}
	var calls, all strings.Builder
	for i := range cases {
		c := &cases[i]
		_, plan, _ := strings.Cut(c.Head, "\n")
		offsets, _, _ := strings.Cut(plan, "\n")
		fmt.Fprintf(&calls, "%d %d\n%s%s%s", len(c.Problem), len(strings.Fields(offsets)), c.Problem, c.Head, c.Calls)
		all.WriteString(c.Answers)
	}
	return calls.String(), all.String()
}

// TestRuledSessionPlays: Go and C agree on every call of random sessions with rules, byte for byte. Python is compared
// with the same answers by its own tests.
func TestRuledSessionPlays(t *testing.T) {
	path := program(t, "testdata/ruled.c", false, c99...)
	in, want := ruledCalls(t, plantest.Share(300, 24, 18))
	kinds := changes.Kinds(want)
	t.Log(kinds)
	for _, kind := range []string{
		"keep", "fit", "repair", "hints", "no", "undecided", "refused", "place", "fits", "bind", "unbind", "replace",
		"resize", "pin", "pin_in", "limit_pool", "replan", "rollback", "commit",
	} {
		if kinds[kind] == 0 {
			t.Errorf("no call is or takes %s", kind)
		}
	}
	cmd := exec.CommandContext(t.Context(), path, "play")
	cmd.Stdin = strings.NewReader(in)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, &errs)
	}
	if out.String() != want {
		t.Errorf("C differs from Go: %s", changes.Difference(out.String(), want))
	}
}

func TestRuledSessionLeaks(t *testing.T) {
	calls := strconv.Itoa(plantest.Share(240_000, 24_000, 12_000))
	execute(t, program(t, "testdata/ruled.c", false, c99...), "leaks", calls)
}

// TestRuledSessionSanitizers repeats the checks with the C code instrumented.
func TestRuledSessionSanitizers(t *testing.T) {
	library(t)
	path := program(t, "testdata/ruled.c", false, append(slices.Clone(c99), sanitizers(t)...)...)
	execute(t, path)
	execute(t, path, "leaks", "1200")
}
