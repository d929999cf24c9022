package tela

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// pathSearch returns a search that has placed eight buffers of ten, in order, at
// points 0 to 7. Point 8 is open, and nothing has been tried there.
func pathSearch(t *testing.T, o plan.Options) *search {
	t.Helper()
	p := &model.Problem{}
	for k := range int64(10) {
		p.Buffers = append(p.Buffers, model.Buffer{ID: fmt.Sprint(k), Upper: 20 - k, Size: 10 - k})
	}
	tl := timeline.New(p)
	var set settings
	must.Do(t, run.Bind("tela", &o, &set))
	l := &limits{watch: run.NewWatch(t.Context()), steps: 1000, tick: func() {}}
	s := must.Get(newSearch(tl, &tl.Partitions[0], set, l))(t)
	s.enter(s.trees[0])
	if !s.engine.Reset(55) {
		t.Fatal("refuted")
	}
	for d := range int32(9) {
		s.open(d, 0)
		if d == 8 {
			break
		}
		if j := s.candidate(d); j != d || !s.try(d, j) {
			t.Fatalf("point %d: candidate %d", d, j)
		}
		s.unlink(d, d)
	}
	return s
}

// fail lets point 8 fail with its candidates, because of the placements at points.
func (s *search) fail(candidates []int32, points ...int32) {
	p := &s.points[8]
	p.list, p.tried = candidates, int32(len(candidates))
	for _, t := range points {
		p.conflict.add(t)
	}
}

// TestRetreat: a major backtrack goes to the latest point of the conflict set. If there is none, or the technique is
// off, it goes back by one point.
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
		s := pathSearch(t, plan.Options{Without: c.without})
		s.fail([]int32{8, 9}, c.points...)
		if got := s.backjump(8); got != c.want {
			t.Errorf("without %v, conflict set %v: went to %d, want %d", c.without, c.points, got, c.want)
		}
	}
}

// TestPromotion: failed candidates go in front of the target's untried ones, the starved buffer first, up to a limit.
// Candidates already tried at the target may be tried again, except in a narrow tree.
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
		s := pathSearch(t, plan.Options{Without: c.without})
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

// TestStuck: the deepest point with too many backtracks in its subtree gives up its choice, if it is above the
// target. That point and the points above it get more patience.
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
		s := pathSearch(t, plan.Options{Without: c.without})
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

// TestOtherPhases: a point tries the candidates of other phases after all of its own have failed.
func TestOtherPhases(t *testing.T) {
	// Two peaks with a trough between them; in each the longest, the largest and the widest buffer are three.
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
		must.Do(t, run.Bind("tela", &plan.Options{}, &set))
		set.narrow = c.narrow
		s := must.Get(newSearch(tl, &tl.Partitions[0], set, &limits{watch: run.NewWatch(t.Context())}))(t)
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

// TestStrategyAlone: the strategies of figure 14 are the engine with one selection each.
func TestStrategyAlone(t *testing.T) {
	for _, name := range []string{"lifetime", "size", "area", "lowest"} {
		var set settings
		must.Do(t, run.Bind("tela", &plan.Options{Params: map[string]string{"strategy": name}}, &set))
		if set.sections || set.twins || set.starved || set.promotion || set.conflictSet || set.stuck || set.grouping ||
			len(treesOf(set)) != 1 {
			t.Errorf("%s: %+v", name, set.switches)
		}
		if !set.solverPlacement || !set.partitions {
			t.Errorf("%s: %+v: without what the paper leaves as it is", name, set.switches)
		}
	}
}
