package tflm

import (
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/model"
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
	// Buffers index the problem's buffers that are live, the largest first, and
	// Without is, for the first of them, what the peak would be if it took no room.
	Buffers []int
	Without []int64
}

// Detailed is how many owners of a peak are looked into.
const Detailed = 8

// PeakOf returns the earliest peak of the problem of an arena: Arena.Problem, or
// Plan.United for a plan that is made in place.
func PeakOf(problem *model.Problem, l *tflite.Lifetimes) Peak {
	buffers := problem.Buffers
	load := loads(problem)
	p := Peak{Operator: -1}
	at := int64(0)
	for t, live := range load {
		if live > p.Bytes {
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
	for _, i := range p.Buffers[:min(len(p.Buffers), Detailed)] {
		without := int64(0)
		for t, live := range load {
			if b := &buffers[i]; b.Lower <= int64(t) && int64(t) < b.Upper {
				live -= b.Size
			}
			without = max(without, live)
		}
		p.Without = append(p.Without, without)
	}
	for k, s := range l.Operators {
		if s.First <= p.Tick && p.Tick <= s.Last && (p.Operator < 0 || s.First > l.Operators[p.Operator].First) {
			p.Operator = k
		}
	}
	return p
}

// loads returns the bytes that are live at each time of a problem.
func loads(p *model.Problem) []int64 {
	var last int64
	for i := range p.Buffers {
		last = max(last, p.Buffers[i].Upper)
	}
	load := make([]int64, last+1)
	for i := range p.Buffers {
		load[p.Buffers[i].Lower] += p.Buffers[i].Size
		load[p.Buffers[i].Upper] -= p.Buffers[i].Size
	}
	for t := 1; t < len(load); t++ {
		load[t] += load[t-1]
	}
	return load
}

// InPlaceLoad returns the load of an arena whose results lie over operands where
// they may: what Options.InPlace could reach.
func InPlaceLoad(m *tflite.Model, l *tflite.Lifetimes, a *tflite.Arena) int64 {
	united, _ := unite(a, groups(m, l, func(int, int) bool { return true }))
	return slices.Max(append(loads(united), 0))
}
