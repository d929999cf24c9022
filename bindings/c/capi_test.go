package main_test

import (
	"bytes"
	"debug/elf"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/setting"
	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the library is tested as its users have it. It is built, and C and C++ programs that were compiled against its
// header run with it. testdata/check.c has the checks. Here it is compiled in each way, and run.

func TestMain(m *testing.M) { built.Main(m) }

// both has the library, shared and static.
var both = built.Folder(func(dir string) error { return errors.Join(build(dir, asShared), build(dir, asStatic)) })

// A form is a build mode of go build, and the library's file in it.
type form struct{ mode, file string }

var asShared, asStatic = form{"c-shared", "libstowage.so"}, form{"c-archive", "libstowage.a"}

// build builds the library into a folder. C is compiled as make capi does, which then finds it compiled.
func build(dir string, as form) error {
	flags := "-s -w"
	if here, err := filepath.Abs("stowage.map"); err == nil && runtime.GOOS == "linux" {
		flags += " -extldflags=-Wl,-soname,libstowage.so,--version-script=" + here
	}
	return built.Run([]string{"CGO_ENABLED=1", "CGO_CFLAGS=-O2 -g0"}, "go",
		"build", "-trimpath", "-ldflags", flags, "-buildmode="+as.mode, "-o", filepath.Join(dir, as.file), ".")
}

// library returns the folder with libstowage.so, libstowage.a and the header. It skips the test
// if there is no compiler or no POSIX.
func library(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the tests of the C library are for POSIX")
	}
	for _, name := range []string{"cc", "c++"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("there is no C compiler: %s is not on PATH (c-compiler)", name)
		}
	}
	return both(t)
}

// libraries returns the linker's arguments for a program with the static library.
func libraries() []string {
	if runtime.GOOS == "darwin" {
		return []string{"-framework", "CoreFoundation", "-lpthread"}
	}
	return []string{"-lpthread"}
}

// program compiles a program against the library and returns its path. The compiler's command ends with the flags.
func program(t *testing.T, source string, static bool, compiler ...string) string {
	t.Helper()
	return programIn(t, library(t), source, static, compiler...)
}

// compiled are the compiled programs, by the compiler's command; programs is their folder.
var (
	compiled = map[string]string{}
	programs = built.Folder(func(string) error { return nil })
)

// programIn compiles a program against the library in a folder, once.
func programIn(t *testing.T, dir, source string, static bool, compiler ...string) string {
	t.Helper()
	args := append(slices.Clone(compiler[1:]), "-Wall", "-Wextra", "-Werror", "-g", "-I.")
	if filepath.Ext(source) == ".c" && compiler[0] == "c++" {
		args = append(args, "-x", "c++", source, "-x", "none")
	} else {
		args = append(args, source)
	}
	if static {
		args = append(args, filepath.Join(dir, "libstowage.a"))
	} else {
		args = append(args, "-L"+dir, "-lstowage", "-Wl,-rpath,"+dir)
	}
	args = append(args, libraries()...)
	key := compiler[0] + " " + strings.Join(args, " ")
	if path, ok := compiled[key]; ok {
		return path
	}
	path := filepath.Join(programs(t), "program"+strconv.Itoa(len(compiled)))
	if out, err := exec.CommandContext(t.Context(), compiler[0],
		append(args, "-o", path)...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", compiler[0], err, out)
	}
	compiled[key] = path
	return path
}

var (
	c99 = []string{"cc", "-std=c99", "-D_DEFAULT_SOURCE", "-pedantic", "-O1"}
	cpp = []string{"c++", "-std=c++17", "-O1"}
)

func execute(t *testing.T, path string, args ...string) string {
	t.Helper()
	return answered(t, nil, path, args...)
}

// answered is execute with a standard input.
func answered(t *testing.T, in io.Reader, path string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Stdin = in
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", filepath.Base(path), args, err, &out, &errs)
	}
	t.Logf("%s%s", &out, &errs)
	return out.String()
}

// TestC runs all checks on the library, shared and static, from C.
func TestC(t *testing.T) {
	execute(t, program(t, "testdata/check.c", false, c99...))
	execute(t, program(t, "testdata/check.c", true, c99...))
}

func TestCXX(t *testing.T) { execute(t, program(t, "testdata/check.c", false, cpp...)) }

// strict are the warnings that users compile with.
var strict = []string{"-pedantic", "-Wconversion", "-Wshadow", "-Wnon-virtual-dtor", "-O1"}

// TestHPP runs all checks of stowage.hpp: in C++17 by c++, at night in each standard from C++17 on by each compiler
// that is on this machine.
func TestHPP(t *testing.T) {
	for _, compiler := range []string{"c++", "clang++"} {
		for _, standard := range []string{"-std=c++17", "-std=c++20"} {
			if (compiler != "c++" || standard != "-std=c++17") && !plantest.AtNight() {
				continue
			}
			t.Run(compiler+standard, func(t *testing.T) {
				if _, err := exec.LookPath(compiler); err != nil {
					if compiler == "clang++" {
						return // clang gives a second opinion if it is there
					}
					t.Skipf("there is no C compiler: %s is not on PATH (c-compiler)", compiler)
				}
				command := append([]string{compiler, standard}, strict...)
				if standard != "-std=c++17" {
					command = append(command, "-O0") // what g++ says only when it optimises, it has said in C++17
				}
				execute(t, program(t, "testdata/check.cc", false, command...))
			})
		}
	}
}

// TestShown: the library exports the names of its header and no others. A program may have a function fatalf of its
// own.
func TestShown(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what a library shows is read from ELF files (POSIX)")
	}
	f := must.Get(elf.Open(filepath.Join(library(t), "libstowage.so")))(t)
	defer f.Close()
	symbols := must.Get(f.DynamicSymbols())(t)
	header := mustRead(t, "stowage.h")
	shown := map[string]bool{}
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF {
			continue
		}
		shown[s.Name] = true
		if !strings.HasPrefix(s.Name, "stowage_") || !bytes.Contains(header, []byte(s.Name+"(")) {
			t.Errorf("%s is shown", s.Name)
		}
	}
	for _, m := range regexp.MustCompile(`(?s)STOWAGE_API[^;(]*?(stowage_\w+)\(`).FindAllSubmatch(header, -1) {
		if !shown[string(m[1])] {
			t.Errorf("%s is in the header and not shown", m[1])
		}
	}
	if len(shown) < 30 {
		t.Errorf("only %d names", len(shown))
	}
}

// TestBuildFiles holds the name by which a program asks for the library.
func TestBuildFiles(t *testing.T) {
	dir := library(t)
	if runtime.GOOS != "linux" {
		t.Skip("what a library is called is read from ELF files (POSIX)")
	}
	// As CMake does: by the path.
	path := filepath.Join(t.TempDir(), "program")
	tool(t, nil, "cc", "-I.", "examples/plan.c", filepath.Join(dir, "libstowage.so"), "-o", path)
	f := must.Get(elf.Open(path))(t)
	defer f.Close()
	if needed, err := f.ImportedLibraries(); err != nil || !slices.Contains(needed, "libstowage.so") {
		t.Errorf("a program that was linked by the library's path asks for %q, %v", needed, err)
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data := must.Get(os.ReadFile(path))(t)
	return data
}

// TestHeader compares stowage.h and solver.h with the Go code: the largest size, and the options by name.
func TestHeader(t *testing.T) {
	header, most := mustRead(t, "stowage.h"), strconv.FormatInt(model.MaxSum, 10)
	if !bytes.Contains(header, []byte(most)) || !bytes.Contains(mustRead(t, "solver.h"), []byte("INT64_C("+most+")")) {
		t.Errorf("the header or solver.h does not have %s as the largest size", most)
	}
	for _, s := range setting.All {
		if !bytes.Contains(header, []byte(`"`+s.Name+`": `)) {
			t.Errorf("the header's example of options does not have %s", s.Name)
		}
	}
	// The header names the planners.
	words := strings.Join(strings.Fields(strings.ReplaceAll(string(header), "\n *", " ")), " ")
	names := plan.Names()
	last := len(names) - 1
	if list := strings.Join(names[:last], ", ") + " and " + names[last]; !strings.Contains(words,
		"The planners are "+list+".") {
		t.Errorf("the header does not say that the planners are %s", list)
	}
}

// TestPlanners asks for planners by name. The library has the product's planners, and says where to find the
// laboratory's.
func TestPlanners(t *testing.T) {
	library(t)
	for _, name := range plan.Names() {
		if got := execute(t, program(t, "testdata/planner.c", false, c99...), name); !strings.HasPrefix(got,
			"0 "+name+" height ") {
			t.Errorf("the library says %q of %s", got, name)
		}
	}
	for name, want := range map[string]string{
		"tflite-greedy-by-size": `-1 options: planner "tflite-greedy-by-size" is in stowage-lab: go install github.com/stowage-go/stowage/lab/cmd/stowage-lab@latest`,
		"nobody":                `-1 options: no planner is named "nobody"; the choices are auto, beam, boxing, climb, core, exact, first-fit, … ('stowage planners' lists all 12)`,
	} {
		if got := execute(t, program(t, "testdata/planner.c", false, c99...), name); got != want+"\n" {
			t.Errorf("the library says %q, want %q", got, want)
		}
	}
}

// TestThreads makes 1,000 calls from eight threads.
func TestThreads(t *testing.T) { execute(t, program(t, "testdata/check.c", false, c99...), "threads") }

// TestLeaks makes 40,000 calls, with STOWAGE_CASES=all 100,000. The memory in use may not grow after the first 20,000.
func TestLeaks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what a process uses is read from /proc (POSIX)")
	}
	calls := plantest.Share(100_000, 40_000, 10_000)
	execute(t, program(t, "testdata/check.c", false, c99...), "leaks", strconv.Itoa(calls))
}

