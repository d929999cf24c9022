package tela

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// pathSearch returns a search that has placed eight buffers of ten, in order, at
// points 0 to 7. Point 8 is open, and nothing has been tried there.
func pathSearch(t *testing.T, o plan.Options, policy Policy) *search {
	t.Helper()
	p := &model.Problem{}
	for k := range int64(10) {
		p.Buffers = append(p.Buffers, model.Buffer{ID: fmt.Sprint(k), Upper: 20 - k, Size: 10 - k})
	}
	tl := timeline.New(p)
	var set settings
	if err := run.Bind("tela", &o, &set); err != nil {
		t.Fatal(err)
	}
	l := &limits{watch: run.NewWatch(t.Context()), steps: 1000, tick: func() {}}
	s, err := newSearch(tl, 0, &tl.Partitions[0], set, l, policy)
	if err != nil {
		t.Fatal(err)
	}
	s.enter(s.trees[0])
	if !s.engine.Reset(55) {
		t.Fatal("refuted")
	}
	if policy != nil {
		s.measure(55)
	}
	for d := range int32(9) {
		s.open(d, 0)
		if d == 8 {
			break
		}
		if j := s.candidate(d); j != d || !s.try(d, j) {
			t.Fatalf("point %d: candidate %d", d, j)
		}
		s.settle(d, d)
	}
	return s
}

// fail has point 8 have tried the candidates over the placements at points.
func (s *search) fail(candidates []int32, points ...int32) {
	p := &s.points[8]
	p.list, p.tried = candidates, int32(len(candidates))
	for _, t := range points {
		p.conflict.add(t)
	}
}

// TestRetreat has a major backtrack go to the latest point of the conflict set,
// and by one point where there is none or the technique is off.
func TestRetreat(t *testing.T) {
	for _, c := range []struct {
		without []string
		points  []int32
		want    int32
	}{
		{nil, []int32{1, 4, 2}, 4},
		{nil, []int32{0}, 0},
		{nil, []int32{7, 3}, 7},
		{nil, nil, 7},
		{[]string{"conflict-set"}, []int32{1, 4}, 7},
	} {
		s := pathSearch(t, plan.Options{Without: c.without}, nil)
		s.fail([]int32{8, 9}, c.points...)
		if got := s.backjump(8); got != c.want || s.points[c.want].jumps != 1 {
			t.Errorf("without %v, conflict set %v: went to %d, want %d", c.without, c.points, got, c.want)
		}
	}
}

// TestPromotion has what failed go in front of what its target has not tried, the
// starved buffer first, and no more wait there than may. What was tried there does
// not shut it out, but in a narrow tree.
func TestPromotion(t *testing.T) {
	for _, c := range []struct {
		name          string
		without       []string
		narrow        bool
		tried, others []int32 // at the target
		starved       int32
		want          []int32
	}{
		{"in front", nil, false, []int32{4}, []int32{5}, -1, []int32{4, 8, 9, 5}},
		{"starved", nil, false, []int32{4}, []int32{5, 6}, 7, []int32{4, 7, 8, 9}},
		{"full of tried ones", nil, false, []int32{4, 5, 6}, nil, -1, []int32{4, 5, 6, 8, 9}},
		{"not twice", nil, false, []int32{4, 8}, []int32{9}, -1, []int32{4, 8, 9}},
		{"what does not fit is dropped", nil, false, []int32{4}, []int32{5, 6, 7}, -1, []int32{4, 8, 9, 5}},
		{"narrow", nil, true, []int32{4, 5}, nil, -1, []int32{4, 5, 8}},
		{"narrow and full", nil, true, []int32{4, 5, 6}, nil, -1, []int32{4, 5, 6}},
		{"off", []string{"promotion"}, false, []int32{4}, []int32{5}, 7, []int32{4, 7, 5}},
		{"starved off", []string{"starved"}, false, []int32{4}, []int32{5}, 7, []int32{4, 8, 9, 5}},
	} {
		s := pathSearch(t, plan.Options{Without: c.without}, nil)
		s.set.narrow = c.narrow
		target := &s.points[4]
		target.list, target.tried = append(slices.Clone(c.tried), c.others...), int32(len(c.tried))
		s.fail([]int32{8, 9}, 4)
		s.points[8].starved = c.starved
		if got := s.backjump(8); got != 4 || !slices.Equal(target.list, c.want) || target.tried != int32(len(c.tried)) {
			t.Errorf("%s: went to %d, candidates %v of which %d tried, want %v", c.name, got, target.list, target.tried, c.want)
		}
	}
}

