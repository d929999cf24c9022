package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/sweep/core"
)

// nights are two sweeps with every kind of change, each on a problem of its own.
func nights() (before, after []core.Row) {
	pair := func(kind Kind, capacity int64, old, now string, change func(old, now *core.Row)) {
		k := len(before) + len(after)
		a, b := row(k, "p", capacity, old, 0), row(k, "p", capacity, now, 0)
		a.Name = string(kind)
		for _, r := range []*core.Row{&a, &b} {
			r.Name = strings.ReplaceAll(string(kind), " ", "-")
			if r.Status == "feasible" || r.Status == "optimal" {
				r.Height = r.Load
			}
		}
		if change != nil {
			change(&a, &b)
		}
		if kind != New {
			before = append(before, a)
		}
		if kind != Missing {
			after = append(after, b)
		}
	}
	pair(Contradiction, 100, "infeasible", "feasible", nil)
	pair(NewFailure, 100, "feasible", "invalid", func(_, b *core.Row) { b.Message = "plan: a and b overlap\nat 3" })
	pair(FitLost, 100, "feasible", "unknown", func(_, b *core.Row) { b.Stopped = "timeout" })
	pair(ProofLost, 100, "infeasible", "unknown", nil)
	pair(NewRefusal, 100, "unknown", "refused", func(_, b *core.Row) { b.Message = "no gaps" })
	pair(Higher, 0, "feasible", "feasible", func(_, b *core.Row) { b.Height++ })
	pair(MoreNodes, 100, "feasible", "feasible", func(_, b *core.Row) { b.Nodes = 12_345 })
	pair(Changed, 100, "feasible", "feasible", func(_, b *core.Row) { b.Problem = "another" })
	pair(Missing, 100, "feasible", "", nil)
	pair(FitGained, 100, "unknown", "feasible", nil)
	pair(ProofGained, 0, "feasible", "optimal", nil)
	pair(Mended, 100, "failed", "unknown", nil)
	pair(Lower, 0, "optimal", "optimal", func(a, _ *core.Row) { a.Status = "feasible"; a.Height++ })
	pair(FewerNodes, 100, "infeasible", "infeasible", func(a, _ *core.Row) { a.Nodes = 5000 })
	pair(New, 100, "", "unknown", nil)
	pair("same", 100, "feasible", "feasible",
		func(_, b *core.Row) { b.Height, b.Seconds, b.Nodes = b.Height+1, 9, b.Nodes+99 })
	return before, after
}

// TestKinds: each kind is found, once, on its problem.
func TestKinds(t *testing.T) {
	before, after := nights()
	d := Diff(before, after, Limits{})
	if len(d.Changes) != len(kinds) || d.Same != 1 {
		t.Errorf("%d changes of %d kinds, %d the same", len(d.Changes), len(kinds), d.Same)
	}
	for k, c := range d.Changes {
		if c.Kind != kinds[k] || c.row().Name != strings.ReplaceAll(string(kinds[k]), " ", "-") {
			t.Errorf("change %d is %q of %s, want %q", k, c.Kind, c.row().Name, kinds[k])
		}
	}
	if d.Worse() != 9 {
		t.Errorf("%d for the worse", d.Worse())
	}
	// The other way round each of them turns over.
	back := Diff(after, before, Limits{})
	for _, c := range []struct{ a, b Kind }{
		{Contradiction, Contradiction},
		{FitLost, FitGained},
		{ProofLost, ProofGained},
		{Higher, Lower},
		{MoreNodes, FewerNodes},
		{Missing, New},
		{Changed, Changed},
	} {
		if back.Count(c.a) != d.Count(c.b) || back.Count(c.b) != d.Count(c.a) {
			t.Errorf("%q: %d there, %q: %d back", c.a, d.Count(c.a), c.b, back.Count(c.b))
		}
	}
	same := Diff(before, before, Limits{})
	if len(same.Changes) != 0 || same.Same != len(before) {
		t.Errorf("a sweep against itself: %+v", same)
	}
}

