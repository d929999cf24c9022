package choices

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/planners/pairwise"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// watch never ends.
var watch = run.NewWatch(context.Background())

// values are the measures of a plan that p asks for.
func values(p *model.Problem, plan *model.Plan) (v []int64) {
	all := model.MeasuresOf(p, plan)
	for _, m := range p.Objective() {
		v = append(v, model.ValueOf(all, m))
	}
	return v
}

// TestRuled compares the choices with brute force: each best plan makes them, the least offsets for these are no
// worse, and whatever sides are drawn, offsets that have them break no rule.
func TestRuled(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 12))
	best, drawnPlans, impossible := 0, 0, 0
	for range plantest.Share(20_000, 2000, 800) {
		p := drawn.BroadOf(r, 1+r.Int64N(4))
		e := must.Get(Encode(p, 1000))(t)
		want, plan, decided := oracle.Chains(p, 20_000)
		placed := !slices.ContainsFunc(e.Bodies, func(b Body) bool { return len(b.Places) == 0 })
		if decided && want != nil {
			if !placed {
				t.Fatalf("a body has no place\n%s", drawn.DescribeRuled(p))
			}
			place, at := positions(t, e, plan)
			d := decide(e, place, at)
			for k, s := range e.Apart {
				onePool := e.Bodies[s.I].Places[place[s.I]].Pool == e.Bodies[s.J].Places[place[s.J]].Pool
				if d.Apart[k] == pairwise.Open && onePool {
					t.Fatalf("the best plan breaks %+v\n%s", s, drawn.DescribeRuled(p))
				}
			}
			least := e.Least(watch, d)
			if least == nil {
				t.Fatalf("the best plan has no least offsets\n%s", drawn.DescribeRuled(p))
			}
			lowest := e.Plan(place, least)
			if got := values(p, &lowest); !slices.Equal(got, want) || !oracle.Legal(p, &lowest) {
				t.Fatalf("%v, want %v\n%s", got, want, drawn.DescribeRuled(p))
			}
			best++
		}
		if !placed {
			impossible++
			continue
		}
		for range 4 {
			d := &Decision{}
			for b := range e.Bodies {
				d.Place = append(d.Place, r.IntN(len(e.Bodies[b].Places)))
			}
			side := func() pairwise.Choice { return pairwise.Choice(1 - 2*r.IntN(2)) }
			for range e.Apart {
				d.Apart = append(d.Apart, side())
			}
			for range e.Penalties {
				d.Penalties = append(d.Penalties, pairwise.Choice(r.IntN(3)-1))
			}
			for range e.Reserved {
				d.Reserved = append(d.Reserved, side())
			}
			at := e.Least(watch, d)
			if at == nil {
				continue
			}
			plan := e.Plan(d.Place, at)
			if !oracle.Legal(p, &plan) || decided && slices.Compare(values(p, &plan), want) < 0 {
				t.Fatalf("%+v gives %v\n%s", d, plan, drawn.DescribeRuled(p))
			}
			drawnPlans++
		}
	}
	t.Logf("%d best plans, %d plans of drawn sides, %d problems with a body that has no place", best, drawnPlans,
		impossible)
	if best < 200 || drawnPlans < 200 || impossible == 0 {
		t.Errorf("%d best plans, %d drawn, %d impossible", best, drawnPlans, impossible)
	}
}

// positions returns the places and the offsets of the bodies in a plan.
func positions(t *testing.T, e *Ruled, plan *model.Plan) (place []int, at []int64) {
	t.Helper()
	for b := range e.Bodies {
		i, pool := e.Bodies[b].Members[0], int32(0)
		if plan.Pools != nil {
			pool = plan.Pools[i]
		}
		k := slices.IndexFunc(e.Bodies[b].Places, func(x Place) bool { return x.Pool == pool })
		offset := plan.Offsets[i]/e.Unit - e.Bodies[b].At[0]
		if k < 0 || plan.Offsets[i]%e.Unit != 0 || offset < e.Bodies[b].Places[k].First ||
			offset > e.Bodies[b].Places[k].Last {
			t.Fatalf("body %d cannot be at %d of pool %d, where the best plan has it: %+v", b, offset, pool, e.Bodies[b])
		}
		place, at = append(place, k), append(at, offset)
	}
	return place, at
}

// decide reads off offsets which sides hold: Open if neither does.
func decide(e *Ruled, place []int, at []int64) *Decision {
	d := &Decision{Place: place}
	side := func(s *Sides, x int64) pairwise.Choice {
		switch {
		case x >= s.Up:
			return pairwise.Above
		case x <= s.Down:
			return pairwise.Below
		}
		return pairwise.Open
	}
	for k := range e.Apart {
		d.Apart = append(d.Apart, side(&e.Apart[k], at[e.Apart[k].J]-at[e.Apart[k].I]))
	}
	for k := range e.Penalties {
		d.Penalties = append(d.Penalties, side(&e.Penalties[k], at[e.Penalties[k].J]-at[e.Penalties[k].I]))
	}
	for k := range e.Reserved {
		d.Reserved = append(d.Reserved, side(&e.Reserved[k], at[e.Reserved[k].I]))
	}
	return d
}
