package tflm

import (
	"math"
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/model"
)

// Idea: a body (bands.go) is one buffer of a plain problem. At each moment its window is from the first to the last
// byte that is in use, so that others may lie over rows that have died, and where rows are born later. All views lie at
// multiples of the runtime's alignment; other blocks are copied.
//
// A result may lie over bytes that die at its operator, at the distances of the kernels. As in a graph
// (graph/lower.go), such an operator has several ticks. Take a result y, the bytes [a, b) of an operand x that die, and
// the distance d = offset(x) - offset(y). Only -b < d < min(D, size(y) - a) is forbidden: further down, y is below all
// of [a, b).
//
//	first   all but y: what dies meets everything else
//	pairs   for each forbidden range, Above < d < Below: x has the window [c, e), y has [Above + e, Below + c), with any
//	        c and e for which both lie in their tensors
//	last    all but what dies: y meets everything else, and the rows of x that live on
//
// Invariant: in each tick the windows hold all bytes that are in use. So offsets without overlaps are a plan in which
// no byte is overwritten that is read later. CheckFor, which knows bands and no windows, checks each plan.
//
// Complexity: O(bytes in use, as bands) for each operator; a tick more for each permit.
//
// Source: Stowage.

// A rowProblem is an arena whose buffers are bodies.
type rowProblem struct {
	bodies  *bodies
	problem *model.Problem
	buffer  []int   // by buffer of the arena: that of the problem
	at      []int64 // by buffer of the arena: its first byte there
	time    []int64 // by tick: the time of the arena's problem
	least   []int64 // by tick: bytes in use, which no plan can avoid
	load    []int64 // by tick: bytes of the windows
}

// A part of a body that is in use: a span of ticks and a window.
type part struct{ lower, upper, from, to int64 }

// rowBuilder builds a rowProblem.
type rowBuilder struct {
	*rowProblem
	bands [][]band // by buffer of the problem
	parts [][]part // by buffer of the problem
	size  []int64  // by buffer of the problem
	loads bool     // nobody asks for the problem, and parts is not set
}

// rows returns the arena as a problem of bodies. A permit says that an operand may die while its operator runs; permits
// are in the order of the operators.
func rows(m *tflite.Model, l *tflite.Lifetimes, a *tflite.Arena, permits []permit) *rowProblem {
	r := rowsWithin(m, l, a, permits, 0, math.MaxInt64, false)
	if r == nil {
		return nil
	}
	r.finish()
	return r.rowProblem
}

// rowsWithin returns the ticks of the times [from, to) of the arena: all of them, or only their loads.
func rowsWithin(m *tflite.Model, l *tflite.Lifetimes, a *tflite.Arena, permits []permit, from, to int64, loads bool,
) *rowBuilder {
	b := bodiesOf(m, l, func(c selfCopy) bool { return c.at%tflite.Alignment == 0 })
	if b == nil {
		return nil
	}
	r := &rowBuilder{rowProblem: &rowProblem{bodies: b, problem: &model.Problem{Name: a.Problem.Name}}, loads: loads}
	r.buffers(a)
	end := int64(0)
	for k := range a.Problem.Buffers {
		end = max(end, a.Problem.Buffers[k].Upper)
	}
	alive := r.alive(from, min(end, to))
	operator := slices.Repeat([]int{-1}, int(end))
	for k := range m.Operators {
		operator[l.Operators[k].First+1] = k
	}
	inRows := make([]int, len(m.Tensors)) // by tensor: its buffer
	for k, t := range a.Tensor {
		if t >= 0 {
			inRows[t] = r.buffer[k]
		}
	}
	for t := from; t < min(end, to); t++ {
		var pairs []rowPair
		if k := operator[t]; k >= 0 && len(m.Operators[k].Outputs) == 1 {
			at, _ := slices.BinarySearchFunc(permits, k, func(q permit, k int) int { return q.operator - k })
			n := at
			for n < len(permits) && permits[n].operator == k {
				n++
			}
			if at < n {
				pairs = r.pairs(k, permits[at:n], inRows)
			}
		}
		r.tick(t, alive[t-from], pairs)
	}
	return r
}

