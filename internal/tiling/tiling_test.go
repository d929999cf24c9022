package tiling_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/tiling"
)

// spans are those of a read, in rows and in columns.
type spans = [tiling.Axes][]tiling.Span

// window returns the lines of an image that a window reads for each line of the result.
func window(image, result, filter, stride, before int) (out []tiling.Span) {
	for j := range result {
		at := j*stride - before
		out = append(out, tiling.Span{First: max(at, 0), Last: min(at+filter-1, image-1)})
	}
	return out
}

// image is a value of rows × columns bytes.
func image(rows, columns, first, last int) tiling.Value {
	return tiling.Value{
		Size: int64(rows * columns), First: first, Last: last,
		Extent: [tiling.Axes]int{rows, columns}, Line: [tiling.Axes]int64{int64(columns), int64(rows)},
	}
}

// TestByHand has two convolutions of 3 × 3 and a pool of 2 × 2 over 8 rows of 10 bytes.
//
//	input 80, first 80, second 80, pooled 20
//
// Alone, the second convolution needs 160. In one chain the input and the pooled image are whole, 100 bytes; of
// the first convolution 3 rows are kept, of the second 2: 150. Columns are 8 bytes: 100 + 24 + 16 = 140. A chain of
// the first two has 80 + 24 + 80, and one of the last two 80 + 16 + 20 = 116, but then the first has 160 by itself.
func TestByHand(t *testing.T) {
	three := spans{window(8, 8, 3, 1, 1), window(10, 10, 3, 1, 1)}
	p := &tiling.Program{
		Values: []tiling.Value{image(8, 10, 0, 0), image(8, 10, 0, 1), image(8, 10, 1, 2), image(4, 5, 2, 2)},
		Operators: []tiling.Operator{
			{Results: []int{1}, Reads: []tiling.Read{{0, three}}},
			{Results: []int{2}, Reads: []tiling.Read{{1, three}}},
			{Results: []int{3}, Reads: []tiling.Read{{2, spans{window(8, 4, 2, 2, 0), window(10, 5, 2, 2, 0)}}}},
		},
	}
	p.Values[0].Whole, p.Values[3].Whole = true, true
	got := tiling.Best(p, 0)
	want := tiling.Result{
		Given: 160, Peak: 140, Chains: []tiling.Chain{{First: 0, Last: 2, Axis: tiling.Columns, Kept: 40, Whole: 160}},
		Steps: got.Steps, Proven: true,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for k := range p.Operators {
		p.Operators[k].Reads[0].Spans[tiling.Columns] = nil
	}
	if got := tiling.Best(p, 0); got.Peak != 150 || got.Chains[0].Kept != 50 || got.Chains[0].Axis != tiling.Rows {
		t.Errorf("%+v, want 3 rows and 2 rows above 100", got)
	}
	p.Operators[1].Reads[0].Spans[tiling.Rows] = nil // reads all of it at any time
	if got := tiling.Best(p, 0); got.Peak != 160 || got.Chains != nil {
		t.Errorf("%+v, want no chain over an operator that does not run line by line", got)
	}
}

// TestResidual adds the operand of two convolutions to their result: of the operand more rows are kept, because
// the sum lags behind by two.
//
//	0 pre: 8 × 10 → x    1: x → y    2: y → z    3: x + z → sum, which is whole
//
// A row of x has 40 bytes, all others have 10. When row j of the sum is computed, the first convolution has read up
// to row j + 2 of x, so 3 rows are kept: 120. Of y 3 are kept, of z 1.
func TestResidual(t *testing.T) {
	three, same := window(8, 8, 3, 1, 1), window(8, 8, 1, 1, 0)
	p := &tiling.Program{
		Values: []tiling.Value{
			image(8, 10, 0, 0), image(8, 10, 0, 3), image(8, 10, 1, 2), image(8, 10, 2, 3), image(8, 10, 3, 3),
		},
		Operators: []tiling.Operator{
			{Results: []int{1}, Reads: []tiling.Read{{0, spans{same}}}},
			{Results: []int{2}, Reads: []tiling.Read{{1, spans{three}}}},
			{Results: []int{3}, Reads: []tiling.Read{{2, spans{three}}}},
			{Results: []int{4}, Reads: []tiling.Read{{1, spans{same}}, {3, spans{same}}}},
		},
	}
	p.Values[0].Whole, p.Values[4].Whole = true, true
	p.Values[1].Size, p.Values[1].Line[tiling.Rows] = 320, 40
	if got := tiling.Best(p, 0); got.Given != 480 || got.Peak != 160+120+30+10 {
		t.Errorf("%+v, want 480 without and 320 with a chain of all", got)
	}
}

// TestBruteForce compares with all choices of chains, whose rings are counted from the list of events.
func TestBruteForce(t *testing.T) {
	better, chains, columns, forks := 0, 0, 0, 0
	seeds := uint64(3000)
	if testing.Short() {
		seeds = 600
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 23))
		p := drawn(r)
		got := tiling.Best(p, 0)
		want, fewest := brute(p)
		if got.Peak != want || !got.Proven {
			t.Fatalf("seed %d: peak %d (proven: %v), all choices %d: %+v", seed, got.Peak, got.Proven, want, p)
		}
		inChains, peak := 0, int64(0)
		alone := slices.Repeat([]bool{true}, len(p.Operators))
		for _, c := range got.Chains {
			inChains += c.Last - c.First + 1
			cost, kept := literal(p, c.First, c.Last, c.Axis)
			if peak = max(peak, cost); kept != c.Kept {
				t.Fatalf("seed %d: chain %+v keeps %d bytes", seed, c, kept)
			}
			for k := c.First; k <= c.Last; k++ {
				alone[k] = false
			}
			if c.Axis == tiling.Columns {
				columns++
			}
		}
		for k := range p.Operators {
			if alone[k] {
				peak = max(peak, during(p, k))
			}
		}
		if peak != got.Peak || inChains != fewest && got.Peak < got.Given {
			t.Fatalf("seed %d: the chains have the peak %d, not %d, with %d operators, %d would do",
				seed, peak, got.Peak, inChains, fewest)
		}
		if got.Peak < got.Given {
			better++
		}
		chains = max(chains, len(got.Chains))
		for v := range p.Values {
			if readers(p, v) > 1 {
				forks++
			}
		}
		// With any limit the answer is one that can be had.
		for steps := 1; steps < got.Steps; steps *= 3 {
			less := tiling.Best(p, steps)
			if less.Peak < want || less.Peak > got.Given || less.Steps > steps || less.Proven && less.Peak != want {
				t.Fatalf("seed %d: %d steps: %+v, all choices %d", seed, steps, less, want)
			}
		}
	}
	if n := int(seeds); better < n/3 || chains < 2 || columns < n/30 || forks < n/3 {
		t.Errorf("%d of %d gain by chains, up to %d chains, %d in columns, %d values with several readers",
			better, n, chains, columns, forks)
	}
}

