package climb

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// several returns n buffers. About a hundred are live at once, and the load has several peaks, far apart.
func several(seed uint64, n int) *model.Problem {
	rng := rand.New(rand.NewPCG(seed, 7))
	p := &model.Problem{Name: "several peaks"}
	for i := range n {
		lower := rng.Int64N(int64(n))
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: strconv.Itoa(i), Lower: lower, Upper: lower + 1 + rng.Int64N(200), Size: 1 + rng.Int64N(1024),
		})
	}
	return p
}

// TestRebuildLowers: repairs that plan a peak anew where they fail end much nearer to the load, at the same number of
// steps.
func TestRebuildLowers(t *testing.T) {
	lower, with, without := 0, 0.0, 0.0
	problems := plantest.Share(8, 3, 2)
	for seed := range uint64(problems) {
		p := several(seed, 6000)
		o := plan.Options{NodeLimit: 1 << 24, Without: []string{"core", "crests", "critical"}}
		r := must(t, p, o)
		with += 100 * (float64(r.Height)/float64(r.LowerBound) - 1)
		o.Without = append(o.Without, "rebuild")
		s := must(t, p, o)
		without += 100 * (float64(s.Height)/float64(s.LowerBound) - 1)
		if r.Height < s.Height {
			lower++
		}
	}
	t.Logf("%d of %d lower; above the load: %.2f%% with rebuild, %.2f%% without", lower, problems, with/float64(problems), without/float64(problems))
	if 4*lower < 3*problems || with > without/2 {
		t.Errorf("%d of %d lower; above the load: %.2f%% with rebuild, %.2f%% without", lower, problems, with/float64(problems), without/float64(problems))
	}
}

// TestRebuild: a peak that is planned anew leaves a plan in which no buffer has come above the target, and all that lie
// around the peak are under it. If that fails, the plan and the prices are as before, but for what repairs add.
func TestRebuild(t *testing.T) {
	done, failed := 0, 0
	for seed := range uint64(60) {
		p := several(seed, 1200)
		w := begun(t, timeline.New(p), plan.Options{Seed: seed})
		w.mending()
		w.most = math.MaxInt64
		m := &w.mender
		for i, k := range m.number {
			m.paid[k] = m.asked[k]
			m.put(k, w.best[i])
		}
		height := model.HeightOf(p, w.best)
		m.target, m.patience = w.tl.LowerBound+(height-w.tl.LowerBound)*int64(seed%4)/8-int64(seed%2), int64(1)<<(4+seed%9)
		tries := 0
		for k := int32(0); int(k) < len(m.spots) && tries < 3; k++ {
			if m.spots[k].top <= m.target {
				continue
			}
			tries++
			before, paid := slices.Clone(m.spots), slices.Clone(m.paid)
			ok := w.rebuild(k)
			offsets := make([]int64, len(p.Buffers))
			for i, j := range m.number {
				if offsets[i] = m.spots[j].at; m.spots[j].top > max(before[j].top, m.target) {
					t.Fatalf("seed %d: buffer %d rises to %d", seed, i, m.spots[j].top)
				}
				if m.spots[j].price != m.paid[j] || m.paid[j] < paid[j] {
					t.Fatalf("seed %d: buffer %d costs %d, the price is %d, before %d", seed, i, m.spots[j].price, m.paid[j], paid[j])
				}
			}
			m.check()
			if fault := verify.First(p, offsets, height, -1); fault != "" {
				t.Fatalf("seed %d: %s", seed, fault)
			}
			same := slices.EqualFunc(before, m.spots, func(a, b spot) bool { return a.at == b.at && a.top == b.top })
			if ok && m.spots[k].top > m.target || ok && same {
				t.Fatalf("seed %d: buffer %d is mended, and ends at %d above %d", seed, k, m.spots[k].top, m.target)
			}
			if ok {
				done++
			} else if failed++; m.target < w.tl.LowerBound && !same {
				t.Fatalf("seed %d: a plan below the load is in place", seed)
			}
		}
	}
	t.Logf("%d peaks planned anew, %d not", done, failed)
	if done < 20 || failed < 20 {
		t.Errorf("the cases are lopsided: %d peaks planned anew, %d not", done, failed)
	}
}

// TestSurround: all that are live around a peak are listed. The list is refused if it is most of the problem, or if its
// buffers live so long that they would displace thousands.
func TestSurround(t *testing.T) {
	p := several(1, 20000)
	w := begun(t, timeline.New(p), plan.Options{})
	w.mending()
	m := &w.mender
	m.target = w.tl.LowerBound
	for _, at := range []int32{0, 500, 7000, 19000} {
		if !m.surround(at, at+40) {
			t.Fatalf("%d buffers around section %d are refused", len(m.inside), at)
		}
		live := 0
		for i := range p.Buffers {
			if first, last := w.tl.Extent(i); first < at+40 && last > at {
				live++
				if !slices.Contains(m.inside, m.number[i]) {
					t.Errorf("buffer %d is live from %d to %d, and not listed around %d", i, first, last, at)
				}
			}
		}
		if live != len(m.inside) {
			t.Errorf("%d are listed around %d, %d are live", len(m.inside), at, live)
		}
	}
	if m.surround(0, 20000) {
		t.Error("all buffers are a peak")
	}
	for i := range 60 { // large, and live all the time
		p.Buffers[i].Lower, p.Buffers[i].Upper, p.Buffers[i].Size = 0, 20200, 1<<14
	}
	w = begun(t, timeline.New(p), plan.Options{})
	w.mending()
	w.mender.target = w.tl.LowerBound
	if w.mender.surround(7000, 7040) {
		t.Error("buffers that are live all the time would be moved")
	}
}

// TestRebuildOnce: a peak is planned anew by climb without the technique itself, and other switches hold there, too.
func TestRebuildOnce(t *testing.T) {
	p := several(3, 300)
	w := begun(t, timeline.New(p), plan.Options{Without: []string{"core"}})
	w.mending()
	w.most, w.mender.target, w.mender.patience = math.MaxInt64, w.tl.LowerBound, 1<<10
	before := strings.Join(w.o.Without, " ")
	w.planned(p)
	if w.taken < rebuildEach*300 || w.taken > rebuildEach*300+replanEach<<10+300 {
		t.Errorf("%d steps", w.taken)
	}
	if now := strings.Join(w.o.Without, " "); now != before {
		t.Errorf("the techniques that are off became %q", now)
	}
	w.mender.target--
	if w.planned(p) != nil {
		t.Error("a plan below the load")
	}
}