// alive returns, for each of the times [from, to) of the arena, the buffers that are in use.
func (r *rowBuilder) alive(from, to int64) [][]int {
	if to <= from {
		return nil
	}
	type span struct{ from, to int64 }
	spans := make([]span, len(r.bands))
	count := make([]int, to-from+1) // by time: at first how many are in use, then where the list begins
	for k, of := range r.bands {
		first, last := of[0].first, of[0].last
		for _, x := range of {
			first, last = min(first, x.first), max(last, x.last)
		}
		spans[k] = span{max(int64(first)+1, from), min(int64(last)+2, to)}
		for t := spans[k].from; t < spans[k].to; t++ {
			count[t-from]++
		}
	}
	all := 0
	for t, n := range count {
		count[t], all = all, all+n
	}
	lists := make([]int, all)
	out := make([][]int, to-from)
	for t := range out {
		out[t] = lists[count[t]:count[t]:count[t+1]]
	}
	for k, x := range spans {
		for t := x.from; t < x.to; t++ {
			out[t-from] = append(out[t-from], k)
		}
	}
	return out
}

// peaks returns, for each time, the most bytes of the windows and the most bytes in use.
func (r *rowProblem) peaks() (load, least map[int64]int64) {
	load, least = map[int64]int64{}, map[int64]int64{}
	for k, t := range r.time {
		load[t], least[t] = max(load[t], r.load[k]), max(least[t], r.least[k])
	}
	return load, least
}

// buffers makes the buffers: bodies, other tensors, scratch.
func (r *rowBuilder) buffers(a *tflite.Arena) {
	b := r.bodies
	r.buffer, r.at = make([]int, len(a.Tensor)), make([]int64, len(a.Tensor))
	n := len(a.Tensor)
	at := make([]int, len(b.in)) // by tensor
	alone := make([]band, 0, n)
	r.bands, r.size, r.parts = make([][]band, 0, n), make([]int64, 0, n), make([][]part, n)
	if !r.loads {
		r.problem.Buffers = make([]model.Buffer, 0, n)
	}
	for k, t := range a.Tensor {
		x := &a.Problem.Buffers[k]
		switch {
		case t >= 0 && b.in[t] != t:
			continue
		case t >= 0 && b.bands[t] != nil:
			r.bands = append(r.bands, b.bands[t])
		default:
			alone = append(alone, band{0, x.Size, int32(x.Lower - 1), int32(x.Upper - 2)})
			r.bands = append(r.bands, alone[len(alone)-1:len(alone):len(alone)])
		}
		r.buffer[k] = len(r.size)
		if t >= 0 {
			at[t] = len(r.size)
		}
		if !r.loads {
			r.problem.Buffers = append(r.problem.Buffers, model.Buffer{ID: x.ID, Size: x.Size, Alignment: x.Alignment})
		}
		r.size = append(r.size, x.Size)
	}
	for k, t := range a.Tensor {
		if t >= 0 && b.in[t] != t {
			r.buffer[k], r.at[k] = at[b.in[t]], b.at[t]
		}
	}
	r.parts = r.parts[:len(r.size)]
}

// A rowPair is bytes of an operand that die under a result, and one range of distances that is forbidden to the two: as
// windows of their bodies, which have to be apart.
type rowPair struct {
	operand, result int   // buffers
	dead            []int // bands of the operand
	x, y            part  // the windows; empty if nothing is forbidden
}

// pairs returns the forbidden ranges of an operator's result and the bodies of its operands.
func (r *rowBuilder) pairs(operator int, permits []permit, buffer []int) (out []rowPair) {
	b := r.bodies
	o, now := &b.model.Operators[operator], b.life.Operators[operator].First
	y := int(o.Outputs[0])
	body := b.in[y]
	older := func(z band) bool { return z.first != now && r.within(z, y) }
	if b.bands[body] == nil || slices.ContainsFunc(b.bands[body], older) {
		return nil // it lies where its bytes are
	}
	permit := func(t int32) int {
		return slices.IndexFunc(permits, func(q permit) bool { return q.operand == int(t) && q.result == y })
	}
	for n, t := range o.Inputs {
		if t < 0 || slices.Contains(o.Inputs[:n], t) || permit(t) < 0 || b.in[t] == body {
			continue
		}
		x := b.in[t]
		var dead []int
		for k, z := range b.bands[x] {
			forced := func(u int32) bool { return u >= 0 && b.in[u] == x && r.within(z, int(u)) && permit(u) < 0 }
			if z.last == now && z.first < now && r.within(z, int(t)) && !slices.ContainsFunc(o.Inputs, forced) {
				dead = append(dead, k)
			}
		}
		if dead == nil {
			continue
		}
		q, found := &permits[permit(t)], len(out)
		from := down(b.bands[x][dead[0]].from - b.at[t])
		to := tflite.RoundUp(b.bands[x][dead[len(dead)-1]].to - b.at[t])
		add := func(above, below, c, e int64) { // for distances of the two tensors; [c, e) is the window of the operand
			if c = max(c, tflite.Alignment-below); above+tflite.Alignment < below {
				out = append(out, rowPair{
					buffer[x], buffer[body], dead,
					part{from: b.at[t] + c, to: b.at[t] + e},
					part{from: b.at[y] + above + e, to: b.at[y] + below + c},
				})
			}
		}
		apart := tflite.RoundUp(b.model.Tensors[y].Bytes) - from // from here on the result is below all that dies
		if q.equal {
			add(-to, 0, from, to)
			add(0, apart, from, from+tflite.Alignment)
		} else {
			add(-to, min(tflite.RoundUp(max(q.distance, -to)), apart), from, to)
		}
		if len(out) == found { // nothing is forbidden
			out = append(out, rowPair{buffer[x], buffer[body], dead, part{}, part{}})
		}
	}
	return out
}

