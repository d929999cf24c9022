package tela

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func solve(t testing.TB, tl *timeline.Timeline, o plan.Options) plan.Result {
	t.Helper()
	return plantest.Solve(t, context.Background(), Planner{}, tl, o)
}

// check demands a plan at the known minimum of a problem, and a proof one byte below it.
func check(t *testing.T, p *model.Problem, minimum int64, o plan.Options) {
	t.Helper()
	plantest.AtMinimum(t, Planner{}, p, minimum, o, slices.Contains(o.Without, "completion"))
}

// TestSmallShapes plans every problem of up to five buffers on a small grid, and
// each core of the infeasible kind, which the load says nothing about.
func TestSmallShapes(t *testing.T) {
	for n := 1; n <= 5; n++ {
		horizon, size := int64(3), int64(4)
		if n == 5 {
			size = 3
		}
		for p := range drawn.EachSmall(n, horizon, size) {
			minimum, _, _ := oracle.MinHeight(p)
			check(t, p, minimum, plan.Options{})
		}
	}
}

// TestSwitches plans random problems with alignment, gaps, windows and fixed
// offsets under random combinations of switches and parameters.
func TestSwitches(t *testing.T) {
	count := plantest.Share(12_000, 4000, 2000)
	strategies := []string{"all", "all", "all", "lifetime", "size", "area", "lowest"}
	collisions, undecided := 0, 0
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := drawn.Tiny(seed)
		o := plan.Options{Params: map[string]string{
			"strategy":       strategies[rng.IntN(len(strategies))],
			"candidates":     strconv.Itoa(1 + rng.IntN(8)),
			"stuck-after":    strconv.Itoa(1 + rng.IntN(5)),
			"sections-after": strconv.Itoa(rng.IntN(3)),
		}}
		for _, t := range (Planner{}).Info().Techniques {
			if seed%4 != 0 && rng.IntN(4) == 0 && t.Name != "largest" {
				o.Without = append(o.Without, t.Name)
			}
		}
		minimum, _, ok := oracle.MinHeight(p)
		if !ok {
			collisions++
			o.Capacity = 1000
			if r := solve(t, timeline.New(p), o); r.Status != model.Infeasible {
				t.Fatalf("seed %d: colliding fixed offsets: got %s\n%s", seed, r.Status, drawn.Describe(p))
			}
			o.Capacity = 0
			if r := solve(t, timeline.New(p), o); r.Status != model.Infeasible {
				t.Fatalf("seed %d: colliding fixed offsets, minimising: got %s\n%s", seed, r.Status, drawn.Describe(p))
			}
			continue
		}
		check(t, p, minimum, o)
		if seed%5 == 0 {
			o.Capacity = 0
			r := solve(t, timeline.New(p), o)
			if !r.Status.HasPlan() || r.Height < minimum || r.LowerBound > minimum {
				t.Fatalf("seed %d: minimise: got %s %d, bound %d, minimum %d, without %v\n%s", seed, r.Status,
					r.Height, r.LowerBound, minimum, o.Without, drawn.Describe(p))
			}
			if r.Height > minimum {
				undecided++
				if !slices.Contains(o.Without, "completion") {
					t.Fatalf("seed %d: minimise: got %d, minimum %d, with the completion\n%s", seed, r.Height, minimum,
						drawn.Describe(p))
				}
			}
		}
	}
	t.Log(count, "problems,", collisions, "with colliding fixed offsets,", undecided, "not minimised")
}

// TestInfeasible proves that problems whose load fits have no plan, and plans them if there is more room.
func TestInfeasible(t *testing.T) {
	proofs := 0
	for seed := range uint64(60) {
		in := must.Get(gen.New("infeasible", gen.Options{Seed: seed, Buffers: 12, Capacity: 60, Horizon: 40}))(t)
		o := plan.Options{Capacity: in.Problem.Capacity, NodeLimit: 20000}
		switch r := solve(t, timeline.New(in.Problem), o); r.Status {
		case model.Infeasible:
			proofs++
		case model.Unknown:
		default:
			t.Fatalf("seed %d: got %s", seed, r.Status)
		}
	}
	if proofs < 30 {
		t.Fatalf("%d proofs of 60", proofs)
	}
}

// TestModels plans the networks at 1.1 times their load.
func TestModels(t *testing.T) {
	models := []string{
		"face_detection_full_range", "face_detection_full_range_sparse", "face_detection_short_range",
		"hand_landmark_full", "hand_landmark_lite", "object_detection_3d_camera", "object_detection_3d_chair",
		"object_detection_3d_cup", "object_detection_3d_sneakers", "pose_landmark_full", "pose_landmark_heavy",
		"pose_landmark_lite", "selfie_segmentation", "selfie_segmentation_landscape",
	}
	for _, name := range models {
		t.Run(name, func(t *testing.T) {
			p := plantest.Find(t, "models/"+name+".csv")
			if p == nil {
				t.Skip("needs shared/data/models")
			}
			tl := timeline.New(p)
			r := solve(t, tl, plan.Options{Capacity: tl.LowerBound * 11 / 10, NodeLimit: 100_000})
			if !r.Status.HasPlan() {
				t.Fatalf("got %s after %d steps", r.Status, r.Stats.Nodes)
			}
			t.Logf("%d steps, %d backtracks, %v", r.Stats.Nodes, r.Stats.Backtracks, r.Stats.Elapsed)
		})
	}
}
