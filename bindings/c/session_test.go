package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/changes"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// Idea: testdata/session.c checks what each function of a session does and refuses. It also plays traces, and what it
// prints of each call is compared with what the session in Go answered.

func TestSession(t *testing.T) {
	execute(t, program(t, "testdata/session.c", false, c99...))
	execute(t, program(t, "testdata/session.c", true, c99...))
}

// TestSessionPlays: Go and C agree on every call of random traces, byte for byte. Python is compared with
// the same answers by its own tests.
func TestSessionPlays(t *testing.T) {
	path := program(t, "testdata/session.c", false, c99...)
	cases, err := changes.Cases(plantest.Share(200, 40, 20))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	var in bytes.Buffer
	for i := range cases {
		want, err := cases[i].Answers()
		if err != nil {
			t.Fatalf("%s: %v", cases[i].Name, err)
		}
		all.WriteString(want)
		in.WriteString(cases[i].Lines())
	}
	kinds := changes.Kinds(all.String())
	t.Log(kinds)
	for _, kind := range []string{
		"keep", "fit", "repair", "no", "undecided", "fits", "replan", "pin", "unpin", "mark", "rollback", "commit",
	} {
		if kinds[kind] == 0 {
			t.Errorf("no call of the traces is or takes %s", kind)
		}
	}
	cmd := exec.CommandContext(t.Context(), path, "play")
	cmd.Stdin = &in
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, &errs)
	}
	if out.String() != all.String() {
		t.Errorf("C differs from Go: %s", changes.Difference(out.String(), all.String()))
	}
}

// TestSessionThreads calls one session from eight threads, and closes it meanwhile.
func TestSessionThreads(t *testing.T) {
	execute(t, program(t, "testdata/session.c", false, c99...), "threads")
}

func TestSessionLeaks(t *testing.T) {
	execute(t, program(t, "testdata/session.c", false, c99...), "leaks",
		strconv.Itoa(plantest.Share(400_000, 80_000, 40_000)))
}

// TestSessionSanitizers repeats the checks with the C code instrumented.
func TestSessionSanitizers(t *testing.T) {
	library(t)
	path := program(t, "testdata/session.c", false, append(slices.Clone(c99), sanitizers(t)...)...)
	execute(t, path)
	execute(t, path, "threads")
	execute(t, path, "leaks", "2000")
}

// TestSessionGuide compiles the C code of docs/sessions.md, and compares what it prints with the page.
func TestSessionGuide(t *testing.T) {
	all := regexp.MustCompile("(?s)```c\n(.*?)```\n\nIt prints\n\n```text\n(.*?)```").FindAllStringSubmatch(string(mustRead(t, filepath.FromSlash("../../docs/sessions.md"))), -1)
	if len(all) != 2 {
		t.Fatalf("docs/sessions.md has %d programs in C with their output, not one without rules and one with", len(all))
	}
	for _, m := range all {
		path := filepath.Join(t.TempDir(), "guide.c")
		if err := os.WriteFile(path, []byte("#include <stdio.h>\n#include \"stowage.h\"\nint main(void) {\n"+m[1]+
			"return 0;\n}\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := execute(t, program(t, path, false, c99...)); got != m[2] {
			t.Errorf("the page's program prints %q, and the page says %q", got, m[2])
		}
	}
}
