package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestPrograms builds and runs the programs. On linux/amd64 the bytes that the library adds stay within the limit.
func TestPrograms(t *testing.T) {
	dir := t.TempDir()
	sizes := must.Get(sizesOn(dir, runtime.GOOS, runtime.GOARCH))(t)
	for i, p := range programs {
		out, err := exec.Command(filepath.Join(dir, p.folder)).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", p.folder, err, out)
		}
		if p.folder != "baseline" && !strings.Contains(string(out), "height 7") {
			t.Errorf("%s says %q", p.folder, out)
		}
		if added := sizes[i] - sizes[0]; i > 0 && added > most && runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
			t.Errorf("%s adds %d bytes; %d are its limit", p.name, added, most)
		} else if i > 0 && runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
			recorded(t, p.name, added)
		}
	}
	if !slices.IsSorted(sizes) {
		t.Errorf("sizes %v", sizes)
	}
}

// recorded compares a size with the page's figure. 3% of difference is allowed, since compilers differ.
func recorded(t *testing.T, name string, size int64) {
	page := must.Get(os.ReadFile(filepath.Join("..", "..", "..", "docs", "measured.md")))(t)
	_, cell, ok := strings.Cut(string(page), "| "+name+" | ")
	cell, _, _ = strings.Cut(cell, " kB")
	says, err := strconv.ParseInt(strings.ReplaceAll(cell, ",", ""), 10, 64)
	if !ok || err != nil {
		t.Fatalf("docs/measured.md does not say what %q adds", name)
	}
	if off := size - 1000*says; max(off, -off) > size*3/100 {
		t.Errorf("%s adds %d bytes, and docs/measured.md says %d kB: go run ./lab/bench/size -into docs/measured.md, then go test ./internal/house -run TestDocsFacts -update",
			name, size, says)
	}
}

func TestMarkdown(t *testing.T) {
	got := markdown([]int64{1_500_000, 1_600_499, 2_100_000}, []int64{22_900_000, 3, 4, 5}, "abacus/wood")
	for _, want := range []string{
		"and verify | 100 kB |", "explain | 600 kB |", "(C++), as its paper has it | 2,021 kB |", "(1,500 kB,",
		"`stowage`, the command | 22,900 kB |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
