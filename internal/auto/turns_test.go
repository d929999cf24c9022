package auto

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/engine"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// turnsOf returns the turns of a run as --why prints them, up to the end of the first round.
func turnsOf(t *testing.T, p *model.Problem, o plan.Options) (turns []string) {
	o.Turns = func(turn plan.Turn) {
		if turn.Round < 2 {
			turns = append(turns, turn.Planner+": "+turn.Reason)
		}
	}
	planned(t, "auto", context.Background(), timeline.New(p), o)
	return turns
}

// TestTurnsOfClasses has the turns of a run in their order, for a problem of each class whose turns differ. No plan
// ends these runs early, so each turn comes. A node limit keeps them short. For a capacity that is too full for
// heuristics, merge and exact search come before them.
func TestTurnsOfClasses(t *testing.T) {
	const (
		start  = "heuristics: a plan to start from"
		quick  = "heuristics: quick orders"
		more   = "heuristics: more quick orders"
		rest   = "heuristics: the remaining orders"
		longer = "heuristics: orders that take longer"
		look   = ": a short look before the remaining orders"
		round  = ": the next in the round"
	)
	for _, c := range []struct {
		name    string
		buffers int
		full    bool // asked for the load, which is too full for heuristics
		want    []string
	}{
		{"exact looks", 20, false, []string{start, quick, "exact" + look, rest, "exact" + round, "climb" + round}},
		{"few for merge", 20, true, []string{start, quick, "exact" + look, rest, "exact" + round, "climb" + round}},
		{
			"merge and exact look", 100, false,
			[]string{start, quick, "merge" + look, "exact" + look, rest, "beam" + round, "merge" + round, "exact" + round, "beam" + round, "climb" + round},
		},
		{
			"merge and exact look first", 100, true,
			[]string{start, "merge" + look, "exact" + look, rest, "beam" + round, "merge" + round, "exact" + round, "beam" + round, "climb" + round},
		},
		{
			"the quickest orders first", 1200, false,
			[]string{start, quick, more, "merge" + look, rest, longer, "beam" + round, "merge" + round, "exact" + round, "climb" + round},
		},
		{
			"two helpings of orders before the round", 6000, false,
			[]string{start, quick, more, "merge" + look, rest, longer, longer, "beam" + round, "merge" + round, "climb" + round},
		},
	} {
		p := generate(t, "infeasible", gen.Options{Buffers: c.buffers, Horizon: int64(min(c.buffers, 300)), Seed: 1}).Problem
		o := plan.Options{NodeLimit: 64}
		if c.full {
			o.Capacity = timeline.New(p).LowerBound
		}
		if got := turnsOf(t, p, o); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q\nwant %q", c.name, got, c.want)
		}
	}
}

// even returns n buffers with any size that begin at any time, and live up to a fifth of the time: nine tenths of
// memory are in use on average.
func even(n int) *model.Problem {
	rng := rand.New(rand.NewPCG(1, 2))
	p := &model.Problem{}
	for i := range n {
		lower := rng.Int64N(1000)
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: strconv.Itoa(i), Lower: lower, Upper: min(1000, lower+1+rng.Int64N(200)), Size: 1 + rng.Int64N(1000),
		})
	}
	return p
}

