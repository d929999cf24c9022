package floor

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// TestTrue: no bound is above the best value, for any number of earlier measures held at their best values. Each
// measure's bound is often met, at the first rank and at later ones.
func TestTrue(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 4))
	type count struct{ met, of int }
	first, later := map[string]*count{}, map[string]*count{}
	for n := range plantest.Share(60_000, 5_000, 1_500) {
		p, find := drawn.Banked(r), oracle.Sets
		switch n % 6 {
		case 0, 3:
			p = drawn.Ruled(r)
		case 1:
			p, find = drawn.Bank(r, "objects"), oracle.Best
		}
		best, _, decided := find(p, 30_000)
		if best == nil || !decided {
			continue
		}
		f := New(p)
		for k, m := range p.Objective() {
			least := f.Least(m)
			if least > best[k] {
				t.Fatalf("rank %d: %s is at least %d; the best is %v\n%s", k, m, least, best, drawn.DescribeRuled(p))
			}
			f.Hold(m, best[k])
			kind, _, one := strings.Cut(string(m), ":")
			if one {
				kind += ":"
			}
			counts := first
			if k > 0 {
				counts = later
			}
			if counts[kind] == nil {
				counts[kind] = &count{}
			}
			if best[k] == 0 {
				continue // met by any bound
			}
			counts[kind].of++
			if least == best[k] {
				counts[kind].met++
			}
		}
	}
	for _, kind := range []string{
		"height", "max_height", "peak", "max_peak", "cost", "height:", "peak:", "objects",
	} {
		a, b := first[kind], later[kind]
		t.Log(kind, *a, *b, "met, of those that are above 0")
		if a.met == 0 && a.of > 20 || b.met == 0 && b.of > 20 {
			t.Errorf("%s is never met", kind)
		}
	}
}

// TestFormulas has one small problem for each formula, with numbers that can be counted by hand.
func TestFormulas(t *testing.T) {
	at := func(x int64) *int64 { return &x }
	pool := func(id string, capacity int64, reserved ...model.Range) model.Pool {
		return model.Pool{ID: id, Capacity: capacity, Reserved: reserved}
	}
	buffer := func(size int64, pools ...int32) model.Buffer {
		b := model.Buffer{Lower: 0, Upper: 4, Size: size}
		if pools != nil {
			b.Extra = &model.Extra{Pools: pools}
		}
		return b
	}
	evictable := buffer(4)
	evictable.Extra = &model.Extra{Evictions: []model.Eviction{{Lower: 1, Upper: 2, Cost: 10}}}
	fixed := func(offset int64) model.Buffer {
		b := buffer(3, 0)
		b.Fixed = at(offset)
		return b
	}
	aligned := buffer(3, 0)
	aligned.Alignment = 4
	open := []model.Pool{pool("p", 0), pool("q", 0)}
	for name, tc := range map[string]struct {
		pools   []model.Pool
		buffers []model.Buffer
		rules   model.Rules
		held    map[model.Measure]int64
		m       model.Measure
		want    int64
	}{
		"height of what must be there": {
			pools: open, buffers: []model.Buffer{buffer(3, 0), buffer(4, 0), buffer(5)}, m: "height:p", want: 7,
		},
		"height of one behind the reserved": {
			pools: []model.Pool{pool("p", 0, model.Range{Lower: 2, Upper: 5})}, buffers: []model.Buffer{buffer(3)},
			m: "height", want: 8,
		},
		"height of a fixed one": {pools: open, buffers: []model.Buffer{fixed(9)}, m: "height:p", want: 12},
		"height of all": {
			pools: open, buffers: []model.Buffer{buffer(3), buffer(4), buffer(5)}, m: "height", want: 12,
		},
		"height above reserved bytes": {
			pools:   []model.Pool{pool("p", 7, model.Range{Lower: 0, Upper: 2}), pool("q", 3)},
			buffers: []model.Buffer{buffer(2), buffer(2)}, m: "height", want: 6,
		},
		"peak of an empty pool": {
			pools: []model.Pool{pool("p", 0, model.Range{Lower: 2, Upper: 5}), pool("q", 0)}, buffers: nil, m: "peak:p", want: 5,
		},
		"peak with holes": {
			pools:   []model.Pool{pool("p", 0, model.Range{Lower: 2, Upper: 5}), pool("q", 0)},
			buffers: []model.Buffer{buffer(4), buffer(4)}, m: "peak", want: 11,
		},
		"max_height of the largest": {
			pools: open, buffers: []model.Buffer{buffer(9), buffer(1)}, m: "max_height", want: 9,
		},
		"max_height by shares": {
			pools: open, buffers: []model.Buffer{buffer(3), buffer(4), buffer(4)}, m: "max_height", want: 6,
		},
		"max_height of equal ones": {
			pools: open, buffers: []model.Buffer{buffer(7), buffer(7), buffer(7)}, m: "max_height", want: 14,
		},
		"max_height beside a full pool": {
			pools: []model.Pool{pool("p", 0), pool("q", 2)}, buffers: []model.Buffer{buffer(1), buffer(2), buffer(2), buffer(5)},
			m: "max_height", want: 8,
		},
		"max_peak": {
			pools:   []model.Pool{pool("p", 0, model.Range{Lower: 20, Upper: 30}), pool("q", 0)},
			buffers: []model.Buffer{buffer(9)}, m: "max_peak", want: 30,
		},
		"objects": {
			pools:   []model.Pool{{ID: "p", Objects: true}, {ID: "q", Objects: true}, {ID: "r"}},
			buffers: []model.Buffer{buffer(3, 0), buffer(4, 0, 1), buffer(5, 1), buffer(1, 1, 2)}, m: "objects", want: 3,
		},
		"cost": {
			pools: []model.Pool{{ID: "p", Cost: 2}, {ID: "q", Cost: 3}}, buffers: []model.Buffer{buffer(3), buffer(4, 1)},
			m: "cost", want: 18,
		},
		"cost of one part": {pools: []model.Pool{{ID: "p", Cost: 2}}, buffers: []model.Buffer{evictable}, m: "cost", want: 8},
		"a pool that is full": {
			pools: open, buffers: []model.Buffer{buffer(3), buffer(4)}, held: map[model.Measure]int64{"height:p": 2},
			m: "height:q", want: 7,
		},
		"a pool that is dear": {
			pools: []model.Pool{{ID: "p"}, {ID: "q", Cost: 1}}, buffers: []model.Buffer{buffer(3), aligned},
			held: map[model.Measure]int64{"cost": 2}, m: "height:p", want: 6,
		},
	} {
		p := &model.Problem{Buffers: tc.buffers, Rules: &tc.rules}
		p.Rules.Pools = tc.pools
		for i := range p.Buffers {
			p.Buffers[i].ID = string(rune('a' + i))
		}
		if err := model.Validate(p); err != nil {
			t.Fatal(name, err)
		}
		f := New(p)
		for m, v := range tc.held {
			f.Hold(m, v)
		}
		if got := f.Least(tc.m); got != tc.want {
			t.Errorf("%s: %s is at least %d, want %d", name, tc.m, got, tc.want)
		}
	}
}
