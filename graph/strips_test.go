package graph_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// Idea: all sets of chains of small graphs are followed line by line by code of its own: which lines each call makes,
// and how many bytes are in use. The least of their loads is the bound of the plan, and nearly always no set has a
// lower plan. A memory of bytes replays the plans, right ones and damaged ones.

// linedGraph draws a graph of a few operators on values with lines: windows with strides, dilations and paddings,
// operators that make more lines, operators that list what they read, and two operands.
func linedGraph(r *rand.Rand, permits bool) *graph.Graph {
	g := &graph.Graph{}
	value := func(lines int) int {
		g.Values = append(g.Values, graph.Value{
			Name: "v" + strconv.Itoa(len(g.Values)), Size: int64(lines) * (1 + r.Int64N(4)), Lines: lines,
		})
		return len(g.Values) - 1
	}
	lines := func(v int) int { return g.Values[v].Lines }
	g.Inputs = []int{value(3 + r.IntN(6))}
	if r.IntN(3) == 0 {
		g.Values = append(g.Values, graph.Value{Name: "w", Size: 3, Constant: true})
	}
	now := 0
	for k := range 2 + r.IntN(4) {
		o := graph.Operator{Name: "o" + strconv.Itoa(k), Operands: []int{now}}
		read := graph.Read{Operand: now}
		n := lines(now)
		switch r.IntN(5) {
		case 0:
		case 1:
			read.Window, read.Padding = 3, 1
		case 2:
			read.Window, read.Stride = 1+r.IntN(3), 2
			if n = (n - max(read.Window-2, 0)) / 2; n < 2 {
				n, read.Window, read.Stride = lines(now), 0, 0
			}
		case 3:
			if n < 9 {
				read.Up, n = 2, 2*n
			}
		case 4:
			n = 2 + r.IntN(6)
			for range n {
				a := r.IntN(lines(now))
				read.Spans = append(read.Spans, [2]int{a, a + r.IntN(lines(now)-a+1)})
			}
		}
		o.Reads = []graph.Read{read}
		for v := range g.Values {
			if v != now && !g.Values[v].Constant && lines(v) == n && r.IntN(3) == 0 {
				o.Operands, o.Reads = append(o.Operands, v), append(o.Reads, graph.Read{Operand: v})
				break
			}
		}
		if r.IntN(4) == 0 {
			o.Scratch = r.Int64N(4)
		}
		if r.IntN(6) == 0 {
			o.Reads = nil // it runs as a whole
		}
		if g.Values[len(g.Values)-1].Constant && r.IntN(2) == 0 {
			o.Operands = append(o.Operands, len(g.Values)-1)
		}
		now = value(n)
		o.Results = []int{now}
		if permits && r.IntN(2) == 0 {
			o.Permits = []graph.Permit{{Result: now, Operand: o.Operands[0], Distance: r.Int64N(6) - 2, Exactly: r.IntN(4) == 0}}
		}
		g.Operators = append(g.Operators, o)
	}
	for v := range g.Values {
		read := slices.ContainsFunc(g.Operators, func(o graph.Operator) bool { return slices.Contains(o.Operands, v) })
		if !read && !g.Values[v].Constant {
			g.Outputs = append(g.Outputs, v)
		}
	}
	return g
}

// few are the numbers of strips of the brute force.
var few = []int{2, 3}

// A try is some chains of a graph in its order.
type try = []graph.ChainIn

// tries returns all sets of chains that share no operator.
func tries(g *graph.Graph) (out []try) {
	var grow func(next int, now try)
	grow = func(next int, now try) {
		if next == len(g.Operators) {
			out = append(out, slices.Clone(now))
			return
		}
		grow(next+1, now)
		for last := next; last < len(g.Operators); last++ {
			for _, n := range few {
				if c := (graph.ChainIn{First: next, Last: last, Strips: n}); possible(g, c) {
					grow(last+1, append(now, c))
				}
			}
		}
	}
	grow(0, nil)
	return out
}

// outside reports whether others than a chain need a value.
func outside(g *graph.Graph, c graph.ChainIn, v int) bool {
	for k, o := range g.Operators {
		if slices.Contains(o.Operands, v) && (k < c.First || k > c.Last) {
			return true
		}
	}
	return slices.Contains(g.Outputs, v)
}

