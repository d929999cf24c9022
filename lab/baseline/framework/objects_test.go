package framework

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestObjectsNoneAbove plans 60 problems of 6 to 50 buffers in a pool of objects, and 6 of up to 300. No plan is higher
// than that of a strategy of TensorFlow Lite, and most of the 60 are proven to be the lowest.
func TestObjectsNoneAbove(t *testing.T) {
	below, proven := 0, 0
	for n := range 66 {
		buffers := 6 + n%45
		if n >= 60 {
			buffers = 50 * (n - 59)
		}
		p := shuffled(buffers, uint64(n))
		q := *p
		q.Rules = &model.Rules{
			Pools: []model.Pool{{ID: "textures", Objects: true}}, Objective: []model.Measure{model.MeasureHeight},
		}
		r := must.Get(stowage.Solve(context.Background(), &q, plan.Options{}))(t)
		if report := verify.CheckMeasures(&q, &r.Plan, r.Measures); !report.OK() {
			t.Fatalf("%d: %s", n, report.Violations[0].Message)
		}
		if r.Status == model.Optimal && n < 60 {
			proven++
		}
		lowest := int64(0)
		for _, x := range all() {
			if !strings.HasPrefix(x.name, "tflite-objects-") {
				continue
			}
			other := planned(t, x, p, plan.Options{Minimize: true})
			if lowest == 0 || other.Height < lowest {
				lowest = other.Height
			}
			if r.Height > other.Height {
				t.Errorf("%d: %d buffers: height %d, %s has %d", n, buffers, r.Height, x.name, other.Height)
			}
		}
		if r.Height < lowest {
			below++
		}
	}
	t.Logf("%d of 60 are proven; %d of 66 are below all strategies", proven, below)
	if proven < 50 || below < 8 {
		t.Error("too few are proven, or below")
	}
}

// TestTexturesNoneAbove plans 60 problems of 6 to 50 buffers with sizes of two or three dimensions. No plan takes more
// than that of a strategy for textures of TensorFlow Lite.
func TestTexturesNoneAbove(t *testing.T) {
	below, proven := 0, 0
	gaps := []float64{}
	for n := range 60 {
		r := rand.New(rand.NewPCG(45, uint64(n)))
		p := shuffled(6+n*44/59, uint64(n))
		p.Rules = &model.Rules{Pools: []model.Pool{{ID: "textures", Objects: true}}}
		var all []texture
		for i := range p.Buffers {
			b := &p.Buffers[i]
			b.Alignment, b.Fixed, b.Gaps = 0, nil, nil
			extents := []int64{1 << r.IntN(8), 1 << r.IntN(8)} // as the widths and heights of a network
			if n%2 == 1 {
				extents = append(extents, 1+r.Int64N(16))
			}
			if r.IntN(3) == 0 {
				extents[0] += r.Int64N(extents[0] + 1)
			}
			b.SetExtents(extents)
			all = append(all, texture{b.Lower, b.Upper, extents})
		}
		slices.SortStableFunc(all, func(a, b texture) int { return cmp.Compare(a.lower, b.lower) })
		result := must.Get(stowage.Solve(t.Context(), p, plan.Options{}))(t)
		if report := verify.CheckMeasures(p, &result.Plan, result.Measures); !report.OK() {
			t.Fatalf("%d: %s", n, report.Violations[0].Message)
		}
		if result.Status == model.Optimal {
			proven++
		}
		gaps = append(gaps, float64(result.Height-result.LowerBound)/float64(result.Height))
		lowest := int64(math.MaxInt64)
		for _, x := range textureStrategies {
			sum := textures(all, x.exact)
			if lowest = min(lowest, sum); result.Height > sum {
				t.Errorf("%d: %d buffers: %d, %s has %d", n, len(all), result.Height, x.name, sum)
			}
		}
		if result.Height < lowest {
			below++
		}
	}
	slices.Sort(gaps)
	t.Logf("%d of 60 are proven, the gap is %.1f%% at most; %d are below both strategies", proven, 100*gaps[59], below)
	if proven < 40 || below < 40 {
		t.Error("too few are proven, or below")
	}
}
