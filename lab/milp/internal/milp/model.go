package milp

import (
	"math"

	"github.com/stowage-go/stowage/internal/planners/pairwise"
)

// Idea: the mixed integer program of figure 5 of the TelaMalloc paper. Each buffer has an integer position. Each pair
// has two binaries, one of which is 1, and two rows. The row whose binary is 1 is switched off by the memory size M:
//
//	pos_i + size_i                <= M
//	B_ij + ~B_ij                   = 1
//	pos_i + size_i - M·B_ij       <= pos_j     (j above i, or B_ij = 1)
//	pos_j + size_j - M·~B_ij      <= pos_i     (i above j, or ~B_ij = 1)
//
// The paper has < in the last two rows, for positions that name the last byte; here positions are half-open. To
// minimise, M is the height of a plan in hand. One more column, the height, is at least every end, and is the
// objective.
//
// The tight formulation has half the columns and a third of the rows. It has one binary for each pair, and in place
// of M the least number that switches a row off, given the bounds of the two positions. Positions are continuous
// unless aligned, since the orders alone decide (pairwise.Least). It is stronger than what the papers measure, so it
// is a parameter.
//
// An aligned buffer's position is an integer multiple of its alignment: the column counts the multiples. A fixed offset
// is a bound. Buffers whose windows interlock have several pairs, each with binaries of its own.
//
// Complexity: 2 binaries and 3 rows a pair, or 1 and 2.
//
// Source: Maas et al., "TelaMalloc", ASPLOS 2023, section 3.2 and figure 5.

// A formulation is a mixed integer program over an encoding, row by row, with all quantities in units. Columns are the
// positions, then the binaries, then the height if it is minimised.
type formulation struct {
	e        *pairwise.Encoding
	tight    bool
	minimize bool
	capacity int64 // M
	floor    int64 // no plan is lower

	// Columns.
	cost, lower, upper []float64
	integer            []bool
	// Rows: rowLower <= sum of value·column over start[r]:start[r+1] <= rowUpper.
	rowLower, rowUpper []float64
	start, index       []int32
	value              []float64
}

// build makes the program. Positions stay within the capacity, in units.
func build(e *pairwise.Encoding, capacity, floor int64, minimize, tight bool) *formulation {
	f := &formulation{e: e, tight: tight, minimize: minimize, capacity: capacity, floor: floor, start: []int32{0}}
	for k := range e.Len() {
		low, high := e.Bounds(k, capacity)
		a := e.Align[k]
		f.column(0, float64(low)/float64(a), math.Floor(float64(high)/float64(a)), !tight || a > 1)
	}
	for range e.Pairs {
		f.column(0, 0, 1, true)
		if !tight {
			f.column(0, 0, 1, true)
		}
	}
	if minimize {
		f.column(1, float64(floor), float64(capacity), true)
	}
	for p, q := range e.Pairs {
		f.pair(p, q)
	}
	if minimize {
		height := f.height()
		for k := range e.Len() {
			f.row(float64(e.Size[k]), math.Inf(1), entry{height, 1}, entry{int32(k), -float64(e.Align[k])})
		}
	}
	return f
}

// An entry is a coefficient of a row.
type entry struct {
	column int32
	value  float64
}

// pair adds the rows of a pair.
func (f *formulation) pair(p int, q pairwise.Pair) {
	i, j := entry{q.I, float64(f.e.Align[q.I])}, entry{q.J, float64(f.e.Align[q.J])}
	inf := math.Inf(1)
	// off(j) - off(i) >= up - up·below; off(i) - off(j) >= down - down·above.
	above, below := f.switches(p)
	bigUp, bigDown := float64(f.capacity), float64(f.capacity)
	if f.tight {
		iLow, iHigh := f.e.Bounds(int(q.I), f.capacity)
		jLow, jHigh := f.e.Bounds(int(q.J), f.capacity)
		bigUp = math.Max(0, float64(q.Up+iHigh-jLow))
		bigDown = math.Max(0, float64(q.Down+jHigh-iLow))
		// One binary, 1 where i is above j: it switches the first row off, and its complement the second.
		f.row(float64(q.Up), inf, j, i.times(-1), entry{above, bigUp})
		f.row(float64(q.Down)-bigDown, inf, i, j.times(-1), entry{above, -bigDown})
		return
	}
	f.row(1, 1, entry{above, 1}, entry{below, 1})
	f.row(float64(q.Up), inf, j, i.times(-1), entry{above, bigUp})
	f.row(float64(q.Down), inf, i, j.times(-1), entry{below, bigDown})
}

func (x entry) times(s float64) entry { return entry{x.column, s * x.value} }

// switches returns the columns of the binaries of a pair: B switches "j above i" off, and ~B switches "i above j"
// off. In the tight formulation the two columns are one.
func (f *formulation) switches(p int) (off, complement int32) {
	n := int32(f.e.Len())
	if f.tight {
		return n + int32(p), n + int32(p)
	}
	return n + 2*int32(p), n + 2*int32(p) + 1
}

// height returns the column of the height, which exists only if the program minimises.
func (f *formulation) height() int32 { return int32(len(f.cost) - 1) }

func (f *formulation) column(cost, lower, upper float64, integer bool) {
	f.cost = append(f.cost, cost)
	f.lower = append(f.lower, lower)
	f.upper = append(f.upper, upper)
	f.integer = append(f.integer, integer)
}

func (f *formulation) row(lower, upper float64, entries ...entry) {
	f.rowLower = append(f.rowLower, lower)
	f.rowUpper = append(f.rowUpper, upper)
	for _, x := range entries {
		f.index = append(f.index, x.column)
		f.value = append(f.value, x.value)
	}
	f.start = append(f.start, int32(len(f.index)))
}

// choices reads the orders off the binaries of a solution.
func (f *formulation) choices(values []float64) []pairwise.Choice {
	choices := make([]pairwise.Choice, len(f.e.Pairs))
	for p := range choices {
		off, _ := f.switches(p)
		choices[p] = pairwise.Above
		if values[off] > 0.5 {
			choices[p] = pairwise.Below
		}
	}
	return choices
}

// point returns the solution that offsets in units stand for; ok is false where they break a pair.
func (f *formulation) point(at []int64) (values []float64, ok bool) {
	choices, ok := f.e.Choose(at)
	if !ok {
		return nil, false
	}
	values = make([]float64, len(f.cost))
	height := f.floor
	for k, x := range at {
		values[k] = float64(x) / float64(f.e.Align[k])
		height = max(height, x+f.e.Size[k])
	}
	for p, c := range choices {
		off, complement := f.switches(p)
		switch {
		case c == pairwise.Below:
			values[off] = 1
		case !f.tight:
			values[complement] = 1
		}
	}
	if f.minimize {
		values[f.height()] = float64(height)
	}
	return values, true
}
