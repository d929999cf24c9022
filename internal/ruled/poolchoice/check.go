package poolchoice

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/ruled/pools"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: the branches of the linear program (assign/cores.go) end in assignments whose loads fit. Here the planner is
// asked whether such an assignment packs, window by window (pools/windows.go), in this order:
//
//	hot     windows that had no plan for other assignments
//	scan    windows of 8, 16, ... 128 sections, each a quarter of its length after the one before. If few nodes
//	        find no plan of a window, it is made shorter as long as that stays so. Then it gets many nodes
//	roll    if all windows have plans, a plan from window to window, from the hardest section on
//	pack    the whole set, as elsewhere (pack.go)
//
// If a window has no plan, bodies are taken out of it one by one. A body stays out if the rest has no plan either. The
// bodies that remain are a core, and become a row of the linear program. If an assignment is left undecided, its
// shortest undecided window becomes a guess.
//
// Invariant: a core that is no guess is proven to have no plan, so no bound is false. If the answer is that an
// assignment packs, its plan is known.
//
// Complexity: a question for each window that no earlier assignment has had, with at most mostProof nodes. A question
// of the first pass has proofNodes, and of each later pass five times as many.
//
// Trials: docs/lab/ruled.md (a window of a set can be refuted, the whole set cannot; no core could be lifted).

const (
	scanNodes   = 3_000  // of a question of the scan
	proofNodes  = 40_000 // of a question about a window that scanNodes do not pack, in the first pass
	mostProof   = 1_000_000
	rollNodes   = 10_000 // of a window of a roll
	mostHot     = 50     // windows of earlier cores that are asked about first
	mostRolls   = 6      // tries to roll over a set
	mostUnknown = 4      // windows of one assignment that are left undecided
	mostMissed  = 2      // undecided assignments before the first core or the first assignment that packs
)

// A checker checks assignments of the linear program (assign/cores.go).
type checker struct {
	packing  *packing
	lowering *lower.Lowering
	plans    *pools.Search
	loads    *assign.Choices
	windows  *pools.Windows
	pool     int32
	strip    []int32  // of each of Bodies, the body of the strip, or -1
	body     []int32  // of each body of the strip, its index in Bodies
	hot      []window // windows of earlier cores, the latest first
	nodes    int64    // of a question that may prove a core
	named    int      // cores
	packed   int      // assignments
	missed   int      // assignments that were left undecided
	cut      bool     // the last pass was cut off
	halt     func()   // ends the check
	err      error
}

// A window is the sections [first, last) of the strip.
type window struct{ first, last int32 }

// check makes a first pass.
func (x *packing) check(ctx context.Context) (err error) {
	x.checker = x.checkerOf()
	x.useful, err = x.checker.pass(ctx, 2)
	return err
}

// checkOn makes passes until a pass is of no use, or until two passes, each with half of a limit, were cut off.
func (x *packing) checkOn(ctx context.Context) (err error) {
	for cuts := 0; cuts < 2; {
		x.useful, err = x.checker.pass(ctx, 2)
		if err != nil || !x.useful {
			return err
		}
		if x.checker.cut {
			cuts++
		}
	}
	return nil
}

// pass goes through the branches. It has 1/parts of the time that is left. It reports whether a further pass may be of
// use.
func (k *checker) pass(ctx context.Context, parts int) (bool, error) {
	if k == nil || k.packing.found || k.nodes > mostProof || k.packing.least <= k.loads.Low || k.plans.Over(ctx) {
		return false, nil
	}
	upper := k.packing.least
	if upper == math.MaxInt64 {
		upper = 1
		for n := range k.loads.Bodies {
			upper += k.loads.Bodies[n].Costs[len(k.loads.Bodies[n].Costs)-1]
		}
	}
	now, cancel := run.Share(ctx, parts)
	defer cancel()
	now, k.halt = context.WithCancel(now)
	defer k.halt()
	low := k.loads.Checked(now, upper, func(of assign.Assignment) assign.Check { return k.check(now, of) })
	k.loads.Low = max(k.loads.Low, min(low, k.packing.least))
	k.packing.found = k.loads.Low >= k.packing.least
	if k.cut = now.Err() != nil; !k.cut {
		k.nodes *= 5
	}
	return k.named > 0 || k.packed > 0, k.err
}

