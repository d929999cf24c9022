package merge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/plantest"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/suite"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/plan"
)

// orders returns all that a tree stands for.
func (k *knot) orders() [][]int32 {
	if k.item >= 0 {
		return [][]int32{{k.item}}
	}
	join := func(kids []*knot) [][]int32 {
		all := [][]int32{nil}
		for _, kid := range kids {
			var longer [][]int32
			for _, head := range all {
				for _, tail := range kid.orders() {
					longer = append(longer, slices.Concat(head, tail))
				}
			}
			all = longer
		}
		return all
	}
	if k.rigid {
		return append(join(k.kids), join(backwards(nil, k.kids))...)
	}
	var all [][]int32
	var permute func(kids []*knot, n int)
	permute = func(kids []*knot, n int) {
		if n == len(kids) {
			all = append(all, join(kids)...)
		}
		for i := n; i < len(kids); i++ {
			kids[n], kids[i] = kids[i], kids[n]
			permute(kids, n+1)
			kids[n], kids[i] = kids[i], kids[n]
		}
	}
	permute(slices.Clone(k.kids), 0)
	return all
}

// TestOrders holds trees against lists of all orders: after some demands, with a leaf or
// two in the place of what was contiguous, a tree stands for just those that meet them
// all, and says how many they are.
func TestOrders(t *testing.T) {
	refused, met := 0, 0
	seeds := plantest.Share(1500, 200)
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 2))
		w := &sweep{rng: rng, most: math.MaxInt64, looks: math.MaxInt64}
		var live []int32
		for range 4 + rng.IntN(3) {
			live = append(live, w.add(item{size: int64(len(live) + 1)}))
		}
		pile := w.bunch(live)
		var want [][]int32
		want = append(want, pile.orders()...)
		for range 8 {
			rng.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
			out, keep := live[:min(1+rng.IntN(3), len(live))], []int32(nil)
			in := []int32{w.add(item{size: 1})}
			for len(in) < len(out) && rng.IntN(8) > 0 {
				in = append(in, w.add(item{size: 1}))
			}
			keep = append(keep, live[len(out):]...)
			// Orders in which what goes is contiguous, with what comes in its place, either way.
			next := map[string][]int32{}
			for _, order := range want {
				from := slices.IndexFunc(order, func(i int32) bool { return slices.Contains(out, i) })
				to := from + len(out)
				if to > len(order) || slices.ContainsFunc(order[from:to], func(i int32) bool { return !slices.Contains(out, i) }) {
					continue
				}
				for _, made := range w.bunch(in).orders() {
					o := slices.Concat(order[:from], made, order[to:])
					next[fmt.Sprint(o)] = o
				}
			}
			g := w.wall(&guess{pile: pile}, out, in)
			if (g != nil) != (len(next) > 0) {
				t.Fatalf("seed %d: met %v, of %d orders", seed, g != nil, len(next))
			} else if g == nil {
				refused++
				break
			}
			met++
			pile, want = g.pile, want[:0]
			for _, o := range next {
				want = append(want, o)
			}
			got := map[string]bool{}
			for _, o := range pile.orders() {
				got[fmt.Sprint(o)] = true
				if next[fmt.Sprint(o)] == nil {
					t.Fatalf("seed %d: %v is none of %d orders", seed, o, len(next))
				}
			}
			if len(got) != len(next) || math.Abs(pile.ways-math.Log(float64(len(got)))) > 1e-9 {
				t.Fatalf("seed %d: %d orders, %g ways, want %d", seed, len(got), math.Exp(pile.ways), len(next))
			}
			live = append(keep, in...)
		}
	}
	if t.Logf("%d met, %d refused", met, refused); met < 6*seeds || refused < seeds/5 {
		t.Error("one-sided")
	}
}

// TestWalls plans packings that no cut or wheel makes, and some with holes: those in
// which each moment has one wall without a guess, in a pass.
func TestWalls(t *testing.T) {
	for _, c := range []struct {
		kind  string
		o     suite.Options
		nodes int64
		least int // of ten seeds
	}{
		{"walls", suite.Options{Buffers: 1000, Horizon: 1 << 40, Capacity: 1 << 40}, 1000, 10},
		{"walls", suite.Options{Buffers: 3000, Horizon: 1 << 40, Capacity: 1 << 40}, 1000, 10},
		{"cracks", suite.Options{Buffers: 1000}, 5000, 10},
		{"walls", suite.Options{Buffers: 500, Alignment: 64}, 5000, 10},
		{"pinwheel", suite.Options{Buffers: 200, Horizon: 100}, 20_000, 8},
		{"walls", suite.Options{Buffers: 500, Horizon: 100}, 20_000, 8},
		{"perfect", suite.Options{Buffers: 100, Holes: 0.1}, 20_000, 8},
		{"walls", suite.Options{Buffers: 60, Holes: 0.1}, 20_000, 7},
	} {
		solved := 0
		seeds := plantest.Share[uint64](10, 3)
		for seed := range seeds {
			c.o.Seed = seed
			p := made(t, c.kind, c.o)
			if r := plantest.Must(t, &Planner{}, p, plan.Options{Capacity: p.Capacity, NodeLimit: c.nodes}); r.Status.HasPlan() {
				solved++
			}
		}
		t.Logf("%s %+v: %d of %d", c.kind, c.o, solved, seeds)
		if solved*10 < c.least*int(seeds) {
			t.Errorf("%s %+v: %d of %d solved, want %d of 10", c.kind, c.o, solved, seeds, c.least)
		}
	}
}

// TestSweep demands that whatever comes through a sweep is a plan of the height that was
// asked for, on grids coarse and fine, full and not.
func TestSweep(t *testing.T) {
	watch := run.NewWatch(t.Context())
	defer watch.Close()
	plans := 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 3))
		o := suite.Options{Seed: seed, Buffers: 5 + rng.IntN(30), Horizon: 40 + rng.Int64N(80), Capacity: 40 + rng.Int64N(200), Holes: []float64{0, 0, 0.1, 0.3}[rng.IntN(4)]}
		p := made(t, []string{"perfect", "pinwheel", "walls"}[rng.IntN(3)], o)
		tl := timeline.New(p)
		n := tl.Sections() + 1
		w := &sweep{
			rng: rng, watch: watch, most: math.MaxInt64, width: 1 << rng.IntN(6), unit: 1, noise: rng.Float64(),
			starts: make([][]int32, n), ends: make([][]int32, n),
		}
		for i := range p.Buffers {
			first, last := tl.Extent(i)
			w.add(item{first, last, p.Buffers[i].Size})
			w.starts[first], w.ends[last] = append(w.starts[first], int32(i)), append(w.ends[last], int32(i))
		}
		at := w.offsets(tl.LowerBound)
		if at == nil {
			continue
		}
		plans++
		if r := verify.Check(p, at[:len(p.Buffers)], tl.LowerBound); !r.OK() {
			t.Fatalf("seed %d: %s\n%s", seed, r.Violations[0].Message, suite.Describe(p))
		}
	}
	if t.Logf("%d plans", plans); plans < 500 {
		t.Error("too few")
	}
}
