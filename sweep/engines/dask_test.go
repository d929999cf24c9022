package engines_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// library has the library of the Python package.
var library = built.Folder(func(dir string) error {
	return built.Run([]string{"CGO_ENABLED=1", "CGO_CFLAGS=-O2 -g0"}, "go", "build", "-trimpath", "-ldflags", "-s -w",
		"-buildmode=c-shared",
		"-o", filepath.Join(dir, "libstowage.so"), "github.com/stowage-go/stowage/bindings/c")
})

// killed runs the recipe on two processes, and kills one of them when eight files are there.
const killed = `
import glob, os, signal, sys, threading, time
import dask_sweep
from dask.distributed import LocalCluster

def kill(cluster, out):
    while len(glob.glob(os.path.join(out, "runs", "*", "*.parquet"))) < 8:
        time.sleep(0.01)
    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
    print("killed", len(glob.glob(os.path.join(out, "runs", "*", "*.parquet"))))

if __name__ == "__main__":
    file, out = sys.argv[1:]
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        killer = threading.Thread(target=kill, args=(cluster, out), daemon=True)
        killer.start()
        dask_sweep.main(file, out, cluster)
        killer.join(1)
        sys.exit(killer.is_alive())
`

// TestDask runs the recipe for Dask, and kills one of two workers with kill -9.
func TestDask(t *testing.T) {
	plantest.Nightly(t)
	python := os.Getenv("STOWAGE_PYTHON")
	if python == "" {
		python = "python3"
	}
	probe := exec.CommandContext(t.Context(), python, "-c", "import dask.distributed, pyarrow.parquet")
	if err := probe.Run(); err != nil {
		t.Skipf("needs Python with dask, distributed and pyarrow; set STOWAGE_PYTHON to an interpreter that has them (dask): %v", err)
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler to build the library with (c-compiler)")
	}
	file, out := specFile(t)
	dir := filepath.Dir(file)
	tasks := filepath.Join(dir, "tasks.jsonl")
	program := filepath.Join(dir, "killed.py")
	for path, text := range map[string][]byte{tasks: run(t, "tasks", file), program: []byte(killed)} {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	recipes, err := filepath.Abs("../recipes")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, program, tasks, out)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PYTHONPATH="+recipes+string(filepath.ListSeparator)+filepath.Join(root, "python"),
		"STOWAGE_LIBRARY="+filepath.Join(library(t), "libstowage.so"), "PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1")
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	t.Logf("%s", said)
	check(t, out)
	once(t, out)
}
