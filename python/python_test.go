// Package python_test runs the tests that are written in Python, with the command
// built from this clone.
package python_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"testing"
)

// Idea: what is written in Python is tested in Python, by unittest; here each file of
// tests is one test. STOWAGE_PYTHON names the interpreter; python3 is the default.

// built is the command, built once.
var built struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

func command(t *testing.T) string {
	t.Helper()
	name := "stowage"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "stowage-python-"); built.err != nil {
			return
		}
		cmd := exec.Command("go", "build", "-o", filepath.Join(built.dir, name), "./cmd/stowage")
		cmd.Dir = ".."
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = errors.Join(err, errors.New(string(out)))
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, name)
}

// ran is what unittest says at its end.
var ran = regexp.MustCompile(`(?m)^Ran (\d+) tests? in `)

// run runs a file of tests, in which there are at least so many. probe is Python that
// fails where the packages in needs are missing; the test is then skipped.
func run(t *testing.T, file, needs, probe string, atLeast int) {
	t.Helper()
	python := os.Getenv("STOWAGE_PYTHON")
	if python == "" {
		python = "python3"
	}
	if _, err := exec.LookPath(python); err != nil || exec.CommandContext(t.Context(), python, "-c", probe).Run() != nil {
		t.Skipf("%s needs Python with %s; set STOWAGE_PYTHON to an interpreter that has it", t.Name(), needs)
	}
	cmd := exec.CommandContext(t.Context(), python, "-W", "ignore", "-m", "unittest", "tests."+file)
	cmd.Env = append(os.Environ(), "STOWAGE="+command(t), "PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if m := ran.FindSubmatch(out.Bytes()); m == nil {
		t.Fatalf("unittest says nothing:\n%s", &out)
	} else if n, err := strconv.Atoi(string(m[1])); err != nil || n < atLeast {
		t.Fatalf("%d tests ran, not %d:\n%s", n, atLeast, &out)
	}
}

// TestTransport needs Python alone, which .ci/run installs for executorch.
func TestTransport(t *testing.T) {
	run(t, "test_transport", "nothing beside it, for what calls executorch's plug-in", "import sys; sys.exit(sys.version_info < (3, 10))", 8)
}

func TestAlgorithm(t *testing.T) {
	run(t, "test_algorithm", "executorch",
		"import importlib.util as u, sys; sys.exit(sys.version_info < (3, 10) or u.find_spec('executorch') is None)", 11)
}

// TestExport takes a minute, most of it in ExecuTorch's exporter.
func TestExport(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute of ExecuTorch's exporter is too long for a short run (large)")
	}
	run(t, "test_export", "torch and all that executorch needs",
		"import importlib.util as u, sys; sys.exit(not all(u.find_spec(m) for m in ('executorch', 'torch', 'torchao', 'flatbuffers', 'pandas')))", 15)
}
