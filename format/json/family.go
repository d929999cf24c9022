package json

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Idea: a family is a problem whose sizes are lists or formulas. The decoder collects these beside the problem, and
// gives each buffer a size of 1 until all is read: the key scenarios may stand below the buffers.
//
// Invariant: sizes has an entry for each buffer that was read.

var (
	familyBufferKeys = slices.Concat(banksBufferKeys, []string{"sizes"})
	familyPlanKeys   = slices.Concat(rulesPlanKeys, []string{
		"largest", "at", "heights", "loads", "below",
		"switch", "from", "orders", "switched",
	})
)

// shapes has what a family adds to a document.
type shapes struct {
	varies    bool // the file is a family
	made      *model.Family
	scenarios []string
	symbols   []model.Symbol
	keyAt     int // where the key scenarios or symbols stands
	sizes     []sizing

	largest named
	values  [][]int64 // of the symbols, by point
	heights []int64
	loads   []int64
	below   [][]named
	symbol  named   // that chooses one of several orders
	from    []int64 // the lowest value of each
	orders  [][][]named
	chosen  []int64        // the heights with several orders
	claimAt map[string]int // by key of the plan: where its value stands
}

// A sizing says which size a buffer has.
type sizing struct {
	at      int // where it stands; 0 for nowhere
	list    []int64
	formula *model.Formula
	size    int64
}

// mostScenarios is the most scenarios that a file may have.
const mostScenarios = model.MostPoints

// familyKey reads the value of a key of the document that only families have; false if the key is another.
func (d *decoder) familyKey(name string) bool {
	s, at := &d.shapes, d.pos
	switch name {
	case "scenarios":
		if s.keyAt = at; d.peek() == '[' {
			d.list(name, 64, func() { s.scenarios = append(s.scenarios, strings.Clone(d.str(name))) })
		} else if n, ok := d.integer(name); ok && n > 0 && n <= mostScenarios {
			for k := range n {
				s.scenarios = append(s.scenarios, strconv.FormatInt(k, 10))
			}
		} else if ok {
			d.refuse(at, name, strconv.FormatInt(n, 10), "must be from 1 to "+strconv.Itoa(mostScenarios)+", or a list of names")
		}
		if len(s.scenarios) > mostScenarios {
			d.refuse(at, name, strconv.Itoa(len(s.scenarios)), "there may be "+strconv.Itoa(mostScenarios)+" scenarios")
		}
	case "symbols":
		s.keyAt = at
		d.members(name, func(key named) {
			at, field := d.pos, "symbols."+key.name
			if x := d.integers(field); len(x) == 2 || len(x) == 3 {
				s.symbols = append(s.symbols, model.Symbol{Name: strings.Clone(key.name), Low: x[0], High: x[1], Step: 1})
				if len(x) == 3 {
					s.symbols[len(s.symbols)-1].Step = x[2]
				}
			} else {
				d.refuse(at, field, d.Text.Text[at:d.pos], "is no range: expected [lowest, highest] or [lowest, highest, step]")
			}
		})
	default:
		return false
	}
	return true
}

// size reads the key size of a buffer.
func (d *decoder) size() int64 {
	if !d.shapes.varies {
		v, _ := d.integer("size")
		return v
	}
	d.peek()
	x := d.sizing()
	if d.Text.Text[x.at] != '"' {
		x.size, _ = d.integer("size")
		return 1
	}
	text := d.str("size")
	var err error
	if x.formula, err = model.ParseFormula(strings.Clone(text)); err != nil {
		d.refuse(x.at, "size", text, err.Error())
	}
	return 1
}

// sizing returns the size of the buffer that is being read, whose value comes next.
func (d *decoder) sizing() *sizing {
	s := &d.shapes
	if len(s.sizes) > len(d.problem.Buffers) { // size and sizes are both there
		d.refuse(d.pos, "sizes", "", "the buffer has a size already: only one of size and sizes may be there")
	} else {
		s.sizes = append(s.sizes, sizing{})
	}
	x := &s.sizes[len(s.sizes)-1]
	x.at = d.pos
	return x
}

// readSizes reads the key sizes of a buffer.
func (d *decoder) readSizes() {
	x := d.sizing()
	x.list = []int64{}
	d.list("sizes", 16, func() { x.list = append(x.list, d.amount("sizes")) })
}

// sized ends the reading of a buffer that starts at a place.
func (d *decoder) sized(start int, b *model.Buffer) {
	if s := &d.shapes; len(s.sizes) == len(d.problem.Buffers) {
		d.refuse(start, "size", "", "the key is missing")
		s.sizes = append(s.sizes, sizing{})
	}
	b.Size = 1
}

