package canonical

import (
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/invariants"
)

// Under the build tag invariants the search checks itself. At some nodes it computes from scratch what it keeps step by
// step, and compares. Each placement that is taken back must leave the state as it was. A difference is a panic.
//
// This file checks what the comments call an invariant. What only a proof can show, such as
// that no plan is below a bound, is left to the tests against the oracle.

// checks is false while a test changes a kernel in ways that the checks refuse.
var checks = true

// checkWork is the number of pairs that one check compares, roughly.
const checkWork = 1 << 18

// due reports whether this node is checked: every node of a small partition, and one node in n
// of the others, so that the checks take no more than a few times the search.
func (k *Kernel) due() bool { return checks && (k.n <= 16 || k.Nodes%int64(k.n) == 1) }

// check compares the state with what follows from the placed buffers.
func (k *Kernel) check(c component) {
	if !k.due() {
		return
	}
	k.checkComponent(c)
	k.checkSections(c)
	k.checkBounds(c)
}

// checkComponent checks that the unplaced buffers in the number range of c are exactly those
// that touch its sections, that each lies within c, and that each has its own rank.
func (k *Kernel) checkComponent(c component) {
	low, high := k.buffersOf(c)
	ranks := make(map[int32]bool)
	for j := range k.n {
		if k.placed(j) {
			continue
		}
		in := j >= low && j < high
		k.must(in == (k.of[j].first < c.last && k.of[j].last > c.first),
			"buffer is in the component and must not be, or the other way round", j)
		if in {
			k.must(k.of[j].first >= c.first && k.of[j].last <= c.last, "buffer crosses from the component to another", j)
			k.must(!ranks[k.ranks.of[j]] && k.ranks.of[j] >= 0 && common.Buffer(k.ranks.of[j]) < k.n,
				"rank is another buffer's or out of range", j)
			ranks[k.ranks.of[j]] = true
		}
	}
}

// checkSections checks what is kept for the sections of c: sums, floors, runs and members. No
// section is dirty between two placements.
func (k *Kernel) checkSections(c component) {
	total, floor, live, edges, cuts := make([]int64, k.m), make([]int64, k.m), make([]int32, k.m+1), make([]int32, k.m+1),
		make([]int32, k.m)
	highest := make([]int64, k.m)
	copy(total, k.effective.allowance)
	for x := range k.span {
		at, size, j := k.span[x], k.block[x].size, k.owner[x]
		want := int64(gone)
		if !k.placed(j) {
			want = k.inf[j] + at.lower
			edges[at.first]++
			edges[at.last]++
		}
		k.mustEqual("start of piece", x, k.block[x].start, want)
		for s := at.first; s < at.last; s++ {
			if k.placed(j) {
				floor[s] = max(floor[s], k.best[j]+at.lower+size)
			} else {
				total[s] += size
				live[s]++
				highest[s] = max(highest[s], want)
			}
		}
	}
	for j := range k.n {
		for s := k.of[j].first; !k.placed(j) && s+1 < k.of[j].last; s++ {
			cuts[s]++
		}
	}
	looks := k.sw.SuffixBound || k.sw.NotFirst
	for s := c.first; s < c.last; s++ {
		k.mustEqual("total of section", int(s), k.total[s], total[s])
		k.mustEqual("members left in section", int(s), int64(k.live[s]), int64(live[s]))
		k.mustEqual("edges of section", int(s), int64(k.runs.edges[s]), int64(edges[s]))
		begins := k.runs.starts[s>>6]>>(s&63)&1 == 1
		k.must(begins == (edges[s] > 0), "section begins a run and must not, or the other way round", common.Buffer(s))
		k.must(!begins || !looks || k.tops.of[s] >= highest[s], "a piece starts above the top of section", common.Buffer(s))
		k.must(!looks || k.runs.dirty[s>>6]>>(s&63)&1 == 0, "section is dirty", common.Buffer(s))
		if !k.sw.SuffixBound {
			k.mustEqual("floor of section", int(s), k.floors.of[s], floor[s])
		}
		if s+1 < c.last {
			k.mustEqual("cuts after section", int(s), int64(k.cuts[s]), int64(cuts[s]))
			k.must(cuts[s] > 0 || !k.sw.Decomposition || k.Nodes <= 1, "component has an open cut after section",
				common.Buffer(s))
		}
		if int(s)%k.stride() == 0 {
			k.checkMembers(s)
		}
	}
}

// stride is the distance between sections that are checked against all pieces.
func (k *Kernel) stride() int { return 1 + len(k.span)*int(k.m)/checkWork }

// checkMembers checks that the list of section s has exactly its members, each once.
func (k *Kernel) checkMembers(s Section) {
	if k.members.list == nil {
		return
	}
	in := make(map[Piece]bool)
	for _, x := range k.members.of(s) {
		k.must(!in[x] && k.span[x].first <= s && s < k.span[x].last, "list of section has a piece twice, or one of another",
			common.Buffer(s))
		in[x] = true
	}
	for x := range k.span {
		k.must(in[Piece(x)] || s < k.span[x].first || s >= k.span[x].last, "list of section lacks a piece", common.Buffer(s))
	}
}

