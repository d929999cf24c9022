package merge

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// stepped is unlike in a step that repeats: what lives across its end is live first and last, with a gap between.
func stepped(seed uint64) *model.Problem {
	const period = 700
	p := unlike(seed)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if over := b.Upper - period; over > 0 && over < b.Lower {
			b.Gaps = []model.Gap{{Lower: over, Upper: b.Lower}}
			b.Lower, b.Upper = 0, period
		}
	}
	return p
}

// begunFrom returns a problem, a plan for it to start from, and the height of that plan.
func begunFrom(t *testing.T, p *model.Problem) (tl *timeline.Timeline, start []int64, height int64) {
	t.Helper()
	tl = timeline.New(p)
	start = slices.Clone(greedy.NewPortfolio(t.Context(), tl, tl.LowerBound).Offsets)
	return tl, start, model.HeightOf(p, start)
}

// TestLone: with these ejections more plans end at the load after as many nodes, and all are nearer to it. Plans are
// valid, and a node limit holds.
func TestLone(t *testing.T) {
	seeds := plantest.Share(8, 8, 4)
	at, without, gap, gapWithout := 0, 0, 0.0, 0.0
	for seed := range uint64(seeds) {
		p := stepped(seed)
		_, start, height := begunFrom(t, p)
		o := plan.Options{Minimize: true, NodeLimit: 6000, Start: start}
		r := plantest.Must(t, &Planner{}, p, o)
		if r.Height > height || r.Height < r.LowerBound || r.Stats.Nodes > o.NodeLimit {
			t.Errorf("seed %d: %d, at first %d, the bound is %d; %d nodes", seed, r.Height, height, r.LowerBound, r.Stats.Nodes)
		}
		o.Without = []string{"lone"}
		q := plantest.Must(t, &Planner{}, p, o)
		if r.Height == r.LowerBound {
			at++
		}
		if q.Height == q.LowerBound {
			without++
		}
		gap += float64(r.Height)/float64(r.LowerBound) - 1
		gapWithout += float64(q.Height)/float64(q.LowerBound) - 1
	}
	t.Logf("%d of %d at the load, %d without; %.2f and %.2f%% above it in all", at, seeds, without, 100*gap, 100*gapWithout)
	if at < without || 4*gap > gapWithout {
		t.Error("it helps too little")
	}
}

// TestLoneWays: each way alone lowers a plan, its plans are valid, and it takes no more nodes than it may.
func TestLoneWays(t *testing.T) {
	p := stepped(1)
	w := run.NewWatch(t.Context())
	defer w.Close()
	for way := range 4 {
		tl, start, height := begunFrom(t, p)
		s := &search{watch: w, tl: tl, o: &plan.Options{}, goal: tl.LowerBound, step: 1, best: start, height: height}
		s.set.scarcity = true
		s.alone.ways = way
		e := s.aloneEjector(rand.New(rand.NewPCG(1, 1)))
		nodes := s.oneWay(e, 20_000)
		if s.height >= height || !s.alone.won || s.height != model.HeightOf(p, s.best) {
			t.Errorf("way %d: %d, at first %d", way, s.height, height)
		}
		if nodes > 20_000 || s.alone.ways != way+1 {
			t.Errorf("way %d: %d nodes, then way %d", way, nodes, s.alone.ways)
		}
	}
}

// TestMeetings compares the number of pairs with a count. Buffers that meet twice count twice.
func TestMeetings(t *testing.T) {
	tl := timeline.New(stepped(2))
	once, twice := int64(0), int64(0)
	for i := range tl.Problem.Buffers {
		for j := range i {
			met := int64(0)
			for _, a := range tl.Spans(i) {
				for _, b := range tl.Spans(j) {
					if a.First < b.Last && b.First < a.Last {
						met++
					}
				}
			}
			once += min(met, 1)
			twice += max(met-1, 0)
		}
	}
	if got := (&search{tl: tl}).meetings(); got != once+twice || once == 0 || twice == 0 {
		t.Errorf("%d, counted %d and %d", got, once, twice)
	}
}
