package framework

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	_ "github.com/stowage-go/stowage/lab/baseline/heuristic" // bfc
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// The two ends a second time: one row of chunks by address, with the tags of the source.

type tagged struct {
	at, size int64
	used     bool
	tag      rune // l, u, or g for the gap
}

type taggedRow []tagged

// cut cuts a chunk; both parts are free and have its tag.
func (r *taggedRow) cut(k int, size int64) {
	c := (*r)[k]
	(*r)[k].size = size
	*r = slices.Insert(*r, k+1, tagged{c.at + size, c.size - size, false, c.tag})
}

func (r *taggedRow) alloc(size, align int64, upper bool) int64 {
	tag := 'l'
	if upper {
		tag = 'u'
	}
	down := func(x int64) int64 { return x - x%align }
	fits := func(c tagged) bool {
		if c.used {
			return false
		}
		if upper {
			return c.size >= size && down(c.at+c.size-size) >= c.at
		}
		return c.size >= size+bound.Up(c.at, align)-c.at
	}
	best := -1
	for k, c := range *r {
		if c.tag == tag && fits(c) && (best < 0 || c.size < (*r)[best].size) {
			best = k
		}
	}
	if best < 0 {
		best = slices.IndexFunc(*r, func(c tagged) bool { return c.tag == 'g' && fits(c) })
		if best < 0 {
			return -1
		}
	}
	splits := func(c int64) bool { return c >= 2*size || c-size >= 128<<20 }
	c := (*r)[best]
	pad := bound.Up(c.at, align) - c.at
	if upper {
		start := down(c.at + c.size - size)
		if c.tag != 'g' && !splits(c.size-pad) {
			start = c.at + pad
		}
		if prefix := start - c.at; prefix > 0 {
			r.cut(best, prefix)
			best++
		}
	} else if pad > 0 {
		r.cut(best, pad)
		(*r)[best].tag = 'l'
		best++
	}
	exact := (*r)[best].tag == 'g'
	if upper {
		(*r)[best].tag = 'u'
	}
	if n := (*r)[best].size; exact && n > size || !exact && splits(n) {
		r.cut(best, size)
	}
	(*r)[best].tag, (*r)[best].used = tag, true
	return (*r)[best].at
}

func (r *taggedRow) free(at int64) {
	k := slices.IndexFunc(*r, func(c tagged) bool { return c.at == at && c.used })
	c := &(*r)[k]
	c.used = false
	switch {
	case c.tag == 'l' && (k+1 == len(*r) || (*r)[k+1].tag != 'l'),
		c.tag == 'u' && (k == 0 || (*r)[k-1].tag != 'u'):
		c.tag = 'g'
	}
	merge := func(k int) {
		if (*r)[k].tag != (*r)[k+1].tag {
			(*r)[k].tag = 'g'
		}
		(*r)[k].size += (*r)[k+1].size
		*r = slices.Delete(*r, k+1, k+2)
	}
	if k+1 < len(*r) && !(*r)[k+1].used {
		merge(k)
	}
	if k > 0 && !(*r)[k-1].used {
		merge(k - 1)
	}
}

// plainTwoEnded returns the offsets in a range of a size, nil if it is too small.
func plainTwoEnded(p *model.Problem, size int64, percent float64) []int64 {
	r := taggedRow{{0, size, false, 'g'}}
	n := len(p.Buffers)
	byStart, byEnd := make([]int, n), make([]int, n)
	begin, end := p.Buffers[0].Lower, p.Buffers[0].Upper
	for i, b := range p.Buffers {
		byStart[i], byEnd[i] = i, i
		begin, end = min(begin, b.Lower), max(end, b.Upper)
	}
	slices.SortStableFunc(byStart, func(a, b int) int { return cmp.Compare(p.Buffers[a].Lower, p.Buffers[b].Lower) })
	slices.SortStableFunc(byEnd, func(a, b int) int { return cmp.Compare(p.Buffers[a].Upper, p.Buffers[b].Upper) })
	offsets := make([]int64, n)
	for _, i := range byStart {
		b := &p.Buffers[i]
		for ; p.Buffers[byEnd[0]].Upper <= b.Lower; byEnd = byEnd[1:] {
			r.free(offsets[byEnd[0]])
		}
		if offsets[i] = r.alloc(b.Size, b.Align(),
			float64(b.Upper-b.Lower) >= percent/100*float64(end-begin)); offsets[i] < 0 {
			return nil
		}
	}
	return offsets
}

