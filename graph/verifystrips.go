package graph

import (
	"math"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: a plan with chains in strips is checked line by line. The checker keeps which lines are in memory, and where. A
// call must find each line that it needs where the plan says. Then it writes its lines, and its scratch. Whatever lay
// there is gone. So there are no lifespans: a line that is overwritten too early is missed by the next one that reads
// it. An operator outside of chains is a call for all lines, and a value without lines has one.
//
// A call may write over lines that it reads itself, if a permit allows the distance of the two values. The offset of a
// value in strips is that of its line 0, even if no such line is there.
//
// Complexity: O(calls · blocks in memory).

// RuleStrips is for the calls of chains: they make all lines of the chain's result, and read what these need.
const RuleStrips model.Rule = "strips"

// A held is lines of a value in memory.
type held struct {
	value, first, end int
	base              int64 // where line 0 would lie
}

// A span is bytes of a call: value is -1 for scratch.
type span struct {
	value    int
	from, to int64
	base     int64
}

// A lineChecker replays calls.
type lineChecker struct {
	*checker
	memory []held // disjoint
	chain  []int  // by operator: its chain, -1 for none
	missed []bool // by value: a line was missed
}

// lines checks a plan with chains. It returns false if there is nothing to check claims against.
func (c *checker) lines() bool {
	w := lineChecker{checker: c, chain: slices.Repeat([]int{-1}, len(c.g.Operators)), missed: make([]bool, len(c.g.Values))}
	if !w.shaped() {
		return false
	}
	c.now = -1
	seen := make([]bool, len(c.g.Values))
	for _, v := range c.g.Inputs {
		x := &c.g.Values[v]
		if !x.planned() || seen[v] {
			continue
		}
		seen[v] = true
		if !w.sound("value "+x.Name, v, c.p.Offsets[v], x.Size, x.Alignment) {
			return false
		}
		w.fixed(v)
		w.begin(v, c.p.Offsets[v])
	}
	ran := make([]bool, len(c.g.Operators))
	for place := 0; place < len(c.p.Order); place++ {
		k := c.p.Order[place]
		if chain := w.chain[k]; chain >= 0 {
			x := &c.p.Chains[chain]
			if !w.run(x, ran) {
				return false
			}
			place = x.Last
			continue
		}
		if !w.after(k, ran) || !w.operator(k) {
			return false
		}
		ran[k] = true
	}
	c.now = -1
	for _, v := range c.g.Outputs {
		if x := &c.g.Values[v]; x.planned() {
			w.find(v, 0, max(x.Lines, 1), c.p.Offsets[v], "the end")
		}
	}
	return true
}

// shaped checks the order and the places of chains, which the rest relies on.
func (w *lineChecker) shaped() bool {
	seen := make([]bool, len(w.g.Operators))
	for _, k := range w.p.Order {
		if k < 0 || k >= len(seen) || seen[k] {
			w.say(RuleOrder, -1, -1, -1, "the order has the operator "+itoa(k)+", which is none or runs twice")
			return false
		}
		seen[k] = true
	}
	next := 0
	for i := range w.p.Chains {
		x := &w.p.Chains[i]
		if x.First < next || x.Last < x.First || x.Last >= len(w.p.Order) {
			w.say(RuleStrips, -1, -1, -1, "chain "+itoa(i)+" has the places "+itoa(x.First)+" to "+itoa(x.Last)+
				" of the order, which are none, or those of another chain")
			return false
		}
		next = x.Last + 1
		for place := x.First; place <= x.Last; place++ {
			w.chain[w.p.Order[place]] = i
		}
		for n := range x.Calls {
			c := &x.Calls[n]
			if c.Operator < 0 || c.Operator >= len(w.chain) || w.chain[c.Operator] != i {
				w.say(RuleStrips, -1, -1, -1, "chain "+itoa(i)+" calls operator "+itoa(c.Operator)+", which it does not have")
				return false
			}
			o := &w.g.Operators[c.Operator]
			for _, list := range [][]Piece{c.Reads, c.Makes} {
				for _, p := range list {
					if p.Value < 0 || p.Value >= len(w.g.Values) || p.First < 0 || p.First >= p.End ||
						p.End > w.g.Values[p.Value].Lines {
						w.say(RuleStrips, c.Operator, -1, -1, "operator "+o.Name+" is called for lines "+itoa(p.First)+" to "+
							itoa(p.End)+" of a value that has not as many")
						return false
					}
				}
			}
		}
	}
	return true
}

// sound checks an offset alone. It returns false if it is below 0 or too large.
func (w *lineChecker) sound(name string, v int, at, size, alignment int64) bool {
	offset := strconv.FormatInt(at, 10)
	switch {
	case at < 0:
		w.say(model.RuleSign, w.now, v, -1, name+" has the offset "+offset+", below 0")
		return false
	case at > math.MaxInt64-size:
		w.say(model.RuleCapacity, w.now, v, -1, name+" at "+offset+" ends above the largest integer")
		return false
	case alignment > 1 && at%alignment != 0:
		w.say(model.RuleAlignment, w.now, v, -1,
			name+" has the offset "+offset+", not a multiple of its alignment "+strconv.FormatInt(alignment, 10))
	}
	w.r.Height = max(w.r.Height, at+size)
	return true
}

// fixed checks the offset of a value that has a fixed one.
func (w *lineChecker) fixed(v int) {
	if x := &w.g.Values[v]; x.Fixed != nil && *x.Fixed != w.p.Offsets[v] {
		w.say(model.RuleFixed, w.now, v, -1, "value "+x.Name+" has the offset "+strconv.FormatInt(w.p.Offsets[v], 10)+
			", not its fixed offset "+strconv.FormatInt(*x.Fixed, 10))
	}
}

// begin enters an input. No other one may lie there.
func (w *lineChecker) begin(v int, at int64) {
	x := &w.g.Values[v]
	for _, h := range w.memory {
		if y := &w.g.Values[h.value]; h.base < at+x.Size && at < h.base+y.Size {
			w.say(model.RuleOverlap, -1, v, h.value, "input "+x.Name+" overlaps input "+y.Name)
		}
	}
	w.write(v, 0, max(x.Lines, 1), at)
}

// write overwrites what lies at some lines of a value, and enters them.
func (w *lineChecker) write(v, first, end int, base int64) {
	line := w.g.Values[v].line()
	w.clear(base+int64(first)*line, base+int64(end)*line)
	w.memory = append(w.memory, held{v, first, end, base})
}

// clear takes out all lines that have a byte of [from, to).
func (w *lineChecker) clear(from, to int64) {
	var more []held
	w.memory = slices.DeleteFunc(w.memory, func(h held) bool {
		line := w.g.Values[h.value].line()
		if h.base+int64(h.first)*line >= to || h.base+int64(h.end)*line <= from {
			return false
		}
		// Lines below, and lines above.
		below, above := int64(h.first), int64(h.end)
		if from > h.base {
			below = max(below, (from-h.base)/line)
		}
		if to > h.base {
			above = min(above, max(int64(h.first), (to-h.base+line-1)/line))
		}
		if int(below) > h.first {
			more = append(more, held{h.value, h.first, int(below), h.base})
		}
		if int(above) < h.end {
			more = append(more, held{h.value, int(above), h.end, h.base})
		}
		return true
	})
	w.memory = append(w.memory, more...)
}

// find says which of some lines of a value is not where it should be, for a reader.
func (w *lineChecker) find(v, first, end int, base int64, reader string) {
	if w.missed[v] || w.g.Values[v].Constant {
		return
	}
	for line := first; line < end; {
		at := slices.IndexFunc(w.memory, func(h held) bool {
			return h.value == v && h.base == base && h.first <= line && line < h.end
		})
		if at < 0 {
			w.missed[v] = true
			name := "value " + w.g.Values[v].Name
			if w.g.Values[v].Lines > 0 {
				name = "line " + itoa(line) + " of " + name
			}
			w.say(model.RuleOverlap, w.now, v, -1, name+" is not there for "+reader+
				": it was not made, lies elsewhere, or is overwritten")
			return
		}
		line = w.memory[at].end
	}
}

// after checks what must have run before an operator.
func (w *lineChecker) after(k int, ran []bool) bool {
	for _, b := range w.g.Operators[k].After {
		if !ran[b] {
			w.say(RuleOrder, k, -1, -1, "operator "+w.g.Operators[k].Name+" runs before operator "+w.g.Operators[b].Name+
				", after which it must run")
			return false
		}
	}
	return true
}

// operator replays an operator outside of chains.
func (w *lineChecker) operator(k int) bool {
	o := &w.g.Operators[k]
	c := Call{Operator: k, Scratch: w.p.Scratch[k]}
	for _, y := range o.Results {
		c.Makes = append(c.Makes, Piece{y, 0, max(w.g.Values[y].Lines, 1), w.p.Offsets[y]})
		w.now = k
		w.fixed(y)
	}
	return w.call(&c, true)
}

// call replays a call: all lines that it needs are there, and it writes over none of them that no permit allows.
func (w *lineChecker) call(c *Call, whole bool) bool {
	o := &w.g.Operators[c.Operator]
	w.now = c.Operator
	reader := "operator " + o.Name
	if !whole {
		reader += " in strip " + itoa(c.Strip)
	}
	var reads, writes []span
	spanOf := func(p Piece) span {
		line := w.g.Values[p.Value].line()
		return span{p.Value, p.Offset, p.Offset + int64(p.End-p.First)*line, p.Offset - int64(p.First)*line}
	}
	for i, x := range o.Operands {
		v := &w.g.Values[x]
		if !v.planned() || slices.Contains(o.Operands[:i], x) {
			continue
		}
		r := o.read(x)
		piece := Piece{x, 0, max(v.Lines, 1), w.p.Offsets[x]}
		if !whole && r != nil {
			if piece.First, piece.End = r.lines(c.Makes[0].First, c.Makes[0].End, v.Lines); piece.First == piece.End {
				continue
			}
			n := slices.IndexFunc(c.Reads, func(p Piece) bool { return p.Value == x })
			if n < 0 || c.Reads[n].First > piece.First || c.Reads[n].End < piece.End {
				w.say(RuleStrips, c.Operator, x, -1, reader+" needs lines "+itoa(piece.First)+" to "+itoa(piece.End)+" of value "+
					v.Name+", which the plan does not give it")
				continue
			}
			piece = c.Reads[n]
		}
		s := spanOf(piece)
		w.find(x, piece.First, piece.End, s.base, reader)
		reads = append(reads, s)
	}
	if o.Scratch > 0 {
		if !w.sound("the scratch of operator "+o.Name, -1, c.Scratch, o.Scratch, o.ScratchAlignment) {
			return false
		}
		writes = append(writes, span{-1, c.Scratch, c.Scratch + o.Scratch, 0})
	}
	for _, m := range c.Makes {
		v := &w.g.Values[m.Value]
		if !v.planned() {
			continue
		}
		s, alignment := spanOf(m), v.Alignment
		if !whole && w.p.Offsets[m.Value] >= 0 {
			alignment = 0 // it is a part of a value that lies as a whole
			if s.base != w.p.Offsets[m.Value] {
				w.say(RuleStrips, c.Operator, m.Value, -1, reader+" makes lines of value "+v.Name+" at the offset "+
					strconv.FormatInt(m.Offset, 10)+", not within it")
			}
			if v.Alignment > 1 && s.base%v.Alignment != 0 {
				w.say(model.RuleAlignment, c.Operator, m.Value, -1, "value "+v.Name+" is not aligned to "+
					strconv.FormatInt(v.Alignment, 10))
			}
			w.fixed(m.Value)
		}
		if !w.sound("value "+v.Name, m.Value, m.Offset, s.to-s.from, alignment) {
			return false
		}
		writes = append(writes, s)
	}
	for i, y := range writes {
		for _, z := range append(reads, writes[:i]...) {
			switch {
			case y.to <= z.from || z.to <= y.from:
			case w.allowed(o, y, z):
				if whole {
					w.r.Overlaps = append(w.r.Overlaps,
						Overlap{c.Operator, y.value, z.value, z.base - y.base, min(y.to, z.to) - max(y.from, z.from)})
				}
			default:
				w.say(model.RuleOverlap, c.Operator, y.value, z.value, reader+" writes bytes ["+strconv.FormatInt(y.from, 10)+
					", "+strconv.FormatInt(y.to, 10)+") over ["+strconv.FormatInt(z.from, 10)+", "+strconv.FormatInt(z.to, 10)+
					"), which it reads or makes itself")
			}
		}
	}
	for _, y := range writes {
		w.clear(y.from, y.to)
	}
	for _, m := range c.Makes {
		if w.g.Values[m.Value].planned() {
			w.write(m.Value, m.First, m.End, spanOf(m).base)
		}
	}
	return true
}

// allowed reports whether a permit lets result y lie over operand x.
func (w *lineChecker) allowed(o *Operator, y, x span) bool {
	return slices.ContainsFunc(o.Permits, func(q Permit) bool {
		d := x.base - y.base
		return q.Result == y.value && q.Operand == x.value && (d == q.Distance || d > q.Distance && !q.Exactly)
	})
}

// run replays a chain.
func (w *lineChecker) run(x *Chain, ran []bool) bool {
	called := map[int]int64{}
	for place := x.First; place <= x.Last; place++ {
		k := w.p.Order[place]
		if !w.after(k, ran) {
			return false
		}
		if len(w.g.Operators[k].Reads) == 0 {
			w.say(RuleStrips, k, -1, -1, "operator "+w.g.Operators[k].Name+" is in a chain, and says of no operand which lines "+
				"it reads")
			return false
		}
	}
	for n := range x.Calls {
		c := &x.Calls[n]
		o := &w.g.Operators[c.Operator]
		made := slices.Clone(o.Results)
		for _, m := range c.Makes {
			if at := slices.Index(made, m.Value); at >= 0 && m.First == c.Makes[0].First && m.End == c.Makes[0].End {
				made = slices.Delete(made, at, at+1)
			} else {
				made = append(made, m.Value)
			}
		}
		if len(made) > 0 {
			w.say(RuleStrips, c.Operator, made[0], -1, "operator "+o.Name+" in strip "+itoa(c.Strip)+
				" must make the same lines of each of its results")
			return false
		}
		called[c.Operator] += int64(c.Makes[0].End - c.Makes[0].First)
		if !w.call(c, false) {
			return false
		}
	}
	work := int64(0)
	for place := x.First; place <= x.Last; place++ {
		k := w.p.Order[place]
		lines := int64(w.g.Values[w.g.Operators[k].Results[0]].Lines)
		work += scaled(w.g.work(k), max(called[k]-lines, 0), lines)
		ran[k] = true
	}
	if work != x.Work {
		w.say(RuleStrips, -1, -1, -1, "the plan says that a chain adds the work "+strconv.FormatInt(x.Work, 10)+", it adds "+
			strconv.FormatInt(work, 10))
	}
	return true
}
