package poolview

import (
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// two is a problem of two pools with a buffer that is evicted, and its plan.
func two() (*model.Problem, *model.Plan) {
	p := &model.Problem{
		Buffers: []model.Buffer{
			{ID: "a", Lower: 0, Upper: 10, Size: 4, Extra: &model.Extra{
				Evictions: []model.Eviction{{Lower: 3, Upper: 7, Cost: 5}},
			}},
			{ID: "b", Lower: 0, Upper: 4, Size: 6},
			{ID: "c", Lower: 4, Upper: 9, Size: 6},
		},
		Rules: &model.Rules{
			Pools: []model.Pool{
				{ID: "fast", Capacity: 12, Reserved: []model.Range{{Lower: 0, Upper: 2}}}, {ID: "slow", Capacity: 1000},
			},
			Apart:     []model.Pair{{0, 1}},
			Together:  []model.Together{{Buffers: []int32{1, 2}}},
			Penalties: []model.Penalty{{Buffers: model.Pair{0, 2}, Cost: 3}, {Buffers: model.Pair{1, 2}, Cost: 4}},
		},
	}
	parts := []model.Part{{Lower: 0, Upper: 3, Pool: 1, Offset: 0}, {Lower: 7, Upper: 10, Pool: 0, Offset: 8}}
	return p, &model.Plan{
		Offsets: []int64{0, 2, 2}, Pools: []int32{1, 0, 0},
		Parts: []model.Parts{{Buffer: 0, Parts: parts}},
	}
}

// TestOf stacks two pools: the second is at the bottom, and its distant capacity is not drawn.
func TestOf(t *testing.T) {
	p, plan := two()
	d := must.Get(Of(p, plan))(t)
	if d.Lanes[1].Base != 0 || d.Lanes[1].Room != 4 || d.Lanes[0].Base != 5 || d.Lanes[0].Room != 12 || d.Top() != 17 {
		t.Errorf("the lanes are %+v", d.Lanes)
	}
	want := []struct {
		id           string
		lower, upper int64
		offset       int64
		of, lane     int
	}{{"a", 0, 3, 0, 0, 1}, {"a, part 2", 7, 10, 13, 0, 0}, {"b", 0, 4, 7, 1, 0}, {"c", 4, 9, 7, 2, 0}}
	if len(d.Of) != len(want) {
		t.Fatalf("%d buffers are drawn", len(d.Of))
	}
	for k, w := range want {
		b := d.Problem.Buffers[k]
		if b.ID != w.id || b.Lower != w.lower || b.Upper != w.upper || d.Offsets[k] != w.offset || d.Of[k] != w.of ||
			d.Lane[k] != w.lane {
			t.Errorf("buffer %d is %+v at %d, of %d in lane %d; want %+v", k, b, d.Offsets[k], d.Of[k], d.Lane[k], w)
		}
	}
	links := []Link{
		{2, 3, Together, 0, false}, {0, 2, Apart, 0, false}, {0, 3, Penalty, 3, false}, {2, 3, Penalty, 4, false},
	}
	for k, w := range links {
		if d.Links[k] != w {
			t.Errorf("link %d is %+v, want %+v", k, d.Links[k], w)
		}
	}
	r := d.Report(&model.Report{Violations: []model.Violation{{A: 1, B: 2}, {A: -1, B: -1}}})
	if r.Violations[0].A != 2 || r.Violations[0].B != 3 || r.Violations[1].A != -1 {
		t.Errorf("the report names %+v", r.Violations)
	}
}

// TestPaid: a penalty is paid if a part shares bytes.
func TestPaid(t *testing.T) {
	p, plan := two()
	plan.Parts[0].Parts[1].Offset = 4 // over c, which it meets in time; the two may overlap
	p.Rules.MayOverlap = []model.Pair{{0, 2}}
	d, err := Of(p, plan)
	if err != nil || !d.Links[2].Paid || d.Links[3].Paid {
		t.Errorf("links %+v, %v", d.Links, err)
	}
	plain := &model.Problem{Buffers: []model.Buffer{{Upper: 1, Size: 4}, {Lower: 1, Upper: 2, Size: 4}}, Rules: &model.Rules{Groups: []model.Group{
		{Pairs: []model.Pair{{0, 1}}, Cost: 3}, {Pairs: []model.Pair{{0, 1}}, Cost: 2, Moved: true},
	}}}
	step := &model.Problem{Buffers: plain.Buffers, Rules: &model.Rules{Pools: []model.Pool{{ID: "x"}, {ID: "y"}}, Lockstep: [][]int32{{0, 1}}}}
	if d, err := Of(step, &model.Plan{Offsets: []int64{0, 0}, Pools: []int32{0, 1}}); err != nil || d.Links[0] != (Link{A: 0, B: 1, Kind: Lockstep}) {
		t.Errorf("lockstep: links %+v, %v", d.Links, err)
	}
	if d, err := Of(plain, &model.Plan{Offsets: []int64{0, 0}}); err != nil || !d.Links[0].Paid || d.Links[0].Cost != 3 || d.Links[1].Paid {
		t.Errorf("groups: links %+v, %v", d.Links, err)
	}
}

// TestWrapped: a life that runs over the end of the period is drawn in two pieces, with its gaps.
func TestWrapped(t *testing.T) {
	window := &model.Window{Lower: 0, Upper: 1}
	b := model.Buffer{
		Lower: 6, Upper: 13, Size: 4, Gaps: []model.Gap{{Lower: 7, Upper: 8}, {Lower: 9, Upper: 11, Window: window}},
	}
	got := Wrapped(b, 10)
	var pieces []model.Piece
	got.Pieces(func(x model.Piece) bool { pieces = append(pieces, x); return true })
	piece := func(lower, upper, from, to int64) model.Piece {
		return model.Piece{Lower: lower, Upper: upper, From: from, To: to}
	}
	want := []model.Piece{piece(0, 1, 0, 1), piece(1, 3, 0, 4), piece(6, 7, 0, 4), piece(8, 9, 0, 4), piece(9, 10, 0, 1)}
	if len(pieces) != len(want) || got.Lower != 0 || got.Upper != 10 {
		t.Fatalf("%+v: pieces %+v", got, pieces)
	}
	for k := range want {
		if pieces[k] != want[k] {
			t.Errorf("piece %d is %+v, want %+v", k, pieces[k], want[k])
		}
	}
	if same := Wrapped(b, 13); same.Lower != 6 || same.Upper != 13 {
		t.Errorf("a life within the period has moved to [%d, %d)", same.Lower, same.Upper)
	}
}

// TestRefused: offsets or pools that are not there, and lanes that are too high.
func TestRefused(t *testing.T) {
	p, plan := two()
	for _, bad := range []*model.Plan{
		{Offsets: plan.Offsets[:2]},
		{Offsets: plan.Offsets, Pools: []int32{0}},
		{Offsets: []int64{model.MaxSum - 6, 0, 0}, Pools: []int32{1, 0, 0}},
	} {
		if d, err := Of(p, bad); err == nil {
			t.Errorf("%+v is drawn: %+v", bad, d.Lanes)
		}
	}
	d, err := Of(p, &model.Plan{Offsets: plan.Offsets, Pools: []int32{7, -1, 0}})
	if err != nil || d.Lane[0] != 1 || d.Lane[1] != 0 {
		t.Errorf("pools that are not there: %v, %v", d, err)
	}
}

// TestSaid: what is said of buffers that span borders and of alternatives; those that are not chosen are not drawn.
func TestSaid(t *testing.T) {
	buffer := func(id string, size int64) model.Buffer { return model.Buffer{ID: id, Upper: 4, Size: size} }
	p := &model.Problem{Buffers: []model.Buffer{buffer("a", 9), buffer("b", 4), buffer("c", 2), buffer("d", 20)}, Rules: &model.Rules{
		Pools:        []model.Pool{{ID: "x", Borders: []int64{8, 16}}, {ID: "y"}},
		Alternatives: [][]int32{{0, 1, 2}},
		Apart:        []model.Pair{{0, 3}, {1, 3}},
		Lockstep:     [][]int32{{1, 3}},
	}}
	plan := &model.Plan{Offsets: []int64{-1, 0, -1, 0}, Pools: []int32{-1, 1, -1, 0}}
	d, err := Of(p, plan)
	if err != nil || !slices.Equal(d.Of, []int{1, 3}) || !slices.Equal(d.First, []int{-1, 0, -1, 1}) {
		t.Fatalf("drawn %+v, %v", d, err)
	}
	if want := []Link{{A: 0, B: 1, Kind: Lockstep}, {A: 0, B: 1, Kind: Apart}}; !slices.Equal(d.Links, want) {
		t.Errorf("links %+v", d.Links)
	}
	if want := []Saying{{0, "Chosen", "in place of a, c"}, {1, "Banks", "1 to 3"}}; !slices.Equal(d.Said, want) {
		t.Errorf("said %+v", d.Said)
	}
	r := d.Report(&model.Report{Violations: []model.Violation{{A: 0, B: 1}}})
	if v := r.Violations[0]; v.A != -1 || v.B != 0 {
		t.Errorf("the report names %d and %d", v.A, v.B)
	}
	plan.Offsets[0], plan.Pools[0] = 0, 0 // two of a list, which is wrong
	if d, err := Of(p, plan); err != nil || len(d.Of) != 3 {
		t.Errorf("drawn %+v, %v", d, err)
	}
}
