package model

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Idea: a family is one problem with many sizes. Lifespans, gaps, alignments, fixed offsets and pools are the same for
// all. Sizes come from a list for each scenario, or from formulas in symbols with ranges. Problem has the largest size
// of each buffer, so all that takes a problem takes the largest of a family.
//
// A point is a scenario, or a value for each symbol. Points are numbered: scenarios in their order, values in the order
// of counting, the last symbol fastest. So the last point has the largest value of each symbol.

// A Family is a set of problems that differ in the sizes of their buffers. Either Scenarios or Symbols is set.
type Family struct {
	// Problem has everything but the sizes. Complete sets its sizes to the largest of each buffer.
	Problem *Problem
	// Scenarios names the scenarios.
	Scenarios []string
	// Sizes has the size of each buffer in each scenario: Sizes[scenario][buffer].
	Sizes [][]int64
	// Symbols are what the sizes depend on.
	Symbols []Symbol
	// Formulas has the size of each buffer as a formula in the symbols; nil for a buffer of one size.
	Formulas []*Formula
	// Largest is the point at which each buffer has its largest size, the last if several have; -1 if there is none.
	// Complete sets it.
	Largest int64
}

// A Symbol is a number that sizes depend on: Low, Low+Step, …, up to High.
type Symbol struct {
	Name string // as formulas have it
	Low  int64  // the lowest value, at least 0
	High int64  // no value is higher
	Step int64  // between values; 0 means 1
}

// A Point is a scenario, or a value for each symbol, with what an order gives there.
type Point struct {
	Point  int64  // its number
	Name   string // that of the scenario, or as in seq=16,batch=2
	Height int64  // of the order, in bytes, added up over pools
	Load   int64  // the most bytes that are live at once, added up over pools
}

// MostPoints is the number of points up to which each is looked at.
const MostPoints = 1 << 16

// maxSymbols is how many symbols a family may have: the corners of their ranges are 2 to the power of it.
const maxSymbols = 8

// count returns how many values a symbol has.
func (s *Symbol) count() int64 { return (s.High-s.Low)/max(1, s.Step) + 1 }

// Points returns the number of points, or math.MaxInt64 if it is larger than that.
func (f *Family) Points() int64 {
	if len(f.Symbols) == 0 {
		return int64(len(f.Scenarios))
	}
	n := uint64(1)
	for k := range f.Symbols {
		high, low := bits.Mul64(n, uint64(f.Symbols[k].count()))
		if n = low; high > 0 || low > math.MaxInt64 {
			return math.MaxInt64
		}
	}
	return int64(n)
}

// Values returns the value of each symbol at a point; nil without symbols.
func (f *Family) Values(point int64) []int64 {
	values := make([]int64, len(f.Symbols))
	for k := len(values) - 1; k >= 0; k-- {
		s := &f.Symbols[k]
		values[k] = s.Low + point%s.count()*max(1, s.Step)
		point /= s.count()
	}
	return values
}

// PointOf returns the point at which the symbols have these values.
func (f *Family) PointOf(values []int64) (int64, error) {
	if len(values) != len(f.Symbols) {
		return 0, fmt.Errorf("there are %d values for %d symbols", len(values), len(f.Symbols))
	}
	point := int64(0)
	for k, v := range values {
		s := &f.Symbols[k]
		step := max(1, s.Step)
		if v < s.Low || v > s.High || (v-s.Low)%step != 0 {
			return 0, fmt.Errorf("%s=%d is not in its range", s.Name, v)
		}
		point = point*s.count() + (v-s.Low)/step
	}
	return point, nil
}

// Name returns the name of a point: that of the scenario, or the values of the symbols, as in seq=16,batch=2.
func (f *Family) Name(point int64) string {
	if point < 0 {
		return "maximum"
	}
	if len(f.Symbols) == 0 {
		return f.Scenarios[point]
	}
	var parts []string
	for k, v := range f.Values(point) {
		parts = append(parts, f.Symbols[k].Name+"="+strconv.FormatInt(v, 10))
	}
	return strings.Join(parts, ",")
}

// SizesAt returns the sizes of the buffers at a point; the largest of each for -1. The family must be complete.
func (f *Family) SizesAt(point int64) []int64 {
	if point >= 0 && len(f.Symbols) == 0 {
		return f.Sizes[point]
	}
	sizes := make([]int64, len(f.Problem.Buffers))
	for i := range sizes {
		sizes[i] = f.Problem.Buffers[i].Size
	}
	if point < 0 {
		return sizes
	}
	values := f.Values(point)
	for i, formula := range f.Formulas {
		if formula != nil {
			sizes[i], _ = formula.At(f.valueIn(values))
		}
	}
	return sizes
}

