package main

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestPrograms builds the programs and runs them: a size of one that does not
// work would mean nothing. It leaves out the flags of a release, with which the
// standard library is built anew.
func TestPrograms(t *testing.T) {
	dir := t.TempDir()
	var sizes []int64
	for _, p := range programs {
		path := filepath.Join(dir, p.folder)
		n, err := sizeOf(builder(path, p.folder), path)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, n)
		out, err := exec.Command(path).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", p.folder, err, out)
		}
		if p.folder != "baseline" && !strings.Contains(string(out), "height 7") {
			t.Errorf("%s says %q", p.folder, out)
		}
	}
	if !slices.IsSorted(sizes) {
		t.Errorf("sizes %v", sizes)
	}
}

// TestLimits holds what the library adds to its limits.
func TestLimits(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the limits are for linux/amd64")
	}
	sizes, err := sizesOn(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range programs[1:] {
		if added := sizes[i+1] - sizes[0]; added > p.most {
			t.Errorf("%s adds %d bytes; %d are its limit", p.name, added, p.most)
		}
	}
}

func TestMarkdown(t *testing.T) {
	got := markdown([]int64{1_500_000, 1_600_499, 2_100_000, 2_900_000}, "abacus/wood")
	for _, want := range []string{"alone (1) | 100 kB |", "explain | 1,400 kB |", "(C++), as its paper has it | 2,021 kB |", "(1,500 kB,"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
