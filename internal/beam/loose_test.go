package beam

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// looseOf returns a pass with loose layouts, without limits.
func looseOf(t *testing.T, tl *timeline.Timeline) *pass {
	x := passOf(t, tl)
	if !x.loosen(2 * tl.LowerBound) {
		t.Fatal("layouts cannot be loose")
	}
	return x
}

// step places buffer k, as run does.
func (x *pass) step(k int) bool {
	if k == 0 || x.first[k] != x.first[k-1] {
		x.advance(x.first[k])
	}
	x.value[k] = worth(x.last[k] - x.first[k])
	x.bear(k)
	x.choose(k)
	if x.next.n == 0 {
		return false
	}
	x.now, x.next = x.next, x.now
	x.levels = append(x.levels, int32(len(x.parent)))
	return true
}

// edgesOf lists the edges of a layout of the beam by buffer: who lies below it and above it, or -1.
func (x *pass) edgesOf(s, k int) (edges [][2]int32) {
	node := x.now.trace[s]
	for j := int32(k); j >= 0; j-- {
		if b := int32(x.at[node]>>32) - 1; b >= 0 {
			edges = append(edges, [2]int32{b, j})
		}
		if a := int32(x.at[node]&(1<<32-1)) - 1; a >= 0 {
			edges = append(edges, [2]int32{j, a})
		}
		node = x.parent[node]
	}
	return edges
}

// longest returns the longest paths from buffer i, or from the ground if i is -1, to the begin of each buffer, and -1
// where there is none.
func (x *pass) longest(edges [][2]int32, n int, i int32) []int64 {
	to := make([]int64, n)
	for j := range to {
		if to[j] = -1; i < 0 || int(i) == j {
			to[j] = 0
		}
	}
	for changed := true; changed; {
		changed = false
		for _, q := range edges {
			if v := to[q[0]] + x.size[q[0]]; to[q[0]] >= 0 && v > to[q[1]] {
				to[q[1]], changed = v, true
			}
		}
	}
	return to
}

// TestDistances: what a loose layout has of its live buffers are the longest paths in the graph of all orders so far,
// and a child is there for each place where the longest path over the new buffer is within the ceiling, for no other.
func TestDistances(t *testing.T) {
	open, shut := 0, 0
	for seed := range uint64(6) {
		tl := timeline.New(crowded(seed, 120, 1<<12, even))
		x := looseOf(t, tl)
		x.ceiling = (tl.LowerBound + tl.LowerBound/10) / x.granule
		x.widen(4)
		x.restore(0)
		for k := range x.order {
			if !x.step(k) {
				break
			}
			g, e := &x.now, x.loose
			for s := range g.n {
				edges, ids := x.edgesOf(s, k), g.id[s*g.stride:][:g.live]
				low, whole := x.longest(edges, k+1, -1), int64(0)
				for j, v := range low {
					whole = max(whole, v+x.size[j])
				}
				if int64(g.whole[s]) != whole || whole > x.ceiling {
					t.Fatalf("seed %d, buffer %d: the longest path is %d, not %d", seed, k, whole, g.whole[s])
				}
				for r, i := range ids {
					from, up := x.longest(edges, k+1, i), int64(0)
					for j, v := range from {
						if v >= 0 {
							up = max(up, v+x.size[j])
						}
					}
					at := s*g.stride + int(e.slot[i])
					if int64(g.low[at]) != low[i] || int64(g.up[at]) != up {
						t.Fatalf("seed %d, buffer %d: low %d, not %d, up %d, not %d", seed, i, g.low[at], low[i], g.up[at], up)
					}
					for _, j := range ids[r+1:] {
						if d := g.dist[at*g.stride+int(e.slot[j])]; int64(d) != from[j] {
							t.Fatalf("seed %d: buffer %d is %d above %d, not %d", seed, j, d, i, from[j])
						}
					}
				}
			}
			if k+1 == len(x.order) || x.first[k+1] != x.first[k] {
				continue
			}
			x.value[k+1] = worth(x.last[k+1] - x.first[k+1])
			free := slices.Clone(e.free)
			x.bear(k + 1)
			e.free = free
			for s := range g.n {
				edges, ids := x.edgesOf(s, k), g.id[s*g.stride:][:g.live]
				low := x.longest(edges, k+1, -1)
				for p := range g.live + 1 {
					path := x.size[k+1]
					if p > 0 {
						path += low[ids[p-1]] + x.size[ids[p-1]]
					}
					if p < g.live {
						rest := int64(0)
						for j, v := range x.longest(edges, k+1, ids[p]) {
							if v >= 0 {
								rest = max(rest, v+x.size[j])
							}
						}
						path += rest
					}
					born := slices.ContainsFunc(x.children, func(c child) bool { return int(c.layout) == s && int(c.rank) == p })
					if born != (path <= x.ceiling) {
						t.Fatalf("seed %d, buffer %d at rank %d: a path of %d, a child is there: %v", seed, k+1, p, path, born)
					}
					if born {
						open++
					} else {
						shut++
					}
				}
			}
		}
	}
	if open < 500 || shut < 500 {
		t.Errorf("the cases are lopsided: %d open, %d not", open, shut)
	}
}

