package explain

import (
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: to find a small part of an infeasible set that is infeasible by itself,
// split the set in two. Given all of the first half, find what the second must
// contribute, often nothing; given that, find what the first must. A half that
// contributes nothing goes in one run, however large it is.
//
// Invariant: base ∪ candidates is proven infeasible on entry, base ∪ result on
// return. A run that stays undecided counts as "fits": that keeps the invariant
// and costs only size.
//
// Fewer buffers never fit worse, so with every run decided the result is
// irreducible: each buffer stays only after the rest was seen to fit.
//
// Complexity: O(k log(n/k) + k) runs for k buffers of n; one by one it is n.
//
// Source: Junker, "QuickXplain", AAAI 2004. google/minimalloc's
// ComputeIrreducibleInfeasibleSubset removes buffers one by one and reports
// the problem infeasible where a run times out.

// quickXplain returns what candidates must add to base to stay infeasible;
// fresh says that base has changed since it was last asked.
func (t *trial) quickXplain(base []int, fresh bool, candidates []int) []int {
	if fresh && t.ask(base) == model.Infeasible {
		return nil
	}
	if len(candidates) <= 1 || t.over() {
		return candidates
	}
	first, second := candidates[:len(candidates)/2], candidates[len(candidates)/2:]
	keep := t.quickXplain(slices.Concat(base, first), true, second)
	also := t.quickXplain(slices.Concat(base, keep), len(keep) > 0, first)
	return slices.Concat(also, keep)
}

// polish removes from an infeasible core, ascending, one by one, what may go
// after all, and reports whether the rest was shown to fit without each of those
// that stay. Mostly the answers are known already; a run that is needed may take
// its share of the time that is left.
func (t *trial) polish(core []int) (rest []int, irreducible bool) {
	for again := true; again; {
		// What stayed undecided in one pass may be decided once others are gone.
		again, irreducible = false, true
		for k := 0; k < len(core); {
			if t.over() {
				return core, false
			}
			t.stretch(len(core) - k)
			rest := slices.Delete(slices.Clone(core), k, k+1)
			switch t.ask(rest) {
			case model.Infeasible:
				core, again = rest, !irreducible
			case model.Unknown:
				irreducible = false
				k++
			default:
				k++
			}
		}
	}
	return core, irreducible
}