// checkFixpoint checks that the inferences find nothing more in any section of c. So the
// sections that were skipped needed no inference.
func (k *Kernel) checkFixpoint(c component) {
	if !k.due() || k.huge || k.inferenceCut {
		return
	}
	for s := c.first; s < c.last; s += Section(k.stride()) {
		if k.runs.first(s) != s {
			continue // it has the same pieces as the section before, and perhaps less allowance
		}
		var in []Piece
		for x := range k.span {
			if k.span[x].first <= s && s < k.span[x].last && !k.placed(k.owner[x]) {
				in = append(in, Piece(x))
			}
		}
		for _, x := range in {
			b := k.block[x]
			above, least := k.effective.allowance[s], int64(gone)
			for _, y := range in {
				if k.block[y].start >= b.start {
					above += k.block[y].size
				}
				if y != x {
					least = min(least, k.block[y].start+k.block[y].size)
				}
			}
			k.must(!k.sw.SuffixBound || b.start+above <= k.limit,
				"what is above a level does not fit, which was missed in section", common.Buffer(s))
			k.must(!k.sw.NotFirst || b.start+k.total[s] <= k.limit || b.start >= least,
				"a buffer cannot be lowest, which was missed in section", common.Buffer(s))
		}
	}
}

// checkBounds checks ub, lb and inf of the buffers of c. In a large partition it checks some of them.
func (k *Kernel) checkBounds(c component) {
	var limit int64
	for j := range k.n {
		limit = max(limit, k.of[j].ub+k.of[j].shift+bound.Up(k.of[j].rawSize, k.unit))
	}
	k.mustEqual("limit of capacity", 0, k.limit, limit)
	list := k.listOf(c)
	stride := 1 + len(list)*int(k.n)/checkWork
	for i := 0; i < len(list); i += stride {
		j := list[i]
		lb := k.of[j].start
		if k.holes.any {
			lb = k.holes.above(j, lb)
		}
		for p := range k.n {
			if !k.placed(p) {
				continue
			}
			if d, meet := k.distance(p, j); meet {
				lb = max(lb, k.alignUp(j, k.best[p]+d))
			}
			if k.holes.any {
				lb = k.holes.above(j, lb)
			}
		}
		k.mustEqual("lb of buffer", int(j), k.lb[j], lb)
		k.must(k.lb[j] <= k.inf[j] && k.inf[j] <= k.of[j].ub, "inf is not between lb and ub", j)
		k.must((k.inf[j]+k.of[j].shift)%k.of[j].align == 0, "inf is not aligned", j)
		k.must(!k.holes.any || k.holes.above(j, k.inf[j]) == k.inf[j], "inf is in no hole", j)
		k.must(!k.isStack(c) || k.lb[j] == k.lb[list[0]], "stack rests on more than one top", j)
	}
}

// snapshot is a copy of what undo restores.
type snapshot struct {
	taken                   bool
	cells, total            []int64
	cuts, rank, live, edges []int32
	unplaced, runs          []uint64
	block                   []block
	dropped                 int
}

// snap copies the state if the node is checked.
func (k *Kernel) snap() snapshot {
	if !k.due() {
		return snapshot{}
	}
	return snapshot{
		true, slices.Clone(k.cells), slices.Clone(k.total), slices.Clone(k.cuts), slices.Clone(k.ranks.of),
		slices.Clone(k.live), slices.Clone(k.runs.edges),
		slices.Clone(k.unplaced), slices.Clone(k.runs.starts), slices.Clone(k.block), k.trail.dropped,
	}
}

// restored checks that the state equals the snapshot. Cells and blocks are not restored if
// part of the trail was dropped meanwhile, so they are then not compared.
func (k *Kernel) restored(s snapshot) {
	if !s.taken {
		return
	}
	if k.trail.dropped == s.dropped {
		for at := range s.cells {
			k.mustEqual("cell after undo", at, k.cells[at], s.cells[at])
		}
		for x := range s.block {
			k.must(k.block[x] == s.block[x], "block after undo differs", common.Buffer(x))
		}
	}
	for at := range k.m {
		k.mustEqual("total after undo of section", int(at), k.total[at], s.total[at])
		k.mustEqual("cuts after undo of section", int(at), int64(k.cuts[at]), int64(s.cuts[at]))
		k.mustEqual("live after undo of section", int(at), int64(k.live[at]), int64(s.live[at]))
		k.mustEqual("edges after undo of section", int(at), int64(k.runs.edges[at]), int64(s.edges[at]))
	}
	for j := range k.n {
		k.mustEqual("rank after undo of buffer", int(j), int64(k.ranks.of[j]), int64(s.rank[j]))
	}
	k.must(slices.Equal(k.unplaced, s.unplaced), "unplaced after undo differs", 0)
	k.must(slices.Equal(k.runs.starts, s.runs), "runs after undo differ", 0)
}

func (k *Kernel) mustEqual(what string, at int, got, want int64) {
	if got != want {
		invariants.Fail("at node %d: %s %d is %d, from scratch %d", k.Nodes, what, at, got, want)
	}
}

func (k *Kernel) must(ok bool, what string, j common.Buffer) {
	if !ok {
		invariants.Fail("at node %d: %s: %d", k.Nodes, what, j)
	}
}
