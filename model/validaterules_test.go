package model_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// twoPools has two pools and three buffers: a dies in the slot in which b is born, and c lives in all.
func twoPools() *model.Problem {
	return &model.Problem{
		Buffers: []model.Buffer{
			{ID: "a", Lower: 0, Upper: 3, Size: 4},
			{ID: "b", Lower: 2, Upper: 5, Size: 4},
			{ID: "c", Lower: 0, Upper: 5, Size: 4},
		},
		Rules: &model.Rules{Pools: []model.Pool{{ID: "x", Capacity: 64, Alignment: 8}, {ID: "y", Cost: 1}}},
	}
}

// TestRulesMessages has a problem for each thing that Validate says of rules.
func TestRulesMessages(t *testing.T) {
	pair := model.Pair{0, 1}
	evict := func(b *model.Buffer, stretches ...model.Eviction) { b.Extra = &model.Extra{Evictions: stretches} }
	clocked := func(p *model.Problem) {
		p.Rules.Threads = 2
		for i := range p.Buffers {
			p.Buffers[i].SetClocks([]int64{0, 1}, []int64{1, 1})
		}
	}
	tied := func(r *model.Rules, at int64, buffers ...int32) {
		t := model.Together{Buffers: buffers, At: make([]int64, len(buffers))}
		for k := range buffers {
			t.At[k] = int64(k) * at
		}
		r.Together = append(r.Together, t)
	}
	for _, tc := range []struct {
		name   string
		change func(p *model.Problem, r *model.Rules, b *model.Buffer)
		want   string // in the only issue; empty if there is none
	}{
		{"valid", func(*model.Problem, *model.Rules, *model.Buffer) {}, ""},
		{"valid lists of pools", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.DifferentPools, r.SamePool = [][]int32{{0, 1}}, [][]int32{{1, 0}}
		}, ""},
		{"a list of one buffer", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.DifferentPools = [][]int32{{0, 1}, {1}}
		}, "different_pools[1]: has 1 buffers; it needs at least 2"},
		{"a list of an unknown buffer", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.SamePool = [][]int32{{0, -1}}
		}, `same_pool[0] "-1": there is no buffer of this index`},
		{"a buffer twice in a list", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.SamePool = [][]int32{{0, 1, 0}}
		}, "same_pool[0]"},
		{"lockstep against ties", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			tied(r, 4, 0, 1)
			r.Lockstep = [][]int32{{0, 1}}
		}, "lockstep: of the lists of together, then those of lockstep: list 1 puts"},
		{"lockstep with evictions", func(_ *model.Problem, r *model.Rules, b *model.Buffer) {
			evict(b, model.Eviction{Lower: 1, Upper: 2})
			r.Lockstep = [][]int32{{0, 1}}
		}, "a buffer with evictions can be in no list of lockstep"},
		{"lockstep in objects", func(p *model.Problem, r *model.Rules, b *model.Buffer) {
			r.Lockstep, r.Pools[0].Objects, b.Extra = [][]int32{{0, 1}}, true, &model.Extra{Pools: []int32{1}}
		}, "may be in pool x, which is divided into objects"},
		{"a buffer of two lists of alternatives", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Alternatives = [][]int32{{0, 1}, {1, 2}}
		}, `alternatives[1] "b": the buffer is in alternatives[0] already`},
		{"one alternative", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Alternatives = [][]int32{{0}}
		}, "alternatives[0]: has 1 buffers; it needs at least 2"},
		{"a buffer of two kinds", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Kinds = [][]int32{{0}, {1, 0}}
		}, `kinds[1] "a": the buffer is in kinds[0] already`},
		{"a group without pairs", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Groups = []model.Group{{Pairs: []model.Pair{{0, 1}}, Cost: model.MaxSum}, {Cost: 1}}
		}, "groups[1]: has no pair of buffers"},
		{"groups that cost too much", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Groups = slices.Repeat([]model.Group{{Pairs: []model.Pair{{0, 1}}, Cost: model.MaxSum}}, 2)
		}, "makes the sum of the groups exceed"},
		{"a group of objects", func(_ *model.Problem, r *model.Rules, b *model.Buffer) {
			r.Groups, r.Pools[0].Objects = []model.Group{{Pairs: []model.Pair{{0, 1}}, Moved: true}}, true
			b.Extra = &model.Extra{Pools: []int32{1}}
		}, "may be in pool x, which is divided into objects"},
		{"pages of objects", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Pools[0].Objects, r.Pools[0].Granularity = true, 8
		}, "a pool that is divided into objects has no granularity"},
		{"pages of too many bytes", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Pools[0].Granularity = 1 << 60 // 16 times that is 0 in 64 bits
		}, `pools[0].granularity "1152921504606846976": pool x: must be from 0 to 144115188075855871`},
		{"a border above the capacity", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Pools[0].Borders = []int64{8, 64}
		}, `pools[0].borders "64": pool x: must be below the capacity of 64`},
		{"borders out of order", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Pools[0].Borders = []int64{8, 8}
		}, `pools[0].borders "8": pool x: must be above the border before it`},
		{"borders of objects", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Pools[0].Objects, r.Pools[0].Borders = true, []int64{8}
		}, "a pool that is divided into objects has no borders"},
		{"sizes out of order", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Pools[0].Sizes = []model.Size{{Bytes: 64}, {Bytes: 64}}
		}, `pools[0].sizes "64 for 0": pool x: must be larger than the size before it`},
		{"sizes beside another capacity", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Pools[0].Sizes = []model.Size{{Bytes: 8, Price: 1}, {Bytes: 32, Price: 2}}
		}, `pools[0].capacity "64": pool x: must be the largest of the sizes, 32`},
		{"a size of nothing", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Pools[0].Sizes = []model.Size{{Price: 1}, {Bytes: 64, Price: 2}}
		}, `pools[0].sizes "0 for 1"`},
		{"an object that is too large", func(p *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Pools[0] = model.Pool{ID: "x", Objects: true}
			for i := range p.Buffers {
				p.Buffers[i].Extra = &model.Extra{Pools: []int32{0}}
				p.Buffers[i].Alignment, p.Buffers[i].Gaps, p.Buffers[i].Fixed = 0, nil, nil
				p.Buffers[i].SetExtents([]int64{1 << (20 * (i % 3)), 1 << (20 * (2 - i%3))})
			}
		}, "an object that holds the largest in each dimension takes [1099511627776, 1099511627776, 1]"},
		{"a size that is no product", func(_ *model.Problem, _ *model.Rules, b *model.Buffer) {
			b.Extra = &model.Extra{Extents: []int64{3, 5}}
		}, "must be 15, the product of its dimensions [3, 5]; SetExtents makes it so"},
		{"dimensions and an alignment", func(_ *model.Problem, _ *model.Rules, b *model.Buffer) {
			b.SetExtents([]int64{3, 5})
			b.Alignment = 4
		}, "a buffer with a size of several dimensions has no alignment"},
		{"dimensions and an offset", func(_ *model.Problem, _ *model.Rules, b *model.Buffer) {
			b.SetExtents([]int64{3, 5})
			b.Alignment, b.Fixed, b.Extra.Pools = 0, new(int64), []int32{0}
		}, "a buffer with a size of several dimensions has no fixed offset"},
		{"dimensions in a list", func(p *model.Problem, r *model.Rules, b *model.Buffer) {
			b.SetExtents([]int64{3, 5})
			r.Lockstep = [][]int32{{0, 1}}
		}, `lockstep[0] "a": a buffer with a size of several dimensions can be in no such list`},
		{"objects of no pool", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Objective = []model.Measure{model.MeasureObjects}
		}, "no pool is divided into objects"},
		{"extra without rules", func(p *model.Problem, _ *model.Rules, b *model.Buffer) {
			p.Rules, b.Extra = nil, &model.Extra{}
		}, "needs a problem with Rules"},
		{"two capacities", func(p *model.Problem, _ *model.Rules,
			_ *model.Buffer,
		) {
			p.Capacity = 9
		}, `capacity "9": is for one pool without a name`},
		{"a pool without ID", func(_ *model.Problem, r *model.Rules,
			_ *model.Buffer,
		) {
			r.Pools[1].ID = ""
		}, "pool number 2: the ID is empty"},
		{"a pool twice", func(_ *model.Problem, r *model.Rules,
			_ *model.Buffer,
		) {
			r.Pools[1].ID = "x"
		}, "the pool at index 0 has the same"},
		{"a capacity below 0", func(_ *model.Problem, r *model.Rules,
			_ *model.Buffer,
		) {
			r.Pools[1].Capacity = -1
		}, `pools[1].capacity "-1": pool y: must be from 0`},
		{"reserved and empty", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Pools[1].Reserved = []model.Range{{Lower: 3, Upper: 3}}
		}, `"[3, 3)": pool y: must begin`},
		{"reserved above the capacity", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Pools[0].Reserved = []model.Range{{Lower: 3, Upper: 65}}
		}, "ends above the capacity of 64"},
		{"reserved too far up", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Pools[1].Reserved = []model.Range{{Lower: 3, Upper: far/2 + 1}}
		}, "the highest reserved bytes of the pools add up to more"},
		{"many ranges far up", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			for k := range int64(9) {
				r.Pools[1].Reserved = append(r.Pools[1].Reserved, model.Range{Lower: far/4 + 2*k, Upper: far/4 + 2*k + 1})
			}
		}, ""},
		{"sizes beside what is reserved", func(p *model.Problem, r *model.Rules, b *model.Buffer) {
			b.Size = far/2 + far/4
			r.Pools[1].Reserved = []model.Range{{Lower: 3, Upper: far / 2}}
		}, "highest reserved bytes of the pools together exceed"},
		{"the alignment of a pool", func(_ *model.Problem, r *model.Rules,
			_ *model.Buffer,
		) {
			r.Pools[1].Alignment = 1 << 60
		}, "the alignment that pools ask for"},
		{"large parts", func(_ *model.Problem, r *model.Rules, b *model.Buffer) {
			b.Size, r.Pools[1].Cost = far/2+1, 0
			evict(b, model.Eviction{Lower: 1, Upper: 2})
		}, "the alignment that pools ask for"},
		{"a penalty for each part", func(_ *model.Problem, r *model.Rules, b *model.Buffer) {
			evict(b, model.Eviction{Lower: 1, Upper: 2})
			r.Penalties = []model.Penalty{{Buffers: pair, Cost: far/2 + 1}}
		}, "makes the sum of the penalties exceed"},
		{"the alignment of a pool beside bodies", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Pools[1].Alignment = 1 << 59
			tied(r, 1<<60, 0, 1)
		}, "the extents of the bodies, with"},
		{"no pool", func(_ *model.Problem, _ *model.Rules,
			b *model.Buffer,
		) {
			b.Extra = &model.Extra{Pools: []int32{}}
		}, "may be in no pool"},
		{"an unknown pool", func(_ *model.Problem, _ *model.Rules,
			b *model.Buffer,
		) {
			b.Extra = &model.Extra{Pools: []int32{2}}
		}, `pools "2": there is no pool`},
		{"one pool twice", func(_ *model.Problem, _ *model.Rules,
			b *model.Buffer,
		) {
			b.Extra = &model.Extra{Pools: []int32{1, 1}}
		}, "the list has the pool twice"},
		{"the cost of no pool", func(_ *model.Problem, _ *model.Rules, b *model.Buffer) {
			b.Extra = &model.Extra{Costs: []model.PoolCost{{Pool: -1}}}
		}, `costs "-1": there is no pool`},
		{"two costs", func(_ *model.Problem, _ *model.Rules, b *model.Buffer) {
			b.Extra = &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: 3}, {Pool: 1, Cost: 4}}}
		}, "two costs in one pool"},
		{"fixed in two pools", func(_ *model.Problem, _ *model.Rules,
			b *model.Buffer,
		) {
			b.Fixed = at(8)
		}, "the buffer may be in 2"},
		{"fixed in one pool", func(_ *model.Problem, _ *model.Rules, b *model.Buffer) {
			b.Fixed, b.Extra = at(8), &model.Extra{Pools: []int32{0}}
		}, ""},
		{"fixed and misaligned in its pool", func(_ *model.Problem, _ *model.Rules, b *model.Buffer) {
			b.Fixed, b.Extra = at(4), &model.Extra{Pools: []int32{0}}
		}, "not a multiple of the alignment 8 of pool x"},
		{"fixed and misaligned in the only pool", func(_ *model.Problem, r *model.Rules, b *model.Buffer) {
			b.Fixed, r.Pools = at(4), r.Pools[:1]
		}, "not a multiple of the alignment 8 of pool x"},
		{"alignments without a common multiple", func(_ *model.Problem, r *model.Rules, b *model.Buffer) {
			b.Alignment, r.Pools[0].Alignment = 1<<40-1, 1<<40
		}, "least common multiple with the alignment"},
		{"clocks that are missing", func(p *model.Problem, r *model.Rules, b *model.Buffer) {
			clocked(p)
			b.Extra = nil
		}, "must have 2 clocks"},
		{"one clock too few", func(p *model.Problem, r *model.Rules, b *model.Buffer) {
			clocked(p)
			b.SetClocks([]int64{0}, []int64{1})
		}, "they have 1 and 1"},
		{"clocks of nobody", func(_ *model.Problem, _ *model.Rules,
			b *model.Buffer,
		) {
			b.SetClocks([]int64{0}, []int64{1})
		}, "as the problem has"},
		{"clocks that go back", func(p *model.Problem, _ *model.Rules, b *model.Buffer) {
			clocked(p)
			b.SetClocks([]int64{0, 3}, []int64{4, 2})
		}, "end at the same time or later"},
		{"clocks that are not the sums", func(p *model.Problem, _ *model.Rules, b *model.Buffer) {
			clocked(p)
			b.Lower--
		}, "must be the sums of the clocks, 1 and 2"},
		{"clocks and gaps", func(p *model.Problem, _ *model.Rules, b *model.Buffer) {
			clocked(p)
			b.Gaps = []model.Gap{gap(1, 2)}
		}, "a buffer with clocks has no gaps"},
		{"clocks and a period", func(p *model.Problem, r *model.Rules, _ *model.Buffer) {
			clocked(p)
			r.Period = 5
		}, "a problem with clocks has no period"},
		{"clocks and a distance", func(p *model.Problem, r *model.Rules, _ *model.Buffer) {
			clocked(p)
			r.Distances = []model.Distance{{Buffers: pair}}
		}, "a problem with clocks has no slots"},
		{"a period", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) { r.Period = 5 }, ""},
		{"a life that begins after the period", func(_ *model.Problem, r *model.Rules, b *model.Buffer) {
			r.Period, b.Lower, b.Upper = 5, 5, 6
		}, `lower "5": must be from 0 to 4`},
		{"a life longer than the period", func(_ *model.Problem, r *model.Rules,
			b *model.Buffer,
		) {
			r.Period, b.Upper = 5, 6
		}, "longer than the period of 5"},
		{"an eviction", func(_ *model.Problem, _ *model.Rules,
			b *model.Buffer,
		) {
			evict(b, model.Eviction{Lower: 1, Upper: 2})
		}, ""},
		{"an eviction at the start", func(_ *model.Problem, _ *model.Rules, b *model.Buffer) {
			evict(b, model.Eviction{Lower: 0, Upper: 2})
		}, `"[0, 2)": must begin and end inside the lifespan [0, 3)`},
		{"an eviction at the end", func(_ *model.Problem, _ *model.Rules, b *model.Buffer) {
			evict(b, model.Eviction{Lower: 1, Upper: 3})
		}, "must begin and end inside"},
		{"evictions that meet", func(_ *model.Problem, _ *model.Rules, b *model.Buffer) {
			b.Upper = 9
			evict(b, model.Eviction{Lower: 1, Upper: 4}, model.Eviction{Lower: 3, Upper: 5})
		}, "must start at or after the end"},
		{"evictions that touch", func(_ *model.Problem, _ *model.Rules, b *model.Buffer) {
			b.Upper = 9
			evict(b, model.Eviction{Lower: 1, Upper: 3}, model.Eviction{Lower: 3, Upper: 5})
		}, "the part between the two would be empty"},
		{"parts that cost too much", func(_ *model.Problem, _ *model.Rules, b *model.Buffer) {
			evict(b, model.Eviction{Lower: 1, Upper: 2})
			b.Extra.Costs = []model.PoolCost{{Pool: 1, Cost: far/2 + 1}}
		}, "makes the sum of the costs exceed"},
		{"a pair of one", func(_ *model.Problem, r *model.Rules,
			_ *model.Buffer,
		) {
			r.Apart = []model.Pair{{1, 1}}
		}, "a pair has two different buffers"},
		{"a pair with nobody", func(_ *model.Problem, r *model.Rules,
			_ *model.Buffer,
		) {
			r.MayOverlap = []model.Pair{{1, 3}}
		}, `may_overlap[0] "3": there is no buffer`},
		{"a penalty below 0", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Penalties = []model.Penalty{{Buffers: pair, Cost: -1}}
		}, `penalties[0].cost "-1"`},
		{"penalties that are too much", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Penalties = []model.Penalty{{Buffers: pair, Cost: far}, {Buffers: pair, Cost: 1}}
		}, `penalties[1].cost "1": makes the sum`},
		{"a distance", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Distances = []model.Distance{{Buffers: pair}}
		}, ""},
		{"a distance of two that meet longer", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Distances = []model.Distance{{Buffers: model.Pair{0, 2}}}
		}, "the second must begin in the last slot of the first"},
		{"a distance around the period", func(p *model.Problem, r *model.Rules, b *model.Buffer) {
			b.Lower, b.Upper, r.Period, p.Buffers[1].Upper = 4, 8, 5, 4
			r.Distances = []model.Distance{{Buffers: pair}}
		}, ""},
		{"a distance of two that meet again", func(p *model.Problem, r *model.Rules, b *model.Buffer) {
			p.Buffers[1].Upper, r.Period = 6, 5
			r.Distances = []model.Distance{{Buffers: pair}}
		}, "nowhere else meet it"},
		{"two distances", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Distances = []model.Distance{{Buffers: pair}, {Buffers: pair, Distance: 3}}
		}, "the pair has two distances"},
		{"a distance in a gap", func(_ *model.Problem, r *model.Rules, b *model.Buffer) {
			b.Gaps, r.Distances = []model.Gap{gap(2, 3)}, []model.Distance{{Buffers: pair}}
		}, "has a gap in the slot where they meet"},
		{"a distance with evictions", func(_ *model.Problem, r *model.Rules, b *model.Buffer) {
			evict(b, model.Eviction{Lower: 1, Upper: 2})
			r.Distances = []model.Distance{{Buffers: pair}}
		}, "a buffer with evictions can have no distance"},
		{"an unknown measure", func(_ *model.Problem, r *model.Rules,
			_ *model.Buffer,
		) {
			r.Objective = []model.Measure{"height:z"}
		}, `objective[0] "height:z": "z" is no pool of the problem`},
		{"a measure twice", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			r.Objective = []model.Measure{"cost", "peak:x", "cost"}
		}, `objective[2] "cost": is there twice`},
		{"ties", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) { tied(r, 4, 0, 1); tied(r, 1, 1, 2) }, ""},
		{"ties that contradict each other", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			tied(r, 4, 0, 1)
			tied(r, 4, 1, 2)
			tied(r, 4, 2, 0)
		}, "but the chain"},
		{"a tie without distances", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			tied(r, 4, 0, 1)
			r.Together[0].At = r.Together[0].At[:1]
		}, "has 2 buffers and 1 distances"},
		{"a tie of nobody", func(_ *model.Problem, r *model.Rules,
			_ *model.Buffer,
		) {
			tied(r, 4, 0, -1)
		}, `together[0] "-1": there is no buffer`},
		{"a tie with evictions", func(_ *model.Problem, r *model.Rules, b *model.Buffer) {
			evict(b, model.Eviction{Lower: 1, Upper: 2})
			tied(r, 4, 0, 1)
		}, "a buffer with evictions can be in no body"},
		{"tied to the same bytes and apart", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			tied(r, 3, 0, 1)
			r.Apart = []model.Pair{pair}
		}, "together ties the two to the same bytes"},
		{"tied to other bytes and apart", func(_ *model.Problem, r *model.Rules, _ *model.Buffer) {
			tied(r, 4, 0, 1)
			r.Apart = []model.Pair{pair}
		}, ""},
		{"tied and fixed elsewhere", func(p *model.Problem, r *model.Rules, b *model.Buffer) {
			tied(r, 8, 0, 1)
			r.Pools = r.Pools[:1]
			b.Fixed, p.Buffers[1].Fixed = at(8), at(24)
		}, "is fixed at 8, so it must be at 16"},
	} {
		p := twoPools()
		tc.change(p, p.Rules, &p.Buffers[0])
		err := model.Validate(p)
		switch {
		case tc.want == "":
			if err != nil {
				t.Errorf("%s: %v", tc.name, err)
			}
		case err == nil || !strings.Contains(err.Error(), tc.want):
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		case strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: more than one issue: %v", tc.name, err)
		}
	}
}

