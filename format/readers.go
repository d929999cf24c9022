package format

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage/format/arena"
	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/format/cuda"
	"github.com/stowage-go/stowage/format/dsa"
	"github.com/stowage-go/stowage/format/ggml"
	"github.com/stowage-go/stowage/format/inductor"
	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/format/iree"
	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/format/xla"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/model"
)

// Idea: one table says which reader reads a file, so that every command accepts the same files. A known extension
// decides. For any other file, and for standard input, the first bytes decide. The last row accepts what no other row
// does, so its errors are about text. If two rows have the same extension, the first bytes decide for the upper row;
// otherwise the lower row gets the file.
//
// A new format is a row here, above each row whose begins would take its files: JSON and ONNX take much, CSV takes all.
//
//	dump     a row with heaps: true, a function in heaps.go that chooses a heap, and a section in docs/xla.md
//	model    a row with model: true. If its reader returns a graph, that is all. If it has a runtime or a report of its own,
//	         it implements Model and Plan of internal/models, with a row in models/kinds.go
//	problem  in another program's form: the case of DSA in openModel of command/plan.go
//
// files.go guards extensions that others use. Damaged files are tested with internal/testkit/mutate. No test checks
// the lists of kinds in the help (command/topics.go, command/report.go), in the comment of ReadProblem, in
// files.d.ts, drop.js and _api.py, in the guide and in the README.

// A Kind is the format of a file: its usual extension, or the program that wrote it.
type Kind string

// The kinds of files.
const (
	CSV      Kind = "csv"      // a problem or a plan
	JSON     Kind = "json"     // a problem and its plan
	TFLite   Kind = "tflite"   // a model of TensorFlow Lite
	ONNX     Kind = "onnx"     // a model of ONNX
	XLA      Kind = "xla"      // a dump of XLA, about the memory of a module
	IREE     Kind = "iree"     // a dump of IREE, from before it lays out slices
	GGML     Kind = "ggml"     // the log of ggml's graph allocator
	Inductor Kind = "inductor" // code that PyTorch's Inductor generates
	CUDA     Kind = "cuda"     // a snapshot of PyTorch's allocator for CUDA
	DSA      Kind = "dsa"      // a problem of dsa-solver, in its JSON
	Trace    Kind = "trace"    // a program's steps as stowage_arena.c recorded them
	Plans    Kind = "plan"     // plans for these steps
)

// Model reports whether files of this kind are models, from which the problem is derived.
func (k Kind) Model() bool { return rowOf(k).model }

// Dump reports whether files of this kind are dumps: a compiler or a runtime wrote down which memory it needed.
func (k Kind) Dump() bool { return rowOf(k).dump }

// rowOf returns the row of a kind, or an empty row if there is no such kind.
func rowOf(k Kind) *row {
	for i := range readers {
		if readers[i].kind == k {
			return &readers[i]
		}
	}
	return &row{kind: k}
}

// Options give values that a file leaves open. The zero value gives none.
type Options struct {
	// Dims has the sizes of open dimensions of a model. The key is the name of the dimension, or INPUT:AXIS.
	Dims map[string]int64
	// Ranges has open dimensions of a model that vary, by the same keys. The file then has a Family.
	Ranges map[string]onnx.Range
	// Values has the values of inputs that hold one number. The key is the input's name.
	Values map[string]int64
	// Shapes has the types and shapes of tensors whose shape cannot be derived. The key is the tensor's name.
	Shapes map[string]onnx.Shape
	// Sizes has the sizes in bytes of tensors whose shape cannot be derived. The key is the tensor's name.
	Sizes map[string]int64
	// Alignment: sizes and offsets are multiples of it, in bytes. 0 means the default of the format.
	Alignment int64
	// Heap is the heap of a dump to read, by its name in File.Heaps. Empty means the heap with the largest load.
	Heap string
	// Ends says what the ends of lifespans mean in a table or in JSON, if their name leaves it open. Empty means
	// inclusive for the name end.
	Ends times.Ends
	// Scratch returns the memory that the kernels of a .tflite model request beside its tensors. Nil means none.
	Scratch func(m *tflite.Model) []tflite.Scratch
	// Deadline is when to stop waiting for a pipe, a terminal or another file that is not regular; the error then is a
	// *LateError. The zero time means never. A regular file is always read to its end.
	Deadline time.Time
	// Beside opens a file that lies beside the one being read, such as the live ranges of an XLA text, and gets its
	// name. The error fs.ErrNotExist says that there is no such file. Nil means os.Open.
	Beside func(name string) (io.ReadCloser, error)
}

