package barrier_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the brute force knows no pieces, no spans and no reduction. It cuts time at every change, so a use is a
// buffer in one of these intervals. It lists every pair of uses in which the second takes over a byte. Each pair must
// follow from the waits. Without any one wait, some pair must no longer follow. With a period it writes out seven
// turns, and looks at the ones in the middle.

const turns = 7 // that are written out if time repeats

// instant is a buffer in an interval in which nothing changes.
type instant struct {
	buffer       int
	lower, upper int64
	pool         int32
	from, to     int64
	turn         int64
	begun, ends  int64 // since when, and until when, the buffer uses the same bytes
}

// instants returns what every buffer uses in every interval, in the order of time.
func instants(p *model.Problem, made *model.Plan) []instant {
	period, copies := int64(0), 1
	if p.Rules != nil && p.Rules.Period > 0 {
		period, copies = p.Rules.Period, turns
	}
	var cuts []int64
	parts := map[int][]model.Part{}
	for _, x := range made.Parts {
		parts[int(x.Buffer)] = x.Parts
	}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		of := []int64{b.Lower, b.Upper}
		for _, g := range b.Gaps {
			of = append(of, g.Lower, g.Upper)
		}
		for _, x := range parts[i] {
			of = append(of, x.Lower, x.Upper)
		}
		for turn := range int64(copies) {
			for _, at := range of {
				cuts = append(cuts, at+turn*period)
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var all []instant
	for k := 0; k+1 < len(cuts); k++ {
		for i := range p.Buffers {
			for turn := range int64(copies) {
				now := cuts[k] - turn*period
				x := instant{buffer: i, lower: cuts[k], upper: cuts[k+1], pool: made.PoolOf(i), turn: turn}
				at := made.Offsets[i]
				if mine, ok := parts[i]; ok {
					in := slices.IndexFunc(mine, func(q model.Part) bool { return q.Lower <= now && now < q.Upper })
					if in < 0 {
						continue
					}
					x.pool, at = mine[in].Pool, mine[in].Offset
				}
				if from, to := oracle.Used(&p.Buffers[i], now); from < to {
					x.from, x.to = at+from, at+to
					all = append(all, x)
				}
			}
		}
	}
	stretch(all)
	return all
}

// stretch joins instants that follow one another with the same bytes.
func stretch(all []instant) {
	for k := range all {
		all[k].begun, all[k].ends = all[k].lower, all[k].upper
	}
	for changed := true; changed; {
		changed = false
		for x := range all {
			for y := range all {
				a, b := &all[x], &all[y]
				if a.upper == b.lower && a.buffer == b.buffer && a.turn == b.turn && a.pool == b.pool && a.from == b.from &&
					a.to == b.to && (a.ends != b.ends || a.begun != b.begun) {
					a.ends, b.begun, changed = b.ends, a.begun, true
				}
			}
		}
	}
}

// follows returns, for each use, the uses that it comes after by the given steps, in one step or several.
func follows(n int, step func(x, y int) bool) [][]bool {
	after := make([][]bool, n)
	for y := range n {
		after[y] = make([]bool, n)
		for x := range n {
			after[y][x] = step(x, y)
		}
	}
	for z := range n {
		for y := range n {
			if after[y][z] {
				for x := range n {
					after[y][x] = after[y][x] || after[z][x]
				}
			}
		}
	}
	return after
}

// judge says what is wrong with the waits of a plan, or "".
func judge(p *model.Problem, made *model.Plan, waits []plan.Wait) string {
	clocks := p.Rules != nil && p.Rules.Threads > 0
	period := int64(0)
	if p.Rules != nil {
		period = p.Rules.Period
	}
	all := instants(p, made)
	if clocks {
		all = nil
		for i := range p.Buffers {
			b := &p.Buffers[i]
			all = append(all, instant{
				buffer: i, lower: b.Lower, upper: b.Upper, pool: made.PoolOf(i), from: made.Offsets[i],
				to: made.Offsets[i] + b.Size,
			})
		}
	}
	before := func(x, y int) bool {
		if clocks {
			return x != y && p.Buffers[x].Extra.Clocks.Before(p.Buffers[y].Extra.Clocks)
		}
		return all[x].upper <= all[y].lower
	}
	own := func(x, y int) bool { return all[x].buffer == all[y].buffer && before(x, y) }
	share := func(x, y int) bool {
		a, b := &all[x], &all[y]
		return a.buffer != b.buffer && a.pool == b.pool && a.from < b.to && b.from < a.to && before(x, y) &&
			(clocks || a.ends <= b.begun)
	}
	told := func(but int) func(x, y int) bool {
		return func(x, y int) bool {
			return own(x, y) || slices.ContainsFunc(waits, func(w plan.Wait) bool {
				if but >= 0 && w == waits[but] || all[y].buffer != w.Buffer || all[x].buffer != w.For {
					return false
				}
				if period == 0 {
					return w.Turn == 0 && all[y].lower == w.At && all[x].upper == w.Until
				}
				turn := (all[y].lower - w.At) / period
				return all[y].lower == w.At+turn*period && all[x].upper == w.Until+(turn+int64(w.Turn))*period
			})
		}
	}
	inside := func(y int) bool { // of a turn that has enough turns around it
		return period == 0 || all[y].lower >= 3*period && all[y].lower < 5*period
	}
	missing := func(but int) (x, y int) {
		after := follows(len(all), told(but))
		for y := range all {
			for x := range all {
				if inside(y) && (period == 0 || all[x].lower >= period) && share(x, y) && !after[y][x] {
					return x, y
				}
			}
		}
		return -1, -1
	}
	for k, w := range waits {
		if k > 0 && waits[k-1] == w {
			return fmt.Sprint("twice: ", w)
		}
		step := told(-1)
		found := false
		for y := range all {
			for x := range all {
				found = found || share(x, y) && step(x, y) && all[y].buffer == w.Buffer && all[x].buffer == w.For
			}
		}
		if !found {
			return fmt.Sprint("takes over no byte: ", w)
		}
		if x, _ := missing(k); x < 0 {
			return fmt.Sprint("not needed: ", w)
		}
	}
	if x, y := missing(-1); x >= 0 {
		return fmt.Sprintf("%v takes bytes over from %v, and no wait says so", all[y], all[x])
	}
	return ""
}

// ask plans a problem and judges the waits. It returns how many there are, or -1 if there is no plan.
func ask(t *testing.T, p *model.Problem, planner string) int {
	t.Helper()
	r, err := stowage.Solve(context.Background(), p, stowage.Options{Planner: planner, NodeLimit: 2000})
	if err != nil || !r.Status.HasPlan() {
		return -1
	}
	waits, err := stowage.Barriers(p, &r.Plan)
	if err != nil {
		t.Fatalf("%v\n%s", err, drawn.DescribeRuled(p))
	}
	if fault := judge(p, &r.Plan, waits); fault != "" {
		t.Fatalf("%s\n%v\n%v\n%s", fault, waits, r.Plan, drawn.DescribeRuled(p))
	}
	return len(waits)
}

// TestBarriers compares the waits of random plans with the brute force, with every feature of the model.
func TestBarriers(t *testing.T) {
	cases := 400
	if testing.Short() {
		cases = 100
	}
	r := rand.New(rand.NewPCG(1, 26))
	waits, plans := map[string]int{}, 0
	count := func(p *model.Problem, n int) {
		if n < 0 {
			return
		}
		plans++
		for _, feature := range append(drawn.FeaturesOf(p), "plain") {
			waits[feature] += n
		}
	}
	for seed := range uint64(cases) {
		p := drawn.Tiny(seed)
		count(p, ask(t, p, []string{"first-fit", "exact"}[seed%2]))
		p = drawn.Ruled(r)
		count(p, ask(t, p, "auto"))
		p = drawn.Broad(r, drawn.RuledFeatures[int(seed)%len(drawn.RuledFeatures)])
		count(p, ask(t, p, "auto"))
	}
	for _, feature := range append([]string{"plain"}, drawn.RuledFeatures...) {
		if waits[feature] < 10 {
			t.Errorf("%d waits in problems with %s", waits[feature], feature)
		}
	}
	t.Logf("%d plans, waits %v", plans, waits)
}

// TestBarriersDense has longer chains: up to 12 buffers in few bytes, with gaps and windows, at offsets drawn at
// random and then settled by the planner.
func TestBarriersDense(t *testing.T) {
	cases := 60
	if testing.Short() {
		cases = 40
	}
	r := rand.New(rand.NewPCG(2, 26))
	for range cases {
		p := &model.Problem{}
		period := int64(0)
		if r.IntN(3) == 0 {
			period = r.Int64N(8) + 4
			p.Rules = &model.Rules{Period: period}
		}
		for i := range 4 + r.IntN(9) {
			lower := r.Int64N(max(period, 12))
			if period > 0 {
				lower %= period
			}
			b := model.Buffer{
				ID: fmt.Sprint("b", i), Lower: lower, Upper: lower + 1 + r.Int64N(min(4, max(period, 4))), Size: 1 + r.Int64N(4),
			}
			if b.Upper-b.Lower > 2 && r.IntN(2) == 0 {
				gap := model.Gap{Lower: b.Lower + 1, Upper: b.Upper - 1}
				if b.Size > 1 && r.IntN(2) == 0 {
					gap.Window = &model.Window{Lower: r.Int64N(b.Size), Upper: b.Size}
				}
				b.Gaps = []model.Gap{gap}
			}
			p.Buffers = append(p.Buffers, b)
		}
		if ask(t, p, "auto") < 0 {
			t.Fatal("no plan", drawn.DescribeRuled(p))
		}
	}
}

// TestBarriersByHand has an example of each reason for a wait, and for leaving one out.
func TestBarriersByHand(t *testing.T) {
	buffer := func(id string, lower, upper, size int64, gaps ...model.Gap) model.Buffer {
		return model.Buffer{ID: id, Lower: lower, Upper: upper, Size: size, Gaps: gaps}
	}
	for _, c := range []struct {
		name    string
		buffers []model.Buffer
		rules   *model.Rules
		offsets []int64
		want    []plan.Wait
	}{
		{"nothing is shared", []model.Buffer{buffer("a", 0, 1, 4), buffer("b", 1, 2, 4)}, nil, []int64{0, 4}, nil},
		{"ends touch", []model.Buffer{buffer("a", 0, 1, 4), buffer("b", 1, 2, 4)}, nil, []int64{0, 3}, []plan.Wait{
			{Buffer: 1, At: 1, Until: 1},
		}},
		{
			"a chain leads over b",
			[]model.Buffer{buffer("a", 0, 1, 4), buffer("b", 1, 2, 2), buffer("c", 2, 3, 4)},
			nil,
			[]int64{0, 0, 0},
			[]plan.Wait{{Buffer: 1, At: 1, Until: 1}, {Buffer: 2, At: 2, For: 1, Until: 2}},
		},
		{
			"the chain leads over bytes that a and c do not share",
			[]model.Buffer{buffer("a", 0, 1, 6), buffer("b", 1, 2, 8), buffer("c", 2, 3, 4), buffer("d", 3, 4, 6)},
			nil,
			[]int64{0, 4, 8, 2},
			[]plan.Wait{{Buffer: 1, At: 1, Until: 1}, {Buffer: 2, At: 2, For: 1, Until: 2}, {Buffer: 3, At: 3, For: 1, Until: 2}},
		},
		{
			"bytes lent in a gap come back",
			[]model.Buffer{buffer("a", 0, 9, 4, model.Gap{Lower: 2, Upper: 7}), buffer("b", 3, 5, 4)},
			nil,
			[]int64{0, 0},
			[]plan.Wait{{Buffer: 0, At: 7, For: 1, Until: 5}, {Buffer: 1, At: 3, Until: 2}},
		},
		{
			"a window keeps its bytes",
			[]model.Buffer{
				buffer("a", 0, 9, 4, model.Gap{Lower: 2, Upper: 7, Window: &model.Window{Lower: 0, Upper: 2}}),
				buffer("b", 3, 5, 2),
			},
			nil,
			[]int64{0, 2},
			[]plan.Wait{{Buffer: 0, At: 7, For: 1, Until: 5}, {Buffer: 1, At: 3, Until: 2}},
		},
		{
			"a turn waits for the one before",
			[]model.Buffer{buffer("a", 0, 2, 4), buffer("b", 2, 5, 4)},
			&model.Rules{Period: 6},
			[]int64{0, 0},
			[]plan.Wait{{Buffer: 0, At: 0, For: 1, Until: 5, Turn: -1}, {Buffer: 1, At: 2, Until: 2}},
		},
		{
			"a result over its operand does not wait for it, and both are waited for",
			[]model.Buffer{buffer("a", 0, 4, 4), buffer("b", 1, 2, 4), buffer("c", 4, 5, 4)},
			&model.Rules{MayOverlap: []model.Pair{{0, 1}}},
			[]int64{0, 0, 0},
			[]plan.Wait{{Buffer: 2, At: 4, Until: 4}, {Buffer: 2, At: 4, For: 1, Until: 2}},
		},
	} {
		p := &model.Problem{Buffers: c.buffers, Rules: c.rules}
		waits, err := stowage.Barriers(p, &model.Plan{Offsets: c.offsets})
		if err != nil || !slices.Equal(waits, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.name, waits, err, c.want)
		}
		if fault := judge(p, &model.Plan{Offsets: c.offsets}, c.want); fault != "" {
			t.Errorf("%s: the brute force says: %s", c.name, fault)
		}
	}
}

// TestBarriersFaults refuses what is no plan.
func TestBarriersFaults(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{{ID: "a", Upper: 2, Size: 4}, {ID: "b", Lower: 1, Upper: 3, Size: 4}}}
	for _, c := range []struct {
		p    *model.Problem
		made *model.Plan
		want string
	}{
		{p, nil, "plan: there is no plan: it is nil"},
		{p, &model.Plan{}, "plan: the plan has 0 offsets, but the problem has 2 buffers"},
		{p, &model.Plan{Offsets: []int64{0, 0}}, `plan: buffers "a" (size 4 at offset 0) and "b" (size 4 at offset 0) both use bytes [0, 4) at times [1, 2)`},
		{nil, &model.Plan{}, "the problem is nil"},
	} {
		if _, err := stowage.Barriers(c.p, c.made); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// BenchmarkBarriers lists the waits of a plan of 100,000 buffers.
func BenchmarkBarriers(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 26))
	p := &model.Problem{}
	for i := range 100_000 {
		lower := r.Int64N(100_000)
		p.Buffers = append(p.Buffers,
			model.Buffer{ID: fmt.Sprint(i), Lower: lower, Upper: lower + 1 + r.Int64N(100), Size: 1 + r.Int64N(1<<16)})
	}
	made := must.Get(stowage.Solve(context.Background(), p, stowage.Options{Planner: "first-fit"}))(b)
	for b.Loop() {
		waits := must.Get(stowage.Barriers(p, &made.Plan))(b)
		b.ReportMetric(float64(len(waits)), "waits")
	}
}
