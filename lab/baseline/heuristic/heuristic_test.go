package heuristic

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// baseline runs a planner by name and verifies its plan.
func baseline(t *testing.T, name string, p *model.Problem, o plan.Options) (plan.Result, error) {
	t.Helper()
	planner := must.Get(run.Lookup(name))(t)
	return plantest.Try(t, context.Background(), planner, timeline.New(p), o)
}

func buffers(rows ...[4]int64) *model.Problem {
	p := &model.Problem{}
	for i, v := range rows {
		p.Buffers = append(p.Buffers,
			model.Buffer{ID: string(rune('a' + i)), Lower: v[0], Upper: v[1], Size: v[2], Alignment: v[3]})
	}
	return p
}

func TestContentionByHand(t *testing.T) {
	for _, c := range []struct {
		name string
		p    *model.Problem
		pick string
		want []int64
	}{
		// Contention: a, b and c have 9 (slot 0), d has 5. By size × life² the order is b, c, a. d comes last, and
		// goes into b's row at 0 only if nothing more contended fits there.
		{
			"row by row",
			buffers([4]int64{0, 1, 2, 1}, [4]int64{0, 3, 3, 1}, [4]int64{0, 2, 4, 1}, [4]int64{3, 5, 5, 1}),
			"row",
			[]int64{7, 0, 3, 0},
		},
		// b is more contended than c and d, but the row at 0 has room for d, not for b.
		{
			"the row decides",
			buffers([4]int64{0, 2, 4, 1}, [4]int64{1, 3, 5, 1}, [4]int64{2, 4, 1, 1}),
			"row",
			[]int64{5, 0, 5},
		},
		{
			"alignment breaks ties first",
			buffers([4]int64{0, 9, 2, 1}, [4]int64{0, 1, 2, 2}),
			"row",
			[]int64{2, 0},
		},
		{
			"size × lifetime² breaks ties next",
			buffers([4]int64{0, 4, 3, 1}, [4]int64{0, 3, 5, 1}),
			"any",
			[]int64{0, 3}, // 48 against 45
		},
		{
			"then lifetime",
			buffers([4]int64{0, 2, 4, 1}, [4]int64{0, 4, 1, 1}),
			"any",
			[]int64{1, 0}, // 16 both
		},
	} {
		r := must.Get(baseline(t, "contention", c.p, plan.Options{Params: map[string]string{"pick": c.pick}}))(t)
		if !slices.Equal(r.Offsets, c.want) {
			t.Errorf("%s: %v, want %v", c.name, r.Offsets, c.want)
		}
	}
}

// A buffer lies on the floor or on the buffer below, up to alignment.
func TestContentionRests(t *testing.T) {
	for seed := range uint64(500) {
		p := plantest.Random(rand.New(rand.NewPCG(seed, 9)))
		for i := range p.Buffers {
			p.Buffers[i].Fixed = nil
		}
		tl := timeline.New(p)
		for _, any := range []bool{false, true} {
			w := run.NewWatch(context.Background())
			defer w.Close()
			stack := greedy.StackLowest
			if any {
				stack = greedy.Stack
			}
			offsets, _ := stack(w, tl, greedy.Sorted(w, tl, byContention))
			if report := verify.Check(p, offsets, 0); !report.OK() {
				t.Fatalf("seed %d: %v", seed, report.Violations)
			}
			if tl.HasGaps() {
				continue
			}
			for i := range p.Buffers {
				floor := int64(0)
				for _, j := range tl.AppendConflicts(nil, i) {
					if offsets[j] < offsets[i] {
						floor = max(floor, offsets[j]+p.Buffers[j].Size)
					}
				}
				if want := bound.Up(floor, p.Buffers[i].Align()); offsets[i] != want {
					t.Fatalf("seed %d: buffer %d is at %d, not on top of what is under it: %d", seed, i, offsets[i], want)
				}
			}
		}
	}
}

