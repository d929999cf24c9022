package canonical

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/run"
	generated "github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// The tests of a technique have two halves. On one problem the technique saves nodes, and
// their number is known: that fails if the technique is off. On many small problems the
// search with the technique is held against brute force: that fails if it is too strong.

// only returns the names of all techniques to switch off, so that the given ones stay on.
func only(on ...string) (without []string) {
	for _, t := range run.Describe(plan.Info{}, func() run.Settings { return new(common.Switches) }).Techniques {
		if !slices.Contains(on, t.Name) {
			without = append(without, t.Name)
		}
	}
	return without
}

// canonically asks the canonical search about a capacity, without a limit, and verifies its
// plan. It returns the nodes of all partitions up to the one that does not fit.
func canonically(t *testing.T, p *model.Problem, capacity int64, without []string) (r common.Outcome, nodes int64) {
	t.Helper()
	tl := timeline.New(p)
	offsets := make([]int64, len(p.Buffers))
	for i := range tl.Partitions {
		part := &tl.Partitions[i]
		k := New(tl, part, switchesOf(without), common.Limits{}, run.NewWatch(context.Background()))
		if !k.SetCapacity(capacity) {
			return common.Exhausted, nodes
		}
		r = k.Run(capacity, "TWA", 0, common.Unlimited)
		nodes += k.Nodes
		if r != common.Solved {
			return r, nodes
		}
		for j, at := range k.Plan() {
			offsets[part.Buffers[j]] = at
		}
	}
	if report := verify.CheckHeight(p, offsets, capacity, model.HeightOf(p, offsets)); !report.OK() {
		t.Fatalf("at %d: %s\n%s", capacity, report.Violations[0].Message, generated.Describe(p))
	}
	return common.Solved, nodes
}

// refutation returns the nodes that show that nothing fits one byte under the lowest height.
func refutation(t *testing.T, p *model.Problem, without []string) int64 {
	t.Helper()
	lowest, _, ok := oracle.Lowest(p)
	r, nodes := canonically(t, p, lowest-1, without)
	if !ok || r != common.Exhausted {
		t.Fatalf("outcome %d under the lowest height %d", r, lowest)
	}
	return nodes
}

// saves demands the numbers of nodes of a refutation: with the technique, and more without it.
func saves(t *testing.T, p *model.Problem, technique string, with, more int64, on ...string) {
	t.Helper()
	if nodes := refutation(t, p, only(append(on, technique)...)); nodes != with {
		t.Errorf("with %s %d nodes, want %d", technique, nodes, with)
	}
	if nodes := refutation(t, p, only(on...)); nodes != more {
		t.Errorf("without %s %d nodes, want %d", technique, nodes, more)
	}
}

// truthful compares the search with brute force. Brute force gives the lowest height. At that
// height the search must find a plan, and one byte below it none.
func truthful(t *testing.T, problems uint64, draw func(seed uint64) *model.Problem, on ...string) {
	t.Helper()
	for seed := range problems {
		p := draw(seed)
		lowest, _, ok := oracle.Lowest(p)
		if !ok || lowest < 2 {
			continue
		}
		for capacity := lowest - 1; capacity <= lowest; capacity++ {
			r, _ := canonically(t, p, capacity, only(on...))
			if fits := r == common.Solved; fits != (capacity == lowest) {
				t.Fatalf("seed %d at %d: fits %v; the lowest is %d\n%s", seed, capacity, fits, lowest, generated.Describe(p))
			}
		}
	}
}

// tapered returns n buffers that use only their lower part in their later slots, so that
// the next one may lie partly inside them.
func tapered(seed uint64, n int) *model.Problem {
	r := rand.New(rand.NewPCG(seed, 10))
	p := plantest.Aligned(seed, n)
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

// rootOf returns the kernel of a problem's only partition before the first placement, and all of its buffers.
func rootOf(p *model.Problem, capacity int64, without ...string) (*Kernel, component) {
	tl := timeline.New(p)
	k := New(tl, &tl.Partitions[0], switchesOf(without), common.Limits{}, run.NewWatch(context.Background()))
	k.ranks.order = "TWA"
	k.SetCapacity(capacity)
	return k, k.root()
}

// switchesOf returns the switches with the named techniques off; "" is none.
func switchesOf(without []string) common.Switches {
	without = slices.DeleteFunc(slices.Clone(without), func(name string) bool { return name == "" })
	var s common.Switches
	if err := run.Bind("canonical", &plan.Options{Without: without}, &s); err != nil {
		panic(err)
	}
	return s
}