// valueIn returns the values of the symbols by name.
func (f *Family) valueIn(values []int64) func(string) int64 {
	return func(name string) int64 {
		for k := range f.Symbols {
			if f.Symbols[k].Name == name {
				return values[k]
			}
		}
		return 0
	}
}

// At returns the problem at a point.
func (f *Family) At(point int64) *Problem {
	p := *f.Problem
	p.Buffers = slices.Clone(p.Buffers)
	for i, size := range f.SizesAt(point) {
		p.Buffers[i].Size = size
	}
	return &p
}

// Complete checks the family and sets the sizes of Problem, and Largest. It reports all faults as an *InputError.
func (f *Family) Complete() error { return f.CompleteAt(func(int) Issue { return Issue{} }) }

// CompleteAt is Complete for readers of files. where is as for ValidateAt.
func (f *Family) CompleteAt(where func(i int) Issue) error {
	c := completion{Family: f, where: where}
	switch {
	case f.Problem == nil:
		c.say(-1, "", "", "the family has no problem")
	case len(f.Symbols) > 0 && len(f.Scenarios) > 0:
		c.say(-1, "symbols", "", "a family has scenarios or symbols, not both")
	case len(f.Symbols) > 0:
		c.symbols()
	case len(f.Scenarios) == 0:
		c.say(-1, "scenarios", "", "the family has no scenario")
	default:
		c.scenarios()
	}
	if c.issues.Err() == nil {
		c.supported()
	}
	return c.issues.Err()
}

// A completion is a run of Complete.
type completion struct {
	*Family
	where  func(i int) Issue
	issues Issues
}

// say adds a fault of buffer i, or of the whole for -1.
func (c *completion) say(i int, field, value, message string) {
	issue := c.where(i)
	if i >= 0 {
		issue.Buffer = c.Problem.Buffers[i].ID
	}
	issue.Field, issue.Value, issue.Message = field, value, message
	c.issues.Add(issue)
}

// supported refuses what an order cannot keep: it says who lies above whom, and nothing about parts of a buffer.
func (c *completion) supported() {
	for i := range c.Problem.Buffers {
		if c.Problem.Buffers[i].HasWindow() {
			c.say(i, "gaps", "", "a gap with a window does not go with sizes that vary")
		}
	}
	r := c.Problem.Rules
	if r == nil {
		return
	}
	for _, x := range []struct {
		key   string
		there bool
	}{
		{"together", len(r.Together) > 0},
		{"apart", len(r.Apart) > 0},
		{"may_overlap", len(r.MayOverlap) > 0},
		{"penalties", len(r.Penalties) > 0},
		{"distances", len(r.Distances) > 0},
		{"lockstep", len(r.Lockstep) > 0},
		{"kinds", len(r.Kinds) > 0},
		{"alternatives", len(r.Alternatives) > 0},
		{"threads", r.Threads > 0},
		{"period", r.Period > 0},
	} {
		if x.there {
			c.say(-1, x.key, "", "does not go with sizes that vary: of the rules, only pools do")
		}
	}
	for k := range r.Pools {
		if p := &r.Pools[k]; len(p.Reserved)+len(p.Borders) > 0 || p.Objects {
			c.say(-1, fmt.Sprintf("pools[%d]", k), p.ID,
				"a pool with reserved bytes, borders or objects does not go with sizes that vary")
		}
	}
	for i := range c.Problem.Buffers {
		if x := c.Problem.Buffers[i].Extra; x != nil && len(x.Evictions) > 0 {
			c.say(i, "evictions", "", "do not go with sizes that vary")
		}
	}
}

// scenarios finds the largest sizes of a family with scenarios.
func (c *completion) scenarios() {
	n := len(c.Problem.Buffers)
	for k, sizes := range c.Sizes {
		if len(sizes) != n {
			c.say(-1, "sizes", c.Scenarios[k], fmt.Sprintf("the scenario has %d sizes for %d buffers", len(sizes), n))
		}
	}
	seen := map[string]bool{}
	for _, name := range c.Scenarios {
		if seen[name] {
			c.say(-1, "scenarios", name, "is a duplicate: two scenarios have this name")
		}
		seen[name] = true
	}
	if len(c.Sizes) != len(c.Scenarios) {
		c.say(-1, "sizes", "", fmt.Sprintf("there are %d lists for %d scenarios", len(c.Sizes), len(c.Scenarios)))
	}
	if c.issues.Err() != nil {
		return
	}
	for i := range n {
		most := int64(0)
		for _, sizes := range c.Sizes {
			if sizes[i] < 0 || sizes[i] > MaxSum {
				c.say(i, "sizes", itoa(sizes[i]), fmt.Sprintf("must be from 0 to %d", int64(MaxSum)))
			}
			most = max(most, sizes[i])
		}
		c.most(i, most)
	}
	c.find()
}

