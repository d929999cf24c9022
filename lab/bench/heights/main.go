// Command heights looks for the least heights of several pools: of drawn problems and of public ones on equal banks. It
// compares auto with the greedy that one writes without a planner, with its own bound, and with CP-SAT.
//
//	go run ./lab/bench/heights [-problems 1000] [-limit 10s] [-seed 45] [-sample 0] [-into lab/bench/heights/README.md]
//
// All limits are processor time. Problems of up to 12 buffers also go to CP-SAT, which then must have the same
// value. -sample N asks it about N of the others. -first N begins with the Nth problem, from 0. Without ortools in
// STOWAGE_PYTHON, or python3, CP-SAT is skipped.
// -banks is the limit of each public problem on equal banks; 0 leaves them out, and -problems 0 the drawn ones.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/testkit/processor"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/lab/bench/ortools"
	"github.com/stowage-go/stowage/lab/experiment"
	"github.com/stowage-go/stowage/model"
)

//go:embed pairwise.py
var pairwise []byte

const (
	far  = 24 * time.Hour // of the clock, so that auto knows of a limit; the processor's ends the run
	tiny = 12             // buffers of problems that CP-SAT is to prove
)

var sizes = []int{10, 12, 30, 100, 300}

// A group is all problems of a kind.
type group struct {
	drawing
	problems, above, proven         int
	gaps, ratios, seconds           []float64
	asked, satProven, worse, better int // by CP-SAT, than CP-SAT
}

func main() {
	problems := flag.Int("problems", 1000, "how many problems to draw")
	first := flag.Int("first", 0, "the first problem to plan")
	limit := flag.Duration("limit", 10*time.Second, "processor time for each")
	banks := flag.Duration("banks", 10*time.Second, "processor time for each public problem on equal banks")
	sample := flag.Int("sample", 0, "ask CP-SAT about so many problems of more than 12 buffers")
	satLimit := flag.Duration("cpsat", 30*time.Second, "processor time of CP-SAT")
	seed := flag.Uint64("seed", 45, "seed of the problems")
	into := flag.String("into", "", "put the tables into the document `FILE`")
	flag.Parse()
	record.Main("heights", func(ctx context.Context) error {
		missing := ortools.Missing()
		if missing != nil {
			fmt.Fprintln(os.Stderr, "heights: skipped CP-SAT:", missing)
		}
		var groups []*group
		for _, n := range sizes {
			for _, goal := range []model.Measure{model.MeasureMaxHeight, model.MeasureHeight} {
				groups = append(groups, &group{drawing: drawing{n, false, goal}}, &group{drawing: drawing{n, true, goal}})
			}
		}
		large := 0
		for k := *first; k < *problems; k++ {
			g := groups[k%len(groups)]
			sat := time.Duration(0)
			if missing == nil && g.buffers <= tiny {
				sat = *satLimit
			} else if missing == nil && large < *sample {
				sat = *satLimit
				large++
			}
			if err := g.one(ctx, g.draw(*seed, uint64(k)), *limit, sat); err != nil {
				return fmt.Errorf("problem %d of seed %d: %w", k, *seed, err)
			}
		}
		if *problems > 0 {
			text := drawn(groups) + fmt.Sprintf("\nSeed %d; %v a problem, %v for CP-SAT, %s.\n", *seed, *limit, *satLimit, where())
			if err := show(text, *into, "bench:heights"); err != nil {
				return err
			}
		}
		if *banks == 0 {
			return nil
		}
		table, err := public(ctx, *banks)
		if err != nil {
			return err
		}
		return show(table+fmt.Sprintf("\nBytes; %v a problem, %s.\n", *banks, where()), *into, "bench:heights-banks")
	})
}

// show prints a table, and puts it into a block of a document.
func show(text, into, block string) error {
	fmt.Print(text)
	if into == "" {
		return nil
	}
	return record.ReplaceBlock(into, block, text)
}

