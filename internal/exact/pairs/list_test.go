package pairs

import (
	"cmp"
	"errors"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
)

// TestLists compares both lists of random problems with what the timeline says of every two buffers.
func TestLists(t *testing.T) {
	several := 0
	for seed := range uint64(6000) {
		tl := timeline.New(drawn.Wide(seed))
		for _, part := range tl.Partitions {
			var want, earlier, later []Range
			for i, first := range part.Buffers {
				for j := i + 1; j < len(part.Buffers); j++ {
					forbidden := tl.Forbid(int(first), int(part.Buffers[j]))
					if len(forbidden) > 1 {
						several++
					}
					for _, f := range forbidden {
						want = append(want, Range{int32(i), int32(j), f.Above, f.Below})
					}
				}
			}
			a := EachByEarlier(watch, tl, part.Buffers, Most, func(r Range) { earlier = append(earlier, r) })
			b := EachByLater(watch, tl, part.Buffers, Most, func(r Range) { later = append(later, r) })
			if a != nil || b != nil {
				t.Fatal(a, b)
			}
			if !slices.Equal(earlier, want) {
				t.Fatalf("seed %d: by the earlier buffer %v, want %v", seed, earlier, want)
			}
			slices.SortStableFunc(want, func(x, y Range) int {
				return cmp.Or(cmp.Compare(x.J, y.J), cmp.Compare(x.I, y.I))
			})
			if !slices.Equal(later, want) {
				t.Fatalf("seed %d: by the later buffer %v, want %v", seed, later, want)
			}
		}
	}
	if several < 50 {
		t.Errorf("only %d pairs have several ranges", several)
	}
}

// TestListLimits has one pair more than the limit, and a watch that is over.
func TestListLimits(t *testing.T) {
	p := must.Get(gen.Generate("full-overlap", gen.Options{Buffers: 300}))(t)
	tl := timeline.New(p)
	buffers := tl.Partitions[0].Buffers
	const all = 300 * 299 / 2
	for name, list := range map[string]func(limit int) error{
		"earlier": func(limit int) error { return EachByEarlier(watch, tl, buffers, limit, func(Range) {}) },
		"later":   func(limit int) error { return EachByLater(watch, tl, buffers, limit, func(Range) {}) },
	} {
		if err := list(all); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var many *TooManyError
		if err := list(all - 1); !errors.As(err, &many) || *many != (TooManyError{300, all - 1}) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w := ended()
	if err := EachByLater(w, tl, buffers, all, func(Range) {}); err != ErrLimit {
		t.Errorf("by the later buffer with a watch that is over: %v", err)
	}
	if err := EachByEarlier(w, tl, buffers, all, func(Range) {}); err != ErrLimit {
		t.Errorf("by the earlier buffer with a watch that is over: %v", err)
	}
}