// TestStuck has the deepest point in whose subtree too much has happened give up
// its choice, where it is above the target, and it and those above it get patience.
func TestStuck(t *testing.T) {
	for _, c := range []struct {
		without []string
		late    []int32 // points whose patience is over
		want    int32
		stuck   int64
	}{
		{nil, nil, 5, 0},
		{nil, []int32{0, 1, 3}, 3, 1},
		{nil, []int32{0, 6}, 5, 0}, // deeper than the target, which leaves it anyway
		{nil, []int32{0, 5}, 5, 0},
		{[]string{"stuck"}, []int32{3}, 5, 0},
	} {
		s := pathSearch(t, plan.Options{Without: c.without}, nil)
		s.total = 60
		for _, t := range c.late {
			s.points[t].patience = 50
		}
		s.fail([]int32{8, 9}, 5)
		if got := s.backjump(8); got != c.want || s.limits.counters.Stuck != c.stuck {
			t.Errorf("without %v, late %v: went to %d, %d stuck, want %d, %d", c.without, c.late, got, s.limits.counters.Stuck,
				c.want, c.stuck)
		}
		if len(c.late) > 0 && c.stuck > 0 && (s.points[0].patience != 61+100 || s.points[4].patience != 100) {
			t.Errorf("late %v: patience %d at 0, %d at 4", c.late, s.points[0].patience, s.points[4].patience)
		}
	}
}

// chooser is a policy that returns what it is told and keeps what it was asked.
type chooser struct {
	say   func(*Major) int
	asked []Major
}

func (c *chooser) Choose(m *Major) int {
	seen := *m
	seen.Targets = slices.Clone(m.Targets)
	c.asked = append(c.asked, seen)
	return c.say(m)
}

func (*chooser) Solved(int, []Placement) {}

// TestConsult has a policy offered the conflict set, the deepest point of each
// range without one and the failed point, and followed; but not asked where the
// stuck rule leaves more than the conflict set does.
func TestConsult(t *testing.T) {
	at := func(point int32) func(*Major) int {
		return func(m *Major) int {
			return slices.IndexFunc(m.Targets, func(t Target) bool { return t.Point == point })
		}
	}
	for _, c := range []struct {
		name    string
		say     func(*Major) int
		points  []int32 // of the conflict set
		late    int32   // a point whose patience is over, -1 for none
		wide    bool
		targets []int32 // nil where the policy is not to be asked
		want    int32
	}{
		{"the range without one", at(7), []int32{1, 3}, -1, false, []int32{1, 3, 7, 8}, 7},
		{"of the conflict set", at(1), []int32{1, 3}, -1, false, []int32{1, 3, 7, 8}, 1},
		{"both ranges without", at(4), nil, -1, false, []int32{4, 7, 8}, 4},
		{"stay", at(8), []int32{6}, -1, false, []int32{4, 6, 8}, 8},
		{"spread", func(*Major) int { return Spread }, []int32{6}, -1, false, []int32{4, 6, 8}, 8},
		{"spread again", func(*Major) int { return Spread }, []int32{6}, -1, true, []int32{4, 6}, 7},
		{"rules", func(*Major) int { return Rules }, []int32{6, 2}, -1, false, []int32{2, 6, 8}, 6},
		{"leave", func(*Major) int { return Leave }, []int32{6, 2}, -1, false, []int32{2, 6, 8}, givenUp},
		{"stuck deeper", at(2), []int32{6, 2}, 7, false, []int32{2, 6, 8}, 2},
		{"stuck at the target", at(2), []int32{6, 2}, 6, false, []int32{2, 6, 8}, 2},
		{"stuck above", at(6), []int32{6, 2}, 5, false, nil, 5},
	} {
		policy := &chooser{say: c.say}
		s := pathSearch(t, plan.Options{}, policy)
		s.total = 60
		if c.late >= 0 {
			s.points[c.late].patience = 50
		}
		s.fail([]int32{8, 9}, c.points...)
		s.points[8].wide = c.wide
		got := s.backjump(8)
		var targets []int32
		for _, m := range policy.asked {
			for _, t := range m.Targets {
				targets = append(targets, t.Point)
			}
		}
		if got != c.want || !slices.Equal(targets, c.targets) {
			t.Errorf("%s: went to %d, offered %v, want %d, %v", c.name, got, targets, c.want, c.targets)
		}
		for d := range int32(8) { // asked or not, what was in the conflict set is blamed
			want := int64(0)
			if slices.Contains(c.points, d) {
				want = 1
			}
			if j := s.points[d].chosen; s.blamed[j] != want {
				t.Errorf("%s: the buffer of point %d is blamed %d times", c.name, d, s.blamed[j])
			}
		}
		if got == 8 && !s.points[8].wide {
			t.Errorf("%s: point 8 is not to try all unplaced buffers", c.name)
		}
	}
}

// leaver gives up each tree after so many backtracks, and keeps the numbers of those that
// it was asked in.
type leaver struct {
	after   int64
	trees   []int64
	narrow  []bool
	budgets []int64
}

func (l *leaver) Choose(m *Major) int {
	if n := len(l.trees); n == 0 || l.trees[n-1] != m.Tree {
		l.trees, l.narrow, l.budgets = append(l.trees, m.Tree), append(l.narrow, m.Narrow), append(l.budgets, m.Budget)
	}
	if m.Backtracks > l.after {
		return Leave
	}
	return Rules
}

func (*leaver) Solved(int, []Placement) {}

