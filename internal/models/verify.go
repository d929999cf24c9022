package models

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/tflm"
)

// Idea: a model that was written is run beside the model that was given, in the interpreter of TensorFlow Lite Micro
// for Python, on the same inputs: the written one in the arena that the report names for it. Outputs must be the same
// bytes. If they are not, nothing is written. Without an interpreter nothing is run, and the report says so.

//go:embed verify.py
var verifier string

// verify says what running both models gives: equal, or why they were not run. The error is that they differ.
func (r *planReport) verify(ctx context.Context, given []byte, made *tflm.Plan, written []byte) (string, error) {
	if made.Set != tflm.ReferenceSet || len(r.Arenas) < len(Targets) {
		return "not run: the interpreter has the reference kernels alone", nil
	}
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

// inPython runs a program of ours in Python and returns what it says. The error is that models differ.
func inPython(ctx context.Context, program, module string, args ...string) (string, error) {
	python := os.Getenv("STOWAGE_PYTHON")
	if python == "" {
		python = "python3"
	}
	if _, err := exec.LookPath(python); err != nil {
		return fmt.Sprintf("not run: %s is not there; STOWAGE_PYTHON names a Python that has %s", python, module), nil
	}
	out, err := exec.CommandContext(ctx, python, append([]string{"-c", program}, args...)...).Output()
	switch said := strings.TrimSpace(string(out)); {
	case ctx.Err() != nil:
		return "not run: interrupted", nil
	case strings.HasPrefix(said, "different"):
		return "", errors.New("the planned model is not the same as the model in " + module + ": " + said)
	case err != nil || said == "":
		return fmt.Sprintf("not run: %s ended with %v; STOWAGE_PYTHON names a Python that has %s", python, err, module), nil
	default:
		return said, nil
	}
}
