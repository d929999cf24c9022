package framework

import (
	"cmp"
	"slices"
	"sort"
	"testing"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// An event is an allocation or a release of a buffer.
type event struct {
	time, buffer int
	release      bool
}

// replayed lists the events of XLA's heap simulator, step by step.
func replayed(p *model.Problem) []event {
	byLife := make([]int, len(p.Buffers))
	for i := range byLife {
		byLife[i] = i
	}
	slices.SortStableFunc(byLife, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.Buffers[a].Lower, p.Buffers[b].Lower),
			cmp.Compare(p.Buffers[a].Upper, p.Buffers[b].Upper))
	})
	var events []event
	for step := range int64(100) {
		for _, i := range byLife {
			if p.Buffers[i].Lower == step {
				events = append(events, event{len(events), i, false})
			}
		}
		for _, i := range byLife {
			if p.Buffers[i].Upper-1 == step {
				events = append(events, event{len(events), i, true})
			}
		}
	}
	return events
}

// sweptBytes plans by marking bytes: each buffer in the smallest run of free ones.
func sweptBytes(p *model.Problem, events []event, wanted func(int) bool, from int64) []int64 {
	const top = 1 << 14
	used := make([]bool, top)
	offsets := make([]int64, len(p.Buffers))
	for _, e := range events {
		size := p.Buffers[e.buffer].Size
		switch {
		case !wanted(e.buffer):
		case e.release:
			for b := offsets[e.buffer]; b < offsets[e.buffer]+size; b++ {
				used[b] = false
			}
		default:
			at, least := int64(-1), int64(top+1)
			for begin := from; begin < top; {
				end := begin
				for end < top && !used[end] {
					end++
				}
				if end-begin >= size && end-begin < least {
					at, least = begin, end-begin
				}
				begin = end + 1
			}
			offsets[e.buffer] = at
			for b := at; b < at+size; b++ {
				used[b] = true
			}
		}
	}
	return offsets
}

func TestXLASweepAgainstPlain(t *testing.T) {
	for seed := range uint64(40) {
		p := shuffled(2+int(seed)*2, seed)
		events := replayed(p)
		all := func(int) bool { return true }
		if got, want := planned(t, named(t, "xla-fast-merge"), p, plan.Options{}),
			sweptBytes(p, events, all, 0); !slices.Equal(got.Offsets, want) {
			t.Fatalf("seed %d: offsets %v, want %v", seed, got.Offsets, want)
		}
		// Fast split: the first ten by size and ticks, the rest above them.
		ticks := make([]int, len(p.Buffers))
		for _, e := range events {
			if e.release {
				ticks[e.buffer] += e.time
			} else {
				ticks[e.buffer] -= e.time
			}
		}
		order := bySize(p, func(a, b int) int { return cmp.Compare(ticks[b], ticks[a]) })
		exact := min(10, len(order))
		first := walk(p, order[:exact], true)
		var top int64
		isFirst := make([]bool, len(p.Buffers))
		for _, i := range order[:exact] {
			isFirst[i], top = true, max(top, first[i]+p.Buffers[i].Size)
		}
		want := sweptBytes(p, events, func(i int) bool { return !isFirst[i] }, top)
		for _, i := range order[:exact] {
			want[i] = first[i]
		}
		got := planned(t, named(t, "xla-fast-split"), p, plan.Options{Params: map[string]string{"exact": "10"}})
		if !slices.Equal(got.Offsets, want) {
			t.Fatalf("seed %d: split: offsets %v, want %v", seed, got.Offsets, want)
		}
		// The heap's order by area, both ends counted.
		byArea := bySize(p, noTie)
		slices.Sort(byArea)
		slices.SortStableFunc(byArea, func(a, b int) int {
			return cmp.Compare(p.Buffers[b].Size*int64(ticks[b]+1), p.Buffers[a].Size*int64(ticks[a]+1))
		})
		got = planned(t, named(t, "xla-heap"), p, plan.Options{Params: map[string]string{"sort": "spatial-temporal"}})
		if want := walk(p, byArea, true); !slices.Equal(got.Offsets, want) {
			t.Fatalf("seed %d: area: offsets %v, want %v", seed, got.Offsets, want)
		}
	}
}