// TestDiffGolden keeps the forms.
func TestDiffGolden(t *testing.T) {
	d := Diff(nights2())
	golden.File(t, "testdata/diff.txt", golden.Written(t, d.WriteText))
	golden.File(t, "testdata/diff.csv", golden.Written(t, d.WriteCSV))
	golden.File(t, "testdata/diff.json", golden.Written(t, d.WriteJSON))
}

func nights2() (before, after []core.Row, limits Limits) {
	before, after = nights()
	return before, after, Limits{}
}

// TestDiffForms: the forms of any difference agree, and can be read.
func TestDiffForms(t *testing.T) {
	before := drawn(3, 20, 0, 100, 110)
	after := slices.Clone(before)
	for k := range after {
		if k%2 == 0 {
			after[k].Status, after[k].Height, after[k].Name = "unknown", 0, after[k].Name+`, "quoted"`
			before[k].Name = after[k].Name
		}
	}
	for _, d := range []Difference{
		Diff(before, after, Limits{}), Diff(after, before, Limits{}), Diff(nil, after, Limits{}), Diff(before, nil, Limits{}),
		Diff(nil, nil, Limits{}),
	} {
		lines, err := csv.NewReader(bytes.NewReader(golden.Written(t, d.WriteCSV))).ReadAll()
		if err != nil || len(lines) != 1+len(d.Changes) {
			t.Errorf("CSV: %d lines for %d changes, %v", len(lines), len(d.Changes), err)
		}
		var out struct {
			Worse, Same int
			Counts      map[string]int
			Changes     []struct{ Kind string }
		}
		if err := json.Unmarshal(golden.Written(t, d.WriteJSON), &out); err != nil ||
			len(out.Changes) != len(d.Changes) || out.Worse != d.Worse() {
			t.Errorf("JSON: %+v, %v", out, err)
		}
		text := string(golden.Written(t, d.WriteText))
		if strings.Count(text, "\n") > 3+len(kinds)*(mostLines+3) {
			t.Errorf("the text has %d lines", strings.Count(text, "\n"))
		}
	}
	if err := new(Difference).WriteText(new(golden.Room)); err != golden.ErrFull {
		t.Error(err)
	}
	if err := new(Difference).WriteCSV(io.Discard); err != nil {
		t.Error(err)
	}
}

// TestNodes: runs that the clock cut, and those that follow from others, are not compared by
// their nodes, and the factor can be set.
func TestNodes(t *testing.T) {
	base := row(0, "p", 100, "feasible", 1000)
	more := base
	more.Nodes = 5 * base.Nodes
	for _, c := range []struct {
		change func(r *core.Row)
		factor float64
		want   int
	}{
		{func(*core.Row) {}, 0, 1},
		{func(*core.Row) {}, 5, 1},
		{func(*core.Row) {}, 5.01, 0},
		{func(r *core.Row) { r.Stopped = "timeout" }, 0, 0},
		{func(r *core.Row) { r.Implied = true }, 0, 0},
		{func(r *core.Row) { r.Nodes = base.Nodes + fewestNodes - 1 }, 0, 0},
		{func(r *core.Row) { r.Nodes = base.Nodes + fewestNodes }, 0, 1},
	} {
		now := more
		c.change(&now)
		if d := Diff([]core.Row{base}, []core.Row{now}, Limits{Nodes: c.factor}); d.Count(MoreNodes) != c.want {
			t.Errorf("%+v against %+v: %d", now, base, d.Count(MoreNodes))
		}
	}
}

// TestLimitsAreAsked: rows with other limits, seeds or orders are other rows.
func TestLimitsAreAsked(t *testing.T) {
	base := row(0, "p", 100, "feasible", 1000)
	for _, change := range []func(r *core.Row){
		func(r *core.Row) { r.NodeLimit++ }, func(r *core.Row) { r.Timeout++ }, func(r *core.Row) { r.Seed++ },
		func(r *core.Row) { r.Order = "reordered" }, func(r *core.Row) { r.Planner = "q" },
	} {
		now := base
		change(&now)
		if d := Diff([]core.Row{base}, []core.Row{now}, Limits{}); d.Count(Missing) != 1 || d.Count(New) != 1 ||
			len(d.Changes) != 2 {
			t.Errorf("%+v: %+v", now, d.Changes)
		}
	}
}
