package session

import (
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: windows and long walks cost much if there is no plan. So exact search is asked briefly before them, about all
// buffers that could be in the way. A proof that there is no plan ends the call. A plan of exact search moves most
// buffers, so it is only spare: it is taken if no step before fresh finds a plan that moves less.
//
// Complexity: that of exact search, in at most exactNodes times the node limit.
//
// Calls that it leaves undecided are mostly hard by their pins (docs/lab/session.md).

// ahead asks exact search. It returns only a proof; a plan is kept in c.spare.
func (c *call) ahead() (Answer, placing, error) {
	exact, err := run.Lookup("exact")
	if err != nil {
		return Answer{}, placing{}, err
	}
	all := c.ground.all()
	r, err := c.question(all, exact, c.exactly(len(all)), nil, hintNone)
	if r.plan.at != nil {
		c.moveBack(r.plan)
		c.spare, r.status = r.plan, model.Unknown
	}
	return Answer{Status: r.status, Proof: r.proof}, placing{}, err
}

// spared takes the spare plan, if there is one.
func (c *call) spared() (Answer, placing, error) { return Answer{}, c.spare, nil }