// family makes the family of what was read, and sets the sizes of the problem.
func (d *decoder) family() {
	s := &d.shapes
	if !s.varies || !d.listed || d.issues.Err() != nil {
		return
	}
	if len(s.scenarios)+len(s.symbols) == 0 {
		d.refuse(s.keyAt, "scenarios", "", "the family has no scenario")
		return
	}
	f := &model.Family{Problem: &d.problem, Scenarios: s.scenarios, Symbols: s.symbols}
	n := len(d.problem.Buffers)
	if !d.pay("scenarios", 8*(len(s.scenarios)+1)*n) {
		return
	}
	for range s.scenarios {
		f.Sizes = append(f.Sizes, make([]int64, n))
	}
	f.Formulas = make([]*model.Formula, n)
	for i := range s.sizes {
		x, b := &s.sizes[i], &d.problem.Buffers[i]
		refuse := func(field, message string) {
			issue := d.place(x.at)
			issue.Buffer, issue.Field, issue.Message = source.Clip(b.ID), field, message
			d.issues.Add(issue)
		}
		switch {
		case x.list != nil && len(x.list) != len(s.scenarios):
			refuse("sizes", "has "+strconv.Itoa(len(x.list))+" values for "+strconv.Itoa(len(s.scenarios))+" scenarios")
		case x.formula != nil && len(s.symbols) == 0:
			refuse("size", "is a formula, and the file has no symbols")
		case x.list == nil && x.formula == nil && x.size < 1:
			refuse("size", "must be from 1 to "+strconv.Itoa(model.MaxSum))
		}
		for k := range f.Sizes {
			if f.Sizes[k][i] = x.size; k < len(x.list) {
				f.Sizes[k][i] = x.list[k]
			}
		}
		b.Size, f.Formulas[i] = max(1, x.size), x.formula
	}
	if d.issues.Err() == nil {
		d.issues.Join(f.CompleteAt(func(i int) model.Issue {
			if i < 0 {
				return d.place(s.keyAt)
			}
			return d.place(s.sizes[i].at)
		}))
	}
	if d.issues.Err() == nil {
		s.made = f
	}
}

// familyClaim reads the value of a key of a plan that only families have; false if the key is another.
func (d *decoder) familyClaim(name string) bool {
	s, at := &d.shapes, d.pos
	field := "plan." + name
	switch name {
	case "largest":
		s.largest = named{strings.Clone(d.str(field)), at}
	case "at":
		d.list(field, 48, func() { s.values = append(s.values, d.integers(field)) })
	case "heights", "loads", "switched", "from":
		list := map[string]*[]int64{"heights": &s.heights, "loads": &s.loads, "switched": &s.chosen, "from": &s.from}[name]
		d.list(field, 16, func() { *list = append(*list, d.amount(field)) })
	case "below":
		s.below = d.pairs(field)
	case "switch":
		s.symbol = named{strings.Clone(d.str(field)), at}
	case "orders":
		d.list(field, 48, func() { s.orders = append(s.orders, d.pairs(field)) })
	default:
		return false
	}
	if s.claimAt == nil {
		s.claimAt = map[string]int{}
	}
	s.claimAt[name] = at
	return true
}

// pairs reads the names below each buffer.
func (d *decoder) pairs(field string) [][]named {
	below := [][]named{}
	d.list(field, 48, func() {
		var all []named
		d.list(field, 2*int(unsafe.Sizeof(named{})), func() {
			d.peek()
			at := d.pos
			all = append(all, named{d.str(field), at})
		})
		below = append(below, all)
	})
	return below
}

// resolveFamily looks up the names of the plan of a family, and its points.
func (d *decoder) resolveFamily() {
	s, f, plan := &d.shapes, d.shapes.made, d.plan
	count := func(key string, has, want int, what string) {
		if at, there := s.claimAt[key]; there && has != want {
			d.refuse(at, "plan."+key, "", "has "+strconv.Itoa(has)+" values for "+strconv.Itoa(want)+" "+what)
		}
	}
	points := f.Scenarios
	if len(f.Symbols) > 0 {
		points = make([]string, len(s.values))
	}
	count("below", len(s.below), len(d.problem.Buffers), "buffers")
	count("heights", len(s.heights), len(points), "scenarios")
	count("loads", len(s.loads), len(points), "scenarios")
	if at, there := s.claimAt["largest"]; there && s.largest.name != f.Name(f.Largest) {
		d.refuse(at, "plan.largest", s.largest.name, "must be "+f.Name(f.Largest))
	}
	if d.issues.Err() != nil {
		return
	}
	if len(s.heights) > 0 && len(s.loads) > 0 {
		for k := range points {
			x := model.Point{Point: int64(k), Height: s.heights[k], Load: s.loads[k]}
			if len(f.Symbols) > 0 {
				var err error
				if x.Point, err = f.PointOf(s.values[k]); err != nil {
					d.refuse(s.claimAt["at"], "plan.at", "", err.Error())
					return
				}
			}
			x.Name = f.Name(x.Point)
			plan.Points = append(plan.Points, x)
		}
	}
	if s.below == nil {
		return
	}
	l := lookup{d: d, what: "buffer", index: make(map[string]int32, len(d.problem.Buffers))}
	for i := range d.problem.Buffers {
		l.index[d.problem.Buffers[i].ID] = int32(i)
	}
	indices := func(field string, lists [][]named) [][]int32 {
		below := make([][]int32, len(lists))
		for i, list := range lists {
			for _, x := range list {
				below[i] = append(below[i], l.of(x.at, field, x.name))
			}
		}
		return below
	}
	plan.Below = indices("plan.below", s.below)
	if s.orders == nil {
		return
	}
	x := &model.Switched{From: s.from, Heights: s.chosen}
	if _, there := s.claimAt["switch"]; there {
		if x.Symbol = slices.IndexFunc(f.Symbols, func(of model.Symbol) bool { return of.Name == s.symbol.name }); x.Symbol < 0 {
			d.refuse(s.symbol.at, "plan.switch", s.symbol.name, "is no symbol of the family")
		}
	}
	count("from", len(s.from), len(s.orders), "orders")
	count("switched", len(s.chosen), len(plan.Points), "scenarios")
	for _, lists := range s.orders {
		below := indices("plan.orders", lists)
		if d.issues.Err() != nil {
			return
		}
		order, err := model.NewOrder(&d.problem, below, nil)
		if err != nil {
			d.refuse(s.claimAt["orders"], "plan.orders", "", err.Error())
			return
		}
		x.Orders = append(x.Orders, order)
	}
	plan.Switched = x
}

