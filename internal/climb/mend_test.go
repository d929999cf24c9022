package climb

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// peaky returns n buffers. Some dozens are live at once. Their sizes are so uneven that the load is near its peak at a
// few moments only.
func peaky(seed uint64, n int) *model.Problem {
	rng := rand.New(rand.NewPCG(seed, 3))
	p := &model.Problem{Name: "peaky"}
	for i := range n {
		lower := rng.Int64N(int64(n))
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: strconv.Itoa(i), Lower: lower, Upper: lower + 1 + int64(100*rng.ExpFloat64()),
			Size: 64 * (1 + int64(math.Exp(3+rng.NormFloat64()))),
		})
	}
	return p
}

// TestMendLowers: with mend alone climb ends much nearer to the load than with all else, at the same number of steps.
func TestMendLowers(t *testing.T) {
	lower, with, without := 0, 0.0, 0.0
	problems := plantest.Share(8, 3, 2)
	for seed := range uint64(problems) {
		p := peaky(seed, 4000)
		o := plan.Options{NodeLimit: 1 << 22, Without: only("mend")}
		r := must(t, p, o)
		with += 100 * (float64(r.Height)/float64(r.LowerBound) - 1)
		o.Without = []string{"mend"}
		s := must(t, p, o)
		without += 100 * (float64(s.Height)/float64(s.LowerBound) - 1)
		if r.Height < s.Height {
			lower++
		}
	}
	t.Logf("%d of %d lower; above the load: %.2f%% with mend, %.2f%% without", lower, problems, with/float64(problems), without/float64(problems))
	if lower < problems/2 || with > without*2/3 {
		t.Errorf("%d of %d lower; above the load: %.2f%% with mend, %.2f%% without", lower, problems, with/float64(problems), without/float64(problems))
	}
}

// hollow gives buffers that live long enough a gap in the middle.
func hollow(p *model.Problem) *model.Problem {
	for i := range p.Buffers {
		if b := &p.Buffers[i]; b.Upper-b.Lower > 8 {
			third := (b.Upper - b.Lower) / 3
			b.Gaps = []model.Gap{{Lower: b.Lower + third, Upper: b.Upper - third}}
		}
	}
	return p
}

// TestMendGaps: others may lie in a gap. So plans end far below the load that buffers without their gaps have, and
// lower than without mend.
func TestMendGaps(t *testing.T) {
	lower, below, problems := 0, 0, plantest.Share(6, 3, 2)
	for seed := range uint64(problems) {
		p := peaky(seed, 1000)
		load := timeline.New(p).LowerBound
		hollow(p)
		o := plan.Options{NodeLimit: 1 << 21, Without: only("mend")}
		r := must(t, p, o)
		if r.Height < load {
			below++
		}
		o.Without = []string{"mend"}
		if r.Height < must(t, p, o).Height {
			lower++
		}
	}
	if lower < problems || below < problems {
		t.Errorf("of %d problems %d end lower than without, %d below the load without gaps", problems, lower, below)
	}
}

// TestCheapest compares the offset of a buffer with all offsets under the target.
func TestCheapest(t *testing.T) {
	free, dear := 0, 0
	for seed := range uint64(300) {
		p := random(seed, 40)
		rng := rand.New(rand.NewPCG(seed, 5))
		for i := range p.Buffers {
			p.Buffers[i].Size = 1 + rng.Int64N(40)
			p.Buffers[i].Alignment = []int64{1, 4, 6}[rng.IntN(3)]
		}
		w := begun(t, timeline.New(p), plan.Options{})
		if !w.mending() {
			t.Fatal("no gaps, and nothing is mended")
		}
		m := &w.mender
		m.target = 60 + rng.Int64N(100)
		for i, b := range p.Buffers {
			at := rng.Int64N(150)
			m.spots[m.number[i]] = spot{at: at, top: at + b.Size, price: rng.Int64N(4)} // 0: it is out
		}
		for k, b := range p.Buffers {
			sum := func(o int64) (price int64) {
				for j := range p.Buffers {
					if s := m.spots[m.number[j]]; j != k && w.tl.Overlaps(k, j) && o < s.top && s.at < o+b.Size {
						price += s.price
					}
				}
				return price
			}
			least := int64(math.MaxInt64)
			for o := int64(0); o+b.Size <= m.target; o += b.Align() {
				least = min(least, sum(o))
			}
			at, price := w.cheapest(m.number[k], m.neighbours(m.number[k]))
			if price != least || sum(at) > price || at%b.Align() != 0 || at < 0 || at+b.Size > m.target {
				t.Fatalf("seed %d, buffer %d: offset %d for %d, which costs %d; the least is %d", seed, k, at, price, sum(at), least)
			}
			if price == 0 {
				free++
			} else {
				dear++
			}
		}
	}
	if free < 1000 || dear < 1000 {
		t.Errorf("the cases are lopsided: %d free, %d not", free, dear)
	}
}

