package verify

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/pace"
	"github.com/stowage-go/stowage/model"
)

// TestCheckPlanDrawn compares plans of drawn problems, best ones and such that are shaken, with an enumeration that
// shares nothing with this package, and the measures with those of the model.
func TestCheckPlanDrawn(t *testing.T) {
	right, wrong := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 2))
		p := drawn.Ruled(r)
		if seed%3 == 0 {
			p = drawn.Choosing(r)
		}
		best, plan, _ := oracle.Ruled(p, 200_000)
		if plan == nil {
			continue
		}
		var claimed []model.Value
		for k, m := range p.Objective() {
			claimed = append(claimed, model.Value{Measure: m, Value: best[k]})
		}
		if report := CheckMeasures(p, plan, claimed); !report.OK() {
			t.Fatalf("seed %d: %s\n%s", seed, report.Violations[0].Message, drawn.DescribeRuled(p))
		}
		for range 40 {
			shaken := shake(r, p, plan)
			report := CheckPlan(p, shaken)
			legal := oracle.Legal(p, shaken)
			if legal != report.OK() || legal != (FirstOf(p, shaken) == "") {
				t.Fatalf("seed %d: legal is %v, but the report says %v\n%s%+v", seed, legal, report.Violations,
					drawn.DescribeRuled(p), shaken)
			}
			if measures := model.MeasuresOf(p, shaken); !slices.Equal(measures, report.Measures) {
				t.Fatalf("seed %d: measures %v, want %v\n%s%+v", seed, measures, report.Measures, drawn.DescribeRuled(p), shaken)
			}
			if legal {
				right++
			} else {
				wrong++
			}
		}
	}
	if right < 500 || wrong < 500 {
		t.Errorf("%d right, %d wrong: too few", right, wrong)
	}
}

// shake moves some buffers and parts of a plan. Its height stays right.
func shake(r *rand.Rand, p *model.Problem, plan *model.Plan) *model.Plan {
	s := &model.Plan{Offsets: slices.Clone(plan.Offsets), Pools: slices.Clone(plan.Pools)}
	pools := p.AllPools()
	move := func(i int, at *int64, pool *int32) {
		if r.IntN(4) == 0 {
			*at = max(0, *at+p.Buffers[i].Align()*(r.Int64N(9)-4))
		}
		if pool != nil && r.IntN(6) == 0 {
			*pool = r.Int32N(int32(len(pools)))
		}
	}
	heights := make([]int64, len(pools))
	lacks := p.MayLack()
	for i := range s.Offsets {
		var pool *int32
		if s.Pools != nil {
			pool = &s.Pools[i]
		}
		if lacks[i] && r.IntN(8) == 0 { // what is there goes, or comes back
			was := s.Offsets[i]
			if s.Offsets[i] = -1; was == -1 {
				s.Offsets[i] = 0
			}
			if pool != nil {
				*pool = int32(s.Offsets[i])
			}
		}
		if s.Offsets[i] == -1 {
			continue
		}
		move(i, &s.Offsets[i], pool)
	}
	for _, x := range plan.Parts {
		parts := slices.Clone(x.Parts)
		if s.Offsets[x.Buffer] == -1 {
			continue
		}
		for k := range parts {
			var pool *int32
			if s.Pools != nil {
				pool = &parts[k].Pool
			}
			move(int(x.Buffer), &parts[k].Offset, pool)
			heights[parts[k].Pool] = max(heights[parts[k].Pool], parts[k].Offset+p.Buffers[x.Buffer].Size)
		}
		s.Offsets[x.Buffer] = parts[0].Offset
		if s.Pools != nil {
			s.Pools[x.Buffer] = parts[0].Pool
		}
		s.Parts = append(s.Parts, model.Parts{Buffer: x.Buffer, Parts: parts})
	}
	for i, at := range s.Offsets {
		if at == -1 {
			continue
		}
		pool := int32(0)
		if s.Pools != nil {
			pool = s.Pools[i]
		}
		heights[pool] = max(heights[pool], at+p.Buffers[i].Size)
	}
	for _, h := range heights {
		s.Height += h
	}
	return s
}

