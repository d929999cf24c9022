package place

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestWatchCountsGaps: a limit ends the placement of few buffers with many gaps, because the work depends on the gaps.
func TestWatchCountsGaps(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	problem := func(buffers, gaps int) *timeline.Timeline {
		p := &model.Problem{Buffers: make([]model.Buffer, buffers)}
		for i := range p.Buffers {
			b := &p.Buffers[i]
			*b = model.Buffer{Lower: 0, Upper: int64(10*gaps + 10), Size: 1}
			for k := range int64(gaps) {
				at := 10*k + 1 + int64(i)%4
				b.Gaps = append(b.Gaps, model.Gap{Lower: at, Upper: at + 1})
			}
		}
		return timeline.New(p)
	}
	for _, tc := range []struct {
		buffers, gaps int
		ends          bool
	}{{1, 0, false}, {4096, 0, false}, {4097, 0, true}, {100, 10, false}, {4, 2000, false}, {20, 2000, true}} {
		w := Watch(over, problem(tc.buffers, tc.gaps))
		if w.Over() != tc.ends {
			t.Errorf("%d buffers with %d gaps: ends %v", tc.buffers, tc.gaps, w.Over())
		}
		w.Close()
	}
}
