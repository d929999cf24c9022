package exact

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/suite"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// The tests of a technique have two halves. On one problem the technique saves nodes, and
// their number is known: that fails if the technique is off. On many small problems the
// search with the technique is held against brute force: that fails if it is too strong.

// only returns the names of all techniques but those given, which are left on.
func only(on ...string) (without []string) {
	for _, t := range (&Planner{}).Info().Techniques {
		if !slices.Contains(on, t.Name) {
			without = append(without, t.Name)
		}
	}
	return without
}

// refutation returns the nodes that show that nothing fits one byte under the lowest height.
func refutation(t *testing.T, p *model.Problem, without []string) int64 {
	t.Helper()
	lowest, _, ok := suite.Lowest(p)
	if !ok {
		t.Fatal("the fixed offsets collide")
	}
	o := plan.Options{Capacity: lowest - 1, Without: without}
	r := solveWithin(t, context.Background(), timeline.New(p), o)
	if r.Status != model.Infeasible {
		t.Fatalf("%s under the lowest height %d", r.Status, lowest)
	}
	return r.Stats.Nodes
}

// saves demands that the technique brings a refutation down to so many nodes, which
// otherwise takes more.
func saves(t *testing.T, p *model.Problem, technique string, with, more int64, on ...string) {
	t.Helper()
	if nodes := refutation(t, p, only(append(on, technique)...)); nodes != with {
		t.Errorf("with %s %d nodes, want %d", technique, nodes, with)
	}
	if nodes := refutation(t, p, only(on...)); nodes != more {
		t.Errorf("without %s %d nodes, want %d", technique, nodes, more)
	}
}

// truthful holds the search against brute force at the lowest height, where there is a
// plan, and one byte under it, where there is none.
func truthful(t *testing.T, problems uint64, draw func(seed uint64) *model.Problem, on ...string) {
	t.Helper()
	for seed := range problems {
		p := draw(seed)
		lowest, _, ok := suite.Lowest(p)
		if !ok || lowest < 2 {
			continue
		}
		tl := timeline.New(p)
		for capacity := lowest - 1; capacity <= lowest; capacity++ {
			o := plan.Options{Capacity: capacity, Without: only(on...)}
			r := solveWithin(t, context.Background(), tl, o)
			if decided := r.Status != model.Unknown; !decided || r.Status.HasPlan() != (capacity == lowest) {
				t.Fatalf("seed %d at %d: %s; the lowest is %d\n%s", seed, capacity, r.Status, lowest, suite.Describe(p))
			}
		}
	}
}

// aligned returns n buffers whose alignments leave holes between them.
func aligned(seed uint64, n int) *model.Problem {
	r := rand.New(rand.NewPCG(seed, 9))
	p := &model.Problem{}
	for i := range n {
		b := model.Buffer{ID: string(rune('a' + i)), Lower: r.Int64N(6)}
		b.Upper = b.Lower + 1 + r.Int64N(4)
		b.Size, b.Alignment = 1+r.Int64N(9), 1<<r.IntN(3)
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// tapered returns n buffers that use only their lower part in their later slots, so that
// the next one may lie partly inside them.
func tapered(seed uint64, n int) *model.Problem {
	r := rand.New(rand.NewPCG(seed, 10))
	p := aligned(seed, n)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		b.Alignment = 1
		if b.Upper-b.Lower > 1 && b.Size > 1 {
			window := &model.Window{Upper: 1 + r.Int64N(b.Size-1)}
			b.Gaps = []model.Gap{{Lower: b.Lower + 1 + r.Int64N(b.Upper-b.Lower-1), Upper: b.Upper, Window: window}}
		}
	}
	return p
}

// drawn fixes the number of buffers of a family of problems.
func drawn(family func(seed uint64, n int) *model.Problem, n int) func(seed uint64) *model.Problem {
	return func(seed uint64) *model.Problem { return family(seed, n) }
}

// rootOf returns the kernel of a problem's only partition before the first placement, and
// all of its buffers.
func rootOf(p *model.Problem, capacity int64, without ...string) (*kernel, component) {
	tl := timeline.New(p)
	k := newKernel(tl, &tl.Partitions[0], switchesOf(without), run.NewWatch(context.Background()))
	k.order = defaultOrders[:3]
	k.setCapacity(capacity)
	return k, k.root()
}