// ruledThree has two pools and three buffers: a and b are tied, and c may be evicted.
func ruledThree() (*model.Problem, *model.Plan) {
	p := &model.Problem{
		Buffers: []model.Buffer{
			{ID: "a", Lower: 0, Upper: 4, Size: 4, Alignment: 2},
			{ID: "b", Lower: 4, Upper: 9, Size: 4},
			{ID: "c", Lower: 0, Upper: 9, Size: 4, Extra: &model.Extra{
				Evictions: []model.Eviction{{Lower: 2, Upper: 5, Cost: 7}}, Costs: []model.PoolCost{{Pool: 1, Cost: 11}},
			}},
			{ID: "d", Lower: 8, Upper: 9, Size: 2, Extra: &model.Extra{Pools: []int32{0}}},
		},
		Rules: &model.Rules{
			Pools: []model.Pool{
				{ID: "x", Capacity: 20, Reserved: []model.Range{{Lower: 8, Upper: 10}}},
				{ID: "y", Alignment: 4, Cost: 1},
			},
			Together: []model.Together{{Buffers: []int32{0, 1}, At: []int64{3, 3}}}, Apart: []model.Pair{{3, 0}},
			Distances: []model.Distance{{Buffers: model.Pair{1, 3}, Distance: 2}}, MayOverlap: []model.Pair{{2, 3}},
			Penalties: []model.Penalty{{Buffers: model.Pair{2, 3}, Cost: 5}},
		},
	}
	return p, &model.Plan{
		Offsets: []int64{4, 4, 0, 2}, Pools: []int32{0, 0, 0, 0}, Height: 12,
		Parts: []model.Parts{{Buffer: 2, Parts: []model.Part{{Lower: 0, Upper: 2}, {Lower: 5, Upper: 9, Pool: 1, Offset: 4}}}},
	}
}

