// Package format reads and writes files in the format that their name or
// content calls for (readers.go). The formats themselves are in the folders
// beneath.
//
// # Plan files
//
// A plan file has a place for every buffer. What that means depends on what the
// file is read as, and on whether its format can tell a place from a demand:
//
//   - As a problem (ReadFile, ReadProblem) JSON has both: the key offset of a
//     buffer is a demand, the key plan is what a planner made of the problem,
//     which binds nobody. CSV has one column for both, and it is the demand. So a
//     plan in CSV, read as a problem, has one plan only, its own: see
//     File.Pinned, and File.Unpin, which lifts the demands.
//   - As a plan (ReadPlan) it is the offset column, or the key plan. A model of
//     TensorFlow Lite is a plan where it has an offset for each of its tensors.
package format

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/model"
)

// Standard is the path that stands for standard input or output.
const Standard = "-"

// ReadProblem reads the problem in a file and, where the file has a plan of it,
// the offsets in the order of the buffers; they are nil otherwise. (A CSV file
// with offsets is a problem whose buffers are fixed; ReadPlan reads it as a
// plan.) The path - is standard input.
//
// A file that is packed with gzip is read as what is in it; net.onnx.gz is a model of
// ONNX. A name that ends in .json is JSON, one in .csv is CSV, one in .tflite a model of
// TensorFlow Lite, one in .onnx a model of ONNX, one in .pb a dump of XLA, one in .mlir
// a dump of IREE, one in .py code of Inductor and one in .pickle or .pkl a snapshot of PyTorch's allocator; any
// other file is told by how it begins. A problem without a name gets that of its file,
// without folder and extension.
//
// The error is the file system's, or a *model.InputError that lists all that is
// wrong with the content.
func ReadProblem(path string) (*model.Problem, []int64, error) {
	f, err := ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	if f.Plan == nil {
		return f.Problem, nil, nil
	}
	return f.Problem, f.Plan.Offsets, nil
}

// A File is what a file of a problem holds.
type File struct {
	// Problem is what there is to plan.
	Problem *model.Problem
	// Plan is the plan that the file carries, with what is claimed of it: that of a
	// JSON file, of a planned model of TensorFlow Lite, or of a dump; nil where there
	// is none. In CSV a plan is fixed offsets of the problem.
	Plan *json.Plan
	// Header is that of a CSV file; nil for any other.
	Header csv.Header
	// Extra is what a CSV file has beside the problem, for WriteOptions; nil for any
	// other.
	Extra *csv.Extra
	// Notes are what a reader had to decide, for people.
	Notes []string
	// Kind is what the file is.
	Kind Kind
	// Heaps names the heaps of a dump, of which the problem is one; nil for any
	// other file.
	Heaps []string
}

// ReadFile is ReadProblem with all that there is in the file.
func ReadFile(path string) (*File, error) { return ReadFileWith(path, Options{}) }

// ReadFileWith is ReadFile for a file that leaves things open, as models do. It is
// an error to settle what a file of its kind cannot leave open.
func ReadFileWith(path string, o Options) (*File, error) {
	in, err := OpenUntil(path, o.Deadline)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.read(path, o)
}

// ReadFrom is ReadFileWith for a file whose content comes from r. The name tells the
// kind, as a path does, and stands in messages; it is not opened.
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
	f, err := in.row.problem(in.Reader, in.Name, o)
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

// Pinned reports whether the file demands an offset for every buffer, so that no
// planner has anything to choose: a plan in CSV that is read as a problem. A
// problem of no buffers is not pinned.
func (f *File) Pinned() bool {
	for i := range f.Problem.Buffers {
		if f.Problem.Buffers[i].Fixed == nil {
			return false
		}
	}
	return len(f.Problem.Buffers) > 0
}

// Unpin lifts every fixed offset of the problem.
func (f *File) Unpin() {
	for i := range f.Problem.Buffers {
		f.Problem.Buffers[i].Fixed = nil
	}
}

// ReadPlan reads a plan of p, as csv.ReadPlan and json.ReadPlan do, from a file
// that is told as by ReadProblem; the plan in a model of TensorFlow Lite counts, too. The offsets are in the order of p.Buffers.
func ReadPlan(path string, p *model.Problem) ([]int64, error) {
	return ReadPlanUntil(path, p, time.Time{})
}

// ReadPlanUntil is ReadPlan with a deadline, as Options has it.
func ReadPlanUntil(path string, p *model.Problem, deadline time.Time) ([]int64, error) {
	in, err := OpenUntil(path, deadline)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if in.row.plan == nil {
		return nil, fmt.Errorf("%s: is %s, not a plan", in.Name, in.row.title)
	}
	offsets, err := in.row.plan(in.Reader, in.Name, p)
	return offsets, nameLate(err, in.Name)
}

// Write writes a problem and, where plan is not nil, its plan: as JSON if path
// ends in .json, else as CSV, which keeps only the offsets. It writes to w; the
// path only tells the format.
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
