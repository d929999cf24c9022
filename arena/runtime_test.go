package arena_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/arena"
	trace "github.com/stowage-go/stowage/format/arena"
	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// Idea: stowage_arena.c is tested by C programs in testdata, under the address, undefined-behaviour and
// thread sanitizers. main.c says what each of them does.

func TestMain(m *testing.M) { built.Main(m) }

var (
	checked = built.Folder(func(dir string) error {
		core := filepath.Join(dir, "core.o") // has tests of its own, with sanitizers
		if err := built.Run(nil, "cc", "-std=c99", "-O1", "-c", "../core/stowage_core.c", "-o", core); err != nil {
			return err
		}
		return compile(dir, "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I../core",
			"-DSTOWAGE_ARENA_CORE", core)
	})
	threaded = built.Folder(func(dir string) error { return compile(dir, "-fsanitize=thread") })
	plain    = built.Folder(func(dir string) error { return compile(dir, "-O2") })
)

// compile builds the C tests in a folder.
func compile(dir string, flags ...string) error {
	sources, err := filepath.Glob("testdata/*.c")
	if err != nil {
		return err
	}
	args := append([]string{"-std=gnu99", "-Wall", "-Wextra", "-Werror", "-g", "-O1"}, flags...)
	args = append(args, "-Itestdata", "-o", filepath.Join(dir, "test"), "stowage_arena.c")
	return built.Run(nil, "cc", append(append(args, sources...), "-lpthread")...)
}

// needCC skips a test if there is no C compiler.
func needCC(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no C compiler for stowage_arena.c")
	}
}

// call runs a C test and returns what it prints.
func call(t *testing.T, build func(testing.TB) string, environment string, args ...string) string {
	t.Helper()
	needCC(t)
	cmd := exec.Command(filepath.Join(build(t), "test"), args...)
	cmd.Env = append(os.Environ(), environment)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "ok\n") {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestStrict compiles the file as its users may: as strict C99 and C11 with all warnings, and the header as C++.
func TestStrict(t *testing.T) {
	needCC(t)
	for _, std := range []string{"c99", "c11"} {
		args := []string{
			"-std=" + std, "-pedantic", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-fsyntax-only", "-I../core",
			"-DSTOWAGE_ARENA_CORE", "stowage_arena.c",
		}
		if err := built.Run(nil, "cc", args...); err != nil {
			t.Error(err)
		}
	}
	if _, err := exec.LookPath("c++"); err == nil {
		if err := built.Run(nil, "c++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++",
			"stowage_arena.h"); err != nil {
			t.Error(err)
		}
	}
}

// TestFollow checks the arena's behaviour case by case.
func TestFollow(t *testing.T) { call(t, checked, "", "follow") }

// TestModel plays random events against a model of the arena: 10 million with STOWAGE_CASES=all.
func TestModel(t *testing.T) {
	events := 20_000
	if os.Getenv("STOWAGE_CASES") == "all" && !testing.Short() {
		events = 1_250_000
	}
	for seed := range 8 {
		t.Log(call(t, checked, "", "model", fmt.Sprint(seed), fmt.Sprint(events)))
	}
}

// TestFamilies runs steps whose sizes follow a number that is drawn anew for each step.
func TestFamilies(t *testing.T) {
	for seed := range 4 {
		t.Log(call(t, checked, "", "families", fmt.Sprint(seed), "25"))
	}
}

// TestThreads lets threads allocate, free for one another and begin scopes, while plans come and go.
func TestThreads(t *testing.T) {
	t.Log(call(t, threaded, "TSAN_OPTIONS=halt_on_error=1", "threads", "1", "1000"))
	t.Log(call(t, checked, "", "threads", "2", "2000"))
}

// TestForks forks while threads are inside of the arena.
func TestForks(t *testing.T) { call(t, plain, "", "forks", "40") }

// TestDamage loads damaged plans, some thousands of them.
func TestDamage(t *testing.T) {
	needCC(t)
	dir := t.TempDir()
	for k, name := range []string{"testdata/three.trace", "testdata/steps.trace"} {
		plan := filepath.Join(dir, fmt.Sprint(k))
		makePlan(t, name, plan, arena.Options{Guard: int64(k) * 32})
		t.Log(call(t, checked, "", "damage", plan, fmt.Sprint(k), "3000"))
	}
}

// read reads a trace.
func read(t *testing.T, path string) *trace.Trace {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	return must.Get(trace.ReadTrace(f, path))(t)
}

// makePlan plans a trace and writes the plans to a file.
func makePlan(t *testing.T, from, to string, o arena.Options) []trace.Plan {
	t.Helper()
	plans := must.Get(arena.Make(context.Background(), read(t, from), o))(t)
	write(t, to, plans)
	return plans
}

func write(t *testing.T, path string, plans []trace.Plan) {
	t.Helper()
	reports := must.Get(arena.Verify(plans))(t)
	for _, r := range reports {
		if !r.OK() {
			t.Fatal(r.Violations)
		}
	}
	var b bytes.Buffer
	must.Do(t, trace.WritePlans(&b, plans))
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o644))
}

// TestServe records a program in C, plans its trace, and plays it from the plan: all allocations are served, except
// in the first step, which differs by one allocation, and except those that live for two steps.
func TestServe(t *testing.T) {
	needCC(t)
	dir := t.TempDir()
	recorded, plan := filepath.Join(dir, "steps.trace"), filepath.Join(dir, "steps.plan")
	call(t, checked, "ASAN_OPTIONS=detect_leaks=0", "record", recorded)
	same := must.Get(os.ReadFile("testdata/steps.trace"))(t)
	if now, err := os.ReadFile(recorded); err != nil || !bytes.Equal(now, same) {
		t.Fatalf("the recording is not testdata/steps.trace: %v\n%s", err, now)
	}
	for _, guard := range []int64{0, 64} {
		plans := makePlan(t, recorded, plan, arena.Options{Guard: guard})
		if len(plans) != 2 || plans[0].Status != stowage.Optimal {
			t.Fatalf("%d plans, %s", len(plans), plans[0].Status)
		}
		out := call(t, checked, "", "serve", recorded, plan, "2", "testdata/three.trace")
		want := fmt.Sprintf("served 124 missed 2 refused 0 kept 8 outside 0 block %d peak 28177 damaged 0\n", plans[0].Height)
		if !strings.HasPrefix(out, want) || !strings.Contains(out, "damaged 0\nok") {
			t.Errorf("guard %d: %s, want %s", guard, out, want)
		}
	}
}

// TestServeRecorded plays the recorded training step of a U-Net from its plan: all is served.
func TestServeRecorded(t *testing.T) {
	needCC(t)
	r := recorded(t, "unet.trace")
	plans := must.Get(arena.Make(context.Background(), r, arena.Options{}))(t)
	dir := t.TempDir()
	from, plan := filepath.Join(dir, "unet.trace"), filepath.Join(dir, "unet.plan")
	write(t, plan, plans)
	var b bytes.Buffer
	must.Do(t, trace.WriteTrace(&b, r))
	must.Do(t, os.WriteFile(from, b.Bytes(), 0o644))
	out := call(t, plain, "", "serve", from, plan, "2")
	if !strings.HasPrefix(out, "served 1976 missed 0 refused 0 kept 0 outside 0 block 23402500 peak 23402384 damaged 0\n") {
		t.Error(out)
	}
}
