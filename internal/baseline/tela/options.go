package tela

import (
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/plan"
)

// switches turns each technique of the search on or off. No combination makes a
// plan invalid or a proof wrong; without "completion" a search that runs out of
// candidates ends undecided.
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
	d.Technique(&s.lifetime, "longest", "a candidate is the unplaced buffer with the longest lifetime")
	d.Technique(&s.size, "largest", "a candidate is the unplaced buffer of the largest size")
	d.Technique(&s.area, "widest", "a candidate is the unplaced buffer of the largest area, size times lifetime")
	d.Technique(&s.solverPlacement, "solver-placement", "place at the lowest offset that the engine allows, holes included; without it on the skyline")
	d.Technique(&s.grouping, "grouping", "place the buffers of a contention phase together, phases of high contention first")
	d.Technique(&s.conflictSet, "conflict-set", "go back to the latest placement that the failure follows from; without it by one point")
	d.Technique(&s.promotion, "promotion", "a major backtrack takes its candidates along, to the front of those of its target")
	d.Technique(&s.starved, "starved", "a major backtrack also takes along the buffer that a candidate left without room, in front of the candidates")
	d.Technique(&s.stuck, "stuck", "leave the subtree of a point after too many backtracks in it")
	d.Technique(&s.sections, "sections", "after some backtracks, give up a placement that leaves a section too little room for what is unplaced there")
	d.Technique(&s.twins, "twins", "of buffers alike in size, lifespan and alignment only one is a candidate")
	d.Technique(&s.partitions, "partitions", "search the parts of the problem that share no time apart")
	d.Technique(&s.widening, "widening", "when all candidates have failed, search again with twice as many a point")
	d.Technique(&s.restarts, "restarts", "leave a tree after so many backtracks for others, which have fewer candidates, and come back to it with twice as many")
	d.Technique(&s.completion, "completion", "when all candidates have failed, decide by complete search over the orders of pairs")
	d.Choice(&s.strategy, "strategy", "all, or one alone as in the paper's figure 14: lifetime, size, area, lowest; one alone has no phases, tries every buffer, goes back one point at a time and looks at no sections or twins",
		strategyAll, strategyLifetime, strategySize, strategyArea, strategyLowest)
	d.Int(&s.candidates, "candidates", 3, 1, 4096, "most candidates that wait to be tried at a point, before widening; what a promotion pushes beyond is dropped")
	d.Int64(&s.stuckAfter, "stuck-after", 100, 1, 1<<40, "backtracks in the subtree of a point after which it is left")
	d.Int(&s.step, "threshold-step", 10, 1, 100, "percent of the peak contention between one phase threshold and the next")
	d.Int64(&s.restartAfter, "restart-after", 5000, 1, 1<<40, "backtracks after which a tree is left, in the first round")
	d.Int64(&s.effort, "effort", 20000, 1, 1<<40, "steps that minimising spends on a capacity before it calls it too low, in its last round where no limit is set")
	d.Int64(&s.sectionsAfter, "sections-after", 200, 0, 1<<40, "backtracks of a partition after which sections are looked at")
	d.Int(&s.maxPairs, "max-pairs", 8388608, 1, 1<<28, "most conflicting pairs of a partition, about 30 bytes each; a denser problem is refused")
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

// Ours returns the techniques that are not in the paper. Without them tela is
// TelaMalloc as it was published. The completion, which is ours too, is another search
// and not among them.
func Ours() []string { return []string{"starved", "sections", "twins", "widening", "restarts"} }

// info describes the planner, or one that adds to it.
func info(name string) plan.Info {
	return run.Describe(plan.Info{
		Name:    name,
		Moves:   true,
		Summary: "heuristic search that a constraint engine guides, with conflict-driven backtracks",
		Source:  "Maas, Beaunon, Chauhan, Ilbeyi, TelaMalloc, ASPLOS 2023; starved, sections, twins, widening, restarts and completion are Stowage's",
	}, func() run.Settings { return new(settings) })
}