// checkerOf prepares the windows of the pool whose room may run out. It returns nil if there is no such pool, or more
// than one.
func (x *packing) checkerOf() *checker {
	if !x.loads.CanCheck() || !x.costFirst {
		return nil
	}
	k := &checker{packing: x, lowering: x.lowering, plans: x.plans, loads: x.loads, pool: -1, nodes: proofNodes}
	for q := range x.lowering.Pools {
		if x.lowering.Pools[q].Capacity > 0 {
			if k.pool >= 0 {
				return nil
			}
			k.pool = int32(q)
		}
	}
	if k.pool < 0 {
		return nil
	}
	var members []int32
	for n := range x.loads.Bodies {
		if slices.Contains(x.loads.Bodies[n].Pools, k.pool) {
			members = append(members, x.loads.Bodies[n].Members...)
		}
	}
	slices.Sort(members)
	if k.windows = x.plans.WindowsOf(k.pool, members); k.windows == nil {
		return nil
	}
	k.body = make([]int32, len(k.windows.First))
	for n := range x.loads.Bodies {
		at, ok := k.windows.Body[x.loads.Bodies[n].Members[0]]
		if !ok {
			at = -1
		} else {
			k.body[at] = int32(n)
		}
		k.strip = append(k.strip, at)
	}
	return k
}

// asked asks about a window, and keeps an error.
func (k *checker) asked(ctx context.Context, set []int32, w window, nodes int64) model.Status {
	status, err := k.windows.Ask(ctx, set, w.first, w.last, nodes)
	if err != nil {
		k.err = err
	}
	return status
}

// check says whether an assignment packs. If it does not, check adds cores.
func (k *checker) check(ctx context.Context, of assign.Assignment) assign.Check {
	var set []int32
	for n := range k.loads.Bodies {
		if (&core{pool: k.pool, bodies: []int32{int32(n)}}).heldBy(k.loads, of) {
			set = append(set, k.strip[n])
		}
	}
	slices.Sort(set)
	refused := false
	for _, w := range slices.Clone(k.hot) {
		if k.asked(ctx, set, w, k.nodes) == model.Infeasible {
			k.name(ctx, set, w)
			refused = true
		}
	}
	if refused {
		return assign.Refused
	}
	var guess *window // the first one that is left undecided
	unknown := 0
	for length := int32(8); length < 2*k.windows.Sections && length <= 128; length *= 2 {
		for first := int32(0); first+length/2 < k.windows.Sections; first += length / 4 {
			if k.err != nil || k.plans.Over(ctx) {
				return assign.Undecided
			}
			w := window{first, min(first+length, k.windows.Sections)}
			if k.asked(ctx, set, w, scanNodes).HasPlan() {
				continue
			}
			w = k.shrink(ctx, set, w)
			switch k.asked(ctx, set, w, k.nodes) {
			case model.Infeasible:
				k.name(ctx, set, w)
				refused = true
				first = w.first + 1 - length/4
			case model.Unknown:
				if guess == nil {
					guess = &w
				}
				if unknown++; unknown == mostUnknown {
					return k.undecided(set, guess)
				}
			}
		}
		if refused {
			return assign.Refused
		}
	}
	if guess != nil {
		return k.undecided(set, guess)
	}
	if k.roll(ctx, of, set) {
		k.packed++
		return assign.Packs
	}
	k.packing.nodes = min(k.nodes, pools.MoreNodes)
	failed, err := k.packing.try(ctx, of)
	k.packing.nodes = pools.PackNodes
	switch {
	case err != nil:
		k.err = err
		return assign.Undecided
	case failed < 0:
		k.packed++
		return assign.Packs
	case failed == k.pool:
		members := split(k.lowering.Pools, k.loads.PoolOf(of))[failed]
		if status, err := k.plans.Packs(ctx, failed, members, 0); err == nil && status == model.Infeasible {
			k.name(ctx, set, window{0, k.windows.Sections})
			return assign.Refused
		}
	}
	return k.undecided(set, &window{0, k.windows.Sections})
}

