package lower_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// tiny draws a problem of one pool with some of the rules that lowering knows.
func tiny(r *rand.Rand) *model.Problem {
	p := &model.Problem{Rules: &model.Rules{}}
	n := 2 + r.IntN(5)
	kind := r.IntN(4) // 0, 1: lifespans; 2: clocks; 3: a period
	if kind == 2 {
		p.Rules.Threads = 1 + r.IntN(3)
	}
	if kind == 3 {
		p.Rules.Period = 2 + r.Int64N(7)
	}
	for i := range n {
		b := model.Buffer{ID: strconv.Itoa(i), Size: 1 + r.Int64N(5)}
		switch {
		case kind == 2:
			lower, upper := make([]int64, p.Rules.Threads), make([]int64, p.Rules.Threads)
			for k := range lower {
				lower[k] = r.Int64N(4)
				upper[k] = lower[k] + r.Int64N(3)
			}
			upper[r.IntN(len(upper))]++
			b.SetClocks(lower, upper)
		case kind == 3:
			b.Lower = r.Int64N(p.Rules.Period)
			b.Upper = b.Lower + 1 + r.Int64N(p.Rules.Period)
		default:
			b.Lower = r.Int64N(7)
			b.Upper = b.Lower + 1 + r.Int64N(4)
		}
		if kind != 2 && b.Upper-b.Lower > 2 && r.IntN(3) == 0 {
			g := model.Gap{Lower: b.Lower + 1, Upper: b.Upper - 1}
			if b.Size > 1 && r.IntN(2) == 0 {
				g.Window = &model.Window{Lower: 1, Upper: b.Size}
			}
			b.Gaps = []model.Gap{g}
		}
		if r.IntN(3) == 0 {
			b.Alignment = 1 + r.Int64N(4)
		}
		p.Buffers = append(p.Buffers, b)
	}
	pick := func() model.Pair {
		i := int32(r.IntN(n))
		return model.Pair{i, (i + 1 + int32(r.IntN(n-1))) % int32(n)}
	}
	for range r.IntN(4) {
		p.Rules.Apart = append(p.Rules.Apart, pick())
	}
	for range r.IntN(4) {
		p.Rules.MayOverlap = append(p.Rules.MayOverlap, pick())
	}
	for range r.IntN(3) {
		x := pick()
		p.Rules.Together = append(p.Rules.Together, model.Together{Buffers: x[:], At: []int64{0, r.Int64N(7) - 3}})
	}
	if kind != 2 {
		for range 8 {
			d := model.Distance{Buffers: pick(), Distance: r.Int64N(12) - 6}
			p.Rules.Distances = append(p.Rules.Distances, d)
			if model.Validate(p) != nil {
				p.Rules.Distances = p.Rules.Distances[:len(p.Rules.Distances)-1]
			}
		}
	}
	return p
}

// slots are moments of a problem with lifespans, two turns of a period included.
const slots = 24

// uses returns the bytes of buffer i that are in use at a moment.
func uses(p *model.Problem, i int, at int64) (from, to int64, ok bool) {
	b := &p.Buffers[i]
	turns := []int64{0}
	if t := p.Rules.Period; t > 0 {
		turns = []int64{-2 * t, -t, 0, t, 2 * t, 3 * t}
	}
	for _, shift := range turns {
		if at < b.Lower+shift || at >= b.Upper+shift {
			continue
		}
		for _, g := range b.Gaps {
			if at < g.Lower+shift || at >= g.Upper+shift {
				continue
			}
			if g.Window == nil {
				return 0, 0, false
			}
			return g.Window.Lower, g.Window.Upper, true
		}
		return 0, b.Size, true
	}
	return 0, 0, false
}

// valid says whether offsets keep the rules of a problem of one pool, read in the plainest way.
func valid(p *model.Problem, body []int32, at, offsets []int64) bool {
	has := func(pairs []model.Pair, i, j int) bool {
		for _, x := range pairs {
			if x == (model.Pair{int32(i), int32(j)}) || x == (model.Pair{int32(j), int32(i)}) {
				return true
			}
		}
		return false
	}
	for i := range p.Buffers {
		if offsets[i] < 0 || offsets[i]%p.Buffers[i].Align() != 0 {
			return false
		}
		for j := range i {
			if body != nil && body[i] == body[j] {
				if offsets[i]-at[i] != offsets[j]-at[j] {
					return false
				}
				continue
			}
			share := func(f, t, g, u int64) bool { return offsets[i]+f < offsets[j]+u && offsets[j]+g < offsets[i]+t }
			if has(p.Rules.Apart, i, j) {
				if share(0, p.Buffers[i].Size, 0, p.Buffers[j].Size) {
					return false
				}
				continue
			}
			if has(p.Rules.MayOverlap, i, j) {
				continue
			}
			if p.Rules.Threads > 0 {
				c, d := p.Buffers[i].Extra.Clocks, p.Buffers[j].Extra.Clocks
				if !c.Before(d) && !d.Before(c) && share(0, p.Buffers[i].Size, 0, p.Buffers[j].Size) {
					return false
				}
				continue
			}
			near := false
			for _, d := range p.Rules.Distances {
				x, y := d.Buffers[0], d.Buffers[1]
				if d.Buffers.Sorted() == (model.Pair{int32(j), int32(i)}) && offsets[x]-offsets[y] >= d.Distance {
					near = true
				}
			}
			for t := range int64(slots) {
				f, to, a := uses(p, i, t)
				g, u, b := uses(p, j, t)
				if a && b && !near && share(f, to, g, u) {
					return false
				}
			}
		}
	}
	return true
}

