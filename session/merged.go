package session

import (
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: merge plans groups of buffers that fit together as one, and draws which. What it needs for a plan differs from
// draw to draw by orders of magnitude: a run that has found none in some thousand nodes mostly finds none in ten times
// as many, but another draw may. So, once nothing else helps, it is asked several times, each time with another seed
// and few nodes. It knows nothing of the old offsets, so its plan moves most bytes; walkback.go brings back what it
// can.
//
// Complexity: mergeTries runs of mergeNodes times the nodes that exact search has.
//
// Source: restarts for searches with heavy-tailed run times (Gomes, Selman, Crato and Kautz 2000).
//
// Some runs with few nodes each place more than one with many (docs/lab/session.md).

const (
	mergeTries = 12
	mergeNodes = 5
)

// merged is the end of the step fresh. Who leaves out windows wants one planner alone.
func (c *call) merged() (Answer, placing, error) {
	if c.s.skip[Window] {
		return Answer{}, placing{}, nil
	}
	merge, err := run.Lookup("merge")
	if err != nil {
		return Answer{}, placing{}, err
	}
	return c.restarts(merge)
}

// restarts asks a planner with one seed after the other.
func (c *call) restarts(planner run.Planner) (a Answer, p placing, err error) {
	for c.restart = range uint64(mergeTries) {
		a, p, err = c.whole(planner, mergeNodes*c.exactly(len(c.at)), true, hintNone)
		if p.at != nil || err != nil || a.Status == model.Infeasible || c.watch.Over() {
			break
		}
	}
	c.restart = 0
	return a, p, err
}
