package verify_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// TestCheckFamily draws orders of few buffers, sparse and dense. The check must say the same as the closure of the
// order: whether each pair that meets is comparable.
func TestCheckFamily(t *testing.T) {
	rng := rand.New(rand.NewPCG(46, 0))
	valid := 0
	for range 20_000 {
		n := 1 + rng.IntN(6)
		f := &model.Family{Problem: &model.Problem{}, Scenarios: []string{"x"}, Sizes: [][]int64{make([]int64, n)}}
		for i := range n {
			lower := rng.Int64N(5)
			b := model.Buffer{ID: string(rune('a' + i)), Lower: lower, Upper: lower + 1 + rng.Int64N(6)}
			if b.Upper-b.Lower > 2 && rng.IntN(3) == 0 {
				b.Gaps = []model.Gap{{Lower: b.Lower + 1, Upper: b.Upper - 1}}
			}
			f.Problem.Buffers = append(f.Problem.Buffers, b)
			f.Sizes[0][i] = 1 + rng.Int64N(9)
		}
		if err := f.Complete(); err != nil {
			t.Fatal(err)
		}
		below, order, density := make([][]int32, n), rng.Perm(n), rng.IntN(4)
		above := make([][]bool, n) // the closure: above[i][j] if i lies above j
		for k, i := range order {
			above[i] = make([]bool, n)
			for _, j := range order[:k] {
				if rng.IntN(4) <= density {
					below[i] = append(below[i], int32(j))
					above[i][j] = true
					for x := range n {
						above[i][x] = above[i][x] || above[j][x]
					}
				}
			}
		}
		want := true
		for i := range n {
			for j := range i {
				want = want && (!meet(&f.Problem.Buffers[i], &f.Problem.Buffers[j]) || above[i][j] || above[j][i])
			}
		}
		report := verify.CheckFamily(f, below, &model.Plan{}, nil)
		if report.OK() != want {
			t.Fatalf("%v of %+v: valid %v, want %v: %v", below, f.Problem.Buffers, report.OK(), want, report.Violations)
		}
		if want {
			valid++
		}
	}
	if valid < 2000 || valid > 18_000 {
		t.Errorf("%d of 20,000 are valid", valid)
	}
}

// meet compares the lives of two buffers, moment by moment.
func meet(a, b *model.Buffer) bool {
	live := func(x *model.Buffer, at int64) bool {
		return at >= x.Lower && at < x.Upper &&
			!slices.ContainsFunc(x.Gaps, func(g model.Gap) bool { return at >= g.Lower && at < g.Upper })
	}
	for at := range int64(16) {
		if live(a, at) && live(b, at) {
			return true
		}
	}
	return false
}

// TestCheckFamilyClaims: offsets, heights and loads must be those of the order, in each pool.
func TestCheckFamilyClaims(t *testing.T) {
	f := &model.Family{
		Problem: &model.Problem{Buffers: []model.Buffer{
			{ID: "a", Upper: 2}, {ID: "b", Lower: 1, Upper: 3, Alignment: 8}, {ID: "c", Upper: 3, Fixed: new(int64(32))},
		}},
		Scenarios: []string{"x", "y"}, Sizes: [][]int64{{5, 9, 1}, {3, 2, 1}},
	}
	if err := f.Complete(); err != nil {
		t.Fatal(err)
	}
	below := [][]int32{nil, {0}, {1}}
	point := func(at, height, load int64) []model.Point {
		return []model.Point{{Point: at, Name: f.Name(at), Height: height, Load: load}}
	}
	for _, c := range []struct {
		below   [][]int32
		offsets []int64
		points  []model.Point
		want    string // "" if the plan is right
	}{
		{below, []int64{0, 8, 32}, point(0, 33, 15), ""},
		{below, nil, point(1, 33, 6), ""},
		{below, []int64{0, 16, 32}, nil, "buffer b: its offset is 16 at the largest sizes, but the order gives 8"},
		{below, nil, point(1, 32, 6), "scenario y: the height claimed is 32, but the order gives 33"},
		{below, nil, point(1, 33, 7), "scenario y: the load claimed is 7, but it is 6"},
		{[][]int32{nil, {0}, {0}}, nil, nil, "buffers b and c are live together, but the order puts neither above the other"},
		{[][]int32{{2}, {0}, {1}}, nil, nil, "lies above itself, by way of others"},
		{[][]int32{{1, 2}, {2}, nil}, nil, nil, ""},
		{[][]int32{nil, {0}}, nil, nil, "the order has 2 buffers, but the problem has 3"},
	} {
		report := verify.CheckFamily(f, c.below, &model.Plan{Offsets: c.offsets}, c.points)
		if report.OK() != (c.want == "") || c.want != "" && !strings.Contains(report.Violations[0].Message, c.want) {
			t.Errorf("%v, %v: %v, want %q", c.below, c.offsets, report.Violations, c.want)
		}
	}
	f.Problem.Buffers[2].Fixed = new(int64(16))
	if report := verify.CheckFamily(f, below, &model.Plan{}, nil); report.OK() || report.Violations[0].Rule != model.RuleFixed {
		t.Errorf("a fixed buffer was moved: %v", report.Violations)
	}
	// In two pools, a and b need no order.
	pools := &model.Plan{Pools: []int32{0, 1, 1}, Offsets: []int64{0, 0, 16}}
	if report := verify.CheckFamily(f, [][]int32{nil, nil, {1}}, pools, point(0, 22, 15)); !report.OK() {
		t.Error(report.Violations)
	}
}