// TestPeakShares compares the bytes of the peak that a buffer can share with a count over all pairs, with and without
// gaps.
func TestPeakShares(t *testing.T) {
	for seed := range uint64(60) {
		p := shuffled(2+int(seed), seed)
		if seed%2 == 1 {
			for i := range p.Buffers {
				if b := &p.Buffers[i]; b.Upper-b.Lower > 2 && i%3 == 0 {
					b.Gaps = []model.Gap{{Lower: b.Lower + 1, Upper: b.Upper - 1}}
				}
			}
		}
		if seed == 0 { // never active
			p.Buffers[0].Gaps = []model.Gap{{Lower: p.Buffers[0].Lower, Upper: p.Buffers[0].Upper}}
			p.Buffers = p.Buffers[:1]
		}
		tl := timeline.New(p)
		got := (&somasSolver{t: &task{tl: tl, buffers: p.Buffers}}).peakShares()
		if tl.Sections() == 0 {
			continue
		}
		peak := slices.Index(tl.Load, slices.Max(tl.Load))
		for i := range p.Buffers {
			var want int64
			for j := range p.Buffers {
				live := slices.ContainsFunc(tl.Spans(j),
					func(s timeline.Span) bool { return int(s.First) <= peak && peak < int(s.Last) })
				if live && i != j && !tl.Overlaps(i, j) {
					want += p.Buffers[j].Size
				}
			}
			if got[i] != want {
				t.Fatalf("seed %d, buffer %d: %d, want %d", seed, i, got[i], want)
			}
		}
	}
}

// TestPoolAgainstPlain compares TVM's pool with a walk over a list that is sorted anew for each request.
func TestPoolAgainstPlain(t *testing.T) {
	for seed := range uint64(60) {
		p := shuffled(2+int(seed)*2, seed)
		for i := range p.Buffers {
			p.Buffers[i].Size = 1 << (p.Buffers[i].Size % 11) // so that sixteenfold matters
		}
		for name, small := range map[string]int64{"tvm-relax": 0, "tvm-storage-rewrite": 4} {
			want := pooled(p, small)
			if got := planned(t, named(t, name), p, plan.Options{}); !slices.Equal(got.Offsets, want) {
				t.Fatalf("seed %d: %s: offsets %v, want %v", seed, name, got.Offsets, want)
			}
		}
	}
}

func pooled(p *model.Problem, small int64) []int64 {
	type storage struct{ size, back int64 } // back counts returns to the pool, -1 in use
	var all []storage
	of, returns := make([]int, len(p.Buffers)), int64(0)
	for time := range int64(100) {
		for i, b := range p.Buffers {
			if b.Upper == time && b.Size > small {
				all[of[i]].back, returns = returns, returns+1
			}
		}
		for i, b := range p.Buffers {
			if b.Lower != time {
				continue
			}
			of[i] = len(all)
			var free []int
			for k, s := range all {
				if s.back >= 0 && s.size >= b.Size/16 && s.size <= b.Size*16 {
					free = append(free, k)
				}
			}
			sort.Slice(free, func(x, y int) bool {
				a, b := all[free[x]], all[free[y]]
				return a.size < b.size || a.size == b.size && a.back < b.back
			})
			if b.Size > small && len(free) > 0 {
				k := slices.IndexFunc(free, func(k int) bool { return all[k].size >= b.Size })
				if k < 0 {
					k = len(free) - 1
				}
				of[i] = free[k]
				all[of[i]] = storage{max(all[of[i]].size, b.Size), -1}
				continue
			}
			all = append(all, storage{b.Size, -1})
		}
	}
	offsets := make([]int64, len(p.Buffers))
	for i, k := range of {
		for _, s := range all[:k] {
			offsets[i] += s.size
		}
	}
	return offsets
}
