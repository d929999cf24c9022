package beam

import (
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
)

// TestCheapest compares the offset of a buffer with the best of all aligned offsets, neighbour by neighbour.
func TestCheapest(t *testing.T) {
	free, dear := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		p := crowded(seed, 40, 1<<9, func(r *rand.Rand) int64 { return 16 * (1 + r.Int64N(8)) })
		for i := range p.Buffers {
			p.Buffers[i].Alignment = []int64{16, 32, 48}[r.IntN(3)]
		}
		e := newEjection(passOf(t, timeline.New(p)))
		e.rng = r
		ceiling := int64(20 + r.IntN(60))
		for k := range e.order {
			at := max(0, r.Int64N(ceiling)-e.size[k])
			// Some can move so far that small buffers fit below them and above.
			e.spots[k] = spot{at: at, top: at + e.size[k], high: at + r.Int64N(5), placed: r.IntN(3) > 0}
			e.cost[k] = 1 + r.Int64N(3)
		}
		for k := range e.order {
			if e.size[k] > ceiling {
				continue
			}
			sum := func(o int64) (cost int64) {
				for j := range e.order {
					if s := e.spots[j]; j != k && s.placed && e.first[j] < e.last[k] && e.first[k] < e.last[j] &&
						o < s.top && s.high < o+e.size[k] {
						cost += e.cost[j]
					}
				}
				return cost
			}
			best := int64(1 << 60)
			for o := int64(0); o+e.size[k] <= ceiling; o += e.align[k] {
				best = min(best, sum(o))
			}
			at, cost := e.cheapest(int32(k), ceiling)
			if cost != best || sum(at) != best || at%e.align[k] != 0 || at < 0 || at+e.size[k] > ceiling {
				t.Fatalf("seed %d, buffer %d: offset %d at cost %d, which is %d; the least is %d", seed, k, at, cost, sum(at), best)
			}
			if cost == 0 {
				free++
			} else {
				dear++
			}
		}
	}
	if free < 500 || dear < 500 {
		t.Errorf("the cases are lopsided: %d free, %d not", free, dear)
	}
}

// TestEjectionsPlace: what an attempt returns is a plan below the ceiling that it was given last, and buffers that
// are out are taken by area. A ceiling below the load has no plan.
func TestEjectionsPlace(t *testing.T) {
	lowered := 0
	for seed := range uint64(30) {
		tl := timeline.New(crowded(seed, 120, 1<<12, heavy))
		e := newEjection(passOf(t, tl))
		start := make([]int64, len(e.order))
		height := int64(0)
		for i := range tl.Problem.Buffers { // one on top of the other
			start[i], height = height, height+tl.Problem.Buffers[i].Size
		}
		most := tl.LowerBound + tl.LowerBound/4
		if offsets := tried(e, start, most/e.granule, 1<<40); offsets != nil {
			lowered++
			if fault := verify.First(tl.Problem, offsets, most, -1); fault != "" {
				t.Fatalf("seed %d: %s", seed, fault)
			}
		}
		below := (tl.LowerBound - 1) / e.granule
		if tried(e, start, below, 1<<40) != nil {
			t.Errorf("seed %d: a plan below the load", seed)
		}
		e.out = e.out[:0]
		for k := range e.order {
			e.drop(int32(k))
		}
		for r := range e.order {
			if k := e.pop(); e.rank[k] != int32(r) { // no technique of prices.go is on
				t.Fatalf("seed %d: buffer %d of rank %d comes at %d", seed, k, e.rank[k], r)
			}
		}
	}
	if lowered < 25 {
		t.Errorf("%d of 30 attempts end", lowered)
	}
}

// tried returns what one attempt finds at one ceiling with so many nodes.
func tried(e *ejection, start []int64, ceiling, nodes int64) []int64 {
	e.begin(start, ceiling, ceiling)
	return e.proceed(nodes)
}

// TestKept: ejections that run a few nodes at a time find what they find in one run, since an attempt goes on where it
// was.
func TestKept(t *testing.T) {
	lowered := 0
	for seed := range uint64(4) {
		tl := timeline.New(crowded(seed, 120, 1<<12, heavy))
		start := make([]int64, len(tl.Problem.Buffers))
		height := int64(0)
		for i := range tl.Problem.Buffers { // one on top of the other
			start[i], height = height, height+tl.Problem.Buffers[i].Size
		}
		find := func(nodes int64) (best []int64, found int64) {
			x := passOf(t, tl)
			x.settings.hold, x.settings.urgent, x.problem, x.lower = true, true, tl.Problem, tl.LowerBound
			e := newEjection(x)
			for best, found = start, height; x.nodes < 8_000; {
				best, found = e.run(best, found, tl.LowerBound, min(nodes, 8_000-x.nodes))
			}
			return best, found
		}
		best, whole := find(8_000)
		for _, nodes := range []int64{1, 137, 3000} {
			if _, parts := find(nodes); parts != whole {
				t.Errorf("seed %d: a height of %d by %d nodes at a time, %d in one run", seed, parts, nodes, whole)
			}
		}
		if whole < height {
			lowered++
		}
		if fault := verify.First(tl.Problem, best, whole, -1); fault != "" {
			t.Errorf("seed %d: %s", seed, fault)
		}
	}
	if lowered < 4 {
		t.Errorf("%d of 4 plans are lowered", lowered)
	}
}
