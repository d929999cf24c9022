// Package format reads and writes files of problems and plans. The name or the content of
// a file tells its format (readers.go). Each format is a package in a folder below.
//
// # Plan files
//
// A plan file has an offset for every buffer. An offset can be a demand, which every plan
// must follow, or the result of a planner, which need not be followed.
//
//   - Read as a problem (ReadFile, ReadProblem): JSON has both. The key offset of a
//     buffer is a demand; the key plan is a result. CSV has one column offset, which is a
//     demand. So a plan in CSV, read as a problem, has itself as its only plan.
//     File.Pinned detects that, and File.Unpin removes the demands.
//   - Read as a plan (ReadPlan): the offsets are the column offset of CSV, or the key plan
//     of JSON. A model of TensorFlow Lite is a plan if it has an offset for each tensor
//     of its arena.
package format

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/format/dsa"
	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/model"
)

// Standard is the path that stands for standard input or output.
const Standard = "-"

// ReadProblem reads the problem in a file. It also returns the plan in the file, or nil if the file has no plan with
// offsets. A CSV file with offsets is a problem with fixed buffers and has no plan; ReadPlan reads it as a plan. The
// path "-" is standard input.
//
// A file packed with gzip is unpacked. The extension tells the format:
//
//	.csv          CSV
//	.json         JSON, of Stowage or of dsa-solver
//	.tflite       a model of TensorFlow Lite
//	.onnx         a model of ONNX
//	.pb           a dump of XLA
//	.mlir         a dump of IREE
//	.ggml-log     the log of ggml's graph allocator
//	.py           code of PyTorch's Inductor
//	.trace        a trace that stowage_arena.c recorded
//	.plan         a plan for stowage_arena.c
//	.pickle .pkl  a snapshot of PyTorch's allocator for CUDA
//
// With any other extension the first bytes of the content tell it; .gz is ignored. A
// problem without a name gets the name of its file, without folder and extension.
//
// The error is the file system's, or a *model.InputError that lists the faults of the content.
func ReadProblem(path string) (*model.Problem, *model.Plan, error) {
	f, err := ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	if f.Plan == nil || f.Plan.Offsets == nil {
		return f.Problem, nil, nil
	}
	return f.Problem, f.Plan.Model(), nil
}

// A File is the content of a file that holds a problem.
type File struct {
	// Problem is the problem to plan.
	Problem *model.Problem
	// Family has the sizes that vary; nil if they do not. Problem then has the largest of each buffer.
	Family *model.Family
	// Plan is the plan in the file, with its claims: of a JSON file, of a planned model of TensorFlow Lite, or of a
	// dump. It is nil if there is none, and for CSV, where offsets are fixed offsets of the problem.
	Plan *json.Plan
	// Header is the header of a CSV file; nil for any other file.
	Header csv.Header
	// Extra has the other columns of a CSV file, for csv.WriteOptions; nil for any other file.
	Extra *csv.Extra
	// Shares is set for a model of TensorFlow Lite whose own plan lets tensors share bytes while both live, as Vela's
	// plans do. Problem keeps these tensors apart, so a bound of Problem is no bound for the model.
	Shares bool
	// Head is set if the buffers are the head of a runtime's arena, as in TensorFlow Lite, so that the arena's tail
	// comes on top. Its compilers may let the operands and results of an operator share bytes on purpose.
	Head bool
	// DSA has what a plan for dsa-solver must name, if the file is a problem of dsa-solver; nil for any other file.
	DSA *dsa.Document
	// Notes tell people what the reader decided, a sentence each. What it decided of times is in Times.
	Notes []string
	// Times says how the ends of lifespans and times with fractions were read.
	Times times.Read
	// Kind is the kind of the file.
	Kind Kind
	// Heaps has the names of the heaps in a dump; Problem is one of them. It is nil for any other file.
	Heaps []string
}

// ReadFile is ReadProblem, and returns everything that is in the file.
func ReadFile(path string) (*File, error) { return ReadFileWith(path, Options{}) }

// ReadFileWith is ReadFile with options for what the file leaves open, such as the
// dimensions of a model. An option that a file of this kind has no use for is an error.
func ReadFileWith(path string, o Options) (*File, error) {
	in, err := OpenUntil(path, o.Deadline)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.read(path, o)
}

// ReadFrom is ReadFileWith for content that comes from r. The name tells the kind, as a
// path does, and is used in messages. No file of that name is opened.
func ReadFrom(r io.Reader, name string, o Options) (*File, error) {
	in, err := OpenFrom(r, name)
	if err != nil {
		return nil, err
	}
	return in.read(name, o)
}

// read reads the problem of an open file.
func (in *Input) read(path string, o Options) (*File, error) {
	if err := in.Settles(o); err != nil {
		return nil, err
	}
	f, err := in.problem(o)
	if err != nil {
		return nil, nameLate(err, in.Name)
	}
	f.Kind = in.Kind
	if f.Problem.Name == "" && path != Standard {
		base := filepath.Base(unpackedName(path))
		f.Problem.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	return f, nil
}

// Pinned reports whether every buffer of the problem has a fixed offset. Nothing is then left to plan. An example is a
// plan in CSV that is read as a problem. Pinned is false for a problem without buffers.
func (f *File) Pinned() bool {
	for i := range f.Problem.Buffers {
		if f.Problem.Buffers[i].Fixed == nil {
			return false
		}
	}
	return len(f.Problem.Buffers) > 0
}

// Unpin removes every fixed offset of the problem.
func (f *File) Unpin() {
	for i := range f.Problem.Buffers {
		f.Problem.Buffers[i].Fixed = nil
	}
}

// ReadPlan reads a plan of p from a CSV file, a JSON file or a planned model of TensorFlow Lite. Buffers and pools are
// matched by their IDs. The plan is in the order of p.Buffers, with its height. The format is found as by ReadProblem.
// The error is the file system's, or lists the faults of the content; files of other kinds are an error.
func ReadPlan(path string, p *model.Problem) (*model.Plan, error) {
	return ReadPlanUntil(path, p, time.Time{})
}

// ReadPlanUntil is ReadPlan with a deadline, which is that of Options.Deadline.
func ReadPlanUntil(path string, p *model.Problem, deadline time.Time) (*model.Plan, error) {
	in, err := OpenUntil(path, deadline)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if in.row.kind == DSA {
		return nil, fmt.Errorf("%s: is a file of dsa-solver, whose problems are read, and whose plans are not", in.Name)
	}
	if in.row.plan == nil {
		return nil, fmt.Errorf("%s: is %s, not a plan", in.Name, in.row.title)
	}
	plan, err := in.row.plan(in.Reader, in.Name, p)
	return plan, nameLate(err, in.Name)
}

// Write writes a problem to w and, if plan is not nil, its plan. The format is JSON if path ends in .json, and
// otherwise CSV, which has only the offsets of a plan and refuses rules. No file named path is opened.
func Write(w io.Writer, path string, p *model.Problem, plan *json.Plan) error {
	if extension(path) == ".json" {
		return json.Write(w, p, plan)
	}
	if plan == nil {
		return csv.Write(w, p, nil)
	}
	return csv.Write(w, p, plan.Offsets)
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }
