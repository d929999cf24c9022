package timeline

import (
	"reflect"
	"testing"

	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/model"
)

// ring returns n buffers, some with a gap.
func ring(n int, gaps bool) *model.Problem {
	p := &model.Problem{Buffers: make([]model.Buffer, n)}
	for i := range p.Buffers {
		lower := int64(i) * 10
		p.Buffers[i] = model.Buffer{Lower: lower, Upper: lower + 35, Size: 1 + int64(i%5)}
		if gaps && i%3 == 0 {
			p.Buffers[i].Gaps = []model.Gap{{Lower: lower + 5, Upper: lower + 9}}
		}
	}
	return p
}

// TestNewUnless lets a limit come at each look. Then there is no timeline. If the limit comes after the last look,
// the timeline is New's.
func TestNewUnless(t *testing.T) {
	few := &model.Problem{Buffers: make([]model.Buffer, 3)}
	for i := range few.Buffers {
		b := &few.Buffers[i]
		b.Upper, b.Size = 6*thresholds.PreparedMost, 8
		for at := int64(i); at < b.Upper; at += 6 {
			b.Gaps = append(b.Gaps, model.Gap{Lower: at, Upper: at + 1})
		}
	}
	for _, p := range []*model.Problem{ring(2*thresholds.PreparedMost, false), ring(2*thresholds.PreparedMost,
		true), few} {
		want, looks := New(p), 0
		for limit := 0; ; limit++ {
			looks = 0
			tl := NewUnless(p, func() bool { looks++; return looks > limit })
			if tl == nil {
				if looks > limit+2 {
					t.Fatalf("%d looks after the limit at %d", looks-limit-1, limit)
				}
				continue
			}
			if looks != limit || limit < 6 {
				t.Errorf("a timeline after %d looks with a limit at %d", looks, limit)
			}
			if !reflect.DeepEqual(tl.Load, want.Load) || !reflect.DeepEqual(tl.Partitions, want.Partitions) ||
				tl.LowerBound != want.LowerBound {
				t.Error("another timeline")
			}
			break
		}
	}
	if NewUnless(ring(thresholds.PreparedMost/2, true), func() bool { return true }) == nil {
		t.Error("a small problem has no timeline")
	}
}
