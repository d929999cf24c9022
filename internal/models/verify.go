package models

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/tflm"
)

// Idea: a model that was written is run beside the model that was given, in the interpreter of TensorFlow Lite Micro
// for Python, on the same inputs: the written one in the arena that the report names for it. Outputs must be the same
// bytes. If they are not, or if the models cannot be run, nothing is written. Whether Python has the interpreter is
// asked before anything is planned.

//go:embed verify.py
var verifier string

// verifiable refuses --verify if the written model cannot be run.
func (p *Options) verifiable(ctx context.Context) error {
	if p.Kernels.Set != tflm.ReferenceSet {
		return misusef("--verify runs the reference kernels, which the interpreter of PyPI has: leave out --kernels")
	}
	return installed(ctx, "tflite-micro", "import numpy; from tflite_micro.python.tflite_micro import _runtime, runtime")
}

// verify says that running both models gives the same. The error is that they differ, or were not run.
func (r *planReport) verify(ctx context.Context, given []byte, written []byte) (string, error) {
	folder, err := os.MkdirTemp("", "stowage")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	var args []string
	x := &r.Arenas[len(Targets)-1]
	needed, exact := x.needed(r)
	if !exact {
		needed *= 2 // it is only a lower bound
	}
	for k, model := range [][]byte{given, written} {
		path := filepath.Join(folder, strconv.Itoa(k)+".tflite")
		if err := os.WriteFile(path, model, 0o600); err != nil {
			return "", err
		}
		args = append(args, path, strconv.FormatInt([]int64{2*x.Before + 1<<16, needed}[k], 10))
	}
	return inPython(ctx, verifier, "tflite_micro", args...)
}

// python returns the interpreter of Python.
func python() string { return cmp.Or(os.Getenv("STOWAGE_PYTHON"), "python3") }

// installed refuses --verify if Python does not have a package of PyPI.
func installed(ctx context.Context, pkg, imports string) error {
	said, err := exec.CommandContext(ctx, python(), "-c", imports).CombinedOutput()
	if err == nil || ctx.Err() != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return misusef("--verify needs the package %s (%s): 'pip install %s', or let STOWAGE_PYTHON name a Python that has it",
		pkg, cmp.Or(lines[len(lines)-1], err.Error()), pkg)
}

// inPython runs a program of ours in Python and returns what it says. The error is that models differ, or were not run.
func inPython(ctx context.Context, program, module string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, python(), append([]string{"-c", program}, args...)...).Output()
	said := strings.TrimSpace(string(out))
	why, unable := strings.CutPrefix(said, "not run: ")
	switch {
	case ctx.Err() != nil:
		return "", errors.New("--verify was interrupted, so nothing is written")
	case strings.HasPrefix(said, "different"):
		return "", errors.New("the planned model is not the same as the model in " + module + ": " + said)
	case unable:
		return "", misusef("--verify cannot compare the models, so nothing is written: %s", why)
	case err != nil || said == "":
		return "", misusef("--verify cannot compare the models, so nothing is written: %s ended with %v", python(), err)
	}
	return said, nil
}
