package python_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestOnnxRuntimeC is lab/bench/onnxruntime/arena.c: a whole program in C, whose outputs are the same when the arena
// serves it. The library is that of the package for Python. STOWAGE_ONNXRUNTIME_HEADERS is a folder that has
// onnxruntime_c_api.h, of a version from 1.18 on.
func TestOnnxRuntimeC(t *testing.T) {
	plantest.Nightly(t)
	python := interpreter()
	find := `import glob, os, onnx, onnxruntime
print(*glob.glob(os.path.dirname(onnxruntime.__file__) + "/capi/libonnxruntime.so.*"))
print(os.path.dirname(onnx.__file__) + "/backend/test/data/light/light_squeezenet.onnx")`
	out, err := exec.CommandContext(t.Context(), python, "-c", find).Output()
	if err != nil {
		t.Skip("the program in C needs Python with onnxruntime and onnx; set STOWAGE_PYTHON to an interpreter that has them")
	}
	found := strings.Fields(string(out))
	if len(found) != 2 {
		t.Skipf("the package onnxruntime has no library for programs in C here (onnxruntime): %q", out)
	}
	headers := os.Getenv("STOWAGE_ONNXRUNTIME_HEADERS")
	if _, err := os.Stat(filepath.Join(headers, "onnxruntime_c_api.h")); err != nil || headers == "" {
		t.Skip("STOWAGE_ONNXRUNTIME_HEADERS is no folder with onnxruntime_c_api.h (onnxruntime-headers)")
	}
	if _, err := exec.LookPath(compiler()); err != nil {
		t.Skipf("%s is not on PATH (c-compiler)", compiler())
	}
	dir := t.TempDir()
	// the name by which the loader looks for it
	path, library := filepath.Join(dir, "arena"), filepath.Join(dir, "libonnxruntime.so.1")
	must.Do(t, os.Symlink(found[0], library))
	build := exec.CommandContext(t.Context(), compiler(), "-std=gnu11", "-Wall", "-Wextra", "-O1", "-I../arena",
		"-isystem"+headers,
		"../lab/bench/onnxruntime/arena.c", "../arena/stowage_arena.c", library, "-pthread", "-Wl,-rpath,"+dir, "-o", path)
	if out, err := build.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	start := func(args ...string) (said string, code int) {
		c := exec.CommandContext(t.Context(), path, args...)
		c.Env = append(os.Environ(), "PATH="+filepath.Dir(built.Command(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := c.CombinedOutput()
		if c.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), c.ProcessState.ExitCode()
	}
	said, code := start(found[1], dir, "224", "224")
	outcome := regexp.MustCompile(`(?m)^7 of 7 outputs are equal to the first; served (\d+), missed 0, refused 0; height (\d+), bound (\d+)$`).FindStringSubmatch(said)
	if code != 0 || outcome == nil {
		t.Fatalf("exit code %d: %s", code, said)
	}
	if served, err := strconv.Atoi(outcome[1]); err != nil || served < 6*20 || outcome[2] != outcome[3] {
		t.Errorf("of a plan with a proof, six runs are served: %s", said)
	}
	for _, test := range []struct {
		args []string
		code int
		said string
	}{
		{nil, 2, "usage: arena MODEL FOLDER HEIGHT WIDTH"},
		{[]string{filepath.Join(dir, "absent.onnx"), dir, "224", "224"}, 1, "absent.onnx"},
		{[]string{found[1], filepath.Join(dir, "absent"), "224", "224"}, 1, "there is no plan: "},
	} {
		if said, code := start(test.args...); code != test.code || !strings.Contains(said, test.said) {
			t.Errorf("%q: exit code %d, %s", test.args, code, said)
		}
	}
}