// Of returns the options that apply to files of a kind.
func (o Options) Of(k Kind) Options {
	r := rowOf(k)
	if !r.open {
		o.Dims, o.Ranges, o.Values, o.Shapes, o.Sizes, o.Alignment = nil, nil, nil, nil, nil, 0
	}
	if !r.heaps {
		o.Heap = ""
	}
	if !r.ends {
		o.Ends = ""
	}
	return o
}

func (o Options) empty() bool {
	return len(o.Dims)+len(o.Ranges) == 0 && len(o.Values) == 0 && len(o.Shapes) == 0 && len(o.Sizes) == 0 && o.Alignment == 0
}

// ONNX returns the options for a model of ONNX.
func (o Options) ONNX() onnx.Options {
	return onnx.Options{
		Dims: o.Dims, Ranges: o.Ranges, Values: o.Values, Shapes: o.Shapes, Sizes: o.Sizes, Alignment: o.Alignment,
	}
}

// A row of the table of readers.
type row struct {
	kind       Kind
	title      string // for messages
	extensions []string
	begins     func(head []byte) bool // whether a file begins like this one
	model      bool                   // a model, from which the problem is derived
	dump       bool                   // a compiler or a runtime wrote down which memory it needed
	open       bool                   // takes Options, Heap aside
	heaps      bool                   // takes Options.Heap
	ends       bool                   // takes Options.Ends
	problem    func(r io.Reader, name string, o Options) (*File, error)
	plan       func(r io.Reader, name string, p *model.Problem) (*model.Plan, error) // nil for what holds no plan
	// A reader of models may return a graph of operators. The problem then has the operators in the graph's order.
	graph func(r io.Reader, name string, o Options) (*graph.Graph, error)
}

