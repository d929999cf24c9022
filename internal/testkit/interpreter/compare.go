package interpreter

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: this file compares what is claimed of a model with the interpreter, for tests and for the table in
// docs/tflm.md. The head must be the emulated one, and the smallest arena the predicted one. With the plan the
// outputs must be the same, and the arena must not be larger.

// A Row is a model before and after.
type Row struct {
	Model   string
	Tensors int
	Buffers int      // of the arena, scratch included
	Scratch int      // of them
	Folded  int      // float16 constants
	Unknown []string // operators of unknown kernels
	Error   string   // why the interpreter does not run it
	Status  stowage.Status
	Head    int64 // as planned, whether that is better or not; 0 without a plan
	Before  Side  // as it is
	After   Side  // with the plan, or the same if the plan is no better
	Planned bool  // the plan is better, so it is written
	Kept    bool  // the model has a plan that is kept
	// Same says that all outputs are those of tensors that each have a place of their own: in large arenas and in the
	// smallest, before and after.
	Same bool
}

// A Side is one of the two.
type Side struct {
	Head, Smallest, Tail                   int64 // of the interpreter
	EmulatedHead, Predicted, PredictedTail int64 // of Stowage
	Limit                                  tflm.Limit
}

// Compare folds and plans a model, with what kernels ask for as the options say, and runs it before and after. The
// error is that the interpreter crashed, or one of tflm.Make.
func (p *Process) Compare(ctx context.Context, m *tflite.Model, dir string, runs int, o tflm.Options) (*Row, error) {
	made, err := tflm.Make(ctx, m, o)
	if err != nil {
		return nil, err
	}
	r := &Row{
		Model: filepath.Base(m.File), Tensors: len(m.Tensors), Buffers: len(made.Arena.Tensor),
		Scratch: len(made.Arena.Tensor) - made.Arena.Scratch,
		Unknown: tflm.Unknown(m), Status: made.Result.Status, Head: made.Head, Planned: made.Worth(), Kept: made.Kept,
	}
	path := filepath.Join(dir, r.Model)
	side := func(data []byte, head int64, f tflm.Footprint) (*Answer, Side, error) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return nil, Side{}, err
		}
		return p.Measure(path, head, &f, runs)
	}
	sizes := made.Sizes()
	at := slices.IndexFunc(sizes, func(s tflm.Sizes) bool { return s.Target == &tflm.Interpreter })
	before, s, err := side(m.Bytes(), made.Before, sizes[at].Before)
	if err != nil {
		return nil, err
	}
	if r.Before, r.After, r.Error = s, s, before.Error; r.Error != "" {
		return r, nil
	}
	reference, err := p.Apart(path, made.Arena, s.Smallest, runs, 1)
	if err != nil {
		return nil, err
	}
	want := reference.Outputs
	r.Same = reference.Error == "" && before.Outputs == want && before.SmallestOutputs == want
	if !r.Planned {
		return r, nil
	}
	data, err := made.Written(m)
	if err != nil {
		return nil, err
	}
	after, s, err := side(data, made.Head, sizes[at].After)
	if err != nil {
		return nil, err
	}
	r.After, r.Error = s, after.Error
	r.Same = r.Same && after.Outputs == want && after.SmallestOutputs == want
	return r, nil
}

// Measure returns what a file of a model takes, beside the head and the footprint that are predicted. The
// model is invoked so often in a large arena and in the smallest, with one seed.
func (p *Process) Measure(path string, head int64, f *tflm.Footprint, runs int) (*Answer, Side, error) {
	a, err := p.Run(Request{Model: path, Arena: Enough(f), Runs: runs, Smallest: true, Expected: f.Smallest})
	if err != nil {
		return nil, Side{}, fmt.Errorf("%s: %w", path, err)
	}
	return a, Side{
		Head: a.Sizes.Head, Smallest: a.Smallest, Tail: a.Sizes.Tail,
		EmulatedHead: head, Predicted: f.Smallest, PredictedTail: f.Tail, Limit: f.Limit,
	}, nil
}

// Apart runs the file of a model so often with each of the seeds, with each tensor in a place of its own:
// results to compare others with. Smallest is the smallest arena of the file.
func (p *Process) Apart(path string, arena *tflite.Arena, smallest int64, runs, seeds int) (*Answer, error) {
	sum := int64(0) // what tensors in places of their own need
	for _, b := range arena.Problem.Buffers {
		sum += b.Size
	}
	a, err := p.Run(Request{Model: path, Arena: 2*sum + 2*smallest + 1<<16, Runs: runs, Seeds: seeds, Preserve: true})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}

// Enough returns an arena that is large enough for a footprint, with room for what it may leave out: a multiple of 16,
// for the tail that the runtime reports counts what is lost at the arena's end.
func Enough(f *tflm.Footprint) int64 { return tflite.RoundUp(f.Smallest + f.Smallest/2 + 1<<16) }

// Faults says what of a row is not as claimed; nothing for a model that the interpreter does not run.
func (r *Row) Faults() []string {
	if r.Error != "" {
		return nil
	}
	var out []string
	add := func(format string, args ...any) { out = append(out, r.Model+": "+fmt.Sprintf(format, args...)) }
	if !r.Same {
		add("outputs differ")
	}
	if r.After.Smallest > r.Before.Smallest {
		add("the plan needs an arena of %d, without it %d", r.After.Smallest, r.Before.Smallest)
	}
	for k, s := range []*Side{&r.Before, &r.After} {
		for _, f := range s.Faults(len(r.Unknown) == 0) {
			add("%s: %s", []string{"before", "after"}[k], f)
		}
	}
	return out
}

// Faults says what of a side is not as predicted, if all kernels are known or not.
func (s *Side) Faults(known bool) (out []string) {
	if s.Head != s.EmulatedHead {
		out = append(out, fmt.Sprintf("head %d, emulated %d", s.Head, s.EmulatedHead))
	}
	if known && s.Tail != s.PredictedTail {
		out = append(out, fmt.Sprintf("tail %d, predicted %d", s.Tail, s.PredictedTail))
	}
	const most = 64
	if d := s.Predicted - s.Smallest; known && (d > most || d < -most) || d > most {
		out = append(out, fmt.Sprintf("smallest arena %d, predicted %d", s.Smallest, s.Predicted))
	}
	return out
}

// Same reports whether a plan leaves the outputs as they are if each tensor has a place of its
// own. The plan may be one that Compare would find no smaller, or one that is wrong.
func (p *Process) Same(made *tflm.Plan, dir string, runs int) (bool, error) {
	m := made.Model
	path := filepath.Join(dir, filepath.Base(m.File))
	sum := int64(1 << 20)
	for _, b := range made.Arena.Problem.Buffers {
		sum += 3 * b.Size
	}
	run := func(data []byte, preserve bool) (*Answer, error) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return nil, err
		}
		a, err := p.Run(Request{Model: path, Arena: tflite.RoundUp(sum), Runs: runs, Preserve: preserve})
		if err == nil && a.Error != "" {
			err = fmt.Errorf("%s: %s", m.File, a.Error)
		}
		return a, err
	}
	want, err := run(m.Bytes(), true)
	if err != nil {
		return false, err
	}
	data, err := m.WithOffsets(made.Offsets)
	if err != nil {
		return false, err
	}
	got, err := run(data, false)
	if err != nil {
		return false, err
	}
	return got.Outputs == want.Outputs, nil
}
