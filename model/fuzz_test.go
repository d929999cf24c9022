package model_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"

	_ "github.com/stowage-go/stowage/internal/auto"
	_ "github.com/stowage-go/stowage/internal/exact"
	_ "github.com/stowage-go/stowage/internal/greedy"
)

// tape turns bytes into problems: each number is a byte that picks a small
// value, or one at an end of what is allowed or of int64.
type tape struct{ data []byte }

func (t *tape) byte() byte {
	if len(t.data) == 0 {
		return 0
	}
	b := t.data[0]
	t.data = t.data[1:]
	return b
}

var ends = [...]int64{
	math.MinInt64, math.MinInt64 + 1, -far - 1, -far, -far + 1, -1, far / 8, far / 4, far / 3, far / 2,
	far/2 + 1, far - 9, far - 1, far, far + 1, math.MaxInt64 - 1, math.MaxInt64,
}

func (t *tape) number() int64 {
	if b := int(t.byte()); b < len(ends) {
		return ends[b]
	} else {
		return int64(b-len(ends)) % 48
	}
}

func (t *tape) pointer() *int64 {
	if t.byte()%4 > 0 {
		return nil
	}
	return at(t.number())
}

func (t *tape) problem() *model.Problem {
	p := &model.Problem{}
	if t.byte()%2 == 0 {
		p.Capacity = t.number()
	}
	for len(t.data) > 0 && len(p.Buffers) < 12 {
		b := model.Buffer{ID: strconv.Itoa(len(p.Buffers)), Lower: t.number(), Upper: t.number(), Size: t.number()}
		features := t.byte()
		if features&1 > 0 {
			b.Alignment = t.number()
		}
		for range features >> 1 & 3 {
			g := model.Gap{Lower: t.number(), Upper: t.number()}
			if t.byte()%2 == 0 {
				g.Window = &model.Window{Lower: t.number(), Upper: t.number()}
			}
			b.Gaps = append(b.Gaps, g)
		}
		if features&8 > 0 {
			model.SortGaps(b.Gaps)
		}
		if features&16 > 0 {
			b.Fixed = t.pointer()
		}
		if features&32 > 0 {
			b.Hint = t.pointer()
		}
		if features == 255 {
			b.ID = ""
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// try validates the problem and, if it is valid, takes it all the way:
// timeline, planners, verify. It reports whether it was valid.
func try(t *testing.T, p *model.Problem) bool {
	t.Helper()
	if err := model.Validate(p); err != nil {
		var input *model.InputError
		if !errors.As(err, &input) || input.Total < len(input.Issues) || len(input.Issues) == 0 || err.Error() == "" {
			t.Fatalf("the error is %#v", err)
		}
		return false
	}
	tl := timeline.New(p)
	if tl.LowerBound < 0 || tl.LowerBound > far || tl.MaxLoad > tl.LowerBound {
		t.Fatalf("load %d, bound %d: %+v", tl.MaxLoad, tl.LowerBound, p)
	}
	for _, name := range []string{"first-fit", "exact", "auto"} {
		planner := must.Get(run.Lookup(name))(t)
		for _, o := range []plan.Options{{NodeLimit: 60}, {NodeLimit: 60, Capacity: p.Capacity}} {
			r := must.Get(run.Run(context.Background(), planner, tl, o))(t)
			if r.Status.HasPlan() {
				if report := verify.CheckHeight(p, r.Offsets, o.Capacity, r.Height); !report.OK() {
					t.Fatalf("%s: %s: %+v", name, report.Violations[0].Message, p)
				}
			}
			if r.LowerBound > r.Height && r.Status.HasPlan() || r.Height > far {
				t.Fatalf("%s: bound %d, height %d: %+v", name, r.LowerBound, r.Height, p)
			}
			// Without a capacity nothing but colliding fixed offsets is in the way.
			if o.Capacity == 0 && name != "exact" && r.Status.HasPlan() == collides(p) {
				t.Fatalf("%s: %s: %+v", name, r.Status, p)
			}
		}
	}
	return true
}

// collides reports whether the fixed buffers alone break a rule.
func collides(p *model.Problem) bool {
	fixed := &model.Problem{}
	var offsets []int64
	for _, b := range p.Buffers {
		if b.Fixed != nil {
			fixed.Buffers = append(fixed.Buffers, b)
			offsets = append(offsets, *b.Fixed)
		}
	}
	return !verify.Check(fixed, offsets, 0).OK()
}

// FuzzValidate draws problems with no regard to sense. Nothing may panic or
// overflow, and what Validate accepts every planner can take.
func FuzzValidate(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(bytes(rand.New(rand.NewPCG(seed, 9)), 80))
	}
	f.Fuzz(func(t *testing.T, data []byte) { try(t, (&tape{data}).problem()) })
}

func bytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(256))
	}
	return b
}

// TestExtremeProblems is the fuzz target on problems that are more often valid:
// times and sizes at the ends, in the right order.
func TestExtremeProblems(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	valid, invalid := 0, 0
	times := []int64{-far, -far + 1, -2, -1, 0, 1, 2, 3, far - 1, far}
	sizes := []int64{1, 2, 3, 4, 6, 12, far / 9, far / 8, far/8 + 1, far / 4}
	for range 4000 {
		p := &model.Problem{}
		if r.IntN(2) == 0 {
			p.Capacity = []int64{1, 12, 13, far / 4, far - 1, far}[r.IntN(6)]
		}
		for i := range r.IntN(6) {
			from := r.IntN(len(times) - 1)
			to := from + 1 + r.IntN(len(times)-1-from)
			b := model.Buffer{ID: strconv.Itoa(i), Lower: times[from], Upper: times[to], Size: sizes[r.IntN(len(sizes))]}
			if to-from > 2 && r.IntN(3) == 0 {
				b.Gaps = []model.Gap{gap(times[from+1], times[to-1])}
				if r.IntN(2) == 0 {
					b.Gaps[0].Window = &model.Window{Lower: b.Size / 3, Upper: b.Size/3 + max(1, b.Size/2)}
				}
			}
			if r.IntN(4) == 0 {
				b.Alignment = []int64{1, 2, 3, 8, far / 8, far}[r.IntN(6)]
			}
			if r.IntN(6) == 0 {
				b.Fixed = at(b.Align() * r.Int64N(3))
			}
			p.Buffers = append(p.Buffers, b)
		}
		if try(t, p) {
			valid++
		} else {
			invalid++
		}
	}
	t.Logf("%d valid, %d not", valid, invalid)
	if valid < 1000 || invalid < 200 {
		t.Errorf("the test is lopsided: %d valid, %d not", valid, invalid)
	}
}
