package oracle

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// TestOraclesAgree compares the two oracles with each other, and their plans with the verifier.
func TestOraclesAgree(t *testing.T) {
	const seeds = 8000
	var o Orders
	compared, collide := 0, 0
	check := func(p *model.Problem) {
		height, offsets, ok := o.Lowest(p)
		if ok {
			if r := verify.CheckHeight(p, offsets, height, height); !r.OK() {
				t.Fatalf("%s: %s", p.Name, r.Violations[0].Message)
			}
		}
		var reach int64
		for i := range p.Buffers {
			reach += p.Buffers[i].Size + p.Buffers[i].Align()
			if p.Buffers[i].Fixed != nil {
				reach += *p.Buffers[i].Fixed
			}
		}
		if reach > 100 {
			return // the grid would be slow
		}
		compared++
		want, _, fits := MinHeight(p)
		if height != want || ok != fits {
			t.Fatalf("%s: orders say %d, %v; the grid says %d, %v\n%+v", p.Name, height, ok, want, fits, p.Buffers)
		}
		if !ok {
			collide++
			return
		}
		again := drawn.Pinned(p, offsets, uint64(compared))
		if h, _, ok := o.Lowest(again); !ok || h != height {
			t.Fatalf("%s: %d, %v with its own plan pinned, not %d", p.Name, h, ok, height)
		}
	}
	for seed := range uint64(seeds) {
		check(drawn.Tiny(seed))
		check(drawn.Wide(seed))
	}
	if compared < seeds || collide < seeds/40 {
		t.Errorf("only %d problems were small enough for both, of which %d collide", compared, collide)
	}
}

// TestOrdersAtScale multiplies all numbers of bytes. The lowest height grows by the same factor.
func TestOrdersAtScale(t *testing.T) {
	const scale = 1 << 41
	for seed := range uint64(3000) {
		p := drawn.Tiny(seed)
		height, _, ok := Lowest(p)
		for i := range p.Buffers {
			b := &p.Buffers[i]
			b.Size, b.Alignment = b.Size*scale, b.Align()*scale
			for _, g := range b.Gaps {
				if g.Window != nil {
					g.Window.Lower, g.Window.Upper = g.Window.Lower*scale, g.Window.Upper*scale
				}
			}
			if b.Fixed != nil {
				at := *b.Fixed * scale
				b.Fixed = &at
			}
		}
		if h, offsets, fits := Lowest(p); fits != ok || h != height*scale {
			t.Fatalf("seed %d: %d, %v; %d, %v at scale", seed, height, ok, h, fits)
		} else if ok {
			if r := verify.CheckHeight(p, offsets, 0, h); !r.OK() {
				t.Fatalf("seed %d: %s", seed, r.Violations[0].Message)
			}
		}
	}
}

// TestWide: wide problems are valid, the same every time, and have the announced width.
func TestWide(t *testing.T) {
	const seeds = 20000
	seen := map[string]int{}
	var o Orders
	for seed := range uint64(seeds) {
		p := drawn.Wide(seed)
		if err := model.Validate(p); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		height, _, ok := o.Lowest(p)
		if ok && height > o.floor {
			seen["above the load"]++
		}
		if !ok {
			seen["collide"]++
		}
		features := map[string]bool{}
		alignments := map[int64]bool{}
		for i := range p.Buffers {
			b := &p.Buffers[i]
			alignments[b.Align()] = true
			features["fixed"] = features["fixed"] || b.Fixed != nil
			features["hint"] = features["hint"] || b.Hint != nil
			features["negative times"] = features["negative times"] || b.Lower < 0
			features["long times"] = features["long times"] || b.Upper-b.Lower > 1<<40
			features["large"] = features["large"] || b.Size > 1<<50
			for _, g := range b.Gaps {
				features["gap"] = features["gap"] || g.Window == nil
				features["window"] = features["window"] || g.Window != nil
			}
		}
		// The distance of a pair with two bans may lie between them. If 0 is no banned distance, offsets do not tell
		// which buffer is above.
		for k := 1; k < len(o.bans); k++ {
			if o.bans[k].i == o.bans[k-1].i && o.bans[k].j == o.bans[k-1].j {
				features["between windows"] = true
			}
		}
		for _, b := range o.bans {
			features["interlocked"] = features["interlocked"] || b.above >= 0 || b.below <= 0
		}
		for name, has := range features {
			if has {
				seen[name]++
			}
		}
		if len(alignments) > 2 {
			seen["mixed alignments"]++
		}
	}
	for name, least := range map[string]int{
		"above the load": 2000, "collide": 300, "fixed": 2000, "hint": 1000, "negative times": 2000, "long times": 1000,
		"large": 1000,
		"gap":   4000, "window": 4000, "between windows": 120, "interlocked": 1500, "mixed alignments": 3000,
	} {
		if seen[name] < least {
			t.Errorf("%s: %d of %d problems, want %d", name, seen[name], seeds, least)
		}
	}
	t.Log(seen)
	if a, b := drawn.Wide(7), drawn.Wide(7); len(a.Buffers) != len(b.Buffers) || a.Buffers[0].Size != b.Buffers[0].Size {
		t.Error("a seed gives two problems")
	}
}

func BenchmarkOrders(b *testing.B) {
	var o Orders
	for b.Loop() {
		for seed := range uint64(100) {
			o.Lowest(drawn.Wide(seed))
		}
	}
}