func readers(p *tiling.Program, v int) (n int) {
	for k := range p.Operators {
		for _, r := range p.Operators[k].Reads {
			if r.Value == v {
				n++
			}
		}
	}
	return n
}

// drawn returns a net of up to eight operators: windows, additions, broadcasts, and a few that cannot be tiled.
func drawn(r *rand.Rand) *tiling.Program {
	p := &tiling.Program{Alignment: []int64{0, 1, 4, 16}[r.IntN(4)]}
	p.Values = append(p.Values, image(2+r.IntN(7), 2+r.IntN(7), 0, 0))
	p.Values[0].Whole = true
	for k := range 2 + r.IntN(7) {
		o := tiling.Operator{Scratch: int64(r.IntN(2) * r.IntN(20))}
		x := max(0, len(p.Values)-1-r.IntN(3)*r.IntN(2))
		in := p.Values[x]
		var extent [tiling.Axes]int
		var all spans
		for a, n := range in.Extent {
			filter, stride := 1+r.IntN(3), 1+r.IntN(2)
			before := r.IntN(filter)
			extent[a] = max(1, (n+stride-1)/stride)
			all[a] = window(n, extent[a], filter, stride, before)
			if r.IntN(12) == 0 { // backwards
				slices.Reverse(all[a])
			}
			if r.IntN(10) == 0 { // nothing is read
				all[a][r.IntN(len(all[a]))] = tiling.Span{First: 0, Last: -1}
			}
		}
		o.Reads = append(o.Reads, tiling.Read{Value: x, Spans: all})
		for y := range p.Values { // another operand of the same extent, or one that is read in each line
			if y != x && r.IntN(4) == 0 {
				var more spans
				for a := range more {
					for j := range extent[a] {
						more[a] = append(more[a], tiling.Span{First: 0, Last: p.Values[y].Extent[a] - 1})
						if p.Values[y].Extent[a] == extent[a] {
							more[a][j] = tiling.Span{First: j, Last: j}
						}
					}
				}
				o.Reads = append(o.Reads, tiling.Read{Value: y, Spans: more})
			}
		}
		if r.IntN(8) == 0 { // not line by line
			o.Reads[0].Spans[r.IntN(2)] = nil
		}
		for range 1 + r.IntN(8)/7 {
			o.Results = append(o.Results, len(p.Values))
			y := image(extent[0], extent[1], k, k)
			y.Size = y.Size * int64(1+r.IntN(3))
			for a := range y.Line {
				y.Line[a] = y.Size / int64(extent[a])
			}
			y.Whole = r.IntN(12) == 0
			p.Values = append(p.Values, y)
		}
		for _, q := range o.Reads {
			p.Values[q.Value].Last = k
		}
		if r.IntN(5) == 0 {
			o.During = 1 + int64(r.IntN(200))
		}
		p.Operators = append(p.Operators, o)
	}
	p.Values[len(p.Values)-1].Whole = true
	return p
}

func during(p *tiling.Program, k int) int64 {
	if d := p.Operators[k].During; d > 0 {
		return d
	}
	sum := p.Operators[k].Scratch
	for _, x := range p.Values {
		if x.First <= k && k <= x.Last {
			sum += x.Size
		}
	}
	return sum
}