// undecided guesses that a window of a set has no plan.
func (k *checker) undecided(set []int32, guess *window) assign.Check {
	if k.missed++; k.missed >= mostMissed && k.named == 0 && k.packed == 0 {
		k.halt() // windows do not help with this set
	}
	k.add(k.windows.Within(set, guess.first, guess.last), k.loads.AddGuess)
	return assign.Undecided
}

// roll looks for a plan window by window, starting at a section that is hard to pack.
func (k *checker) roll(ctx context.Context, of assign.Assignment, set []int32) bool {
	at := k.windows.Sections / 2
	if len(k.hot) > 0 {
		at = (k.hot[0].first + k.hot[0].last) / 2
	}
	for n := range int32(mostRolls) {
		if k.err != nil || k.plans.Over(ctx) {
			return false
		}
		length := 48 + 24*(n%4)
		stuck, err := k.windows.Roll(ctx, k.pool, set, at, length, rollNodes)
		k.err = cmp.Or(k.err, err)
		if stuck < 0 {
			failed, err := k.packing.try(ctx, of)
			k.err = cmp.Or(k.err, err)
			return failed < 0
		}
		if stuck == at {
			stuck = (at + length/2) % k.windows.Sections // no hard section is known
		}
		at = stuck
	}
	return false
}

// shrink makes a window of a set shorter as long as few nodes find no plan of it.
func (k *checker) shrink(ctx context.Context, set []int32, w window) window {
	for step := w.last - w.first; step > 0; {
		switch {
		case step >= w.last-w.first:
		case !k.asked(ctx, set, window{w.first, w.last - step}, scanNodes).HasPlan():
			w.last -= step
			continue
		case !k.asked(ctx, set, window{w.first + step, w.last}, scanNodes).HasPlan():
			w.first += step
			continue
		}
		step /= 2
	}
	return w
}

// free reports whether better assignments may have a body of the strip in the pool, and may have it out.
func (k *checker) free(i int32) bool {
	n := int(k.body[i])
	return n >= k.loads.Single && k.loads.Sure(int32(n-k.loads.Single)) < 0
}

// ruledOut reports whether no better assignment has a body of the strip in the pool.
func (k *checker) ruledOut(i int32) bool {
	n := int(k.body[i])
	return n >= k.loads.Single && k.loads.Sure(int32(n-k.loads.Single)) == 0
}

// name turns a window that has no plan into a core.
func (k *checker) name(ctx context.Context, set []int32, w window) {
	at := slices.Index(k.hot, w)
	if at >= 0 {
		k.hot = slices.Delete(k.hot, at, at+1)
	}
	k.hot = slices.Insert(k.hot, 0, w)
	k.hot = k.hot[:min(len(k.hot), mostHot)]
	all := k.windows.Within(set, w.first, w.last)
	var free []int32
	for _, i := range all {
		if k.ruledOut(i) {
			return // it says nothing
		}
		if k.free(i) {
			free = append(free, i)
		}
	}
	area := func(i int32) int64 {
		return k.windows.Area(i, w.first, w.last)
	}
	slices.SortStableFunc(free, func(i, j int32) int { return cmp.Compare(area(i), area(j)) })
	for _, i := range free {
		rest := slices.DeleteFunc(slices.Clone(all), func(j int32) bool { return i == j })
		if k.asked(ctx, rest, w, k.nodes) == model.Infeasible {
			all = rest
		}
	}
	k.named++
	k.add(all, k.loads.AddCore)
}

// add calls add with the row of a core.
func (k *checker) add(all []int32, add func(pool int32, bodies []int32, most int64)) {
	var bodies []int32
	for _, i := range all {
		if k.ruledOut(i) {
			return
		}
		if k.free(i) {
			bodies = append(bodies, k.body[i]-int32(k.loads.Single))
		}
	}
	add(k.pool, bodies, int64(len(bodies))-1)
}
