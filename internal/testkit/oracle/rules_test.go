package oracle

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/model"
)

// TestRuledPublic compares the enumeration with the public problems with rules, whose answers an independent model of
// constraints found, too.
func TestRuledPublic(t *testing.T) {
	cases, err := public.RuledCases()
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the public instances are not here: rules/tiny.json")
	}
	if err != nil || len(cases) < 90 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		if err := model.Validate(c.Problem); c.Refused != (err != nil) {
			t.Errorf("%s: refused is %v, but Validate says %v", c.Name, c.Refused, err)
		}
		if c.Refused && c.Optimum == nil {
			continue
		}
		best, plan, _ := Ruled(c.Problem, 0)
		if !slices.Equal(best, c.Optimum) || (plan == nil) != (best == nil) {
			t.Errorf("%s: %v, want %v", c.Name, best, c.Optimum)
		}
	}
}

// TestRuledDrawn checks that the drawn problems are small enough for the enumeration, and that about half
// of them have a plan.
func TestRuledDrawn(t *testing.T) {
	const most = 3_000_000
	plans, given := 0, 0
	for seed := range uint64(400) {
		p := drawn.Ruled(rand.New(rand.NewPCG(seed, 1)))
		_, plan, decided := Ruled(p, most)
		if !decided {
			given++
		}
		if plan != nil {
			plans++
		}
	}
	t.Logf("%d with a plan, %d given up", plans, given)
	if plans < 160 || plans > 240 || given > 4 {
		t.Errorf("of 400 problems %d have a plan, and %d are too large", plans, given)
	}
}

// TestRuledByHand has answers by hand for what the public problems lack.
func TestRuledByHand(t *testing.T) {
	buffer := func(id string, lower, upper, size int64, evictions ...model.Eviction) model.Buffer {
		return model.Buffer{ID: id, Lower: lower, Upper: upper, Size: size, Extra: &model.Extra{Evictions: evictions}}
	}
	x, y := buffer("x", 0, 3, 4), buffer("y", 2, 5, 4)
	near := func(by int64) model.Rules {
		return model.Rules{Distances: []model.Distance{{Buffers: model.Pair{0, 1}, Distance: by}}}
	}
	windowed := x
	windowed.Gaps = []model.Gap{{Lower: 2, Upper: 3, Window: &model.Window{Lower: 0, Upper: 1}}}
	nearApart := near(2)
	nearApart.Apart = []model.Pair{{1, 0}}
	for _, tc := range []struct {
		name     string
		capacity int64
		rules    model.Rules
		buffers  []model.Buffer
		best     []int64
	}{
		{"evict one of two", 8, model.Rules{Objective: []model.Measure{model.MeasureEviction, model.MeasureHeight}}, []model.Buffer{
			buffer("a", 0, 10, 4, model.Eviction{Lower: 3, Upper: 7, Cost: 5}),
			buffer("b", 0, 10, 4, model.Eviction{Lower: 2, Upper: 8, Cost: 3}),
			buffer("c", 4, 6, 4),
		}, []int64{3, 8}},
		{"evict for a lower height", 0, model.Rules{Objective: []model.Measure{model.MeasureHeight, model.MeasureEviction}}, []model.Buffer{
			buffer("a", 0, 9, 4, model.Eviction{Lower: 1, Upper: 2, Cost: 5}, model.Eviction{Lower: 4, Upper: 6, Cost: 7}),
			buffer("b", 1, 2, 4), buffer("c", 4, 6, 3),
		}, []int64{4, 12}},
		{"a distance of 2", 0, near(2), []model.Buffer{x, y}, []int64{6}},
		{"a distance below 0", 0, near(-1), []model.Buffer{x, y}, []int64{4}},
		{"a distance beyond the size", 0, near(9), []model.Buffer{x, y}, []int64{8}},
		{"apart wins over a distance", 0, nearApart, []model.Buffer{x, y}, []int64{8}},
		{"a period", 0, model.Rules{Period: 4}, []model.Buffer{buffer("a", 0, 2, 3), buffer("b", 3, 5, 4)}, []int64{7}},
		{"a longer period", 0, model.Rules{Period: 5}, []model.Buffer{buffer("a", 0, 2, 3), buffer("b", 3, 5,
			4)}, []int64{4}},
		{"a window", 0, model.Rules{}, []model.Buffer{windowed, y}, []int64{5}},
	} {
		p := &model.Problem{Capacity: tc.capacity, Rules: &tc.rules, Buffers: tc.buffers}
		if err := model.Validate(p); err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if best, _, _ := Ruled(p, 0); !slices.Equal(best, tc.best) {
			t.Errorf("%s: %v, want %v", tc.name, best, tc.best)
		}
	}
}