func where() string {
	return fmt.Sprintf("of processor time, one worker; %v; %s", record.ThisMachine(), record.Today())
}

// solve plans a problem, and checks the plan. It returns the value of the first measure, its bound, and seconds.
func solve(ctx context.Context, p *model.Problem, limit time.Duration) (value, bound int64, seconds float64, err error) {
	limited, cancel := processor.Limit(ctx, limit)
	defer cancel()
	var r *stowage.Result
	seconds = processor.Of(func() {
		r, err = stowage.Solve(limited, p, stowage.Options{Planner: "auto", Timeout: far, Workers: 1})
	}).Seconds()
	switch {
	case ctx.Err() != nil:
		return 0, 0, 0, ctx.Err()
	case err != nil:
		return 0, 0, 0, err
	case !r.Status.HasPlan():
		return 0, 0, 0, fmt.Errorf("no plan: %v", r.Status)
	}
	if report := verify.CheckMeasures(p, &r.Plan, r.Measures); !report.OK() {
		return 0, 0, 0, fmt.Errorf("auto's plan: %v", report.Violations)
	}
	m := p.Rules.Objective[0]
	value, bound = model.ValueOf(r.Measures, m), model.ValueOf(r.Bounds, m)
	if bound > value {
		return 0, 0, 0, fmt.Errorf("bound %d, above the plan's %d", bound, value)
	}
	return value, bound, seconds, nil
}

// one plans a drawn problem, and asks CP-SAT if it has time.
func (g *group) one(ctx context.Context, p *model.Problem, limit, sat time.Duration) error {
	value, bound, seconds, err := solve(ctx, p, limit)
	if err != nil {
		return err
	}
	simple, sum := greedy(p)
	if g.goal == model.MeasureHeight {
		simple = sum
	}
	g.problems++
	if value > simple {
		g.above++
	}
	if value == bound {
		g.proven++
	}
	gap := 100 * (float64(value)/float64(max(1, bound)) - 1)
	g.gaps, g.seconds = append(g.gaps, gap), append(g.seconds, seconds)
	g.ratios = append(g.ratios, float64(simple)/float64(value))
	fmt.Fprintf(os.Stderr, "%s, %d buffers, %d pools, %s: %d, bound %d, greedy %d, %.2f s\n",
		p.Name, g.buffers, len(p.Rules.Pools), g.goal, value, bound, simple, seconds)
	if sat == 0 {
		return nil
	}
	o, err := ask(ctx, p, g.goal, sat)
	if err != nil {
		return err
	}
	g.asked++
	switch {
	case o.Offsets != nil && o.Bound > value:
		return fmt.Errorf("CP-SAT proves %d, and auto's plan has %d", o.Bound, value)
	case o.Offsets != nil && o.Value < bound:
		return fmt.Errorf("CP-SAT's plan has %d, below the bound %d", o.Value, bound)
	case o.Status == "optimal" && o.Value == value:
		g.satProven++
	}
	switch {
	case o.Offsets != nil && o.Value < value:
		fmt.Fprintf(os.Stderr, "CP-SAT: %d\n", o.Value)
		g.worse++
	case o.Offsets == nil || value < o.Value:
		g.better++
	}
	return nil
}

// An answer is CP-SAT's.
type answer struct {
	Status       string
	Value, Bound int64
	Pools        []int32
	Offsets      []int64
}

