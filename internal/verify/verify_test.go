package verify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/model"
)

// fault is a violation without its message.
type fault struct {
	Kind model.Rule
	A, B int
}

func faults(r *model.Report) []fault {
	fs := []fault{}
	for _, v := range r.Violations {
		fs = append(fs, fault{v.Rule, v.A, v.B})
	}
	return fs
}

// bitmap finds the faults of a plan by painting each byte at each time. All
// bytes must lie in [-8, 88) and all times in [0, 16).
func bitmap(p *model.Problem, offsets []int64, capacity int64) []fault {
	const bias = 8 // room for negative offsets
	var grid [16][96][]int
	fs := []fault{}
	for i, b := range p.Buffers {
		at := offsets[i]
		if at < 0 {
			fs = append(fs, fault{model.RuleSign, i, -1})
		}
		if (at%b.Align()+b.Align())%b.Align() != 0 {
			fs = append(fs, fault{model.RuleAlignment, i, -1})
		}
		if b.Fixed != nil && at != *b.Fixed {
			fs = append(fs, fault{model.RuleFixed, i, -1})
		}
		if capacity > 0 && at+b.Size > capacity {
			fs = append(fs, fault{model.RuleCapacity, i, -1})
		}
		for t := b.Lower; t < b.Upper; t++ {
			from, to := oracle.Used(&b, t)
			for x := at + from; x < at+to; x++ {
				grid[t][x+bias] = append(grid[t][x+bias], i)
			}
		}
	}
	met := map[fault]bool{}
	for t := range grid {
		for x := range grid[t] {
			users := grid[t][x]
			for k, i := range users {
				for _, j := range users[k+1:] {
					met[fault{model.RuleOverlap, min(i, j), max(i, j)}] = true
				}
			}
		}
	}
	for f := range met {
		fs = append(fs, f)
	}
	return fs
}

func sorted(fs []fault) []fault {
	slices.SortFunc(fs, func(x, y fault) int {
		if x.A != y.A {
			return x.A - y.A
		}
		if x.B != y.B {
			return x.B - y.B
		}
		return strings.Compare(string(x.Kind), string(y.Kind))
	})
	return fs
}

// randomProblem returns n buffers with all features, on a 16 × 8 grid.
func randomProblem(r *rand.Rand, n int) *model.Problem {
	p := &model.Problem{}
	for i := range n {
		b := model.Buffer{ID: fmt.Sprint("b", i), Lower: r.Int64N(12), Size: 1 + r.Int64N(8)}
		b.Upper = b.Lower + 1 + r.Int64N(16-b.Lower)
		if r.IntN(3) == 0 {
			b.Alignment = 1 + r.Int64N(4)
		}
		if r.IntN(2) == 0 {
			for at := b.Lower + r.Int64N(3); at < b.Upper; {
				g := model.Gap{Lower: at, Upper: min(b.Upper, at+1+r.Int64N(3))}
				if r.IntN(2) == 0 {
					w := model.Window{Lower: r.Int64N(b.Size)}
					w.Upper = w.Lower + 1 + r.Int64N(b.Size-w.Lower)
					g.Window = &w
				}
				b.Gaps = append(b.Gaps, g)
				at = g.Upper + r.Int64N(4)
			}
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// lowest places the buffers one by one at the lowest offset that the bitmap accepts.
func lowest(p *model.Problem) []int64 {
	var offsets []int64
	for i := range p.Buffers {
		part := &model.Problem{Buffers: p.Buffers[:i+1]}
		offsets = append(offsets, 0)
		for len(bitmap(part, offsets, 0)) > 0 {
			offsets[i]++
		}
	}
	return offsets
}

func TestAgainstBitmap(t *testing.T) {
	rounds := 4000
	if testing.Short() {
		rounds = 1000
	}
	r := rand.New(rand.NewPCG(1, 2))
	valid, invalid, overlapping := 0, 0, 0
	for range rounds {
		p := randomProblem(r, 1+r.IntN(7))
		var offsets []int64
		if r.IntN(2) == 0 {
			offsets = lowest(p)
			// One nudge makes a plan that is almost right.
			if r.IntN(2) == 0 {
				offsets[r.IntN(len(offsets))] += r.Int64N(3) - 1
			}
		} else {
			for range p.Buffers {
				offsets = append(offsets, r.Int64N(40)-4)
			}
		}
		for i := range p.Buffers {
			if r.IntN(8) == 0 {
				at := offsets[i] + r.Int64N(2)
				p.Buffers[i].Fixed = &at
			}
		}
		capacity := int64(0)
		if r.IntN(2) == 0 {
			capacity = 1 + r.Int64N(50)
		}
		want := sorted(bitmap(p, offsets, capacity))
		report := Check(p, offsets, capacity)
		got := sorted(faults(report))
		if !slices.Equal(got, want) || report.Total != len(want) || report.Truncated {
			t.Fatalf("problem %+v\noffsets %v capacity %d\ngot  %v (total %d)\nwant %v", p, offsets, capacity, got,
				report.Total, want)
		}
		if h := max(0, model.HeightOf(p, offsets)); report.Height != h {
			t.Fatalf("height %d, want %d", report.Height, h)
		}
		if len(want) == 0 {
			valid++
		} else {
			invalid++
		}
		if slices.ContainsFunc(want, func(f fault) bool { return f.Kind == model.RuleOverlap }) {
			overlapping++
		}
	}
	if valid < rounds/8 || invalid < rounds/3 || overlapping < rounds/6 {
		t.Errorf("the test is lopsided: %d valid, %d invalid, %d with overlaps", valid, invalid, overlapping)
	}
}

func TestMessages(t *testing.T) {
	fixed := int64(8)
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 4, Size: 4},
		{ID: "b", Lower: 2, Upper: 9, Size: 4, Alignment: 4},
		{ID: "c", Lower: 9, Upper: 10, Size: 2, Fixed: &fixed},
	}}
	for _, tc := range []struct {
		offsets []int64
		height  int64
		want    []string
	}{
		{[]int64{0, 4, 8}, 10, nil},
		{[]int64{0, 4, 8}, 9, []string{"the height claimed is 9, but the largest offset + size is 10"}},
		{[]int64{0, 4}, 0, []string{"the plan has 2 offsets, but the problem has 3 buffers"}},
		{[]int64{-1, 2, 9}, 11, []string{
			`buffer "a" is at offset -1, below zero`,
			`buffers "a" (size 4 at offset -1) and "b" (size 4 at offset 2) both use bytes [2, 3) at times [2, 4)`,
			`buffer "b" is at offset 2, not a multiple of its alignment 4`,
			`buffer "c" is at offset 9, but is fixed at 8`,
			`buffer "c" of size 2 is at offset 9 and ends at 11, above the capacity 10`,
		}},
		{[]int64{math.MaxInt64 - 3, 4, 8}, math.MaxInt64, []string{
			`buffer "a" of size 4 is at offset 9223372036854775804 and ends above 9223372036854775807, the largest address`,
		}},
	} {
		r := CheckHeight(p, tc.offsets, 10, tc.height)
		var got []string
		for _, v := range r.Violations {
			got = append(got, v.Message)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("offsets %v: got\n%s\nwant\n%s", tc.offsets, strings.Join(got, "\n"), strings.Join(tc.want, "\n"))
		}
	}
}