// possible reports whether a chain may run in strips: it makes one value for others, with enough lines, and none of its
// operators reads that, or all lines of a value that it makes.
func possible(g *graph.Graph, c graph.ChainIn) bool {
	made := map[int]bool{}
	results := 0
	for _, o := range g.Operators[c.First : c.Last+1] {
		if o.Reads == nil {
			return false
		}
		for _, x := range o.Operands {
			lined := slices.ContainsFunc(o.Reads, func(r graph.Read) bool { return r.Operand == x })
			if made[x] && (outside(g, c, x) || !lined) {
				return false
			}
		}
		made[o.Results[0]] = true
		if outside(g, c, o.Results[0]) {
			if results++; g.Values[o.Results[0]].Lines < c.Strips {
				return false
			}
		}
	}
	return results == 1
}

// A want is which lines of a value are needed.
type want []bool

// spread returns the lines from the first to the last that are needed.
func (w want) spread() (first, end int) {
	first = slices.Index(w, true)
	for k, is := range w {
		if is {
			end = k + 1
		}
	}
	return max(first, 0), end
}

// reads marks the lines of an operand that a line of the results reads.
func reads(r *graph.Read, line int, w want) {
	if r.Spans != nil {
		for x := r.Spans[line][0]; x < r.Spans[line][1]; x++ {
			w[x] = true
		}
		return
	}
	up, stride, window := max(r.Up, 1), max(r.Stride, 1), max(r.Window, 1)
	for n := range window {
		at := line*stride - r.Padding + n
		for x := range w {
			if x*up <= at && at < (x+1)*up {
				w[x] = true
			}
		}
	}
}

// A step is a call: an operator for some lines of its result, in a strip of a chain; chain is -1 outside of chains.
type step struct{ operator, first, end, chain, strip int }

// steps returns the calls of a graph with chains in strips.
func steps(g *graph.Graph, chains try) (all []step) {
	for k := 0; k < len(g.Operators); k++ {
		at := slices.IndexFunc(chains, func(c graph.ChainIn) bool { return c.First == k })
		if at < 0 {
			all = append(all, step{k, 0, g.Values[g.Operators[k].Results[0]].Lines, -1, 0})
			continue
		}
		c, result := chains[at], -1
		for _, o := range g.Operators[c.First : c.Last+1] {
			if outside(g, c, o.Results[0]) {
				result = o.Results[0]
			}
		}
		n := g.Values[result].Lines
		for strip := range c.Strips {
			wanted := make([]want, len(g.Values))
			for v := range wanted {
				wanted[v] = make(want, g.Values[v].Lines)
			}
			for x := (n*strip + c.Strips/2) / c.Strips; x < (n*(strip+1)+c.Strips/2)/c.Strips; x++ {
				wanted[result][x] = true
			}
			var back []step
			for k := c.Last; k >= c.First; k-- {
				first, end := wanted[g.Operators[k].Results[0]].spread()
				if first == end {
					continue
				}
				for i := range g.Operators[k].Reads {
					r := &g.Operators[k].Reads[i]
					w := make(want, g.Values[r.Operand].Lines)
					for x := first; x < end; x++ {
						reads(r, x, w)
					}
					from, to := w.spread() // they are read in one piece
					for x := from; x < to; x++ {
						wanted[r.Operand][x] = true
					}
				}
				back = append(back, step{k, first, end, at, strip})
			}
			slices.Reverse(back)
			all = append(all, back...)
		}
		k = c.Last
	}
	return all
}

// firstOf returns the first line of a value that a step reads; -1 if it reads none, and 0 if it reads it whole.
func firstOf(g *graph.Graph, s step, v int) int {
	o := &g.Operators[s.operator]
	at := slices.IndexFunc(o.Reads, func(r graph.Read) bool { return r.Operand == v })
	switch {
	case !slices.Contains(o.Operands, v):
		return -1
	case at < 0 || s.chain < 0:
		return 0
	}
	w := make(want, g.Values[v].Lines)
	for x := s.first; x < s.end; x++ {
		reads(&o.Reads[at], x, w)
	}
	return slices.Index(w, true)
}

