package pools

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	_ "github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestAnswersAreKept: a set of a pool is planned once, however many assignments have it.
func TestAnswersAreKept(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 34))
	for range 30 {
		p := drawn.Spilled(r, 8)
		p.Rules.Objective = []model.Measure{model.MeasureHeight}
		known := must.Get(plan.Find("exact"))(t)
		s := New(lower.New(p), run.Prepared(known), plan.Options{Minimize: true}, plan.Stats{})
		s.KeepAnswers()
		of := make([]int32, len(p.Buffers))
		for n := range 200 {
			of[r.IntN(3)] = int32(n % 2)
			must.Get(s.Plan(context.Background(), of))(t)
		}
		if s.kept.asked > 16 || s.kept.reused < 150 {
			t.Fatalf("%d asked, %d not", s.kept.asked, s.kept.reused)
		}
	}
}

// TestAnswersOffered: a plan that is offered stands in for a worse one of the planner's, and not for a better one.
func TestAnswersOffered(t *testing.T) {
	p := &model.Problem{Rules: &model.Rules{
		Pools:     []model.Pool{{ID: "x"}, {ID: "y"}},
		Objective: []model.Measure{model.MeasureHeight},
	}}
	for i, size := range []int64{3, 5} {
		p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(i), Size: size, Upper: 1})
	}
	known := must.Get(plan.Find("first-fit"))(t)
	for _, offered := range [][]int64{{0, 3}, {0, 40}} {
		s := New(lower.New(p), run.Prepared(known), plan.Options{Minimize: true}, plan.Stats{})
		s.KeepAnswers()
		of := []int32{0, 0}
		s.Offer(0, []int32{0, 1}, offered)
		q := s.kept.find(0, []int32{0, 1})
		q.full, q.first = &pool{strip: s.Lowering.Strip(0, []int32{0, 1},
			nil), offsets: []int64{10, 0}, height: 13, bound: 8},
			answer{status: model.Feasible, height: 13}
		r, err := s.Plan(context.Background(), of)
		if want := min(13, offered[1]+5); err != nil || r.Height != want {
			t.Errorf("offered %v: height %d, want %d", offered, r.Height, want)
		}
	}
}

// TestPacksWithDeadline: objects have a share of the time, also in a question before any plan.
func TestPacksWithDeadline(t *testing.T) {
	p := &model.Problem{
		Buffers: []model.Buffer{{ID: "a", Size: 3, Upper: 1}, {ID: "b", Size: 5, Upper: 1}},
		Rules: &model.Rules{
			Pools:     []model.Pool{{ID: "x", Capacity: 8, Objects: true}, {ID: "y", Objects: true}},
			Objective: []model.Measure{model.MeasureHeight},
		},
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	s := New(lower.New(p), run.Prepared(must.Get(plan.Find("first-fit"))(t)), plan.Options{}, plan.Stats{})
	s.KeepAnswers()
	if status := must.Get(s.Packs(ctx, 0, []int32{0, 1}, PackNodes))(t); !status.HasPlan() {
		t.Errorf("%v, and there is a plan", status)
	}
}
