// Session measures how a plan follows changes: 1,000 changes of each instance by the generator edit, made by a
// session with all steps, by a fresh solve for each change, by a fresh solve with hints, and by moving no buffer. It
// prints a Markdown table. Times are processor times, so that other programs do not count.
//
// By default each way plays its own changes. A way that gives up more of them has an emptier memory later, and easier
// changes. With -same one way plays, and all others get the same questions in its states (same.go).
//
// By default only the node limit ends a call. So all results but the times are the same on every machine.
//
//	go run ./lab/bench/session                     # the networks and A-K of STOWAGE_DATA
//	go run ./lab/bench/session -changes 100 -only A,J
//	go run ./lab/bench/session -only A -same session -others 500,5000
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/gen/traces"
	"github.com/stowage-go/stowage/internal/testkit/processor"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/session"
)

type settings struct {
	changes, nodes int
	slack, pins    float64
	seed           uint64
	limit          time.Duration
	same           string  // the way that plays while the others are asked; empty if each plays
	others         []int64 // node limits of the fresh ways that are asked; nil for nodes
}

// A way is one way to follow the changes.
type way struct {
	name    string
	without []session.Step
	effort  session.Step
	open    bool  // no capacity
	nodes   int64 // node limit of each call; 0 means the settings'
}

var ways = []way{
	{name: "session", effort: session.Fresh},
	{name: "fresh with hints", effort: session.Fresh, without: append([]session.Step{session.Fresh}, local...)},
	{name: "fresh", effort: session.Fresh, without: append([]session.Step{session.Hints}, local...)},
	{name: "keep all", effort: session.Fit, open: true},
}

// local has the steps that plan a part.
var local = []session.Step{session.Keep, session.Fit, session.Repair, session.Window}

// An outcome is what one way made of one change.
type outcome struct {
	session.Answer
	took  time.Duration
	bytes float64 // of all buffers after the change
	above bool    // the plan was above the limit
}

// A row is what came of one way on one instance.
type row struct {
	way, name            string
	steps                [session.Fresh + 1]int
	no, decided, unknown int // decided: a plan or a proof
	above                int // changes after which the plan was above the limit
	moved                float64
	median, late, latest time.Duration // the 50th, 95th and 99th percentile
	sum                  time.Duration
	heights              float64 // height over load at the end; 0 for a way that did not play
}