// load returns the most bytes in use while a set of chains runs, without permits, and the work that it adds: the bytes
// of lines that are made once more.
func load(g *graph.Graph, chains try) (most, work int64) {
	all := steps(g, chains)
	sums := make([]int64, len(all))
	made := make([]int, len(g.Operators))
	for t, s := range all {
		sums[t] += g.Operators[s.operator].Scratch
		made[s.operator] += s.end - s.first
	}
	for k, n := range made {
		x := &g.Values[g.Operators[k].Results[0]]
		work += x.Size / int64(x.Lines) * int64(max(n-x.Lines, 0))
	}
	for v := range g.Values {
		x := &g.Values[v]
		if x.Constant {
			continue
		}
		line, inside := x.Size/int64(x.Lines), false
		begin, last := -1, -1 // -1: before the first step
		makes := func(s step) bool { return g.Operators[s.operator].Results[0] == v }
		for t, s := range all {
			if makes(s) {
				begin, last = t, t
				break
			}
		}
		for t, s := range all {
			if makes(s) && s.chain >= 0 && !outside(g, chains[s.chain], v) { // a block of each strip
				inside = true
				until := t
				for n := t; n < len(all) && all[n].chain == s.chain && all[n].strip == s.strip; n++ {
					if firstOf(g, all[n], v) >= 0 {
						until = n
					}
				}
				for n := t; n <= until; n++ {
					sums[n] += line * int64(s.end-s.first)
				}
			} else if makes(s) || firstOf(g, s, v) >= 0 {
				last = t
			}
		}
		if inside {
			continue
		}
		output := slices.Contains(g.Outputs, v)
		if output {
			last = len(all) - 1
		}
		for t := max(begin, 0); t <= last; t++ {
			from, to, s := 0, x.Lines, all[t]
			if s.chain >= 0 && !output && all[last].chain == s.chain { // its lines die
				from = x.Lines
				for n, b := range all {
					if b.chain != s.chain {
						continue
					}
					o := &g.Operators[b.operator]
					if slices.Contains(o.Operands, v) &&
						!slices.ContainsFunc(o.Reads, func(r graph.Read) bool { return r.Operand == v }) {
						from = 0
					} else if first := firstOf(g, b, v); first >= 0 && n >= t {
						from = min(from, first)
					}
				}
				if !slices.ContainsFunc(all[:t], func(b step) bool { return b.chain == s.chain && firstOf(g, b, v) >= 0 }) {
					from = 0 // none has died yet
				}
			}
			if s.chain >= 0 && slices.ContainsFunc(all, func(b step) bool { return makes(b) && b.chain == s.chain }) { // are born
				to = 0
				for _, b := range all[:t+1] {
					if makes(b) {
						to = max(to, b.end)
					}
				}
			}
			sums[t] += line * int64(max(to-from, 0))
		}
	}
	return slices.Max(sums), work
}

// TestStripsBound compares the bound of plans in strips with the least load of all sets of chains, and their heights
// with those of all sets that add little enough.
func TestStripsBound(t *testing.T) {
	was := graph.StripCounts(few)
	t.Cleanup(func() { graph.StripCounts(was) })
	strips, equal, compared := 0, 0, 0
	for seed := range uint64(plantest.Share(3000, 300)) {
		r := rand.New(rand.NewPCG(seed, 43))
		g := linedGraph(r, false)
		o := graph.Options{Solve: stowage.Solve, Strips: true, MaxWork: float64(r.IntN(4)) / 4}
		o.Run.NodeLimit = 5_000
		p := must.Get(graph.Make(t.Context(), g, o))(t)
		if report := must.Get(graph.Verify(g, p))(t); !report.OK() {
			t.Fatalf("seed %d: %v", seed, report.Violations)
		}
		most := o.MaxWork * float64(g.Work())
		bound, height := int64(1<<40), int64(1<<40)
		for _, chains := range tries(g) {
			least, more := load(g, chains)
			if !slices.ContainsFunc(chains, func(c graph.ChainIn) bool {
				_, alone := load(g, try{c})
				return float64(alone) > most
			}) {
				bound = min(bound, least)
			}
			if float64(more) <= most && least < height {
				height = min(height, graph.HeightOf(t.Context(), g, chains, o))
			}
		}
		if p.LowerBound != min(bound, p.Height) {
			t.Errorf("seed %d: bound %d, want %d", seed, p.LowerBound, bound)
		}
		if p.Height < height {
			t.Errorf("seed %d: height %d, but no set is below %d", seed, p.Height, height)
		}
		compared++
		if p.Height == height {
			equal++
		}
		if p.Chains != nil {
			strips++
		}
	}
	t.Logf("%d of %d plans are as low as the lowest of all sets, %d have strips", equal, compared, strips)
	if strips*4 < compared || equal*100 < compared*97 {
		t.Errorf("%d of %d plans are as low as the lowest of all sets, %d have strips", equal, compared, strips)
	}
}

