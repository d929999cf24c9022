package merge

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// apart keeps pairs of buffers apart that never live together: a slot is put in where the first of a pair lives. The
// second visits it, and the others that live there have a gap.
func apart(rng *rand.Rand, p *model.Problem, pairs int) (*model.Problem, [][2]int) {
	type entry struct{ i, j int }
	slots := map[int64]entry{} // by twice the section's time
	var drawn [][2]int
	for len(drawn) < pairs {
		i, j := rng.IntN(len(p.Buffers)), rng.IntN(len(p.Buffers))
		a, b := &p.Buffers[i], &p.Buffers[j]
		at := 2*(a.Lower+rng.Int64N(a.Upper-a.Lower)) + 1
		if _, taken := slots[at]; i == j || taken || a.Lower < b.Upper && b.Lower < a.Upper ||
			slices.Contains(drawn, [2]int{i, j}) || slices.Contains(drawn, [2]int{j, i}) {
			continue
		}
		slots[at] = entry{i, j}
		drawn = append(drawn, [2]int{i, j})
	}
	q := &model.Problem{}
	for k, b := range p.Buffers {
		var lives [][2]int64
		for t := range 2 * horizon(p) {
			e, slot := slots[t]
			own := 2*b.Lower <= t && t < 2*b.Upper
			switch {
			case slot && k != e.i && k != e.j, !slot && !own, slot && k == e.i && !own:
				continue
			}
			if n := len(lives); n > 0 && lives[n-1][1] == t {
				lives[n-1][1]++
			} else {
				lives = append(lives, [2]int64{t, t + 1})
			}
		}
		c := model.Buffer{ID: b.ID, Size: b.Size, Alignment: b.Alignment, Lower: lives[0][0], Upper: lives[len(lives)-1][1]}
		for n := 1; n < len(lives); n++ {
			c.Gaps = append(c.Gaps, model.Gap{Lower: lives[n-1][1], Upper: lives[n][0]})
		}
		q.Buffers = append(q.Buffers, c)
	}
	return q, drawn
}

func horizon(p *model.Problem) (end int64) {
	for i := range p.Buffers {
		end = max(end, p.Buffers[i].Upper)
	}
	return end
}

// packing is a perfect packing with pairs apart.
func packing(t testing.TB, buffers, pairs int, seed uint64) (*model.Problem, [][2]int) {
	p := made(t, "perfect", gen.Options{Buffers: buffers, Horizon: int64(buffers), Capacity: 4096, Seed: seed})
	return apart(rand.New(rand.NewPCG(seed, 7)), p, pairs)
}

// TestTies: nearly always the ties are the pairs apart, and all buffers may be merged.
func TestTies(t *testing.T) {
	seeds := plantest.Share(20, 20, 10)
	same := 0
	for seed := range uint64(seeds) {
		p, pairs := packing(t, 60, 6, seed)
		tl := timeline.New(p)
		b := newBase(tl)
		var ties [][2]int
		for _, x := range b.ties {
			ties = append(ties, [2]int{int(x.a), int(x.b)})
		}
		missing := slices.ContainsFunc(pairs, func(x [2]int) bool {
			return !slices.Contains(ties, x) && !slices.Contains(ties, [2]int{x[1], x[0]})
		})
		var f forest
		f.init(tl, b)
		sealed := slices.ContainsFunc(f.all, func(c composite) bool { return c.sealed })
		if !missing && !sealed && len(ties) == len(pairs) {
			same++
		}
	}
	if t.Logf("%d of %d", same, seeds); same < seeds-seeds/10 {
		t.Error("too few")
	}
}

// TestTiesOfRoots holds the problem of the roots against that of the buffers: plans that keep the base, and keep the
// ties or break them. Both agree on each, whether roots are whole or taken apart.
func TestTiesOfRoots(t *testing.T) {
	w := run.NewWatch(t.Context())
	defer w.Close()
	kept, broken, several := 0, 0, 0
	for seed := range uint64(plantest.Share(40, 40, 10)) {
		p, _ := packing(t, 40, 6, seed)
		tl := timeline.New(p)
		rng := rand.New(rand.NewPCG(seed, 3))
		m := &merger{watch: w, rng: rng, unit: 1, stacking: 1, stacks: true, wheeling: true, most: math.MaxInt64}
		m.init(tl, newBase(tl))
		m.begin()
		for range 3 {
			m.recheck()
			roots := m.problem(tl)
			free := m.without(tl, make([]bool, tl.Sections()))
			for k := range roots.Buffers {
				roots.Buffers[k].ID, free.Buffers[k].ID = string(rune(k+1)), string(rune(k+1))
			}
			if c := m.newClock(nil); c.start[tl.Sections()] > int64(tl.Sections()) {
				several++
			}
			for range 20 {
				at := stacked(rng, free)
				if !verify.Check(free, at, 0).OK() {
					t.Fatalf("seed %d: the test's own plan is wrong", seed)
				}
				ok := verify.Check(p, m.expand(p, at), 0).OK()
				if verify.Check(roots, at, 0).OK() != ok {
					t.Fatalf("seed %d: the plan of the buffers is right: %v, and that of the roots is not like it", seed, ok)
				}
				if ok {
					kept++
				} else {
					broken++
				}
			}
			for _, r := range slices.Clone(m.live) {
				if m.all[r].shape != single {
					m.split(r)
				}
			}
		}
	}
	if t.Logf("%d kept, %d broken, %d with several slots", kept, broken, several); kept < 50 || broken < 50 || several == 0 {
		t.Error("one-sided")
	}
}

