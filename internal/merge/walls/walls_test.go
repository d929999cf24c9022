package walls

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
)

// orders returns all that a tree stands for.
func (t *tree) orders() [][]int32 {
	if t.item >= 0 {
		return [][]int32{{t.item}}
	}
	join := func(kids []*tree) [][]int32 {
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
	if t.row {
		return append(join(t.kids), join(backwards(nil, t.kids))...)
	}
	var all [][]int32
	var permute func(kids []*tree, n int)
	permute = func(kids []*tree, n int) {
		if n == len(kids) {
			all = append(all, join(kids)...)
		}
		for i := n; i < len(kids); i++ {
			kids[n], kids[i] = kids[i], kids[n]
			permute(kids, n+1)
			kids[n], kids[i] = kids[i], kids[n]
		}
	}
	permute(slices.Clone(t.kids), 0)
	return all
}

// TestOrders compares trees with lists of all orders: after some demands, with a leaf or two in the place of
// contiguous items, a tree stands for exactly the orders that meet all demands, and counts them.
func TestOrders(t *testing.T) {
	refused, met := 0, 0
	seeds := plantest.Share(1500, 200)
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 2))
		w := New(1, Options{Rand: rng, Work: math.MaxInt64})
		w.pollAt = math.MaxInt64
		var live []int32
		for range 4 + rng.IntN(3) {
			live = append(live, w.add(Item{Size: int64(len(live) + 1)}))
		}
		pile := w.anyOrder(live)
		var want [][]int32
		want = append(want, pile.orders()...)
		for range 8 {
			rng.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
			out, keep := live[:min(1+rng.IntN(3), len(live))], []int32(nil)
			in := []int32{w.add(Item{Size: 1})}
			for len(in) < len(out) && rng.IntN(8) > 0 {
				in = append(in, w.add(Item{Size: 1}))
			}
			keep = append(keep, live[len(out):]...)
			// Orders in which the ending items are contiguous, with the new items in their place, either way.
			next := map[string][]int32{}
			for _, order := range want {
				from := slices.IndexFunc(order, func(i int32) bool { return slices.Contains(out, i) })
				to := from + len(out)
				if to > len(order) || slices.ContainsFunc(order[from:to], func(i int32) bool { return !slices.Contains(out, i) }) {
					continue
				}
				for _, made := range w.anyOrder(in).orders() {
					o := slices.Concat(order[:from], made, order[to:])
					next[fmt.Sprint(o)] = o
				}
			}
			g := w.replace(&guess{pile: pile}, out, in)
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

// TestOffsets: every result of a search is a plan of the given height, on coarse and fine grids, full or not.
func TestOffsets(t *testing.T) {
	watch := run.NewWatch(t.Context())
	defer watch.Close()
	plans := 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 3))
		o := gen.Options{
			Seed: seed, Buffers: 5 + rng.IntN(30), Horizon: 40 + rng.Int64N(80), Capacity: 40 + rng.Int64N(200),
			Holes: []float64{0, 0, 0.1, 0.3}[rng.IntN(4)],
		}
		in := must.Get(gen.New([]string{"perfect", "pinwheel", "walls"}[rng.IntN(3)], o))(t)
		p := in.Problem
		tl := timeline.New(p)
		w := New(tl.Sections(), Options{
			Rand: rng, Watch: watch, Width: 1 << rng.IntN(6), Unit: 1, Noise: rng.Float64(), Work: math.MaxInt64,
		})
		for i := range p.Buffers {
			first, last := tl.Extent(i)
			w.Add(Item{first, last, p.Buffers[i].Size})
		}
		at := w.Offsets(tl.LowerBound)
		if at == nil {
			continue
		}
		plans++
		if r := verify.Check(p, at[:len(p.Buffers)], tl.LowerBound); !r.OK() {
			t.Fatalf("seed %d: %s\n%s", seed, r.Violations[0].Message, drawn.Describe(p))
		}
	}
	if t.Logf("%d plans", plans); plans < 500 {
		t.Error("too few")
	}
}
