package pools

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// TestThreads: threads are found in tilings whose buffers are in no order. These are planned at their optimum, which
// first fit misses.
func TestThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	found := 0
	for seed := range uint64(12) {
		o := gen.Options{
			Buffers: 60 + r.IntN(100), Seed: seed, Threads: 2 + r.Int64N(5), Messages: 1 + r.Int64N(300), Horizon: 1 << 20,
		}
		o.Capacity = o.Threads << 18
		in := must.Get(gen.New("clock-tiling", o))(t)
		p := in.Problem
		p.Capacity = 0
		r.Shuffle(len(p.Buffers), func(i, j int) { p.Buffers[i], p.Buffers[j] = p.Buffers[j], p.Buffers[i] })
		u := untangled(t, p)
		if err := u.orders(context.Background()); err != nil || u.k.Height <= in.Optimum {
			t.Fatalf("seed %d: orders reach %d, %v", seed, u.k.Height, err)
		}
		must.Do(t, u.threads(context.Background()))
		if report := verify.CheckPlan(p, &model.Plan{Offsets: u.k.Offsets, Height: u.k.Height}); !report.OK() {
			t.Fatal(report.Violations[0].Message)
		}
		if u.k.Height == in.Optimum {
			found++
		} else {
			t.Logf("%d buffers, %d threads, %d messages: %d groups, height %d of %d",
				o.Buffers, o.Threads, o.Messages, len(u.byThread()), u.k.Height, in.Optimum)
		}
	}
	if found < 11 {
		t.Errorf("%d of 12", found)
	}
}

// TestThreadsTiny plans small problems by threads, and compares the plans with brute force. Some clocks are from
// threads, others are arbitrary.
func TestThreadsTiny(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	none, some := 0, 0
	for n := range 600 {
		p := &model.Problem{Rules: &model.Rules{Threads: 2}}
		for range 7 {
			b := model.Buffer{ID: "b", Size: 1 + r.Int64N(5)}
			low := []int64{r.Int64N(8), r.Int64N(8)}
			b.SetClocks(low, []int64{low[0] + 1 + r.Int64N(4), low[1] + 1 + r.Int64N(4)})
			p.Buffers = append(p.Buffers, b)
		}
		if n%2 == 0 {
			patterns := gen.Patterns()
			in, err := gen.New("clocks", gen.Options{
				Buffers: 7, Seed: uint64(n), Threads: 2, Pattern: patterns[r.IntN(len(patterns))], MinSize: 1, MaxSize: 5,
				Horizon: 12,
			})
			if err != nil {
				t.Fatal(err)
			}
			p = in.Problem
		}
		u := untangled(t, p)
		if u == nil {
			continue
		}
		least := u.goal
		u.goal = model.MaxSum // whatever the loads are
		groups := u.byThread()
		if groups == nil {
			none++
			continue
		}
		some++
		must.Do(t, u.threads(context.Background()))
		if !oracle.Legal(p, &model.Plan{Offsets: u.k.Offsets}) || u.k.Height < least {
			t.Fatalf("not a plan of height %d: %v", u.k.Height, u.k.Offsets)
		}
	}
	if none < 20 || some < 20 {
		t.Errorf("%d without threads, %d with", none, some)
	}
}