// TestRestore: a repair that succeeds leaves a plan in which the buffer ends under the target, and no other has come
// above it. One that fails leaves the plan as it was. Under a target below the load not all can succeed.
func TestRestore(t *testing.T) {
	done, failed := 0, 0
	for seed := range uint64(60) {
		p := random(seed, 100)
		if seed%2 == 1 {
			hollow(p)
		}
		w := begun(t, timeline.New(p), plan.Options{Seed: seed})
		w.mending()
		w.most = math.MaxInt64
		m := &w.mender
		for i := range p.Buffers {
			k := m.number[i]
			m.paid[k] = 1
			m.put(k, w.best[i])
		}
		height := model.HeightOf(p, w.best)
		m.target, m.patience = w.tl.LowerBound+(height-w.tl.LowerBound)*int64(seed%5-1)/4, int64(1)<<(seed%10)
		whole := true
		for _, i := range m.number {
			if m.spots[i].top <= m.target {
				continue
			}
			before := slices.Clone(m.spots)
			ok := w.restore(i)
			offsets := make([]int64, len(p.Buffers))
			for j, k := range m.number {
				offsets[j] = m.spots[k].at
				if m.spots[k].top > max(before[k].top, m.target) {
					t.Fatalf("seed %d: buffer %d rises to %d", seed, j, m.spots[k].top)
				}
			}
			m.check()
			if fault := verify.First(p, offsets, height, -1); fault != "" {
				t.Fatalf("seed %d: %s", seed, fault)
			}
			if ok {
				done++
			} else {
				failed++
				whole = false
			}
			if under := m.spots[i].top <= m.target; under != ok || !ok && !slices.EqualFunc(before, m.spots, func(a, b spot) bool {
				return a.at == b.at && a.top == b.top
			}) {
				t.Fatalf("seed %d: buffer %d is under the target: %t, the repair succeeded: %t", seed, i, under, ok)
			}
		}
		if whole && m.target < w.tl.LowerBound {
			t.Fatalf("seed %d: all are under %d, the load is %d", seed, m.target, w.tl.LowerBound)
		}
	}
	if done < 50 || failed < 50 {
		t.Errorf("the cases are lopsided: %d repairs succeed, %d fail", done, failed)
	}
}

// TestMendGoesOn: after a repair that cannot succeed the other buffers above the target have their turn, until the
// steps are used up. Two buffers live together, and fit no lower target. The third can fall.
func TestMendGoesOn(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "low", Upper: 1, Size: 6}, {ID: "high", Upper: 1, Size: 6}, {ID: "free", Lower: 1, Upper: 2, Size: 3},
	}}
	for _, tc := range []struct {
		steps int64
		falls bool
	}{{1 << 20, true}, {1, false}} {
		w := begun(t, timeline.New(p), plan.Options{})
		w.mending()
		w.goal, w.most = 9, math.MaxInt64
		if lower := w.mend([]int64{0, 6, 9}, 12, tc.steps); lower != nil {
			t.Fatalf("%d steps: a plan of 12 bytes in fewer: %d", tc.steps, lower)
		}
		if falls := w.mender.spots[w.mender.number[2]].top < 12; falls != tc.falls {
			t.Errorf("%d steps: the third buffer falls: %t", tc.steps, falls)
		}
	}
}

// TestPrices: the first price grows with the area and faster than it, and is no more than so many buffers explain.
func TestPrices(t *testing.T) {
	p := &model.Problem{}
	for k := range 40 {
		p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(k), Upper: 10, Size: 1 << k})
	}
	for k := range 4000 { // they keep the mean low
		p.Buffers = append(p.Buffers, model.Buffer{ID: "small" + strconv.Itoa(k), Upper: 1, Size: 1})
	}
	w := begun(t, timeline.New(p), plan.Options{})
	w.mending()
	faster := 0
	asked := func(k int) int64 { return w.mender.asked[w.mender.number[k]] }
	for k := 1; k < 40; k++ {
		price, before := asked(k), asked(k-1)
		if price < before || price > least+meanPrice*4040*64 {
			t.Errorf("area %d costs %d, twice as much costs %d", 10<<(k-1), before, price)
		}
		if price > 2*before {
			faster++
		}
	}
	if faster < 10 {
		t.Errorf("%d prices more than double", faster)
	}
}

// TestMendOnlyWhole: problems with windows or fixed offsets are not mended.
func TestMendOnlyWhole(t *testing.T) {
	refused, gaps := 0, 0
	for seed := range uint64(200) {
		p := drawn.Wide(seed)
		tl := timeline.New(p)
		fixed := slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.Fixed != nil })
		windows := slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.HasWindow() })
		w := &worker{search: &search{tl: tl}}
		if w.mending() != (!fixed && !windows) {
			t.Fatalf("seed %d: fixed %t, windows %t", seed, fixed, windows)
		}
		if fixed || windows {
			refused++
		} else if tl.HasGaps() {
			gaps++
		}
	}
	if refused < 20 || refused > 180 || gaps < 20 {
		t.Errorf("the cases are lopsided: %d of 200 refused, %d with gaps mended", refused, gaps)
	}
}

// TestMenderCorrupted breaks one thing at a time. The check names each.
func TestMenderCorrupted(t *testing.T) {
	p := random(1, 30)
	for _, tc := range []struct {
		says    string
		corrupt func(m *mender)
	}{
		{"out, or not aligned", func(m *mender) { m.spots[3].price = 0 }},
		{"end of a buffer", func(m *mender) { m.spots[3].top++ }},
		{"in each other's way", func(m *mender) {
			for i, b := range p.Buffers {
				m.spots[m.number[i]] = spot{top: b.Size, price: 1}
			}
		}},
	} {
		w := begun(t, timeline.New(p), plan.Options{})
		w.mending()
		w.goal, w.most = w.tl.LowerBound, math.MaxInt64
		w.mend(w.best, model.HeightOf(p, w.best), 1)
		if what := plantest.Caught(w.mender.check); what != "" {
			t.Fatal("caught where nothing is wrong:", what)
		}
		tc.corrupt(&w.mender)
		if what := plantest.Caught(w.mender.check); !strings.Contains(what, tc.says) {
			t.Errorf("%q is caught as %q", tc.says, what)
		}
	}
}
