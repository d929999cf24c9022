// Package models has what models of all formats have in common: values, operators that read and write them, scratch,
// and permits of results to lie over operands. It plans them, reports the plans, and writes them back. Code that
// plans models uses Model and Plan, and never compares formats.
//
// A format whose reader returns a graph of operators needs nothing here: it is planned as a graph. A format with its
// own runtime, arena or report has a row in kinds.
package models

import (
	"context"
	"fmt"
	"io"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/cheader"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
	"github.com/stowage-go/stowage/render/html"
	"github.com/stowage-go/stowage/tflm"
)

// A Model is a model that was read.
type Model interface {
	// Problem returns the problem in the order of the file, and the reader's decisions.
	Problem(o *Options) (p *model.Problem, notes []string, err error)
	// Plan plans the model, in memories if the options have any.
	Plan(ctx context.Context, o *Options) (Plan, error)
	// Arranged returns the problem of the model as it runs in an order, without scratch. If results may lie over operands,
	// and the plan is lower with results apart, it is the problem with results apart. Its limits are numbers of nodes, so
	// the problem is the same on every machine. It is nil if models of this kind have no such order.
	Arranged(ctx context.Context, order Order) (*model.Problem, error)
}

// A Plan is what came of a model, and its report.
type Plan interface {
	Status() stowage.Status
	// Fits answers Options.Capacity: yes, no (proven) or unknown. It is empty if there was none.
	Fits() string
	// Needs reports whether a file of a kind can be written only if there is a plan.
	Needs(kind string) bool
	// Into says which files will be written. The error is a *Misuse.
	Into(files []File) error
	// Write writes the report in JSON, or a file of a kind that only this kind of model has. It returns false for any
	// other, which is made from the document.
	Write(w io.Writer, kind string, report bool) (bool, error)
	// Document returns the plan for a file of a kind that all plans have.
	Document(kind string) *Document
	// Page returns the report as a page.
	Page() *Page
	// Brief returns the report in few lines.
	Brief() Brief
	// Print writes the report for people.
	Print(w io.Writer) error
	// Doubts reports whether it is unknown if the model runs from the plan, and why. firmware says that firmware is built
	// from a file that was written.
	Doubts(firmware bool) (bool, []string)
}

// A File is written from a plan. Its kind is that of its extension.
type File struct{ Path, Kind string }

// Options say how a model is planned. The zero value and a solver are enough.
type Options struct {
	Run   stowage.Options
	Solve Solver

	Permits  graph.Permits // of a graph that count
	InPlace  bool          // results of element-wise operators lie over operands
	Reorder  bool          // the operators may run in another order
	Fold     bool          // constants in float16 are folded in the file that is written, too
	Replace  bool          // the model's own plan is replaced in any case
	Kernels  Kernels
	Scratch  []string // OPERATOR=BYTES, the log of a target, reference or none
	Tail     int64    // that a target has reported
	Capacity int64    // that is asked about
	Target   string   // one of Targets, or a part
	Memories *Memories
	Split    *Splitting // nil: operators stay whole
	Verify   bool       // the written model is run beside the given one

	Report bool // a report is read, so what would make the plan smaller is worked out
	JSON   bool // it is read as JSON alone
	// Check refuses problems that the files to write have no room for. Nil refuses none.
	Check func(*model.Problem) error

	doubts tflm.Doubts // about the model that is written
}

// check calls Check.
func (p *Options) check(problem *model.Problem) error {
	if p.Check == nil {
		return nil
	}
	return p.Check(problem)
}

// Memories are pools to plan in.
type Memories struct {
	Pools []model.Pool
	Home  int       // the pool of the runtime's arena; -1 if it is open
	Part  *tflm.Map // that has them; nil for none
	Whole bool      // a pool has the size of the whole memory, not one that the user gave
}

// A Misuse is an option that does not fit the model.
type Misuse struct{ error }

// Unwrap returns the error.
func (m *Misuse) Unwrap() error { return m.error }

func misusef(format string, args ...any) error { return &Misuse{fmt.Errorf(format, args...)} }

// A Document is a plan as files have it. Offsets is nil for a problem without a plan.
type Document struct {
	Problem    *model.Problem
	Offsets    []int64
	Pools      []int32 // of each buffer, with memories
	Height     int64
	LowerBound int64
	Result     *stowage.Result
	Name       string           // for C; empty for that of the problem
	Runtime    *cheader.Runtime // for C: that has the arena; nil for none
	Tensors    []cheader.Tensor // for C; nil if the buffers are the tensors
	Notes      []string         // for C: lines for the comment at the head
	Overlaps   []render.Overlap // results over operands, for pictures
}

// A Page is a report with the picture of a document.
type Page struct {
	*Document
	Title string
	Run   bool // the figures of the run come before the facts
	Facts []html.Fact
}

// An Order is how a model runs: an order of its operators, and the operands that their results may lie over.
type Order struct {
	Reordered bool         // the order with the lowest peak that is found
	InPlace   bool         // results lie over operands of element-wise operators
	Kernels   tflm.Kernels // or as closely over operands as this library permits; empty for none
}
