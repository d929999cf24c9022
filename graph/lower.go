package graph

import (
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
)

// Idea: a graph with an order becomes a plain problem: a buffer for each value, with its lifespan, and one for each
// scratch. A permit becomes a stretch of time of its own, in which the two values of the pair have windows. The
// windows forbid exactly what the permit forbids.
//
// Take a result y and an operand x that dies, and let d = offset(x) - offset(y). Without permits the two are apart:
// the open range -size(x) < d < size(y) is forbidden. With the distance D only -size(x) < d < D is forbidden. An
// exact distance is taken out of the range, which splits the range in two. Two windows [a, b) of x and [c, e) of y
// meet if and only if c - b < d < e - a. So each forbidden range, Above < d < Below, is one tick with the windows
//
//	x has [a, b)   y has [Above + b, Below + a)
//
// a and b may be chosen freely, as long as both windows lie in their values. results, that have such a permit:
//
//	first   all but Y, in full: X meets the scratch and the other results
//	pairs   for each x of X and y of Y, a tick for each forbidden range of the pair:
//	        x and y have windows, or all their bytes if no permit is for the pair;
//	        the rest of X and Y has a gap, and all others are there in full
//	last    all but X, in full: Y meets all others
//
// Any other operator takes one tick, and there is one before the first operator for the inputs.
//
// Theorem: offsets are a plan of the problem if and only if they are one of the graph. Proof: take two values that
// take memory at once. If they are x of X and y of Y of one operator, they share the ticks of their pair and no
// others, because x has ended before the last tick and y begins after the first. These ticks forbid exactly what the
// permits forbid. In any other case there is a tick that has both in full, and no tick can demand more:
//
//	both in the same X          the last tick of the operator, or of the inputs, with which the later one began
//	both in the same Y          the last tick of the operator
//	one in X, the other not Y   the first tick, or the tick in which the other began together with x
//	one in Y, the other not X   the last tick
//	otherwise                   any tick of the operator at which they met
//
// So all permits of a graph are lowered together, without a choice among them. Dropping a permit only forbids more,
// so it is always safe.
//
// Two things make the problem easier. All offsets are multiples of the alignments, so D is rounded up to a multiple
// of the divisor that both alignments have; a range without such a multiple has no tick. a and b are multiples of the
// largest number that divides all sizes and distances, because bounds profit from it.
// Trials: docs/lab/graph.md (one buffer for a pair of equal size forbids placing the result over the other operand).
//
// Complexity: O(operands + results + permits) for an operator without permits that count;
// O(|X|·|Y|) ticks otherwise, and as many gaps.
//
// Source: overlaps at a distance are from Blacker et al., "Diagonal Memory Optimisation", arXiv
// 2010.01668. That a gap with a window says the same is ours.

// A Lowering is a graph in a given order, as a problem.
type Lowering struct {
	// Problem has a buffer for each value that takes memory, in their order, then one for each scratch, in the order of
	// the operators. The buffers do not depend on the order; their lifespans do.
	Problem *model.Problem
	// Value has the buffer of each value, as an index into Problem.Buffers; -1 for none.
	Value []int
	// Scratch has the buffer of each operator's scratch; -1 for none.
	Scratch []int
	// Start has the first tick of each operator, and End the tick after its last.
	Start, End []int64
}

// Lower turns a graph, run in the given order, into a problem. Offsets are a plan of it if and
// only if they are one of the graph. permits says which permits count. The error is a
// *model.InputError: the faults of the graph, or of an order in which it cannot run.
func Lower(g *Graph, order []int, permits Permits) (*Lowering, error) {
	if err := Validate(g); err != nil {
		return nil, err
	}
	if err := checkOrder(g, order); err != nil {
		return nil, err
	}
	return lower(g, order, permits), nil
}

// A pair is a result and an operand that may overlap.
type pair struct {
	result, operand int
	least           int64   // the least distance from which on all are permitted
	exactly         []int64 // others that are, ascending
}

// A piece is one range of distances that is forbidden to a pair, as what the two have in use.
type piece struct{ x, y model.Window }

type lowerer struct {
	g       *Graph
	permits Permits
	unit    int64 // divides all sizes and distances
	last    []int // the place in the order at which a value is read last; after the end for outputs
	l       *Lowering
	now     int64
	pairs   []pair // of the operator being lowered
	xs, ys  []int  // its operands and results that are in pairs
}

