// Package tests has the tests of what lies around stowage_core.c: the examples and the packages. They
// are here because Go refuses to test a folder that has C files. The tests of the C file itself are beside its twin in
// Go, in internal/planners/core.
package tests

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

func TestMain(m *testing.M) { built.Main(m) }

// programs has the driver of testdata, with sanitizers that end a program at their first complaint.
var programs = built.Folder(func(dir string) error {
	flags := []string{"-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
	flags = append(flags, "-Wall", "-Wextra", "-Werror")
	object := filepath.Join(dir, "core.o")
	plain := append(slices.Clone(flags), "-std=c99", "-c", "../stowage_core.c", "-o", object)
	if err := built.Run(nil, "cc", plain...); err != nil {
		return err
	}
	args := append(flags, "-std=c++17", "-I..", "-Itestdata", "-o", filepath.Join(dir, "adapters"), object)
	return built.Run(nil, "c++", append(args, "testdata/adapters.cc", "../examples/StowageMemoryPlanner.cpp")...)
})

// need skips a test without one of its tools, by the words of .ci/commit/tools.txt.
func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil || runtime.GOOS == "windows" {
			word := map[string]string{"cc": "c-compiler", "c++": "g++"}[tool]
			t.Skipf("%s: there is no %s on PATH", cmp.Or(word, tool), tool)
		}
	}
}

// answers gives the driver lines of input, and returns the numbers of each line that it prints, nil for words.
func answers(t *testing.T, lines []string) (all [][]int64) {
	t.Helper()
	cmd := exec.Command(filepath.Join(programs(t), "adapters"))
	cmd.Env = append(cmd.Environ(), "ASAN_OPTIONS=detect_leaks=0")
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		numbers := []int64{}
		for _, word := range strings.Fields(line) {
			n, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				numbers = nil
				break
			}
			numbers = append(numbers, n)
		}
		all = append(all, numbers)
	}
	if len(all) != len(lines) {
		t.Fatalf("%d answers to %d lines", len(all), len(lines))
	}
	return all
}

// TestMLIR: plans by MLIR's interface are those of stowage_core_plan, and hold.
func TestMLIR(t *testing.T) {
	need(t, "cc", "c++")
	var problems []*model.Problem
	var lines []string
	for _, kind := range gen.Kinds() {
		for seed := range plantest.Share(20, 1, uint64(1)) {
			p, err := gen.Generate(kind.Name, gen.Options{Buffers: 60 + 90*int(seed%7), Seed: seed})
			if err != nil || p.Rules != nil || len(p.Buffers) > 1000 {
				continue
			}
			text := ""
			for i := range p.Buffers {
				b := &p.Buffers[i]
				b.Fixed, b.Gaps = nil, nil
				text += fmt.Sprintf(" %d %d %d %d", b.Lower, b.Upper, b.Size, b.Align())
			}
			problems = append(problems, p)
			lines = append(lines, fmt.Sprintf("mlir %d%s", len(p.Buffers), text), fmt.Sprintf("c %d%s", len(p.Buffers), text))
		}
	}
	all := answers(t, lines)
	for k, p := range problems {
		offsets, plain := all[2*k], all[2*k+1]
		if len(offsets) != len(p.Buffers) || !slices.Equal(offsets, plain) {
			t.Errorf("%s: the adapter's plan is not that of stowage_core_plan", p.Name)
		} else if r := verify.CheckHeight(p, offsets, 0, model.HeightOf(p, offsets)); !r.OK() {
			t.Errorf("%s: %s", p.Name, r.Violations[0].Message)
		}
	}
	if len(problems) < 12 {
		t.Errorf("only %d problems", len(problems))
	}
	t.Logf("%d problems", len(problems))
}

// TestMLIREdges: what the core refuses goes to best fit, which the driver replaces by one after another. Allocations
// without bytes take no part.
func TestMLIREdges(t *testing.T) {
	need(t, "cc", "c++")
	for k, c := range []struct {
		line string
		want []int64
	}{
		{"mlir 0", []int64{}},
		{"mlir 1 0 2 0 64", []int64{0}},
		{"mlir 3 0 2 0 64 0 2 8 8 2 4 8 8", []int64{0, 0, 0}},
		{"mlir 2 5000000000 5000000001 8 8 5000000001 5000000002 8 8", []int64{0, 0}},
		{"mlir 2 0 1 8 8 5000000001 5000000002 8 8", []int64{0, 8}},
		{"mlir 2 0 1 7000000000000000000 1 1 2 8 4", []int64{0, 7000000000000000000}},
	} {
		if got := answers(t, []string{c.line})[0]; !slices.Equal(got, c.want) {
			t.Errorf("%d: %s: %v, want %v", k, c.line, got, c.want)
		}
	}
}

