// Command testall is what `make test` and `make forms` run: go vet and every test of the
// packages named, and at the end, by name, each test that was skipped and why.
// Flags of go test may come before the packages.
//
// With CI=true a skip is a failure, because what a test needs has then been
// installed by .ci/run. Two kinds are exempt: tests that want the public
// instances (their reason names those, STOWAGE_DATA or shared/data), which a
// clone need not have, and tests whose reason names a word of ALLOW_SKIP, which
// .ci/run sets to what it could not install.
//
// The last line is "N passed, N failed"; the exit code is 1 where anything
// failed, vet and builds included.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

func main() {
	packages := os.Args[1:]
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	failed := 0
	// What go test alone takes is left out.
	vetted := slices.DeleteFunc(slices.Clone(packages), func(arg string) bool { return arg == "-short" })
	if err := run("go", append([]string{"vet"}, vetted...)...); err != nil {
		fmt.Println("FAIL\tgo vet:", err)
		failed++
	}
	r, err := test(packages)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testall:", err)
		os.Exit(1)
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

func run(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// test runs go test and prints its output as it comes.
func test(packages []string) (*report, error) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, packages...)...)
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

// exempt reports whether a skip for this reason is in order with CI=true.
func exempt(reason, allowed string) bool {
	for _, word := range append(strings.Fields(allowed), "STOWAGE_DATA", "shared/data", "public instances") {
		if strings.Contains(reason, word) {
			return true
		}
	}
	return false
}
