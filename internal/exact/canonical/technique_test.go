package canonical

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
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

// TestTechniquesSaveNodes refutes a problem with each technique, and without it. Both numbers of nodes are known, so the
// test fails if the technique is off. Postponement saves no nodes: TestPostponementSavesPlacements counts.
func TestTechniquesSaveNodes(t *testing.T) {
	for _, tc := range []struct {
		technique     string
		p             *model.Problem
		with, without int64  // nodes
		on            string // techniques that are on in both cases, beside dynamic-ordering
	}{
		{"canonical", plantest.Aligned(24, 8), 1033, 6401, ""},
		{"decomposition", plantest.Aligned(24, 8), 722, 1033, "canonical"},
		{"not-first", plantest.Aligned(13, 8), 29, 87, "canonical"},
		{"fronts", plantest.Aligned(13, 8), 34, 87, "canonical"},
		{"memo", plantest.Aligned(13, 8), 63, 87, "canonical"},
		{"suffix-bound", plantest.Aligned(56, 8), 151, 2258, "canonical"},
		{"section-inference", plantest.Aligned(56, 8), 234, 2258, "canonical"},
		{"unallocated-floor", plantest.Aligned(12, 8), 10, 12, "canonical section-inference"},
		{"monotonic-floor", plantest.Aligned(47, 8), 127, 322, "canonical section-inference"},
		{"effective-sizes", coarse(0, 8), 62, 103, "canonical suffix-bound"},
		{"holes", pinned(plantest.Aligned)(37, 8), 11, 147, "canonical suffix-bound"},
		{"lifting", tapered(43, 8), 1220, 1639, "canonical"},
		{"dominance", plantest.Aligned(47, 8), 272, 588, "canonical"},
		{"hatless", plantest.Aligned(49, 9), 1423, 1835, "canonical"},
		{"cheap-reject", plantest.Aligned(50, 8), 54, 221, "canonical"},
		{"symmetry", alike(30, 8), 86, 1841, "canonical"},
	} {
		on := append(strings.Fields(tc.on), "dynamic-ordering")
		if nodes := refutation(t, tc.p, only(on...)); nodes != tc.without {
			t.Errorf("without %s %d nodes, want %d", tc.technique, nodes, tc.without)
		}
		if nodes := refutation(t, tc.p, only(append(on, tc.technique)...)); nodes != tc.with {
			t.Errorf("with %s %d nodes, want %d", tc.technique, nodes, tc.with)
		}
	}
}

// TestTechniquesAreTruthful compares the search with few techniques on, so that nothing hides a false bound, with brute
// force. It fails if a technique is too strong. Holes and shifts have tests of their own.
func TestTechniquesAreTruthful(t *testing.T) {
	for _, tc := range []struct {
		family   func(seed uint64, n int) *model.Problem
		problems uint64
		on       string // techniques beside dynamic-ordering
	}{
		{plantest.Aligned, 300, "canonical"},
		{plantest.Aligned, 300, "canonical decomposition"},
		{plantest.Aligned, 300, "canonical not-first"},
		{plantest.Aligned, 300, "canonical fronts"},
		{plantest.Aligned, 300, "canonical memo"},
		{plantest.Aligned, 300, "canonical suffix-bound"},
		{plantest.Aligned, 300, "canonical section-inference unallocated-floor monotonic-floor"},
		{plantest.Aligned, 300, "canonical lifting"},
		{coarse, 300, "canonical suffix-bound effective-sizes"},
		{alike, 60, "canonical dominance"},
		{alike, 60, "canonical hatless"},
		{alike, 60, "canonical cheap-reject"},
		{alike, 60, "canonical symmetry"},
		{alike, 60, "canonical postponement"},
		{tapered, 300, "canonical"},
		{tapered, 300, "canonical decomposition"},
		{tapered, 300, "canonical not-first"},
		{tapered, 300, "canonical fronts"},
		{tapered, 300, "monotonic-floor memo"},
		{tapered, 300, "canonical suffix-bound"},
		{tapered, 300, "canonical section-inference unallocated-floor monotonic-floor"},
		{tapered, 300, "canonical lifting"},
		{tapered, 300, "canonical suffix-bound effective-sizes"},
		{tapered, 60, "canonical lifting dominance"},
		{tapered, 60, "canonical lifting hatless"},
		{tapered, 60, "canonical lifting cheap-reject"},
		{tapered, 60, "canonical lifting symmetry"},
		{tapered, 60, "canonical lifting postponement"},
	} {
		truthful(t, tc.problems, drawn(tc.family, 7), append(strings.Fields(tc.on), "dynamic-ordering")...)
	}
}

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
				t.Fatalf("%v, seed %d at %d: fits %v; the lowest is %d\n%s", on, seed, capacity, fits, lowest,
					generated.Describe(p))
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
