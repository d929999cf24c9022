package pairs

import "github.com/stowage-go/stowage/internal/bound"

// Idea: once each pair is chosen, what is left are differences, and the least
// offsets that satisfy them are the longest paths from the floor, each step
// rounded up to the alignment. Offsets start at their lower bounds and rise
// until nothing asks for more. Whatever a solver in floating point says about
// the offsets themselves is not looked at: the orders alone give exact ones.
//
// Invariant: no offset is ever above the least one that satisfies all choices.
//
// Complexity: O(n · pairs) at worst, a few passes in practice. A path that
// repeats a buffer never ends, so after n passes there is no solution.
//
// Source: longest paths in a graph of differences (Bellman and Ford); rounding
// keeps the argument since it is monotone.

// A Choice says which side of a pair holds.
type Choice int8

// The choices.
const (
	Open  Choice = 0  // neither
	Above Choice = 1  // J above I
	Below Choice = -1 // I above J
)

// Least returns the lowest offsets, in units, with which every chosen pair
// holds under a capacity; open pairs are not looked at. It returns nil where
// there are none: a chain of buffers is too high, or the choices form a cycle.
func (e *Encoding) Least(choices []Choice, capacity int64) []int64 {
	n := e.Len()
	at, high := make([]int64, n), make([]int64, n)
	for k := range n {
		at[k], high[k] = e.Bounds(k, capacity)
		if at[k] > high[k] {
			return nil
		}
	}
	for range n + 1 {
		rose := false
		for p, c := range choices {
			if c == Open {
				continue
			}
			q := &e.Pairs[p]
			low, up, by := q.I, q.J, q.Up
			if c == Below {
				low, up, by = q.J, q.I, q.Down
			}
			if x := at[low] + by; x > at[up] {
				if at[up] = bound.Up(x, e.Align[up]); at[up] > high[up] {
					return nil
				}
				rose = true
			}
		}
		if !rose {
			return at
		}
	}
	return nil
}

// Choose returns the choices that offsets in units make. ok is false where they
// break a pair.
func (e *Encoding) Choose(at []int64) (choices []Choice, ok bool) {
	choices = make([]Choice, len(e.Pairs))
	for p, q := range e.Pairs {
		switch d := at[q.J] - at[q.I]; {
		case d >= q.Up:
			choices[p] = Above
		case -d >= q.Down:
			choices[p] = Below
		default:
			return nil, false
		}
	}
	return choices, true
}
