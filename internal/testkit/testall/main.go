// Command testall is what `make test` and `make forms` run: go vet and every test of the named packages. At the end
// it lists the slowest tests, and each skipped test with its reason. Flags of go test may come before the packages.
//
// One go test does both: -vet=all makes it run all of go vet's checks on each package,
// with tests or without, beside the tests of others. A go vet of its own would load,
// compile and check everything once more while nothing else runs.
//
// With CI=true a skip is a failure, because .ci/run has installed what tests need. Three kinds are exempt:
//
//   - tests that want the public instances; their reason names these, STOWAGE_DATA or shared/data;
//   - tests that want the sources of kernels (STOWAGE_TFLM and others);
//   - tests whose reason names a word of ALLOW_SKIP, which .ci/run sets to what it could not install.
//
// The last line is "N passed, N failed". The exit code is 1 if anything failed, vet and builds included.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	packages := os.Args[1:]
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	failed := 0
	r, err := test(packages)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testall:", err)
		os.Exit(1)
	}
	for _, d := range r.slowest(12, 10) {
		fmt.Printf("%4.0f s  %s %s\n", d.seconds, d.pkg, d.name)
	}
	strict := os.Getenv("CI") == "true"
	if len(r.skips) > 0 {
		fmt.Printf("%d tests did not run:\n", len(r.skips))
	}
	for _, s := range r.skips {
		verdict := "skipped"
		if strict && !exempt(s.reason, os.Getenv("ALLOW_SKIP")) {
			verdict = "FAIL: skipped with CI=true"
			failed++
		}
		fmt.Printf("%s: %s %s: %s\n", verdict, s.pkg, s.name, s.reason)
	}
	failed += r.failed
	fmt.Printf("%d passed, %d failed\n", r.passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}

// patience is how long the tests of a package may take: go test's own ten minutes are too
// few for the longest of CI on a machine that does much else.
const patience = "40m"

// test runs go test and prints its output as it comes.
func test(packages []string) (*report, error) {
	cmd := exec.Command("go", append([]string{"test", "-json", "-vet=all", "-timeout=" + patience}, packages...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := newReport(os.Stdout)
	readErr := r.read(out)
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case readErr != nil:
		return nil, readErr
	case err != nil && !errors.As(err, &exit):
		return nil, err
	case err != nil && r.failed == 0:
		r.failed++ // go itself failed, and has said why
	}
	return r, nil
}

// absent are words in the reasons of tests that want what a clone need not have.
var absent = []string{
	"STOWAGE_DATA", "shared/data", "public instances",
	"STOWAGE_TFLM", "STOWAGE_CMSIS_NN", "STOWAGE_ESP_NN", "STOWAGE_KERNEL_MODELS",
}

// exempt reports whether a skip for this reason is in order with CI=true.
func exempt(reason, allowed string) bool {
	for _, word := range append(strings.Fields(allowed), absent...) {
		if strings.Contains(reason, word) {
			return true
		}
	}
	return false
}
