package command

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	stowjson "github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// ranged returns a curve of problems that are known as given; each has the load 100.
func ranged(all ...plan.Bounds) *curve {
	c := &curve{}
	for _, r := range all {
		c.problems = append(c.problems, sized{Instance: comparison.Instance{Load: 100}, known: r})
	}
	return c
}

func texts(all []capacity) string {
	var s []string
	for _, at := range all {
		s = append(s, at.text)
	}
	return strings.Join(s, " ")
}

// TestSizeLadder chooses capacities if none are asked.
func TestSizeLadder(t *testing.T) {
	optimal := func(h int64) plan.Bounds { return plan.Bounds{Status: model.Optimal, LowerBound: h, Height: h} }
	var many []plan.Bounds
	for k := range int64(100) {
		many = append(many, optimal(1000+k))
	}
	own := ranged(optimal(100))
	own.problems[0].Capacity = 70
	for name, c := range map[string]struct {
		curve *curve
		want  string
	}{
		"one":           {ranged(optimal(100)), "96 100 128"},
		"a round size":  {ranged(optimal(128)), "96 128"},
		"open":          {ranged(plan.Bounds{Status: model.Feasible, LowerBound: 7, Height: 11}), "6 7 8 11 12"},
		"no plan":       {ranged(plan.Bounds{LowerBound: 7}), "6 7 8"},
		"far apart":     {ranged(optimal(3), optimal(1<<40+1)), "2 3 1099511627777 1649267441664"},
		"own capacity":  {own, "64 70 96 100 128"},
		"no buffers":    {ranged(optimal(0)), "1"},
		"never":         {ranged(plan.Bounds{Status: model.Infeasible, LowerBound: 7}), ""},
		"the largest":   {ranged(optimal(model.MaxSum)), "1729382256910270464 2305843009213693951"},
		"many problems": {ranged(many...), "768 1000 1009 1024 1049 1074 1089 1094 1098 1099 1536"},
	} {
		if got := texts(c.curve.ladder()); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestSizePercent: percentages are of the load, as sweeps have them (internal/units), and repetitions are left out.
func TestSizePercent(t *testing.T) {
	all, err := parseCapacities([]string{"150%", "8", "112.5%", "112.50%"})
	if err != nil || len(all) != 3 || all[0].of(7) != 8 || all[1].of(8) != 9 || all[2].of(7) != 11 {
		t.Errorf("%v, %v", all, err)
	}
	for _, text := range []string{"0", "0%", "0.00%", "-1", "-5%", "1e3%"} {
		if all, err := parseCapacities([]string{text}); err == nil {
			t.Errorf("%s is %v", text, all)
		}
	}
	if all, err := parseCapacities(nil); all != nil || err != nil {
		t.Errorf("without --at: %v, %v", all, err)
	}
}

// TestSizeAgainstSolve asks size for curves of several problems with limits, and solve about each problem at each
// capacity. solve agrees with each feasible or infeasible of size.
func TestSizeAgainstSolve(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for seed := range uint64(12) {
		p := drawn.Tiny(seed)
		path := filepath.Join(dir, strconv.FormatUint(seed, 10)+".json")
		var b bytes.Buffer
		must.Do(t, stowjson.Write(&b, p, nil))
		must.Do(t, os.WriteFile(path, b.Bytes(), 0o666))
		files = append(files, path)
	}
	var at []string
	for capacity := range 40 {
		at = append(at, strconv.Itoa(capacity+1))
	}
	for _, limits := range []string{"", "--planner first-fit,exact", "--planner puppet-stack"} {
		var out, errs bytes.Buffer
		args := slices.Concat([]string{"size", "--format", "json", "--at", strings.Join(at, ",")},
			strings.Fields(limits), files)
		if code := execute(args, &out, &errs); code != exitOK {
			t.Fatalf("%s: exit code %d: %s", limits, code, &errs)
		}
		var said struct {
			Problems []struct {
				Name        string
				Status      model.Status
				Height      int64
				Lower_bound int64 //nolint:revive,staticcheck // as in the file
			}
			Curve []struct{ Capacity, Feasible, Infeasible, Unknown int64 }
		}
		if err := json.Unmarshal(out.Bytes(), &said); err != nil || len(said.Problems) != len(files) ||
			len(said.Curve) != len(at) {
			t.Fatalf("%s: %v\n%s", limits, err, &out)
		}
		for _, point := range said.Curve {
			var feasible, infeasible int64
			for k, file := range files {
				var ignored bytes.Buffer
				code := execute([]string{"solve", "-c", strconv.FormatInt(point.Capacity, 10), file}, &ignored, &ignored)
				known := plan.Bounds{
					Status: said.Problems[k].Status, LowerBound: said.Problems[k].Lower_bound, Height: said.Problems[k].Height,
				}
				switch got := known.Fits(point.Capacity); {
				case got == model.Feasible && code == exitOK:
					feasible++
				case got == model.Infeasible && code == exitInfeasible:
					infeasible++
				case got != model.Unknown:
					t.Fatalf("%s: %s at %d is %v, but solve has the exit code %d", limits, file, point.Capacity, got, code)
				}
			}
			if feasible != point.Feasible || infeasible != point.Infeasible ||
				feasible+infeasible+point.Unknown != int64(len(files)) {
				t.Fatalf("%s: %+v; counted %d and %d", limits, point, feasible, infeasible)
			}
		}
	}
}

// TestSizeInterrupted ends the context during the first run: the curve has its plan, and the
// bounds of the problems whose runs did not begin.
func TestSizeInterrupted(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"a.csv": "lower,upper,size\n0,2,4\n1,3,4\n2,4,4\n", "b.csv": "lower,upper,size\n0,2,9\n",
	} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o666))
	}
	cmd := newSize()
	var out, errs bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	atWait.Store(&cancel)
	defer atWait.Store(nil)
	cmd.SetContext(ctx)
	cmd.SetOut(newOutlet(&out, false))
	cmd.SetErr(newOutlet(&errs, true))
	cmd.SetArgs([]string{"-t", "0", "--planner", "puppet-wait", "--format", "csv", "a.csv", "b.csv"})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	if err := cmd.Execute(); err != outcome(exitUndecided) {
		t.Fatalf("%v\n%s", err, &errs)
	}
	if want := "capacity,problems,feasible,infeasible,unknown\n6,2,0,2,0\n8,2,0,1,1\n9,2,0,0,2\n12,2,1,0,1\n"; out.String() != want {
		t.Errorf("the curve is\n%s, want\n%s", &out, want)
	}
}

// TestSizeShares writes shares: only all of them are 100%.
func TestSizeShares(t *testing.T) {
	for _, c := range []struct {
		n, of int
		want  string
	}{{0, 3, "0.0%"}, {1, 3, "33.3%"}, {3, 3, "100.0%"}, {9999, 10000, "99.9%"}, {1, 10000, "0.1%"}, {0, 0, "0.0%"}} {
		if got := share100(c.n, c.of); got != c.want {
			t.Errorf("%d of %d: %s, want %s", c.n, c.of, got, c.want)
		}
	}
	if ratio(1000001, 1000000) != ">1.000" || ratio(3, 2) != "1.500" || ratio(5, 5) != "1.000" || units.Short(0) != "" {
		t.Error("ratios are written otherwise")
	}
}
