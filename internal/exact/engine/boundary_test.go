package engine

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// tight returns a problem whose load equals the capacity at all times: at each step some buffers end and others of the
// same total size start. There is no slack anywhere. About one in a hundred of these problems has no plan at the load,
// and no bound shows it.
func tight(rng *rand.Rand, capacity, steps int64) *model.Problem {
	p := &model.Problem{}
	type live struct{ lower, size int64 }
	var now []live
	end := func(b live, at int64) {
		p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(len(p.Buffers)), Lower: b.lower, Upper: at, Size: b.size})
	}
	free := capacity
	for at := range steps {
		kept := now[:0]
		for _, b := range now {
			if rng.IntN(3) == 0 {
				end(b, at)
				free += b.size
			} else {
				kept = append(kept, b)
			}
		}
		now = kept
		for free > 0 {
			size := 1 + rng.Int64N(min(free, 5))
			now = append(now, live{at, size})
			free -= size
		}
	}
	for _, b := range now {
		end(b, steps)
	}
	return p
}

// mutate changes one thing about the problem. A neighbour of a problem without
// a plan at its load has one about as often as not.
func mutate(rng *rand.Rand, p *model.Problem) *model.Problem {
	q := &model.Problem{Buffers: slices.Clone(p.Buffers)}
	b := &q.Buffers[rng.IntN(len(q.Buffers))]
	switch rng.IntN(9) {
	case 0:
		b.Size++
	case 1:
		b.Size = max(1, b.Size-1)
	case 2:
		b.Upper++
	case 3:
		if b.Upper-b.Lower > 1 {
			b.Lower++
		}
	case 4:
		*b = q.Buffers[len(q.Buffers)-1]
		q.Buffers = q.Buffers[:len(q.Buffers)-1]
	case 5:
		b.Alignment = 2
	case 6:
		if at := b.Lower + 1; at+1 < b.Upper {
			b.Gaps = []model.Gap{{Lower: at, Upper: at + 1}}
			if from := rng.Int64N(b.Size); rng.IntN(2) == 0 {
				b.Gaps[0].Window = &model.Window{Lower: from, Upper: from + 1 + rng.Int64N(b.Size-from)}
			}
		}
	case 7:
		at := rng.Int64N(4) * b.Align()
		b.Fixed = &at
	case 8:
		b.Gaps, b.Fixed, b.Alignment = nil, nil, 0
	}
	rng.Shuffle(len(q.Buffers), func(i, j int) { q.Buffers[i], q.Buffers[j] = q.Buffers[j], q.Buffers[i] })
	for i := range q.Buffers {
		q.Buffers[i].ID = strconv.Itoa(i)
	}
	if model.Validate(q) != nil {
		return p
	}
	return q
}

// TestPhaseBoundary walks along the boundary between problems that have a plan at their load and problems that have
// none. It mutates a problem without a plan at its load, and goes on from the mutations that have none either. Every
// answer, under random switches, must be the oracle's.
func TestPhaseBoundary(t *testing.T) {
	cores, steps := plantest.Share(12, 5), 300
	if env := os.Getenv("STOWAGE_BOUNDARY_STEPS"); env != "" {
		steps, _ = strconv.Atoi(env)
	}
	above, interlocks := 0, 0
	for seed, found := uint64(0), 0; found < cores; seed++ {
		rng := rand.New(rand.NewPCG(seed, 3))
		capacity := 6 + rng.Int64N(5)
		p := tight(rng, capacity, 6+rng.Int64N(8))
		if len(p.Buffers) > 18 || oracle.Fits(p, capacity) {
			continue
		}
		found++
		for range steps {
			q := mutate(rng, p)
			tl := timeline.New(q)
			o := plan.Options{}
			for _, t := range (&Planner{}).Info().Techniques {
				if rng.IntN(5) == 0 {
					o.Without = append(o.Without, t.Name)
				}
			}
			minimum, _, ok := oracle.MinHeight(q)
			if !ok {
				continue // colliding fixed offsets
			}
			check(t, q, minimum, o)
			if minimum <= tl.LowerBound {
				continue
			}
			above++
			if minimum > capacity {
				p = q
			}
			for _, part := range tl.Partitions {
				if found, _ := tl.Interlocks(part, never); found {
					interlocks++
				}
			}
		}
	}
	t.Log(above, "problems planned at their minimum and refuted one under it, where no bound does;", interlocks,
		"partitions with interlocking windows")
	if above < cores*steps/2 {
		t.Error("the walk left the boundary")
	}
}
