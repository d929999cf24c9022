// Command testall is what `make test` and `make forms` run: go vet and every test of the named packages. At the end
// it lists the slowest tests, and each skipped test with its reason. Flags of go test may come before the packages.
// Package testjson of gotestsum reads what go test says.
//
// One go test does both: -vet=all makes it run all of go vet's checks on each package, with tests or without, beside
// the tests of others. A separate go vet would load, compile and check everything once more.
//
// With CI=true a skip is a failure, because .ci/run has installed what tests need. Four kinds are exempt:
//
//   - tests of make nightly;
//   - tests that want the public instances; their reason names these, STOWAGE_DATA or shared/data;
//   - tests that want the sources of kernels (STOWAGE_TFLM and others);
//   - tests whose reason names a word of ALLOW_SKIP, which .ci/run sets to what it could not install.
//
// The last line is "N passed, N failed". The exit code is 1 if anything failed, vet and builds included.
package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"gotest.tools/gotestsum/testjson"
)

// patience is how long the tests of a package may take. go test's default of ten minutes is too short for CI's
// longest package on a busy machine.
const patience = "40m"

func main() {
	cmd := exec.Command("go", append([]string{"test", "-json", "-vet=all", "-timeout=" + patience}, os.Args[1:]...)...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		cmd.Stderr = os.Stderr
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testall:", err)
		os.Exit(1)
	}
	run, err := read(out, os.Stdout)
	if ended := cmd.Wait(); err == nil && len(run.Failed()) == 0 {
		err = ended // go itself failed, and has said why
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testall:", err)
	}
	passed, failed := report(os.Stdout, run, os.Getenv("CI") == "true", os.Getenv("ALLOW_SKIP"))
	if err != nil {
		failed = max(failed, 1)
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}

// A printer prints a line for each package, and what failing tests have printed, as it comes.
type printer struct {
	testjson.EventFormatter
	w io.Writer
}

func (p printer) Event(e testjson.TestEvent, run *testjson.Execution) error {
	return p.Format(e, run)
}

func (p printer) Err(text string) error {
	_, err := fmt.Fprintln(p.w, text)
	return err
}

// read reads the output of go test -json.
func read(in io.Reader, w io.Writer) (*testjson.Execution, error) {
	options := testjson.FormatOptions{Icons: "text", HideEmptyPackages: true}
	return testjson.ScanTestOutput(testjson.ScanConfig{
		Stdout:                   in,
		Handler:                  printer{testjson.NewEventFormatter(w, "pkgname-and-test-fails", options), w},
		IgnoreNonJSONOutputLines: true,
	})
}

// report prints builds that failed, the slowest tests, packages that failed outside of their tests, and skipped
// tests. It returns the counts. If strict, a skip that is not exempt is a failure.
func report(w io.Writer, run *testjson.Execution, strict bool, allowed string) (passed, failed int) {
	fmt.Fprint(w, strings.Join(run.Errors(), ""))
	var long []testjson.TestCase // tests run beside others, so the figure is no measurement of the test alone
	for _, name := range run.Packages() {
		p := run.Package(name)
		passed += len(p.Passed)
		long = append(long, slices.DeleteFunc(p.TestCases(), func(c testjson.TestCase) bool {
			return c.Test.IsSubTest() || c.Elapsed < 10*time.Second
		})...)
	}
	slices.SortStableFunc(long, func(a, b testjson.TestCase) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	for _, c := range long[:min(12, len(long))] {
		fmt.Fprintf(w, "%4.0f s  %s %s\n", c.Elapsed.Seconds(), shorten(c.Package), c.Test)
	}
	for _, c := range run.Failed() {
		failed++
		if c.Test == "" { // the package, outside of any test
			fmt.Fprint(w, strings.Join(run.OutputLines(c), ""))
		}
	}
	for _, c := range run.Skipped() {
		verdict, why := "skipped", reason(run.OutputLines(c))
		if strict && !exempt(why, allowed) {
			verdict = "FAIL: skipped with CI=true"
			failed++
		}
		fmt.Fprintf(w, "%s: %s %s: %s\n", verdict, shorten(c.Package), c.Test, why)
	}
	return passed, failed
}

var position = regexp.MustCompile(`^\s*[\w.-]+\.go:\d+: `)

// reason returns what a skipped test said last, without the place in the source.
func reason(output []string) string {
	for _, line := range slices.Backward(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			return position.ReplaceAllString(line, "")
		}
	}
	return "no reason given"
}

// shorten returns a package's path within the repository.
func shorten(pkg string) string {
	if rest, ok := strings.CutPrefix(pkg, "github.com/stowage-go/stowage"); ok {
		return "." + rest
	}
	return pkg
}

// absent are words in the reasons of tests that need files outside of a clone.
var absent = []string{
	"make nightly",
	"STOWAGE_DATA", "shared/data", "public instances",
	"STOWAGE_TFLM", "STOWAGE_CMSIS_NN", "STOWAGE_ESP_NN", "STOWAGE_KERNEL_MODELS",
}

// exempt reports whether a skip for this reason is in order with CI=true.
func exempt(reason, allowed string) bool {
	return slices.ContainsFunc(append(strings.Fields(allowed), absent...),
		func(word string) bool { return strings.Contains(reason, word) })
}
