package canonical

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// pinned fixes one to three buffers of a problem at offsets that they may have.
func pinned(family func(seed uint64, n int) *model.Problem) func(seed uint64, n int) *model.Problem {
	return func(seed uint64, n int) *model.Problem {
		r := rand.New(rand.NewPCG(seed, 11))
		p := family(seed, n)
		for range 1 + r.IntN(3) {
			b := &p.Buffers[r.IntN(n)]
			at := b.Align() * r.Int64N(12/b.Align()+1)
			b.Fixed = &at
		}
		return p
	}
}

// TestHolesAreTruthful has the rule alone, and beside those that read its bounds.
func TestHolesAreTruthful(t *testing.T) {
	for _, on := range [][]string{
		{"canonical", "dynamic-ordering", "holes"},
		{
			"canonical", "dynamic-ordering", "holes", "lifting", "suffix-bound", "not-first", "dominance", "decomposition",
			"cheap-reject",
		},
		{
			"canonical", "dynamic-ordering", "holes", "effective-sizes", "suffix-bound", "fronts", "symmetry", "postponement",
			"hatless",
		},
		{"canonical", "dynamic-ordering", "holes", "memo", "section-inference", "unallocated-floor", "monotonic-floor"},
	} {
		truthful(t, 300, drawn(pinned(plantest.Aligned), 7), on...)
		truthful(t, 300, drawn(pinned(tapered), 7), on...)
	}
}

// TestHolesWithShifts has windows that interlock, so that offsets are counted from shifted levels.
func TestHolesWithShifts(t *testing.T) {
	shifted := 0
	truthful(t, 400, func(seed uint64) *model.Problem {
		p := pinned(stairs)(seed, 5)
		if k, _ := rootOf(p, 1000); !k.Shifted || !k.holes.any {
			return &model.Problem{} // the search over pairs decides it, or nothing meets a fixed buffer
		}
		shifted++
		return p
	}, "canonical", "dynamic-ordering", "suffix-bound", "shifts", "holes")
	if shifted < 100 {
		t.Error("only", shifted, "problems have shifts")
	}
}

// beside has j beside the fixed buffers f and g, as in the picture of holes.go.
func beside(j model.Buffer) *model.Problem {
	f, g := int64(2), int64(7)
	j.ID, j.Upper = "j", 4
	return &model.Problem{Buffers: []model.Buffer{
		j, {ID: "f", Lower: 1, Upper: 3, Size: 2, Fixed: &f}, {ID: "g", Lower: 2, Upper: 4, Size: 3, Fixed: &g},
	}}
}

// TestHoles computes the holes of one buffer, and the bounds that follow from them.
func TestHoles(t *testing.T) {
	gap := []model.Gap{{Lower: 1, Upper: 3}}
	window := []model.Gap{{Lower: 1, Upper: 4, Window: &model.Window{Upper: 1}}}
	for _, tc := range []struct {
		name     string
		j        model.Buffer
		capacity int64
		want     []hole // the last one is boundless
		lb, ub   int64
	}{
		{"the picture", model.Buffer{Size: 3}, 20, []hole{{4, 4}, {10, boundless}}, 4, 17},
		{"no room above", model.Buffer{Size: 3}, 12, []hole{{4, 4}, {10, boundless}}, 4, 4},
		{"small", model.Buffer{Size: 1}, 20, []hole{{0, 1}, {4, 6}, {10, boundless}}, 0, 19},
		{"large", model.Buffer{Size: 4}, 20, []hole{{10, boundless}}, 10, 16},
		{"aligned", model.Buffer{Size: 2, Alignment: 8}, 20, []hole{{0, 0}, {16, boundless}}, 0, 16},
		{"in a gap while f is live", model.Buffer{Size: 6, Gaps: gap}, 20, []hole{{0, 1}, {10, boundless}}, 0, 14},
		{
			"its lowest byte beside f and g",
			model.Buffer{Size: 6, Gaps: window},
			20,
			[]hole{{0, 1}, {4, 6}, {10, boundless}},
			0, 14,
		},
	} {
		k, _ := rootOf(beside(tc.j), tc.capacity)
		got := slices.Clone(k.holes.of(0))
		if last := &got[len(got)-1]; last.high > boundless/2 {
			last.high = boundless
		}
		if !slices.Equal(got, tc.want) || k.lb[0] != tc.lb || k.inf[0] != tc.lb || k.of[0].ub != tc.ub {
			t.Errorf("%s: holes %v, want %v; bounds %d, %d, %d, want %d to %d",
				tc.name, got, tc.want, k.lb[0], k.inf[0], k.of[0].ub, tc.lb, tc.ub)
		}
		for to := range int64(30) {
			above, below := to, to
			for !slices.ContainsFunc(tc.want, func(h hole) bool { return h.low <= above && above <= h.high }) {
				above++
			}
			for below >= 0 && !slices.ContainsFunc(tc.want, func(h hole) bool { return h.low <= below && below <= h.high }) {
				below--
			}
			if at := k.holes.above(0, to); at != above {
				t.Errorf("%s: above %d is %d, want %d", tc.name, to, at, above)
			}
			if at, ok := k.holes.below(0, to); ok != (below >= 0) || ok && at != below {
				t.Errorf("%s: below %d is %d (%v), want %d", tc.name, to, at, ok, below)
			}
		}
	}
}

