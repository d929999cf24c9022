package plan

import (
	"time"

	"github.com/stowage-go/stowage/model"
)

// A Turn is one run of a part of a planner that runs several, such as auto. Each turn starts from the best plan so far.
type Turn struct {
	// Planner is the name of the part: a planner, or "heuristics". In a run of auto, "exact" is
	// exact search without the turns of merge that the planner exact has.
	Planner string
	// Round counts the rounds in which the parts take turns, from 1. It is 0 for a turn before the first round.
	Round int
	// Reason says in a few words why the turn came.
	Reason string
	// NodeLimit is the number of nodes that the part could take, as the part counts them; 0
	// if only the limits of the run ended it.
	NodeLimit int64
	// Nodes counts the nodes that the turn took, as the whole run counts them.
	Nodes int64
	// Elapsed is the wall-clock time of the turn.
	Elapsed time.Duration
	// Height is the height in bytes of the lowest plan after the turn, even if it is above
	// the capacity; 0 if there is none.
	Height int64
	// Member is the name of the part that found that plan, as Result.Member has it.
	Member string
	// LowerBound is the proven bound in bytes after the turn: no plan is lower.
	LowerBound int64
	// Measures has the values of the best plan after the turn, if the problem has rules; nil if there is no plan.
	// Planner then is the name of a stage.
	Measures []model.Value
}