// brute goes through all choices of chains. It returns the lowest peak, and the fewest operators in chains that have
// it.
func brute(p *tiling.Program) (peak int64, fewest int) {
	type choice struct {
		peak  int64
		count int
	}
	better := func(a, b choice) bool { return a.peak < b.peak || a.peak == b.peak && a.count < b.count }
	var from func(k int, c choice) choice
	from = func(k int, c choice) choice {
		if k == len(p.Operators) {
			return c
		}
		best := from(k+1, choice{max(c.peak, during(p, k)), c.count})
		for a := range tiling.Axes {
			for b := k; b < len(p.Operators) && runs(p, b, a); b++ {
				if b == k {
					continue
				}
				cost, _ := literal(p, k, b, a)
				if x := from(b+1, choice{max(c.peak, cost), c.count + b + 1 - k}); better(x, best) {
					best = x
				}
			}
		}
		return best
	}
	c := from(0, choice{})
	return c.peak, c.count
}

// runs reports whether an operator runs line by line.
func runs(p *tiling.Program, k int, a tiling.Axis) bool {
	return !slices.ContainsFunc(p.Operators[k].Reads, func(r tiling.Read) bool { return r.Spans[a] == nil })
}

// event is a line that is computed.
type event struct{ operator, line int }

// literal lists the lines of a chain in the order of their computation. From the list it counts the lines to keep at
// each moment: those computed and still to be read, and all lines between them.
func literal(p *tiling.Program, from, to int, a tiling.Axis) (cost, kept int64) {
	maker := map[int]int{}
	for k := from; k <= to; k++ {
		for _, y := range p.Operators[k].Results {
			maker[y] = k
		}
	}
	interior := func(v int) bool { _, ok := maker[v]; return ok && !p.Values[v].Whole && p.Values[v].Last <= to }
	lines := func(k int) int { return p.Values[p.Operators[k].Results[0]].Extent[a] }
	var events []event
	computed := map[event]bool{}
	var compute func(e event)
	compute = func(e event) {
		if computed[e] {
			return
		}
		if e.line > 0 {
			compute(event{e.operator, e.line - 1})
		}
		for _, r := range p.Operators[e.operator].Reads {
			if m, ok := maker[r.Value]; ok {
				for j := r.Spans[a][e.line].First; j <= r.Spans[a][e.line].Last; j++ {
					compute(event{m, j})
				}
			}
		}
		computed[e] = true
		events = append(events, e)
	}
	var ends []event // all lines that are needed elsewhere
	for k := from; k <= to; k++ {
		end := false
		for _, y := range p.Operators[k].Results {
			end = end || !interior(y) || readers(p, y) == 0
		}
		for j := 0; end && j < lines(k); j++ {
			ends = append(ends, event{k, j})
		}
	}
	for len(ends) > 0 { // the one that is least far
		least := 0
		far := func(e event) int {
			n := 0
			for computed[event{e.operator, n}] {
				n++
			}
			return n * 5040 / lines(e.operator)
		}
		for i := range ends {
			if far(ends[i]) < far(ends[least]) {
				least = i
			}
		}
		compute(ends[least])
		ends = slices.Delete(ends, least, least+1)
	}
	for k := from; k <= to; k++ { // lines that nobody reads
		for j := range lines(k) {
			compute(event{k, j})
		}
	}
	scratch := int64(0)
	for k := from; k <= to; k++ {
		scratch = max(scratch, p.Operators[k].Scratch)
	}
	for v, x := range p.Values {
		switch {
		case interior(v):
			most := 1
			for now, e := range events {
				if e.operator != maker[v] {
					continue
				}
				lowest := e.line
				for _, later := range events[now:] {
					for _, r := range p.Operators[later.operator].Reads {
						if s := r.Spans[a][later.line]; r.Value == v && s.First <= s.Last {
							lowest = min(lowest, s.First)
						}
					}
				}
				most = max(most, e.line-lowest+1)
			}
			unit := max(p.Alignment, 1)
			kept += min(x.Size, (int64(most)*x.Line[a]+unit-1)/unit*unit)
		case x.First <= to && from <= x.Last:
			cost += x.Size
		}
	}
	return cost + kept + scratch, kept
}

func ExampleBest() {
	p := &tiling.Program{
		Values: []tiling.Value{image(64, 64, 0, 0), image(64, 64, 0, 1), image(32, 32, 1, 1)},
		Operators: []tiling.Operator{
			{Results: []int{1}, Reads: []tiling.Read{{Value: 0, Spans: spans{window(64, 64, 3, 1, 1)}}}},
			{Results: []int{2}, Reads: []tiling.Read{{Value: 1, Spans: spans{window(64, 32, 2, 2, 0)}}}},
		},
	}
	p.Values[2].Whole = true
	r := tiling.Best(p, 0)
	fmt.Println(r.Given, "alone,", r.Peak, "in strips of", r.Chains[0].Axis)
	// Output: 8192 alone, 5248 in strips of rows
}
