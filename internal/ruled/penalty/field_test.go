package penalty

import (
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// A lowered is a problem of one pool with its field.
type lowered struct {
	*model.Problem
	strip     *lower.Strip
	capacity  int64
	penalties []model.Penalty
}

func lowerOne(p *model.Problem) *lowered {
	all := make([]int32, len(p.Buffers))
	for i := range all {
		all[i] = int32(i)
	}
	l := lower.New(p)
	return &lowered{p, l.Strip(0, all, nil), l.Pools[0].Capacity, l.Conflicts.PenaltiesOf()}
}

func (x *lowered) field() *Field { return New(x.strip, x.capacity, x.Problem, x.penalties) }

// onePool draws a problem with penalties that count. Its strip has a plan as far as alignments alone decide.
func onePool(r *rand.Rand) *lowered {
	for {
		if x := lowerOne(drawn.OnePool(r)); len(x.penalties) > 0 && x.strip.Impossible == "" {
			return x
		}
	}
}

// TestField compares a field with the verifier: both accept the same random offsets, with the same penalty.
func TestField(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 3))
	plans, paying := 0, 0
	for range plantest.Share(1500, 500, 500) {
		q := onePool(r)
		p := q.Problem
		if q.capacity == 0 {
			q.capacity = 1 << 20 // above all that is drawn below
		}
		f := q.field()
		for range 20 {
			offsets, all := make([]int64, f.n), make([]int64, len(p.Buffers))
			for i := range offsets {
				offsets[i] = r.Int64N(12) * f.align[i]
				if b := &q.strip.Problem.Buffers[i]; b.Fixed != nil && r.IntN(8) > 0 {
					offsets[i] = *b.Fixed
				}
			}
			q.strip.Lift(offsets, all)
			pl := &model.Plan{Offsets: all, Height: model.HeightOf(p, all)}
			report := verify.CheckPlan(p, pl)
			if report.OK() != f.allowed(offsets) {
				t.Fatalf("offsets %v of bodies: the field says %v, the verifier %v\n%s", offsets, f.allowed(offsets),
					report.Violations,
					drawn.DescribeRuled(p))
			}
			if !report.OK() {
				continue
			}
			plans++
			want := model.ValueOf(model.MeasuresOf(p, pl), model.MeasurePenalty)
			if want > 0 {
				paying++
			}
			if got := f.Paid(offsets); got != want {
				t.Fatalf("offsets %v of bodies pay %d in the field, want %d\n%s", offsets, got, want,
					drawn.DescribeRuled(p))
			}
		}
	}
	t.Logf("%d plans, %d of them pay", plans, paying)
	if plans < 600 || paying < 300 {
		t.Errorf("%d plans are too few, or the %d that pay", plans, paying)
	}
}

// TestFieldRoom: a pool without a capacity has room above fixed bodies and reserved ranges.
func TestFieldRoom(t *testing.T) {
	at := int64(12)
	p := &model.Problem{
		Buffers: []model.Buffer{
			{ID: "a", Size: 21, Lower: 2, Upper: 3, Alignment: 3},
			{ID: "b", Size: 24, Lower: 5, Upper: 7, Fixed: &at},
		},
		Rules: &model.Rules{
			Pools:     []model.Pool{{ID: "x", Reserved: []model.Range{{Lower: 50, Upper: 52}}}},
			Penalties: []model.Penalty{{Buffers: model.Pair{0, 1}, Cost: 3}},
			Objective: []model.Measure{model.MeasurePenalty},
		},
	}
	f := lowerOne(p).field()
	offsets := []int64{0, 12}
	if bound, _ := f.LeastBySlots(t.Context(), offsets, SlotNodes); bound != 0 || f.Paid(offsets) != 0 ||
		offsets[0] < 52 {
		t.Errorf("at least %d is paid, by %v %d; want 0 above the reserved bytes", bound, offsets, f.Paid(offsets))
	}
}
