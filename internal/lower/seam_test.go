package lower_test

import (
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// slotted draws a problem slot by slot: in each, a buffer has all of its bytes, a window or none.
func slotted(r *rand.Rand) *model.Problem {
	p := &model.Problem{Name: "x", Capacity: 20}
	base, slots := r.Int64N(9)-4, 2+r.IntN(7)
	for i := range 2 + r.IntN(5) {
		b := model.Buffer{
			ID: strconv.Itoa(i), Lower: base, Upper: base + int64(slots), Size: 1 + r.Int64N(5), Alignment: 1 + r.Int64N(3),
		}
		busy := 1 + r.IntN(4) // of five
		window := &model.Window{Lower: 0, Upper: 1 + r.Int64N(b.Size)}
		run := 0
		for s := range slots {
			if s == 0 || r.IntN(3) == 0 {
				if run = 0; r.IntN(5) >= busy {
					run = 1 + r.IntN(2)
				}
			}
			g := model.Gap{Lower: base + int64(s), Upper: base + int64(s) + 1}
			if run == 2 {
				g.Window = window
			}
			if run > 0 {
				b.Gaps = append(b.Gaps, g)
			}
		}
		if r.IntN(4) == 0 {
			at := b.Alignment * r.Int64N(3)
			b.Fixed = &at
		} else if r.IntN(4) == 0 {
			at := r.Int64N(9)
			b.Hint = &at
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// within returns the bytes of buffer i that are in use in a slot; both are 0 if none are.
func within(p *model.Problem, i int, slot int64) (used [2]int64) {
	for x := range p.Buffers[i].Pieces {
		if x.Lower <= slot && slot < x.Upper {
			used = [2]int64{x.From, x.To}
		}
	}
	return used
}

// crossing returns the bytes of the buffers that are live in the two slots and not in all of the slots from first
// to end.
func crossing(p *model.Problem, before, after, first, end int64) (bytes int64) {
	for i := range p.Buffers {
		always := true
		for s := first; s < end; s++ {
			always = always && within(p, i, s)[1] > 0
		}
		if !always && within(p, i, before)[1] > 0 && within(p, i, after)[1] > 0 {
			bytes += p.Buffers[i].Size
		}
	}
	return bytes
}

// TestSeam draws problems whose gaps may say that they repeat. The turned problem has the same slots in the same
// circle, and begins where the fewest bytes cross. It has the same plans, and all but the times is as it was.
func TestSeam(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 40))
	same, other, good, bad := 0, 0, 0, 0
	for range plantest.Share(20_000, 5_000) {
		p := slotted(r)
		if model.Validate(p) != nil {
			t.Fatalf("drew no problem: %+v", p)
		}
		first, end := int64(100), int64(-100)
		for i := range p.Buffers {
			for x := range p.Buffers[i].Pieces {
				first, end = min(first, x.Lower), max(end, x.Upper)
			}
		}
		q := lower.Turned(p)
		if err := model.Validate(q); err != nil {
			t.Fatalf("%v: %+v of %+v", err, q, p)
		}
		least, at := int64(-1), first
		for s := first; s < end; s++ {
			before := s - 1
			if s == first {
				before = end - 1
			}
			if c := crossing(p, before, s, first, end); least < 0 || c < least {
				least, at = c, s
			}
		}
		if at == first {
			if q != p {
				t.Fatalf("turned to no avail: %+v", p)
			}
			same++
			continue
		}
		other++
		if q == p || q.Name != p.Name || q.Capacity != p.Capacity || crossing(q, end-1, first, first, end) != least {
			t.Fatalf("not turned to slot %d: %+v is %+v", at, p, q)
		}
		for i := range p.Buffers {
			for s := first; s < end; s++ {
				if was, is := within(p, i, s), within(q, i, first+(s-at+end-first)%(end-first)); was != is {
					t.Fatalf("slot %d of buffer %d: bytes %v, were %v: %+v is %+v", s, i, is, was, p, q)
				}
			}
			was, is := p.Buffers[i], q.Buffers[i]
			was.Lower, was.Upper, was.Gaps = is.Lower, is.Upper, is.Gaps
			if !reflect.DeepEqual(was, is) {
				t.Fatalf("buffer %+v was %+v", is, was)
			}
		}
		for range 10 {
			offsets := make([]int64, len(p.Buffers))
			for i := range offsets {
				offsets[i] = r.Int64N(16)
				if b := &p.Buffers[i]; b.Fixed != nil {
					offsets[i] = *b.Fixed
				}
				offsets[i] -= offsets[i] % p.Buffers[i].Alignment
			}
			was, is := verify.First(p, offsets, 20, -1) == "", verify.First(q, offsets, 20, -1) == ""
			if was != is {
				t.Fatalf("offsets %v are valid: %t, were: %t: %+v is %+v", offsets, is, was, p, q)
			}
			if is {
				good++
			} else {
				bad++
			}
		}
	}
	if t.Logf("%d as they were, %d turned; %d plans, %d none", same, other, good, bad); min(same, other, good, bad) < 200 {
		t.Error("the test is lopsided")
	}
}

// TestNoSeam has gaps that only look like a seam: such a problem stays the same, not only as good.
func TestNoSeam(t *testing.T) {
	gap := func(x ...int64) (gaps []model.Gap) {
		for k := 0; k < len(x); k += 2 {
			gaps = append(gaps, model.Gap{Lower: x[k], Upper: x[k+1]})
		}
		return gaps
	}
	windowed := []model.Gap{{Lower: 2, Upper: 8, Window: &model.Window{Lower: 1, Upper: 3}}}
	for name, buffers := range map[string][]model.Buffer{
		"no gap":                       {{Upper: 10, Size: 4}, {Upper: 4, Size: 4}},
		"never live at the end":        {{Upper: 9, Size: 4, Gaps: gap(2, 5)}, {Lower: 3, Upper: 10, Size: 4}},
		"a gap at the end":             {{Upper: 10, Size: 4, Gaps: gap(2, 5, 9, 10)}, {Lower: 3, Upper: 10, Size: 4}},
		"a gap at the start":           {{Upper: 10, Size: 4, Gaps: gap(0, 1, 2, 5)}, {Upper: 2, Size: 4}},
		"live throughout, by a window": {{Upper: 10, Size: 4, Gaps: windowed}, {Lower: 3, Upper: 5, Size: 4}},
		"never live":                   {{Upper: 10, Size: 4, Gaps: gap(0, 10)}, {Lower: 3, Upper: 5, Size: 4}},
		"nowhere fewer bytes":          {{Upper: 10, Size: 4, Gaps: gap(2, 8)}, {Lower: 1, Upper: 9, Size: 4}},
		"many gaps, nowhere fewer":     {{Upper: 10, Size: 4, Gaps: gap(2, 3, 4, 5)}, {Lower: 1, Upper: 9, Size: 4}},
	} {
		p := &model.Problem{Buffers: buffers}
		for i := range buffers {
			buffers[i].ID = strconv.Itoa(i)
		}
		if err := model.Validate(p); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if q := lower.Turned(p); q != p {
			t.Errorf("%s: turned: %+v", name, q.Buffers)
		}
	}
}

// TestSeamOfStrip: a pool is turned by itself, with rules beside it.
func TestSeamOfStrip(t *testing.T) {
	p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{{ID: "a"}, {ID: "b"}}, Apart: []model.Pair{{1, 2}}}, Buffers: []model.Buffer{
		{ID: "state", Upper: 10, Size: 4, Gaps: []model.Gap{{Lower: 2, Upper: 7}}},
		{ID: "x", Lower: 1, Upper: 4, Size: 2},
		{ID: "y", Lower: 4, Upper: 9, Size: 3},
		{ID: "elsewhere", Lower: 3, Upper: 5, Size: 9},
	}}
	s := lower.New(p).Strip(0, []int32{0, 1, 2}, nil)
	if err := model.Validate(s.Problem); err != nil || len(s.Problem.Buffers[0].Gaps) > 0 {
		t.Errorf("%v: %+v", err, s.Problem.Buffers)
	}
	if s := lower.New(p).Strip(0, []int32{0, 3}, nil); len(s.Problem.Buffers[0].Gaps) > 0 {
		t.Errorf("%+v", s.Problem.Buffers)
	}
}
