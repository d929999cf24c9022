package json

import (
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/internal/suggest"
	"github.com/stowage-go/stowage/model"
)

// Idea: a graph is a document of its own. Operators name values and each other, so names are
// kept while the text is walked, and looked up at the end: keys may stand in any order.
//
// The format, version 1:
//
//	{
//	  "format": "graph",
//	  "version": 1,
//	  "name": "example",
//	  "alignment": 16,
//	  "values": [
//	    {"name": "x", "size": 4096},
//	    {"name": "y", "size": 3072, "alignment": 64},
//	    {"name": "z", "size": 3072, "offset": 0},
//	    {"name": "w", "size": 400, "constant": true}
//	  ],
//	  "operators": [
//	    {"name": "conv", "operands": ["x", "w"], "results": ["y"], "scratch": 512, "scratch_alignment": 4,
//	     "permits": [{"result": "y", "operand": "x", "distance": 112}]},
//	    {"name": "relu", "operands": ["y"], "results": ["z"], "after": ["conv"],
//	     "permits": [{"result": "z", "operand": "y", "equal": true}]}
//	  ],
//	  "inputs": ["x"],
//	  "outputs": ["z"]
//	}
//
// A value may have "lines": 64, and an operator "work": 110592 and which lines it reads of an operand, by a window or by
// the first line and the end for each line of its results:
//
//	"reads": [{"operand": "x", "window": 3, "stride": 2, "padding": 1, "up": 1},
//	          {"operand": "u", "spans": [[0, 2], [1, 4]]}]
//
// Required are values and operators, the name and size of a value, the name of an operator, and the result and
// operand of a permit. For any other key, null is the same as no key. The alignment of the document is for values and
// scratch without their own. A permit has one of distance, equal (exactly 0) and exactly; the default is a distance
// of 0: in place. Package graph says what the keys mean.

// GraphVersion is the version of the format of graphs and of their plans.
const GraphVersion = 1

// What the key format of the two documents says.
const (
	graphFormat = "graph"
	planFormat  = "graph plan"
)

// ReadGraph reads a graph from r; file is its name in messages. The error is r's, or a
// *model.InputError that lists the faults of the content, with file, line, key and value.
func ReadGraph(r io.Reader, file string) (*graph.Graph, error) {
	text, err := source.Read(r, file)
	if err != nil {
		return nil, err
	}
	if err := check(text); err != nil {
		return nil, err
	}
	d := graphDecoder{decoder: decoder{walker: walker{Text: text}, version: GraphVersion}}
	d.document()
	if d.over {
		return nil, d.excess
	}
	if d.version != GraphVersion {
		return nil, d.otherVersion("version " + strconv.Itoa(GraphVersion))
	}
	d.resolve()
	if err = d.issues.Err(); err == nil {
		d.refused = 0
		err = graph.ValidateAt(&d.graph, d.where)
	}
	if err != nil {
		if e, ok := errors.AsType[*model.InputError](err); ok {
			slices.SortStableFunc(e.Issues, func(i, j model.Issue) int { return i.Line - j.Line })
			for k := range e.Issues {
				e.Issues[k].Field, e.Issues[k].Value = source.Clip(e.Issues[k].Field), source.Clip(e.Issues[k].Value)
			}
		}
		return nil, err
	}
	return &d.graph, nil
}

// IsGraph reports whether JSON text is a graph, and not a problem: its document has values or
// operators, or says that it is one, and has no buffers. Text that is not JSON is none.
func IsGraph(text []byte) bool {
	t := valid(text)
	if t == nil {
		return false
	}
	w, is := walker{Text: t}, false
	if !w.enter('{') {
		return false
	}
	for w.more() {
		key, _ := w.text()
		switch value := w.value(); key {
		case "buffers":
			return false
		case "values", "operators":
			is = true
		case "format":
			is = is || value == `"`+graphFormat+`"`
		}
	}
	return is
}

// A reference is the name of a value or an operator, and where it stands.
type reference struct {
	name, field string
	at          int
	operator    bool
	index       *int // is written here
}

type graphDecoder struct {
	decoder
	graph      graph.Graph
	alignment  int64  // of the document
	plain      []bool // by value: it has the alignment of the document
	bare       []bool // by operator: its scratch has it
	values     []int  // where each value stands
	operators  []int
	references []reference
}

// where returns the place of a value or an operator in the file.
func (d *graphDecoder) where(at graph.Place) model.Issue {
	switch {
	case at.Operator >= 0:
		return d.place(d.operators[at.Operator])
	case at.Value >= 0:
		return d.place(d.values[at.Value])
	}
	return model.Issue{File: d.File}
}

