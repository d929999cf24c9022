package model

import "slices"

// Idea: one order may not be at the load everywhere, for small sizes may want another stack than large ones. Then
// several orders share the range of one symbol, or the list of scenarios: each holds from a value on, up to the next
// one's. Offsets are still those of one order, so all that holds of orders holds in each stretch.

// A Switched is several orders of a family. The value of a symbol says which one holds.
type Switched struct {
	// Symbol is the number of the symbol whose value chooses. With scenarios it is 0, and their number chooses.
	Symbol int
	// From has the lowest value at which each order holds, ascending. The first is the lowest of all.
	From []int64
	// Orders has the order of each stretch.
	Orders []*Order
	// Heights has the height at each of the result's points, by the order that holds there.
	Heights []int64
	// Worst is the largest excess of a height over its load, as a share of the load.
	Worst float64
	// WorstAt is the point that has it.
	WorstAt int64
}

// At returns the number of the order that holds at a value of the symbol.
func (s *Switched) At(value int64) int {
	k, found := slices.BinarySearch(s.From, value)
	if !found {
		k--
	}
	return max(0, k)
}

// ValueAt returns the value of a symbol at a point; of a family with scenarios, the point.
func (f *Family) ValueAt(symbol int, point int64) int64 {
	if len(f.Symbols) == 0 {
		return point
	}
	return f.Values(point)[symbol]
}

// Within returns the part of a complete family in which a symbol has the values from low to high, or the scenarios with
// these numbers. It is complete, but for values outside of the range.
func (f *Family) Within(symbol int, low, high int64) (*Family, error) {
	p := *f.Problem
	p.Buffers = slices.Clone(p.Buffers)
	part := &Family{Problem: &p, Symbols: slices.Clone(f.Symbols), Formulas: f.Formulas}
	if len(f.Symbols) > 0 {
		part.Symbols[symbol].Low, part.Symbols[symbol].High = low, high
	} else {
		part.Scenarios, part.Sizes = f.Scenarios[low:high+1], f.Sizes[low:high+1]
	}
	return part, part.Complete()
}
