package repack

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/pace"
	"github.com/stowage-go/stowage/model"
)

// drawnCall draws a call that the brute force can answer. Its plan is the blocks one above the other.
func drawnCall(r *gen.RNG, align int64) *Call {
	c := &Call{Alignment: align}
	at := int64(0)
	offsets := map[int32]int64{}
	for range 2 + r.Below(3) {
		b := Block{Start: r.Below(4), Size: 1 + r.Below(3), Offset: at}
		b.End = b.Start + r.Below(3)
		if r.Chance(0.4) {
			b.Group = int32(1 + r.Below(2))
		}
		if r.Chance(0.5) {
			b.Size = 0
			for k := range 2 + r.Below(2) {
				s := Slice{Size: r.Pick(1, 1, 2), Start: b.Start}
				if k > 0 {
					s.Start += r.Below(b.End - b.Start + 1)
				}
				b.Slices = append(b.Slices, s)
				b.Size += s.Size
			}
		}
		if o, there := offsets[b.Group]; there && b.Group != 0 {
			b.Offset = o
		} else {
			offsets[b.Group] = at
			at += 12 // above the largest block that may join the group
		}
		c.Blocks = append(c.Blocks, b)
	}
	return c
}

// permutations returns all orders of starts that keep the starts of each size.
func permutations(s []Slice) (list [][]Slice) {
	if s == nil {
		return [][]Slice{nil}
	}
	var walk func(k int, now []Slice)
	walk = func(k int, now []Slice) {
		if k == len(now) {
			pairs := func(x []Slice) []Slice {
				x = slices.Clone(x)
				slices.SortFunc(x, func(a, b Slice) int { return int(a.Size*100 + a.Start - b.Size*100 - b.Start) })
				return x
			}
			if slices.Equal(pairs(now), pairs(s)) {
				list = append(list, slices.Clone(now))
			}
			return
		}
		for j := k; j < len(now); j++ {
			now[k].Start, now[j].Start = now[j].Start, now[k].Start
			walk(k+1, now)
			now[k].Start, now[j].Start = now[j].Start, now[k].Start
		}
	}
	walk(0, slices.Clone(s))
	return list
}

// painted reports whether a plan is valid, byte by byte and slot by slot, and its height.
func painted(blocks []Block, at []int64, order [][]Slice) (ok bool, height int64) {
	owner := map[[2]int64]int32{}
	for i := range blocks {
		b := &blocks[i]
		me := -int32(i) - 1
		if b.Group != 0 {
			me = b.Group
		}
		parts := order[i]
		if parts == nil {
			parts = []Slice{{b.Size, b.Start}}
		}
		low := at[i]
		for _, s := range parts {
			for t := s.Start; t <= b.End; t++ {
				for y := low; y < low+s.Size; y++ {
					if o, taken := owner[[2]int64{t, y}]; taken && o != me {
						return false, 0
					}
					owner[[2]int64{t, y}] = me
				}
			}
			low += s.Size
		}
		height = max(height, low)
	}
	return true, height
}

// brute returns the least height over all orders and offsets.
func brute(blocks []Block, align, most int64) int64 {
	best := most
	at, order := make([]int64, len(blocks)), make([][]Slice, len(blocks))
	var walk func(i int)
	walk = func(i int) {
		if ok, _ := painted(blocks[:i], at, order); !ok {
			return
		}
		if i == len(blocks) {
			_, h := painted(blocks, at, order)
			best = min(best, h)
			return
		}
		for _, p := range permutations(blocks[i].Slices) {
			order[i] = p
			for at[i] = 0; at[i]+blocks[i].Size < best || at[i] == 0; at[i] += align {
				if j := slices.IndexFunc(blocks[:i],
					func(b Block) bool { return b.Group != 0 && b.Group == blocks[i].Group }); j >= 0 {
					if at[i] != at[j] {
						continue
					}
				}
				walk(i + 1)
			}
		}
	}
	walk(0)
	return best
}

