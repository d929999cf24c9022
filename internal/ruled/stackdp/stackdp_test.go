package stackdp

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// ask walks, and verifies the plan if there is one.
func ask(t *testing.T, p *model.Problem, capacity int64, width int) Answer {
	t.Helper()
	a := Fit(context.Background(), timeline.New(p), capacity, width, 0)
	if (a.Verdict == Fits) != (a.Offsets != nil) {
		t.Fatalf("verdict %v, offsets %v", a.Verdict, a.Offsets)
	}
	if a.Verdict == Fits {
		if why := verify.First(p, a.Offsets, capacity, -1); why != "" {
			t.Fatalf("capacity %d, width %d: %s%s", capacity, width, why, drawn.Describe(p))
		}
	}
	return a
}

// narrow draws n buffers with sizes up to most. About as many as live says are there at one time.
func narrow(r *rand.Rand, n, live int, most int64) *model.Problem {
	p := &model.Problem{}
	for i := range n {
		lower := int64(i + r.IntN(2))
		b := model.Buffer{
			ID: strconv.Itoa(i), Lower: lower, Upper: lower + 1 + r.Int64N(int64(2*live-1)), Size: most/2 + r.Int64N(most/2),
		}
		if r.IntN(4) == 0 && i > 0 { // a twin
			x := p.Buffers[i-1]
			b.Lower, b.Upper, b.Size = x.Lower, x.Upper, x.Size
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// TestBruteForce: with enough width the walk finds a plan if and only if there is one. With little width, no answer
// is false.
func TestBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 11))
	above, refuted := 0, 0
	for n := range plantest.Share(2_000, 200, 100) {
		p := narrow(r, 8, 3, 40)
		if n%2 == 0 { // above the load
			in, err := gen.New("infeasible", gen.Options{Buffers: 9 + n%3, Capacity: 24, Horizon: 24, Seed: uint64(n)})
			if err != nil {
				t.Fatal(err)
			}
			p = in.Problem
		}
		height, _, _ := oracle.Lowest(p)
		if a := ask(t, p, height, 100_000); a.Verdict != Fits {
			t.Fatalf("at the lowest height %d: %v%s", height, a.Verdict, drawn.Describe(p))
		}
		if a := ask(t, p, height-1, 100_000); a.Verdict != Never {
			t.Fatalf("below the lowest height %d: %v%s", height, a.Verdict, drawn.Describe(p))
		}
		if height == timeline.New(p).LowerBound {
			continue
		}
		above++
		for _, width := range []int{1, 5, 100} {
			if a := ask(t, p, height, width); a.Verdict == Never {
				t.Fatalf("width %d, at the lowest height %d%s", width, height, drawn.Describe(p))
			}
			if a := ask(t, p, height-1, width); a.Verdict == Fits {
				t.Fatalf("width %d, below the lowest height %d%s", width, height, drawn.Describe(p))
			} else if a.Verdict == Never {
				refuted++
			}
		}
	}
	t.Logf("%d are above the load, %d refuted with little width", above, refuted)
	if above < 50 || refuted < 20 {
		t.Errorf("%d are above the load, %d refuted with little width", above, refuted)
	}
}

// TestWidth: a walk of a few states packs long-lived buffers together, and is the same each time.
func TestWidth(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 13))
	fits, few := 0, 0
	for range 10 {
		p := narrow(r, 60, 6, 20)
		capacity := timeline.New(p).LowerBound * 21 / 20
		a, b := ask(t, p, capacity, 300), ask(t, p, capacity, 300)
		if a.Verdict != b.Verdict || !slices.Equal(a.Offsets, b.Offsets) || a.States != b.States {
			t.Fatal("two walks differ")
		}
		if a.Verdict == Fits {
			fits++
		}
		if ask(t, p, capacity, 10).Verdict == Fits {
			few++
		}
	}
	t.Logf("%d of 10 packed, %d with a width of 10", fits, few)
	if fits < 7 {
		t.Errorf("%d of 10 packed, %d with a width of 10", fits, few)
	}
}

// TestNotPlain: problems that are not plain stay undecided.
func TestNotPlain(t *testing.T) {
	at := int64(3)
	for _, b := range []model.Buffer{
		{Size: 4, Upper: 3, Gaps: []model.Gap{{Lower: 1, Upper: 2}}},
		{Size: 4, Upper: 3, Alignment: 8},
		{Size: 4, Upper: 3, Fixed: &at},
	} {
		if a := ask(t, &model.Problem{Buffers: []model.Buffer{b, {Size: 2, Upper: 3}}}, 20, 10); a.Verdict != Unknown {
			t.Errorf("%v: %v", b, a.Verdict)
		}
	}
	p := &model.Problem{}
	for range mostLive + 1 {
		p.Buffers = append(p.Buffers, model.Buffer{Size: 1, Upper: 1})
	}
	if a := ask(t, p, mostLive+1, 10); a.Verdict != Unknown {
		t.Errorf("%d live at once: %v", mostLive+1, a.Verdict)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if a := Fit(over, timeline.New(narrow(rand.New(rand.NewPCG(27, 14)), 9, 3, 9)), 1_000, 10, 0); a.Verdict != Unknown {
		t.Errorf("past the limit: %v", a.Verdict)
	}
}
