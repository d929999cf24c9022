package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
)

// Idea: a verdict is a function of a figure of the paper and one of the runs.
//
//   - A time or a ratio is "as in the paper" within a factor of 1.5, a share within 5 percentage points.
//   - A median of fewer than 5 problems and a share of fewer than 20 are "too few to tell". A whole suite is not.
//   - Two times within 5% of each other are a tie. A tie is a win for nobody.
//
// Invariant: the verdict of a figure that is missing, NaN or infinite is "not measured".

// What a figure of ours says beside the paper's.
const (
	ahead  = "ahead"
	level  = "as in the paper"
	behind = "behind"
	unlike = "not as in the paper"
	tooFew = "too few to tell"
	notRun = "not measured"
)

const (
	nearFactor  = 1.5  // of a time or a ratio
	nearPoints  = 0.05 // of a share
	tieFactor   = 1.05 // of two times
	fewest      = 5    // problems behind a median
	fewestShare = 20   // problems behind a share
)

const rules = "A time or a ratio is “as in the paper” within a factor of 1.5, a share within 5 percentage points. " +
	"Beyond that it is “ahead”, “behind”, or, if neither side is better, “not as in the paper”. " +
	"“Too few to tell” is a median of fewer than 5 problems, and a share of fewer than 20 unless they are a whole suite. " +
	"Two times within 5% of each other are a tie, and a win for nobody. " +
	"The papers' inputs for the Pixel 6 are not public, and their machines are others: ratios say more than times."

// A direction says on which side of the paper's figure ours is better.
type direction int

const (
	neither direction = 0
	less    direction = 1 << iota
	more
	whole   // a share of a whole suite: never too few to tell
	ceiling // the paper says "under": what is below is as in the paper
)

// A claim is a figure of a paper.
type claim struct {
	what    string
	paper   string  // as the paper has it
	figure  float64 // 0 if its text has no number
	better  direction
	measure measure
}

// A measure finds a figure in the runs.
type measure func(c *comparison.Result) found

// found is a figure of ours: a value from n problems, or a share of n.
type found struct {
	value float64
	n     int
	share bool
	text  string
}

// none is a paper's share of nothing: 0 is no figure.
const none = 1e-9

// near reports whether two positive values are within a factor.
func near(a, b, factor float64) bool { return a > 0 && b > 0 && a <= b*factor && b <= a*factor }

// verdict judges a figure of ours.
func (q *claim) verdict(f found) string {
	least := fewest
	if f.share {
		least = fewestShare
	}
	switch {
	case q.figure == 0:
		return ""
	case f.n == 0 || math.IsNaN(f.value) || math.IsInf(f.value, 0) || !f.share && f.value <= 0:
		return notRun
	case f.n < least && q.better&whole == 0:
		return tooFew
	case f.share && math.Abs(f.value-q.figure) <= nearPoints+1e-12,
		!f.share && near(f.value, q.figure, nearFactor),
		q.better&ceiling != 0 && f.value <= q.figure:
		return level
	case q.better&(less|more) == 0:
		return unlike
	case (f.value > q.figure) == (q.better&more != 0):
		return ahead
	}
	return behind
}

// ratio is the median, over the problems that both solve, of a planner's time over another's. For an even number it
// is the geometric mean of the two in the middle, so the ratio of b to a is the inverse of the ratio of a to b.
func ratio(planner, base string) measure {
	return func(c *comparison.Result) found {
		a, b := slices.Index(c.Planners, planner), slices.Index(c.Planners, base)
		var ratios []float64
		for _, cells := range c.Cells {
			if a < 0 || b < 0 {
				break
			}
			x, solved := cells[a].Median()
			y, too := cells[b].Median()
			if solved && too {
				ratios = append(ratios, math.Log(x/y))
			}
		}
		if len(ratios) == 0 {
			return found{text: notRun}
		}
		x := math.Exp(comparison.Median(ratios))
		return found{
			value: x,
			n:     len(ratios),
			text:  fmt.Sprintf("%s×, on the %d that both solve", comparison.Ratio(x), len(ratios)),
		}
	}
}

// solved is the share of a planner's problems that it solves within so many seconds.
func solved(planner string, within float64) measure {
	return func(c *comparison.Result) found {
		k := slices.Index(c.Planners, planner)
		n, ran := 0, 0
		for _, cells := range c.Cells {
			if k < 0 || len(cells[k]) == 0 {
				continue
			}
			ran++
			if t, ok := cells[k].Median(); ok && t <= within {
				n++
			}
		}
		return shareOf(n, ran, "")
	}
}

// always is no limit but that of the runs.
var always = math.Inf(1)

func shareOf(n, all int, more string) found {
	if all == 0 {
		return found{text: notRun}
	}
	x := float64(n) / float64(all)
	return found{value: x, n: all, share: true, text: fmt.Sprintf("%d of %d (%.0f%%)%s", n, all, 100*x, more)}
}

// slowest is the longest of a planner's median times.
func slowest(planner string) measure {
	return func(c *comparison.Result) found {
		k := slices.Index(c.Planners, planner)
		worst, n := 0.0, 0
		for _, cells := range c.Cells {
			if k < 0 {
				break
			}
			if t, ok := cells[k].Median(); ok {
				worst, n = max(worst, t), n+1
			}
		}
		if n == 0 {
			return found{text: notRun}
		}
		return found{value: worst, n: n, text: fmt.Sprintf("%s, of %d", picture.Seconds(worst), n)}
	}
}

// fastest is the share of problems on which a planner is the fastest, one planner left out. It counts problems that
// one of the others solves and another one ran on.
func fastest(planner, leftOut string) measure {
	return func(c *comparison.Result) found {
		a := slices.Index(c.Planners, planner)
		first, tied, raced := 0, 0, 0
		for _, cells := range c.Cells {
			if a < 0 || len(cells[a]) == 0 {
				continue
			}
			best, others := math.Inf(1), 0
			for k, cell := range cells {
				if k != a && c.Planners[k] != leftOut && len(cell) > 0 {
					t, _ := cell.Median() // infinite if it has no answer
					best, others = min(best, t), others+1
				}
			}
			its, ok := cells[a].Median()
			if others == 0 || !ok && math.IsInf(best, 1) {
				continue
			}
			raced++
			switch {
			case near(its, best, tieFactor):
				tied++
			case its < best:
				first++
			}
		}
		return shareOf(first, raced, fmt.Sprintf(", %d ties", tied))
	}
}

// gain is the geometric mean of the paper's times, in ms, over a planner's.
func gain(planner string, paper map[string]float64) measure {
	return func(c *comparison.Result) found {
		k := slices.Index(c.Planners, planner)
		var ratios []float64
		for i, cells := range c.Cells {
			if k < 0 {
				break
			}
			if t, ok := cells[k].Median(); ok && paper[c.Instances[i].Name] > 0 {
				ratios = append(ratios, paper[c.Instances[i].Name]/1000/t)
			}
		}
		if len(ratios) == 0 {
			return found{text: notRun}
		}
		x := comparison.GeometricMean(ratios)
		return found{
			value: x,
			n:     len(ratios),
			text:  fmt.Sprintf("%s×, of %d, on another machine", comparison.Ratio(x), len(ratios)),
		}
	}
}
