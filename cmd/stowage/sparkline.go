package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/stowage-go/stowage"
)

// Idea: the contention profile as one line of eighth blocks. Each column shows
// the peak of its slice of time, since the peaks are what decides; a column is
// blank only where nothing is in use.
//
// Complexity: O(p log p) for p starts and ends of use.

// A step is a change of the space in use at a moment.
type step struct{ at, change int64 }

// steps returns the changes in use over time, ascending.
func steps(p *stowage.Problem) []step {
	var all []step
	for i := range p.Buffers {
		for x := range p.Buffers[i].Pieces {
			all = append(all, step{x.Lower, x.To - x.From}, step{x.Upper, x.From - x.To})
		}
	}
	slices.SortFunc(all, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	return all
}

// sparkline draws the profile of p in at most width columns: one for each slot
// of time where there are fewer.
func sparkline(p *stowage.Problem, width int) string {
	all := steps(p)
	if len(all) == 0 {
		return ""
	}
	lower, upper := horizon(p)
	if span := upper - lower; span < int64(width) {
		width = int(span)
	}
	// Lifespans reach to ±2⁶¹, so that positions are reckoned in floats.
	position := func(at int64) float64 {
		return float64(width) * ((float64(at) - float64(lower)) / (float64(upper) - float64(lower)))
	}
	peaks := make([]int64, width)
	var load, peak int64
	for k := 0; k < len(all); {
		at := all[k].at
		for ; k < len(all) && all[k].at == at; k++ {
			load += all[k].change
		}
		if k == len(all) {
			break
		}
		// The load holds from at until the next change. One on a column's very
		// edge leaves that column alone.
		last := int(math.Ceil(position(all[k].at))) - 1
		for c := min(int(position(at)), width-1); c <= last && c < width; c++ {
			peaks[c] = max(peaks[c], load)
		}
		peak = max(peak, load)
	}
	line := make([]rune, width)
	for c, load := range peaks {
		line[c] = ' '
		if load > 0 {
			line[c] = []rune("▁▂▃▄▅▆▇█")[max(0, min(7, int(8*float64(load)/float64(peak)+0.5)-1))]
		}
	}
	return string(line)
}
