package tela

import "github.com/stowage-go/stowage/internal/run"

// switches turns each technique of the search on or off. No combination makes a plan invalid or a proof wrong; without
// "completion" a search that runs out of candidates ends undecided.
type switches struct {
	lifetime, size, area bool
	solverPlacement      bool
	grouping             bool
	conflictSet          bool
	promotion            bool
	starved              bool
	stuck                bool
	twins                bool
	partitions           bool
	widening             bool
	completion           bool
	sections             bool
	restarts             bool
}

// The strategies of figure 14.
const (
	strategyAll      = "all"
	strategyLifetime = "lifetime"
	strategySize     = "size"
	strategyArea     = "area"
	strategyLowest   = "lowest"
)

// settings are the techniques and the parameters.
type settings struct {
	switches
	strategy      string
	candidates    int  // most candidates that wait at a point
	narrow        bool // of a tree, rounds.go: those that were tried count, too
	stuckAfter    int64
	step          int // percent between thresholds
	effort        int64
	sectionsAfter int64
	restartAfter  int64
	maxPairs      int
}

// Declare lists the techniques and the parameters.
func (s *settings) Declare(d *run.Declaration) {
	d.Technique(&s.lifetime, "longest", "one candidate is the unplaced buffer with the longest lifetime")
	d.Technique(&s.size, "largest", "one candidate is the unplaced buffer with the largest size")
	d.Technique(&s.area, "widest", "one candidate is the unplaced buffer with the largest area (size × lifetime)")
	d.Technique(&s.solverPlacement, "solver-placement",
		"place at the lowest offset that the engine allows, holes included; without it, on the skyline")
	d.Technique(&s.grouping, "grouping",
		"place the buffers of one contention phase together, phases of high contention first")
	d.Technique(&s.conflictSet, "conflict-set",
		"backtrack to the latest placement that the failure depends on; without it, by one decision")
	d.Technique(&s.promotion, "promotion",
		"after a major backtrack, try its candidates first at the decision it goes back to")
	d.Technique(&s.starved, "starved",
		"after a major backtrack, also try the buffer that a candidate left without room, before the candidates")
	d.Technique(&s.stuck, "stuck", "leave the subtree of a decision after too many backtracks in it")
	d.Technique(&s.sections, "sections",
		"after some backtracks, reject a placement if a section then has too little room for its unplaced buffers")
	d.Technique(&s.twins, "twins", "among buffers of equal size, lifespan and alignment, only one is a candidate")
	d.Technique(&s.partitions, "partitions", "search parts of the problem that share no time separately")
	d.Technique(&s.widening, "widening",
		"when all candidates have failed, search again with twice as many at each decision")
	d.Technique(&s.restarts, "restarts",
		"after some backtracks, search other trees with fewer candidates, then come back with twice as many backtracks")
	d.Technique(&s.completion, "completion",
		"when all candidates have failed, decide by a complete search over the orders of pairs")
	d.Choice(&s.strategy, "strategy",
		"all, or only lifetime, size, area or lowest, as in the paper's figure 14; a single one has no phases, "+
			"sections or twins, tries every buffer, and backtracks by one decision",
		strategyAll, strategyLifetime, strategySize, strategyArea, strategyLowest)
	d.Int(&s.candidates, "candidates", 3, 1, 4096,
		"maximum number of candidates at a decision, before widening; further ones that promotion adds are dropped")
	d.Int64(&s.stuckAfter, "stuck-after", 100, 1, 1<<40,
		"number of backtracks after which the subtree of a decision is left")
	d.Int(&s.step, "threshold-step", 10, 1, 100, "distance of two phase thresholds, in percent of the peak contention")
	d.Int64(&s.restartAfter, "restart-after", 5000, 1, 1<<40,
		"number of backtracks after which a tree is left, in the first round")
	d.Int64(&s.effort, "effort", 20000, 1, 1<<40,
		"when minimising without a limit: steps in the last round before a capacity counts as too low")
	d.Int64(&s.sectionsAfter, "sections-after", 200, 0, 1<<40,
		"number of backtracks in a partition after which the technique sections begins")
	d.Int(&s.maxPairs, "max-pairs", 8388608, 1, 1<<28,
		"maximum number of conflicting pairs in a partition (about 30 bytes each); a problem with more is refused")
	switch s.strategy {
	case strategyAll:
		if !s.lifetime && !s.size && !s.area {
			d.Refuse("longest, largest and widest are all off: no buffer would be a candidate")
		}
	default:
		s.lifetime, s.size, s.area = s.strategy == strategyLifetime, s.strategy == strategySize, s.strategy == strategyArea
		s.grouping, s.conflictSet, s.promotion, s.starved, s.stuck = false, false, false, false, false
		s.sections, s.twins = false, false // figure 14 has the engine and no more
	}
}
