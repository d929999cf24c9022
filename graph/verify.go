package graph

import (
	"math"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: the checker runs the program. It keeps the set of values that take memory, and how often each is still to be
// read. An operator may run if all values that it reads are in the set. Each of its results, and its scratch, must then
// lie apart from every value in the set and from one another. The exception is a pair that a permit of this operator
// allows, if no other operator still reads the operand. So each pair is judged once, when the later of the two begins.
//
// It shares no code with Lower: no lifespans, no windows and no rounding are here.
//
// Complexity: O(values · log values) for a valid plan: present.go finds the blocks that a new block overlaps.

// mostViolations is how many violations a report has at most.
const mostViolations = 1000

// The rules of a plan of a graph, beside those of package model.
const (
	RuleOrder    model.Rule = "order"    // each operator runs once, after all that it needs
	RuleOverlaps model.Rule = "overlaps" // the plan lists the results over operands, all and no others
	RuleBound    model.Rule = "bound"    // the lower bound is at most the height, and equal if the plan is optimal
)

// A Violation is one breach of one rule.
type Violation struct {
	// Rule is what the plan breaks.
	Rule model.Rule
	// Operator is the operator at fault, or at which the fault shows; -1 for none.
	Operator int
	// A and B are the values at fault, as indices into Graph.Values; -1 for none. Of an overlap A is the one that
	// begins at Operator; -1 if that is the operator's scratch. B is -1 if it is scratch, too.
	A, B int
	// Message names them, and the numbers, in one line.
	Message string
}

// A Report is the outcome of Verify.
type Report struct {
	// Height is the largest offset + size in bytes, recomputed.
	Height int64
	// Overlaps has each result that lies over an operand as a permit allows, in the order of the operators.
	Overlaps []Overlap
	// Violations has the first 1,000 violations.
	Violations []Violation
	// Total is the number of all violations.
	Total int
}

// OK reports whether the plan breaks no rule.
func (r *Report) OK() bool { return r.Total == 0 }

// Verify checks a plan of a graph: its order, offsets, height, bound and list of overlaps. Plan.Saved is not checked,
// nor whether the bound is true: both would need other plans. All permits of the graph count. The error is the
// *model.InputError of a bad graph. A plan without offsets breaks a rule.
func Verify(g *Graph, p *Plan) (*Report, error) {
	if err := Validate(g); err != nil {
		return nil, err
	}
	c := checker{g: g, p: p, r: new(Report)}
	if c.replay() {
		c.claims()
	}
	return c.r, nil
}

// Replay is Verify for an order and offsets of values and of scratch, as in a Plan, without the claims of a Plan.
func Replay(g *Graph, order []int, offsets, scratch []int64) (*Report, error) {
	if err := Validate(g); err != nil {
		return nil, err
	}
	c := checker{g: g, p: &Plan{Order: order, Offsets: offsets, Scratch: scratch}, r: new(Report)}
	c.replay()
	return c.r, nil
}

// replay checks order and offsets. It returns false if there is nothing to check claims against.
func (c *checker) replay() bool {
	g, p := c.g, c.p
	if len(p.Offsets) != len(g.Values) || len(p.Scratch) != len(g.Operators) || len(p.Order) != len(g.Operators) {
		c.say(model.RuleCount, -1, -1, -1,
			"the plan has "+itoa(len(p.Order))+" operators, "+itoa(len(p.Offsets))+" offsets of values and "+
				itoa(len(p.Scratch))+" of scratch: the graph has "+itoa(len(g.Operators))+" operators and "+
				itoa(len(g.Values))+" values")
		return false
	}
	switch {
	case p.Chains != nil:
		return c.lines()
	case c.offsets():
		c.run()
	}
	return true
}

func itoa(i int) string { return strconv.Itoa(i) }

// A block is a value or scratch that takes memory at a moment.
type block struct {
	value    int // -1 for scratch
	from, to int64
	number   int // in present
	since    int // how many blocks were entered before it
}

type checker struct {
	g       *Graph
	p       *Plan
	r       *Report
	live    *present
	number  []int            // by value, then by operator for scratch: in live
	entered []block          // by number: the block that was entered last
	count   int              // of blocks that were entered
	found   []int            // the blocks that place found last
	to      []int            // how many operators must still read each value; one more for outputs
	present []bool           // the value is there
	now     int              // the operator that runs
	permits map[[2]int][]int // of the operator that runs: the permits of a result and an operand

	seen  []int // by value: the number of the list that had it last
	lists int   // how many lists distinct has read
	once  []int // the last result of distinct
}

func (c *checker) say(rule model.Rule, operator, a, b int, message string) {
	if c.r.Total++; c.r.Total <= mostViolations {
		c.r.Violations = append(c.r.Violations, Violation{rule, operator, a, b, message})
	}
}

// offsets checks each offset alone. It returns false if the sums are too large for further checks.
func (c *checker) offsets() bool {
	sound := true
	check := func(name string, operator, v int, at, size, alignment int64, fixed *int64) {
		offset := strconv.FormatInt(at, 10)
		switch {
		case at < 0:
			c.say(model.RuleSign, operator, v, -1, name+" has the offset "+offset+", below 0")
			sound = false
			return
		case at > math.MaxInt64-size:
			c.say(model.RuleCapacity, operator, v, -1, name+" at "+offset+" ends above the largest integer")
			sound = false
			return
		case alignment > 1 && at%alignment != 0:
			c.say(model.RuleAlignment, operator, v, -1,
				name+" has the offset "+offset+", not a multiple of its alignment "+strconv.FormatInt(alignment, 10))
		}
		if fixed != nil && at != *fixed {
			c.say(model.RuleFixed, operator, v, -1,
				name+" has the offset "+offset+", not its fixed offset "+strconv.FormatInt(*fixed, 10))
		}
		c.r.Height = max(c.r.Height, at+size)
	}
	for i := range c.g.Values {
		v := &c.g.Values[i]
		if v.Constant || v.Size == 0 {
			continue
		}
		check("value "+v.Name, -1, i, c.p.Offsets[i], v.Size, v.Alignment, v.Fixed)
	}
	for k := range c.g.Operators {
		if o := &c.g.Operators[k]; o.Scratch > 0 {
			check("the scratch of operator "+o.Name, k, -1, c.p.Scratch[k], o.Scratch, o.ScratchAlignment, nil)
		}
	}
	return sound
}

// run replays the operators.
func (c *checker) run() {
	n := len(c.g.Values)
	c.to, c.present, c.seen = make([]int, n), make([]bool, n), make([]int, n)
	for k := range c.g.Operators {
		for _, x := range c.distinct(c.g.Operators[k].Operands) {
			c.to[x]++
		}
	}
	for _, v := range c.distinct(c.g.Outputs) {
		c.to[v]++
	}
	for i := range c.g.Values {
		c.present[i] = c.g.Values[i].Constant
	}
	c.number, c.permits = c.numbers(), make(map[[2]int][]int)
	c.now = -1
	for _, v := range c.distinct(c.g.Inputs) {
		c.begin(v)
	}
	for _, v := range c.distinct(c.g.Inputs) {
		c.end(v)
	}
	ran := make([]bool, len(c.g.Operators))
	for _, k := range c.p.Order {
		if k < 0 || k >= len(ran) || ran[k] {
			c.say(RuleOrder, -1, -1, -1, "the order has the operator "+itoa(k)+", which is none or runs twice")
			return
		}
		o := &c.g.Operators[k]
		c.now, ran[k] = k, true
		for _, b := range o.After {
			if !ran[b] {
				c.say(RuleOrder, k, -1, -1,
					"operator "+o.Name+" runs before operator "+c.g.Operators[b].Name+", after which it must run")
			}
		}
		for _, x := range o.Operands {
			if !c.present[x] {
				c.say(RuleOrder, k, x, -1, "operator "+o.Name+" reads the value "+c.g.Values[x].Name+", which is not there yet")
				return
			}
		}
		clear(c.permits)
		for n, q := range o.Permits {
			c.permits[[2]int{q.Result, q.Operand}] = append(c.permits[[2]int{q.Result, q.Operand}], n)
		}
		if o.Scratch > 0 {
			c.place(block{value: -1, from: c.p.Scratch[k], to: c.p.Scratch[k] + o.Scratch, number: c.number[n+k]})
		}
		for _, y := range o.Results {
			c.begin(y)
		}
		if o.Scratch > 0 {
			c.live.put(c.number[n+k], absent)
		}
		for _, x := range c.distinct(o.Operands) {
			c.to[x]--
			c.end(x)
		}
		for _, y := range o.Results {
			c.end(y)
		}
	}
}

// numbers makes the empty set of present blocks, and returns the number of each block in it.
func (c *checker) numbers() []int {
	var from []int64
	of := make([]int, 0, len(c.g.Values)+len(c.g.Operators)) // in from
	add := func(takes bool, at int64) {
		if of = append(of, len(from)); takes {
			from = append(from, at)
		}
	}
	for i := range c.g.Values {
		add(!c.g.Values[i].Constant && c.g.Values[i].Size > 0, c.p.Offsets[i])
	}
	for k := range c.g.Operators {
		add(c.g.Operators[k].Scratch > 0, c.p.Scratch[k])
	}
	var number []int
	c.live, number = newPresent(from)
	c.entered = make([]block, len(from))
	for i, at := range of {
		if of[i] = -1; at < len(from) {
			of[i] = number[at]
		}
	}
	return of
}

// begin enters a value.
func (c *checker) begin(v int) {
	x := &c.g.Values[v]
	c.present[v] = true
	if !x.Constant && x.Size > 0 {
		c.place(block{value: v, from: c.p.Offsets[v], to: c.p.Offsets[v] + x.Size, number: c.number[v]})
	}
}

// end takes a value out if no operator must still read it.
func (c *checker) end(v int) {
	if x := &c.g.Values[v]; !x.Constant && x.Size > 0 && c.to[v] == 0 {
		c.live.put(c.number[v], absent)
	}
}

// place enters a block and checks it against the blocks that are present, in the order in which they were entered.
func (c *checker) place(b block) {
	c.found = c.live.over(b.from, b.to, c.found[:0])
	slices.SortFunc(c.found, func(i, j int) int { return c.entered[i].since - c.entered[j].since })
	for _, i := range c.found {
		switch a := c.entered[i]; {
		case c.permitted(b, a):
		case c.r.Total >= mostViolations:
			c.r.Total++
		default:
			c.say(model.RuleOverlap, c.now, b.value, a.value,
				c.name(b)+" at ["+c.bytes(b)+") overlaps "+c.name(a)+" at ["+c.bytes(a)+")"+c.why(b, a))
		}
	}
	b.since = c.count
	c.count++
	c.entered[b.number] = b
	c.live.put(b.number, b.to)
}

func (c *checker) bytes(b block) string {
	return strconv.FormatInt(b.from, 10) + ", " + strconv.FormatInt(b.to, 10)
}

func (c *checker) name(b block) string {
	if b.value < 0 {
		return "the scratch of operator " + c.g.Operators[c.now].Name
	}
	return "value " + c.g.Values[b.value].Name
}

// permitted reports whether the operator that runs may lay block y over block x.
func (c *checker) permitted(y, x block) bool {
	if c.now < 0 || x.value < 0 || y.value < 0 || c.to[x.value] != 1 {
		return false // only this operator may still read x
	}
	for _, n := range c.permits[[2]int{y.value, x.value}] {
		q, d := &c.g.Operators[c.now].Permits[n], x.from-y.from
		if d == q.Distance || d > q.Distance && !q.Exactly {
			c.r.Overlaps = append(c.r.Overlaps, Overlap{c.now, y.value, x.value, d, min(x.to, y.to) - max(x.from, y.from)})
			return true
		}
	}
	return false
}

// why says at which operator block y lies over block x, and what that operator permits.
func (c *checker) why(y, x block) string {
	if c.now < 0 {
		return " before the first operator"
	}
	said, permits := " at operator "+c.g.Operators[c.now].Name, ""
	for _, q := range c.g.Operators[c.now].Permits {
		if x.value < 0 || y.value < 0 || q.Operand != x.value || q.Result != y.value {
			continue
		}
		if permits != "" {
			permits += " or "
		}
		if !q.Exactly {
			permits += "from "
		}
		permits += "distance " + strconv.FormatInt(q.Distance, 10)
	}
	switch {
	case permits == "":
		return said
	case c.to[x.value] != 1:
		return said + ": its permit does not count, since " + c.name(x) + " is needed later"
	}
	return said + ": permitted " + permits + ", it is " + strconv.FormatInt(x.from-y.from, 10)
}

// claims checks the claims of the plan.
func (c *checker) claims() {
	if c.p.Height != c.r.Height {
		c.say(model.RuleHeight, -1, -1, -1,
			"the plan says that it is "+strconv.FormatInt(c.p.Height, 10)+" bytes high: it is "+
				strconv.FormatInt(c.r.Height, 10))
	}
	if c.p.LowerBound > c.p.Height || c.p.Status == model.Optimal && c.p.LowerBound != c.p.Height {
		c.say(RuleBound, -1, -1, -1, "the plan says "+c.p.Status.String()+", with the lower bound "+
			strconv.FormatInt(c.p.LowerBound, 10)+" and the height "+strconv.FormatInt(c.p.Height, 10))
	}
	listed := make(map[Overlap]int, len(c.p.Overlaps))
	for _, o := range c.p.Overlaps {
		listed[o]++
	}
	for _, o := range c.r.Overlaps {
		if listed[o]--; listed[o] < 0 {
			c.say(RuleOverlaps, o.Operator, o.Result, o.Operand, "the plan does not list "+c.over(o))
		}
	}
	for _, o := range c.p.Overlaps {
		if listed[o] > 0 {
			listed[o] = 0
			c.say(RuleOverlaps, o.Operator, o.Result, o.Operand, "the plan lists "+c.over(o)+", which is not there")
		}
	}
}

// over describes an overlap, whose indices may be anything.
func (c *checker) over(o Overlap) string {
	value := func(i int) string { return (&validator{g: c.g}).value(i) }
	operator := "at index " + itoa(o.Operator)
	if o.Operator >= 0 && o.Operator < len(c.g.Operators) {
		operator = c.g.Operators[o.Operator].Name
	}
	return "result " + value(o.Result) + " over operand " + value(o.Operand) + " at operator " + operator +
		", at the distance " + strconv.FormatInt(o.Distance, 10) + " with " + strconv.FormatInt(o.Bytes, 10) + " bytes"
}

// distinct returns the values of a list, each once. The result holds until the next call.
func (c *checker) distinct(list []int) []int {
	c.lists++
	c.once = c.once[:0]
	for _, v := range list {
		if c.seen[v] != c.lists {
			c.seen[v] = c.lists
			c.once = append(c.once, v)
		}
	}
	return c.once
}
