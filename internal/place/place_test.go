package place

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// raster is the oracle: a bit for each byte of each time slot.
type raster struct {
	used map[[2]int64]bool
	top  int64 // no byte from here on is in use
}

// cells calls f with each slot and byte that b uses at offset, until f says no.
func cells(b *model.Buffer, offset int64, f func(cell [2]int64) bool) bool {
	for t := b.Lower; t < b.Upper; t++ {
		from, to := oracle.Used(b, t)
		for at := from; at < to; at++ {
			if !f([2]int64{t, offset + at}) {
				return false
			}
		}
	}
	return true
}

func (r *raster) free(b *model.Buffer, offset int64) bool {
	return offset >= r.top || cells(b, offset, func(cell [2]int64) bool { return !r.used[cell] })
}

func (r *raster) fill(b *model.Buffer, offset int64) {
	cells(b, offset, func(cell [2]int64) bool { r.used[cell] = true; return true })
	r.top = max(r.top, offset+b.Size)
}

// placeRaster is Place, cell by cell.
func placeRaster(p *model.Problem, order []int32, fit Fit) []int64 {
	r := raster{used: map[[2]int64]bool{}}
	offsets := make([]int64, len(p.Buffers))
	for i := range p.Buffers {
		if b := &p.Buffers[i]; b.Fixed != nil {
			if !r.free(b, *b.Fixed) {
				return nil
			}
			r.fill(b, *b.Fixed)
			offsets[i] = *b.Fixed
		}
	}
	for _, i := range order {
		b := &p.Buffers[i]
		if b.Fixed != nil {
			continue
		}
		best, least := int64(-1), int64(math.MaxInt64)
		for at := int64(0); best < 0 || fit == BestFit && at < r.top; at += b.Align() {
			if !r.free(b, at) {
				continue
			}
			room := int64(0)
			for at+room < r.top && r.free(b, at+room+1) {
				room++
			}
			if at+room >= r.top {
				if best < 0 {
					best = at
				}
				break
			}
			if room < least {
				best, least = at, room
			}
			// The rest of this hole is no better a place.
			at += room / b.Align() * b.Align()
		}
		offsets[i] = best
		r.fill(b, best)
	}
	return offsets
}

func TestPlaceMatchesRaster(t *testing.T) {
	var planned, refused int
	seeds := plantest.Share(4000, 1500)
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := plantest.Random(rng)
		if err := model.Validate(p); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		tl := timeline.New(p)
		order := make([]int32, len(p.Buffers))
		for k, i := range rng.Perm(len(order)) {
			order[k] = int32(i)
		}
		for _, fit := range []Fit{FirstFit, BestFit} {
			got, end := Place(nil, tl, order, fit)
			want := placeRaster(p, order, fit)
			if !slices.Equal(got, want) || (got == nil) != (want == nil) {
				t.Fatalf("seed %d, fit %d: got %v, want %v\n%s", seed, fit, got, want, list(p, order))
			}
			if collide := Collide(nil, tl); (got == nil) != (collide == Collided) || end != collide {
				t.Fatalf("seed %d: Collide is %v, the ending %v, the plan %v", seed, collide, end, got)
			}
			if got == nil {
				refused++
				continue
			}
			planned++
			if report := verify.Check(p, got, 0); !report.OK() {
				t.Fatalf("seed %d: %v", seed, report.Violations)
			}
		}
	}
	if planned < seeds/4 || refused < seeds/40 {
		t.Errorf("%d plans and %d collisions: the cases are lopsided", planned, refused)
	}
}

// bySize returns the buffers by decreasing size, ties in input order.
func bySize(p *model.Problem) []int32 {
	order := make([]int32, len(p.Buffers))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int { return cmp.Compare(p.Buffers[j].Size, p.Buffers[i].Size) })
	return order
}

// placePlain is Place by the conflicts of each buffer: no trees, no lists.
func placePlain(tl *timeline.Timeline, order []int32, fit Fit) []int64 {
	buffers := tl.Problem.Buffers
	offsets := make([]int64, len(buffers))
	placed := make([]bool, len(buffers))
	forbidden := func(i int32) (all []timeline.Forbidden) {
		for _, j := range tl.AppendConflicts(nil, int(i)) {
			if placed[j] {
				for _, f := range tl.Forbid(int(j), int(i)) {
					all = append(all, timeline.Forbidden{Above: offsets[j] + f.Above, Below: offsets[j] + f.Below})
				}
			}
		}
		slices.SortFunc(all, func(a, b timeline.Forbidden) int { return cmp.Compare(a.Above, b.Above) })
		return all
	}
	for i := range buffers {
		if at := buffers[i].Fixed; at != nil {
			for _, f := range forbidden(int32(i)) {
				if f.Above < *at && *at < f.Below {
					return nil
				}
			}
			offsets[i], placed[i] = *at, true
		}
	}
	for _, i := range order {
		if placed[i] {
			continue
		}
		align := buffers[i].Align()
		best, least, at := int64(-1), int64(math.MaxInt64), int64(0)
		for _, f := range forbidden(i) {
			if room := f.Above - at; room >= 0 && (best < 0 || fit == BestFit && room < least) {
				best, least = at, room
			}
			if f.Below > at {
				at = (f.Below + align - 1) / align * align
			}
		}
		if best < 0 {
			best = at
		}
		offsets[i], placed[i] = best, true
	}
	return offsets
}