// TestCheckPlanRules breaks each rule by itself.
func TestCheckPlanRules(t *testing.T) {
	for _, tc := range []struct {
		name  string
		rule  model.Rule
		total int
		spoil func(p *model.Problem, plan *model.Plan)
		says  string
	}{
		{"no rule", "", 0, func(*model.Problem, *model.Plan) {}, ""},
		{"offsets", model.RuleCount, 1, func(_ *model.Problem,
			plan *model.Plan,
		) {
			plan.Offsets = nil
		}, "the plan has 0 offsets"},
		{"pools", model.RuleCount, 1, func(_ *model.Problem, plan *model.Plan) { plan.Pools = nil }, "the plan has 0 pools"},
		{"an unknown pool", model.RulePool, 1, func(_ *model.Problem,
			plan *model.Plan,
		) {
			plan.Pools[3], plan.Height = 2, 12
		}, "pool number 3"},
		{"a pool that is not allowed", model.RulePool, 1, func(p *model.Problem, plan *model.Plan) {
			p.Buffers[3].Extra.Pools[0] = 1
		}, `"d" is at offset 2 of pool "x", where it may not be`},
		{"below zero", model.RuleSign, 1, func(_ *model.Problem, plan *model.Plan) { plan.Offsets[3] = -2 }, "below zero"},
		{"its alignment", model.RuleAlignment, 1, func(p *model.Problem,
			_ *model.Plan,
		) {
			p.Buffers[3].Alignment = 4
		}, "its alignment 4"},
		{"the alignment of the pool", model.RuleAlignment, 1, func(p *model.Problem, _ *model.Plan) {
			p.Rules.Pools[1].Alignment = 8
		}, `"c" is at offset 4 of pool "y", not a multiple of the pool's alignment 8`},
		{"fixed", model.RuleFixed, 1, func(p *model.Problem,
			_ *model.Plan,
		) {
			p.Buffers[3].Fixed = new(int64)
		}, "is fixed at 0"},
		{"capacity", model.RuleCapacity, 2, func(p *model.Problem,
			_ *model.Plan,
		) {
			p.Rules.Pools[0].Capacity = 7
		}, "above the capacity 7"},
		{"reserved", model.RuleReserved, 1, func(p *model.Problem, _ *model.Plan) {
			p.Rules.Pools[0].Reserved[0] = model.Range{Lower: 0, Upper: 1}
		}, "meets the reserved bytes [0, 1)"},
		{"the distance of ties", model.RuleTogether, 1, func(p *model.Problem, _ *model.Plan) {
			p.Rules.Together[0].At[1] = 4
		}, `"b" must be 1 bytes from buffer "a"`},
		{"the pool of ties", model.RuleTogether, 1, func(_ *model.Problem, plan *model.Plan) {
			plan.Pools[1], plan.Offsets[1], plan.Height = 1, 4, 16
			plan.Parts = nil
		}, `at offset 4 of pool "y" and at offset 4 of pool "x"`},
		{"apart", model.RuleApart, 1, func(p *model.Problem, plan *model.Plan) {
			plan.Offsets[3] = 3
			p.Rules.Distances = append(p.Rules.Distances, model.Distance{Buffers: model.Pair{1, 3}, Distance: 1})
		}, `must be apart, but both use bytes [4, 5) of pool "x"`},
		{"different pools", model.RuleDifferent, 1, func(p *model.Problem, _ *model.Plan) {
			p.Rules.DifferentPools = [][]int32{{0, 3}}
		}, `buffers "a" and "d" must be in different pools, but they are at offset 4 of pool "x" and at offset 2 of pool "x"`},
		{"different pools of a part", model.RuleDifferent, 1, func(p *model.Problem, _ *model.Plan) {
			p.Rules.DifferentPools = [][]int32{{3, 2}}
		}, `buffers "d" and "c" must be in different pools`},
		{"one pool", model.RuleSame, 1, func(p *model.Problem, _ *model.Plan) {
			p.Rules.SamePool = [][]int32{{0, 1, 3}, {0, 2}}
		}, `buffers "a" and "c" must be in one pool, but they are at offset 4 of pool "x" and at offset 4 of pool "y"`},
		{"a page", model.RulePage, 1, func(p *model.Problem, _ *model.Plan) {
			p.Rules.Pools[0].Granularity, p.Rules.Kinds = 16, [][]int32{{0}, {2, 3}, {1}}
		}, "are of different kinds, but both lie on the page of 16 bytes at 0"},
		{"a border", model.RuleBorder, 1, func(p *model.Problem, plan *model.Plan) {
			p.Rules.Pools[0].Borders = []int64{6}
			plan.Offsets[0], p.Buffers[1].Extra = 4, &model.Extra{Pools: []int32{0}, Spans: true}
		}, "and lies on both sides of the border at 6"},
		{"lockstep", model.RuleLockstep, 1, func(p *model.Problem, _ *model.Plan) {
			p.Rules.Lockstep = [][]int32{{0, 1}, {3, 1}}
		}, `buffers "d" and "b" must be in lockstep, at one offset, but they are at offset 2 of pool "x" and at offset 4 of pool "x"`},
		{"a choice of two", model.RuleChoice, 1, func(p *model.Problem, _ *model.Plan) {
			p.Rules.Alternatives = [][]int32{{3, 0}}
		}, `buffers "a" and "d" are alternatives, but both are there`},
		{"a choice of none", model.RuleChoice, 1, func(p *model.Problem, plan *model.Plan) {
			p.Rules.Alternatives, plan.Offsets[0], plan.Offsets[3], plan.Height = [][]int32{{3, 0}}, -1, -1, 12
			plan.Pools[0], plan.Pools[3] = -1, -1
		}, `buffer "d" and its alternatives are all absent`},
		{"a pool of what is not chosen", model.RuleChoice, 1, func(p *model.Problem, plan *model.Plan) {
			p.Rules.Alternatives, plan.Offsets[3] = [][]int32{{3, 0}}, -1
		}, `buffer "d" is not chosen, but is in pool number 1`},
		{"what is not chosen", "", 0, func(p *model.Problem, plan *model.Plan) {
			p.Rules.Alternatives, plan.Offsets[3], plan.Pools[3] = [][]int32{{3, 1, 0}}, -1, -1
			plan.Offsets[1], plan.Pools[1] = -1, -1 // the other end of a tie and of a distance
			p.Rules.SamePool, p.Rules.Lockstep = [][]int32{{3, 0}, {1, 0}}, [][]int32{{1, 0}, {0, 3}}
			p.Rules.Groups = []model.Group{{Pairs: []model.Pair{{1, 3}}, Cost: 2, Moved: true}}
		}, ""},
		{"objects", model.RuleObjects, 1, func(p *model.Problem, plan *model.Plan) {
			p.Rules.Pools[0].Objects, plan.Offsets[3], p.Rules.Apart = true, 5, nil
			p.Rules.MayOverlap = append(p.Rules.MayOverlap, model.Pair{1, 3})
		}, `buffers "a" (size 4 at offset 4) and "d" (size 2 at offset 5) share bytes of different objects of pool "x"`},
		{"parts in different objects", model.RuleObjects, 1, func(p *model.Problem, plan *model.Plan) {
			p.Rules.Pools[1].Objects, p.Rules.Pools[1].Alignment = true, 0
			plan.Pools[2], plan.Offsets[2], plan.Parts[0].Parts[0].Pool, plan.Parts[0].Parts[0].Offset = 1, 2, 1, 2
		}, `the parts of buffer "c" share bytes of different objects of pool "y"`},
		{"apart wins over may_overlap", model.RuleApart, 1, func(p *model.Problem, _ *model.Plan) {
			p.Rules.Apart[0] = model.Pair{3, 2}
		}, `"c" (size 4 at offset 0) and "d"`},
		{"a distance", model.RuleOverlap, 1, func(p *model.Problem, plan *model.Plan) {
			plan.Offsets[3], p.Rules.Apart = 3, nil
		}, `"d" (size 2 at offset 3) both use bytes [4, 5) of pool "x" at times [8, 9)`},
		{"two that meet", model.RuleOverlap, 1, func(p *model.Problem, plan *model.Plan) {
			plan.Parts[0].Parts[0].Offset, plan.Offsets[2] = 1, 1
		}, `both use bytes [4, 5)`},
		{"parts without evictions", model.RuleParts, 1, func(_ *model.Problem, plan *model.Plan) {
			plan.Parts[0].Parts[0].Upper = 3
		}, "absent at times [3, 5), which is none of its evictions"},
		{"parts that end too soon", model.RuleParts, 1, func(_ *model.Problem, plan *model.Plan) {
			plan.Parts[0].Parts[1].Upper = 8
		}, "but its parts are from 0 to 8"},
		{"one part", model.RuleParts, 1, func(_ *model.Problem, plan *model.Plan) {
			plan.Parts[0].Parts = plan.Parts[0].Parts[:1]
		}, "has 1 parts"},
		{"the place of the first part", model.RuleParts, 1, func(_ *model.Problem, plan *model.Plan) {
			plan.Offsets[2] = 12
		}, "but its first part at 0"},
		{"parts of nobody", model.RuleParts, 1, func(_ *model.Problem, plan *model.Plan) {
			plan.Parts = append(plan.Parts, model.Parts{Buffer: 9})
		}, "buffer number 10"},
		{"parts twice", model.RuleParts, 1, func(_ *model.Problem, plan *model.Plan) {
			plan.Parts = append(plan.Parts, plan.Parts[0])
		}, "twice"},
		{"the height", model.RuleHeight, 1, func(_ *model.Problem,
			plan *model.Plan,
		) {
			plan.Height = 8
		}, "claimed is 8, but"},
		{"all that is said of one another", "", 0, func(p *model.Problem, plan *model.Plan) {
			p.Rules.MayOverlap = append(p.Rules.MayOverlap, model.Pair{1, 2})
			plan.Parts, plan.Offsets[2] = nil, 4
			p.Rules.MayOverlap = append(p.Rules.MayOverlap, model.Pair{0, 2})
		}, ""},
	} {
		p, plan := ruledThree()
		height := plan.Height
		tc.spoil(p, plan)
		report := CheckPlan(p, plan)
		if tc.rule != model.RuleHeight && tc.rule != model.RuleCount && plan.Height == height && report.Height != height {
			plan.Height = report.Height
			report = CheckPlan(p, plan)
		}
		first := FirstOf(p, plan)
		switch {
		case tc.rule == "":
			if !report.OK() || first != "" {
				t.Errorf("%s: %v, %s", tc.name, report.Violations, first)
			}
		case report.OK() || report.Total < tc.total || first == "":
			t.Errorf("%s: %v", tc.name, report.Violations)
		case !slices.ContainsFunc(report.Violations, func(v model.Violation) bool {
			return v.Rule == tc.rule && strings.Contains(v.Message, tc.says)
		}):
			t.Errorf("%s: %v, want %q", tc.name, report.Violations, tc.says)
		case slices.ContainsFunc(report.Violations, func(v model.Violation) bool { return v.Rule != tc.rule }):
			t.Errorf("%s: more than the rule: %v", tc.name, report.Violations)
		}
	}
}