func TestBFCByHand(t *testing.T) {
	for _, c := range []struct {
		name, round string
		p           *model.Problem
		want        []int64
	}{
		{
			"start order, whatever the ends", "1",
			buffers([4]int64{0, 1, 3, 1}, [4]int64{0, 9, 4, 1}, [4]int64{1, 3, 5, 1}),
			[]int64{0, 3, 7},
		},
		{
			"requests are rounded up", "256",
			buffers([4]int64{0, 2, 1, 1}, [4]int64{0, 2, 257, 1}, [4]int64{1, 2, 5, 1}),
			[]int64{0, 256, 768},
		},
		// Holes of 10 at 0 and of 4 at 11: the request for 3 takes the second,
		// whole, since the rest is less than 3; the one for 1 splits the first.
		{
			"the smallest hole, split where the rest is as large as the request", "1",
			buffers([4]int64{0, 1, 10, 1}, [4]int64{0, 9, 1, 1}, [4]int64{0, 1, 4, 1}, [4]int64{0, 9, 1, 1},
				[4]int64{2, 9, 3, 1}, [4]int64{2, 9, 1, 1}, [4]int64{3, 9, 1, 1}),
			[]int64{0, 10, 11, 15, 11, 0, 1},
		},
		{
			"free neighbours are joined", "1",
			buffers([4]int64{0, 1, 2, 1}, [4]int64{0, 2, 2, 1}, [4]int64{0, 3, 2, 1}, [4]int64{0, 9, 1, 1},
				[4]int64{3, 9, 6, 1}),
			[]int64{0, 2, 4, 6, 0},
		},
		// At time 1 the top falls from 9 to 3, so the hole of 2 at 0 is best
		// for 2, but the room above is as good as any for 3.
		{
			"what is free at the top is room, not a hole", "1",
			buffers([4]int64{0, 1, 2, 1}, [4]int64{0, 9, 1, 1}, [4]int64{0, 1, 6, 1}, [4]int64{1, 9, 3, 1},
				[4]int64{2, 9, 2, 1}),
			[]int64{0, 2, 3, 3, 0},
		},
		{
			"what an alignment skips stays free", "1",
			buffers([4]int64{0, 2, 1, 1}, [4]int64{0, 2, 2, 4}, [4]int64{1, 2, 1, 1}, [4]int64{1, 2, 3, 1}),
			[]int64{0, 4, 1, 6},
		},
	} {
		r := must.Get(baseline(t, "bfc", c.p, plan.Options{Params: map[string]string{"round": c.round}}))(t)
		if !slices.Equal(r.Offsets, c.want) {
			t.Errorf("%s: %v, want %v", c.name, r.Offsets, c.want)
		}
	}
}

func TestBaselinesOnTiny(t *testing.T) {
	refused := map[string]int{}
	for seed := range uint64(1500) {
		p := drawn.Tiny(seed)
		fixed := slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.Fixed != nil })
		for _, name := range []string{"contention", "bfc"} {
			o := plan.Options{}
			if seed%2 == 1 {
				o.Params = map[string]string{"pick": "any"}
				if name == "bfc" {
					o.Params = map[string]string{"round": "1"}
				}
			}
			free, err := baseline(t, name, p, o)
			if err != nil {
				if !fixed || !strings.Contains(err.Error(), "planner "+name+" cannot honour fixed offsets") {
					t.Fatalf("seed %d: %v", seed, err)
				}
				refused[name]++
				continue
			}
			if fixed {
				t.Fatalf("seed %d: %s took fixed offsets", seed, name)
			}
			if !free.Status.HasPlan() {
				t.Fatalf("seed %d: %s: %v without a capacity", seed, name, free.Status)
			}
			if o.Capacity = free.Height - 1; o.Capacity >= free.LowerBound {
				if r, _ := baseline(t, name, p, o); r.Status != model.Unknown {
					t.Fatalf("seed %d: %s under its height: %v", seed, name, r.Status)
				}
			}
		}
	}
	if refused["contention"] < 100 || refused["bfc"] < 100 {
		t.Errorf("refused only %v problems", refused)
	}
}

func TestBaselinesRefuseParams(t *testing.T) {
	for name, params := range map[string]map[string]string{
		"contention": {"pick": "best"}, "bfc": {"round": "0"},
	} {
		if _, err := baseline(t, name, buffers([4]int64{0, 1, 2, 1}), plan.Options{Params: params}); err == nil ||
			!strings.Contains(err.Error(), "planner "+name+": parameter") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
