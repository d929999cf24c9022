package merge

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// halves is a merger of two pairs of halves, a and b in time, c and d in space, and e alone.
func halves(t *testing.T) *merger {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 3, Size: 4},
		{ID: "b", Lower: 3, Upper: 6, Size: 4},
		{ID: "c", Lower: 0, Upper: 9, Size: 2},
		{ID: "d", Lower: 0, Upper: 9, Size: 3},
		{ID: "e", Lower: 6, Upper: 9, Size: 9},
	}}
	w := run.NewWatch(t.Context())
	t.Cleanup(w.Close)
	m := &merger{watch: w, unit: 1, stacking: 1, stacks: true, wheeling: true, most: 1 << 20}
	m.init(timeline.New(p), new(base))
	m.begin()
	if len(m.live) != 3 || len(m.all) != 7 {
		t.Fatalf("%d roots of %d composites, want 3 of 7", len(m.live), len(m.all))
	}
	return m
}

// TestCorrupted breaks one thing at a time. The check names each.
func TestCorrupted(t *testing.T) {
	for _, tc := range []struct {
		says    string
		corrupt func(m *merger)
	}{
		{"start of root", func(m *merger) { m.all[5].first++ }},
		{"end of root", func(m *merger) { m.all[5].last-- }},
		{"not in its place is root", func(m *merger) { m.all[5].at[2], m.all[6].at[2] = 1, 1 }},
		{"number of roots", func(m *merger) { m.live = append(m.live, 0) }},
		{"in two others", func(m *merger) { m.all[6].part = m.all[5].part }},
		{"both root and part", func(m *merger) { m.addRoot(0) }},
		{"another alignment", func(m *merger) { m.all[0].align = 2 }},
		{"free number", func(m *merger) { m.release(5) }},
		{"size of composite", func(m *merger) { m.all[5].size++ }},
		{"parts that do not meet", func(m *merger) { m.all[0].size++ }},
		{"of other lifespans", func(m *merger) { m.all[3].first++ }},
		{"better than the one above", func(m *merger) { m.heap = heap{{score: 1}, {score: 2}} }},
	} {
		m := halves(t)
		if what := plantest.Caught(m.recheck); what != "" {
			t.Fatal("caught where nothing is wrong:", what)
		}
		tc.corrupt(m)
		if what := plantest.Caught(m.recheck); !strings.Contains(what, tc.says) {
			t.Errorf("%q is caught as %q", tc.says, what)
		}
	}
	m := halves(t)
	before := m.roots()
	m.split(5)
	if what := plantest.Caught(func() { m.restored(before) }); !strings.Contains(what, "roots after undo") {
		t.Errorf("a round that is not undone is caught as %q", what)
	}
	p := &model.Problem{Buffers: []model.Buffer{{ID: "a", Lower: 0, Upper: 3, Size: 4}}}
	s := &search{tl: timeline.New(p), o: &plan.Options{NodeLimit: 5}, best: []int64{0}, height: 4, nodes: 5}
	if what := plantest.Caught(s.check); what != "" {
		t.Error("caught where nothing is wrong:", what)
	}
	s.nodes++
	if what := plantest.Caught(s.check); !strings.Contains(what, "number of nodes") {
		t.Errorf("too many nodes are caught as %q", what)
	}
	s.height++
	if what := plantest.Caught(s.check); !strings.Contains(what, "height of the lowest plan") {
		t.Errorf("a wrong height is caught as %q", what)
	}
}