// TestStripsBoundOfFew looks at so few chains that the others have to be bounded: the bound is at most that of all
// chains, and in a quarter it is as high.
func TestStripsBoundOfFew(t *testing.T) {
	was := graph.StripCounts(few)
	most := graph.MostLooked(1 << 30)
	t.Cleanup(func() { graph.StripCounts(was); graph.MostLooked(most) })
	lower, of := 0, 0
	for seed := range uint64(plantest.Share(3000, 300)) {
		r := rand.New(rand.NewPCG(seed, 44))
		g := linedGraph(r, seed%2 == 0)
		o := graph.Options{Solve: stowage.Solve, Strips: true, MaxWork: float64(r.IntN(4)) / 4}
		o.Run.NodeLimit = 5_000
		graph.MostLooked(1 << 30)
		all := must.Get(graph.Make(t.Context(), g, o))(t)
		for n := range 4 {
			graph.MostLooked(n)
			p := must.Get(graph.Make(t.Context(), g, o))(t)
			if p.LowerBound > all.LowerBound {
				t.Errorf("seed %d, %d chains: bound %d, but %d of all chains", seed, n, p.LowerBound, all.LowerBound)
			}
			if p.LowerBound < 1 {
				t.Errorf("seed %d, %d chains: no bound", seed, n)
			}
			if of++; p.LowerBound < all.LowerBound {
				lower++
			}
		}
	}
	t.Logf("%d of %d bounds are those of all chains", of-lower, of)
	if lower*4 > of*3 {
		t.Errorf("%d of %d bounds are below those of all chains", lower, of)
	}
}

// TestStripsCapacity looks for the least work that fits.
func TestStripsCapacity(t *testing.T) {
	was := graph.StripCounts(few)
	t.Cleanup(func() { graph.StripCounts(was) })
	fit, equal := 0, 0
	for seed := range uint64(plantest.Share(2000, 200)) {
		g := linedGraph(rand.New(rand.NewPCG(seed, 44)), false)
		o := graph.Options{Solve: stowage.Solve}
		o.Run.NodeLimit = 5_000
		whole := must.Get(graph.Make(t.Context(), g, o))(t).Height
		o.Strips, o.MaxWork = true, 1
		least := must.Get(graph.Make(t.Context(), g, o))(t).Height
		if least == whole {
			continue
		}
		o.Run.Capacity = least + (whole-least)/2
		p := must.Get(graph.Make(t.Context(), g, o))(t)
		if !p.Status.HasPlan() || p.Height > o.Run.Capacity {
			t.Fatalf("seed %d: %s, height %d of %d, though %d is possible", seed, p.Status, p.Height, o.Run.Capacity, least)
		}
		added, want := int64(0), int64(1<<40)
		for _, c := range p.Chains {
			added += c.Work
		}
		for _, chains := range tries(g) {
			if _, more := load(g, chains); more < want && graph.HeightOf(t.Context(), g, chains, o) <= o.Run.Capacity {
				want = more
			}
		}
		if added < want {
			t.Errorf("seed %d: %d more, but no set that fits adds less than %d", seed, added, want)
		}
		fit++
		if added == want {
			equal++
		}
		o.Run.Capacity = p.LowerBound - 1
		if p := must.Get(graph.Make(t.Context(), g, o))(t); p.Status != stowage.Infeasible {
			t.Errorf("seed %d: a capacity below the bound is %s", seed, p.Status)
		}
	}
	t.Logf("%d of %d plans add the least work that fits", equal, fit)
	if fit < 60 || equal*100 < fit*95 {
		t.Errorf("%d of %d plans add the least work that fits", equal, fit)
	}
}

