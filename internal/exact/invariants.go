//go:build invariants

package exact

import (
	"strconv"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
)

// Under the tag invariants the search checks itself: every so many nodes what
// is kept up step by step is computed from scratch and compared, and each
// placement that is taken back must leave the state as it was. A difference is a
// panic. Without the tag the calls are empty (invariants_off.go).
//
// It is for what the comments call an invariant; what only a proof could show,
// such as that no plan is under a bound, is left to the tests against the oracle.

// checks is off while a test counts what the search asks for.
var checks = true

// checkWork bounds the pairs of buffers that one check compares.
const checkWork = 1 << 18

// due reports whether this node is checked: each one of a small partition, and
// in the others one in so many that the search stays several times as fast as
// the checks.
func (k *kernel) due() bool { return checks && (k.n <= 16 || k.nodes%int64(k.n) == 1) }

// check compares the state with what follows from the placed buffers.
func (k *kernel) check(c component) {
	if !k.due() {
		return
	}
	k.checkList(c)
	k.checkSections(c)
	k.checkBounds(c)
}

// checkList checks that c has exactly the unplaced buffers of its sections, in
// order, each with a rank of its own.
func (k *kernel) checkList(c component) {
	in := make([]bool, k.n)
	ranks := make(map[int32]bool, len(c.list))
	for i, j := range c.list {
		k.must(!in[j] && !k.placed[j] && k.first[j] >= c.first && k.last[j] <= c.last, "buffer is in the list and must not be", j)
		in[j] = true
		k.must(!ranks[k.rank[j]] && k.rank[j] >= 0 && Buffer(k.rank[j]) < k.n, "rank is another buffer's or out of range", j)
		ranks[k.rank[j]] = true
		k.must(i == 0 || k.less(c.list[i-1], j), "list is out of order", j)
	}
	for j := range k.n {
		k.must(in[j] || k.placed[j] || k.last[j] <= c.first || k.first[j] >= c.last, "unplaced buffer is not in the list", j)
	}
}

// checkSections checks totals, cuts and floors of the sections of c.
func (k *kernel) checkSections(c component) {
	total, floor, cuts := make([]int64, k.m), make([]int64, k.m), make([]int32, k.m)
	for j := range k.n {
		spans := []span{{k.first[j], k.last[j], 0, k.size[j]}}
		if !k.plain {
			spans = k.spansOf(j)
		}
		for _, span := range spans {
			for s := span.first; s < span.last; s++ {
				if k.placed[j] {
					floor[s] = max(floor[s], k.best[j]+span.upper)
				} else {
					total[s] += span.upper - span.lower
				}
			}
		}
		for s := k.first[j]; !k.placed[j] && s+1 < k.last[j]; s++ {
			cuts[s]++
		}
	}
	for s := c.first; s < c.last; s++ {
		k.mustEqual("total of section", int(s), k.total[s], total[s])
		if !k.sw.suffixBound {
			k.mustEqual("floor of section", int(s), k.floor[s], floor[s])
		}
		if s+1 < c.last {
			k.mustEqual("cuts after section", int(s), int64(k.cuts[s]), int64(cuts[s]))
			k.must(cuts[s] > 0 || !k.sw.decomposition || k.nodes <= 1, "component has an open cut after section", Buffer(s))
		}
	}
}

// checkBounds checks ub, lb and inf of the buffers of c, in a large partition of
// some of them.
func (k *kernel) checkBounds(c component) {
	var limit int64
	for j := range k.n {
		limit = max(limit, k.ub[j]+k.size[j])
	}
	k.mustEqual("limit of capacity", 0, k.limit, limit)
	stride := 1 + len(c.list)*int(k.n)/checkWork
	for i := 0; i < len(c.list); i += stride {
		j := c.list[i]
		lb := k.start[j]
		for p := range k.n {
			if !k.placed[p] {
				continue
			}
			if d, meet := k.above(p, j); meet {
				lb = max(lb, bound.Up(k.best[p]+d, k.align[j]))
			}
		}
		k.mustEqual("lb of buffer", int(j), k.lb[j], lb)
		k.must(k.lb[j] <= k.inf[j] && k.inf[j] <= k.ub[j], "inf is not between lb and ub", j)
		k.must(k.inf[j]%k.align[j] == 0, "inf is not aligned", j)
		k.must(!k.isStack(c) || k.lb[j] == k.lb[c.list[0]], "stack rests on more than one top", j)
	}
}