// stacked places buffers in an order drawn at random, each as low as it fits.
func stacked(rng *rand.Rand, p *model.Problem) []int64 {
	at := make([]int64, len(p.Buffers))
	tl := timeline.New(p)
	var placed []int
	for _, i := range rng.Perm(len(p.Buffers)) {
		for moved := true; moved; {
			moved = false
			for _, j := range placed {
				if tl.Overlaps(i, j) && at[i] < at[j]+p.Buffers[j].Size && at[j] < at[i]+p.Buffers[i].Size {
					at[i], moved = at[j]+p.Buffers[j].Size, true
				}
			}
		}
		placed = append(placed, i)
	}
	return at
}

// TestArrange: what is in the roots moves until the ties hold, and the plan is right. Without moves fewer hold.
func TestArrange(t *testing.T) {
	w := run.NewWatch(t.Context())
	defer w.Close()
	before, after := 0, 0
	for seed := range uint64(plantest.Share(40, 40, 10)) {
		p, _ := packing(t, 60, 6, seed)
		tl := timeline.New(p)
		rng := rand.New(rand.NewPCG(seed, 3))
		m := &merger{watch: w, rng: rng, unit: 1, stacking: 1, stacks: true, wheeling: true, most: math.MaxInt64}
		m.init(tl, newBase(tl))
		m.begin()
		at := stacked(rng, m.without(tl, make([]bool, tl.Sections())))
		if verify.Check(p, m.expand(p, at), 0).OK() {
			before++
		}
		found, tie := newArrangement(p, m, rng).arrange(at)
		if found == nil && tie == nil {
			t.Fatal("neither a plan nor a tie")
		}
		if found != nil {
			after++
			if r := verify.Check(p, found, 0); !r.OK() {
				t.Fatalf("seed %d: %v", seed, r)
			}
		}
	}
	if t.Logf("%d before, %d after", before, after); after <= before+before/4 {
		t.Error("moves do not help")
	}
}

// TestPairsApart plans packings with pairs apart: without a technique plans are higher, with as many nodes.
func TestPairsApart(t *testing.T) {
	gaps := map[string]float64{}
	for _, without := range []string{"", "aside", "settling", "settling,loosening"} {
		for seed := range uint64(plantest.Share(12, 12, 6)) {
			p, _ := packing(t, 100, 8, seed)
			o := plan.Options{Minimize: true, NodeLimit: 3000}
			if without != "" {
				o.Without = strings.Split(without, ",")
			}
			r := plantest.Must(t, &Planner{}, p, o)
			load := timeline.New(p).LowerBound
			gaps[without] += float64(r.Height-load) / float64(load)
		}
	}
	if t.Log(gaps); gaps[""] > 0.7*gaps["aside"] || gaps["settling"] > 0.95*gaps["settling,loosening"] {
		t.Error("a technique does not help")
	}
}

// TestLoosen: the forest is as it was.
func TestLoosen(t *testing.T) {
	p, _ := packing(t, 60, 6, 1)
	tl := timeline.New(p)
	w := run.NewWatch(t.Context())
	defer w.Close()
	s := &search{
		ctx: t.Context(), watch: w, tl: tl, o: &plan.Options{}, goal: tl.LowerBound, step: 1, height: math.MaxInt64,
		set: settings{aside: true, stacks: true, settling: true, loosening: true, nodes: 10, patience: 1},
	}
	rng := rand.New(rand.NewPCG(1, 2))
	m := s.newMerger(rng, 0)
	m.begin()
	before := m.roots()
	s.tied(m, rng)
	if m.restored(before); s.nodes == 0 || len(before) == len(p.Buffers) {
		t.Errorf("%d nodes, %d roots", s.nodes, len(before))
	}
}