// TestStrips draws problems and offsets. The strip accepts the bodies' offsets if and only if the rules accept the
// buffers' offsets.
func TestStrips(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 1))
	good, bad, skipped := 0, 0, 0
	for range plantest.Share(12_000, 4_000) {
		p := tiny(r)
		if model.Validate(p) != nil {
			skipped++
			continue
		}
		l := lower.New(p)
		members := make([]int32, len(p.Buffers))
		for i := range members {
			members[i] = int32(i)
		}
		// Some pairs are kept apart only for this strip, as a search for few penalties does.
		var further []model.Pair
		for range r.IntN(3) {
			further = append(further, model.Pair{int32(r.IntN(len(members))), int32(r.IntN(len(members)))})
		}
		further = slices.DeleteFunc(further, func(x model.Pair) bool { return x[0] == x[1] })
		s := l.Strip(0, members, further)
		body, at, _ := model.BodiesOf(p)
		p.Rules.Apart = append(p.Rules.Apart, further...)
		if s.Impossible == "" {
			if err := model.Validate(s.Problem); err != nil {
				t.Fatalf("the strip is no problem: %v\n%s", err, describe(p))
			}
		}
		for range 40 {
			bodies := make([]int64, len(p.Buffers))
			offsets := make([]int64, len(p.Buffers))
			for i := range offsets {
				bodies[i] = r.Int64N(14) - 1
				offsets[i] = bodies[i]
				if body != nil {
					offsets[i] = bodies[body[i]] + at[i]
				}
			}
			want := valid(p, body, at, offsets)
			got := s.Impossible == "" && verify.First(s.Problem, s.Lower(offsets), 0, -1) == ""
			if got != want {
				t.Fatalf("offsets %v: the strip says %v, the rules %v\n%s\n%s", offsets, got, want, describe(p),
					describe(s.Problem))
			}
			if !want {
				bad++
				continue
			}
			good++
			back := make([]int64, len(p.Buffers))
			s.Lift(s.Lower(offsets), back)
			for i := range back {
				if back[i] != offsets[i] {
					t.Fatalf("offsets %v come back as %v", offsets, back)
				}
			}
		}
	}
	t.Logf("%d good, %d bad, %d problems refused", good, bad, skipped)
	if good < bad/40 {
		t.Errorf("the test is lopsided: %d good, %d bad", good, bad)
	}
}

// describe writes a problem for a message.
func describe(p *model.Problem) (s string) {
	for i := range p.Buffers {
		b := &p.Buffers[i]
		s += b.ID + " [" + strconv.FormatInt(b.Lower, 10) + ", " + strconv.FormatInt(b.Upper,
			10) + ") size " + strconv.FormatInt(b.Size, 10) + " align " + strconv.FormatInt(b.Align(), 10)
		for _, g := range b.Gaps {
			s += " gap " + model.GapText(g)
		}
		if b.Extra != nil && b.Extra.Clocks != nil {
			for k := range b.Extra.Clocks.Lower {
				s += " clock " + strconv.FormatInt(b.Extra.Clocks.Lower[k], 10) + "-" +
					strconv.FormatInt(b.Extra.Clocks.Upper[k], 10)
			}
		}
		s += "\n"
	}
	if x := p.Rules; x != nil {
		pairs := func(name string, all []model.Pair) {
			for _, y := range all {
				s += name + " " + strconv.Itoa(int(y[0])) + "," + strconv.Itoa(int(y[1])) + "\n"
			}
		}
		pairs("apart", x.Apart)
		pairs("may overlap", x.MayOverlap)
		for _, y := range x.Together {
			s += "together " + strconv.Itoa(int(y.Buffers[0])) + "," + strconv.Itoa(int(y.Buffers[1])) + " at " +
				strconv.FormatInt(y.At[1], 10) + "\n"
		}
		for _, y := range x.Distances {
			s += "distance " + strconv.Itoa(int(y.Buffers[0])) + "," + strconv.Itoa(int(y.Buffers[1])) + " " +
				strconv.FormatInt(y.Distance, 10) + "\n"
		}
		s += "period " + strconv.FormatInt(x.Period, 10) + " threads " + strconv.Itoa(x.Threads) + "\n"
	}
	return s
}

// TestNeverLive has two buffers that must be apart and whose gaps cover their lives: they still meet in a slot.
func TestNeverLive(t *testing.T) {
	gone := model.Buffer{Lower: 0, Upper: 1, Size: 4, Gaps: []model.Gap{{Lower: 0, Upper: 1}}}
	p := &model.Problem{Rules: &model.Rules{Apart: []model.Pair{{0, 1}}}, Buffers: []model.Buffer{gone, gone}}
	p.Buffers[0].ID, p.Buffers[1].ID = "a", "b"
	q := lower.New(p).Strip(0, []int32{0, 1}, nil).Problem
	if !q.Meet(0, 1) {
		t.Errorf("the two do not meet: %+v", q.Buffers)
	}
}
