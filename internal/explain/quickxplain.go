package explain

import (
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: to find a small infeasible part of an infeasible set, split the set in two halves. Keep all of the first half
// and find what the second must contribute, which is often nothing. Keep only that, and find what the first must
// contribute. A half that contributes nothing is removed in one run, however large it is.
//
// Invariant: base ∪ candidates is proven infeasible on entry, and base ∪ result on return. An
// undecided run counts as "fits". That keeps the invariant, and the result may be larger.
//
// A smaller set never fits worse. So if every run is decided, the result is irreducible: each
// buffer stays only after the rest was shown to fit.
//
// Complexity: O(k log(n/k) + k) runs for k buffers of n. Removal one by one takes n.
//
// Source: Junker, "QuickXplain", AAAI 2004. google/minimalloc's ComputeIrreducibleInfeasibleSubset removes buffers one
// by one, and reports the problem infeasible if a run times out.

// quickXplain returns the candidates that base needs to stay infeasible. fresh says that base
// has changed since it was last tried.
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

// polish removes buffers from an infeasible core, one by one, for as long as the rest is infeasible. It reports whether
// the rest was shown to fit without each of the buffers that stay. The core is ascending. Most answers are known
// already. A run that is needed may take its share of the time left.
func (t *trial) polish(core []int) (rest []int, irreducible bool) {
	for again := true; again; {
		// A set that was undecided in one pass may be decided once other buffers are gone.
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