// family writes the keys of a family that stand above the buffers.
func (e *encoder) family(f *model.Family) {
	if len(f.Symbols) > 0 {
		e.str(",\n  \"symbols\": {")
		for k, s := range f.Symbols {
			if k > 0 {
				e.str(", ")
			}
			e.quote(s.Name).str(": ").ints([]int64{s.Low, s.High, max(1, s.Step)})
		}
		e.str("}")
		return
	}
	numbered := true
	for k, name := range f.Scenarios {
		numbered = numbered && name == strconv.Itoa(k)
	}
	if e.str(",\n  \"scenarios\": "); numbered {
		e.int(int64(len(f.Scenarios)))
		return
	}
	e.names(f.Scenarios)
}

// names appends a list of texts.
func (e *encoder) names(list []string) {
	e.str("[")
	for k, name := range list {
		if k > 0 {
			e.str(", ")
		}
		e.quote(name)
	}
	e.str("]")
}

// sizes appends the sizes of buffer i of a family.
func (e *encoder) sizes(f *model.Family, i int) {
	switch {
	case len(f.Scenarios) > 0:
		list := make([]int64, len(f.Scenarios))
		for k := range list {
			list[k] = f.Sizes[k][i]
		}
		e.str(`, "sizes": `).ints(list)
	case f.Formulas[i] != nil:
		e.str(`, "size": `).quote(f.Formulas[i].String())
	default:
		e.str(`, "size": `).int(f.Problem.Buffers[i].Size)
	}
}

// familyPlan appends the keys of the plan of a family.
func (e *encoder) familyPlan(f *model.Family, plan *Plan) {
	e.str(",\n    \"largest\": ").quote(f.Name(f.Largest))
	var heights, loads []int64
	for k, x := range plan.Points {
		heights, loads = append(heights, x.Height), append(loads, x.Load)
		if len(f.Symbols) > 0 {
			if k == 0 {
				e.str(",\n    \"at\": [")
			} else {
				e.str(", ")
			}
			if e.ints(f.Values(x.Point)); k == len(plan.Points)-1 {
				e.str("]")
			}
		}
	}
	e.str(",\n    \"heights\": ").ints(heights).str(",\n    \"loads\": ").ints(loads)
	e.str(",\n    \"below\": ").pairs(f, plan.Below)
	x := plan.Switched
	if x == nil {
		return
	}
	if len(f.Symbols) > 0 {
		e.str(",\n    \"switch\": ").quote(f.Symbols[x.Symbol].Name)
	}
	e.str(",\n    \"from\": ").ints(x.From).str(",\n    \"switched\": ").ints(x.Heights).str(",\n    \"orders\": [")
	for k, order := range x.Orders {
		if k > 0 {
			e.str(",")
		}
		e.str("\n      ").pairs(f, order.Below())
	}
	e.str("]")
}

// pairs appends the names of the buffers that each lies above.
func (e *encoder) pairs(f *model.Family, below [][]int32) {
	e.str("[")
	for i, list := range below {
		if i > 0 {
			e.str(", ")
		}
		names := make([]string, len(list))
		for k, j := range list {
			names[k] = f.Problem.Buffers[j].ID
		}
		e.names(names)
		e.flush(false)
	}
	e.str("]")
}

// writableFamily says why a family or its plan cannot be written, if so.
func writableFamily(p *model.Problem, f *model.Family, plan *Plan) error {
	switch {
	case f.Problem != p:
		return errors.New("json: the family is not of the problem")
	case plan != nil && plan.Below != nil && len(plan.Below) != len(p.Buffers):
		return errors.New("json: the order has " + strconv.Itoa(len(plan.Below)) + " buffers for " +
			strconv.Itoa(len(p.Buffers)))
	}
	return nil
}
