package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// A self-test is compiled against headers that declare the parts of the runtime that it uses. A small runtime stands
// behind them. It computes the outputs from the inputs, wrongly if the model begins with certain bytes. So the test
// runs the control flow of the self-test, and no kernels.
func TestSelftest(t *testing.T) {
	cxx, err := exec.LookPath("c++")
	if err != nil {
		t.Skip("needs a C++ compiler, c++ (c-compiler)")
	}
	dir := t.TempDir()
	stem, _ := written(t, dir, "net", tflitemade.Images(1, 8), "--diagonal=reference", "-o",
		filepath.Join(dir, "out", "net_selftest.cc"))
	built := filepath.Join(dir, "selftest")
	args := []string{
		"-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", filepath.Join("testdata", "runtime"), "-o", built,
		stem + "_selftest.cc", stem + ".cc", filepath.Join("testdata", "runtime", "main.cc"),
	}
	if out, err := exec.Command(cxx, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct{ fault, want string }{
		{"none", "0"}, {"wrong", "1"}, {"small", "2"}, {"small planned", "3"}, {"fails", "4"},
	} {
		out, err := exec.Command(built, c.fault).Output()
		if err != nil || strings.TrimSpace(string(out)) != c.want {
			t.Errorf("%s: %q, %v, want %s", c.fault, out, err, c.want)
		}
	}
}

// A model that has a plan already has nothing to be compared with.
func TestSelftestRefused(t *testing.T) {
	dir := t.TempDir()
	stem, _ := written(t, dir, "net", tflitemade.Images(1, 8), "--diagonal=reference")
	planned := must.Get(os.ReadFile(stem + ".tflite"))(t)
	model, out := filepath.Join(dir, "planned.tflite"), filepath.Join(dir, "selftest.cc")
	must.Do(t, os.WriteFile(model, planned, 0o666))
	var stdout, stderr bytes.Buffer
	code := execute([]string{"plan", "-q", "--replace-plan", "-o", out, model}, &stdout, &stderr)
	if code != exitUsage || !strings.Contains(stderr.String(), "no model without one to test against") {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("the file was written")
	}
}
