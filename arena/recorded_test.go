package arena_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/arena"
	"github.com/stowage-go/stowage/format"
	trace "github.com/stowage-go/stowage/format/arena"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// recorded returns a trace that was recorded in PyTorch, as a list of [kind, id, size] with kinds
// 0 (free), 1 (allocation) and 2 (a step begins).
func recorded(t *testing.T, name string) *trace.Trace {
	t.Helper()
	folder := os.Getenv("STOWAGE_DATA")
	data, err := os.ReadFile(filepath.Join(folder, "arena", name))
	if folder == "" || err != nil {
		t.Skip("the recorded traces are not there: set STOWAGE_DATA")
	}
	var events [][3]int64
	must.Do(t, json.Unmarshal(data, &events))
	r := &trace.Trace{Names: []string{""}}
	open := false
	for _, e := range events {
		switch {
		case e[0] == 2:
			if open {
				r.Events = append(r.Events, trace.Event{Kind: trace.End, Level: 1})
			}
			r.Events = append(r.Events, trace.Event{Kind: trace.Begin, Level: 1})
			open = true
		case e[0] == 1:
			r.Events = append(r.Events, trace.Event{Kind: trace.Alloc, N: e[2], Shift: 6})
		case e[1] >= 0:
			r.Events = append(r.Events, trace.Event{Kind: trace.Free, N: e[1]})
		}
	}
	return r
}

// TestRecorded: the plan of a recorded training step of a U-Net has the proven minimal height.
func TestRecorded(t *testing.T) {
	plans := must.Get(arena.Make(context.Background(), recorded(t, "unet.trace"), arena.Options{}))(t)
	p := plans[0]
	if len(plans) != 1 || p.Height != 23402500 || p.Status != stowage.Optimal || p.Times != 2 {
		t.Errorf("%d plans; the first has height %d, bound %d, %s, of %d steps", len(plans), p.Height, p.Bound,
			p.Status, p.Times)
	}
	reports, err := arena.Verify(plans)
	if err != nil || len(reports) != 1 || !reports[0].OK() {
		t.Errorf("%v %v", reports, err)
	}
	for _, a := range p.Lanes[0].Allocations {
		if a.Offset == trace.None {
			t.Error("an allocation is not planned")
		}
	}
	t.Log(p.Height, p.Period, p.Baselines)
}

// TestRecordedCycles: the plans of recorded steps have the proven minimal heights. The steps are stored as problems
// with gaps.
func TestRecordedCycles(t *testing.T) {
	for name, height := range map[string]int64{"gpt.csv": 88478276, "unet.csv": 23402500} {
		folder := os.Getenv("STOWAGE_DATA")
		p, _, err := format.ReadProblem(filepath.Join(folder, "arena", name))
		if folder == "" || err != nil {
			t.Skip("the recorded steps are not there: set STOWAGE_DATA")
		}
		plan := trace.Plan{Alignment: 64, Lanes: make([]trace.Lane, 1)}
		for _, b := range p.Buffers {
			plan.Period = max(plan.Period, b.Upper)
		}
		for _, b := range p.Buffers {
			a := trace.Allocation{Size: b.Size, Alignment: b.Align(), Lower: b.Lower, Upper: b.Upper, Offset: trace.None}
			if len(b.Gaps) > 0 { // it lives over the end of the step
				a.Lower, a.Upper = b.Gaps[0].Upper, plan.Period+b.Gaps[0].Lower
			}
			plan.Lanes[0].Allocations = append(plan.Lanes[0].Allocations, a)
		}
		h := trace.Heaps([]trace.Plan{plan})[0]
		r, err := stowage.Minimize(context.Background(), h.Problem, stowage.Options{Timeout: time.Minute})
		if err != nil || r.Height != height || r.Status != stowage.Optimal {
			t.Errorf("%s: height %d, %s, %v; want %d", name, r.Height, r.Status, err, height)
		}
		t.Log(name, r.Stats.Elapsed)
	}
}