// TestPlaceMatchesPlain compares the tree with conflicts one by one, with enough sections for blocks of all sizes.
func TestPlaceMatchesPlain(t *testing.T) {
	count := plantest.Share[uint64](400, 150, 60)
	planned := 0
	for seed := range count {
		rng := rand.New(rand.NewPCG(seed, 41))
		p := plantest.RandomOf(rng, 2+rng.IntN(160), 2+rng.Int64N(300))
		// Fixed offsets far apart, or most problems would have none.
		for i := range p.Buffers {
			if b := &p.Buffers[i]; b.Fixed != nil {
				*b.Fixed *= rng.Int64N(200)
			}
			if seed%3 == 0 { // short lives
				b := &p.Buffers[i]
				b.Upper, b.Gaps = min(b.Upper, b.Lower+1+rng.Int64N(12)), nil
			}
		}
		if seed%5 == 0 { // beyond 32 bits, at once or in the middle of a placement
			for i := range p.Buffers {
				p.Buffers[i].Size <<= 20 + seed%12
			}
		}
		tl := timeline.New(p)
		order := bySize(p)
		if seed%2 == 0 {
			rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		}
		for _, fit := range []Fit{FirstFit, BestFit} {
			got, _ := Place(nil, tl, order, fit)
			if want := placePlain(tl, order, fit); !slices.Equal(got, want) {
				t.Fatalf("seed %d, fit %d: got %v, want %v\n%s", seed, fit, got, want, list(p, order))
			}
			if got != nil {
				planned++
			}
			if fit == FirstFit && Listable(tl) {
				l := NewList(len(p.Buffers))
				for _, i := range order {
					first, last := tl.Extent(int(i))
					if at := l.Put(first, last, p.Buffers[i].Size, p.Buffers[i].Align(), fit); at != got[i] {
						t.Fatalf("seed %d: buffer %d is at %d in the list, at %d in the tree", seed, i, at, got[i])
					}
				}
			}
		}
	}
	if planned < int(count) {
		t.Errorf("%d plans of %d", planned, 2*count)
	}
}

func list(p *model.Problem, order []int32) string {
	s := ""
	for _, i := range order {
		s += drawn.Describe(&model.Problem{Buffers: p.Buffers[i : i+1]})
	}
	return s
}

// An order may leave buffers out, or name one twice.
func TestPlaceCompletesTheOrder(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 3},
		{ID: "b", Lower: 0, Upper: 2, Size: 5},
		{ID: "c", Lower: 1, Upper: 3, Size: 7},
	}}
	got, _ := Place(nil, timeline.New(p), []int32{2, 2}, FirstFit)
	if want := []int64{7, 10, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A limit never changes a plan: there is the same one or none.
func TestPlaceLimit(t *testing.T) {
	for seed := range uint64(500) {
		p := plantest.Random(rand.New(rand.NewPCG(seed, 2)))
		tl := timeline.New(p)
		order := bySize(p)
		whole, _ := Place(nil, tl, order, FirstFit)
		if whole == nil {
			continue
		}
		height := model.HeightOf(p, whole)
		got, h, end := Below(nil, tl, order, FirstFit, height+1)
		if end != Whole || h != height || !slices.Equal(got, whole) {
			t.Fatalf("seed %d: below %d: ending %d, %v; want %v", seed, height+1, end, got, whole)
		}
		if got, h, end := Below(nil, tl, order, FirstFit, height); end != TooHigh || h != 0 || got != nil {
			t.Fatalf("seed %d: below %d: ending %d, %v; want none", seed, height, end, got)
		}
	}
}

// Partitions of all sizes, one buffer included, share one tree.
func TestPlacePartitions(t *testing.T) {
	p := &model.Problem{}
	for k := range int64(50) {
		for i := range 1 + k%7 {
			p.Buffers = append(p.Buffers, model.Buffer{
				ID:    fmt.Sprintf("%d.%d", k, i),
				Lower: 100*k + i, Upper: 100*k + 20 + i%3, Size: 1 + (k*i)%5, Alignment: 1 + k%3,
			})
		}
	}
	tl := timeline.New(p)
	if len(tl.Partitions) != 50 {
		t.Fatalf("%d partitions, want 50", len(tl.Partitions))
	}
	order := bySize(p)
	got, _ := Place(nil, tl, order, FirstFit)
	if want := placeRaster(p, order, FirstFit); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if report := verify.Check(p, got, 0); !report.OK() {
		t.Error(report.Violations)
	}
}

func TestSkip(t *testing.T) {
	var ranges []Range
	for k := range int64(40) {
		ranges = append(ranges, Range{From: 10 * k, To: 10*k + 5})
		for at := int64(-1); at < 10*k+20; at++ {
			want := ranges
			for len(want) > 0 && want[0].To <= at {
				want = want[1:]
			}
			if got := skip(ranges, at); len(got) != len(want) {
				t.Fatalf("%d ranges, at %d: %d left, want %d", k+1, at, len(got), len(want))
			}
		}
	}
}

// dense returns n buffers of which a tenth are live at once.
func dense(n int) *model.Problem {
	rng := rand.New(rand.NewPCG(1, 1))
	p := &model.Problem{Buffers: make([]model.Buffer, n)}
	for i := range p.Buffers {
		lower := rng.Int64N(1000)
		p.Buffers[i] = model.Buffer{
			ID: fmt.Sprint(i), Lower: lower, Upper: lower + 1 + rng.Int64N(200), Size: 1 + rng.Int64N(1000),
		}
	}
	return p
}

func BenchmarkPlace(b *testing.B) {
	cases := map[string]*model.Problem{"mixed": plantest.Mixed(1e5), "dense": dense(20_000)}
	for _, name := range []string{"idealloc/pangu_2.6B.csv", "idealloc/S_1.csv", "challenging/D.1048576.csv"} {
		if p, err := public.Load(name); err == nil {
			cases[name] = p
		}
	}
	for name, p := range cases {
		tl := timeline.New(p)
		order := bySize(p)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Place(nil, tl, order, FirstFit)
			}
		})
	}
}