// lower is Lower for a valid graph and order.
func lower(g *Graph, order []int, permits Permits) *Lowering {
	w := lowerer{g: g, permits: permits, unit: unitOf(g), last: lastReads(g, order)}
	w.buffers()
	for _, v := range g.Inputs {
		if i := w.l.Value[v]; i >= 0 {
			w.l.Problem.Buffers[i].Upper, w.now = 1, 1
		}
	}
	for place, k := range order {
		w.operator(place, k)
	}
	end := max(w.now, 1)
	for v, at := range w.last {
		if i := w.l.Value[v]; i >= 0 && at == len(order) {
			w.l.Problem.Buffers[i].Upper = end
		}
	}
	return w.l
}

// buffers makes the buffers, without lifespans.
func (w *lowerer) buffers() {
	g := w.g
	w.l = &Lowering{
		Problem: &model.Problem{Name: g.Name}, Value: make([]int, len(g.Values)), Scratch: make([]int, len(g.Operators)),
		Start: make([]int64, len(g.Operators)), End: make([]int64, len(g.Operators)),
	}
	p, taken := w.l.Problem, make(map[string]bool, len(g.Values))
	for i := range g.Values {
		v := &g.Values[i]
		if w.l.Value[i] = -1; v.planned() {
			w.l.Value[i] = len(p.Buffers)
			p.Buffers = append(p.Buffers, model.Buffer{ID: v.Name, Size: v.Size, Alignment: max(v.Alignment, 1), Fixed: v.Fixed})
			taken[v.Name] = true
		}
	}
	for k := range g.Operators {
		o := &g.Operators[k]
		if w.l.Scratch[k] = -1; o.Scratch > 0 {
			id := o.Name + ".scratch"
			for n := 2; taken[id]; n++ {
				id = o.Name + ".scratch" + strconv.Itoa(n)
			}
			taken[id] = true
			w.l.Scratch[k] = len(p.Buffers)
			p.Buffers = append(p.Buffers, model.Buffer{ID: id, Size: o.Scratch, Alignment: max(o.ScratchAlignment, 1)})
		}
	}
}

// operator gives the operator at a place of the order its ticks.
func (w *lowerer) operator(place, k int) {
	o := &w.g.Operators[k]
	w.findPairs(o, place)
	from := w.now
	w.l.Start[k] = from
	others := w.l.Scratch[k] >= 0
	for _, y := range o.Results {
		if i := w.l.Value[y]; i >= 0 {
			w.l.Problem.Buffers[i].Lower = from
			others = others || w.index(w.ys, y) < 0
		}
	}
	if others && len(w.pairs) > 0 {
		w.now++ // the first tick
	}
	for _, x := range w.xs {
		w.buffer(x).Upper = w.now
	}
	for _, y := range w.ys {
		w.buffer(y).Lower = -1
	}
	for _, x := range w.xs {
		for _, y := range w.ys {
			for _, f := range w.forbidden(x, y) {
				w.meet(w.buffer(x), w.buffer(y), f)
				w.now++
			}
		}
	}
	for _, y := range w.ys {
		b := w.buffer(y)
		if b.Lower < 0 {
			b.Lower = w.now
		} else if from := b.Gaps[len(b.Gaps)-1].Upper; from < w.now {
			b.Gaps = append(b.Gaps, model.Gap{Lower: from, Upper: w.now})
		}
	}
	w.now++ // the last tick
	w.l.End[k] = w.now
	if s := w.l.Scratch[k]; s >= 0 {
		b := &w.l.Problem.Buffers[s]
		b.Lower, b.Upper = from, w.now
	}
	for _, list := range [][]int{o.Operands, o.Results} {
		for _, v := range list {
			if w.last[v] <= place && w.l.Value[v] >= 0 && w.index(w.xs, v) < 0 {
				w.buffer(v).Upper = w.now
			}
		}
	}
}

func (w *lowerer) buffer(v int) *model.Buffer { return &w.l.Problem.Buffers[w.l.Value[v]] }

// meet gives the two buffers of a pair their windows in the tick that is now.
func (w *lowerer) meet(x, y *model.Buffer, f piece) {
	if x.Upper < w.now {
		x.Gaps = append(x.Gaps, model.Gap{Lower: x.Upper, Upper: w.now})
	}
	if y.Lower < 0 {
		y.Lower = w.now
	} else if from := y.Gaps[len(y.Gaps)-1].Upper; from < w.now {
		y.Gaps = append(y.Gaps, model.Gap{Lower: from, Upper: w.now})
	}
	x.Gaps = append(x.Gaps, model.Gap{Lower: w.now, Upper: w.now + 1, Window: &f.x})
	y.Gaps = append(y.Gaps, model.Gap{Lower: w.now, Upper: w.now + 1, Window: &f.y})
	x.Upper = w.now + 1
}