// within reports whether a band of the body of a tensor has bytes of it: then it has no others.
func (r *rowBuilder) within(z band, t int) bool {
	at := r.bodies.at[t]
	return at <= z.from && z.to <= at+r.bodies.model.Tensors[t].Bytes
}

// down rounds down to a multiple of the runtime's alignment.
func down(n int64) int64 { return n - ((n%tflite.Alignment)+tflite.Alignment)%tflite.Alignment }

// tick adds the ticks of a time of the arena.
func (r *rowBuilder) tick(t int64, live []int, pairs []rowPair) {
	all := func(buffer, band int) bool { return true }
	if len(pairs) == 0 {
		r.all(t, live, all)
		return
	}
	now, y := int32(t-1), pairs[0].result
	r.all(t, live, func(k, x int) bool { return k != y || r.bands[k][x].first != now })
	apart := map[int]bool{y: true}
	for _, q := range pairs {
		apart[q.operand] = true
	}
	for _, q := range pairs {
		if q.x.from == q.x.to {
			continue
		}
		at := int64(len(r.time))
		r.add(q.operand, at, q.x.from, q.x.to)
		r.add(q.result, at, q.y.from, q.y.to)
		r.begin(t, q.x.to-q.x.from+q.y.to-q.y.from)
		for _, k := range live {
			if !apart[k] {
				r.window(k, now, at, all)
			}
		}
	}
	r.all(t, live, func(k, x int) bool {
		return !slices.ContainsFunc(pairs, func(q rowPair) bool { return q.operand == k && slices.Contains(q.dead, x) })
	})
}

// all adds a tick that has all bands that are in use and count.
func (r *rowBuilder) all(t int64, live []int, counts func(buffer, band int) bool) {
	at := int64(len(r.time))
	r.begin(t, 0)
	for _, k := range live {
		r.window(k, int32(t-1), at, counts)
	}
}

// begin begins a tick at a time of the arena, with some bytes in use.
func (r *rowBuilder) begin(t, used int64) {
	r.time, r.least, r.load = append(r.time, t), append(r.least, used), append(r.load, used)
}

// window adds the window of a buffer in the last tick.
func (r *rowBuilder) window(k int, now int32, at int64, counts func(buffer, band int) bool) {
	from, to := int64(-1), int64(0)
	for n, x := range r.bands[k] {
		if x.first <= now && now <= x.last && counts(k, n) {
			if from < 0 {
				from = x.from
			}
			to = x.to
			r.least[at] += x.to - x.from
		}
	}
	if from >= 0 {
		from, to = down(from), min(tflite.RoundUp(to), r.size[k])
		r.load[at] += to - from
		r.add(k, at, from, to)
	}
}

// add gives a buffer a window in a tick.
func (r *rowBuilder) add(k int, at, from, to int64) {
	if r.loads {
		return
	}
	p := r.parts[k]
	if n := len(p); n > 0 && p[n-1].upper == at && p[n-1].from == from && p[n-1].to == to {
		p[n-1].upper++
		return
	}
	r.parts[k] = append(p, part{at, at + 1, from, to})
}

// finish makes lifespans and gaps of the windows. Buffers without a window are left out.
func (r *rowBuilder) finish() {
	all := r.problem.Buffers
	r.problem.Buffers = all[:0]
	for k, p := range r.parts {
		if len(p) == 0 {
			continue
		}
		r.problem.Buffers = append(r.problem.Buffers, all[k])
		b := &r.problem.Buffers[len(r.problem.Buffers)-1]
		b.Lower, b.Upper = p[0].lower, p[len(p)-1].upper
		for n, x := range p {
			if n > 0 && p[n-1].upper < x.lower {
				b.Gaps = append(b.Gaps, model.Gap{Lower: p[n-1].upper, Upper: x.lower})
			}
			if x.from > 0 || x.to < b.Size {
				b.Gaps = append(b.Gaps, model.Gap{
					Lower: x.lower, Upper: x.upper, Window: &model.Window{Lower: x.from, Upper: x.to},
				})
			}
		}
	}
}
