// Command rivals holds auto, or another planner, against all that make plans in this box,
// on problems drawn as widely as the generators allow (internal/testkit/drawn):
//
//	go run ./lab/bench/rivals -problems 1000                        1,000 of each kind, 1,000 nodes for each planner
//	go run ./lab/bench/rivals -timeout 50ms -problems 20            searches too, by the clock
//	go run ./lab/bench/rivals -buffers 200-2000 -problems 50
//	go run ./lab/bench/rivals -kinds tiles -from 17 -problems 1     again, one problem
//
// A line of the table is a kind: in how many of its problems the planner ended below all
// others, as low as the lowest at a height that is proven or not, or above it, and by how
// much at most. -losses prints a line for each problem where another is lower. Problems that the planner proves
// are asked of no other: there is nothing below.
//
// With a node limit alone the planners that go on as long as they may are left out, since
// a node of theirs is another thing; with -timeout all are asked.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/plan"

	_ "github.com/stowage-go/stowage"
	_ "github.com/stowage-go/stowage/lab/baselines"
)

// ours are the planners that are Stowage's own: for one of them to be lower is no loss to
// another's planner, but is said.
var ours = []string{"auto", "merge", "climb", "exact", "sweep", "first-fit"}

func main() { record.Main("lab/bench/rivals", rivals) }

func rivals(ctx context.Context) error {
	problems := flag.Uint64("problems", 100, "how many problems of each kind")
	from := flag.Uint64("from", 0, "seed of the first")
	kinds := flag.String("kinds", strings.Join(drawn.DrawnKinds(), ","), "kinds of `K1,K2`")
	buffers := flag.String("buffers", "10-250", "numbers of buffers, `LEAST-MOST`")
	asked := flag.String("planner", "auto", "the planner that is held against the others")
	nodes := flag.Int64("nodes", 1000, "node limit of a run; 0 for none")
	timeout := flag.Duration("timeout", 0, "time limit of a run; without -nodes, the only one")
	losses := flag.Bool("losses", false, "print each problem where another is lower")
	flag.Parse()
	o := plan.Options{NodeLimit: *nodes, Timeout: *timeout, Workers: 1}
	if *timeout > 0 && !given("nodes") {
		o.NodeLimit = 0
	}
	var least, most int
	if _, err := fmt.Sscanf(*buffers, "%d-%d", &least, &most); err != nil || least < 1 || most < least {
		return fmt.Errorf("-buffers %q is not LEAST-MOST", *buffers)
	}
	table := comparison.NewTable([]string{"kind", "problems", "proven", "lowest", "as low", "of ours lower", "above", "by at most, %", "lowest others"}, nil)
	total := newTally()
	for _, kind := range strings.Split(*kinds, ",") {
		if !slices.Contains(drawn.DrawnKinds(), kind) {
			return fmt.Errorf("-kinds: %q is none of %s", kind, strings.Join(drawn.DrawnKinds(), ", "))
		}
		t := newTally()
		for seed := *from; seed < *from+*problems; seed++ {
			tl := timeline.New(drawn.Drawn(kind, seed, least, most))
			line, err := t.hold(ctx, tl, *asked, o)
			if err = cmp.Or(ctx.Err(), err); err != nil {
				return err
			}
			if line != "" && *losses {
				fmt.Printf("%s %d: %d buffers, bound %d: %s\n", kind, seed, len(tl.Problem.Buffers), tl.LowerBound, line)
			}
		}
		total.add(t)
		table.Rows = append(table.Rows, t.row(kind))
	}
	table.Rows = append(table.Rows, total.row("all"))
	fmt.Print(table.Markdown())
	return nil
}

func given(name string) (is bool) {
	flag.Visit(func(f *flag.Flag) { is = is || f.Name == name })
	return is
}

// tally counts how a planner did on a kind.
type tally struct {
	problems, proven, lowest, ties, ourselves, above int
	worst                                            float64
	by                                               map[string]int
}

func newTally() *tally { return &tally{by: map[string]int{}} }

func (t *tally) add(u *tally) {
	t.problems, t.proven, t.lowest, t.ties = t.problems+u.problems, t.proven+u.proven, t.lowest+u.lowest, t.ties+u.ties
	t.ourselves, t.above, t.worst = t.ourselves+u.ourselves, t.above+u.above, max(t.worst, u.worst)
	for name, n := range u.by {
		t.by[name] += n
	}
}

// row is a line of the table.
func (t *tally) row(name string) []string {
	var by []string
	for name := range t.by {
		by = append(by, name)
	}
	slices.SortFunc(by, func(a, b string) int {
		if d := t.by[b] - t.by[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for i, name := range by {
		by[i] = fmt.Sprintf("%s %d", name, t.by[name])
	}
	worst := ""
	if t.worst > 0 {
		worst = fmt.Sprintf("%.2f", 100*t.worst)
	}
	return []string{
		name, fmt.Sprint(t.problems), fmt.Sprint(t.proven), fmt.Sprint(t.lowest), fmt.Sprint(t.ties), fmt.Sprint(t.ourselves), fmt.Sprint(t.above), worst,
		strings.Join(by[:min(len(by), 5)], ", "),
	}
}

// hold runs the planner and the others. The line says who is lower, if any.
func (t *tally) hold(ctx context.Context, tl *timeline.Timeline, asked string, o plan.Options) (line string, err error) {
	planner, err := run.Lookup(asked)
	if err != nil {
		return "", err
	}
	t.problems++
	got, err := run.Run(ctx, planner, tl, o)
	if err != nil {
		return "", err
	}
	height := int64(math.MaxInt64)
	if got.Status.HasPlan() {
		height = got.Height
	}
	if height <= max(got.LowerBound, tl.LowerBound) {
		t.proven++
		return "", nil
	}
	heuristics := plantest.Heuristics()
	best, mine := int64(math.MaxInt64), int64(math.MaxInt64)
	var who []string
	by := ""
	for _, p := range run.All() {
		name := p.Info().Name
		if name == asked || o.Timeout == 0 && !slices.Contains(heuristics, name) || ctx.Err() != nil {
			continue
		}
		began := time.Now()
		r, err := run.Run(ctx, p, tl, o)
		if err != nil || !r.Status.HasPlan() || o.Timeout > 0 && time.Since(began) > 2*o.Timeout+100*time.Millisecond {
			continue // it refuses the problem, or the limit
		}
		if r.Height < height {
			who = append(who, fmt.Sprintf("%s %d", name, r.Height))
		}
		if slices.Contains(ours, name) {
			mine = min(mine, r.Height)
		} else if r.Height < best {
			best, by = r.Height, name
		}
	}
	switch {
	case best < height:
		t.above++
		t.worst = max(t.worst, float64(height)/float64(best)-1)
		t.by[by]++
	case mine < height:
		t.ourselves++
	case best == height:
		t.ties++
	default:
		t.lowest++
	}
	if len(who) > 0 {
		line = fmt.Sprintf("%s %d (%s) is above %s", asked, height, got.Member, strings.Join(who, ", "))
	}
	return line, nil
}