// TestCheckMeasures has every measure of one plan by hand, and claims that are wrong.
func TestCheckMeasures(t *testing.T) {
	p, plan := ruledThree()
	plan.Height = 16
	want := []model.Value{
		{Measure: "height", Value: 16},
		{Measure: "max_height", Value: 8},
		{Measure: "peak", Value: 18},
		{Measure: "max_peak", Value: 10},
		{Measure: "cost", Value: 11},
		{Measure: "penalty", Value: 5},
		{Measure: "eviction", Value: 7},
		{Measure: "height:x", Value: 8},
		{Measure: "peak:x", Value: 10},
		{Measure: "height:y", Value: 8},
		{Measure: "peak:y", Value: 8},
	}
	if got := MeasuresOf(p, plan); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := model.MeasuresOf(p, plan); !slices.Equal(got, want) {
		t.Errorf("the model says %v, want %v", got, want)
	}
	for k := range want {
		claimed := slices.Clone(want)
		claimed[k].Value++
		r := CheckMeasures(p, plan, claimed)
		if r.Total != 1 || r.Violations[0].Rule != model.RuleMeasure ||
			!strings.Contains(r.Violations[0].Message, string(want[k].Measure)) {
			t.Errorf("%s: %v", want[k].Measure, r.Violations)
		}
	}
	if r := CheckMeasures(p, plan, []model.Value{{Measure: "height:z"}}); r.Total != 1 {
		t.Errorf("a measure of no pool: %v", r.Violations)
	}
}

