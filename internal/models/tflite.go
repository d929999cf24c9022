package models

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/cheader"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/tflm"
)

// tfliteModel is a model of TensorFlow Lite, which TensorFlow Lite Micro runs. Weights that a runtime would fold do not
// lie in the arena, whether they are folded in the file or not.
type tfliteModel struct {
	m, folded *tflite.Model
	weights   int // that are folded
}

func openTFLite(in *format.Input, _ format.Options) (Model, error) {
	m, err := tflite.Read(in.Reader, in.Name)
	if err != nil {
		return nil, err
	}
	x := &tfliteModel{m: m}
	if x.folded, x.weights, err = m.Fold(); err != nil {
		return nil, fmt.Errorf("%s: %w", m.File, err)
	}
	return x, nil
}

// written returns the model that is written with the plan in it.
func (x *tfliteModel) written(p *Options) *tflite.Model {
	if p.Fold {
		return x.folded
	}
	return x.m
}

func (x *tfliteModel) scratch(p *Options) (*tflite.Lifetimes, []tflite.Scratch, error) {
	l, err := x.folded.Lifetimes()
	if err != nil {
		return nil, nil, err
	}
	scratch, err := readScratch(p.Scratch, p.Kernels.Set, x.folded, l)
	return l, scratch, err
}

func (x *tfliteModel) Problem(p *Options) (*model.Problem, []string, error) {
	l, scratch, err := x.scratch(p)
	if err != nil {
		return nil, nil, err
	}
	a, err := x.folded.Arena(l, scratch)
	if err != nil {
		return nil, nil, err
	}
	return a.Problem, nil, nil
}

// A tflitePlan is a plan of a model of TensorFlow Lite.
type tflitePlan struct {
	m       *tflite.Model // the one that is written
	made    *tflm.Plan
	r       *planReport
	model   []byte // its content with the plan in it, if files are written
	runtime *cheader.Runtime

	whole *tflm.Plan // without strips
	parts *tflm.Split
}

