package session

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// TestRuledHopeless has calls that the loads prove hopeless, with the proof in words, and beside each the same call a
// byte smaller or with one rule less, which has a plan. No planner is asked: the effort allows none.
func TestRuledHopeless(t *testing.T) {
	ctx := context.Background()
	in := func(pools ...int32) *model.Extra { return &model.Extra{Pools: pools} }
	one := &model.Rules{}
	three := &model.Rules{
		Pools: []model.Pool{
			{ID: "x", Capacity: 16, Reserved: []model.Range{{Lower: 4, Upper: 8}}}, {ID: "y", Capacity: 8}, {ID: "z"},
		},
	}
	buffers := []model.Buffer{
		{ID: "a", Upper: 4, Size: 4}, {ID: "b", Lower: 2, Upper: 6, Size: 4}, {ID: "c", Lower: 4, Upper: 8, Size: 4},
	}
	at := &model.Plan{Offsets: []int64{0, 8, 12}, Pools: []int32{0, 0, 0}}
	only := func(extra *model.Extra) []model.Buffer {
		d := model.Buffer{ID: "d", Lower: 2, Upper: 4, Size: 5, Extra: in(0, 1)}
		bound := append(slices.Clone(buffers), d)
		bound[0].Extra, bound[1].Extra = extra, extra
		return bound
	}
	apart := Rules{Apart: [][2]string{{"a", "c"}}}
	add := func(size int64, extra *model.Extra, rules Rules) func(s *Session) (Answer, error) {
		return func(s *Session) (Answer, error) {
			return s.FitsWith(ctx, []model.Buffer{{ID: "n", Lower: 2, Upper: 4, Size: size, Extra: extra}}, rules)
		}
	}
	for _, x := range []struct {
		what     string
		rules    *model.Rules
		capacity int64
		buffers  []model.Buffer
		no, yes  func(s *Session) (Answer, error)
		proof    string
	}{
		{"a load", one, 16, buffers, add(9, nil, Rules{}), add(4, nil,
			Rules{}), "at time 2 the live buffers need 17 bytes; the capacity is 16"},
		{
			"pairs that may overlap count once", one, 16, buffers, add(13, nil,
				Rules{MayOverlap: [][2]string{{"n", "a"}}}), add(12, nil, Rules{MayOverlap: [][2]string{{"n", "a"}, {"n", "b"}}}),
			"at time 2 the live buffers need 17 bytes; the capacity is 16",
		},
		{
			"ties that share bytes count once", one, 16, buffers, add(13, nil,
				Rules{Together: []Tie{{Buffers: []string{"n", "a"}}}}),
			add(4, nil, Rules{Together: []Tie{{Buffers: []string{"n", "a"}}}}),
			"at time 2 the live buffers need 17 bytes; the capacity is 16",
		},
		{
			"pairs apart have no time", one, 12, buffers,
			func(s *Session) (Answer, error) {
				return s.FitsWith(ctx, []model.Buffer{{ID: "n", Lower: 3, Upper: 5, Size: 1}}, apart)
			},
			func(s *Session) (Answer, error) {
				return s.FitsWith(ctx, []model.Buffer{{ID: "n", Lower: 8, Upper: 9, Size: 9}}, Rules{})
			},
			"no plan keeps the rules: proven by loads",
		},
		{"one pool", three, 0, only(in(0)), add(8, in(0), Rules{}), add(8, in(0, 2),
			Rules{}), "at time 2 the live buffers that may only be in x need 16 bytes; there is room for 12"},
		{"a buffer larger than the capacity", one, 16, buffers, add(17, nil, Rules{}), add(4, nil,
			Rules{}), `buffer "n" of 17 has no place: it takes 17, more than the capacity of 16`},
		{"a buffer larger than its pools", three, 0, only(in(0)), add(9, in(0, 1), Rules{}), add(9, in(1, 2),
			Rules{}), `buffer "n" of 9 has no place: in the pool "x" it takes 9, and the longest stretch that is not reserved has 8; in the pool "y" it takes 9, more than the capacity of 8`},
		{
			"a tie to a buffer in another pool", three, 0, only(in(0)),
			add(8, in(1), Rules{Together: []Tie{{Buffers: []string{"a", "n"}}}}),
			add(4, in(0), Rules{Together: []Tie{{Buffers: []string{"a", "n"}}}}),
			`buffers "a" and "n" are tied to one pool, and none is allowed to all of them`,
		},
		{"two pools of three", three, 0, only(in(0, 1)), add(8, in(0, 1), Rules{}), add(8, in(0, 2),
			Rules{}), "at time 2 the live buffers that may only be in x and y need 21 bytes; there is room for 20"},
	} {
		p := &model.Problem{Capacity: x.capacity, Buffers: x.buffers, Rules: x.rules}
		plan := at
		if x.capacity == 12 {
			plan = &model.Plan{Offsets: []int64{0, 4, 0}, Pools: at.Pools}
		} else if len(x.rules.Pools) == 0 {
			plan = &model.Plan{Offsets: at.Offsets}
		} else {
			plan = &model.Plan{Offsets: append(slices.Clone(at.Offsets), 0), Pools: []int32{0, 0, 0, 1}}
		}
		s, err := OpenPlan(ctx, p, plan, Options{Effort: Fit})
		if err != nil {
			t.Fatal(x.what, err)
		}
		if a, err := x.no(s); err != nil || a.Status != model.Infeasible || a.Proof.String() != x.proof || a.Nodes != 0 {
			t.Errorf("%s: %+v, %v, %v", x.what, a, a.Proof, err)
		}
		if a, err := x.yes(s); err != nil || a.Status != model.Feasible {
			t.Errorf("%s, the other call: %+v, %v, %v", x.what, a, a.Proof, err)
		}
	}
}

// BenchmarkRuledHopeless asks, of three networks with some pairs that may overlap, for a buffer a third as large as the
// plan at the peak.
func BenchmarkRuledHopeless(b *testing.B) {
	ctx := context.Background()
	for _, name := range []string{"mobilenet-v2", "unet", "resnet50-training"} {
		f := must.Get(os.Open(filepath.Join("..", "examples", name+".csv")))(b)
		defer f.Close()
		p := must.Get(csv.Read(f, name))(b)
		p.Rules = &model.Rules{}
		for k := int32(10); k < int32(len(p.Buffers)); k += 10 {
			p.Rules.MayOverlap = append(p.Rules.MayOverlap, model.Pair{k - 10, k - 9})
		}
		s := must.Get(Open(ctx, p, nil, Options{}))(b)
		must.Get(s.Limit(ctx, s.Height()))(b)
		_, at := s.Peak()
		large := model.Buffer{ID: "new", Lower: at, Upper: at + 1, Size: s.Height() / 3}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if a, err := s.Fits(ctx, large); err != nil || a.Status != model.Infeasible || a.Proof.Why != ByLoad {
					b.Fatal(a, err)
				}
			}
		})
	}
}
