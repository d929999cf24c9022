package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/interpreter"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: the figures of `stowage plan` for a model are checked by the interpreter. Each file that it can write is
// loaded in an arena of the predicted size, and in one of 16 bytes less, which must be refused. It is run in the
// smallest size that works, and its outputs are compared with a run whose tensors all lie apart.
//
// Other sizes are only loaded: a model is loaded in milliseconds and may run for seconds. Equal files are run once.
// Plans whose results lie over operands at distances are run with all seeds, since most can go wrong there.

// A mode is a way to plan.
type mode struct {
	name string
	set  func(*tflm.Options)
	long bool // it is run with all seeds, others with one
}

// modes are in the order of result.plans.
var modes = []mode{
	{"planned", func(*tflm.Options) {}, false},
	{"in place", func(o *tflm.Options) { o.InPlace = true }, false},
	{"distances", func(o *tflm.Options) { o.Kernels = tflm.ReferenceKernels }, true},
	{"order", func(o *tflm.Options) { o.Reorder = true }, false},
	{"order and distances", func(o *tflm.Options) { o.Reorder, o.Kernels = true, tflm.ReferenceKernels }, true},
}

// A result is a model, where it is from, and its plans.
type result struct {
	From, Model string
	Buffers     int      // of the arena, scratch included
	Scratch     int      // of them
	Folded      int      // float16 constants
	Unknown     []string // operators of unknown kernels
	Error       string   // why the interpreter does not run it
	Kept        bool     // it has a plan that is kept
	Load        int64    // of its arena, in the order that its operators have
	Largest     int64    // bytes of its largest tensor

	AsItIs, Planned, InPlace, Distances, Order, OrderDistances outcome

	// Predicted for 32-bit firmware.
	Arena32Before, Arena32After, Arena32InPlace int64

	folded *tflite.Model // what ran
}

// An outcome is what became of a plan.
type outcome struct {
	Head   int64 // as planned, whether that is better or not; 0 without a plan
	Proven bool  // no order has a smaller one
	// The rest is about the file that is written: the unchanged model, unless the plan is better.
	interpreter.Side
	Seeds int    // with which it was run in the smallest arena
	Same  bool   // its outputs equal those of tensors that lie apart
	Below string // what happens with 16 bytes less
}

func (r *result) plans() []*outcome {
	return []*outcome{&r.Planned, &r.InPlace, &r.Distances, &r.Order, &r.OrderDistances}
}

// faults says what is not as predicted.
func (r *result) faults() (out []string) {
	if r.Error != "" {
		return nil
	}
	for k, x := range append(r.plans(), &r.AsItIs) {
		name := "as it is"
		if k < len(modes) {
			name = modes[k].name
		}
		found := x.Faults(len(r.Unknown) == 0)
		if !x.Same {
			found = append(found, "outputs differ")
		}
		if x.Below != "refused" {
			found = append(found, "16 bytes less than the smallest arena: "+x.Below)
		}
		if x.Smallest > r.AsItIs.Smallest {
			found = append(found, fmt.Sprintf("the plan needs an arena of %d, without it %d", x.Smallest, r.AsItIs.Smallest))
		}
		if k < len(modes) && x.Head > r.Planned.Head {
			found = append(found, fmt.Sprintf("the head is %d, planned without options %d", x.Head, r.Planned.Head))
		}
		for _, f := range found {
			out = append(out, r.Model+", "+name+": "+f)
		}
	}
	return out
}

// A subject is a model that is measured.
type subject struct {
	*campaign
	*result
	path  string               // where its files are written
	arena *tflite.Arena        // in the order that the model has
	want  string               // outputs with tensors apart
	done  map[[32]byte]outcome // of files that ran
}

