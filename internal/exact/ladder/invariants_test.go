package ladder

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// stacked is a ladder of three buffers that meet. Buffer b is placed, at its least level.
func stacked(t *testing.T) (l *asked, set uint32, x, e rungs) {
	t.Helper()
	tl := timeline.New(&model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 3, Size: 4},
		{ID: "b", Lower: 0, Upper: 3, Size: 2},
		{ID: "c", Lower: 0, Upper: 3, Size: 1},
	}})
	l = ladderOf(t, tl, nil)
	if v := climb(t, l, 9); v != common.Fits {
		t.Fatal("no plan:", v)
	}
	for j := range l.n {
		e[j] = l.low[j]
	}
	x[1] = e[1]
	l.path[0], l.depth = 1, 1
	set = 1<<0 | 1<<2
	if !l.leastLevels(set, &x, &e, 1, -1) {
		t.Fatal("nothing fits under b")
	}
	return l, set, x, e
}

// TestCorrupted breaks the levels of a node, each in both directions.
func TestCorrupted(t *testing.T) {
	for _, tc := range []struct {
		says    string
		corrupt func(x, e *rungs)
	}{
		{"", func(_, _ *rungs) {}},
		{"level of buffer 1 is", func(x, _ *rungs) { x[1]++ }},
		{"level of buffer 2 is", func(_, e *rungs) { e[2]++ }},
		{"too low is the level of buffer 0", func(_, e *rungs) { e[0]-- }},
	} {
		l, set, x, e := stacked(t)
		tc.corrupt(&x, &e)
		if what := plantest.Caught(func() { l.check(set, &x, &e) }); !strings.Contains(what, tc.says) ||
			(what == "") != (tc.says == "") {
			t.Errorf("%q is caught as %q", tc.says, what)
		}
	}
}

// TestCorruptedPlan lowers a buffer of the plan, and then an entry of the table.
func TestCorruptedPlan(t *testing.T) {
	for _, tc := range []struct {
		says    string
		corrupt func(l *asked)
	}{
		{"", func(*asked) {}},
		{"above its latest level is buffer", func(l *asked) { l.At[0], l.At[1], l.At[2] = 0, 0, 0 }},
		{"above its latest level is buffer", func(l *asked) { l.table[7*l.t]--; l.table[7*l.t+1]--; l.table[7*l.t+2]-- }},
		{"above its latest level in a smaller set is buffer", func(l *asked) {
			l.At[0], l.At[1], l.At[2] = 3, 1, 0
			l.table[3*l.t] -= 100 // a, over b alone
		}},
	} {
		l, _, _, _ := stacked(t)
		tc.corrupt(l)
		if what := plantest.Caught(l.checkPlan); !strings.Contains(what, tc.says) || (what == "") != (tc.says == "") {
			t.Errorf("%q is caught as %q", tc.says, what)
		}
	}
}