// TestL1: plans of L1 from two ends are as low as brute force finds any, their tensors lie as high as they can, and
// they are refused if and only if nothing fits.
func TestL1(t *testing.T) {
	need(t, "cc", "c++")
	type task struct {
		p                     *model.Problem
		begin, end, alignment int64
		tensors               int
	}
	var tasks []task
	var lines []string
	for seed := range plantest.Share(20_000, 600, uint64(300)) {
		r := rand.New(rand.NewPCG(seed, 47))
		x := task{p: &model.Problem{}, begin: r.Int64N(40), alignment: 1 << r.IntN(4), tensors: 1 + r.IntN(5)}
		x.end = x.begin + 8 + r.Int64N(120)
		operations := 1 + r.IntN(5)
		line, tail := fmt.Sprintf("l1 %d %d %d %d", x.begin, x.end, x.alignment, operations), ""
		for range x.tensors {
			first := r.Int64N(int64(operations))
			last := first + r.Int64N(int64(operations)-first)
			size := 1 + r.Int64N(24)
			x.p.Buffers = append(x.p.Buffers, model.Buffer{Lower: first, Upper: last + 1, Size: size, Alignment: x.alignment})
			tail += fmt.Sprintf(" %d %d %d", first, last, size)
		}
		for k := range int64(operations) {
			bytes := max(r.Int64N(30)-8, 0)
			line += fmt.Sprintf(" %d", bytes)
			if bytes > 0 {
				x.p.Buffers = append(x.p.Buffers, model.Buffer{Lower: k, Upper: k + 1, Size: bytes, Fixed: new(int64)})
			}
		}
		for i := range x.p.Buffers {
			x.p.Buffers[i].ID = strconv.Itoa(i)
		}
		lines = append(lines, fmt.Sprintf("%s %d%s", line, x.tensors, tail))
		tasks = append(tasks, x)
	}
	fit, apart := 0, 0
	for k, got := range answers(t, lines) {
		x := tasks[k]
		least, _, ok := oracle.MinHeight(x.p)
		if !ok || len(got) != 3+x.tensors {
			t.Fatalf("%s: %v", lines[k], got)
		}
		begin := (x.begin + x.alignment - 1) / x.alignment * x.alignment
		usage, bound, gap, left := got[0], got[1], got[2], x.end-begin-least
		if usage != least || bound != least || left < 0 && gap != left || left >= 0 && gap != left/x.alignment*x.alignment {
			t.Fatalf("%s: usage %d, bound %d, gap %d; the least is %d", lines[k], usage, bound, gap, least)
		}
		if left < 0 {
			if slices.Max(got[3:]) >= 0 {
				t.Errorf("%s: addresses that do not fit: %v", lines[k], got)
			}
			continue
		}
		// Circular buffers may grow by the gap, so the plan holds with larger ones.
		fit++
		offsets := make([]int64, len(x.p.Buffers))
		for i := range x.p.Buffers {
			if i < x.tensors {
				offsets[i] = got[3+i] - begin
			} else {
				x.p.Buffers[i].Size += gap
				apart++
			}
		}
		if r := verify.CheckHeight(x.p, offsets, x.end-begin, model.HeightOf(x.p, offsets)); !r.OK() {
			t.Errorf("%s: %v: %s", lines[k], got, r.Violations[0].Message)
		}
	}
	if fit < len(tasks)/3 || fit > len(tasks)*9/10 || apart < fit {
		t.Errorf("lopsided: %d of %d fit, %d circular buffers", fit, len(tasks), apart)
	}
	for _, line := range []string{
		"l1 0 64 0 0 0", "l1 64 0 8 0 0", "l1 0 64 8 0 1 2 1 8", "l1 0 64 8 0 1 0 1 0",
		"l1 0 64 8 0 1 0 2147483647 8", "l1 0 64 8 1 -4 0", "l1 -1 64 8 0 0",
	} {
		if got := answers(t, []string{line})[0]; got != nil {
			t.Errorf("%s: %v", line, got)
		}
	}
}
