package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/comparison"
)

// Idea: a verdict and a sentence are functions of the figures of the run. This file
// has the rules for one figure; say*.go have the sentences of each section. None of
// them measures anything, so a test can hand them made-up figures.
//
// Rules, which the head of the report states too (rules):
//
//   - A time, a ratio or a height is "as in the paper" within a factor of 1.5.
//   - A share is "as in the paper" within 5 percentage points.
//   - A count or a plan is "as in the paper" only if it is equal.
//   - A median or a mean of fewer than 5 problems, and a share of fewer than 20 things,
//     is "too few to tell". A whole suite is never too few.
//   - Two times within 5% of each other are a tie, and so are two heights that are equal.
//     A tie is a win for nobody.
//
// Invariant: a figure that is missing, NaN or infinite has no verdict but "not measured",
// and no sentence.

// What a figure says of Stowage beside the paper.
const (
	ahead   = "ahead"
	level   = "as in the paper"
	behind  = "behind"
	unlike  = "not as in the paper"
	differs = "other inputs"
	tooFew  = "too few to tell"
	notRun  = "not measured"
)

// The thresholds.
const (
	nearFactor  = 1.5  // of a time, a ratio or a height
	nearPoints  = 0.05 // of a share, from 0 to 1
	tieFactor   = 1.05 // of two times
	fewest      = 5    // problems behind a median or a mean
	fewestShare = 20   // things behind a share
)

// rules says the above to the reader of the report.
const rules = "How the verdicts are made: a time, a ratio or a height is “as in the paper” within a factor of 1.5, a share within 5 percentage points, a count or a plan only if it is equal. " +
	"Beyond that it is “ahead” or “behind”, or “not as in the paper” if neither side is better. " +
	"“Too few to tell” is a median or a mean of fewer than 5 problems, and a share of fewer than 20 things, unless they are a whole suite. It is also a profile of fewer than 50 samples, and an order of features on fewer than 200. " +
	"Two times within 5% of each other are a tie. A tie is a win for nobody. " +
	"“Other inputs” means that the problems are not the paper's, so that the two figures say nothing of each other."

// A direction says which side of the paper's figure is better.
type direction int

const (
	neither direction = iota
	less
	more
)

// finite reports whether a value is a number that can be compared.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// near reports whether two positive values are within a factor.
func near(a, b, factor float64) bool {
	return finite(a) && finite(b) && a > 0 && b > 0 && a <= b*factor && b <= a*factor
}

// judge is the verdict on a positive figure that stands on n problems.
func judge(paper, here float64, n int, better direction) string {
	switch {
	case n == 0 || !finite(paper) || !finite(here) || here <= 0 || paper <= 0:
		return notRun
	case n < fewest:
		return tooFew
	}
	return compare(paper, here, better)
}

// compare is the verdict on a positive figure that does not stand on a sample.
func compare(paper, here float64, better direction) string {
	switch {
	case !finite(paper) || !finite(here) || here <= 0 || paper <= 0:
		return notRun
	case near(paper, here, nearFactor):
		return level
	case better == neither:
		return unlike
	case (here > paper) == (better == more):
		return ahead
	}
	return behind
}

// judgeShare is the verdict on part of all, beside the paper's share. least is how many
// of them tell: fewestShare, or 1 if they are a whole suite.
func judgeShare(paper float64, part, all, least int, better direction) string {
	switch {
	case all <= 0 || part < 0 || part > all || !finite(paper):
		return notRun
	case all < least:
		return tooFew
	}
	return comparePoints(paper, float64(part)/float64(all), better)
}

// comparePoints is the verdict on a share that does not stand on a sample.
func comparePoints(paper, here float64, better direction) string {
	switch {
	case !finite(here) || !finite(paper):
		return notRun
	case math.Abs(here-paper) <= nearPoints+1e-12:
		return level
	case better == neither:
		return unlike
	case (here > paper) == (better == more):
		return ahead
	}
	return behind
}

// judgeSame is the verdict on what is as in the paper only if it is equal.
func judgeSame(paper, here string) string {
	switch here {
	case "":
		return notRun
	case paper:
		return level
	}
	return unlike
}

// A ratio is the median of the ratios of two planners' times, over n problems that both
// solve.
type ratio struct {
	x float64
	n int
}

// text writes a ratio.
func (r ratio) text() string {
	if r.n == 0 || !finite(r.x) {
		return "no problem that both solve"
	}
	return fmt.Sprintf("%s×, on the %d that both solve", comparison.Ratio(r.x), r.n)
}

// tells reports whether a ratio stands on enough problems for a sentence.
func (r ratio) tells() bool { return r.n >= fewest && finite(r.x) && r.x > 0 }

// pace is how a planner's time compares with another's, as a verb: x is its own time
// over the other's.
func pace(x float64) string {
	switch {
	case near(x, 1, tieFactor):
		return "takes as long as"
	case x < 1:
		return "is " + comparison.Ratio(1/x) + " times as fast as"
	}
	return "takes " + comparison.Ratio(x) + " times as long as"
}

// apart says how far ours is from the paper's figure, to go behind both.
func apart(paper, here float64) string {
	switch {
	case !finite(paper) || !finite(here) || paper <= 0 || here <= 0:
		return ""
	case near(paper, here, tieFactor):
		return "the two are the same within 5%"
	case here > paper:
		return "ours is " + comparison.Ratio(here/paper) + " times the paper's"
	}
	return "the paper's is " + comparison.Ratio(paper/here) + " times ours"
}

// percent writes a share.
func percent(x float64) string {
	if !finite(x) {
		return notRun
	}
	return fmt.Sprintf("%.0f%%", 100*x)
}

// list joins words: a, b and c.
func list(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// said drops the sentences that there are no figures for.
func said(sentences ...string) []string {
	return slices.DeleteFunc(sentences, func(s string) bool { return s == "" })
}

// of writes "n of all", or that nothing was run.
func of(n, all int) string {
	if all == 0 {
		return notRun
	}
	return fmt.Sprintf("%d of %d", n, all)
}
