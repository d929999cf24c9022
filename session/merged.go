package session

import (
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: merge plans groups of buffers that fit together as one, and chooses the groups at random. The nodes that it
// needs for a plan differ from draw to draw by orders of magnitude. If a run has found none in some thousand nodes,
// it mostly finds none in ten times as many, but another draw may. So, once nothing else helps, merge is asked
// several times, each time with another seed and few nodes. It does not know the old offsets, so its plan moves most
// bytes. walkback.go brings back some.
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

// merged is the end of the step fresh. It is left out without windows, since the caller then wants one planner alone.
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
