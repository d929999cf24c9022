package penalty

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// TestSlots compares the proofs of slots with brute force: the least penalty if the nodes suffice, otherwise a bound
// below it and a plan above it.
func TestSlots(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 6))
	proven, problems := 0, 0
	for problems < plantest.Share(1200, 400, 200) {
		q := onePool(r)
		p := q.Problem
		best, _, decided := oracle.Ruled(p, 300_000)
		if !decided || best == nil {
			continue
		}
		f := q.field()
		offsets := f.anyPlan(r)
		if offsets == nil {
			continue
		}
		problems++
		nodes := int64(SlotNodes)
		if r.IntN(3) == 0 {
			nodes = 1 + r.Int64N(9)
		}
		bound, taken := f.LeastBySlots(context.Background(), offsets, nodes)
		paid := f.Paid(offsets)
		if !f.allowed(offsets) || paid < best[0] || bound > best[0] || taken > nodes ||
			nodes == SlotNodes && bound < paid {
			t.Fatalf("%v pays %d, at least %d, within %d nodes of %d; the least is %d\n%s", offsets, paid, bound,
				taken, nodes, best[0],
				drawn.DescribeRuled(p))
		}
		if bound == paid && paid > 0 {
			proven++
		}
	}
	t.Logf("%d of %d proven to pay", proven, problems)
	if proven < problems/8 {
		t.Errorf("%d of %d are proven to pay", proven, problems)
	}
}

// equals is n buffers of one size that have a penalty each two, in so many slots. The least is paid if they are spread
// evenly:
//
//	slots · C(n/slots, 2) · 2   where slots divides n
func equals(n, slots int) *model.Problem {
	p := &model.Problem{Capacity: int64(64 * slots), Rules: &model.Rules{Objective: []model.Measure{model.MeasurePenalty}}}
	for i := range n {
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: strconv.Itoa(i), Size: 64, Lower: int64(i), Upper: int64(i) + 1,
			Alignment: 32,
		})
		for j := range i {
			p.Rules.Penalties = append(p.Rules.Penalties, model.Penalty{
				Buffers: model.Pair{int32(j), int32(i)},
				Cost:    2,
			})
		}
	}
	return p
}

// TestSlotsSymmetries checks that each symmetry saves nodes and changes no optimum.
func TestSlotsSymmetries(t *testing.T) {
	uneven := equals(10, 3)
	for k := range uneven.Rules.Penalties {
		uneven.Rules.Penalties[k].Cost += int64(k % 7)
	}
	uneven2 := equals(9, 5)
	for k := range uneven2.Rules.Penalties {
		uneven2.Rules.Penalties[k].Cost += int64(k % 7)
	}
	for i := range uneven2.Buffers {
		uneven2.Buffers[i].Size *= int64(1 + i%3)
	}
	for _, tc := range []struct {
		name string
		p    *model.Problem
		off  func(*slotter)
		cost int64
	}{
		{"twins", equals(11, 4), func(s *slotter) {
			for k := range s.twin {
				s.twin[k] = -1
			}
		}, 2 * (3*3 + 1)},
		{"one size", uneven, func(s *slotter) { s.equal, s.turns = false, false }, -1},
		{"reflection", uneven2, func(s *slotter) { s.turns = false }, -1},
	} {
		f := lowerOne(tc.p).field()
		try := func(off func(*slotter)) (cost, nodes int64) {
			offsets := make([]int64, f.n)
			x := f.slotter(f.components()[0], 0)
			x.nodes = 50_000_000
			x.watch = watchOf(t)
			off(x)
			bound := x.solve(f, offsets)
			if bound != f.Paid(offsets) || !f.allowed(offsets) {
				t.Fatalf("%s: a bound of %d, %d paid", tc.name, bound, f.Paid(offsets))
			}
			return bound, 50_000_000 - x.nodes
		}
		cost, nodes := try(func(*slotter) {})
		same, without := try(tc.off)
		t.Logf("%s: %d paid, %d nodes, %d without", tc.name, cost, nodes, without)
		if cost != same || tc.cost >= 0 && cost != tc.cost || nodes*3/2 > without {
			t.Errorf("%s: %d paid, want %d; %d nodes, %d and %d without it", tc.name, cost, tc.cost, nodes, same,
				without)
		}
	}
}

// watchOf returns a watch that no limit ends.
func watchOf(t *testing.T) *run.Watch {
	w := run.NewWatch(context.Background())
	t.Cleanup(w.Close)
	return w
}

// TestSlotsOrders checks that further orders of levels bound more if the nodes do not suffice: 60 buffers of two sizes,
// each with a penalty with the eight before it.
func TestSlotsOrders(t *testing.T) {
	p := &model.Problem{Capacity: 5 * 64, Rules: &model.Rules{Objective: []model.Measure{model.MeasurePenalty}}}
	for i := range 60 {
		b := model.Buffer{ID: strconv.Itoa(i), Size: 64, Lower: int64(i), Upper: int64(i) + 1, Alignment: 32}
		if i%3 == 0 {
			b.Size *= 2
		}
		p.Buffers = append(p.Buffers, b)
		for j := max(0, i-8); j < i; j++ {
			p.Rules.Penalties = append(p.Rules.Penalties, model.Penalty{
				Buffers: model.Pair{int32(j), int32(i)},
				Cost:    int64(1 + (i-j)%3),
			})
		}
	}
	f := lowerOne(p).field()
	bound := func() int64 {
		least, _ := f.LeastBySlots(context.Background(), make([]int64, f.n), 20_000)
		return least
	}
	all, kept := bound(), levelShares
	defer func() { levelShares = kept }()
	levelShares[0] = 1 // the first order takes all nodes
	first := bound()
	t.Log(all, first)
	if all < 2*first {
		t.Errorf("at least %d with all orders, %d with the first", all, first)
	}
}

// TestSlotsDolls checks that the least of the levels to come saves nodes.
func TestSlotsDolls(t *testing.T) {
	p := equals(6, 64)
	for i := range p.Buffers {
		p.Buffers[i].Size = []int64{48, 48, 30, 30, 40, 25}[i] * 64
	}
	f := lowerOne(p).field()
	x := f.slotter(f.components()[0], 0)
	x.nodes, x.watch = 50_000_000, watchOf(t)
	bound := x.solve(f, make([]int64, f.n))
	nodes := 50_000_000 - x.nodes
	clear(x.dolls)
	x.nodes, x.first, x.least = 50_000_000, 0, 1<<40
	x.descend(0, 0, 0)
	without := 50_000_000 - x.nodes
	t.Logf("%d paid, %d nodes, %d without", bound, nodes, without)
	if x.least != bound || nodes*3/2 > without {
		t.Errorf("%d and %d paid; %d nodes, %d without", bound, x.least, nodes, without)
	}
}