// TestHolesOfTwoTimes has a fixed buffer that hides another one, which is live at another time.
func TestHolesOfTwoTimes(t *testing.T) {
	f, g := int64(2), int64(5)
	k, _ := rootOf(&model.Problem{Buffers: []model.Buffer{
		{ID: "j", Lower: 0, Upper: 4, Size: 1},
		{ID: "f", Lower: 0, Upper: 2, Size: 9, Fixed: &f},
		{ID: "g", Lower: 2, Upper: 4, Size: 1, Fixed: &g},
	}}, 20)
	if got := k.holes.of(0); len(got) != 2 || got[0] != (hole{0, 1}) || got[1].low != 11 {
		t.Errorf("holes %v, want 0 to 1 and from 11 on", got)
	}
}

// TestHolesOutOfOrder has a fixed buffer g above f that forbids lower offsets than f: j uses only its lowest byte
// beside f, and only its two highest ones beside g.
func TestHolesOutOfOrder(t *testing.T) {
	f, g := int64(4), int64(5)
	j := model.Buffer{ID: "j", Lower: 0, Upper: 2, Size: 8, Gaps: []model.Gap{
		{Lower: 0, Upper: 1, Window: &model.Window{Upper: 1}},
		{Lower: 1, Upper: 2, Window: &model.Window{Lower: 6, Upper: 8}},
	}}
	k, _ := rootOf(&model.Problem{Buffers: []model.Buffer{
		j, {ID: "f", Lower: 0, Upper: 1, Size: 2, Fixed: &f}, {ID: "g", Lower: 1, Upper: 2, Size: 2, Fixed: &g},
	}}, 30)
	if got := k.holes.of(0); len(got) != 2 || got[0] != (hole{1, 3}) || got[1].low != 6 {
		t.Errorf("holes %v, want 1 to 3 and from 6 on", got)
	}
}

// TestBoundsLeap raises j, which then does not fit between f and g: once by a placement, once by an inference.
func TestBoundsLeap(t *testing.T) {
	p := beside(model.Buffer{Size: 1})
	p.Buffers = append(p.Buffers, model.Buffer{ID: "a", Upper: 1, Size: 7})
	const j, a = common.Buffer(0), common.Buffer(1)
	k, _ := rootOf(p, 20)
	if k.Nodes++; k.lb[j] != 0 {
		t.Fatalf("j begins at %d", k.lb[j])
	}
	if _, ok := k.place(a); !ok || k.lb[j] != 10 || k.inf[j] != 10 {
		t.Errorf("on top of 7 bytes j has the bounds %d and %d, want 10", k.lb[j], k.inf[j])
	}
	k, _ = rootOf(p, 20)
	if !k.tighten(j, 2) || k.lb[j] != 0 || k.inf[j] != 4 || !k.tighten(j, 7) || k.inf[j] != 10 || k.tighten(j, 20) {
		t.Errorf("j is tightened to %d", k.inf[j])
	}
	k, c := rootOf(p, 20)
	if k.inf[j] = 8; !strings.Contains(plantest.Caught(func() { k.checkBounds(c) }), "inf is in no hole") {
		t.Error("a bound beside g, and the checks of the tag invariants do not see it")
	}
}

// TestNoHole asks about a capacity at which a buffer has no hole. SetCapacity says so, and a run ends at once.
func TestNoHole(t *testing.T) {
	k, _ := rootOf(beside(model.Buffer{Size: 4}), 20, only("canonical", "dynamic-ordering", "holes")...)
	if k.SetCapacity(13) || !k.SetCapacity(14) {
		t.Error("4 bytes above 10 fit 14 and not 13, which was not seen")
	}
	if r := k.Run(13, "TWA", 0, common.Unlimited); r != common.Exhausted || k.Nodes != 0 {
		t.Errorf("outcome %d after %d nodes without a hole", r, k.Nodes)
	}
	if r := k.Run(14, "TWA", 0, common.Unlimited); r != common.Solved || k.Plan()[0] != 10 {
		t.Errorf("outcome %d with the hole at 10", r)
	}
}

// TestNothingFixed has no holes: nobody asks for them. Neither if the technique is off.
func TestNothingFixed(t *testing.T) {
	if k, _ := rootOf(plantest.Aligned(1, 8), 40); k.holes.any || k.holes.at != nil {
		t.Error("holes, and nothing is fixed")
	}
	if k, _ := rootOf(beside(model.Buffer{Size: 3}), 20, "holes"); k.holes.any || k.lb[0] != 0 {
		t.Error("holes, and they are off")
	}
}