// TestRulesExtremes: no number in the rules makes Validate panic.
func TestRulesExtremes(t *testing.T) {
	ends := []int64{math.MinInt64, -far - 1, -far, -1, 0, 1, far, far + 1, math.MaxInt64}
	for _, x := range ends {
		for _, y := range ends {
			p := twoPools()
			p.Buffers[0].Extra = &model.Extra{
				Costs: []model.PoolCost{{Pool: 1, Cost: x}}, Evictions: []model.Eviction{{Lower: x, Upper: y, Cost: y}},
			}
			p.Buffers[1].Alignment, p.Buffers[1].Size, p.Buffers[1].Fixed = x, y, &x
			p.Rules.Pools[0] = model.Pool{
				ID: "x", Capacity: x, Alignment: y, Cost: y, Reserved: []model.Range{{Lower: x, Upper: y}},
			}
			p.Rules.Period, p.Rules.Distances = x, []model.Distance{{Buffers: model.Pair{0, 1}, Distance: y}}
			p.Rules.Together = []model.Together{{Buffers: []int32{1, 2}, At: []int64{x, y}}}
			p.Rules.Penalties = []model.Penalty{{Buffers: model.Pair{0, 1}, Cost: x}, {Buffers: model.Pair{0, 1}, Cost: y}}
			if model.Validate(p) == nil {
				t.Errorf("%d and %d are valid", x, y)
			}
			p = twoPools()
			p.Rules.Together = []model.Together{
				{Buffers: []int32{0, 1}, At: []int64{x, y}}, {Buffers: []int32{1, 2}, At: []int64{x, y}},
			}
			p.Buffers[0].Alignment, p.Rules.Pools[1].Alignment = max(y, 0), max(x, 0)
			_ = model.Validate(p)
		}
	}
}

// TestBodies: lists that share a buffer unite, and distances are from the lowest byte.
func TestBodies(t *testing.T) {
	p := twoPools()
	p.Rules.Together = []model.Together{
		{Buffers: []int32{2, 1}, At: []int64{10, 4}}, {Buffers: []int32{0, 2}, At: []int64{0, -1}},
	}
	body, at, fault := model.BodiesOf(p)
	if fault != "" || body[0] != body[1] || body[1] != body[2] || !slices.Equal(at, []int64{7, 0, 6}) {
		t.Errorf("%v, %v, %q", body, at, fault)
	}
	p.Rules.Together = p.Rules.Together[:1]
	if body, at, _ = model.BodiesOf(p); body[0] == body[1] || body[1] != body[2] || !slices.Equal(at, []int64{0, 0, 6}) {
		t.Errorf("%v, %v", body, at)
	}
}
