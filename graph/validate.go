package graph

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Validate checks a graph and reports all of its faults as a *model.InputError, or nil if
// there are none. A graph with a cycle is at fault. One whose operators stand in an order in
// which they cannot run is not: Options.Order can look for another.
func Validate(g *Graph) error { return ValidateAt(g, nil) }

// A Place is a part of a graph, for messages that have a line: an operator if Operator is not
// -1, else a value if Value is not -1, else the graph.
type Place struct {
	Value    int // as an index into Graph.Values
	Operator int // as an index into Graph.Operators
}

// ValidateAt is Validate for readers of files. where returns an Issue with the file and line of
// a place; nil if neither is known.
func ValidateAt(g *Graph, where func(Place) model.Issue) error {
	v := validator{g: g, where: where}
	if g == nil {
		v.issues.Say("", "", "the graph is nil")
		return v.issues.Err()
	}
	v.values()
	v.operators()
	v.ends("inputs", g.Inputs)
	v.ends("outputs", g.Outputs)
	if v.issues.Err() == nil { // the rest reads what the above has checked
		v.made()
		v.work()
	}
	if v.issues.Err() == nil {
		v.cycle()
	}
	return v.issues.Err()
}

type validator struct {
	g      *Graph
	where  func(Place) model.Issue
	issues model.Issues
	sum    int64 // of sizes and alignments; above MaxSum once it has been
	top    int64 // the highest end of a fixed value

	makes, reads []int // by value: the number + 1 of the last operator that makes or reads it
}

// add adds a fault of a place. field is the key that a file has.
func (v *validator) add(at Place, field, value, message string) {
	var i model.Issue
	if v.where != nil {
		i = v.where(at)
	}
	i.Field, i.Value, i.Message = field, value, message
	switch {
	case at.Operator >= 0:
		i.Field = "operator " + v.operator(at.Operator) + ": " + field
	case at.Value >= 0:
		i.Field = "value " + v.value(at.Value) + ": " + field
	}
	v.issues.Add(i)
}

// value names a value in messages.
func (v *validator) value(i int) string {
	if i < 0 || i >= len(v.g.Values) {
		return "at index " + strconv.Itoa(i)
	}
	return named(v.g.Values[i].Name, i)
}

// operator names an operator in messages.
func (v *validator) operator(i int) string { return named(v.g.Operators[i].Name, i) }

func named(name string, i int) string {
	if name == "" {
		return "number " + strconv.Itoa(i+1)
	}
	return name
}

// inRange says if an amount of bytes is not from least to MaxSum.
func (v *validator) inRange(at Place, field string, x, least int64) bool {
	if x >= least && x <= model.MaxSum {
		return true
	}
	v.add(at, field, strconv.FormatInt(x, 10),
		"must be from "+strconv.FormatInt(least, 10)+" to "+strconv.FormatInt(model.MaxSum, 10))
	return false
}

// need adds bytes with their alignment to the sum: a plan that has them one above the other must not overflow.
func (v *validator) need(at Place, field string, size, alignment int64) {
	if v.sum > model.MaxSum {
		return
	}
	if v.sum += size + min(max(alignment-1, 0), model.MaxSum); v.sum > model.MaxSum {
		v.add(at, field, strconv.FormatInt(size, 10),
			"makes the sum of the aligned sizes exceed "+strconv.FormatInt(model.MaxSum, 10))
	}
}

