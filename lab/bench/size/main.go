// Command size measures how many bytes the library adds to a program: it builds small programs with and without it,
// stripped, and takes the difference. It also builds the products as the Makefile does and prints their sizes; that
// needs make and a C compiler.
//
//	go run ./lab/bench/size [-into docs/measured.md]
//
// The programs are in the folders beneath, each written out in full: files grow by pages, so shared code could move
// the difference by a page. The program baseline has no library. It uses packages that nearly every program has: fmt,
// os, context and time. All other packages that the library imports count as its own.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
)

// most is how many bytes the library may add to a program on linux/amd64. A test checks it. The limit catches a
// dependency that came in by mistake. It does not shape the code: a plainer line is worth its bytes. Problems with
// rules, the choice of fast memory, enumeration, rules of banks, alternatives, the beam, tela in auto, clauses, sums of
// heights, sections and ejections in merge, peaks that climb plans anew or first, lines of a beam,
// rows, and ejections with gaps raised it, from 1,000,000.
const most = 3_750_000

// programs are the programs to build; the first has no library.
var programs = []struct{ folder, name string }{
	{"baseline", "no library"},
	{"auto", "Stowage: auto, what it runs, and verify"},
	{"library", "Stowage: the same and explain"},
}

// paper is table 3 of Moffitt, MiniMalloc, ASPLOS 2023, in kB.
var paper = []struct {
	name string
	kB   int64
}{{"MiniMalloc (C++)", 25}, {"TelaMalloc (C++)", 206}, {"mixed ILP (C++)", 2021}}

// products are what users install: the target of make, and the file in bin.
var products = []struct{ target, file, name string }{
	{"build", "stowage", "`stowage`, the command"},
	{"sweep", "stowage-sweep", "`stowage-sweep`"},
	{"capi", "capi/libstowage.so", "`libstowage.so`, the library for C"},
}

func main() {
	into := flag.String("into", "", "put the table into the document `FILE`")
	flag.Parse()
	table, err := measure(runtime.GOOS, runtime.GOARCH)
	if err == nil {
		fmt.Print(table)
		if *into != "" {
			err = record.ReplaceBlock(*into, "bench:size", table)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lab/bench/size:", err)
		os.Exit(1)
	}
}

// measure returns the table for a platform.
func measure(system, arch string) (string, error) {
	dir, err := os.MkdirTemp("", "stowage-size-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	sizes, err := sizesOn(dir, system, arch)
	if err != nil {
		return "", err
	}
	files, err := productsIn(dir)
	if err != nil {
		return "", err
	}
	return markdown(sizes, files, system+"/"+arch), nil
}

// productsIn builds the products for this machine into a folder, and returns the sizes of the files.
func productsIn(dir string) (sizes []int64, err error) {
	for _, p := range products {
		make := exec.Command("make", "-s", "BIN="+dir, p.target)
		make.Stderr = os.Stderr
		if err := make.Run(); err != nil {
			return nil, fmt.Errorf("make %s: %w", p.target, err)
		}
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(p.file)))
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, info.Size())
	}
	return sizes, nil
}

// sizesOn builds the programs, stripped, for a platform into a folder, and returns their sizes. One go build makes
// them all, since separate ones would load the packages again.
func sizesOn(dir, system, arch string) ([]int64, error) {
	args := []string{"build", "-o", dir + string(filepath.Separator), "-trimpath", "-ldflags", "-s -w"}
	for _, p := range programs {
		args = append(args, "github.com/stowage-go/stowage/lab/bench/size/"+p.folder)
	}
	build := exec.Command("go", args...)
	build.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	sizes := make([]int64, len(programs))
	for i, p := range programs {
		name := p.folder
		if system == "windows" {
			name += ".exe"
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		sizes[i] = info.Size()
	}
	return sizes, nil
}

func markdown(sizes, files []int64, platform string) string {
	kB := func(n int64) string { return comparison.Grouped((n+500)/1000) + " kB" }
	var rows [][]string
	for i, p := range programs[1:] {
		rows = append(rows, []string{p.name, kB(sizes[i+1] - sizes[0])})
	}
	for _, p := range paper {
		rows = append(rows, []string{p.name + ", as its paper has it", comparison.Grouped(p.kB) + " kB"})
	}
	var s strings.Builder
	s.WriteString(comparison.NewTable([]string{"library", "share of a stripped binary"}, rows).Markdown())
	rows = nil
	for i, p := range products {
		rows = append(rows, []string{p.name, kB(files[i])})
	}
	s.WriteString("\n" + comparison.NewTable([]string{"file", "stripped"}, rows).Markdown())
	fmt.Fprintf(&s, "\nThe first table is the difference to a program without it (%s, most of it Go's runtime and fmt). The paper's figures are sizes of library files, table 3. %s, %s; %s.\n",
		kB(sizes[0]), platform, runtime.Version(), record.Today())
	return s.String()
}