// A memory says of each byte what it holds.
type memory map[int64]cell

// A cell is a byte of a line of a value; value is one more than its index, so that nothing is 0.
type cell struct {
	value, line int
	at          int64
}

// replay runs a plan in a memory of bytes. It reports whether each call finds the bytes that it needs, and overwrites
// none of them that no permit allows.
func replay(g *graph.Graph, p *graph.Plan) bool {
	m := memory{}
	whole := func(v int) graph.Piece {
		return graph.Piece{Value: v, End: max(g.Values[v].Lines, 1), Offset: p.Offsets[v]}
	}
	bytes := func(x graph.Piece) int64 {
		v := &g.Values[x.Value]
		return v.Size / int64(max(v.Lines, 1)) * int64(x.End-x.First)
	}
	each := func(x graph.Piece, do func(address int64, c cell) bool) bool {
		line := g.Values[x.Value].Size / int64(max(g.Values[x.Value].Lines, 1))
		for k := range bytes(x) {
			if !do(x.Offset+k, cell{x.Value + 1, x.First + int(k/line), k % line}) {
				return false
			}
		}
		return true
	}
	holds := func(x graph.Piece) bool { return each(x, func(at int64, c cell) bool { return m[at] == c }) }
	put := func(x graph.Piece) { each(x, func(at int64, c cell) bool { m[at] = c; return true }) }
	base := func(x graph.Piece) int64 { return x.Offset - bytes(graph.Piece{Value: x.Value, End: x.First}) }
	run := func(k int, reads, makes []graph.Piece, scratch int64) bool {
		o := &g.Operators[k]
		for _, x := range reads {
			if !holds(x) {
				return false
			}
		}
		for i, y := range makes {
			if y.Offset < 0 {
				return false
			}
			for _, x := range reads {
				d := base(x) - base(y)
				if y.Offset < x.Offset+bytes(x) && x.Offset < y.Offset+bytes(y) && !slices.ContainsFunc(o.Permits,
					func(q graph.Permit) bool {
						return q.Result == y.Value && q.Operand == x.Value && (d == q.Distance || d > q.Distance && !q.Exactly)
					}) {
					return false
				}
			}
			for _, z := range makes[:i] {
				if y.Offset < z.Offset+bytes(z) && z.Offset < y.Offset+bytes(y) {
					return false
				}
			}
			if o.Scratch > 0 && y.Offset < scratch+o.Scratch && scratch < y.Offset+bytes(y) {
				return false
			}
		}
		for _, x := range reads {
			if o.Scratch > 0 && x.Offset < scratch+o.Scratch && scratch < x.Offset+bytes(x) {
				return false
			}
		}
		for n := range o.Scratch {
			m[scratch+n] = cell{-1, 0, 0}
		}
		for _, y := range makes {
			put(y)
		}
		return true
	}
	for _, v := range g.Inputs {
		put(whole(v))
	}
	for place := 0; place < len(p.Order); place++ {
		k := p.Order[place]
		at := slices.IndexFunc(p.Chains, func(c graph.Chain) bool { return c.First == place })
		if at < 0 {
			var reads, makes []graph.Piece
			for _, x := range g.Operators[k].Operands {
				if !g.Values[x].Constant {
					reads = append(reads, whole(x))
				}
			}
			for _, y := range g.Operators[k].Results {
				makes = append(makes, whole(y))
			}
			if !run(k, reads, makes, p.Scratch[k]) {
				return false
			}
			continue
		}
		for _, c := range p.Chains[at].Calls {
			o := &g.Operators[c.Operator]
			var needs []graph.Piece
			for _, x := range o.Operands {
				n := slices.IndexFunc(o.Reads, func(r graph.Read) bool { return r.Operand == x })
				if g.Values[x].Constant {
					continue
				}
				if n < 0 {
					needs = append(needs, whole(x))
					continue
				}
				w := make(want, g.Values[x].Lines)
				for line := c.Makes[0].First; line < c.Makes[0].End; line++ {
					reads(&o.Reads[n], line, w)
				}
				first, end := w.spread()
				if first == end {
					continue
				}
				given := slices.IndexFunc(c.Reads, func(p graph.Piece) bool { return p.Value == x })
				if given < 0 || c.Reads[given].First > first || c.Reads[given].End < end {
					return false
				}
				needs = append(needs, c.Reads[given])
			}
			for _, y := range c.Makes {
				if p.Offsets[y.Value] >= 0 && base(y) != p.Offsets[y.Value] {
					return false
				}
			}
			if !run(c.Operator, needs, c.Makes, c.Scratch) {
				return false
			}
		}
		place = p.Chains[at].Last
	}
	return !slices.ContainsFunc(g.Outputs, func(v int) bool { return !holds(whole(v)) })
}

