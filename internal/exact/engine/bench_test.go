package engine

import (
	"context"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// BenchmarkSuite fits the challenging suite at its capacity, sweep aside.
func BenchmarkSuite(b *testing.B) {
	for c := 'A'; c <= 'K'; c++ {
		b.Run(string(c), func(b *testing.B) {
			p, err := public.Load("challenging/" + string(c) + ".1048576.csv")
			if err != nil {
				b.Skip("skipped: the challenging suite is not here (STOWAGE_DATA)")
			}
			benchmarkPlan(b, timeline.New(p), plan.Options{Capacity: 1 << 20})
		})
	}
}

// BenchmarkSmall measures calls with little to search: the capacity is the load plus a tenth.
func BenchmarkSmall(b *testing.B) {
	for _, kind := range []string{"random", "pinwheel"} {
		for _, n := range []int{20, 100} {
			b.Run(kind+"/"+strconv.Itoa(n), func(b *testing.B) {
				in := must.Get(gen.New(kind, gen.Options{Buffers: n, Seed: 1}))(b)
				tl := timeline.New(in.Problem)
				benchmarkPlan(b, tl, plan.Options{Capacity: tl.MaxLoad + tl.MaxLoad/10})
			})
		}
	}
}

func benchmarkPlan(b *testing.B, tl *timeline.Timeline, o plan.Options) {
	o.Workers = 1
	b.ReportAllocs()
	for b.Loop() {
		r, err := (&Planner{}).Plan(context.Background(), tl, o)
		if err != nil || !r.Status.HasPlan() {
			b.Fatal(r.Status, err)
		}
		b.ReportMetric(float64(r.Stats.Nodes), "nodes")
	}
}