// TestBruteForce compares repacks of drawn calls with all orders and offsets.
func TestBruteForce(t *testing.T) {
	r := gen.NewRNG(1, "repack")
	shared, swapped, lower := 0, 0, 0
	for k := range 300 {
		align := r.Pick(1, 1, 2)
		c := drawnCall(r, align)
		want := brute(c.Blocks, align, 60)
		res, err := Repack(t.Context(), c, Options{Tries: 300})
		if err != nil {
			t.Fatalf("%d: %v, of %+v", k, err, c)
		}
		if ok, h := painted(c.Blocks, res.Offsets, res.Slices); !ok || h != res.Height {
			t.Fatalf("%d: a plan that is none, or not of height %d but %d: %+v of %+v", k, res.Height, h, res, c)
		}
		if res.Height != want || res.Status != model.Optimal || res.LowerBound != want {
			t.Fatalf("%d: height %d, bound %d, %v; brute force has %d, of %+v", k, res.Height, res.LowerBound,
				res.Status, want, c)
		}
		var rl loads
		if b := rl.bound(c); b > want {
			t.Fatalf("%d: the load %d is above the least height %d, of %+v", k, b, want, c)
		} else if b < want {
			lower++
		}
		for i := range c.Blocks {
			if c.Blocks[i].Group != 0 {
				shared++
			}
			if c.Blocks[i].Slices != nil && !slices.Equal(c.Blocks[i].Slices, res.Slices[i]) {
				swapped++
			}
		}
		// The same with a wanted block, at capacities around the least height.
		if c.Blocks[len(c.Blocks)-1].Group != 0 {
			continue
		}
		last := c.Blocks[len(c.Blocks)-1]
		rest := &Call{Alignment: align, Blocks: c.Blocks[:len(c.Blocks)-1], Wanted: &last, Capacity: want}
		for ; rest.Capacity >= want-1 && rest.Capacity > 0; rest.Capacity-- {
			res := must.Get(Repack(t.Context(), rest, Options{Tries: 300}))(t, "%d", k)
			fits := rest.Capacity >= want
			if res.Status.HasPlan() != fits || !fits && res.Status != model.Infeasible || fits != (res.Wanted >= 0) {
				t.Fatalf("%d: wanted within %d: %+v; least height %d, of %+v", k, rest.Capacity, res, want, rest)
			}
			if !fits {
				continue
			}
			ok, h := painted(c.Blocks, append(res.Offsets, res.Wanted), append(res.Slices, res.WantedSlices))
			if !ok || h > want {
				t.Fatalf("%d: with the wanted block: valid %v, height %d of %d, of %+v", k, ok, h, want, rest)
			}
		}
	}
	if shared < 150 || swapped < 6 || lower < 10 {
		t.Errorf("%d blocks in groups, %d new orders, %d calls above their load: too few", shared, swapped, lower)
	}
}

// TestChecker compares the checker with painting, with offsets and orders that are mostly wrong.
func TestChecker(t *testing.T) {
	r := gen.NewRNG(2, "repack")
	good := 0
	for range 4000 {
		c := drawnCall(r, 1)
		at, order := make([]int64, len(c.Blocks)), make([][]Slice, len(c.Blocks))
		for i := range c.Blocks {
			at[i] = r.Below(9)
			if j := slices.IndexFunc(c.Blocks[:i],
				func(b Block) bool { return b.Group != 0 && b.Group == c.Blocks[i].Group }); j >= 0 {
				at[i] = at[j]
			}
			list := permutations(c.Blocks[i].Slices)
			order[i] = list[r.Below(int64(len(list)))]
		}
		ok, _ := painted(c.Blocks, at, order)
		if fault := Check(c, at, order); ok != (fault == "") {
			t.Fatalf("painted %v, checker %q: %+v at %v", ok, fault, c, at)
		}
		if ok {
			good++
		}
	}
	if good < 400 || good > 3600 {
		t.Errorf("%d of 4000 plans are valid", good)
	}
}

// large returns a call of XLA's size: n blocks over n times in 64 MiB, stacked so that the plan is far too high.
func large(seed uint64, n int64) *Call {
	r := gen.NewRNG(seed, "large")
	c := &Call{Capacity: 64 << 20, Alignment: 4096}
	at := int64(0)
	for range n {
		b := Block{Start: r.Below(n), Size: 4096 * (1 + r.Below(256)), Offset: at}
		b.End = min(b.Start+1+r.Below(9), n)
		if r.Chance(0.2) && b.End > b.Start+1 {
			quarter := (b.Size + 16383) / 16384 * 4096
			b.Size = 4 * quarter
			for k := range int64(4) {
				b.Slices = append(b.Slices, Slice{quarter, b.Start + min(k, b.End-b.Start)})
			}
		}
		at += b.Size
		c.Blocks = append(c.Blocks, b)
	}
	return c
}

// TestNeverWorse repacks calls of XLA's size, from plans that are high and from plans that are good.
func TestNeverWorse(t *testing.T) {
	for seed := range uint64(3) {
		c := large(seed, 120)
		height := int64(1) << 60
		for range 3 {
			res := must.Get(Repack(t.Context(), c, Options{NodeLimit: 50, Tries: 6, Seed: seed}))(t)
			if fault := Check(c, res.Offsets, res.Slices); fault != "" || res.Height > height || res.Height < res.LowerBound {
				t.Fatalf("seed %d: %s, height %d after %d, bound %d", seed, fault, res.Height, height, res.LowerBound)
			}
			again, err := Repack(t.Context(), c, Options{NodeLimit: 50, Tries: 6, Seed: seed})
			if err != nil || !slices.Equal(again.Offsets, res.Offsets) {
				t.Fatalf("seed %d: the same call gave another plan: %v", seed, err)
			}
			height = res.Height
			for i := range c.Blocks {
				c.Blocks[i].Offset, c.Blocks[i].Slices = res.Offsets[i], res.Slices[i]
			}
		}
		// No effort, and a context that has ended: the plan given stays.
		over, cancel := context.WithCancel(t.Context())
		cancel()
		c.Wanted = &Block{Start: 3, End: 5, Size: 1 << 20}
		res, err := Repack(over, c, Options{})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if err == nil && Check(c, res.Offsets, res.Slices) != "" {
			t.Fatal("the plan was lost")
		}
	}
}