// TestLooseScore: the score of each child is the score that its layout has when it is added up anew.
func TestLooseScore(t *testing.T) {
	placed := 0
	for seed := range uint64(4) {
		tl := timeline.New(crowded(seed, 150, 1<<13, heavy))
		x := looseOf(t, tl)
		x.ceiling = (tl.LowerBound + tl.LowerBound/8) / x.granule
		x.widen(8)
		x.restore(0)
		for k := range x.order {
			if !x.step(k) {
				break
			}
			placed++
			for s := range x.now.n {
				if want := x.totalLoose(s); x.now.score[s] != want {
					t.Fatalf("seed %d, buffer %d: score %d, added up anew %d", seed, k, x.now.score[s], want)
				}
			}
		}
	}
	if placed < 300 {
		t.Errorf("%d buffers are placed", placed)
	}
}

// TestLooseRestore: the beam to which a pass goes back is the one that was there, and no further back than it must be.
func TestLooseRestore(t *testing.T) {
	tl := timeline.New(crowded(2, 300, 1<<13, even))
	x := looseOf(t, tl)
	x.ceiling = 2 * tl.LowerBound / x.granule
	x.widen(8)
	x.restore(0)
	every, last := x.every(), 0
	var there []beam
	for k := range 8 * x.every() {
		if k > 0 && k%every == 0 {
			x.save(k)
			var g beam
			g.take(&x.now)
			there, last = append(there, g), k
		}
		x.step(k)
	}
	for tries := range kept - 1 {
		wanted := last - tries*every + every/2
		k := x.restore(wanted)
		if k != last-tries*every {
			t.Fatalf("went back to %d for %d", k, wanted)
		}
		g := &there[k/every-1]
		if !slices.Equal(x.now.id[:g.n*g.stride], g.id[:g.n*g.stride]) || !slices.Equal(x.now.dist[:len(g.dist)], g.dist) ||
			!slices.Equal(x.now.score[:g.n], g.score[:g.n]) || len(x.levels) != k || int(x.levels[k-1]) != len(x.parent) {
			t.Fatalf("the beam before buffer %d is another one", k)
		}
	}
	if k := x.restore(every); k != last-(kept-1)*every {
		t.Errorf("went back to %d, which is not the first beam that is kept", k)
	}
	if k := x.restore(every - 1); k != 0 || x.now.live != 0 {
		t.Errorf("went back to %d with %d live buffers", k, x.now.live)
	}
}

// TestLoosePlans: plans of passes with loose layouts are valid and end below the ceiling. Ceilings are lower than those
// below which layouts with offsets find a plan.
func TestLoosePlans(t *testing.T) {
	var found [2]int
	for seed := range uint64(20) {
		tl := timeline.New(crowded(seed, 150, 1<<13, even))
		ceiling := tl.LowerBound + tl.LowerBound/12
		for way := range found {
			x := passOf(t, tl)
			if way == 1 && !x.loosen(ceiling) {
				t.Fatal("layouts cannot be loose")
			}
			if offsets := x.run(ceiling, 8); offsets != nil {
				found[way]++
				if fault := verify.First(tl.Problem, offsets, ceiling, -1); fault != "" {
					t.Fatalf("seed %d: %s", seed, fault)
				}
			}
		}
	}
	t.Logf("%d plans with offsets, %d loose ones, of 20", found[0], found[1])
	if found[1] <= found[0] || found[1] < 5 {
		t.Errorf("%d plans with offsets, %d loose ones, of 20", found[0], found[1])
	}
}

// TestLoosen: no loose layouts with alignments, with very many live buffers or with heights that are too large.
func TestLoosen(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for _, c := range []struct {
		name     string
		problem  *model.Problem
		height   int64
		possible bool
	}{
		{"even", crowded(1, 100, 1<<12, even), 1 << 13, true},
		{"tall", crowded(1, 100, 1<<12, func(r *rand.Rand) int64 { return 1 + r.Int64N(999) }), looseTall, false},
		{"many", crowded(1, 300, 1<<12, func(r *rand.Rand) int64 { return 16 }), 1 << 13, false},
	} {
		if got := passOf(t, timeline.New(c.problem)).loosen(c.height); got != c.possible {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	p := crowded(2, 100, 1<<12, even)
	for i := range p.Buffers {
		p.Buffers[i].Alignment = 16 << r.IntN(2)
	}
	if passOf(t, timeline.New(p)).loosen(1 << 13) {
		t.Error("layouts are loose with alignments of 16 and 32")
	}
}