var graphKeys = []string{"values", "operators", "format", "version", "name", "alignment", "inputs", "outputs"}

func (d *graphDecoder) document() {
	d.object("the document", graphKeys, 2, func(key int) {
		switch at := d.pos; key {
		case 0:
			d.list("values", 2*int(unsafe.Sizeof(graph.Value{}))+96, d.readValue)
		case 1:
			d.list("operators", 2*int(unsafe.Sizeof(graph.Operator{}))+96, d.readOperator)
		case 2:
			if name := d.str("format"); name != graphFormat && d.Text.Text[at] == '"' {
				d.refuse(at, "format", name, `must be "`+graphFormat+`"`)
			}
		case 3:
			d.version, d.versionAt = GraphVersion, at
			if v, ok := d.integer("version"); ok {
				d.version = v
			}
		case 4:
			d.graph.Name = strings.Clone(d.str("name"))
		case 5:
			d.alignment = d.amount("alignment")
		case 6:
			d.graph.Inputs = d.names("inputs", false)
		case 7:
			d.graph.Outputs = d.names("outputs", false)
		}
	})
	for i, plain := range d.plain {
		if plain {
			d.graph.Values[i].Alignment = d.alignment
		}
	}
	for k, bare := range d.bare {
		if bare {
			d.graph.Operators[k].ScratchAlignment = d.alignment
		}
	}
}

var valueKeys = []string{"name", "size", "alignment", "constant", "offset", "lines"}

func (d *graphDecoder) readValue() {
	v, plain := graph.Value{}, true
	d.peek()
	d.values = append(d.values, d.pos)
	d.object("values", valueKeys, 2, func(key int) {
		switch key {
		case 0:
			v.Name = strings.Clone(d.str("values.name"))
		case 1:
			v.Size, _ = d.integer("values.size")
		case 2:
			v.Alignment, _ = d.integer("values.alignment")
			plain = false
		case 3:
			v.Constant = d.boolean("values.constant")
		case 4:
			v.Fixed = d.pointer("values.offset")
		case 5:
			v.Lines = d.count("values.lines")
		}
	})
	d.graph.Values, d.plain = append(d.graph.Values, v), append(d.plain, plain && !v.Constant)
}

var operatorKeys = []string{"name", "operands", "results", "scratch", "scratch_alignment", "after", "permits", "reads", "work"}

func (d *graphDecoder) readOperator() {
	o, bare := graph.Operator{}, true
	d.peek()
	d.operators = append(d.operators, d.pos)
	d.object("operators", operatorKeys, 1, func(key int) {
		switch key {
		case 0:
			o.Name = strings.Clone(d.str("operators.name"))
		case 1:
			o.Operands = d.names("operators.operands", false)
		case 2:
			o.Results = d.names("operators.results", false)
		case 3:
			o.Scratch, _ = d.integer("operators.scratch")
		case 4:
			o.ScratchAlignment, _ = d.integer("operators.scratch_alignment")
			bare = false
		case 5:
			o.After = d.names("operators.after", true)
		case 6:
			o.Permits = d.permits()
		case 7:
			o.Reads = d.reads()
		case 8:
			o.Work, _ = d.integer("operators.work")
		}
	})
	d.graph.Operators, d.bare = append(d.graph.Operators, o), append(d.bare, bare && o.Scratch > 0)
}

var permitKeys = []string{"result", "operand", "distance", "equal", "exactly"}

func (d *graphDecoder) permits() []graph.Permit {
	type ends struct{ result, operand reference }
	var all []graph.Permit
	var named []ends
	d.list("operators.permits", 2*int(unsafe.Sizeof(graph.Permit{})+2*unsafe.Sizeof(reference{})), func() {
		var p graph.Permit
		var e ends
		var keys []string // those that say the distance
		var at []int
		d.object("permits", permitKeys, 2, func(key int) {
			switch key {
			case 0:
				e.result = d.reference("permits.result", false)
			case 1:
				e.operand = d.reference("permits.operand", false)
			case 2:
				from := d.pos
				if p.Distance, _ = d.integer("permits.distance"); p.Distance != 0 {
					keys, at = append(keys, "distance"), append(at, from)
				}
			case 3:
				if from := d.pos; d.boolean("permits.equal") {
					keys, at = append(keys, "equal"), append(at, from)
					p.Exactly = true
				}
			case 4:
				keys, at = append(keys, "exactly"), append(at, d.pos)
				p.Distance, _ = d.integer("permits.exactly")
				p.Exactly = true
			}
		})
		if len(keys) > 1 {
			d.refuse(at[1], "permits."+keys[1], "",
				"the permit has "+keys[0]+" already: only one of distance, equal and exactly may be there")
		}
		all, named = append(all, p), append(named, e)
	})
	for k := range all {
		named[k].result.index, named[k].operand.index = &all[k].Result, &all[k].Operand
		d.references = append(d.references, named[k].result, named[k].operand)
	}
	return all
}

