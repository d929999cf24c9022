// Package interpreter runs models in PyPI's interpreter of TensorFlow Lite Micro, tflite_micro. It returns their
// outputs, the memory in use, and the smallest arena. Tests and measurements compare plans and predictions with it.
// It also runs them in LiteRT, which returns outputs alone.
package interpreter

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/stowage-go/stowage/internal/testkit/pypi"
)

// Idea: one Python process answers requests, a line of JSON for each, since loading the package takes longer than most
// models. Arenas that are too small are tried in a fork of it, which may crash.

var (
	//go:embed interpreter.py
	script []byte
	//go:embed litert.py
	litert []byte
)

// A Request is a model to run.
type Request struct {
	Model string `json:"model"` // the file
	Arena int64  `json:"arena"` // bytes, enough for it
	// Runs is how often it is invoked on inputs drawn from Seed; 0 for not.
	Runs int   `json:"runs"`
	Seed int64 `json:"seed"`
	// Seeds is with how many seeds it is run, from Seed on, each in an interpreter of its own; 0 for one.
	Seeds int `json:"seeds"`
	// Smallest asks for the smallest arena, and for the runs in that too. It is found by bisection, after
	// Expected and 16 bytes less were tried.
	Smallest bool  `json:"smallest"`
	Expected int64 `json:"expected"`
	// Preserve gives each tensor a place of its own: results to compare others with, whatever plan the model has.
	Preserve bool `json:"preserve"`
}

// An Answer is what the interpreter makes of a model.
type Answer struct {
	// Error is why it does not run.
	Error string `json:"error"`
	// Outputs are digests of the outputs of all runs, one for each seed, with a blank between them.
	Outputs string `json:"outputs"`
	// Seconds is the processor time of the invocations, but for those in the smallest arena.
	Seconds float64 `json:"seconds"`
	// Sizes are what the runtime says is in use.
	Sizes struct {
		Total, Head, Tail int64
	} `json:"sizes"`
	// Report is all that it says of that.
	Report string `json:"report"`
	// Smallest is the smallest arena that works, a multiple of 16. SmallestOutputs are the outputs in it. Below is
	// what happens with 16 bytes less: "refused" or "crashed".
	Smallest        int64  `json:"smallest"`
	SmallestOutputs string `json:"smallest_outputs"`
	Below           string `json:"below"`
	// Level is the level of stowage_core that had room in the last interpreter, if its planner plans.
	Level int `json:"level"`
}

// A Process is a Python process with the package.
type Process struct {
	cmd    *exec.Cmd
	in     *json.Encoder
	out    *bufio.Reader
	close  func() error
	stderr bytes.Buffer
}

// ErrMissing means that the Python that was named lacks the package.
var ErrMissing = errors.New("tflite-micro, or ai-edge-litert, is not installed")

// Python returns the Python to run: see pypi.Python.
func Python() string { return pypi.Python() }

// Start starts a process. A library built from tflm/testdata/core/swap.cc takes the place of the runtime's planner. The
// error is ErrMissing if the package is missing.
func Start(python string, library ...string) (*Process, error) {
	if err := exec.Command(python, "-c", "import tflite_micro.python.tflite_micro").Run(); err != nil {
		return nil, ErrMissing
	}
	return start(exec.Command(python, append([]string{"-c", string(script)}, library...)...))
}

// StartLiteRT starts a process that runs models in LiteRT. Of a request it reads Model, Runs and Seed. The answer has
// Outputs of its reference kernels and of its default ones, with a blank between them. The error is ErrMissing if the
// package ai-edge-litert is missing.
func StartLiteRT(python string) (*Process, error) {
	if err := exec.Command(python, "-c", "import ai_edge_litert.interpreter").Run(); err != nil {
		return nil, ErrMissing
	}
	return start(exec.Command(python, "-c", string(litert)))
}

func start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stderr = &p.stderr
	p.in, p.out, p.close = json.NewEncoder(in), bufio.NewReader(out), in.Close
	return p, p.cmd.Start()
}

// Run answers a request. The error means that the process has failed, for example because a model wrote outside of
// its arena.
func (p *Process) Run(r Request) (*Answer, error) {
	path, err := filepath.Abs(r.Model)
	if err != nil {
		return nil, err
	}
	r.Model = path
	if err := p.in.Encode(r); err != nil {
		return nil, err
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		_ = p.cmd.Wait()
		return nil, fmt.Errorf("the interpreter ended with %v: %s", p.cmd.ProcessState, p.stderr.String())
	}
	a := &Answer{}
	return a, json.Unmarshal(line, a)
}

// Close ends the process.
func (p *Process) Close() error {
	if p.cmd.ProcessState != nil {
		return nil
	}
	if err := p.close(); err != nil {
		return err
	}
	return p.cmd.Wait()
}
