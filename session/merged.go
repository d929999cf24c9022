package session

import (
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: merge plans groups of buffers that fit together as one, and draws which. What it needs for a plan differs from draw to draw by orders of
// magnitude: a run that has found none in some thousand nodes mostly finds none in ten times as many, but another draw may. So, once
// nothing else helps, it is asked several times, each time with another seed and few nodes. It knows nothing of the old offsets, so its plan
// moves most bytes; homing.go brings back what it can.
//
// Complexity: mergeTries runs of mergeNodes times the nodes that exact search has.
//
// Source: restarts for searches with heavy-tailed run times (Gomes, Selman, Crato and Kautz 2000).
//
// Measured, on 22 changes of A and C that late walks and one run of 40,000 nodes had left: 40 runs of 10,000 nodes with other seeds place four,
// all within the first 17, and 40 runs of 4,000 nodes three. With the buffers in another order each time, 40 runs on the ten of A place four where
// seeds alone place three, and 60 runs of exact search two. Walks over overlaps, 500 of 20,000 moves each, place four of the ten; of these two
// are new.

const (
	mergeTries = 12
	mergeNodes = 5
)

// merged is the end of the step fresh. Who leaves out windows wants one planner alone.
func (c *call) merged() (Answer, []int64, error) {
	if c.s.skip[Window] {
		return Answer{}, nil, nil
	}
	merge, err := run.Lookup("merge")
	if err != nil {
		return Answer{}, nil, err
	}
	return c.restarts(merge)
}

// restarts asks a planner with one seed after the other.
func (c *call) restarts(planner run.Planner) (a Answer, at []int64, err error) {
	for c.restart = range uint64(mergeTries) {
		a, at, err = c.whole(planner, false, mergeNodes*c.exactly(len(c.at)))
		if at != nil || err != nil || a.Status == model.Infeasible || c.watch.Over() {
			break
		}
	}
	c.restart = 0
	return a, at, err
}
