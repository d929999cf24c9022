package suite

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// TestOracle holds the oracle against every vector of offsets, for problems of
// up to 3 buffers, and its plans against the verifier for larger ones.
func TestOracle(t *testing.T) {
	collide, windows, above := 0, 0, 0
	for seed := range uint64(4000) {
		p := Tiny(seed)
		if err := model.Validate(p); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		height, offsets, ok := MinHeight(p)
		if ok {
			if r := verify.CheckHeight(p, offsets, height, height); !r.OK() {
				t.Fatalf("seed %d: %s", seed, r.Violations[0].Message)
			}
			if !Fits(p, height) || Fits(p, height-1) {
				t.Fatalf("seed %d: Fits and MinHeight %d disagree", seed, height)
			}
			if height > newOracle(p, 100).load() {
				above++
			}
		} else {
			collide++
		}
		for _, b := range p.Buffers {
			for _, g := range b.Gaps {
				if g.Window != nil {
					windows++
				}
			}
		}
		if len(p.Buffers) > 3 {
			continue
		}
		limit := height - 1
		if !ok {
			limit = 20
		}
		at := make([]int64, len(p.Buffers))
		var try func(k int) bool
		try = func(k int) bool {
			if k == len(at) {
				return verify.Check(p, at, limit).OK()
			}
			for at[k] = 0; at[k]+p.Buffers[k].Size <= limit; at[k]++ {
				if try(k + 1) {
					return true
				}
			}
			return false
		}
		if limit > 0 && try(0) {
			t.Fatalf("seed %d: %v fits in %d, the oracle says height %d, %v", seed, at, limit, height, ok)
		}
	}
	if collide < 50 || windows < 500 || above < 200 {
		t.Errorf("tiny problems are lopsided: %d have no plan, %d windows, %d above the load", collide, windows, above)
	}
}

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

// className compresses the times to ranks, sorts, and takes the lesser of the
// two directions of time.
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

func TestPapers(t *testing.T) {
	if h, _, _ := MinHeight(MiniMalloc()); h != 12 {
		t.Errorf("the MiniMalloc example has height %d, want 12", h)
	}
	if h, _, _ := MinHeight(Wave()); h != 37 {
		t.Errorf("the Wave example has height %d, want 37", h)
	}
	if r := verify.CheckHeight(Wave(), []int64{12, 28, 0, 33, 22, 0}, 0, 37); !r.OK() {
		t.Errorf("the Wave page's plan is refused: %s", r.Violations[0].Message)
	}
	if r := verify.CheckHeight(MiniMalloc(), []int64{8, 8, 4, 4, 0}, 12, 12); !r.OK() {
		t.Errorf("the MiniMalloc paper's plan is refused: %s", r.Violations[0].Message)
	}
}

func BenchmarkOracle(b *testing.B) {
	for b.Loop() {
		for seed := range uint64(100) {
			MinHeight(Tiny(seed))
		}
	}
}