func (v *validator) values() {
	seen := make(map[string]int, len(v.g.Values))
	for i := range v.g.Values {
		x, at := &v.g.Values[i], Place{i, -1}
		if first, twice := seen[x.Name]; x.Name == "" {
			v.add(at, "name", "", "is empty")
		} else if twice {
			v.add(at, "name", x.Name, "is a duplicate: the value at index "+strconv.Itoa(first)+" has the same")
		} else {
			seen[x.Name] = i
		}
		sized := v.inRange(at, "size", x.Size, 0)
		sized = v.inRange(at, "alignment", x.Alignment, 0) && sized
		v.lines(at, x, sized)
		if f := x.Fixed; f != nil && v.inRange(at, "offset", *f, 0) {
			switch {
			case x.Constant:
				v.add(at, "offset", strconv.FormatInt(*f, 10), "is of a constant, which is not planned")
			case x.Alignment > 1 && *f%x.Alignment != 0:
				v.add(at, "offset", strconv.FormatInt(*f, 10),
					"is not a multiple of the alignment "+strconv.FormatInt(x.Alignment, 10))
			case sized:
				v.top = max(v.top, *f+x.Size)
			}
		}
		if sized && x.planned() {
			v.need(at, "size", x.Size, x.Alignment)
		}
	}
}

func (v *validator) operators() {
	seen := make(map[string]int, len(v.g.Operators))
	v.makes, v.reads = make([]int, len(v.g.Values)), make([]int, len(v.g.Values))
	for i := range v.g.Operators {
		o, at := &v.g.Operators[i], Place{-1, i}
		if first, twice := seen[o.Name]; o.Name == "" {
			v.add(at, "name", "", "is empty")
		} else if twice {
			v.add(at, "name", o.Name, "is a duplicate: the operator at index "+strconv.Itoa(first)+" has the same")
		} else {
			seen[o.Name] = i
		}
		for _, x := range o.Operands {
			if v.known(at, "operands", x) {
				v.reads[x] = i + 1
			}
		}
		for _, y := range o.Results {
			switch {
			case !v.known(at, "results", y):
			case v.g.Values[y].Constant:
				v.add(at, "results", v.value(y), "is a constant, which no operator makes")
			case v.makes[y] == i+1:
				v.add(at, "results", v.value(y), "is a duplicate: the operator makes it twice")
			default:
				v.makes[y] = i + 1
			}
		}
		sized := v.inRange(at, "scratch", o.Scratch, 0)
		if v.inRange(at, "scratch_alignment", o.ScratchAlignment, 0) && sized && o.Scratch > 0 {
			v.need(at, "scratch", o.Scratch, o.ScratchAlignment)
		}
		for _, b := range o.After {
			switch {
			case b < 0 || b >= len(v.g.Operators):
				v.add(at, "after", strconv.Itoa(b), "is no operator: there are "+strconv.Itoa(len(v.g.Operators)))
			case b == i:
				v.add(at, "after", v.operator(i), "is the operator itself")
			}
		}
		for k := range o.Permits {
			v.permit(at, o, k)
		}
		v.reading(at, o)
	}
	if v.sum <= model.MaxSum && v.sum+v.top > model.MaxSum {
		v.add(Place{-1, -1}, "offset", "",
			"the fixed offsets and the sum of the sizes together exceed "+strconv.FormatInt(model.MaxSum, 10))
	}
}

// permit checks permit k of an operator.
func (v *validator) permit(at Place, o *Operator, k int) {
	p, field := o.Permits[k], "permits["+strconv.Itoa(k)+"]"
	if v.known(at, field+".result", p.Result) && v.makes[p.Result] != at.Operator+1 {
		v.add(at, field+".result", v.value(p.Result), "is no result of the operator")
	}
	if v.known(at, field+".operand", p.Operand) && v.reads[p.Operand] != at.Operator+1 {
		v.add(at, field+".operand", v.value(p.Operand), "is no operand of the operator")
	}
	v.inRange(at, field+".distance", p.Distance, -model.MaxSum)
}

// known reports whether an index is that of a value, and says if it is not.
func (v *validator) known(at Place, field string, i int) bool {
	if i >= 0 && i < len(v.g.Values) {
		return true
	}
	v.add(at, field, strconv.Itoa(i), "is no value: there are "+strconv.Itoa(len(v.g.Values)))
	return false
}

func (v *validator) ends(field string, list []int) {
	for _, i := range list {
		v.known(Place{-1, -1}, field, i)
	}
}

