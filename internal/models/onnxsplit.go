package models

import (
	"context"
	_ "embed"
	stdjson "encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: --split replaces an .onnx model by the same model in strips, if its plan is lower. Nothing is kept for a node
// there, so strips cost arithmetic and copies alone.

// split returns the lowest plan of the model in strips if that is lower than the given one.
func (x *onnxModel) split(ctx context.Context, p *Options, whole *lowest, o onnx.Options, run stowage.Options,
	began time.Time,
) (*lowest, *splitReport, error) {
	searching, end := ctx, func() {}
	if p.Run.Timeout > 0 { // the last quarter is for the last plan
		searching, end = context.WithDeadline(ctx, began.Add(p.Run.Timeout*3/4))
	}
	defer end()
	split := onnx.SplitOptions{MaxMACs: p.Split.MaxMACs}
	if tell := p.Split.Progress; tell != nil {
		split.Progress = func(done, all int) { tell(tflm.SplitProgress{Doing: "chains in strips", Done: done, All: all}) }
	}
	s, err := x.m.Split(searching, o, split)
	if err != nil {
		return nil, nil, err
	}
	r := &splitReport{
		Why: s.Why, MACs: s.MACs, Considered: s.Considered, Chains: []chainReport{}, Added: []string{},
		Front: []choiceReport{}, Larger: []growthReport{},
	}
	switch {
	case s.Stopped && ctx.Err() != nil:
		r.Stopped = "an interrupt"
	case s.Stopped:
		r.Stopped = "the timeout"
	}
	if run.Timeout > 0 {
		run.Timeout = max(p.Run.Timeout-time.Since(began), time.Millisecond)
	}
	if s.Model == nil {
		return whole, r, nil
	}
	best, err := lowestONNX(ctx, s.Model, o, false, run, p.Solve)
	if err != nil {
		return nil, nil, err
	}
	if !best.result.Status.HasPlan() || whole.within(best.result.Height) {
		r.Why = "no plan of strips is lower"
		return whole, r, nil
	}
	r.Split, r.Operators, r.Extra, r.Bound = true, s.Model.Nodes, s.Extra, s.Bound
	for _, c := range s.Chains {
		label := func(s onnx.Step) string { return fmt.Sprintf("%s %d", s.Operator, s.Tick) }
		name := label(c.First)
		if c.Last.Tick > c.First.Tick {
			name += " to " + label(c.Last)
		}
		r.Chains = append(r.Chains, chainReport{
			First: int(c.First.Tick), Last: int(c.Last.Tick), Strips: c.Strips, Lines: c.Lines, Name: name,
		})
	}
	return best, r, nil
}

// stripLines says what strips are, and what came of running them.
func (r *onnxReport) stripLines() (out []string) {
	if r.Split != nil {
		out = r.Split.lines()
	}
	if r.Verified != "" {
		out = append(out, "verify: "+r.Verified)
	}
	return out
}

//go:embed verifyonnx.py
var verifierONNX string

// verify says what running a model beside the given one in ONNX Runtime gives. The error is that they differ.
func (x *onnxModel) verify(ctx context.Context, written *onnx.Model) (string, error) {
	folder, err := os.MkdirTemp("", "stowage")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	args := []string{}
	for k, m := range []*onnx.Model{x.m, written} {
		path := filepath.Join(folder, fmt.Sprint(k, ".onnx"))
		if err := os.WriteFile(path, m.Bytes(), 0o600); err != nil {
			return "", err
		}
		args = append(args, path)
	}
	dims, err := stdjson.Marshal(x.o.Dims)
	if err != nil {
		return "", err
	}
	return inPython(ctx, verifierONNX, "onnxruntime", append(args, string(dims))...)
}
