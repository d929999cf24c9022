package command

import (
	"math"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/profile"
)

// Idea: the contention profile is drawn as one line of eighth blocks. Each column shows the
// peak of its slice of time, because peaks decide. A column is blank only if nothing is in use.
//
// Complexity: O(p log p) for p starts and ends of use.

// sparkline draws the profile of p in at most width columns. If p has fewer time slots, it has one column for each.
func sparkline(p *stowage.Problem, width int) string {
	f := profile.New(p)
	if len(f.Times) == 0 {
		return ""
	}
	lower, upper := profile.Horizon(p)
	if span := upper - lower; span < int64(width) {
		width = int(span)
	}
	// Times are up to ±2⁶¹, so positions are computed as floats. Differences are computed as
	// whole numbers first, because floats of this size are hundreds of slots apart.
	position := func(at int64) float64 {
		return float64(width) * (float64(at-lower) / float64(upper-lower))
	}
	peaks := make([]int64, width)
	for k, load := range f.Loads[:len(f.Loads)-1] {
		// The load lasts until the next change. If that is at the edge of a column, the column is not reached.
		last := int(math.Ceil(position(f.Times[k+1]))) - 1
		for c := min(int(position(f.Times[k])), width-1); c <= last && c < width; c++ {
			peaks[c] = max(peaks[c], load)
		}
	}
	line := make([]rune, width)
	for c, load := range peaks {
		line[c] = ' '
		if load > 0 {
			line[c] = []rune("▁▂▃▄▅▆▇█")[max(0, min(7, int(8*float64(load)/float64(f.Peak)+0.5)-1))]
		}
	}
	return string(line)
}
