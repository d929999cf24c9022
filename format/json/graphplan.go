package json

import (
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

// Idea: a plan of a graph has names only, so it is read beside its graph. Whether the offsets are a plan is not for the
// reader to say: graph.Verify does.

// ReadGraphPlan reads a plan of a graph, as WriteGraphPlan writes it, from r; file is its name in messages. The error
// is r's, that of a bad graph, or a *model.InputError that lists the faults of the content with file, line, key and
// value. A plan whose status has none, such as infeasible, has no offsets.
func ReadGraphPlan(r io.Reader, file string, g *graph.Graph) (*graph.Plan, error) {
	if err := graph.Validate(g); err != nil {
		return nil, err
	}
	text, err := source.Read(r, file)
	if err != nil {
		return nil, err
	}
	if err := check(text); err != nil {
		return nil, err
	}
	d := planDecoder{decoder: decoder{walker: walker{Text: text}, version: GraphVersion}, graph: g, plan: new(graph.Plan)}
	d.values, d.operators = make(map[string]int, len(g.Values)), make(map[string]int, len(g.Operators))
	for v := range g.Values {
		d.values[g.Values[v].Name] = v
	}
	for k := range g.Operators {
		d.operators[g.Operators[k].Name] = k
	}
	d.document()
	if d.over {
		return nil, d.excess
	}
	if d.version != GraphVersion {
		return nil, d.otherVersion("version " + strconv.Itoa(GraphVersion))
	}
	if err := d.issues.Err(); err != nil {
		return nil, err
	}
	return d.plan, nil
}

// IsGraphPlan reports whether JSON text says that it is a plan of a graph.
func IsGraphPlan(text []byte) bool {
	t := valid(text)
	if t == nil {
		return false
	}
	w := walker{Text: t}
	if !w.enter('{') {
		return false
	}
	for w.more() {
		key, _ := w.text()
		if value := w.value(); key == "format" {
			return value == `"`+planFormat+`"`
		}
	}
	return false
}

type planDecoder struct {
	decoder
	graph             *graph.Graph
	plan              *graph.Plan
	values, operators map[string]int
	offsetsAt         int // where the offsets stand
	scratchAt         int // and those of scratch; 0 if there are none
	chainsAt          int
	chains            []chainNames // as they stand; places of the order are found at the end
}

var graphPlanKeys = []string{
	"format", "status", "height", "version", "name", "planner", "lower_bound", "order", "offsets", "scratch",
	"overlaps", "saved", "chains",
}

func (d *planDecoder) document() {
	p := d.plan
	d.peek()
	start := d.pos
	ordered := false
	d.object("the document", graphPlanKeys, 3, func(key int) {
		switch at := d.pos; key {
		case 0:
			if name := d.str("format"); name != planFormat && d.Text.Text[at] == '"' {
				d.refuse(at, "format", name, `must be "`+planFormat+`"`)
			}
		case 1:
			p.Status = d.status("status")
		case 2:
			p.Height = d.amount("height")
		case 3:
			d.version, d.versionAt = GraphVersion, at
			if v, ok := d.integer("version"); ok {
				d.version = v
			}
		case 4:
			d.str("name")
		case 5:
			p.Planner = strings.Clone(d.str("planner"))
		case 6:
			p.LowerBound = d.amount("lower_bound")
		case 7:
			ordered = true
			d.list("order", 16, func() { p.Order = append(p.Order, d.named("order", d.operators, "operator")) })
		case 8:
			d.offsetsAt = at
			p.Offsets = d.offsets("offsets", len(d.graph.Values), d.values, "value")
		case 9:
			d.scratchAt = at
			p.Scratch = d.offsets("scratch", len(d.graph.Operators), d.operators, "operator")
		case 10:
			d.list("overlaps", 2*int(unsafe.Sizeof(graph.Overlap{})), func() { p.Overlaps = append(p.Overlaps, d.overlap()) })
		case 11:
			d.object("saved", []string{"in_place", "distance", "order", "strips"}, 3, func(key int) {
				*[]*int64{&p.Saved.InPlace, &p.Saved.Distance, &p.Saved.Order, &p.Saved.Strips}[key] = d.amount("saved")
			})
		case 12:
			d.chainsAt = at
			d.list("chains", 2*int(unsafe.Sizeof(chainNames{})), d.chain)
		}
	})
	if d.issues.Err() != nil || d.version != GraphVersion {
		return
	}
	has := p.Status.HasPlan()
	for _, part := range []struct {
		key   string
		there bool
	}{{"order", ordered}, {"offsets", p.Offsets != nil}} {
		switch {
		case has && !part.there:
			d.refuse(start, part.key, "", "the key is missing: the status is "+p.Status.String())
		case !has && part.there:
			d.refuse(start, part.key, "", "must not be there: the status is "+p.Status.String())
		}
	}
	if has && p.Offsets != nil {
		d.complete()
	}
}

// complete says which offsets are missing, and which are too many.
func (d *planDecoder) complete() {
	g, p := d.graph, d.plan
	inside, called := d.place()
	if p.Scratch == nil {
		p.Scratch = slices.Repeat([]int64{-1}, len(g.Operators))
	}
	for v := range g.Values {
		switch x := &g.Values[v]; {
		case x.Constant && p.Offsets[v] >= 0:
			d.refuse(d.offsetsAt, "offsets", x.Name, "is a constant, which has no offset")
		case !x.Constant && x.Size == 0:
			p.Offsets[v] = max(p.Offsets[v], 0)
		case inside[v] && p.Offsets[v] >= 0:
			d.refuse(d.offsetsAt, "offsets", x.Name, "is made and read in strips, so it does not lie anywhere as a whole")
		case !x.Constant && p.Offsets[v] < 0 && !inside[v]:
			d.refuse(d.offsetsAt, "offsets", x.Name, "the offset of this value is missing")
		}
	}
	for k := range g.Operators {
		switch o := &g.Operators[k]; {
		case o.Scratch == 0 && p.Scratch[k] >= 0:
			d.refuse(d.scratchAt, "scratch", o.Name, "is an operator without scratch")
		case called[k] && p.Scratch[k] >= 0:
			d.refuse(d.scratchAt, "scratch", o.Name, "is an operator in strips: its calls have scratch")
		case o.Scratch > 0 && p.Scratch[k] < 0 && !called[k]:
			d.refuse(max(d.scratchAt, d.offsetsAt), "scratch", o.Name, "the offset of this operator's scratch is missing")
		}
	}
}

// named reads a name, and returns its index; 0 for one that is refused.
func (d *planDecoder) named(field string, known map[string]int, what string) int {
	d.peek()
	at := d.pos
	return d.index(at, field, d.str(field), known, what)
}

// index looks up a name that stands at a place.
func (d *planDecoder) index(at int, field, name string, known map[string]int, what string) int {
	index, ok := known[name]
	if !ok && d.Text.Text[at] == '"' {
		message := "is no " + what + " of the graph"
		if d.refused <= model.MaxIssues { // no more are shown
			if near := suggest.Nearest(name, slices.Sorted(maps.Keys(known))); len(near) > 0 {
				message += ": did you mean " + strings.Join(near, " or ") + "?"
			}
		}
		d.refuse(at, field, name, message)
	}
	return index
}

// offsets reads offsets by name; -1 for what has none.
func (d *planDecoder) offsets(field string, n int, known map[string]int, what string) []int64 {
	all := slices.Repeat([]int64{-1}, n)
	at := d.pos
	if !d.enter('{') {
		d.refuse(at, field, d.value(), "is not an object")
		return all
	}
	for d.more() {
		at := d.pos
		name, _ := d.text()
		index := d.index(at, field, name, known, what)
		offset := d.amount(field + "." + name)
		if _, ok := known[name]; ok {
			if all[index] >= 0 {
				d.refuse(at, field+"."+name, "", "is a duplicate: the key appears twice")
			}
			all[index] = offset
		}
	}
	return all
}

var overlapKeys = []string{"operator", "result", "operand", "distance", "bytes"}

func (d *planDecoder) overlap() (o graph.Overlap) {
	d.object("overlaps", overlapKeys, 5, func(key int) {
		switch key {
		case 0:
			o.Operator = d.named("overlaps.operator", d.operators, "operator")
		case 1:
			o.Result = d.named("overlaps.result", d.values, "value")
		case 2:
			o.Operand = d.named("overlaps.operand", d.values, "value")
		case 3:
			o.Distance, _ = d.integer("overlaps.distance")
		case 4:
			o.Bytes = d.amount("overlaps.bytes")
		}
	})
	return o
}