// TestPeaksFirst: with a limit climb plans the peaks first, once, right after the look of rows. It does not without a
// limit, or if there are few buffers.
func TestPeaksFirst(t *testing.T) {
	for _, c := range []struct {
		buffers int
		limit   int64
		want    []string
	}{
		{1200, 64, []string{"rows: " + shortLook, "climb: the peaks first"}},
		{1000, 64, nil},
		{1200, 0, nil},
	} {
		o := plan.Options{NodeLimit: c.limit}
		if c.limit == 0 {
			o.Without = []string{"exact", "merge", "beam"}
		}
		turns := turnsOf(t, even(c.buffers), o)
		var got []string
		for k, turn := range turns {
			if turn == "climb: "+peaksFirst {
				got = append(got, turns[k-1], turn)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d buffers, limit %d: %q, want %q", c.buffers, c.limit, got, c.want)
		}
	}
}

// TestClimbBeforeBeam: climb comes before beam where many buffers are live at once and memory is not full at almost all
// times. Of more than LargeAbove buffers beam has no turn then. Of fewer than CoresLeast beam is first.
func TestClimbBeforeBeam(t *testing.T) {
	for _, c := range []struct {
		buffers int
		want    string
	}{{1000, "beam climb"}, {1200, "climb beam"}, {thresholds.LargeAbove + 1, "climb"}} {
		var got []string
		for _, turn := range turnsOf(t, even(c.buffers), plan.Options{NodeLimit: 48, Without: []string{"heuristics"}}) {
			planner, reason, _ := strings.Cut(turn, ": ")
			if reason == nextInRound && (planner == "beam" || planner == "climb") {
				got = append(got, planner)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%d buffers: %q, want %q", c.buffers, got, c.want)
		}
	}
}

// TestClimbBeforeOrders: of more than HugeAbove buffers climb has its turn before any order that takes long.
func TestClimbBeforeOrders(t *testing.T) {
	p := generate(t, "infeasible", gen.Options{Buffers: 60, Horizon: 60, Seed: 1}).Problem
	for i := range thresholds.HugeAbove {
		at := int64(100 + i)
		p.Buffers = append(p.Buffers, model.Buffer{ID: "small" + strconv.Itoa(i), Lower: at, Upper: at + 1, Size: 1})
	}
	p.Capacity = 0
	turns := turnsOf(t, p, plan.Options{NodeLimit: 64})
	climb, orders := slices.Index(turns, "climb: the next in the round"), slices.Index(turns, "heuristics: orders that take longer")
	if climb < 0 || orders >= 0 && orders < climb {
		t.Errorf("%q", turns)
	}
}

// TestTurnAtPeak has climb plan the peak of 1,500 buffers right after the quickest heuristics,
// whose plan is within a fiftieth of the bound.
func TestTurnAtPeak(t *testing.T) {
	p := generate(t, "random", gen.Options{Buffers: 1500, Seed: 3}).Problem
	got := turnsOf(t, p, plan.Options{NodeLimit: 8})
	want := []string{
		"heuristics: a plan to start from", "heuristics: quick orders", "climb: the plan is close to the bound: its peak",
	}
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("%q\nwant %q first", got, want)
	}
}

// TestFull checks the two conditions under which a capacity of 80 is too full for heuristics: first-fit ends above 80
// + 80/8, and two thirds of 80 are in use on average.
func TestFull(t *testing.T) {
	for _, c := range []struct {
		height, capacity int64
		load             []int64
		want             bool
	}{
		{91, 80, []int64{80, 54, 27}, true}, // 161 of 240
		{90, 80, []int64{80, 54, 27}, false},
		{91, 80, []int64{80, 54, 25}, false}, // 159 of 240
		{91, 0, []int64{80, 54, 27}, false},  // no capacity is asked for
	} {
		a := &auto{height: c.height, tl: &timeline.Timeline{Load: c.load}}
		if got := a.full(c.capacity); got != c.want {
			t.Errorf("height %d, capacity %d, load %d: full is %v", c.height, c.capacity, c.load, got)
		}
	}
}

// TestBeamHasTurns: beam has turns if two thirds of the bound are in use on average, and no buffer has a gap or a fixed
// offset. The memory of the first problem is full until 10, and then as full as tail says until 20.
func TestBeamHasTurns(t *testing.T) {
	for _, c := range []struct {
		tail  int64
		fixed bool
		want  bool
	}{{34, false, true}, {34, true, false}, {32, false, false}} {
		p := generate(t, "infeasible", gen.Options{Buffers: 60, Horizon: 60, Seed: 1}).Problem
		if c.fixed {
			p.Buffers[0].Fixed = new(int64)
		}
		tl := timeline.New(p)
		tl.Load = []int64{tl.LowerBound, tl.LowerBound * c.tail / 100}
		a := &auto{tl: tl, n: 60}
		if got := a.crowded(); got != c.want {
			t.Errorf("tail %d, fixed %v: beam has turns: %v", c.tail, c.fixed, got)
		}
	}
}

// TestRowsHasTurns: rows looks at a problem of many buffers before the orders that are left, has a turn before climb,
// and lowers plans; not where memory is full at almost all times, nor if a buffer has a gap.
func TestRowsHasTurns(t *testing.T) {
	o := plan.Options{NodeLimit: 3000}
	p := even(2000)
	lowered, height := false, int64(0)
	o.Turns = func(u plan.Turn) {
		lowered, height = lowered || u.Planner == "rows" && u.Height < height, u.Height
	}
	planned(t, "auto", context.Background(), timeline.New(p), o)
	if !lowered {
		t.Error("rows lowers no plan")
	}
	o.Turns = nil
	for i := range p.Buffers {
		p.Buffers[i].Alignment = []int64{1, 512}[i%2] // no plan is at the bound
	}
	turns := turnsOf(t, p, o)
	look, orders := slices.Index(turns, "rows: "+shortLook), slices.Index(turns, "heuristics: the remaining orders")
	row, climb := slices.Index(turns, "rows: "+nextInRound), slices.Index(turns, "climb: "+nextInRound)
	if look < 0 || look > orders || row < orders || row > climb {
		t.Errorf("%q", turns)
	}
	p.Buffers[0].Lower, p.Buffers[0].Upper, p.Buffers[0].Gaps = 0, 9, []model.Gap{{Lower: 4, Upper: 5}}
	for name, p := range map[string]*model.Problem{"gaps": p, "full": fullOfTwo(1200)} {
		if turns := turnsOf(t, p, plan.Options{NodeLimit: 1000}); slices.ContainsFunc(turns, func(s string) bool {
			return strings.HasPrefix(s, "rows")
		}) {
			t.Errorf("%s: %q", name, turns)
		}
	}
}

// mixedAlignments is a problem where exact search learns.
func mixedAlignments(t *testing.T) *timeline.Timeline {
	t.Helper()
	p := generate(t, "random", gen.Options{Buffers: 60, Horizon: 60, MinLife: 10, MaxLife: 30, MaxSize: 200, Seed: 3}).Problem
	p.Capacity = 0
	for i := range p.Buffers {
		p.Buffers[i].Alignment = []int64{12, 18, 20, 45}[i%4]
	}
	tl := timeline.New(p)
	if !engine.Learns(tl) {
		t.Fatal("exact does not learn")
	}
	return tl
}

// TestLearningIsBrief: where exact search learns, its first turn is a small part of what it has elsewhere, and climb
// has a turn after it.
func TestLearningIsBrief(t *testing.T) {
	tl := mixedAlignments(t)
	var exact, climb int64
	o := plan.Options{NodeLimit: 100_000_000, Minimize: true}
	ctx, end := context.WithCancel(context.Background())
	defer end()
	o.Turns = func(turn plan.Turn) {
		switch {
		case turn.Reason == nextInRound && turn.Planner == "exact" && turn.Round == 1:
			exact = turn.NodeLimit
		case turn.Reason == nextInRound && turn.Planner == "climb":
			climb = turn.NodeLimit
			end()
		}
	}
	planned(t, "auto", ctx, tl, o)
	if exact == 0 || exact > affordable(tl)/learnShare || climb == 0 {
		t.Errorf("exact has %d nodes of %d in its first turn, and climb %d", exact, affordable(tl), climb)
	}
}

// TestBeamBriefly: where exact search learns beam has the first turn of each round. The next one has four times the
// nodes if it has lowered the plan, else twice.
func TestBeamBriefly(t *testing.T) {
	tl := mixedAlignments(t)
	ctx, end := context.WithCancel(context.Background())
	defer end()
	var last, height int64
	round, turns, lowered, first := 0, 0, 0, ""
	o := plan.Options{NodeLimit: 100_000_000, Minimize: true}
	o.Turns = func(u plan.Turn) {
		if turns == 3 {
			return // the end was asked for
		}
		if u.Round > round {
			round, first = u.Round, u.Planner
		}
		if u.Planner == "beam" {
			if turns++; first != "beam" || last != 0 && (u.NodeLimit < last || u.NodeLimit > last+beamShare) {
				t.Errorf("round %d: %s is first, %d nodes in place of %d", round, first, u.NodeLimit, last)
			}
			if last = 2 * u.NodeLimit; u.Height < height {
				last *= 2
				lowered++
			}
			if turns == 3 {
				end()
			}
		}
		height = u.Height
	}
	planned(t, "auto", ctx, tl, o)
	if turns < 3 || lowered == 0 {
		t.Errorf("beam has %d turns, of which %d lower the plan", turns, lowered)
	}
}

// TestFullLeavesMerge: in a memory of two sizes that is full at all times groups are few, and merge does not go on
// after its look.
func TestFullLeavesMerge(t *testing.T) {
	p := fullOfTwo(600)
	o := plan.Options{NodeLimit: 2_000, Minimize: true}
	turns := turnsOf(t, p, o)
	if slices.Contains(turns, "merge: the groups are few") || !slices.ContainsFunc(turns, func(s string) bool { return strings.HasPrefix(s, "beam") }) {
		t.Errorf("%q", turns)
	}
}

// TestOrder: beam is the first in a round where memory is full at almost all times, from fewer buffers on than
// elsewhere.
func TestOrder(t *testing.T) {
	const first, third = "beam", "tela"
	for _, c := range []struct {
		name    string
		problem *model.Problem
		repairs bool
		want    string
	}{
		{"full", fullOfTwo(thresholds.BeamFullLeast), false, first},
		{"full, fewer", fullOfTwo(thresholds.BeamFullLeast - 20), false, third},
		{"not full", even(thresholds.BeamFirstLeast - 1), false, third},
		{"not full, more", even(thresholds.BeamFirstLeast), false, first},
		{"climb repairs", even(thresholds.CoresLeast), true, third},
	} {
		tl := timeline.New(c.problem)
		a := auto{tl: tl, n: int64(len(c.problem.Buffers))}
		all := settings{merge: true, tela: true, exact: true, rows: true, beam: true, climb: true}
		a.class = all.policy(a.n, a.packed)
		order := a.order(c.repairs, false)
		if got := order[0].names(); got != c.want || (order[5] == beaming) != c.repairs {
			t.Errorf("%s: %s first, %s last", c.name, got, order[5].names())
		}
	}
}

// TestBeamGoesOn: in a memory that is full at all times beam has turns as long as they lower the plan.
func TestBeamGoesOn(t *testing.T) {
	var last plan.Turn
	lowered, again, height := false, 0, int64(0)
	o := plan.Options{NodeLimit: 3_000, Minimize: true}
	o.Turns = func(u plan.Turn) {
		if u.Planner == "beam" && last.Planner == "beam" && u.Round == last.Round {
			if again++; !lowered {
				t.Errorf("round %d: beam goes on after a turn without gain", u.Round)
			}
		} else if last.Planner == "beam" && lowered {
			t.Errorf("round %d: %s after a turn of beam that lowered the plan", u.Round, u.Planner)
		}
		lowered, height, last = u.Height < height, u.Height, u
	}
	planned(t, "auto", context.Background(), timeline.New(fullOfTwo(600)), o)
	if again == 0 {
		t.Error("beam never goes on")
	}
}

// fullOfTwo draws n buffers of the sizes 2 and 3 in a memory of 100 bytes that is full at all times.
func fullOfTwo(n int) *model.Problem {
	r := rand.New(rand.NewPCG(44, 1))
	p, used, ends := &model.Problem{}, int64(0), map[int64]int64{}
	for at := int64(0); len(p.Buffers) < n; at++ {
		for used -= ends[at]; used <= 98; {
			size := 2 + r.Int64N(min(2, 99-used))
			b := model.Buffer{ID: strconv.Itoa(len(p.Buffers)), Lower: at, Upper: at + 1 + r.Int64N(24), Size: size}
			p.Buffers, used, ends[b.Upper] = append(p.Buffers, b), used+size, ends[b.Upper]+size
		}
	}
	return p
}