// measure folds a model if it has float16 weights, plans it in each mode, and runs it.
func (c *campaign) measure(data []byte, file string) (*result, error) {
	m, err := tflite.Parse(data, strings.TrimSuffix(filepath.Base(file), ".tflite"))
	if err != nil {
		return nil, err
	}
	m, folded, err := m.Fold()
	if err != nil {
		return nil, err
	}
	r := &result{Model: filepath.Base(m.File), Folded: folded, Unknown: tflm.Unknown(m), folded: m}
	s := subject{campaign: c, result: r, path: filepath.Join(c.dir, r.Model), done: map[[32]byte]outcome{}}
	for k, out := range r.plans() {
		o := tflm.Options{Scratch: tflm.ReferenceSet.Scratch(m)}
		modes[k].set(&o)
		made, err := tflm.Make(context.Background(), m, o)
		if err != nil {
			return nil, err
		}
		if k == 0 {
			if err := s.asItIs(made); err != nil {
				return nil, err
			}
		}
		seeds := 1
		if modes[k].long {
			seeds = c.seeds
		}
		if err := s.planned(made, seeds, out); err != nil {
			return nil, err
		}
	}
	for k, to := range []*int64{&r.Arena32Before, &r.Arena32After, &r.Arena32InPlace} {
		head := []*outcome{&r.AsItIs, &r.Planned, &r.InPlace}[k].EmulatedHead
		*to = tflm.ReferenceSet.Predict(m, s.arena, nil, head, &tflm.Firmware32).Smallest
	}
	return r, nil
}

// asItIs runs the model as it is, and with its tensors apart.
func (s *subject) asItIs(made *tflm.Plan) (err error) {
	s.arena, s.Kept = made.Arena, made.Kept
	s.Buffers, s.Scratch = len(s.arena.Tensor), len(s.arena.Tensor)-s.arena.Scratch
	for _, b := range s.arena.Problem.Buffers {
		s.Largest = max(s.Largest, b.Size)
	}
	if s.Load, err = stowage.LowerBound(s.arena.Problem); err != nil {
		return err
	}
	data := made.Model.Bytes()
	if err := os.WriteFile(s.path, data, 0o600); err != nil {
		return err
	}
	before := interpreterSizes(made).Before
	a, err := s.process.Apart(s.path, s.arena, before.Smallest, s.runs, s.seeds)
	if err != nil {
		return err
	}
	s.want, s.Error = a.Outputs, a.Error
	return s.file(data, made.Before, before, 1, &s.AsItIs)
}

// planned runs the file that a plan writes.
func (s *subject) planned(made *tflm.Plan, seeds int, out *outcome) error {
	data, err := made.Written(s.folded)
	if err != nil {
		return err
	}
	if !made.Worth() {
		seeds = 1
	}
	err = s.file(data, made.WrittenHead(), interpreterSizes(made).After, seeds, out)
	out.Head, out.Proven = made.Head, made.OrderProven()
	return err
}

// file runs a file of the model, with predicted head and footprint, with at least so many seeds.
func (s *subject) file(data []byte, head int64, f tflm.Footprint, seeds int, out *outcome) error {
	sum := sha256.Sum256(data)
	known, ok := s.done[sum]
	if *out = known; ok && known.Seeds >= seeds {
		return nil
	}
	if err := os.WriteFile(s.path, data, 0o600); err != nil {
		return err
	}
	if !ok {
		out.EmulatedHead, out.Predicted, out.PredictedTail, out.Limit = head, f.Smallest, f.Tail, f.Limit
	}
	if !ok && s.Error == "" {
		size, side, err := s.process.Measure(s.path, head, &f, 0)
		if err != nil {
			return err
		}
		out.Side, out.Below, s.Error = side, size.Below, size.Error
	}
	if s.Error == "" {
		a, err := s.process.Run(interpreter.Request{Model: s.path, Arena: out.Smallest, Runs: s.runs, Seeds: seeds})
		if err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
		want := strings.Fields(s.want)[:seeds]
		out.Same, s.Error = slices.Equal(strings.Fields(a.Outputs), want), a.Error
	}
	out.Seeds = seeds
	s.done[sum] = *out
	return nil
}

// interpreterSizes returns the sizes of the arena in the interpreter.
func interpreterSizes(made *tflm.Plan) tflm.Sizes {
	sizes := made.Sizes()
	return sizes[slices.IndexFunc(sizes, func(s tflm.Sizes) bool { return s.Target == &tflm.Interpreter })]
}
