package timeline

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/model"
)

// TestBoundIsBelowOptimum compares the bound with the true lowest height, by
// enumeration, on problems with alignment, gaps, windows and fixed offsets.
func TestBoundIsBelowOptimum(t *testing.T) {
	tight, loose := 0, 0
	for seed := range uint64(rounds(8000)) {
		p := drawn.Tiny(seed)
		tl := New(p)
		height, _, ok := oracle.MinHeight(p)
		if !ok {
			continue
		}
		if tl.LowerBound > height || tl.MaxLoad > tl.LowerBound {
			t.Fatalf("seed %d: load %d, bound %d, optimum %d:%s", seed, tl.MaxLoad, tl.LowerBound, height, drawn.Describe(p))
		}
		if tl.LowerBound == height {
			tight++
		} else {
			loose++
		}
	}
	t.Logf("the bound is the optimum of %d problems and below that of %d", tight, loose)
	if tight < 3*loose {
		t.Error("the bound is seldom tight")
	}
}

// aligned returns buffers whose alignments have a common divisor.
func aligned(r *rand.Rand) *model.Problem {
	p := &model.Problem{}
	unit := 2 + r.Int64N(4)
	for i := range 2 + r.IntN(5) {
		b := model.Buffer{
			ID: strconv.Itoa(i), Lower: r.Int64N(5), Size: 1 + r.Int64N(12), Alignment: unit * (1 + r.Int64N(3)),
		}
		b.Upper = b.Lower + 1 + r.Int64N(5)
		if r.IntN(4) == 0 && b.Upper-b.Lower > 2 {
			b.Gaps = []model.Gap{{Lower: b.Lower + 1, Upper: b.Lower + 2}}
		}
		if r.IntN(12) == 0 {
			at := b.Alignment * r.Int64N(3)
			b.Fixed = &at
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// worth counts what a bound is worth: how often it is above the load, and the optimum.
type worth struct{ n, sharper, optimal int }

func (w *worth) add(bound, plain, height int64) {
	w.n++
	if bound > plain {
		w.sharper++
	}
	if bound == height {
		w.optimal++
	}
}

// pays wants it above the load once in so many problems, and the optimum in half of them.
func (w *worth) pays(t *testing.T, in int) {
	t.Helper()
	t.Logf("%d problems: the bound is above the load in %d, the optimum in %d", w.n, w.sharper, w.optimal)
	if w.sharper < w.n/in || w.optimal < w.n/2 {
		t.Error("the alignment bound pays too seldom")
	}
}

// TestAlignedBound is about the sharpening by alignment: it must stay below the optimum, and pay.
func TestAlignedBound(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	var w worth
	for range rounds(3000) {
		p := aligned(r)
		tl := New(p)
		height, _, ok := oracle.MinHeight(p)
		if !ok {
			continue
		}
		if tl.LowerBound > height {
			t.Fatalf("bound %d, optimum %d:%s", tl.LowerBound, height, drawn.Describe(p))
		}
		plain := tl.MaxLoad
		for i := range p.Buffers {
			end := p.Buffers[i].Size
			if p.Buffers[i].Fixed != nil {
				end += *p.Buffers[i].Fixed
			}
			plain = max(plain, end)
		}
		if tl.LowerBound < plain {
			t.Fatalf("bound %d is under the load or an end, %d:%s", tl.LowerBound, plain, drawn.Describe(p))
		}
		w.add(tl.LowerBound, plain, height)
	}
	w.pays(t, 4)
}

// TestBoundOfMixedAlignments: where alignments differ, those that divide others count,
// and the bound stays below the optimum.
func TestBoundOfMixedAlignments(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	var w worth
	for range rounds(6000) {
		p := aligned(r)
		for i := range p.Buffers {
			if b := &p.Buffers[i]; b.Fixed == nil {
				b.Alignment = []int64{1, 2, 4, 8, 3}[r.IntN(5)]
			}
		}
		tl := New(p)
		height, _, ok := oracle.MinHeight(p)
		if !ok {
			continue
		}
		if tl.LowerBound > height {
			t.Fatalf("bound %d, optimum %d:%s", tl.LowerBound, height, drawn.Describe(p))
		}
		_, fixed := bound.TopFixed(p)
		w.add(tl.LowerBound, max(tl.MaxLoad, fixed), height)
	}
	w.pays(t, 10)
}

// TestBoundByHand has the sums that the comment on bound speaks of.
func TestBoundByHand(t *testing.T) {
	at := func(x int64) *int64 { return &x }
	for _, tc := range []struct {
		name    string
		buffers []model.Buffer
		want    int64
	}{
		{"each but the topmost is rounded up", []model.Buffer{
			{Upper: 1, Size: 5, Alignment: 8}, {Upper: 1, Size: 7, Alignment: 8}, {Upper: 1, Size: 6, Alignment: 8},
		}, 21},
		{"a multiple needs no rounding", []model.Buffer{{Upper: 1, Size: 8, Alignment: 8}, {Upper: 1, Size: 16, Alignment: 8}}, 24},
		{"a free offset spoils it", []model.Buffer{
			{Upper: 1, Size: 5, Alignment: 8}, {Upper: 1, Size: 7, Alignment: 8}, {Upper: 1, Size: 6},
		}, 18},
		{"elsewhere it does not", []model.Buffer{
			{Upper: 1, Size: 5, Alignment: 8}, {Upper: 1, Size: 7, Alignment: 8}, {Lower: 1, Upper: 2, Size: 6},
		}, 13},
		{"those of another alignment are stacked in between", []model.Buffer{
			{Upper: 1, Size: 1, Alignment: 8},
			{Upper: 1, Size: 1, Alignment: 8},
			{Upper: 1, Size: 1, Alignment: 8},
			{Upper: 1, Size: 7},
		}, 17},
		{"and larger ones take more than a tail", []model.Buffer{
			{Upper: 1, Size: 5, Alignment: 8},
			{Upper: 1, Size: 5, Alignment: 8},
			{Upper: 1, Size: 6, Alignment: 8},
			{Upper: 1, Size: 4},
		}, 22},
		{"a fixed end", []model.Buffer{{Upper: 1, Size: 5, Fixed: at(96)}, {Upper: 1, Size: 7}}, 101},
		{"the size of what is never active", []model.Buffer{{Upper: 1, Size: 5, Gaps: []model.Gap{{Lower: 0, Upper: 1}}}}, 5},
	} {
		for i := range tc.buffers {
			tc.buffers[i].ID = strconv.Itoa(i)
		}
		p := &model.Problem{Buffers: tc.buffers}
		if got := New(p).LowerBound; got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
		if h, _, _ := oracle.MinHeight(p); h < tc.want {
			t.Errorf("%s: a plan of height %d is under the bound %d", tc.name, h, tc.want)
		}
	}
}
