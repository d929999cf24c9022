package timeline

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// rounds is the number of random problems of a test.
func rounds(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// TestSections compares the sections, spans, loads and extents of random problems with the oracle's: every maximal
// set of pieces is a section, and no other.
func TestSections(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	several, gapped := 0, 0
	for range rounds(10000) {
		p := random(r)
		must.Do(t, model.Validate(p))
		g, tl := paint(p), New(p)
		want := g.sections()
		if tl.Sections() != len(want) || len(tl.Starts) != len(want) || len(tl.Ends) != len(want) {
			t.Fatalf("%d sections with %d starts and %d ends, want %d:%s", tl.Sections(), len(tl.Starts), len(tl.Ends),
				len(want), drawn.Describe(p))
		}
		for s, w := range want {
			var load int64
			for _, q := range w.pieces {
				load += q.to - q.from
			}
			if tl.Starts[s] != w.lower || tl.Ends[s] != w.upper || tl.Load[s] != load {
				t.Fatalf("section %d: [%d, %d) with load %d, want [%d, %d) with %d:%s", s, tl.Starts[s], tl.Ends[s],
					tl.Load[s], w.lower, w.upper, load, drawn.Describe(p))
			}
		}
		checkSpans(t, p, tl, g, want)
		offsets := make([]int64, len(p.Buffers))
		for i := range offsets {
			offsets[i] = r.Int64N(100) - 1
		}
		if got, want := tl.HeightOf(offsets), model.HeightOf(p, offsets); got != want {
			t.Fatalf("height %d, want %d:%s", got, want, drawn.Describe(p))
		}
		var peak int64
		for slot := range slots {
			peak = max(peak, g.load(slot))
		}
		if tl.MaxLoad != peak {
			t.Fatalf("the peak is %d, want %d:%s", tl.MaxLoad, peak, drawn.Describe(p))
		}
		if len(want) > 2 {
			several++
		}
		if tl.HasGaps() {
			gapped++
		}
	}
	if several < rounds(10000)/3 || gapped < rounds(10000)/3 {
		t.Errorf("the test is lopsided: %d problems of several sections, %d with gaps", several, gapped)
	}
}

// checkSpans compares the spans of each buffer with the sections that each of its pieces is in.
func checkSpans(t *testing.T, p *model.Problem, tl *Timeline, g grid, sections []section) {
	t.Helper()
	for i := range p.Buffers {
		var want []Span
		for _, q := range g.pieces() {
			if q.buffer != i {
				continue
			}
			span := Span{First: -1, Lower: q.from, Upper: q.to}
			for s, w := range sections {
				if !slices.Contains(w.pieces, q) {
					continue
				}
				if span.First < 0 {
					span.First = int32(s)
				} else if span.Last != int32(s) {
					t.Fatalf("the sections of a piece are not in a row:%s", drawn.Describe(p))
				}
				span.Last = int32(s + 1)
			}
			want = append(want, span)
		}
		if got := tl.Spans(i); !slices.Equal(got, want) {
			t.Fatalf("buffer %d: spans %v, want %v:%s", i, got, want, drawn.Describe(p))
		}
		var first, last int32
		if len(want) > 0 {
			first, last = want[0].First, want[len(want)-1].Last
		}
		if f, l := tl.Extent(i); f != first || l != last {
			t.Fatalf("buffer %d: extent [%d, %d), want [%d, %d):%s", i, f, l, first, last, drawn.Describe(p))
		}
	}
}

// TestHelly checks what makes maximal sections enough: any set of pieces that overlap in time pairwise is within one
// section, and pieces that do not overlap share none.
func TestHelly(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range rounds(3000) {
		p := random(r)
		g, tl := paint(p), New(p)
		type at struct {
			piece
			Span
		}
		var all []at
		for i := range p.Buffers {
			k := 0
			for _, q := range g.pieces() {
				if q.buffer == i {
					all = append(all, at{q, tl.Spans(i)[k]})
					k++
				}
			}
		}
		for range 20 {
			// A clique, grown in a random order.
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			first, last := int32(0), int32(tl.Sections())
			var clique []at
			for _, a := range all {
				if !slices.ContainsFunc(clique, func(b at) bool { return a.lower >= b.upper || b.lower >= a.upper }) {
					clique = append(clique, a)
					first, last = max(first, a.First), min(last, a.Last)
				}
			}
			if len(clique) > 0 && first >= last {
				t.Fatalf("%d pieces overlap pairwise and share no section:%s", len(clique), drawn.Describe(p))
			}
		}
		for _, a := range all {
			for _, b := range all {
				share, meet := a.First < b.Last && b.First < a.Last, a.lower < b.upper && b.lower < a.upper
				if share != meet {
					t.Fatalf("pieces of %d and %d: overlap %v, share a section %v:%s", a.buffer, b.buffer, meet, share,
						drawn.Describe(p))
				}
			}
		}
	}
}

func TestPartitions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	several, idle := 0, 0
	for range rounds(10000) {
		p := random(r)
		tl := New(p)
		want := paint(p).partitions()
		if len(tl.Partitions) != len(want) {
			t.Fatalf("%d partitions, want %d:%s", len(tl.Partitions), len(want), drawn.Describe(p))
		}
		next, active := int32(0), 0
		for k, part := range tl.Partitions {
			if part.First != next || part.Last <= part.First {
				t.Fatalf("partition %d has the sections [%d, %d), after those to %d:%s", k, part.First, part.Last, next,
					drawn.Describe(p))
			}
			next = part.Last
			active += len(part.Buffers)
			var got []int
			for _, i := range part.Buffers {
				if first, last := tl.Extent(int(i)); first < part.First || last > part.Last {
					t.Fatalf("buffer %d leaves its partition:%s", i, drawn.Describe(p))
				}
				got = append(got, int(i))
			}
			ordered := slices.IsSortedFunc(part.Buffers, func(i, j int32) int {
				x, _ := tl.Extent(int(i))
				y, _ := tl.Extent(int(j))
				return cmp.Or(cmp.Compare(x, y), cmp.Compare(i, j))
			})
			if slices.Sort(got); !slices.Equal(got, want[k]) || !ordered {
				t.Fatalf("partition %d: %v, want %v in order of first section:%s", k, part.Buffers, want[k], drawn.Describe(p))
			}
		}
		if next != int32(tl.Sections()) {
			t.Fatalf("the partitions end at section %d of %d:%s", next, tl.Sections(), drawn.Describe(p))
		}
		if len(want) > 1 {
			several++
		}
		if active < len(p.Buffers) {
			idle++
		}
	}
	if several < rounds(10000)/10 || idle < rounds(10000)/100 {
		t.Errorf("the test is lopsided: %d of several partitions, %d with a buffer that is never active", several, idle)
	}
}

