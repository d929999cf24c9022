package beam

// Idea: passes lower plans whose sizes are alike, ejections those of heavy tails. Which of the two a problem needs is
// seen only while they run: a pass takes a fifth of the time of a turn of ejections, and either may lower the plan for
// long while the other one does not. So after each turn of ejections both are compared, by what they took off the plan
// for their time. The better one has more of the next turns, and the other less. Neither ever has none, since the
// answer changes as the plan gets lower.
//
// Invariant: a turn of passes ends after 1 to failsMost of them fail, one of ejections after one part in 1 to
// ejectShortest of their longest turn. Both depend on nodes and heights alone.
//
// Complexity: O(1) a turn.
//
// Source: this project. It is a bandit with two arms, and a memory of one turn.

const (
	// failsFirst is how many passes fail before the first turn of ejections, failsMost before any.
	failsFirst, failsMost = 2, 8
	// ejectCost is how many nodes of passes take as long as one of ejections.
	ejectCost = 6
	// ejectNodes is how many nodes the longest turn of ejections may take for each layout and buffer. The first turn is
	// one part in ejectGrowth of it.
	ejectNodes, ejectShortest, ejectGrowth = 16, 64, 4
)

// A balance divides the nodes of a run between passes and ejections.
type balance struct {
	fails int   // passes that may fail in the next turn of passes
	part  int64 // of ejectShortest, of the longest turn of ejections

	left        int   // passes that may still fail
	gain, nodes int64 // of the passes since the last turn of ejections
}

// begin makes the balance of a run: as another run has left it, or the first one.
func (b *balance) begin() {
	if b.part == 0 {
		b.fails, b.part = failsFirst, ejectShortest/ejectGrowth
	}
	b.left, b.gain, b.nodes = b.fails, 0, 0
}

// passed notes what a pass took off the plan. One that was narrow may fail.
func (b *balance) passed(gain, nodes int64, narrow bool) {
	b.gain, b.nodes = b.gain+gain, b.nodes+nodes
	if gain == 0 && !narrow {
		b.left--
	}
}

// ejected notes what a turn of ejections took off the plan, and divides the turns that follow.
func (b *balance) ejected(gain, nodes int64) {
	switch {
	case float64(gain)*float64(b.nodes) > float64(b.gain)*float64(nodes)*ejectCost:
		b.part, b.fails = min(ejectGrowth*b.part, ejectShortest), max(b.fails/2, 1)
	case b.gain > 0:
		b.part, b.fails = max(b.part/ejectGrowth, 1), min(2*b.fails, failsMost)
	case b.part > ejectShortest/ejectGrowth:
		b.part /= ejectGrowth
	default: // neither: ejections that are too brief never do
		b.part = min(2*b.part, ejectShortest/ejectGrowth)
	}
	b.begin()
}