// TestStripsReplayed replays plans of graphs with permits, as they are and damaged, and compares that with Verify.
func TestStripsReplayed(t *testing.T) {
	strips, over, wrong := 0, 0, 0
	for seed := range uint64(plantest.Share(3000, 200)) {
		r := rand.New(rand.NewPCG(seed, 45))
		g := linedGraph(r, true)
		o := graph.Options{Solve: stowage.Solve, Strips: true, MaxWork: 1}
		o.Run.NodeLimit = 2_000
		p := must.Get(graph.Make(t.Context(), g, o))(t)
		if report := must.Get(graph.Verify(g, p))(t); !report.OK() || !replay(g, p) {
			t.Fatalf("seed %d: %v", seed, report.Violations)
		}
		o.Permits = graph.NoPermits
		if q := must.Get(graph.Make(t.Context(), g, o))(t); q.Height > p.Height {
			over++
		}
		if p.Chains == nil {
			continue
		}
		strips++
		l, offsets, err := graph.LowerPlan(g, p, graph.AllPermits)
		must.Do(t, err)
		if r := must.Get(stowage.Verify(l.Problem, offsets, 0))(t); !r.OK() || r.Height != p.Height {
			t.Errorf("seed %d: the problem of the plan has height %d, want %d: %v", seed, r.Height, p.Height, r.Violations)
		}
		for range 8 {
			damaged := *p
			damaged.Offsets, damaged.Chains = slices.Clone(p.Offsets), slices.Clone(p.Chains)
			for i := range damaged.Chains {
				c := &damaged.Chains[i]
				c.Calls = slices.Clone(c.Calls)
				for n := range c.Calls {
					c.Calls[n].Makes, c.Calls[n].Reads = slices.Clone(c.Calls[n].Makes), slices.Clone(c.Calls[n].Reads)
				}
			}
			c := &damaged.Chains[r.IntN(len(p.Chains))]
			call := &c.Calls[r.IntN(len(c.Calls))]
			by := 1 - 2*r.Int64N(2)
			switch r.IntN(5) {
			case 0:
				call.Makes[0].Offset = max(call.Makes[0].Offset+by*r.Int64N(4), 0)
			case 1:
				if len(call.Reads) > 0 {
					call.Reads[0].Offset += by
				}
			case 2:
				if call.Scratch >= 0 {
					call.Scratch = max(call.Scratch+by*r.Int64N(4), 0)
				}
			case 3:
				if v := r.IntN(len(g.Values)); damaged.Offsets[v] >= 0 {
					damaged.Offsets[v] = max(damaged.Offsets[v]+by*r.Int64N(4), 0)
				}
			case 4: // all of a block is moved
				v, strip := call.Makes[0].Value, call.Strip
				for n := range c.Calls {
					for _, list := range [][]graph.Piece{c.Calls[n].Makes, c.Calls[n].Reads} {
						for k := range list {
							if list[k].Value == v && c.Calls[n].Strip == strip && p.Offsets[v] < 0 {
								list[k].Offset += 2 + by
							}
						}
					}
				}
			}
			report := must.Get(graph.Verify(g, &damaged))(t)
			faults := slices.ContainsFunc(report.Violations, func(v graph.Violation) bool {
				return v.Rule != "height" && v.Rule != graph.RuleBound && v.Rule != graph.RuleOverlaps
			})
			if right := replay(g, &damaged); right == faults {
				t.Errorf("seed %d: replayed %t, violations %v", seed, right, report.Violations)
			} else if !right {
				wrong++
			}
		}
	}
	if strips < 60 || over < 10 || wrong < 100 {
		t.Errorf("%d plans have strips, %d are lower by permits, %d damaged ones are wrong", strips, over, wrong)
	}
}