// TestLeave has a policy leave trees: the next is the one that restarts would have gone on
// to, and without restarts there is none to go to.
func TestLeave(t *testing.T) {
	p, err := gen.Generate("perfect", gen.Options{Seed: 300})
	if err != nil {
		t.Fatal(err)
	}
	tl := timeline.New(p)
	for _, c := range []struct {
		without []string
		trees   []int64
		narrow  []bool
		budgets []int64
	}{
		{[]string{"completion"}, []int64{1, 2, 3, 4, 5, 6}, []bool{false, true, true, true, false, true}, []int64{
			5000, 5000, 5000, 5000, 10000, 10000,
		}},
		{[]string{"completion", "restarts"}, []int64{1}, []bool{false}, []int64{math.MaxInt64}},
	} {
		l := &leaver{after: 50}
		o := plan.Options{Capacity: tl.LowerBound, NodeLimit: 1000, Without: c.without}
		if _, err := run.Run(t.Context(), Planner{Policy: l}, tl, o); err != nil {
			t.Fatal(err)
		}
		if n := len(c.trees); n > 1 { // there are as many as there are steps for
			n = min(n, len(l.trees))
			l.trees, l.narrow, l.budgets = l.trees[:n], l.narrow[:n], l.budgets[:n]
		}
		if !slices.Equal(l.trees, c.trees) || !slices.Equal(l.narrow, c.narrow) || !slices.Equal(l.budgets, c.budgets) {
			t.Errorf("without %v: trees %v, narrow %v, budgets %v", c.without, l.trees, l.narrow, l.budgets)
		}
	}
}

// TestHeeded has a tree that has run out searched again by the rules where a policy has
// been followed in it, and not where that has said what they say.
func TestHeeded(t *testing.T) {
	p, err := gen.Generate("pinwheel", gen.Options{Seed: 6003})
	if err != nil {
		t.Fatal(err)
	}
	tl := timeline.New(p)
	search := func(policy Policy) (c Counters) {
		o := plan.Options{Capacity: tl.LowerBound, NodeLimit: 20000, Without: []string{"completion"}}
		if _, err := run.Run(t.Context(), Planner{Policy: policy, Counters: &c}, tl, o); err != nil {
			t.Fatal(err)
		}
		return c
	}
	none, rules := search(nil), search(&chooser{say: func(*Major) int { return Rules }})
	if none != rules {
		t.Errorf("without a policy %+v, with one that follows the rules %+v", none, rules)
	}
	// Of a policy that is followed in the first tree, the second one that it is asked in is
	// the third: the one between is the first again, by the rules.
	once := &chooser{say: func(m *Major) int {
		if m.Tree == 1 && m.Backtracks < 20 {
			return Spread
		}
		return Rules
	}}
	search(once)
	var trees []int64
	for k := range once.asked {
		trees = append(trees, once.asked[k].Tree)
	}
	if trees = slices.Compact(trees); len(trees) < 2 || trees[1] != 3 {
		t.Errorf("it is asked in the trees %v", trees)
	}
}

// TestOtherPhases has a point try the candidates of other phases when those of its
// own have failed, however many these are.
func TestOtherPhases(t *testing.T) {
	// Two peaks with a trough between them; in each the longest, the largest and
	// the widest buffer are three.
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "long", Lower: 0, Upper: 9, Size: 1},
		{ID: "large", Lower: 3, Upper: 4, Size: 9},
		{ID: "wide", Lower: 1, Upper: 6, Size: 4},
		{ID: "bridge", Lower: 8, Upper: 12, Size: 1},
		{ID: "long2", Lower: 11, Upper: 20, Size: 1},
		{ID: "large2", Lower: 13, Upper: 14, Size: 8},
		{ID: "wide2", Lower: 12, Upper: 17, Size: 3},
	}}
	tl := timeline.New(p)
	for _, c := range []struct {
		narrow bool
		want   []string
	}{
		{false, []string{"long", "large", "wide", "long2", "large2", "wide2", "bridge"}},
		{true, []string{"long", "large", "wide"}},
	} {
		var set settings
		if err := run.Bind("tela", &plan.Options{}, &set); err != nil {
			t.Fatal(err)
		}
		set.narrow = c.narrow
		s, err := newSearch(tl, 0, &tl.Partitions[0], set, &limits{watch: run.NewWatch(t.Context())}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.enter(s.trees[0])
		s.open(0, 0)
		var got []string
		for j := s.candidate(0); j >= 0; j = s.candidate(0) {
			got = append(got, p.Buffers[s.part.Buffers[j]].ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("narrow %t: %v, want %v", c.narrow, got, c.want)
		}
	}
}

// TestStrategyAlone has the strategies of figure 14 be the engine and a selection.
func TestStrategyAlone(t *testing.T) {
	for _, name := range []string{"lifetime", "size", "area", "lowest"} {
		var set settings
		if err := run.Bind("tela", &plan.Options{Params: map[string]string{"strategy": name}}, &set); err != nil {
			t.Fatal(err)
		}
		if set.sections || set.twins || set.starved || set.promotion || set.conflictSet || set.stuck || set.grouping ||
			len(treesOf(set)) != 1 {
			t.Errorf("%s: %+v", name, set.switches)
		}
		if !set.solverPlacement || !set.partitions {
			t.Errorf("%s: %+v: without what the paper leaves as it is", name, set.switches)
		}
	}
}