// ask asks CP-SAT, and checks its plan.
func ask(ctx context.Context, p *model.Problem, goal model.Measure, limit time.Duration) (*answer, error) {
	type buffer struct {
		Lower int64   `json:"lower"`
		Upper int64   `json:"upper"`
		Size  int64   `json:"size"`
		Pools []int32 `json:"pools"`
	}
	var all []buffer
	for i := range p.Buffers {
		b := &p.Buffers[i]
		x := buffer{Lower: b.Lower, Upper: b.Upper, Size: b.Size}
		for q := range int32(len(p.Rules.Pools)) {
			if b.MayUse(q) {
				x.Pools = append(x.Pools, q)
			}
		}
		all = append(all, x)
	}
	text, err := json.Marshal(map[string]any{"pools": len(p.Rules.Pools), "goal": goal, "buffers": all})
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, ortools.Python(), "-c", string(pairwise), fmt.Sprint(limit.Seconds()))
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("pairwise.py: %w\n%s", err, stderr.Bytes())
	}
	var o answer
	if err := json.Unmarshal(out, &o); err != nil {
		return nil, fmt.Errorf("pairwise.py: %w", err)
	}
	if o.Offsets == nil {
		return &o, nil
	}
	plan := &model.Plan{Offsets: o.Offsets, Pools: o.Pools}
	measures := model.MeasuresOf(p, plan)
	plan.Height = model.ValueOf(measures, model.MeasureHeight)
	if report := verify.CheckMeasures(p, plan, measures); !report.OK() {
		return nil, fmt.Errorf("CP-SAT's plan: %v", report.Violations)
	}
	if value := model.ValueOf(measures, goal); value > o.Value {
		return nil, fmt.Errorf("CP-SAT's plan has %d, and it says %d", value, o.Value)
	}
	return &o, nil
}

// drawn returns the table of drawn problems.
func drawn(groups []*group) string {
	var rows [][]string
	for _, g := range groups {
		if g.problems == 0 {
			continue
		}
		may, sat := "any", ""
		if g.some {
			may = "some"
		}
		if g.asked > 0 {
			sat = fmt.Sprintf("%d, %d, %d of %d", g.better, g.asked-g.better-g.worse, g.worse, g.asked)
		}
		rows = append(rows, []string{
			string(g.goal), strconv.Itoa(g.buffers), may, strconv.Itoa(g.problems), strconv.Itoa(g.above),
			fmt.Sprintf("%.2f", comparison.Median(g.ratios)), strconv.Itoa(g.proven),
			fmt.Sprintf("%.2f%%", comparison.Median(g.gaps)), fmt.Sprintf("%.2f%%", slices.Max(g.gaps)),
			fmt.Sprintf("%.2f", comparison.Median(g.seconds)), sat, strconv.Itoa(g.satProven),
		})
	}
	return comparison.NewTable([]string{
		"goal", "buffers", "pools of a buffer", "problems", "above the greedy", "greedy / auto", "proven", "median gap",
		"largest gap", "seconds", "below, at, above CP-SAT", "proven by CP-SAT",
	}, rows).Markdown()
}

// public plans the public problems on equal banks.
func public(ctx context.Context, limit time.Duration) (string, error) {
	all, err := experiment.Load("challenging", nil)
	if err != nil {
		return "", err
	}
	var rows [][]string
	for k := range all {
		for _, banks := range []int{2, 4, 8} {
			p := &model.Problem{Name: all[k].Name, Buffers: all[k].Problem.Buffers, Rules: &model.Rules{
				Pools: equal(banks), Objective: []model.Measure{model.MeasureMaxHeight},
			}}
			value, bound, seconds, err := solve(ctx, p, limit)
			if err != nil {
				return "", fmt.Errorf("%s on %d banks: %w", all[k].Name, banks, err)
			}
			simple, _ := greedy(p)
			gap := "="
			if value > bound {
				gap = fmt.Sprintf("%.2f%%", 100*(float64(value)/float64(bound)-1))
			}
			rows = append(rows, []string{
				filepath.Base(all[k].Name), strconv.Itoa(banks), strconv.Itoa(len(p.Buffers)), strconv.FormatInt(simple, 10),
				strconv.FormatInt(value, 10), strconv.FormatInt(bound, 10), gap, fmt.Sprintf("%.2f", seconds),
			})
			fmt.Fprintln(os.Stderr, rows[len(rows)-1])
		}
	}
	return comparison.NewTable([]string{
		"problem", "banks", "buffers", "greedy", "auto", "bound", "gap", "seconds",
	}, rows).Markdown(), nil
}
