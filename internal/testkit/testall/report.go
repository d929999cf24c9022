package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Idea: go test -json tells the tests apart. The output of a failed test is printed when it ends, that of a passed
// test is dropped, and a package's own line is printed as go test has it. A skipped test's last line of output is its
// reason.
//
// Complexity: one pass; it holds the output of the tests that are running.

// An event is a line of go test -json; see go doc test2json.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64 // seconds, of a verdict
}

// A skip is a test that did not run.
type skip struct{ pkg, name, reason string }

// A duration is how long a test took by the clock, its subtests included.
type duration struct {
	pkg, name string
	seconds   float64
}

// report counts the tests with a verdict of their own, subtests included.
type report struct {
	w              io.Writer
	passed, failed int
	skips          []skip
	took           []duration             // of tests that are nobody's subtests
	output         map[[2]string][]string // by package and test
	failures       map[string]int         // by package
}

func newReport(w io.Writer) *report {
	return &report{w: w, output: map[[2]string][]string{}, failures: map[string]int{}}
}

func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(r.w, "%s", line) // not an event: pass it on
			} else {
				r.add(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) add(e event) {
	key := [2]string{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.w, e.Output)
	case "output":
		if e.Test == "" {
			r.packageLine(e.Output)
			return
		}
		r.output[key] = append(r.output[key], e.Output)
	case "pass", "fail", "skip":
		r.verdict(e, r.output[key])
		delete(r.output, key)
	}
}

// packageLine prints what go test says of a package and what its tests print
// outside of any, but not the bare verdict that the line after it repeats.
func (r *report) packageLine(text string) {
	if text != "PASS\n" && text != "FAIL\n" {
		fmt.Fprint(r.w, text)
	}
}

func (r *report) verdict(e event, output []string) {
	if e.Test != "" && !strings.Contains(e.Test, "/") {
		r.took = append(r.took, duration{shorten(e.Package), e.Test, e.Elapsed})
	}
	switch {
	case e.Test == "":
		// A package fails with its tests; one that fails without any has not
		// been built, or has exited.
		if e.Action == "fail" && r.failures[e.Package] == 0 {
			r.failed++
			// What a test that never ended has printed is the only trace.
			for _, key := range r.unfinished(e.Package) {
				fmt.Fprint(r.w, strings.Join(r.output[key], ""))
				delete(r.output, key)
			}
		}
	case e.Action == "pass":
		r.passed++
	case e.Action == "fail":
		r.failed++
		r.failures[e.Package]++
		fmt.Fprint(r.w, strings.Join(output, ""))
	case e.Action == "skip":
		r.skips = append(r.skips, skip{shorten(e.Package), e.Test, reason(output)})
	}
}

// slowest returns the tests that took at least least seconds, n at most, the longest first.
// Tests run beside others, so the figure is no measurement of the test alone.
func (r *report) slowest(n int, least float64) []duration {
	long := slices.DeleteFunc(slices.Clone(r.took), func(d duration) bool { return d.seconds < least })
	slices.SortStableFunc(long, func(a, b duration) int { return cmp.Compare(b.seconds, a.seconds) })
	return long[:min(n, len(long))]
}

func (r *report) unfinished(pkg string) [][2]string {
	var keys [][2]string
	for key := range r.output {
		if key[0] == pkg {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b [2]string) int { return strings.Compare(a[1], b[1]) })
	return keys
}

var position = regexp.MustCompile(`^\s*[\w.-]+\.go:\d+: `)

// reason returns what a skipped test said, without the place in the source.
func reason(output []string) string {
	for i := len(output) - 1; i >= 0; i-- {
		line := strings.TrimSpace(output[i])
		if line == "" || strings.HasPrefix(line, "===") || strings.HasPrefix(line, "---") {
			continue
		}
		return position.ReplaceAllString(line, "")
	}
	return "no reason given"
}

// shorten returns a package's path within the module.
func shorten(pkg string) string {
	_, rest, ok := strings.Cut(pkg, "github.com/stowage-go/stowage")
	if !ok {
		return pkg
	}
	return "." + rest
}
