package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestReport reads a recorded run: one test of each verdict, a subtest, a slow test, a package that does not build, one
// whose TestMain fails, and one that dies in the middle of a test.
func TestReport(t *testing.T) {
	const run = `{"Action":"start","Package":"github.com/stowage-go/stowage/a"}
{"Action":"run","Package":"github.com/stowage-go/stowage/a","Test":"TestOK"}
{"Action":"output","Package":"github.com/stowage-go/stowage/a","Test":"TestOK","Output":"chatter\n"}
{"Action":"pass","Package":"github.com/stowage-go/stowage/a","Test":"TestOK/sub","Elapsed":30}
{"Action":"pass","Package":"github.com/stowage-go/stowage/a","Test":"TestOK","Elapsed":31}
{"Action":"output","Package":"github.com/stowage-go/stowage/a","Test":"TestBad/sub","Output":"    a_test.go:9: wrong\n"}
{"Action":"output","Package":"github.com/stowage-go/stowage/a","Test":"TestBad/sub","Output":"--- FAIL: TestBad/sub (0.00s)\n"}
{"Action":"fail","Package":"github.com/stowage-go/stowage/a","Test":"TestBad/sub"}
{"Action":"output","Package":"github.com/stowage-go/stowage/a","Test":"TestBad","Output":"--- FAIL: TestBad (0.00s)\n"}
{"Action":"fail","Package":"github.com/stowage-go/stowage/a","Test":"TestBad"}
{"Action":"output","Package":"github.com/stowage-go/stowage/a","Test":"TestNone","Output":"=== RUN   TestNone\n"}
{"Action":"output","Package":"github.com/stowage-go/stowage/a","Test":"TestNone","Output":"    a_test.go:12: no LaTeX: here\n"}
{"Action":"output","Package":"github.com/stowage-go/stowage/a","Test":"TestNone","Output":"--- SKIP: TestNone (0.00s)\n"}
{"Action":"skip","Package":"github.com/stowage-go/stowage/a","Test":"TestNone"}
{"Action":"output","Package":"github.com/stowage-go/stowage/a","Output":"FAIL\n"}
{"Action":"output","Package":"github.com/stowage-go/stowage/a","Output":"FAIL\tgithub.com/stowage-go/stowage/a\t0.1s\n"}
{"Action":"fail","Package":"github.com/stowage-go/stowage/a"}
{"ImportPath":"github.com/stowage-go/stowage/b","Action":"build-output","Output":"b.go:1: undefined: x\n"}
{"ImportPath":"github.com/stowage-go/stowage/b","Action":"build-fail"}
{"Action":"fail","Package":"github.com/stowage-go/stowage/b","FailedBuild":"github.com/stowage-go/stowage/b"}
{"Action":"run","Package":"github.com/stowage-go/stowage/c","Test":"TestDies"}
{"Action":"output","Package":"github.com/stowage-go/stowage/c","Test":"TestDies","Output":"last words\n"}
{"Action":"fail","Package":"github.com/stowage-go/stowage/c"}
{"Action":"output","Package":"github.com/stowage-go/stowage/d","Output":"in TestMain\n"}
{"Action":"fail","Package":"github.com/stowage-go/stowage/d"}
go: a line that is no event
`
	var out bytes.Buffer
	execution := must.Get(read(strings.NewReader(run), &out))(t)
	for _, c := range []struct {
		strict         bool
		allowed        string
		passed, failed int
	}{{false, "", 2, 5}, {true, "LaTeX", 2, 5}, {true, "", 2, 6}} {
		var said bytes.Buffer
		passed, failed := report(&said, execution, c.strict, c.allowed)
		if passed != c.passed || failed != c.failed {
			t.Errorf("%v %q: %d passed, %d failed; want %d and %d", c.strict, c.allowed, passed, failed, c.passed, c.failed)
		}
		fault := strings.HasSuffix(said.String(), "FAIL: skipped with CI=true: ./a TestNone: no LaTeX: here\n")
		if fault != (c.failed == 6) {
			t.Errorf("%v %q: %s", c.strict, c.allowed, &said)
		}
	}
	report(&out, execution, false, "")
	const want = "    a_test.go:9: wrong\n--- FAIL: TestBad/sub (0.00s)\n--- FAIL: TestBad (0.00s)\n" +
		"FAIL  github.com/stowage-go/stowage/a\nFAIL  github.com/stowage-go/stowage/b\n" +
		"FAIL  github.com/stowage-go/stowage/c\nFAIL  github.com/stowage-go/stowage/d\ngo: a line that is no event\nlast words\n" +
		"b.go:1: undefined: x\n  31 s  ./a TestOK\nin TestMain\nskipped: ./a TestNone: no LaTeX: here\n"
	must.Same(t, want, out.String())
}

func TestExempt(t *testing.T) {
	for _, c := range []struct {
		reason, allowed string
		want            bool
	}{
		{"set STOWAGE_DATA to their folder", "", true},
		{"the public instances are not here: x.csv", "", true},
		{"needs shared/data/models", "", true},
		{"make nightly runs it, and so does STOWAGE_CASES=night", "", true},
		{"pdflatex is not on PATH", "", false},
		{"pdflatex is not on PATH", "node pdflatex", true},
		{"pdflatex is not on PATH", "node", false},
	} {
		if got := exempt(c.reason, c.allowed); got != c.want {
			t.Errorf("exempt(%q, %q) = %v", c.reason, c.allowed, got)
		}
	}
}