// TestHopeless has calls that the load refuses, and how long that takes: 600 blocks, as in the largest calls of XLA's.
func TestHopeless(t *testing.T) {
	c := large(7, 600)
	c.Wanted = &Block{Start: 300, End: 302, Size: c.Capacity}
	var r Repacker
	pace.Fastest(t, 200, time.Millisecond, "the fastest hopeless call of 600 blocks", func() {
		res, err := r.Repack(t.Context(), c, Options{})
		if err != nil || res.Status != model.Infeasible || res.LowerBound <= c.Capacity || res.Better ||
			res.Offsets[5] != c.Blocks[5].Offset {
			t.Fatalf("%+v, %v", res, err)
		}
	})
	// Far times take the other way to the load.
	c.Wanted = nil
	for i := range c.Blocks {
		b := &c.Blocks[i]
		b.Start, b.End = b.Start<<30, b.End<<30
		b.Slices = slices.Clone(b.Slices)
		for k := range b.Slices {
			b.Slices[k].Start <<= 30
		}
	}
	near := large(7, 600)
	// So do groups with large numbers.
	grouped, numbered := large(7, 600), large(7, 600)
	for i := range grouped.Blocks {
		grouped.Blocks[i].Group, numbered.Blocks[i].Group = int32(1+i/2), int32(i/2)<<16-1<<30
		if i%20 == 1 {
			grouped.Blocks[i].Start, numbered.Blocks[i].Start = grouped.Blocks[i-1].Start, numbered.Blocks[i-1].Start
			grouped.Blocks[i].Slices, numbered.Blocks[i].Slices = nil, nil
		}
	}
	if one, other := new(loads).bound(grouped), r.load.bound(numbered); one != other ||
		one >= r.load.bound(near) {
		t.Errorf("the load is %d or %d with groups", one, other)
	}
	if far, close := r.load.bound(c), new(loads).bound(near); far != close {
		t.Errorf("the load is %d with far times and %d with near ones", far, close)
	}
}

// TestFaults has calls that are none.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		call Call
		want string
	}{
		{Call{Blocks: []Block{{Start: 4, End: 3, Size: 1}}}, `number 1: end "3": must not be before the start, which is 4`},
		{Call{Blocks: []Block{{Size: 0}}}, `number 1: size "0": must be at least 1`},
		{Call{Alignment: 4, Blocks: []Block{{Size: 1, Offset: 6}}}, `number 1: offset "6": must be a multiple of 4, or -1 for none`},
		{Call{Blocks: []Block{{Size: 3, Slices: []Slice{{1, 0}, {1, 0}}}}}, `number 1: slices "2": must add up to the size`},
		{Call{Blocks: []Block{{Size: 2, End: 4, Slices: []Slice{{1, 1}, {1, 2}}}}}, `one of them at its start`},
		{Call{Blocks: []Block{{Size: 1}, {Size: 1}}}, `blocks 1 and 2 share bytes at time 0`},
		{Call{Blocks: []Block{{Size: 1, Group: 2}, {Size: 1, Offset: 3, Group: 2}}}, `blocks 1 and 2 of one group lie at 0 and 3`},
		{Call{Capacity: -1}, `capacity "-1"`},
		{Call{Wanted: &Block{Size: 1, Group: 1}}, `wanted: group "1"`},
		{Call{Blocks: []Block{{Size: model.MaxSum}, {Size: model.MaxSum, Offset: -1}}}, `the sizes add up to more`},
	} {
		_, err := Repack(t.Context(), &c.call, Options{})
		var input *model.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want %s, got %v", c.want, err)
		}
	}
}

// TestFourSlices has a call that fits only if slices swap their starts.
func TestFourSlices(t *testing.T) {
	c := &Call{Capacity: 5 * 4096, Alignment: 4096, Blocks: []Block{
		{Start: 0, End: 9, Size: 4 * 4096, Offset: 0, Slices: []Slice{{4096, 0}, {4096, 1}, {4096, 2}, {4096, 3}}},
		{Start: 0, End: 2, Size: 2 * 4096, Offset: 4 * 4096},
		{Start: 9, End: 9, Size: 4096, Offset: 4 * 4096},
	}}
	res, err := Repack(t.Context(), c, Options{})
	if err != nil || res.Status != model.Optimal || res.Height != 5*4096 || !res.Better {
		t.Fatalf("%+v, %v", res, err)
	}
	if p := Lower(c); len(p.Buffers) != 3 || len(p.Buffers[0].Gaps) != 3 || p.Rules != nil {
		t.Errorf("%+v", p)
	}
}