func (x *tfliteModel) Plan(ctx context.Context, p *Options) (Plan, error) {
	m := x.written(p)
	p.doubts = tflm.DoubtsOf(m, p.Kernels.Set)
	_, scratch, err := x.scratch(p)
	if err != nil {
		return nil, err
	}
	if p.Memories != nil {
		return planBanks(ctx, x.folded, scratch, p)
	}
	options := tflm.Options{
		Scratch: scratch, Set: p.Kernels.Set, Named: p.named(), CannotRun: len(p.doubts.Obstacles) > 0, InPlace: p.InPlace,
		Kernels: p.Kernels.Overlaps, Reorder: p.Reorder, Replace: p.Replace, Solve: p.Run,
	}
	if p.Verify {
		if err := p.verifiable(ctx); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	if p.Split != nil && p.Run.Timeout > 0 {
		options.Solve.Timeout = max(p.Run.Timeout/4, 1) // strips need the rest
	}
	made, err := tflm.Make(ctx, x.folded, options)
	if err != nil {
		return nil, err
	}
	if options.Solve.Timeout > 0 {
		options.Solve.Timeout = max(p.Run.Timeout-time.Since(began), time.Millisecond)
	}
	var others []alternative
	would := []wouldLower{}
	var split *splitReport
	whole, parts := made, &tflm.Split{}
	if p.Split != nil {
		if parts, split, err = p.split(ctx, made, options, x.weights); err != nil {
			return nil, err
		}
		made = cmp.Or(parts.Plan, whole)
	}
	if p.Report {
		if others, err = alternatives(ctx, made, options); err != nil {
			return nil, err
		}
		would = wouldLowerOf(made, others)
	}
	r := p.reportOf(made, x.weights, would)
	r.Split = split
	out := &tflitePlan{m: m, made: made, r: r, whole: whole, parts: parts}
	if p.Verify {
		if err := out.verify(ctx); err != nil {
			return nil, err
		}
	}
	if p.Capacity > 0 {
		p.fit(r, made, others)
	}
	return out, nil
}

// verify runs the written model beside the given one.
func (x *tflitePlan) verify(ctx context.Context) error {
	written, err := x.made.Written(x.m)
	if err == nil {
		x.r.Verified, err = x.r.verify(ctx, x.m.Bytes(), written)
	}
	return err
}

// Arranged plans the model, so that the order with the smallest head is known.
func (x *tfliteModel) Arranged(ctx context.Context, order Order) (*model.Problem, error) {
	made, err := tflm.Make(ctx, x.folded, tflm.Options{
		Reorder: order.Reordered, InPlace: order.InPlace, Kernels: order.Kernels,
		Replace: true, Solve: stowage.Options{NodeLimit: orderNodes, Minimize: true},
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if order.InPlace || order.Kernels != "" {
		return made.United, nil
	}
	l, err := made.Model.Lifetimes()
	if err != nil {
		return nil, err
	}
	a, err := made.Model.Arena(l, nil)
	if err != nil {
		return nil, err
	}
	return a.Problem, nil
}

func (x *tflitePlan) Status() stowage.Status { return x.made.Result.Status }
func (x *tflitePlan) Fits() string           { return x.r.Fit.answer() }

// Needs: without a plan, the model is written as it was, and pictures have the load.
func (x *tflitePlan) Needs(kind string) bool {
	return x.made.Placed == nil && slices.Contains([]string{"h", "c", Selftest}, kind)
}

// Into makes the model with the plan in it.
func (x *tflitePlan) Into(files []File) (err error) {
	for _, f := range files {
		if f.Kind == "tflite" || f.Kind == Array {
			x.r.tellCopied(x.made, f.Path)
			break
		}
	}
	if x.model, err = x.made.Written(x.m); err != nil {
		return err
	}
	for _, f := range files {
		if f.Kind == Selftest {
			if why := untestable(x.m, x.made); why != "" {
				return misusef("-o %s: %s: %s", f.Path, x.m.File, why)
			}
			at := min(slices.Index(Targets, x.r.target), 1) // it is for firmware
			x.r.Selftest, x.r.selftestOn = x.r.selftestSizes()[at], x.r.Arenas[at].Target
		}
	}
	x.runtime = x.r.runtime(x.model)
	return nil
}

func (x *tflitePlan) Write(w io.Writer, kind string, report bool) (bool, error) {
	switch {
	case report:
		return true, writeJSON(w, x.r)
	case kind == "tflite":
		_, err := w.Write(x.model)
		return true, err
	case kind == Array:
		return true, cheader.WriteArray(w, NameFor(x.m.File), x.model, x.runtime)
	case kind == Front:
		return true, x.r.Split.writeFront(w, NameFor(x.m.File), x.r.Arenas[slices.Index(Targets, x.r.target)].Before)
	case kind == Selftest:
		return true, x.r.writeSelftest(w, NameFor(x.m.File), x.m, x.model)
	}
	return false, nil
}

func (x *tflitePlan) Document(kind string) *Document {
	made := x.made
	d := &Document{
		Problem: made.Arena.Problem, Offsets: made.Placed, Height: made.Head, LowerBound: made.Result.LowerBound,
		Name: NameFor(x.m.File), Runtime: x.runtime,
	}
	switch {
	case made.Placed == nil, kind == "h", kind == "c":
	case kind == "csv" || kind == "json":
		d.Result = made.Result
		if !made.Kept { // a result and its operand share one buffer
			d.Problem, d.Offsets = made.United, made.Result.Offsets
		}
	default: // a picture
		d.Problem, d.Offsets = made.Shown()
		d.Overlaps = coveringsOf(made)
	}
	return d
}

func (x *tflitePlan) Page() *Page {
	return &Page{Document: x.Document("html"), Title: x.r.title(), Facts: x.r.page(x.made)}
}

func (x *tflitePlan) Print(w io.Writer) error { return x.r.print(w) }

func (x *tflitePlan) Doubts(firmware bool) (bool, []string) {
	var why []string
	for _, o := range x.r.CannotRun {
		why = append(why, o.Why+": "+o.Next)
	}
	return firmware && len(why) > 0, why
}
