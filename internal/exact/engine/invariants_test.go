package engine

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// objection runs f and returns what it panics with.
func objection(f func()) (what string) {
	defer func() { what, _ = recover().(string) }()
	f()
	return ""
}

// TestCorruptedInterval breaks the interval of a minimisation.
func TestCorruptedInterval(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 3, Size: 4, Gaps: []model.Gap{{Lower: 1, Upper: 2, Window: &model.Window{Lower: 1, Upper: 2}}}},
		{ID: "b", Lower: 0, Upper: 2, Size: 1},
		{ID: "c", Lower: 1, Upper: 3, Size: 2},
	}}
	n := interval{roof: 10, bound: 4, best: []int64{0, 4, 4}, height: 6}
	if what := objection(func() { n.check(p) }); what != "" {
		t.Error("caught where nothing is wrong:", what)
	}
	for _, wrong := range []interval{{roof: 10, bound: 4, best: n.best, height: 5}, {roof: 5, bound: 4, best: n.best, height: 6}, {roof: 10, bound: 7, best: n.best, height: 6}} {
		if what := objection(func() { wrong.check(p) }); !strings.Contains(what, "a plan of height 6") {
			t.Errorf("%+v is caught as %q", wrong, what)
		}
	}
}
