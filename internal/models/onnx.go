package models

import (
	"context"
	"io"
	"path/filepath"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/model"
)

// onnxModel is an .onnx model with what its file leaves open.
type onnxModel struct {
	m    *onnx.Model
	file string
	o    onnx.Options
}

func openONNX(in *format.Input, o format.Options) (Model, error) {
	m, err := onnx.Read(in.Reader, in.Name)
	return &onnxModel{m, in.Name, o.ONNX()}, err
}

// arena returns the arena in the order of the file.
func (x *onnxModel) arena(p *Options) (*onnx.Arena, error) {
	a, err := x.m.Arena(x.options(p))
	if err == nil {
		a.Problem.Name = NameFor(x.file)
	}
	return a, err
}

func (x *onnxModel) options(p *Options) onnx.Options {
	o := x.o
	o.InPlace = p.InPlace
	return o
}

func (x *onnxModel) Problem(p *Options) (*model.Problem, []string, error) {
	a, err := x.arena(p)
	if err != nil {
		return nil, nil, err
	}
	return a.Problem, a.Notes, nil
}

// An onnxPlan is a plan of an .onnx model with its report.
type onnxPlan struct {
	x    *onnxModel
	best *lowest
	r    *onnxReport
	into string // the file for the reordered model; empty for none
}

func (x *onnxModel) Plan(ctx context.Context, p *Options) (Plan, error) {
	a, err := x.arena(p)
	if err != nil {
		return nil, err
	}
	if p.Memories != nil {
		return planBanksONNX(ctx, x.m, a, p)
	}
	if err := p.check(a.Problem); err != nil {
		return nil, err
	}
	if p.Verify {
		if err := installed(ctx, "onnxruntime", "import numpy, onnxruntime"); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	options, run := x.options(p), p.Run
	run.Minimize = true
	if p.Split != nil && run.Timeout > 0 {
		run.Timeout = max(run.Timeout/4, 1) // strips need the rest
	}
	best, err := lowestONNX(ctx, x.m, options, p.Reorder, run, p.Solve)
	if err != nil {
		return nil, err
	}
	var split *splitReport
	if p.Split != nil {
		if best, split, err = x.split(ctx, p, best, options, run, began); err != nil {
			return nil, err
		}
	}
	best.a.Problem.Name = NameFor(x.file)
	r := reportONNX(ctx, best.m, best.a, best.result, options.Alignment)
	r.Split = split
	if p.Verify {
		if r.Verified, err = x.verify(ctx, best.m); err != nil {
			return nil, err
		}
	}
	if p.Reorder {
		r.orderReport, r.PeakBefore = orderOfONNX(best.found), best.before
		proven := *r.OrderBound > 0 && r.Planned > 0 && r.Planned <= *r.OrderBound
		r.OrderProven = &proven
	}
	if p.Report {
		given := x.m
		if split != nil && split.Split {
			given = best.m
		}
		if err = r.lower(ctx, given, best.m, options, p.Reorder, run); err != nil {
			return nil, err
		}
	}
	if p.Capacity > 0 {
		r.fit(p.Capacity)
	}
	return &onnxPlan{x: x, best: best, r: r}, nil
}

// Arranged keeps the model's order if none with a lower load is found.
func (x *onnxModel) Arranged(ctx context.Context, order Order) (*model.Problem, error) {
	if order.Kernels != "" {
		return nil, nil
	}
	o := x.o
	o.InPlace = order.InPlace
	best, err := arrangedONNX(ctx, x.m, o, order.Reordered, stowage.Options{})
	if err == nil {
		err = ctx.Err() // what was found by then depends on the time
	}
	if err != nil {
		return nil, err
	}
	if !o.InPlace {
		return best.a.Problem, nil
	}
	apart, err := best.m.Arena(x.o)
	if err != nil {
		return nil, err
	}
	return lower(ctx, best.a.Problem, apart.Problem)
}

func (x *onnxPlan) Status() stowage.Status       { return x.best.result.Status }
func (x *onnxPlan) Fits() string                 { return x.r.Fit.answer() }
func (x *onnxPlan) Needs(string) bool            { return !x.Status().HasPlan() }
func (x *onnxPlan) Print(w io.Writer) error      { return x.r.print(w) }
func (x *onnxPlan) Doubts(bool) (bool, []string) { return false, nil }

// moved reports whether the nodes are in another order than in the file.
func (x *onnxPlan) moved() bool { return x.best.m != x.x.m }

// Into says where the model in its order is.
func (x *onnxPlan) Into(files []File) error {
	for _, f := range files {
		if f.Kind != "onnx" || f.Path == "" || f.Path == format.Standard {
			continue
		}
		x.into = filepath.Base(f.Path)
		x.r.written = "the model as it was is in " + f.Path
		if x.moved() {
			x.r.written = "the model with its nodes in this order is in " + f.Path
			if x.r.Split != nil {
				x.r.written = "the model in strips is in " + f.Path
			}
		}
	}
	return nil
}

func (x *onnxPlan) Write(w io.Writer, kind string, report bool) (bool, error) {
	switch {
	case report:
		return true, writeJSON(w, x.r)
	case kind == "onnx":
		_, err := w.Write(x.best.m.Bytes())
		return true, err
	}
	return false, nil
}

// Document says for which order of nodes the offsets hold, if that is not the file's. JSON has no place for a note,
// so there the problem's name says it.
func (x *onnxPlan) Document(string) *Document {
	d := documentONNX(x.best.a, x.best.result)
	if !x.moved() {
		return d
	}
	into := x.into
	if into == "" {
		into = "the model that --reorder makes"
		if x.r.Split != nil {
			into = "the model that --split makes"
		}
	}
	given := filepath.Base(x.x.file)
	d.Notes = append(d.Notes, "The offsets hold for the order of the nodes in "+into+", not for that in "+given+".")
	d.Name = d.Problem.Name
	renamed := *d.Problem
	renamed.Name += ", nodes in the order of " + into
	d.Problem = &renamed
	return d
}

func (x *onnxPlan) Page() *Page {
	return &Page{Document: x.Document("html"), Title: x.r.title(), Run: true, Facts: x.r.page()}
}