// TestCheckPlanClocks: an end that equals a start in each component is before it.
func TestCheckPlanClocks(t *testing.T) {
	p := &model.Problem{Rules: &model.Rules{Threads: 2}, Buffers: make([]model.Buffer, 3)}
	for i, c := range []model.Clocks{
		{Lower: []int64{0, 0}, Upper: []int64{1, 1}},
		{Lower: []int64{1, 1}, Upper: []int64{2, 1}},
		{Lower: []int64{0, 1}, Upper: []int64{0, 2}},
	} {
		p.Buffers[i].ID, p.Buffers[i].Size = string(rune('a'+i)), 4
		p.Buffers[i].SetClocks(c.Lower, c.Upper)
	}
	if first := FirstOf(p, &model.Plan{Offsets: []int64{0, 0, 4}, Height: 8}); first != "" {
		t.Error(first)
	}
	r := CheckPlan(p, &model.Plan{Offsets: []int64{4, 0, 0}, Height: 8})
	if r.Total != 1 || r.Violations[0].A != 1 || r.Violations[0].B != 2 ||
		!strings.Contains(r.Violations[0].Message, "neither ends") {
		t.Errorf("%v", r.Violations)
	}
}

// TestCheckPlanLarge: time and pools sort out 100,000 buffers, of which many are tied.
func TestCheckPlanLarge(t *testing.T) {
	const n = 100_000
	p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{{ID: "x"}, {ID: "y"}}}}
	plan := &model.Plan{Height: 2 * 16 * 8}
	for i := range int64(n) {
		p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.FormatInt(i, 10), Lower: i / 32, Upper: i/32 + 1, Size: 8})
		plan.Offsets = append(plan.Offsets, i/2%16*8)
		plan.Pools = append(plan.Pools, int32(i%2))
		if i%100 == 99 {
			p.Rules.Apart = append(p.Rules.Apart, model.Pair{int32(i - 2), int32(i - 4)})
			p.Rules.Together = append(p.Rules.Together, model.Together{Buffers: []int32{int32(i), int32(i - 32)}})
		}
	}
	pace.Within(t, 10*time.Second, "a check", func() {
		if first := FirstOf(p, plan); first != "" {
			t.Error(first)
		}
	})
	plan.Offsets[50_001]++
	if r := CheckPlan(p, plan); r.Total != 1 || r.Violations[0].A != 50_001 || r.Violations[0].B != 50_003 {
		t.Errorf("%v", r.Violations)
	}
}