func main() {
	var c settings
	only := flag.String("only", "", "names of instances, with commas: A, J, hand_landmark_lite")
	which := flag.String("ways", "", "names of ways, with commas; empty means all")
	others := flag.String("others", "", "with -same: node limits of the fresh ways; empty means that of -nodes")
	flag.StringVar(&c.same, "same", "", "the way that plays while all are asked about its changes; empty if each plays")
	flag.IntVar(&c.changes, "changes", 1000, "changes of each instance")
	flag.IntVar(&c.nodes, "nodes", 0, "node limit of each call; 0 means the session's default")
	flag.Float64Var(&c.slack, "slack", 1.05, "capacity over the initial height")
	flag.Float64Var(&c.pins, "pins", 0.05, "share of the steps with a pin")
	flag.Uint64Var(&c.seed, "seed", 1, "seed of the changes")
	flag.DurationVar(&c.limit, "limit", 0, "timeout of each call; 0 for none")
	flag.Parse()
	var err error
	if c.others, err = numbers(*others); err == nil {
		err = run(os.Stdout, c, split(*only), split(*which))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

func numbers(list string) (numbers []int64, err error) {
	for _, text := range split(list) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

const head = "| instance | way | keep | fit | repair | window | hints | fresh | no | decided | undecided | above " +
	"| moved | median | 95th | 99th | sum | height / load |\n" +
	"|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"

func run(out io.Writer, c settings, only, which []string) error {
	games, err := gamesOf(c, which)
	if err != nil {
		return err
	}
	fmt.Fprint(out, head)
	var compared comparison
	for _, folder := range []string{"models", "challenging"} {
		files, _ := filepath.Glob(filepath.Join(public.Dir(), folder, "*.csv"))
		rows := map[string][]row{}
		for _, file := range files {
			name, _, _ := strings.Cut(filepath.Base(file), ".")
			if len(only) > 0 && !slices.Contains(only, name) {
				continue
			}
			t, err := edited(folder+"/"+filepath.Base(file), c)
			if err != nil {
				return err
			}
			for _, g := range games {
				outcomes, heights, err := play(t, g, c)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", name, g[0].name, err)
				}
				for k, w := range g {
					r := tally(name, w.name, outcomes[k])
					if k == 0 {
						r.heights = heights
					}
					r.print(out)
					rows[w.name] = append(rows[w.name], r)
				}
				compared.add(name, g, outcomes)
			}
		}
		for _, w := range slices.Concat(games...) {
			if len(rows[w.name]) > 1 {
				summary(out, folder, w.name, rows[w.name])
			}
		}
		for _, g := range games {
			compared.total(folder, g)
		}
	}
	if compared.text.Len() > 0 {
		fmt.Fprint(out, compareHead, compared.text.String())
	}
	return nil
}

// edited returns the changes of an instance.
func edited(path string, c settings) (*trace.Trace, error) {
	p, err := public.Load(path)
	if err != nil {
		return nil, err
	}
	p.Capacity = 0
	plan, err := stowage.Minimize(context.Background(), p, stowage.Options{NodeLimit: 100_000})
	if err != nil {
		return nil, err
	}
	capacity := int64(float64(plan.Height) * c.slack)
	o := traces.EditOptions{Seed: c.seed, Changes: c.changes, Capacity: capacity, Pins: c.pins}
	return traces.Edit(p, plan.Offsets, o)
}

// isChange says which operations are changes.
func isChange(k trace.Kind) bool {
	return k == trace.Add || k == trace.Remove || k == trace.Resize || k == trace.Retime
}

func (w *way) options(c settings) session.Options {
	nodes := cmp.Or(w.nodes, int64(c.nodes))
	return session.Options{Without: w.without, Effort: w.effort, NodeLimit: nodes, Timeout: c.limit}
}

// play plays a trace in the first of the ways, and asks the others about each change, in the state before it.
// outcomes has the outcomes of each way, heights the height over the load at the end.
func play(t *trace.Trace, g []way, c settings) (outcomes [][]outcome, heights float64, err error) {
	ctx := context.Background()
	from := *t
	if g[0].open {
		from.Capacity = 0
	}
	s, rest, err := session.Begin(ctx, &from, g[0].options(c))
	if err != nil {
		return nil, 0, err
	}
	player := session.NewPlayer(s)
	outcomes = make([][]outcome, len(g))
	for i := range rest {
		op := &rest[i]
		var before *model.Problem
		var plan *model.Plan
		if len(g) > 1 { // else it would only make garbage
			before, plan = s.Snapshot()
		}
		o, made, err := timed(ctx, player, op, t.Capacity)
		if err != nil {
			return nil, 0, err
		}
		if !made || !isChange(op.Kind) {
			continue
		}
		outcomes[0] = append(outcomes[0], o)
		for k := 1; k < len(g); k++ {
			x, err := ask(ctx, before, plan, op, g[k].options(c))
			if err != nil {
				return nil, 0, fmt.Errorf("%s: %w", g[k].name, err)
			}
			if contradict(o.Status, x.Status) {
				return nil, 0, fmt.Errorf("%s: %s is %v, and was %v", g[k].name, op.ID, x.Status, o.Status)
			}
			x.bytes = o.bytes
			outcomes[k] = append(outcomes[k], x)
		}
	}
	load, _ := s.Peak()
	return outcomes, float64(s.Height()) / math.Max(1, float64(load)), nil
}

// timed plays one operation.
func timed(ctx context.Context, p *session.Player, op *trace.Op, capacity int64) (o outcome, made bool, err error) {
	began := processor.Used()
	o.Answer, made, err = p.Play(ctx, op)
	o.took = processor.Used() - began
	s := p.Session
	o.above = capacity > 0 && s.Height() > capacity
	after, _ := s.Snapshot()
	for k := range after.Buffers {
		o.bytes += float64(after.Buffers[k].Size)
	}
	return o, made, err
}

// tally returns the row of some outcomes.
func tally(name, way string, outcomes []outcome) row {
	r := row{name: name, way: way}
	var times []time.Duration
	var moved, total float64
	for i := range outcomes {
		o := &outcomes[i]
		times = append(times, o.took)
		r.sum += o.took
		total += o.bytes
		r.above += btoi(o.above)
		switch o.Status {
		case model.Infeasible:
			r.no++
		case model.Unknown:
			r.unknown++
		default:
			r.steps[o.Step]++
			moved += float64(o.Moved.Bytes)
		}
	}
	if n := len(times); n > 0 {
		slices.Sort(times)
		r.median, r.late, r.latest = times[n/2], times[n*95/100], times[n*99/100]
		r.decided = n - r.unknown
		r.moved = moved / math.Max(1, total)
	}
	return r
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r *row) print(out io.Writer) {
	fmt.Fprintf(out, "| %s | %s |", r.name, r.way)
	for _, n := range r.steps[1:] {
		fmt.Fprintf(out, " %d |", n)
	}
	fmt.Fprintf(out, " %d | %d | %d | %d | %s | %s | %s | %s | %s |", r.no, r.decided, r.unknown, r.above,
		share(r.moved), short(r.median), short(r.late), short(r.latest), short(r.sum))
	if r.heights > 0 {
		fmt.Fprintf(out, " %.3f", r.heights)
	}
	fmt.Fprintln(out, " |")
}

func short(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f µs", float64(d)/float64(time.Microsecond))
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

func share(x float64) string { return fmt.Sprintf("%.2f%%", 100*x) }

// summary prints medians and the worst over instances.
func summary(out io.Writer, folder, name string, rows []row) {
	// of is the median and the worst of a figure.
	of := func(figure func(*row) float64) (median, worst float64) {
		var values []float64
		for i := range rows {
			values = append(values, figure(&rows[i]))
		}
		slices.Sort(values)
		return values[len(rows)/2], values[len(rows)-1]
	}
	count := func(figure func(*row) int) string {
		median, worst := of(func(r *row) float64 { return float64(figure(r)) })
		return fmt.Sprintf("%.0f (%.0f)", median, worst)
	}
	spell := func(figure func(*row) time.Duration) string {
		median, worst := of(func(r *row) float64 { return float64(figure(r)) })
		return fmt.Sprintf("%s (%s)", short(time.Duration(median)), short(time.Duration(worst)))
	}
	above, decided, asked := 0, 0, 0
	for _, r := range rows {
		above, decided, asked = above+r.above, decided+r.decided, asked+r.decided+r.unknown
	}
	moved, most := of(func(r *row) float64 { return r.moved })
	fmt.Fprintf(out, "| **%s**, median (most) of %d | %s | | | | | | | | %d of %d | %s | %d | %s (%s) |",
		folder, len(rows), name, decided, asked, count(func(r *row) int { return r.unknown }), above,
		share(moved), share(most))
	fmt.Fprintf(out, " %s | %s | %s | %s | |\n",
		spell(func(r *row) time.Duration { return r.median }), spell(func(r *row) time.Duration { return r.late }),
		spell(func(r *row) time.Duration { return r.latest }), spell(func(r *row) time.Duration { return r.sum }))
}
