package timeline

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/model"
)

// TestMany: many buffers without gaps have the timeline that they have beside a buffer with a gap, which comes after
// all of them, so that each has spans. Several goroutines ask for spans at once.
func TestMany(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, time := range []int64{50, 5000, 1 << 40} { // a table of slots, and times that are sorted
		p := &model.Problem{}
		for i := range thresholds.LargeAbove + 1 + r.IntN(100) {
			lower := r.Int64N(time) - time/2
			p.Buffers = append(p.Buffers, model.Buffer{
				ID: strconv.Itoa(i), Lower: lower, Upper: lower + 1 + r.Int64N(1+time/50), Size: 1 + r.Int64N(100),
			})
		}
		tl, n := New(p), len(p.Buffers)
		beside := *p
		beside.Buffers = append(slices.Clone(p.Buffers), model.Buffer{
			ID: "gap", Lower: 2 * time, Upper: 2*time + 3, Size: 1, Gaps: []model.Gap{{Lower: 2*time + 1, Upper: 2*time + 2}},
		})
		want := New(&beside)
		if tl.sizes == nil || want.sizes != nil || tl.HasGaps() || !want.HasGaps() {
			t.Fatal("the two are prepared in one way")
		}
		sections := tl.Sections()
		if !slices.Equal(tl.Load, want.Load[:sections]) || !slices.Equal(tl.Starts, want.Starts[:sections]) ||
			!slices.Equal(tl.Ends, want.Ends[:sections]) || tl.LowerBound != want.LowerBound || tl.MaxLoad != want.MaxLoad {
			t.Fatalf("time %d: other sections", time)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for i := range n {
					first, last := tl.Extent(i)
					f, l := want.Extent(i)
					if !slices.Equal(tl.Spans(i), want.Spans(i)) || first != f || last != l || tl.Size(int32(i)) != p.Buffers[i].Size {
						t.Errorf("time %d, buffer %d: %v, want %v", time, i, tl.Spans(i), want.Spans(i))
						return
					}
				}
			})
		}
		all.Wait()
		for i := range p.Buffers {
			p.Buffers[i].Size *= 12
		}
		tl = New(p)
		if got, step := tl.Step(), bound.Step(p); got != step || step%12 != 0 {
			t.Errorf("time %d: step %d, want %d", time, got, step)
		}
		offsets := make([]int64, n)
		for i := range offsets {
			offsets[i] = r.Int64N(1000)
		}
		if got, height := tl.HeightOf(offsets), model.HeightOf(p, offsets); got != height {
			t.Errorf("time %d: height %d, want %d", time, got, height)
		}
	}
}
