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
	python := os.Getenv("STOWAGE_PYTHON")
	if python == "" {
		python = "python3"
	}
	if _, err := exec.LookPath(python); err != nil {
		return fmt.Sprintf("not run: %s is not there; STOWAGE_PYTHON names a Python that has tflite_micro", python), nil
	}
	folder, err := os.MkdirTemp("", "stowage")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	args := []string{"-c", verifier}
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
	out, err := exec.CommandContext(ctx, python, args...).Output()
	switch said := strings.TrimSpace(string(out)); {
	case ctx.Err() != nil:
		return "not run: interrupted", nil
	case strings.HasPrefix(said, "different"):
		return "", errors.New("the planned model is not the same as the model in the interpreter: " + said)
	case err != nil || said == "":
		return fmt.Sprintf("not run: %s ended with %v", python, err), nil
	default:
		return said, nil
	}
}