// most sets the largest size of a buffer.
func (c *completion) most(i int, size int64) {
	if size < 1 {
		c.say(i, "size", itoa(size), "must be at least 1 in one scenario or at one value of the symbols")
		size = 1
	}
	c.Problem.Buffers[i].Size = size
}

// find finds the last point with the largest size of each buffer.
func (c *completion) find() {
	for c.Largest = c.Points() - 1; c.Largest >= 0; c.Largest-- {
		i := 0
		for sizes := c.SizesAt(c.Largest); i < len(sizes) && sizes[i] == c.Problem.Buffers[i].Size; {
			i++
		}
		if i == len(c.Problem.Buffers) {
			return
		}
	}
}

// symbols finds the largest sizes of a family with symbols. A formula that only rises is largest at the last point.
// Any other is computed at each point, if there are not too many.
func (c *completion) symbols() {
	if len(c.Formulas) != len(c.Problem.Buffers) {
		c.say(-1, "size", "", fmt.Sprintf("there are %d formulas for %d buffers", len(c.Formulas), len(c.Problem.Buffers)))
	}
	for k := range c.Symbols {
		s := &c.Symbols[k]
		switch {
		case slices.ContainsFunc(c.Symbols[:k], func(o Symbol) bool { return o.Name == s.Name }):
			c.say(-1, "symbols", s.Name, "is a duplicate: two symbols have this name")
		case s.Low < 0 || s.High < s.Low || s.High > MaxSum || s.Step < 0:
			c.say(-1, "symbols", s.Name, fmt.Sprintf("the range must be from low to high, within 0 and %d, by steps of at "+
				"least 1", int64(MaxSum)))
		}
	}
	if c.issues.Err() == nil && (len(c.Symbols) > maxSymbols || c.Points() > MaxSum) {
		c.say(-1, "symbols", "", fmt.Sprintf("at most %d symbols are taken, with at most %d points", maxSymbols, int64(MaxSum)))
	}
	if c.issues.Err() != nil {
		return
	}
	c.Largest = c.Points() - 1
	rising := true
	for i, formula := range c.Formulas {
		if formula == nil {
			continue
		}
		span, err := formula.Over(c.span)
		switch unknown := c.unknown(formula); {
		case unknown != "":
			c.say(i, "size", formula.String(), "the symbol "+unknown+" has no range")
			return
		case err != nil:
			c.say(i, "size", formula.String(), err.Error())
			continue
		case span.Rising && span.Low < 0:
			c.say(i, "size", formula.String(), fmt.Sprintf("is %d at the lowest values of its symbols", span.Low))
			continue
		case span.Rising:
			c.most(i, span.High)
			continue
		}
		if rising = false; c.Points() > MostPoints {
			c.say(i, "size", formula.String(), fmt.Sprintf(
				"is not known to rise with its symbols, and the ranges have more than %d points", MostPoints))
			continue
		}
		c.each(i, formula)
	}
	if !rising && c.issues.Err() == nil {
		c.find()
	}
}

// span returns the range of a symbol.
func (c *completion) span(name string) Span {
	for k := range c.Symbols {
		if s := &c.Symbols[k]; s.Name == name {
			return Span{s.Low, s.Low + (s.count()-1)*max(1, s.Step), true}
		}
	}
	return Span{}
}

// unknown returns a symbol of a formula that has no range.
func (c *completion) unknown(formula *Formula) string {
	for _, name := range formula.names {
		if !slices.ContainsFunc(c.Symbols, func(s Symbol) bool { return s.Name == name }) {
			return name
		}
	}
	return ""
}

// each finds the largest size of a buffer by computing all.
func (c *completion) each(i int, formula *Formula) {
	most := int64(0)
	for point := range c.Points() {
		size, err := formula.At(c.valueIn(c.Values(point)))
		if err == nil && size < 0 {
			err = fmt.Errorf("is %d at %s", size, c.Name(point))
		}
		if err != nil {
			c.say(i, "size", formula.String(), err.Error())
			return
		}
		most = max(most, size)
	}
	c.most(i, most)
}

// Spread returns at most n points, ascending: the corners of the ranges, and values that are spread evenly over each.
func (f *Family) Spread(n int64) []int64 {
	each := int64(2) // values of each symbol
	for power(each+1, len(f.Symbols)) <= n {
		each++
	}
	points := []int64{0}
	for k := range f.Symbols {
		count := f.Symbols[k].count()
		take := min(each, count)
		var next []int64
		for _, point := range points {
			for v := range take {
				next = append(next, point*count+v*(count-1)/max(1, take-1))
			}
		}
		points = next
	}
	return points
}

// power returns a to the power of k, or math.MaxInt64 if that is larger.
func power(a int64, k int) int64 {
	n := int64(1)
	for range k {
		if n > math.MaxInt64/a {
			return math.MaxInt64
		}
		n *= a
	}
	return n
}