var readers = []row{
	{
		kind: DSA, title: "a problem of dsa-solver", extensions: []string{".json"}, begins: dsa.Begins,
		problem: func(r io.Reader, name string, _ Options) (*File, error) {
			d, err := dsa.ReadDocument(r, name)
			if err != nil {
				return nil, err
			}
			return &File{Problem: d.Problem, DSA: d}, nil
		},
	},
	{
		kind: JSON, title: "JSON", extensions: []string{".json"}, begins: document, plan: json.ReadPlan, ends: true,
		problem: func(r io.Reader, name string, o Options) (*File, error) {
			d, err := json.ReadDocument(r, name, json.ReadOptions{Ends: o.Ends})
			if err != nil {
				return nil, err
			}
			return &File{Problem: d.Problem, Plan: d.Plan, Family: d.Family, Times: d.Times}, nil
		},
	},
	{
		kind: TFLite, model: true, title: "a TensorFlow Lite model", extensions: []string{".tflite"}, problem: readTFLite,
		plan: planTFLite, begins: func(head []byte) bool { return len(head) >= 8 && string(head[4:8]) == "TFL3" },
	},
	{
		kind: ONNX, model: true, title: "an ONNX model", extensions: []string{".onnx"}, open: true, problem: readONNX,
		begins: protobuf,
	},
	{
		kind: XLA, dump: true, title: "a dump of XLA", extensions: []string{".pb"}, problem: readXLA, heaps: true,
		begins: func(head []byte) bool { return xla.IsProto(head) || xla.IsText(head) },
	},
	{
		kind: IREE, dump: true, title: "a dump of IREE", extensions: []string{".mlir"}, heaps: true,
		begins: iree.IsDump, problem: heapsOf(iree.Read, heapOfIREE),
	},
	{
		kind: GGML, dump: true, title: "a log of ggml", extensions: []string{".ggml-log"}, heaps: true,
		begins: ggml.IsLog, problem: heapsOf(ggml.Read, heapOfGGML),
	},
	{
		kind: Inductor, dump: true, title: "code of Inductor", extensions: []string{".py"}, heaps: true,
		begins: inductor.IsCode, problem: heapsOf(inductor.Read, heapOfInductor),
	},
	{
		kind: CUDA, dump: true, title: "a snapshot of PyTorch's allocator", extensions: []string{".pickle", ".pkl"},
		problem: heapsOf(cuda.Read, heapOfCUDA), heaps: true, begins: cuda.IsSnapshot,
	},
	{
		kind: Trace, dump: true, title: "a trace of an arena", extensions: []string{".trace"}, problem: readTrace,
		heaps: true, begins: arena.IsTrace,
	},
	{
		kind: Plans, title: "a plan of an arena", extensions: []string{".plan"}, problem: readPlans, heaps: true,
		begins: arena.IsPlan, plan: planPlans,
	},
	{
		kind: CSV, title: "CSV", extensions: []string{".csv"}, plan: csv.ReadPlan, ends: true,
		begins: func([]byte) bool { return true },
		problem: func(r io.Reader, name string, o Options) (*File, error) {
			p, header, extra, err := csv.ReadWith(r, name, csv.ReadOptions{Ends: o.Ends})
			if err != nil {
				return nil, err
			}
			f := &File{Problem: p, Header: header, Extra: extra, Times: extra.Times, Family: extra.Family}
			if others := header.Foreign(); len(others) > 0 {
				note := "columns with no meaning to Stowage are kept as they are: " + strings.Join(others, ", ")
				if header.Numbered() {
					note += "; rename the one that names the buffers to id"
				}
				f.Notes = []string{note}
			}
			return f, nil
		},
	},
}

// An Input is an open file whose kind is known. It reads from the beginning.
type Input struct {
	io.Reader
	Name string // the file's name, for messages
	Kind Kind   // the kind of the file

	row   *row
	close func() error
}

// Settles checks that every option in o makes sense for a file of this kind. The error is
// a *model.InputError that names the options that do not.
func (in *Input) Settles(o Options) error {
	var issues model.Issues
	if !o.empty() && !in.row.open {
		issues.Add(model.Issue{
			File: in.Name, Message: "is " + in.row.title +
				", which takes no option for a dimension, value, shape, size or alignment",
		})
	}
	if o.Ends != "" && !in.row.ends {
		issues.Add(model.Issue{
			File: in.Name, Message: "is " + in.row.title + ", whose ends mean one thing: --ends is for tables and JSON",
		})
	}
	if o.Heap != "" && !in.row.heaps {
		issues.Add(model.Issue{File: in.Name, Message: "is " + in.row.title + ", which has no heaps to choose from"})
	}
	return issues.Err()
}

// Graph returns the graph of operators in the file; nil if files of this kind have none. A graph in Stowage's own JSON
// is read by package json.
func (in *Input) Graph(o Options) (*graph.Graph, error) {
	if in.row.graph == nil {
		return nil, nil
	}
	return in.row.graph(in.Reader, in.Name, o)
}