// made checks that each value comes from one place: an operator, or the inputs.
func (v *validator) made() {
	by := make([]int, len(v.g.Values))
	for i := range by {
		by[i] = nobody
	}
	for _, i := range v.g.Inputs {
		by[i] = input
	}
	for k := range v.g.Operators {
		for _, y := range v.g.Operators[k].Results {
			switch {
			case by[y] == input:
				v.add(Place{-1, k}, "results", v.value(y), "is an input, which no operator makes")
			case by[y] != nobody:
				v.add(Place{-1, k}, "results", v.value(y), "is made by operator "+v.operator(by[y])+" already")
			default:
				by[y] = k
			}
		}
	}
	for i := range v.g.Values {
		if by[i] == nobody && !v.g.Values[i].Constant {
			v.add(Place{i, -1}, "name", v.value(i), "is made by no operator, and is neither an input nor a constant")
		}
	}
}

// Who makes a value, if no operator does.
const (
	input  = -1
	nobody = -2
)

// needs calls f with each operator that must run before operator k. by says who makes each value.
func needs(g *Graph, by []int, k int, f func(before int)) {
	for _, x := range g.Operators[k].Operands {
		if by[x] >= 0 {
			f(by[x])
		}
	}
	for _, b := range g.Operators[k].After {
		f(b)
	}
}

// makers returns the operator that makes each value of a graph whose values are all made in
// one place; input for the inputs and constants.
func makers(g *Graph) []int {
	by := make([]int, len(g.Values))
	for i := range by {
		by[i] = input
	}
	for k := range g.Operators {
		for _, y := range g.Operators[k].Results {
			by[y] = k
		}
	}
	return by
}

// cycle says which operators wait for one another.
func (v *validator) cycle() {
	by := makers(v.g)
	n := len(v.g.Operators)
	waits, then := make([]int, n), make([][]int, n)
	for k := range n {
		needs(v.g, by, k, func(b int) { waits[k]++; then[b] = append(then[b], k) })
	}
	var ready []int
	for k, w := range waits {
		if w == 0 {
			ready = append(ready, k)
		}
	}
	done := 0
	for ; done < len(ready); done++ {
		for _, k := range then[ready[done]] {
			if waits[k]--; waits[k] == 0 {
				ready = append(ready, k)
			}
		}
	}
	if done == n {
		return
	}
	// Each operator that still waits needs another that does: going back meets one again.
	at := slices.IndexFunc(waits, func(w int) bool { return w > 0 })
	var path []int
	for !slices.Contains(path, at) {
		path = append(path, at)
		from := at
		needs(v.g, by, from, func(b int) {
			if waits[b] > 0 {
				at = b
			}
		})
	}
	path = path[slices.Index(path, at):]
	slices.Reverse(path) // each runs before the next, and the last before the first
	first := slices.Index(path, slices.Min(path))
	path = append(append(slices.Clone(path[first:]), path[:first]...), path[first])
	const shown = 8
	var names []string
	for _, k := range path[:min(len(path), shown)] {
		names = append(names, v.operator(k))
	}
	if len(path) > shown {
		names = append(names, "…")
	}
	v.add(Place{-1, path[0]}, "operands", "", "the operator waits for itself: "+strings.Join(names, ", then "))
}

// checkOrder returns an error if order does not have each operator of a valid graph once, behind all that it needs.
func checkOrder(g *Graph, order []int) error {
	v := validator{g: g}
	if len(order) != len(g.Operators) {
		v.issues.Say("order", strconv.Itoa(len(order)),
			"must have each of the "+strconv.Itoa(len(g.Operators))+" operators once")
		return v.issues.Err()
	}
	by, done := makers(g), make([]bool, len(g.Operators))
	for _, k := range order {
		if k < 0 || k >= len(done) || done[k] {
			v.issues.Say("order", strconv.Itoa(k), "must be the index of an operator, each once")
			return v.issues.Err()
		}
		needs(g, by, k, func(b int) {
			if !done[b] {
				v.issues.Say("order", v.operator(k), "needs operator "+v.operator(b)+", which runs later")
			}
		})
		done[k] = true
	}
	return v.issues.Err()
}
