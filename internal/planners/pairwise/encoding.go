package pairwise

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/exact/pairs"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: offset(J) - offset(I) must avoid the open range (-Down, Up), so either J lies above I by Up or I above J by
// Down. Without windows Up is the size of I, and Down the size of J. Buffers whose windows interlock must avoid
// several ranges, so they make several pairs. The choices of these pairs depend on one another: above a high range is
// also above a lower one. Solvers find that out by themselves.
//
// All quantities are divided by the greatest number that divides all sizes, windows and fixed offsets, and with which
// all alignments agree (bound.Unit). So the least offsets stay whole. Small numbers make small grids, and floating
// point keeps them apart.
//
// Complexity: O(pairs), times the spans of two buffers if there are gaps.
//
// Source: figure 5 and section 5.1 of the TelaMalloc paper (ASPLOS 2023), the
// domain {above, below} of section 8 of the MiniMalloc paper (ASPLOS 2023).

// A Pair says that J lies above I or I above J. Up and Down are in units.
type Pair struct {
	I, J int32 // numbers in the encoding, I < J
	Up   int64 // J above I: offset(J) - offset(I) >= Up
	Down int64 // I above J: offset(I) - offset(J) >= Down; Up + Down > 1
}

// An Encoding is the constraints of a set of buffers, but for the capacity. All
// quantities of space are in units of Unit bytes.
type Encoding struct {
	Unit  int64
	ID    []int32 // number → index in Problem.Buffers
	Size  []int64
	Align []int64
	Fixed []int64 // the fixed offset, -1 for none
	Pairs []Pair  // by I, then J, then ascending range
}

// Encode builds the constraints of the given buffers, which may be a partition or all, partition by partition. limit
// bounds the number of pairs; the error is a *TooManyPairsError, or ErrLimit if the watch ended.
func Encode(w *run.Watch, tl *timeline.Timeline, buffers []int32, limit int) (*Encoding, error) {
	e := &Encoding{
		ID: buffers, Size: make([]int64, len(buffers)), Align: make([]int64, len(buffers)),
		Fixed: make([]int64, len(buffers)),
	}
	for k, i := range buffers {
		b := &tl.Problem.Buffers[i]
		e.Size[k], e.Align[k], e.Fixed[k] = b.Size, b.Align(), -1
		if b.Fixed != nil {
			e.Fixed[k] = *b.Fixed
		}
	}
	err := pairs.EachByEarlier(w, tl, buffers, limit, func(r pairs.Range) {
		e.Pairs = append(e.Pairs, Pair{I: r.I, J: r.J, Up: r.Below, Down: -r.Above})
	})
	if err != nil {
		return nil, err
	}
	e.scale()
	return e, nil
}

// scale divides everything by the unit.
func (e *Encoding) scale() {
	var unit int64
	for k := range e.Size {
		unit = bound.GCD(max(e.Fixed[k], 0), bound.GCD(e.Size[k], unit))
	}
	for _, p := range e.Pairs {
		unit = bound.GCD(p.Down, bound.GCD(p.Up, unit))
	}
	unit = bound.Unit(unit, e.Len(), func(k int) int64 { return e.Align[k] })
	e.Unit = unit
	for k := range e.Size {
		e.Size[k] /= unit
		if unit%e.Align[k] == 0 {
			e.Align[k] = 1
		} else {
			e.Align[k] /= unit
		}
		if e.Fixed[k] > 0 {
			e.Fixed[k] /= unit
		}
	}
	for k := range e.Pairs {
		e.Pairs[k].Up /= unit
		e.Pairs[k].Down /= unit
	}
}

// Len returns the number of buffers.
func (e *Encoding) Len() int { return len(e.Size) }

// Bounds returns the lowest and the highest offset of buffer k under a capacity, in units. If low > high, there is
// none.
func (e *Encoding) Bounds(k int, capacity int64) (low, high int64) {
	high = capacity - e.Size[k]
	if at := e.Fixed[k]; at >= 0 {
		return at, min(at, high)
	}
	if high >= 0 {
		high = bound.Down(high, e.Align[k])
	}
	return 0, high
}

// Bytes returns offsets in bytes for offsets in units.
func (e *Encoding) Bytes(units []int64) []int64 {
	bytes := make([]int64, len(units))
	for k, x := range units {
		bytes[k] = x * e.Unit
	}
	return bytes
}
