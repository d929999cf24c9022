package canonical

import (
	"math"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/plan"
)

// Idea: if no unplaced buffer crosses from one section to the next, the unplaced buffers on either side
// can be planned separately. A placement can open such a cut only within the extent of the placed buffer.
//
// Invariant: no component has an open cut inside, except the first one, which is the whole partition.
//
// The parts are ranked anew, because the key T has changed. Offsets still ascend, so a part keeps the
// offset bound of its parent, but not the rank. google/minimalloc restarts its parts at offset 0, and so
// explores plans that are not canonical.
//
// All parts are inferred before any part is searched. If one fails, the placement fails, whatever the others would
// give. The part with the least slack is searched first. A solved part keeps its offsets in best.
//
// A part is all that is unplaced between two cuts, so no lists have to be made.
//
// Complexity: O(sections of the placed buffer), plus ranking and sorting the parts.
//
// Source: MiniMalloc, section 7 (dynamic temporal decomposition).

// splits is the stack of parts that are still to be searched.
type splits struct {
	parts  []component
	slacks []int64   // per part: what orders the parts of a split
	firsts []Section // the result of openCuts
}

func (s *splits) reset() { s.parts, s.slacks = s.parts[:0], s.slacks[:0] }

// openCuts returns the first sections of the parts into which placing j has cut c. It returns none if
// there is only one part. The result holds until the next call.
func (k *Kernel) openCuts(c component, j common.Buffer) []Section {
	firsts := k.splits.firsts[:0]
	for s := k.of[j].first; s+1 < k.of[j].last; s++ {
		if k.cuts[s] != 0 || s+1 <= c.first || s+1 >= c.last {
			continue
		}
		if len(firsts) == 0 {
			firsts = append(firsts, c.first)
		}
		firsts = append(firsts, s+1)
	}
	k.splits.firsts = firsts
	return firsts
}

// searchParts splits c at these sections and searches each part.
func (k *Kernel) searchParts(c component, firsts []Section) common.Outcome {
	base := len(k.splits.parts)
	for p, first := range firsts {
		part := c
		part.first = first
		if p+1 < len(firsts) {
			part.last = firsts[p+1]
		}
		if k.any(part) {
			k.splits.parts, k.splits.slacks = append(k.splits.parts, part), append(k.splits.slacks, 0)
		}
	}
	r := k.searchEach(base, len(k.splits.parts))
	k.splits.parts, k.splits.slacks = k.splits.parts[:base], k.splits.slacks[:base]
	return r
}

// searchEach infers the parts [base, end) of the stack. Then it searches them, the one with the least slack first.
func (k *Kernel) searchEach(base, end int) common.Outcome {
	calm := k.waiting.calm
	for i := base; i < end; i++ {
		p := &k.splits.parts[i]
		if end-base > 1 {
			k.rankAll(*p)
			p.rank = -1
		}
		k.whoWaits(*p, calm)
		if !k.infer(*p) {
			k.Proof.refuted()
			return common.Exhausted
		}
	}
	parts, slacks := k.splits.parts[base:end], k.splits.slacks[base:end]
	for i := range parts {
		// Slack is how far the next placement may lie above the lowest buffer.
		slacks[i] = k.ceiling(parts[i]) - k.lowest(parts[i])
		for p := i; p > 0 && slacks[p] < slacks[p-1]; p-- {
			parts[p], parts[p-1] = parts[p-1], parts[p]
			slacks[p], slacks[p-1] = slacks[p-1], slacks[p]
		}
	}
	at := k.Proof.mark()
	for i := base; i < end; i++ {
		if r := k.search(k.splits.parts[i]); r != common.Solved {
			return r
		}
		if k.Tell != nil && end-base > 1 {
			k.say(plan.MoveDone, 0)
		}
		k.Proof.cut(at)
	}
	return common.Solved
}

// lowest returns the least offset of c's lowest buffer.
func (k *Kernel) lowest(c component) int64 {
	least := int64(math.MaxInt64)
	for _, j := range k.listOf(c) {
		least = min(least, k.lb[j])
	}
	return least
}
