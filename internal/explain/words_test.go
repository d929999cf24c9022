package explain

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func TestReason(t *testing.T) {
	at := func(x int64) *int64 { return &x }
	b := func(id string, lower, upper, size int64) model.Buffer {
		return model.Buffer{ID: id, Lower: lower, Upper: upper, Size: size}
	}
	fixed := func(b model.Buffer, offset int64) model.Buffer {
		b.Fixed = at(offset)
		return b
	}
	windowed := b("w", 0, 9, 10)
	windowed.Gaps = []model.Gap{{Lower: 2, Upper: 4, Window: &model.Window{Lower: 3, Upper: 9}}, {Lower: 6, Upper: 7}}
	aligned := b("a", 0, 2, 5)
	aligned.Alignment = 8
	other := b("b", 1, 3, 5)
	other.Alignment = 8
	for _, c := range []struct {
		name            string
		buffers         []model.Buffer
		capacity, bound int64
		want            string
	}{
		{"the load alone", []model.Buffer{b("x", 0, 4, 4), b("y", 1, 5, 5), b("z", 2, 3,
			6)}, 10, 15, "In [2, 3) 3 buffers take 15, which is 5 more than the capacity of 10. They are z (6), y (5) and x (4)."},
		{"two of them", []model.Buffer{b("x", 0, 4, 7), b("y", 1, 5,
			5)}, 11, 12, "In [1, 4) 2 buffers take 12, which is 1 more than the capacity of 11. They are x (7) and y (5)."},
		{"many", []model.Buffer{b("x", 0, 4, 4), b("y", 1, 5, 5), b("z", 2, 3, 6), b("v", 0, 9,
			3)}, 10, 18, "In [2, 3) 4 buffers take 18, which is 8 more than the capacity of 10. The largest of them are z (6), y (5) and x (4)."},
		{"windows", []model.Buffer{windowed, b("x", 3, 4, 6), b("y", 6, 7,
			11)}, 11, 12, "In [3, 4) 2 buffers take 12, which is 1 more than the capacity of 11. They are w (6) and x (6)."},
		{"a collision", []model.Buffer{fixed(b("x", 0, 4, 10), 0), fixed(b("y", 2, 6, 10),
			5)}, 0, 0, "The buffers x and y have fixed offsets that collide: both use bytes [5, 10) at times [2, 4), so no capacity is enough."},
		{"fixed too high", []model.Buffer{fixed(b("x", 0, 4, 10), 5), b("y", 0, 9,
			90)}, 14, 15, "Buffer x is fixed at 5 and ends at 15, above the capacity of 14."},
		{"too large", []model.Buffer{b("y", 5, 9, 1), b("x", 0, 4,
			20)}, 12, 20, "Buffer x alone takes 20, which is 8 more than the capacity of 12."},
		{"alignment", []model.Buffer{aligned, other}, 11, 13, "At most 10 are in use at once, in [1, 2), and the capacity is 11. But no arrangement of the buffers is that low: no plan is lower than 13."},
	} {
		p := &model.Problem{Buffers: c.buffers, Capacity: c.capacity}
		if got := Reason(p, c.capacity, c.bound, func(id string) string { return id }); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestReasonIsTrue recounts what Reason says of random problems that cannot fit, moment by
// moment from the buffers themselves.
func TestReasonIsTrue(t *testing.T) {
	planner := must.Get(plan.Find("exact"))(t)
	kinds := map[string]int{}
	for seed := range uint64(400) {
		p := drawn.Wide(seed)
		tl := timeline.New(p)
		capacity := tl.LowerBound - 1 - int64(seed%3)
		if capacity < 1 {
			continue
		}
		r, err := run.Run(context.Background(), run.Prepared(planner), tl, plan.Options{Capacity: capacity, NodeLimit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != model.Infeasible {
			t.Fatalf("seed %d: %v below the bound", seed, r.Status)
		}
		text := Reason(p, capacity, r.LowerBound, func(id string) string { return id })
		var from, to, load, over, limit, n int64
		switch first, _, _ := strings.Cut(text, " "); first {
		case "In":
			var thing string
			if _, err := fmt.Sscanf(text, "In [%d, %d) %d %s take %d, which is %d more than the capacity of %d.",
				&from, &to, &n, &thing, &load, &over, &limit); err != nil {
				t.Fatalf("seed %d: %v: %s", seed, err, text)
			}
			count, sum := liveAt(p, from)
			if last, lastSum := liveAt(p, to-1); count != n || sum != load || last != n || lastSum != load ||
				over != load-capacity || limit != capacity || over < 1 {
				t.Errorf("seed %d: %d buffers take %d at %d: %s", seed, count, sum, from, text)
			}
			kinds["load"]++
		case "At":
			if _, err := fmt.Sscanf(text, "At most %d are in use at once, in [%d, %d), and the capacity is %d.", &load,
				&from, &to, &limit); err != nil {
				t.Fatalf("seed %d: %v: %s", seed, err, text)
			}
			if _, sum := liveAt(p, from); sum != load || load > capacity || limit != capacity ||
				!strings.HasSuffix(text, fmt.Sprintf(" no plan is lower than %d.", r.LowerBound)) {
				t.Errorf("seed %d: %d are in use at %d: %s", seed, sum, from, text)
			}
			kinds["arrangement"]++
		case "Buffer", "The":
			kinds[first]++
		default:
			t.Errorf("seed %d: %s", seed, text)
		}
	}
	t.Log(kinds)
	for _, kind := range []string{"load", "Buffer", "The"} {
		if kinds[kind] < 5 {
			t.Errorf("%s: only %d problems", kind, kinds[kind])
		}
	}
}

// liveAt counts the buffers that use space at a time, and the bytes that they use.
func liveAt(p *model.Problem, at int64) (n, sum int64) {
	for i := range p.Buffers {
		b := &p.Buffers[i]
		bytes := b.Size
		if at < b.Lower || at >= b.Upper {
			continue
		}
		for _, g := range b.Gaps {
			if at >= g.Lower && at < g.Upper {
				if bytes = 0; g.Window != nil {
					bytes = g.Window.Upper - g.Window.Lower
				}
			}
		}
		if bytes > 0 {
			n, sum = n+1, sum+bytes
		}
	}
	return n, sum
}
