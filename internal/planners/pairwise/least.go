package pairwise

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
)

// Idea: once each pair is chosen, only differences are left. The least offsets that satisfy them are longest paths
// from the floor, with each step rounded up to the alignment. Offsets start at their lower bounds and rise until
// nothing asks for more. Offsets that a solver found in floating point are ignored: the orders alone give exact ones.
//
// bound.Passes says after how many passes there is no solution, and why. If all
// distances are positive, n+1 passes are enough.
//
// Invariant: no offset is ever above the least one that satisfies all choices.
//
// Complexity: O(n · pairs) at worst, a few passes in practice.
//
// Source: longest paths in a graph of differences (Bellman and Ford); rounding keeps the argument since it is monotone.

// A Choice says which side of a pair holds.
type Choice int8

// The choices.
const (
	Open  Choice = 0  // neither
	Above Choice = 1  // J above I
	Below Choice = -1 // I above J
)

// Least returns the lowest offsets, in units, with which every chosen pair holds under a capacity. Open pairs do not
// count. It returns nil if there are none: a chain of buffers is too high, or the choices form a cycle. It also
// returns nil if the watch is over, so nil is then no proof.
func (e *Encoding) Least(w *run.Watch, choices []Choice, capacity int64) []int64 {
	n := e.Len()
	at, high := make([]int64, n), make([]int64, n)
	for k := range n {
		at[k], high[k] = e.Bounds(k, capacity)
		if at[k] > high[k] {
			return nil
		}
	}
	positive := true
	for p, c := range choices {
		if q := &e.Pairs[p]; c == Above && q.Up <= 0 || c == Below && q.Down <= 0 {
			positive = false
			break
		}
	}
	passes := int64(n) + 1
	if !positive {
		passes = bound.Passes(e.Align)
	}
	for range passes {
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
		if w.Over() {
			return nil
		}
	}
	return nil
}

// Choose returns the choices that offsets in units make. ok is false if they break a pair.
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
