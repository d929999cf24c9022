package engine

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// TestCorruptedInterval breaks the interval of a minimisation.
func TestCorruptedInterval(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 3, Size: 4, Gaps: []model.Gap{
			{Lower: 1, Upper: 2, Window: &model.Window{Lower: 1, Upper: 2}},
		}},
		{ID: "b", Lower: 0, Upper: 2, Size: 1},
		{ID: "c", Lower: 1, Upper: 3, Size: 2},
	}}
	n := interval{roof: 10, bound: 4, best: []int64{0, 4, 4}, height: 6}
	if what := plantest.Caught(func() { n.check(p) }); what != "" {
		t.Error("caught where nothing is wrong:", what)
	}
	for _, tc := range []struct {
		says  string
		wrong interval
	}{
		{"height of the incumbent is 5, from scratch 6", interval{roof: 10, bound: 4, best: n.best, height: 5}},
		{"above the roof: 6 5", interval{roof: 5, bound: 4, best: n.best, height: 6}},
		{"the bound is above the incumbent: 7 6", interval{roof: 10, bound: 7, best: n.best, height: 6}},
	} {
		if what := plantest.Caught(func() { tc.wrong.check(p) }); !strings.Contains(what, tc.says) {
			t.Errorf("%q is caught as %q", tc.says, what)
		}
	}
}