// TestHostileOffsets compares offsets at the ends of int64 with the same plan moved to where nothing can overflow.
func TestHostileOffsets(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		p := randomProblem(r, 5)
		for i := range p.Buffers {
			p.Buffers[i].Alignment = 0
		}
		low := make([]int64, 5)
		for i := range low {
			low[i] = r.Int64N(20)
		}
		want := 0
		for _, f := range bitmap(p, low, 0) {
			if f.Kind == model.RuleOverlap {
				want++
			}
		}
		for _, base := range []int64{math.MinInt64, -20, math.MaxInt64 - 60} {
			high := make([]int64, 5)
			for i := range high {
				high[i] = base + low[i]
			}
			got := 0
			for _, v := range Check(p, high, 0).Violations {
				if v.Rule == model.RuleOverlap {
					got++
				}
			}
			if got != want {
				t.Fatalf("problem %+v offsets %v + %d: %d overlaps, want %d", p, low, base, got, want)
			}
		}
		for i := range low {
			low[i] = math.MaxInt64 - r.Int64N(2)
		}
		if rep := Check(p, low, 0); rep.Height != math.MaxInt64 || rep.OK() {
			t.Fatalf("offsets %v: height %d, %d violations", low, rep.Height, rep.Total)
		}
	}
}

func TestCaps(t *testing.T) {
	p := &model.Problem{}
	for i := range 2000 {
		p.Buffers = append(p.Buffers, model.Buffer{ID: fmt.Sprint(i), Lower: 0, Upper: 1, Size: 1})
	}
	r := Check(p, make([]int64, 2000), 0)
	if len(r.Violations) != MaxViolations || r.Total != MaxOverlaps || !r.Truncated {
		t.Errorf("2000 buffers in one place: %d kept, %d in all, truncated %v", len(r.Violations), r.Total, r.Truncated)
	}
	p.Buffers = p.Buffers[:1200]
	r = Check(p, make([]int64, 1200), 0)
	if len(r.Violations) != MaxViolations || r.Total != 1200*1199/2 || r.Truncated {
		t.Errorf("1200 buffers in one place: %d kept, %d in all, truncated %v", len(r.Violations), r.Total, r.Truncated)
	}
	if v := r.Violations[999]; v.A != 0 || v.B != 1000 {
		t.Errorf("violation 999 is of %d and %d, want 0 and 1000", v.A, v.B)
	}
	negative := make([]int64, 1200)
	for i := range negative {
		negative[i] = int64(-2 * i)
	}
	if r = Check(p, negative, 0); len(r.Violations) != MaxViolations || r.Total != 1199 {
		t.Errorf("1199 negative offsets: %d kept, %d in all", len(r.Violations), r.Total)
	}
}

