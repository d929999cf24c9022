package lower

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/sorting"
)

// Idea: with clocks, a buffer ends before another starts if every clock says so. That is a partial order. It is an
// interval order if the sets of buffers that end before each buffer form a chain. Time is then a line after all, and
// the ranks in the chain are its times (Fishburn 1970). Otherwise the conflicts are a graph, and cliques cover all of
// it.
//
// The heaviest clique is an antichain (antichain.go) and gets a slot. The rest of the cover is greedy: a pair without a
// clique grows by the member with the most such pairs. Slots are in the order of the mean time of their members, which
// keeps lives short and gaps few.
//
// Complexity: O(n²·clocks) for the order, O(slots · n²/64) for the cover. Above MostClocks buffers a problem is
// refused.
//
// Trials: docs/lab/ruled.md (OmniMalloc's generators make interval orders in 6 of 126 instances).

// MostClocks is the most buffers with clocks that are no interval order: their conflicts are a table.
const MostClocks = 8192

// Tangled reports whether there are clocks that are no interval order.
func (l *Lowering) Tangled() bool { return l.tangled }

// linearise returns lifespans on one line of time that meet if and only if the lives by the clocks do. It returns nil
// if there are no such lifespans.
func (l *Lowering) linearise() []life {
	n := len(l.Problem.Buffers)
	if n > MostClocks {
		return nil
	}
	// before counts the buffers that end before each buffer. If the sets are a chain, it ranks them.
	before := make([]int32, n)
	for i := range n {
		for j := range n {
			if l.ends(j, i) {
				before[i]++
			}
		}
	}
	order := make([]int32, n)
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(before[a], before[b]) })
	lives := make([]life, n)
	rank := int64(0)
	for k, i := range order {
		if k > 0 && before[i] > before[order[k-1]] {
			rank++
		}
		lives[i].lower = rank
	}
	for i := range n {
		lives[i].upper = rank + 1
		for j := range n {
			if l.ends(i, j) {
				lives[i].upper = min(lives[i].upper, lives[j].lower)
			}
		}
	}
	// The sets are a chain if and only if these lives meet exactly as the clocks say.
	for i := range n {
		for j := range n {
			if i != j && (lives[i].upper <= lives[j].lower) != l.ends(i, j) {
				return nil
			}
		}
	}
	return lives
}

// ends reports whether buffer i ends before buffer j starts.
func (l *Lowering) ends(i, j int) bool {
	b := l.Problem.Buffers
	return i != j && b[i].Extra.Clocks.Before(b[j].Extra.Clocks)
}

// coverGraph makes the slots of a strip whose time is no line.
func (c *cliqueCover) coverGraph() {
	n := len(c.strip.Members)
	words := (n + 63) / 64
	edges, fresh := make([]uint64, n*words), make([]uint64, n*words)
	for a := range n {
		for b := range a {
			if c.full(int32(a), int32(b)) {
				edges[a*words+b/64] |= 1 << (b % 64)
				edges[b*words+a/64] |= 1 << (a % 64)
			}
		}
	}
	copy(fresh, edges)
	if c.lowering.body == nil && c.lowering.dist == nil {
		c.strip.Edges = edges
	}
	g := graph{n: n, words: words, edges: edges, fresh: fresh}
	var cliques []clique
	for a := range int32(n) {
		for b := g.freshOf(a); b >= 0; b = g.freshOf(a) {
			cliques = append(cliques, g.grow(a, b))
		}
	}
	met := make([]bool, n)
	for _, x := range cliques {
		for _, v := range x {
			met[v] = true
		}
	}
	for a := range int32(n) {
		if !met[a] {
			cliques = append(cliques, clique{a})
		}
	}
	if n <= mostJoined {
		cliques = append(cliques, c.heaviestOf(&g))
	}
	c.order(cliques)
	for _, x := range cliques {
		var s slot
		for _, v := range x {
			s.also = append(s.also, c.all(v))
		}
		c.slots = append(c.slots, s)
	}
	c.anew = true
}

// order sorts cliques by the mean time of their members.
func (c *cliqueCover) order(cliques []clique) {
	mean := func(x clique) float64 {
		sum := 0.0
		for _, v := range x {
			b := &c.lowering.Problem.Buffers[c.strip.Members[v]]
			sum += float64(b.Lower) + float64(b.Upper)
		}
		return sum / float64(len(x))
	}
	sorting.Structs(cliques, func(x, y clique) int {
		return cmp.Or(cmp.Compare(mean(x), mean(y)), slices.Compare(x, y))
	})
}
