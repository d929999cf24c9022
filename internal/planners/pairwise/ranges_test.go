package pairwise

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/timeline"
)

// TestFree checks Free, Lowest and Range against every offset, one by one.
func TestFree(t *testing.T) {
	holes := 0
	for seed := range uint64(3000) {
		p := drawn.Tiny(seed)
		tl := timeline.New(p)
		rng := rand.New(rand.NewPCG(seed, 4))
		for k := range tl.Partitions {
			e, _ := New(watch, tl, &tl.Partitions[k], DefaultMaxPairs)
			if !e.Reset(tl.LowerBound + 3) {
				continue
			}
			for range 20 {
				d, found := decide(e, rng)
				if !found {
					break
				}
				if d.literal < 0 && !e.Place(d.buffer, d.offset) {
					e.Pop()
					break
				}
			}
			for j := range int32(e.Len()) {
				if e.Placed(j) {
					continue
				}
				lo, hi := e.Range(j)
				var want []int64
				for at := lo; at <= hi; at++ {
					if at%e.align[j] == 0 && isFree(tl, e, j, at) {
						want = append(want, at)
					}
				}
				var got []int64
				ranges := e.Free(nil, j)
				for _, r := range ranges {
					for at := r.Lo; at <= r.Hi; at += e.align[j] {
						got = append(got, at)
					}
				}
				if len(ranges) > 1 {
					holes++
				}
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d buffer %d: got %v, want %v", seed, j, got, want)
				}
				if len(want) == 0 || want[0] != lo || want[len(want)-1] != hi {
					t.Fatalf("seed %d buffer %d: free %v but the range is [%d,%d]", seed, j, want, lo, hi)
				}
				for from := lo - 1; from <= hi+1; from++ {
					at, ok := e.Lowest(j, from)
					k, found := slices.BinarySearch(want, from)
					if !found && k == len(want) {
						if ok {
							t.Fatalf("seed %d: Lowest(%d, %d) = %d, want none", seed, j, from, at)
						}
					} else if !ok || at != want[k] {
						t.Fatalf("seed %d: Lowest(%d, %d) = %d %v, want %d", seed, j, from, at, ok, want[k])
					}
				}
			}
		}
	}
	if holes < 100 {
		t.Fatalf("only %d buffers had more than one free range", holes)
	}
}

// isFree reports whether j at an offset meets no placed buffer.
func isFree(tl *timeline.Timeline, e *Engine, j int32, at int64) bool {
	for k := range int32(e.Len()) {
		if k == j || !e.Placed(k) {
			continue
		}
		o, _ := e.Range(k)
		for _, f := range tl.Forbid(int(e.ID(k)), int(e.ID(j))) {
			if f.Above < at-o && at-o < f.Below {
				return false
			}
		}
	}
	return true
}
