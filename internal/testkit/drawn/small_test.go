package drawn

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestEachSmall counts the classes of small problems in another way: by the
// least of all sequences that a problem's symmetries lead to.
func TestEachSmall(t *testing.T) {
	for _, tc := range []struct {
		n             int
		horizon, size int64
	}{{1, 3, 2}, {2, 3, 2}, {3, 3, 2}, {2, 4, 3}, {3, 4, 1}} {
		seen := map[string]bool{}
		for p := range EachSmall(tc.n, tc.horizon, tc.size) {
			if err := model.Validate(p); err != nil {
				t.Fatal(err)
			}
			name := className(p)
			if seen[name] {
				t.Fatalf("%+v comes twice", p.Buffers)
			}
			seen[name] = true
		}
		// Every ordered choice of shapes must be in a class that was seen.
		p := &model.Problem{Buffers: make([]model.Buffer, tc.n)}
		classes := map[string]bool{}
		var choose func(k int)
		choose = func(k int) {
			if k == tc.n {
				classes[className(p)] = true
				return
			}
			for lower := range tc.horizon {
				for upper := lower + 1; upper <= tc.horizon; upper++ {
					for size := int64(1); size <= tc.size; size++ {
						p.Buffers[k] = model.Buffer{Lower: lower, Upper: upper, Size: size}
						choose(k + 1)
					}
				}
			}
		}
		choose(0)
		if len(classes) != len(seen) {
			t.Errorf("%+v: %d classes, want %d", tc, len(seen), len(classes))
		}
		for name := range classes {
			if !seen[name] {
				t.Errorf("%+v: class %s is missing", tc, name)
			}
		}
	}
	for range EachSmall(3, 3, 3) {
		break // a consumer may stop
	}
}

// className compresses the times to ranks, sorts, and takes the lesser of the two directions of time.
func className(p *model.Problem) string {
	var times []int64
	for _, b := range p.Buffers {
		times = append(times, b.Lower, b.Upper)
	}
	slices.Sort(times)
	times = slices.Compact(times)
	rank := func(t int64) int { return slices.Index(times, t) }
	var forward, back []string
	for _, b := range p.Buffers {
		forward = append(forward, fmt.Sprint(rank(b.Lower), rank(b.Upper), b.Size))
		back = append(back, fmt.Sprint(len(times)-1-rank(b.Upper), len(times)-1-rank(b.Lower), b.Size))
	}
	slices.Sort(forward)
	slices.Sort(back)
	return min(fmt.Sprint(forward), fmt.Sprint(back))
}