// problem returns the problem in the file.
func (in *Input) problem(o Options) (*File, error) {
	g, err := in.Graph(o)
	if err != nil || g == nil {
		if err == nil {
			return in.row.problem(in.Reader, in.Name, o)
		}
		return nil, err
	}
	l, err := graph.Lower(g, graph.Given(g), graph.NoPermits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return &File{Problem: l.Problem}, nil
}

// AsModel makes a file of an unknown kind one of the first kind of models, whose reader says what is missing. A file
// that is a model already stays what it is.
func (in *Input) AsModel() {
	if !in.Kind.Model() {
		in.Kind = readers[slices.IndexFunc(readers, func(r row) bool { return r.model })].kind
	}
}

// Close closes the file. Standard input stays open.
func (in *Input) Close() error { return in.close() }

// Content reads all of the file. Reader then gives it again from its beginning.
func (in *Input) Content() ([]byte, error) {
	content, err := io.ReadAll(in.Reader)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	again := io.Reader(bytes.NewReader(content))
	if below, ok := in.Reader.(storer); ok {
		again = struct {
			io.Reader
			storer
		}{again, below}
	}
	in.Reader = again
	return content, nil
}

// Open opens a file, or standard input if the path is "-", and finds out its kind. A file packed with gzip is unpacked.
// The error is the file system's, or a *model.InputError if the file is not valid gzip.
func Open(path string) (*Input, error) { return OpenUntil(path, time.Time{}) }

// OpenUntil is Open with a deadline, as in Options.Deadline.
func OpenUntil(path string, deadline time.Time) (*Input, error) {
	file, err := openUntil(path, deadline)
	if err != nil {
		return nil, err
	}
	name := path
	if path == Standard {
		name, path = "stdin", ""
	}
	in, err := open(file, name, path, file.Close)
	if err != nil {
		file.Close()
		return nil, nameLate(err, name)
	}
	return in, nil
}

// OpenFrom is Open for content that comes from r. The name tells the kind, as a path does;
// no file of that name is opened.
func OpenFrom(r io.Reader, name string) (*Input, error) {
	return open(r, name, name, func() error { return nil })
}

// open tells the kind by the name of the file, if there is one, or by how it begins.
func open(r io.Reader, name, path string, closer func() error) (*Input, error) {
	in := &Input{Reader: r, Name: name, close: closer}
	ext := extension(path)
	if ext == packedExtension || !slices.ContainsFunc(readers,
		func(r row) bool { return slices.Contains(r.extensions, ext) }) {
		b := bufio.NewReader(r)
		in.Reader = b
		var err error
		if in.Reader, err = unpack(b, name, ext); err != nil {
			return nil, err
		}
		ext = extension(unpackedName(path))
	}
	k, sure := byExtension(ext)
	if !sure {
		b, ok := in.Reader.(*bufio.Reader)
		if !ok {
			b = bufio.NewReader(in.Reader)
		}
		head := start(b)
		if k < 0 {
			k = slices.IndexFunc(readers, func(r row) bool { return r.begins(head) })
		} else if !readers[k].begins(head) {
			k++
		}
		in.Reader = peeked(b, in.Reader)
	}
	in.row, in.Kind = &readers[k], readers[k].kind
	return in, nil
}

// byExtension returns the row for an extension, or -1. sure says that the content does not matter: it matters if the
// row below has the same extension.
func byExtension(ext string) (k int, sure bool) {
	k = slices.IndexFunc(readers, func(r row) bool { return slices.Contains(r.extensions, ext) })
	shared := k >= 0 && k+1 < len(readers) && slices.Contains(readers[k+1].extensions, ext)
	return k, k >= 0 && !shared
}

// A sizer knows how large a file is.
type sizer interface{ Stat() (fs.FileInfo, error) }

// peeked returns a reader of b, or of the file from its beginning. It knows the size of the file if the file knows it,
// and how many packed bytes were read.
func peeked(b *bufio.Reader, file io.Reader) io.Reader {
	switch file := file.(type) {
	case *source.Held:
		return source.Hold(file.Content())
	case sizer:
		return struct {
			io.Reader
			sizer
		}{b, file}
	case source.Stored:
		return struct {
			io.Reader
			storer
		}{b, file}
	}
	return b
}

// A storer is a source.Stored without the content.
type storer interface{ Stored() int64 }

// start returns the beginning of a file: 256 bytes or more, up to a byte that is not white space if the buffer has
// one. The reader still has all of it.
func start(b *bufio.Reader) []byte {
	for n := 256; ; n = min(2*n, b.Size()) {
		// An error here comes back when the file is read.
		head, err := b.Peek(n)
		if len(text(head)) > 0 || err != nil || n == b.Size() {
			return head
		}
	}
}

// document reports whether a file begins as JSON does: with an object, or a list of them. An empty list is one, too.
func document(head []byte) bool {
	t := text(head)
	if rest, ok := bytes.CutPrefix(t, []byte("[")); ok {
		t = bytes.TrimLeft(rest, " \t\r\n")
		return len(t) == 0 || t[0] == '{' || t[0] == ']'
	}
	return bytes.HasPrefix(t, []byte("{"))
}

// text returns what follows a byte order mark and white space.
func text(head []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\uFEFF")), " \t\r\n")
}

// readTFLite reads the arena of a model, with the scratch of kernels if the options have it. It also reads the
// model's own plan, if that has an offset for each buffer.
func readTFLite(r io.Reader, name string, options Options) (*File, error) {
	m, err := tflite.Read(r, name)
	if err != nil {
		return nil, err
	}
	// Weights that a runtime folds are no buffers of the arena.
	if m, _, err = m.Fold(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	l, err := m.Lifetimes()
	if err != nil {
		return nil, err
	}
	var scratch []tflite.Scratch
	if options.Scratch != nil {
		scratch = options.Scratch(m)
	}
	a, err := m.Arena(l, scratch)
	if err != nil {
		return nil, err
	}
	f := &File{Problem: a.Problem, Head: true, Shares: m.Offline != nil && m.Offline.Shares(a)}
	if o := m.Offline; o != nil && len(o.Offsets) == len(m.Tensors) && len(a.Tensor) > 0 {
		plan := &json.Plan{Planner: tflite.MetadataName, Status: model.Feasible}
		for k, t := range a.Tensor {
			if t < 0 || o.Offsets[t] < 0 {
				return f, nil // the device places it
			}
			at := int64(o.Offsets[t])
			plan.Offsets = append(plan.Offsets, at)
			plan.Height = max(plan.Height, at+a.Problem.Buffers[k].Size)
		}
		f.Plan = plan
	}
	return f, nil
}

// planTFLite reads the plan in a model as a plan of p.
func planTFLite(r io.Reader, name string, p *model.Problem) (*model.Plan, error) {
	f, err := readTFLite(r, name, Options{})
	if err != nil {
		return nil, err
	}
	if f.Plan == nil {
		const why = "the model has no plan: it lacks an offset for a tensor of its arena"
		return nil, model.Issue{File: name, Message: why}.Err()
	}
	return source.Match(name, f.Problem, f.Plan.Model(), p)
}

// protobuf reports whether a file begins as models of ONNX do: with the version of
// the format, a small number, and then a field of some length.
func protobuf(head []byte) bool {
	return len(head) >= 3 && head[0] == 1<<3 && head[1] > 0 && head[1] < 64 &&
		slices.Contains([]byte{2<<3 | 2, 3<<3 | 2, 4<<3 | 2, 7<<3 | 2, 8<<3 | 2}, head[2])
}

// readONNX reads the arena of a model.
func readONNX(r io.Reader, name string, o Options) (*File, error) {
	m, err := onnx.Read(r, name)
	if err != nil {
		return nil, err
	}
	if len(o.Ranges) > 0 {
		f, notes, err := m.Family(o.ONNX())
		if err != nil {
			return nil, err
		}
		return &File{Problem: f.Problem, Family: f, Notes: notes}, nil
	}
	a, err := m.Arena(o.ONNX())
	if err != nil {
		return nil, err
	}
	return &File{Problem: a.Problem, Notes: a.Notes}, nil
}
