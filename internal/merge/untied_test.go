package merge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// strip is a problem with pairs apart that never live together, without its rules.
func strip(rng *rand.Rand, p *model.Problem, pairs int) *model.Problem {
	q := &model.Problem{Buffers: p.Buffers, Rules: &model.Rules{}}
	for len(q.Rules.Apart) < pairs {
		i, j := rng.IntN(len(p.Buffers)), rng.IntN(len(p.Buffers))
		if a, b := &p.Buffers[i], &p.Buffers[j]; a.Upper <= b.Lower {
			q.Rules.Apart = append(q.Rules.Apart, model.Pair{int32(i), int32(j)})
		}
	}
	all := make([]int32, len(p.Buffers))
	for i := range all {
		all[i] = int32(i)
	}
	return lower.New(q).Strip(0, all, nil).Problem
}

// TestUntying: J with five pairs apart ends lower if ejections plan its groups without the pairs, after as many nodes.
func TestUntying(t *testing.T) {
	t.Parallel()
	whole := plantest.Load(t, "challenging/J.1048576.csv")
	sum := func(without ...string) (above int64) {
		for seed := range uint64(plantest.Share(4, 4, 2)) {
			p := strip(rand.New(rand.NewPCG(seed, 7)), whole, 5)
			r := plantest.Must(t, &Planner{}, p, plan.Options{Minimize: true, NodeLimit: 40_000, Without: without})
			above += r.Height - timeline.New(p).LowerBound
		}
		return above
	}
	all, without := sum(), sum("untying")
	if t.Logf("above the bounds: %d, %d without", all, without); 3*all >= 2*without {
		t.Error("the technique is of no use")
	}
}

// TestKeepRoots: a plan of the roots is kept if it is one of the buffers, and else not: single buffers have nothing to
// arrange.
func TestKeepRoots(t *testing.T) {
	w := run.NewWatch(t.Context())
	defer w.Close()
	kept, broken := 0, 0
	for seed := range uint64(plantest.Share(40, 40, 10)) {
		p, _ := packing(t, 80, 6, seed)
		tl := timeline.New(p)
		s := &search{watch: w, tl: tl, o: &plan.Options{}, height: math.MaxInt64, set: settings{untying: true}}
		m := &merger{watch: w, rng: rand.New(rand.NewPCG(seed, 3)), most: math.MaxInt64}
		m.init(tl, newBase(tl))
		q := s.ejected(m)
		if q == nil {
			continue // a buffer is sealed
		}
		if timeline.New(q).HasGaps() {
			t.Fatal("the roots have gaps")
		}
		at := stacked(m.rng, q)
		right := verify.Check(p, m.expand(p, at), 0).OK()
		if right {
			kept++
		} else {
			broken++
		}
		if s.keepRoots(m, at); (s.best != nil) != right {
			t.Fatalf("seed %d: kept %v, right %v", seed, s.best != nil, right)
		}
	}
	if t.Logf("%d kept, %d broken", kept, broken); kept == 0 || broken == 0 {
		t.Error("only one of the two")
	}
}

// TestEjected: without the technique roots with pairs apart have gaps. A fixed buffer is no root to plan without them.
func TestEjected(t *testing.T) {
	p, _ := packing(t, 80, 6, 1)
	roots := func(p *model.Problem, untying bool) *model.Problem {
		tl := timeline.New(p)
		s := &search{tl: tl, set: settings{untying: untying}}
		m := &merger{}
		m.init(tl, newBase(tl))
		return s.ejected(m)
	}
	if q := roots(p, false); !timeline.New(q).HasGaps() {
		t.Error("no gaps")
	}
	at := int64(0)
	p.Buffers = slices.Clone(p.Buffers)
	if p.Buffers[0].Fixed = &at; roots(p, true) != nil {
		t.Error("a fixed buffer was taken")
	}
}