// brickwork returns a plan of rows × columns bricks, laid without mortar.
func brickwork(rows, columns int) (*model.Problem, []int64) {
	r := rand.New(rand.NewPCG(5, 6))
	p := &model.Problem{}
	var offsets []int64
	for y := range rows {
		lower := int64(0)
		for x := range columns {
			upper := lower + 1 + r.Int64N(100)
			if x == columns-1 {
				upper = int64(100 * columns)
			}
			p.Buffers = append(p.Buffers, model.Buffer{ID: "b", Lower: lower, Upper: upper, Size: 16})
			offsets = append(offsets, int64(16*y))
			lower = upper
		}
	}
	r.Shuffle(len(offsets), func(i, j int) {
		p.Buffers[i], p.Buffers[j] = p.Buffers[j], p.Buffers[i]
		offsets[i], offsets[j] = offsets[j], offsets[i]
	})
	return p, offsets
}

// TestOneBrick finds the single fault in a large plan, wherever it is.
func TestOneBrick(t *testing.T) {
	p, offsets := brickwork(50, 100)
	if r := Check(p, offsets, 800); !r.OK() || r.Height != 800 {
		t.Fatalf("a sound plan is refused: %+v", r.Violations[0])
	}
	for i := 0; i < len(offsets); i += 37 {
		offsets[i]++
		if r := Check(p, offsets, 800); r.OK() {
			t.Fatalf("the overlap of buffer %d is missed", i)
		}
		offsets[i]--
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, rows := range []int{10, 1000} {
		p, offsets := brickwork(rows, 1_000_000/rows)
		b.Run(fmt.Sprintf("1M-in-%d-rows", rows), func(b *testing.B) {
			for b.Loop() {
				if !Check(p, offsets, 0).OK() {
					b.Fatal("refused")
				}
			}
		})
	}
}

// TestCollide compares the search for fixed offsets that collide with a look at every slot and byte of each pair.
func TestCollide(t *testing.T) {
	at := func(x int64) *int64 { return &x }
	collisions := 0
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := &model.Problem{}
		for i := range 1 + rng.IntN(7) {
			lower := rng.Int64N(8)
			b := model.Buffer{ID: strconv.Itoa(i), Lower: lower, Upper: lower + 1 + rng.Int64N(4), Size: 1 + rng.Int64N(5)}
			if rng.IntN(3) > 0 {
				b.Fixed = at(rng.Int64N(12))
			}
			if b.Upper-b.Lower > 1 && rng.IntN(2) == 0 {
				b.Gaps = []model.Gap{{Lower: b.Lower, Upper: b.Lower + 1}}
				if rng.IntN(2) == 0 {
					from := rng.Int64N(b.Size)
					b.Gaps[0].Window = &model.Window{Lower: from, Upper: from + 1}
				}
			}
			p.Buffers = append(p.Buffers, b)
		}
		uses := func(b *model.Buffer, slot, byte int64) bool {
			lower, upper := oracle.Used(b, slot)
			return b.Fixed != nil && *b.Fixed+lower <= byte && byte < *b.Fixed+upper
		}
		meet := func(i, j int, slots, bytes [2]int64) (some, all bool) {
			all = true
			for slot := slots[0]; slot < slots[1]; slot++ {
				for byte := bytes[0]; byte < bytes[1]; byte++ {
					both := uses(&p.Buffers[i], slot, byte) && uses(&p.Buffers[j], slot, byte)
					some, all = some || both, all && both
				}
			}
			return some, all
		}
		any := false
		for j := range p.Buffers {
			for i := range j {
				some, _ := meet(i, j, [2]int64{0, 12}, [2]int64{0, 17})
				any = any || some
			}
		}
		c := Collide(p)
		if (c != nil) != any {
			t.Fatalf("seed %d: got %+v, want a collision: %v", seed, c, any)
		}
		if c != nil {
			collisions++
			if some, all := meet(c.A, c.B, [2]int64{c.Lower, c.Upper}, [2]int64{c.Start, c.End}); c.A >= c.B || !some || !all {
				t.Fatalf("seed %d: %+v is no collision", seed, c)
			}
		}
	}
	if collisions < 800 || collisions > 3200 {
		t.Errorf("%d collisions: the cases are lopsided", collisions)
	}
}
