package beam

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// gapped gives gaps to most buffers that live long enough, some of them two, so that others find room there.
func gapped(p *model.Problem, r *rand.Rand) *model.Problem {
	for i := range p.Buffers {
		b := &p.Buffers[i]
		b.Upper += r.Int64N(12)
		for at := b.Lower + 1; at < b.Upper-2 && len(b.Gaps) < 2 && r.IntN(4) > 0; {
			upper := at + 1 + r.Int64N(b.Upper-1-at)
			b.Gaps = append(b.Gaps, model.Gap{Lower: at, Upper: upper})
			at = upper + 1
		}
	}
	return p
}

// meets reports whether two buffers are live together.
func (e *ejection) meets(j, k int) bool { return e.tl.Overlaps(int(e.order[j]), int(e.order[k])) }

// TestRuns: each buffer has its spans as runs, and each pair that is live together is listed once, by both. The runs of
// two that meet share a moment, and those of others share none.
func TestRuns(t *testing.T) {
	several, shared := 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 8))
		tl := timeline.New(gapped(crowded(seed, 40, 1<<11, even), r))
		e := newEjection(passOf(t, tl))
		for k, i := range e.order {
			if spans := tl.Spans(int(i)); int(e.of[k+1]-e.of[k]) != len(spans) {
				t.Fatalf("seed %d: %d runs, %d spans", seed, e.of[k+1]-e.of[k], len(spans))
			} else if len(spans) > 1 {
				several++
			}
			count := map[int32]int{}
			for _, j := range e.neighbours(int32(k)) {
				count[j]++
			}
			for j := range e.order {
				want, moments := 0, 0
				if j != k && e.meets(j, k) {
					want = 1
				}
				for p := e.of[j]; p < e.of[j+1]; p++ {
					for q := e.of[k]; q < e.of[k+1]; q++ {
						moments += int(max(0, min(e.done[p], e.done[q])-max(e.began[p], e.began[q])))
					}
				}
				if j != k && (count[int32(j)] != want || (moments > 0) != (want > 0)) {
					t.Fatalf("seed %d: %d is %d times a neighbour of %d, not %d; %d moments", seed, j, count[int32(j)], k, want, moments)
				}
				shared += want
			}
		}
	}
	if several < 500 || shared < 5000 {
		t.Errorf("the cases are lopsided: %d buffers with gaps, %d pairs", several, shared)
	}
}

// TestEjectsGaps: of memories that are full because others lie in the gaps, most have a plan a little above the load,
// and none has one below it. If gaps did not count, the loads alone would be above these ceilings.
func TestEjectsGaps(t *testing.T) {
	found, needed := 0, 0
	w := run.NewWatch(context.Background())
	t.Cleanup(w.Close)
	for seed := range uint64(20) {
		p := gapped(crowded(seed, 100, 1<<12, heavy), rand.New(rand.NewPCG(seed, 8)))
		tl := timeline.New(p)
		x := NewEjector(w, tl, seed, true)
		ceiling := tl.LowerBound + tl.LowerBound/8
		if offsets, _ := x.Persist(ceiling, ceiling, 20_000); offsets != nil {
			found++
			if fault := verify.First(p, offsets, ceiling, -1); fault != "" {
				t.Fatalf("seed %d: %s", seed, fault)
			}
			height := model.HeightOf(p, offsets)
			lower, _ := x.Lower(offsets, height, tl.LowerBound, 2_000)
			if fault := verify.First(p, lower, height, -1); fault != "" {
				t.Fatalf("seed %d: %s", seed, fault)
			}
		}
		if offsets, _ := x.Persist(tl.LowerBound-1, tl.LowerBound-1, 5_000); offsets != nil {
			t.Fatalf("seed %d: a plan below the load", seed)
		}
		for i := range p.Buffers {
			p.Buffers[i].Gaps = nil
		}
		if timeline.New(p).LowerBound > ceiling {
			needed++
		}
	}
	if found < 15 || needed < 15 {
		t.Errorf("%d of 20 have a plan; without gaps %d have none", found, needed)
	}
}

// TestEjects: neither fixed offsets nor gaps with windows.
func TestEjects(t *testing.T) {
	p := gapped(crowded(1, 30, 1<<11, even), rand.New(rand.NewPCG(1, 8)))
	if tl := timeline.New(p); !Ejects(tl) || Able(tl) {
		t.Error("gaps: ejections can plan them, passes cannot")
	}
	k := 0
	for len(p.Buffers[k].Gaps) == 0 {
		k++
	}
	p.Buffers[k].Gaps[0].Window = &model.Window{Lower: 0, Upper: 1}
	if Ejects(timeline.New(p)) {
		t.Error("a window")
	}
	p.Buffers[k].Gaps = nil
	p.Buffers[k].Fixed = new(int64)
	if Ejects(timeline.New(p)) {
		t.Error("a fixed offset")
	}
}

// TestManyRuns: of two buffers that are live in turn thousands of times, and then together as often, each meeting would
// be a walk along all their runs.
func TestManyRuns(t *testing.T) {
	const turns, together = 20_000, 10_000
	for _, c := range []struct {
		meetings int32
		want     bool
	}{{10, true}, {together, false}} {
		r := runs{of: []int32{0, turns + c.meetings, 2 * (turns + c.meetings)}}
		for k := range int32(2) {
			for q := range turns + c.meetings {
				open := 2*q + k
				if q >= turns {
					open = 2 * q
				}
				r.whose, r.opens, r.closes = append(r.whose, k), append(r.opens, open), append(r.closes, open+1)
			}
		}
		pairs := 0
		if got := r.meet(func(_, _ int32) { pairs++ }); got != c.want || pairs != 1 {
			t.Errorf("%d meetings: %v, %d pairs", c.meetings, got, pairs)
		}
	}
}