// findPairs fills in pairs, xs and ys for an operator at a place of the order.
func (w *lowerer) findPairs(o *Operator, place int) {
	w.pairs, w.xs, w.ys = w.pairs[:0], w.xs[:0], w.ys[:0]
	for _, p := range o.Permits {
		x, y := &w.g.Values[p.Operand], &w.g.Values[p.Result]
		if !w.permits.count(p) || !x.planned() || !y.planned() || w.last[p.Operand] != place {
			continue
		}
		least := up(p.Distance, common(x.Alignment, y.Alignment))
		if least >= y.Size || p.Exactly && (least <= -x.Size || least > p.Distance) {
			continue
		}
		at := 0
		for at < len(w.pairs) && (w.pairs[at].operand != p.Operand || w.pairs[at].result != p.Result) {
			at++
		}
		if at == len(w.pairs) {
			w.pairs = append(w.pairs, pair{p.Result, p.Operand, y.Size, nil})
		}
		if q := &w.pairs[at]; !p.Exactly {
			q.least = min(q.least, least)
		} else if n, there := slices.BinarySearch(q.exactly, least); !there {
			q.exactly = slices.Insert(q.exactly, n, least)
		}
		if w.index(w.xs, p.Operand) < 0 {
			w.xs = append(w.xs, p.Operand)
		}
		if w.index(w.ys, p.Result) < 0 {
			w.ys = append(w.ys, p.Result)
		}
	}
}

func (w *lowerer) index(list []int, v int) int {
	for k, u := range list {
		if u == v {
			return k
		}
	}
	return -1
}

// forbidden returns the windows that forbid operand x and result y what is not permitted.
func (w *lowerer) forbidden(x, y int) (out []piece) {
	sx, sy := w.g.Values[x].Size, w.g.Values[y].Size
	p := pair{result: y, operand: x, least: sy}
	for _, q := range w.pairs {
		if q.result == y && q.operand == x {
			p = q
		}
	}
	step := common(w.g.Values[x].Alignment, w.g.Values[y].Alignment)
	unit := w.window(step)
	above := -sx
	for _, below := range append(slices.Clone(p.exactly), p.least) {
		if below = min(below, p.least); up(above+1, step) < below { // there is a multiple of step between
			// The first window of the two is a unit long, if it may be.
			var a, b int64
			if above == -sx {
				a, b = max(0, min(unit, sx-1+below, sy)-below), sx
			} else {
				long := max(min(unit, sx, below-above-1), below-above-sy)
				a = max(0, -above-long)
				b = a + long
			}
			out = append(out, piece{model.Window{Lower: a, Upper: b}, model.Window{Lower: above + b, Upper: below + a}})
		}
		above = below
	}
	return out
}

// window returns how many bytes a window best has whose size is free.
func (w *lowerer) window(step int64) int64 {
	if w.unit%step == 0 {
		return w.unit
	}
	return step
}

// unitOf returns the largest number that divides all sizes and distances.
func unitOf(g *Graph) (unit int64) {
	for i := range g.Values {
		if g.Values[i].planned() {
			unit = bound.GCD(unit, g.Values[i].Size)
		}
	}
	for k := range g.Operators {
		o := &g.Operators[k]
		unit = bound.GCD(unit, o.Scratch)
		for _, p := range o.Permits {
			step := common(g.Values[p.Operand].Alignment, g.Values[p.Result].Alignment)
			unit = bound.GCD(unit, up(p.Distance, step))
		}
	}
	return max(unit, 1)
}

// lastReads returns the place in the order at which each value is read last, or made if nobody
// reads it: -1 for an input that nobody reads, len(order) for outputs.
func lastReads(g *Graph, order []int) []int {
	last := make([]int, len(g.Values))
	for v := range last {
		last[v] = -1
	}
	for place, k := range order {
		o := &g.Operators[k]
		for _, list := range [][]int{o.Operands, o.Results} {
			for _, v := range list {
				last[v] = place
			}
		}
	}
	for _, v := range g.Outputs {
		last[v] = len(order)
	}
	return last
}

// common returns the largest number that divides two alignments.
func common(a, b int64) int64 { return bound.GCD(max(a, 1), max(b, 1)) }

// up returns the least multiple of step, at least 1, that is not below x.
func up(x, step int64) int64 {
	rest := x % step
	if rest > 0 {
		rest -= step
	}
	return x - rest
}