// sanitizers returns the compiler's arguments that instrument C code. It skips the test if the compiler has none.
func sanitizers(t *testing.T) []string {
	t.Helper()
	probe := filepath.Join(t.TempDir(), "probe.c")
	must.Do(t, os.WriteFile(probe, []byte("int main(void) { return 0; }\n"), 0o600))
	out := filepath.Join(t.TempDir(), "probe")
	if exec.CommandContext(t.Context(), "cc", "-fsanitize=address,undefined", probe, "-o", out).Run() != nil ||
		exec.CommandContext(t.Context(), out).Run() != nil {
		t.Skip("this C compiler has no sanitizers")
	}
	t.Setenv("ASAN_OPTIONS", "quarantine_size_mb=1") // freed memory that is kept is no leak
	return []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"}
}

// TestSanitizers repeats the checks with the C code instrumented. The sanitizers see what the
// library writes outside of its memory, what it leaves behind, and what C leaves undefined.
func TestSanitizers(t *testing.T) {
	library(t)
	flags := sanitizers(t)
	path := program(t, "testdata/check.c", false, append(slices.Clone(c99), flags...)...)
	execute(t, path)
	execute(t, path, "threads")
	execute(t, path, "leaks", "2000")
	// Without optimisation g++ takes a third of the time, and nothing is optimised away that the sanitizers would see.
	execute(t, program(t, "testdata/check.cc", false, append(append(slices.Clone(cpp), flags...), "-O0")...))
}

// TestExamples builds and runs the examples. It checks the figures that they print, and not the
// offsets, which may change with the planners.
func TestExamples(t *testing.T) {
	got := execute(t, program(t, "examples/plan.c", false, c99...))
	if !strings.HasPrefix(got, "height 12, the lowest there is\n0 at ") ||
		!strings.HasSuffix(got, "\n11 is too little\n") {
		t.Errorf("plan.c prints\n%s", got)
	}
	got = execute(t, program(t, "examples/plan.cc", false, cpp...))
	if !strings.HasPrefix(got, "height 12, the lowest there is\n0 at ") ||
		!strings.HasSuffix(got, "\n11 is too little: In [0, 3) 3 buffers take 12, which is 1 more than the capacity of 11. They are 0 (4), 2 (4) and 4 (4).\n") {
		t.Errorf("plan.cc prints\n%s", got)
	}
	got = execute(t, program(t, "examples/memories.c", false, c99...))
	if !strings.HasPrefix(got, "cost 24, at least 24\n0 in ") || strings.Count(got, " in dram at 0\n") != 1 {
		t.Errorf("memories.c prints\n%s", got)
	}
	got = execute(t, program(t, "examples/hook.cc", true, cpp...))
	if strings.Count(got, "\n") != 3 || !strings.HasPrefix(got, "20 values: ") {
		t.Errorf("hook.cc prints\n%s", got)
	}
}

// overheads matches the times of calls that testdata/check.c prints.
var overheads = regexp.MustCompile(`(?m)^0 buffers: ([\d.]+) us a call.*\n20 buffers: .*, ([\d.]+) us of it beside`)

// TestOverhead checks what a call costs on top of the planner. The limits leave room for a busy
// machine. docs/c.md has the measured times.
func TestOverhead(t *testing.T) {
	out := execute(t, program(t, "testdata/check.c", false, c99...), "overhead")
	m := overheads.FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("it prints\n%s", out)
	}
	for k, most := range []float64{20, 60} {
		if us, err := strconv.ParseFloat(m[k+1], 64); err != nil || us > most {
			t.Errorf("%s us, %v; want at most %g", m[k+1], err, most)
		}
	}
}
