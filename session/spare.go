package session

import (
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: windows and long walks cost much if there is no plan. So exact search is asked for a moment before them, about
// all buffers that could be in the way. If it proves that there is no plan, the call is over. If it finds a plan, that
// one moves most buffers, so it is only spare: the steps go on, and only if none before hints finds a plan that moves
// less, the spare one is taken.
//
// Complexity: that of exact search, in at most exactNodes times the node limit.
//
// What stays undecided after it is mostly hard by its pins (docs/lab/session.md).

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