var readKeys = []string{"operand", "window", "stride", "padding", "up", "spans"}

// reads reads which lines of operands an operator reads.
func (d *graphDecoder) reads() []graph.Read {
	var all []graph.Read
	var named []reference
	d.list("operators.reads", 2*int(unsafe.Sizeof(graph.Read{})+unsafe.Sizeof(reference{})), func() {
		var r graph.Read
		var e reference
		d.object("reads", readKeys, 1, func(key int) {
			switch key {
			case 0:
				e = d.reference("reads.operand", false)
			case 1:
				r.Window = d.count("reads.window")
			case 2:
				r.Stride = d.count("reads.stride")
			case 3:
				r.Padding = d.count("reads.padding")
			case 4:
				r.Up = d.count("reads.up")
			case 5:
				r.Spans = [][2]int{}
				d.list("reads.spans", 4*int(unsafe.Sizeof([2]int{})), func() {
					r.Spans = append(r.Spans, d.linesIn("reads.spans"))
				})
			}
		})
		all, named = append(all, r), append(named, e)
	})
	for k := range all {
		named[k].index = &all[k].Operand
		d.references = append(d.references, named[k])
	}
	return all
}

// linesIn reads the first line and the end.
func (d *decoder) linesIn(field string) [2]int {
	first, end := d.span(field, func(field string) int64 { return int64(d.count(field)) })
	return [2]int{int(first), int(end)}
}

// count reads a number of lines. What it may be, the checker of graphs says, but for one that no int has everywhere.
func (d *decoder) count(field string) int {
	const far = 1 << 30
	d.peek()
	at := d.pos
	n, ok := d.integer(field)
	if ok && (n < -far || n > far) {
		d.refuse(at, field, d.Text.Text[at:d.pos], "is far more than there may be")
		return 0
	}
	return int(n)
}

// reference reads the name of a value or an operator.
func (d *graphDecoder) reference(field string, operator bool) reference {
	d.peek()
	at := d.pos
	return reference{name: strings.Clone(d.str(field)), field: field, at: at, operator: operator}
}

// names reads a list of names, and returns their indices, which resolve fills in.
func (d *graphDecoder) names(field string, operator bool) []int {
	var all []reference
	d.list(field, 4*int(unsafe.Sizeof(reference{})), func() { all = append(all, d.reference(field, operator)) })
	if len(all) == 0 {
		return nil
	}
	indices := make([]int, len(all))
	for k := range all {
		all[k].index = &indices[k]
	}
	d.references = append(d.references, all...)
	return indices
}

// resolve looks up the names. If something is wrong already, names may be missing for that reason.
func (d *graphDecoder) resolve() {
	if d.issues.Err() != nil {
		return
	}
	values, operators := make(map[string]int, len(d.graph.Values)), make(map[string]int, len(d.graph.Operators))
	for i := range d.graph.Values {
		values[d.graph.Values[i].Name] = i
	}
	for k := range d.graph.Operators {
		operators[d.graph.Operators[k].Name] = k
	}
	refused := 0
	for _, r := range d.references {
		known, what := values, "value"
		if r.operator {
			known, what = operators, "operator"
		}
		index, ok := known[r.name]
		if !ok {
			message := "is no " + what + " of the graph"
			if refused++; refused <= model.MaxIssues { // no more are shown
				if near := suggest.Nearest(r.name, slices.Sorted(maps.Keys(known))); len(near) > 0 {
					message += ": did you mean " + strings.Join(near, " or ") + "?"
				}
			}
			d.refuse(r.at, r.field, r.name, message)
			continue
		}
		*r.index = index
	}
}

func (d *graphDecoder) boolean(field string) bool {
	d.peek()
	at := d.pos
	raw := d.value()
	if raw != "true" && raw != "false" {
		d.refuse(at, field, unquote(raw), "is neither true nor false")
	}
	return raw == "true"
}
