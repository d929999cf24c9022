package engines_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/built"
	_ "github.com/stowage-go/stowage/plan/all"
	"github.com/stowage-go/stowage/sweep/core"
	"github.com/stowage-go/stowage/sweep/spec"
)

func TestMain(m *testing.M) { built.Main(m) }

// command has stowage-sweep, and boot Beam's boot program.
var (
	command = built.Folder(func(dir string) error {
		return built.Run(nil, "go", "build", "-buildvcs=false", "-ldflags", "-s -w", "-o",
			filepath.Join(dir, "stowage-sweep"),
			"github.com/stowage-go/stowage/sweep/cmd/stowage-sweep")
	})
	boot = built.Folder(func(dir string) error {
		return built.Run(nil, "go", "build", "-ldflags", "-s -w", "-o", filepath.Join(dir, "boot"),
			"github.com/apache/beam/sdks/v2/go/container")
	})
)

// sweep returns a call of stowage-sweep.
func sweep(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), filepath.Join(command(t), "stowage-sweep"), args...)
}

// run runs stowage-sweep to its end and returns its standard output.
func run(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := sweep(t, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("stowage-sweep %s: %v\n%s", args, err, &said)
	}
	return out
}

// specFile copies the specification into a folder of the test, and returns it with the folder where the sweep goes.
func specFile(t *testing.T) (file, out string) {
	t.Helper()
	text, err := os.ReadFile("testdata/spec.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "spec.yaml")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return file, filepath.Join(filepath.Dir(file), spec.DefaultOut)
}

// plain solves the tasks of the specification one after the other, once for all tests. It makes no file of runs.
var plain = sync.OnceValues(func() (tasks int, rows []core.Row) {
	dir, err := os.MkdirTemp("", "stowage-plain-")
	must(err)
	defer os.RemoveAll(dir)
	var planners []string
	for _, p := range stowage.Planners() {
		planners = append(planners, p.Name)
	}
	s, err := spec.Read("testdata/spec.yaml", planners)
	must(err)
	ctx, store := context.Background(), core.Local(dir)
	loaded, err := core.Load(ctx, s, store)
	must(err)
	job, err := core.Cut(ctx, s, loaded, store, core.Version())
	must(err)
	w := core.NewWorker(store, core.Version())
	for k := range job.All {
		more, err := w.Solve(ctx, &job.All[k])
		must(err)
		rows = append(rows, more...)
	}
	core.Sort(rows)
	return len(job.All), settled(rows)
})

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func settled(rows []core.Row) (all []core.Row) {
	for _, r := range rows {
		all = append(all, r.Settled())
	}
	return all
}

// check compares the rows and the files of a sweep with those of the plain loop.
func check(t *testing.T, out string) {
	t.Helper()
	tasks, want := plain()
	got, err := core.ReadRows(t.Context(), core.Local(out))
	if err != nil {
		t.Fatal(err)
	}
	if n := files(out); n != tasks || tasks != 50 {
		t.Errorf("%d files of %d tasks; want 50 of each", n, tasks)
	}
	if got = settled(got); slices.Equal(got, want) {
		return
	}
	t.Errorf("%d rows, want %d", len(got), len(want))
	for k := range min(len(got), len(want)) {
		if got[k] != want[k] {
			t.Fatalf("row %d\n got %+v\nwant %+v", k, got[k], want[k])
		}
	}
}

// files returns how many files of runs there are.
func files(out string) int {
	all, _ := filepath.Glob(filepath.Join(out, "runs", "*", "*.parquet"))
	return len(all)
}

// reach waits until a sweep has so many files.
func reach(ctx context.Context, out string, n int) bool {
	for files(out) < n {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
	return true
}

// once checks that no run is in two files, which ReadRows would not tell.
func once(t *testing.T, out string) {
	t.Helper()
	all, _ := filepath.Glob(filepath.Join(out, "runs", "*", "*"))
	n := 0
	for _, file := range all {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := core.Decode(data, file)
		if err != nil {
			t.Fatal(err)
		}
		n += len(rows)
	}
	if rows, err := core.ReadRows(t.Context(), core.Local(out)); err != nil || len(rows) != n {
		t.Errorf("%d rows in the files, and %d that differ: %v", n, len(rows), err)
	}
	if left, _ := filepath.Glob(filepath.Join(out, "try", "*")); len(left) > 0 {
		t.Errorf("markers are left: %s", strings.Join(left, " "))
	}
}
