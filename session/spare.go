package session

import (
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: windows and long walks cost much if there is no plan. So exact search is asked for a moment before them, about all
// buffers. If it proves that there is no plan, the call is over. If it finds a plan, that one moves most buffers, so it
// is only spare: the steps go on, and only if none before hints finds a plan that moves less, the spare one is taken.
//
// Complexity: that of exact search, in at most exactNodes times the node limit.
//
// Measured, on 80 changes of A to K that nothing decided before: it finds plans for 15, which move 86% of the bytes; the long
// walks and windows find plans for 66, which move 21 to 23%.
//
// What is hard about the changes that stay undecided are mostly the pins. Of 63 of A, D, E and K exact search plans 49 without their pins, in at most
// 20,000 nodes and mostly in fewer than 2,000. With them it plans 2 in 5,000 nodes, 4 if the problem is turned upside down, and merge plans 5
// and 8; all together 13. Single moments and the life of the changed buffer alone prove no "no" on A and K.
// These figures are from before exact search knew holes (internal/exact/canonical/holes.go). On 77 such calls of A, D, E, J and K, exact search
// decides 4 in 5,000 nodes and 2 without holes, and merge 13 and 9.
// Of all 115 calls of A to K that stay undecided, exact search decides 34 in 2 s each, and merge 36, mostly the same ones. CP-SAT (OR-Tools
// 9.15, one worker, 60 s, old offsets as hints) decides none of four of A: neither with all buffers as rectangles, nor with one no-overlap
// for each full set of live buffers. To spread the buffers over the ranges between the pins is easy in each of 31 calls of A, C and K. So the
// pins alone prove nothing.
// Dropped: to ask all four once nothing else helps, for as many nodes. merge alone, in short runs, stayed (merged.go).

// ahead asks exact search. It returns only a proof; a plan is kept in c.spare.
func (c *call) ahead() (Answer, []int64, error) {
	exact, err := run.Lookup("exact")
	if err != nil {
		return Answer{}, nil, err
	}
	a, at, err := c.whole(exact, false, c.exactly(len(c.at)))
	c.spare = at
	return a, nil, err
}

// spared takes the spare plan, if there is one.
func (c *call) spared() (Answer, []int64, error) { return Answer{Status: model.Unknown}, c.spare, nil }
