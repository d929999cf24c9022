// Package profile computes the load of a problem over time, for pictures and pages, for readers that choose among
// heaps, and for generators that leave holes. It reads only the model, so it shows what the input says and not what a
// planner made of it. internal/timeline has the load per section, for planners.
package profile

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: each piece of a buffer is a step up and a step down. The sum of the steps in order of time is the load.
//
// Complexity: O(p log p) for p pieces.

// A Profile is the load over time. Loads[k] holds from Times[k] to Times[k+1]. The last load is 0.
type Profile struct {
	Times, Loads []int64
	Peak         int64
	At           int // index of the first peak
}

// New returns the profile of a valid problem.
func New(p *model.Problem) Profile {
	type change struct{ time, by int64 }
	changes := make([]change, 0, 2*len(p.Buffers))
	for i := range p.Buffers {
		for x := range p.Buffers[i].Pieces {
			changes = append(changes, change{x.Lower, x.To - x.From}, change{x.Upper, x.From - x.To})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.time, b.time) })
	var f Profile
	var load int64
	for i, c := range changes {
		load += c.by
		if i+1 < len(changes) && changes[i+1].time == c.time {
			continue // all changes at one time make one step
		}
		if load > f.Peak {
			f.Peak, f.At = load, len(f.Times)
		}
		f.Times = append(f.Times, c.time)
		f.Loads = append(f.Loads, load)
	}
	return f
}

// Horizon returns the first and the last time of all lifespans, or 0 and 0 if there are no buffers.
func Horizon(p *model.Problem) (lower, upper int64) {
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if i == 0 {
			lower, upper = b.Lower, b.Upper
		}
		lower, upper = min(lower, b.Lower), max(upper, b.Upper)
	}
	return lower, upper
}
