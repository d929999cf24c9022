package tflm

import (
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
)

// Idea: what a user wants to know of an arena beyond its size is who sets it, so
// that the model can be changed there. The peak is the tick at which most bytes
// are live; no plan is lower than that.

// A Peak is the time at which most of the arena is in use.
type Peak struct {
	// Tick is the runtime's clock; Operator is what runs then, an index into the
	// model's operators, -1 before the first.
	Tick     int32
	Operator int
	// Bytes are live, rounded as the runtime does: the load.
	Bytes int64
	// Buffers index the arena's buffers that are live, the largest first.
	Buffers []int
}

// PeakOf returns the earliest peak of an arena.
func PeakOf(a *tflite.Arena, l *tflite.Lifetimes) Peak {
	buffers := a.Problem.Buffers
	var last int64
	for i := range buffers {
		last = max(last, buffers[i].Upper)
	}
	change := make([]int64, last+1)
	for i := range buffers {
		change[buffers[i].Lower] += buffers[i].Size
		change[buffers[i].Upper] -= buffers[i].Size
	}
	p := Peak{Operator: -1}
	var live, at int64
	for t, c := range change {
		if live += c; live > p.Bytes {
			p.Bytes, at = live, int64(t)
		}
	}
	p.Tick = int32(at) - 1 // the problem's times are shifted by one
	for i := range buffers {
		if buffers[i].Lower <= at && at < buffers[i].Upper {
			p.Buffers = append(p.Buffers, i)
		}
	}
	slices.SortStableFunc(p.Buffers, func(i, j int) int { return int(buffers[j].Size - buffers[i].Size) })
	for k, s := range l.Operators {
		if s.First <= p.Tick && p.Tick <= s.Last && (p.Operator < 0 || s.First > l.Operators[p.Operator].First) {
			p.Operator = k
		}
	}
	return p
}