func TestTSLAgainstPlain(t *testing.T) {
	both := 0
	for seed := range uint64(200) {
		p := shuffled(2+int(seed)%80, seed)
		unit := int64(1)
		if seed%2 == 1 {
			rng := rand.New(rand.NewPCG(seed, 3))
			unit = 8
			for i := range p.Buffers {
				p.Buffers[i].Alignment = 1 << rng.Int64N(4)
			}
		}
		percent := []string{"101", "30", "15", "50", "0"}[seed%5]
		share := []float64{101, 30, 15, 50, 0}[seed%5]
		r := planned(t, named(t, "tsl-bfc"), p, plan.Options{Params: map[string]string{"upper": percent}})
		// The range of the planner is the smallest in which no request fails.
		size := bound.Up(r.Height, unit)
		want := plainTwoEnded(p, size, share)
		if percent == "101" {
			want = plainTwoEnded(p, 1<<20, share)
		}
		for want == nil && size < bound.Up(r.Height, unit)+100 {
			size += unit
			want = plainTwoEnded(p, size, share)
		}
		if !slices.Equal(r.Offsets, want) {
			t.Fatalf("seed %d, upper %s: offsets %v, want %v", seed, percent, r.Offsets, want)
		}
		if low := plainTwoEnded(p, size, 101); !slices.Equal(low, want) {
			both++
		}
	}
	if both < 50 {
		t.Errorf("%d plans use both ends", both)
	}
}

// With nothing at the upper end it is the allocator with one end.
func TestTSLAgainstBFC(t *testing.T) {
	bfc := must.Get(run.Lookup("bfc"))(t)
	for seed := range uint64(60) {
		p := shuffled(2+int(seed), seed)
		for i := range p.Buffers {
			p.Buffers[i].Alignment = 1 << (seed % 4 * uint64(i) % 5)
		}
		want := must.Get(run.Run(context.Background(), bfc, timeline.New(p),
			plan.Options{Params: map[string]string{"round": "1"}}))(t)
		if got := planned(t, named(t, "tsl-bfc"), p,
			plan.Options{Params: map[string]string{"upper": "101"}}); !slices.Equal(got.Offsets, want.Offsets) {
			t.Fatalf("seed %d: offsets %v, bfc has %v", seed, got.Offsets, want.Offsets)
		}
	}
}

// plainReuse plans ONNX Runtime's chains: it finds them by hand, and then asks for the trace of a problem of theirs.
func plainReuse(t *testing.T, p *model.Problem) []int64 {
	chains := &model.Problem{}
	of := make([]int, len(p.Buffers))
	var free []int // the last to end at the end
	for now := range int64(100) {
		for i, b := range p.Buffers {
			if b.Upper == now {
				free = append(free, of[i])
			}
		}
		for i, b := range p.Buffers {
			if b.Lower != now {
				continue
			}
			at := len(free) - 1
			for at >= 0 && chains.Buffers[free[at]].Size != b.Size {
				at--
			}
			if at < 0 {
				of[i] = len(chains.Buffers)
				chains.Buffers = append(chains.Buffers, b)
				continue
			}
			of[i] = free[at]
			free = slices.Delete(free, at, at+1)
			chains.Buffers[of[i]].Upper = b.Upper
		}
	}
	r := planned(t, named(t, "ort-mempattern"), chains, plan.Options{})
	offsets := make([]int64, len(p.Buffers))
	for i := range offsets {
		offsets[i] = r.Offsets[of[i]]
	}
	return offsets
}

func TestReuseAgainstPlain(t *testing.T) {
	shared := 0
	for seed := range uint64(60) {
		p := shuffled(2+int(seed), seed)
		for i := range p.Buffers {
			p.Buffers[i].Size = 1 + p.Buffers[i].Size%7
		}
		r := planned(t, named(t, "ort-reuse"), p, plan.Options{})
		if want := plainReuse(t, p); !slices.Equal(r.Offsets, want) {
			t.Fatalf("seed %d: offsets %v, want %v", seed, r.Offsets, want)
		}
		if alone := planned(t, named(t, "ort-mempattern"), p, plan.Options{}); !slices.Equal(r.Offsets, alone.Offsets) {
			shared++
		}
	}
	if shared < 30 {
		t.Errorf("%d plans have chains", shared)
	}
}
