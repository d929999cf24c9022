package main

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReport reads a recorded run: one test of each verdict, a subtest, a
// package that does not build and one that dies in the middle of a test.
func TestReport(t *testing.T) {
	const run = `{"Action":"start","Package":"github.com/stowage-go/stowage/a"}
{"Action":"run","Package":"github.com/stowage-go/stowage/a","Test":"TestOK"}
{"Action":"output","Package":"github.com/stowage-go/stowage/a","Test":"TestOK","Output":"chatter\n"}
{"Action":"pass","Package":"github.com/stowage-go/stowage/a","Test":"TestOK"}
{"Action":"output","Package":"github.com/stowage-go/stowage/a","Test":"TestBad/sub","Output":"    a_test.go:9: wrong\n"}
{"Action":"output","Package":"github.com/stowage-go/stowage/a","Test":"TestBad/sub","Output":"--- FAIL: TestBad/sub (0.00s)\n"}
{"Action":"fail","Package":"github.com/stowage-go/stowage/a","Test":"TestBad/sub"}
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
go: a line that is no event
`
	var out bytes.Buffer
	r := newReport(&out)
	if err := r.read(strings.NewReader(run)); err != nil {
		t.Fatal(err)
	}
	if r.passed != 1 || r.failed != 4 {
		t.Errorf("%d passed, %d failed; want 1 and 4", r.passed, r.failed)
	}
	if len(r.skips) != 1 || r.skips[0] != (skip{"./a", "TestNone", "no LaTeX: here"}) {
		t.Errorf("skips %v", r.skips)
	}
	const want = "    a_test.go:9: wrong\n--- FAIL: TestBad/sub (0.00s)\n" +
		"FAIL\tgithub.com/stowage-go/stowage/a\t0.1s\nb.go:1: undefined: x\nlast words\ngo: a line that is no event\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestSlowest leaves out subtests and short tests, and sorts the others.
func TestSlowest(t *testing.T) {
	r := newReport(io.Discard)
	const run = `{"Action":"pass","Package":"github.com/stowage-go/stowage/a","Test":"TestLong/sub","Elapsed":30}
{"Action":"pass","Package":"github.com/stowage-go/stowage/a","Test":"TestLong","Elapsed":31}
{"Action":"pass","Package":"github.com/stowage-go/stowage/a","Test":"TestShort","Elapsed":1}
{"Action":"fail","Package":"github.com/stowage-go/stowage/b","Test":"TestLonger","Elapsed":40.5}
{"Action":"pass","Package":"github.com/stowage-go/stowage/b","Test":"TestThird","Elapsed":20}
`
	if err := r.read(strings.NewReader(run)); err != nil {
		t.Fatal(err)
	}
	want := []duration{{"./b", "TestLonger", 40.5}, {"./a", "TestLong", 31}}
	if got := r.slowest(2, 10); !slices.Equal(got, want) {
		t.Errorf("slowest %v, want %v", got, want)
	}
}

func TestExempt(t *testing.T) {
	for _, c := range []struct {
		reason, allowed string
		want            bool
	}{
		{"set STOWAGE_DATA to their folder", "", true},
		{"the public instances are not here: x.csv", "", true},
		{"needs shared/data/models", "", true},
		{"pdflatex is not on PATH", "", false},
		{"pdflatex is not on PATH", "node pdflatex", true},
		{"pdflatex is not on PATH", "node", false},
	} {
		if got := exempt(c.reason, c.allowed); got != c.want {
			t.Errorf("exempt(%q, %q) = %v", c.reason, c.allowed, got)
		}
	}
}