// TestExample compares the package comment with the paper's example.
func TestExample(t *testing.T) {
	tl := New(gen.MiniMalloc())
	if !slices.Equal(tl.Starts, []int64{0, 3, 9}) || !slices.Equal(tl.Ends, []int64{3, 9, 21}) ||
		!slices.Equal(tl.Load, []int64{12, 12, 8}) {
		t.Errorf("sections from %v to %v with loads %v", tl.Starts, tl.Ends, tl.Load)
	}
	for i, want := range [][2]int32{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {0, 3}} {
		if first, last := tl.Extent(i); first != want[0] || last != want[1] {
			t.Errorf("b%d: sections [%d, %d), want [%d, %d)", i+1, first, last, want[0], want[1])
		}
	}
	if len(tl.Partitions) != 1 || tl.LowerBound != 12 || tl.HasGaps() {
		t.Errorf("%d partitions, bound %d, gaps %v", len(tl.Partitions), tl.LowerBound, tl.HasGaps())
	}
}

func TestExtremes(t *testing.T) {
	const far = model.MaxSum
	buffer := func(lower, upper, size int64, gaps ...model.Gap) model.Buffer {
		return model.Buffer{Lower: lower, Upper: upper, Size: size, Gaps: gaps}
	}
	high := int64(far / 2)
	fixed := buffer(0, 1, far/8)
	fixed.Fixed = &high
	aligned := buffer(0, 1, far/4)
	aligned.Alignment = far / 2
	for _, tc := range []struct {
		name       string
		buffers    []model.Buffer
		sections   int
		partitions int
		load       int64
		bound      int64
	}{
		{"none", nil, 0, 0, 0, 0},
		{"one", []model.Buffer{buffer(5, 6, 7)}, 1, 1, 7, 7},
		{"one of all time and space", []model.Buffer{buffer(-far, far, far)}, 1, 1, far, far},
		{"back to back at the ends", []model.Buffer{buffer(-far, -far+1, 3), buffer(-far+1, far-1, 4), buffer(far-1, far,
			5)}, 3, 3, 5, 5},
		{"early and late", []model.Buffer{buffer(-far, 0, 3), buffer(-1, far, 4)}, 1, 1, 7, 7},
		{"far apart", []model.Buffer{buffer(far-1, far, 3), buffer(-far, -far+1, 4)}, 2, 2, 4, 4},
		{"never active", []model.Buffer{buffer(0, 4, 9, model.Gap{Lower: 0, Upper: 4})}, 0, 0, 0, 9},
		{"never active by two gaps", []model.Buffer{
			buffer(-far, far, 9, model.Gap{Lower: -far, Upper: 0}, model.Gap{Lower: 0, Upper: far}), buffer(1, 2, 3),
		}, 1, 1, 3, 9},
		{"only a window", []model.Buffer{
			buffer(0, 4, 9, model.Gap{Lower: 0, Upper: 4, Window: &model.Window{Lower: 2, Upper: 5}}),
		}, 1, 1, 3, 9},
		{"fixed high", []model.Buffer{fixed, buffer(2, 3, 5)}, 2, 2, far / 8, far/2 + far/8},
		{"alignment as large as the rest", []model.Buffer{aligned, buffer(0, 1, 5)}, 1, 1, far/4 + 5, far/4 + 5},
	} {
		for i := range tc.buffers {
			tc.buffers[i].ID = strconv.Itoa(i)
		}
		p := &model.Problem{Buffers: tc.buffers}
		if err := model.Validate(p); err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		tl := New(p)
		if tl.Sections() != tc.sections || len(tl.Partitions) != tc.partitions || tl.MaxLoad != tc.load ||
			tl.LowerBound != tc.bound {
			t.Errorf("%s: %d sections, %d partitions, load %d, bound %d, want %d, %d, %d, %d", tc.name,
				tl.Sections(), len(tl.Partitions), tl.MaxLoad, tl.LowerBound, tc.sections, tc.partitions, tc.load, tc.bound)
		}
		for i := range tc.buffers {
			for _, j := range tl.AppendConflicts(nil, i) {
				if d, ok := tl.Distance(i, int(j)); !ok || d > tc.buffers[i].Size || d < -tc.buffers[j].Size {
					t.Errorf("%s: distance from %d to %d is %d, %v", tc.name, i, j, d, ok)
				}
			}
		}
	}
}

// longLived returns n buffers, most of which overlap most others.
func longLived(tb testing.TB, n int, gaps float64) *model.Problem {
	tb.Helper()
	p := must.Get(gen.Generate("random", gen.Options{
		Buffers: n, Horizon: 100_000, MinLife: 30_000, MaxLife: 70_000, Gaps: gaps, Windows: 0.5, Seed: 1,
	}))(tb)
	return p
}