// snapshot is a copy of what undo restores.
type snapshot struct {
	taken         bool
	cells, total  []int64
	cuts, rank    []int32
	placed        []bool
	dropped, used int
}

// snap copies the state where the node is checked.
func (k *kernel) snap() snapshot {
	if !k.due() {
		return snapshot{}
	}
	return snapshot{
		true, append([]int64(nil), k.cells...), append([]int64(nil), k.total...),
		append([]int32(nil), k.cuts...), append([]int32(nil), k.rank...), append([]bool(nil), k.placed...), k.dropped, k.used,
	}
}

// restored checks that the state is that of the snapshot. Bounds are not
// restored where the way back was dropped meanwhile.
func (k *kernel) restored(s snapshot) {
	if !s.taken {
		return
	}
	k.mustEqual("use of the arena after undo", 0, int64(k.used), int64(s.used))
	for at := range s.cells {
		if k.dropped == s.dropped {
			k.mustEqual("cell after undo", at, k.cells[at], s.cells[at])
		}
	}
	for at := range s.cuts {
		k.mustEqual("total after undo of section", at, k.total[at], s.total[at])
		k.mustEqual("cuts after undo of section", at, int64(k.cuts[at]), int64(s.cuts[at]))
	}
	for j := range k.n {
		k.mustEqual("rank after undo of buffer", int(j), int64(k.rank[j]), int64(s.rank[j]))
		k.must(k.placed[j] == s.placed[j], "placed after undo differs", j)
	}
}

func (k *kernel) mustEqual(what string, at int, got, want int64) {
	if got != want {
		panic("exact: invariant broken at node " + strconv.FormatInt(k.nodes, 10) + ": " + what + " " + strconv.Itoa(at) +
			" is " + strconv.FormatInt(got, 10) + ", from scratch " + strconv.FormatInt(want, 10))
	}
}

func (k *kernel) must(ok bool, what string, j Buffer) {
	if !ok {
		panic("exact: invariant broken at node " + strconv.FormatInt(k.nodes, 10) + ": " + what + ": " + strconv.Itoa(int(j)))
	}
}

// check compares the bounds of a complete search with its decided pairs: lb
// satisfies them all, and no bound is out of reach.
func (x *interlock) check() {
	for i := range x.out {
		if x.lb[i] > x.ub[i] || x.lb[i]%x.align[i] != 0 {
			panic("exact: invariant broken: interlocked buffer " + strconv.Itoa(i) + " has no offset between its bounds")
		}
		for _, a := range x.out[i] {
			if x.lb[a.to] < x.lb[i]+a.w || x.ub[i] > x.ub[a.to]-a.w {
				panic("exact: invariant broken: bounds of interlocked buffers " + strconv.Itoa(i) + " and " + strconv.Itoa(int(a.to)) + " break their order")
			}
		}
	}
}

// check compares the incumbent with what is said of it.
func (n *interval) check(p *model.Problem) {
	if n.best != nil && (model.HeightOf(p, n.best) != n.height || n.height > n.roof || n.bound > n.height) {
		panic("exact: invariant broken: a plan of height " + strconv.FormatInt(model.HeightOf(p, n.best), 10) + " is said to have " +
			strconv.FormatInt(n.height, 10) + ", with the bound " + strconv.FormatInt(n.bound, 10) + " and the roof " + strconv.FormatInt(n.roof, 10))
	}
}
