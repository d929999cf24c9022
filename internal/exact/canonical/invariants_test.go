package canonical

import (
	"context"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// pauseChecks turns the checks off until resume is called.
func pauseChecks() (resume func()) {
	checks = false
	return func() { checks = true }
}

// midway returns a kernel with the first of its buffers placed, and what is left.
func midway(gapped bool, without ...string) (*Kernel, component) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 6, Size: 4},
		{ID: "b", Lower: 0, Upper: 3, Size: 4},
		{ID: "c", Lower: 2, Upper: 6, Size: 2},
		{ID: "d", Lower: 5, Upper: 7, Size: 6},
		{ID: "e", Lower: 4, Upper: 8, Size: 2},
	}}
	if gapped {
		p.Buffers[0].Gaps = []model.Gap{{Lower: 1, Upper: 2, Window: &model.Window{Lower: 0, Upper: 2}}}
	}
	tl := timeline.New(p)
	k := New(tl, &tl.Partitions[0], switchesOf(without), common.Limits{}, run.NewWatch(context.Background()))
	k.ranks.order = "TWA"
	k.SetCapacity(40)
	c := k.root()
	clear(k.runs.dirty)
	k.check(c)
	k.Nodes = 5
	k.place(2)
	clear(k.runs.dirty)
	return k, c
}

// TestCorrupted breaks one thing at a time. The check names each.
func TestCorrupted(t *testing.T) {
	for _, gapped := range []bool{false, true} {
		if k, c := midway(gapped, "suffix-bound"); plantest.Caught(func() { k.check(c) }) != "" {
			t.Fatal("caught where nothing is wrong:", plantest.Caught(func() { k.check(c) }))
		}
		for _, tc := range []struct {
			says    string
			corrupt func(k *Kernel, c *component)
		}{
			{"total of section", func(k *Kernel, _ *component) { k.total[0]++ }},
			{"members left in section", func(k *Kernel, _ *component) { k.live[0]++ }},
			{"edges of section", func(k *Kernel, _ *component) { k.runs.edges[0]++ }},
			{"begins a run", func(k *Kernel, _ *component) { k.runs.starts[0] ^= 1 }},
			{"above the top of section", func(k *Kernel, _ *component) { k.tops.of[0] = -1 }},
			{"section is dirty", func(k *Kernel, _ *component) { k.runs.dirty[0] = 1 }},
			{"floor of section", func(k *Kernel, _ *component) { k.floors.of[1]-- }},
			{"cuts after section", func(k *Kernel, _ *component) { k.cuts[0]++ }},
			{"start of piece", func(k *Kernel, _ *component) { k.block[0].start++ }},
			{"has a piece twice", func(k *Kernel, _ *component) { k.members.list[0] = k.members.list[1] }},
			{"limit of capacity", func(k *Kernel, _ *component) { k.limit-- }},
			{"lb of buffer", func(k *Kernel, _ *component) { k.lb[3]++; k.setInf(3, k.inf[3]+1); clear(k.runs.dirty) }},
			{"inf is not between", func(k *Kernel, _ *component) { k.setInf(3, k.lb[3]-1); clear(k.runs.dirty) }},
			{"inf is not between", func(k *Kernel, _ *component) {
				k.setInf(3, 1000)
				for s := range k.tops.of {
					k.tops.of[s] = 1000
				}
				clear(k.runs.dirty)
			}},
			{"rank is another", func(k *Kernel, _ *component) { k.ranks.of[0] = k.ranks.of[1] }},
			{"crosses from the component", func(_ *Kernel, c *component) { c.last-- }},
			{"must not be", func(k *Kernel, c *component) { c.first = k.of[1].first + 1 }},
			{"start of piece", func(k *Kernel, _ *component) { clear(k.unplaced) }},
		} {
			k, c := midway(gapped, "suffix-bound")
			tc.corrupt(k, &c)
			if what := plantest.Caught(func() { k.check(c) }); !strings.Contains(what, tc.says) ||
				!strings.HasPrefix(what, "invariant broken: at node 5") {
				t.Errorf("%q is caught as %q", tc.says, what)
			}
		}
	}
}

// TestCorruptedUndo breaks the trail, and what undo adds again.
func TestCorruptedUndo(t *testing.T) {
	for _, tc := range []struct {
		says    string
		corrupt func(k *Kernel)
	}{
		{"", func(*Kernel) {}},
		{"cell after undo", func(k *Kernel) { k.trail.latest = k.trail.latest[:len(k.trail.latest)-1] }},
		{"cell after undo", func(k *Kernel) { k.trail.latest[len(k.trail.latest)-1].old++ }},
		{"total after undo", func(k *Kernel) { k.total[1]-- }},
		{"cuts after undo", func(k *Kernel) { k.cuts[1]-- }},
		{"rank after undo", func(k *Kernel) { k.ranks.of[2]++ }},
	} {
		k, _ := midway(false)
		before, at := k.snap(), k.now()
		k.place(0)
		tc.corrupt(k)
		k.undo(at)
		if what := plantest.Caught(func() { k.restored(before) }); !strings.Contains(what, tc.says) ||
			(what == "") != (tc.says == "") {
			t.Errorf("%q is caught as %q", tc.says, what)
		}
	}
}
