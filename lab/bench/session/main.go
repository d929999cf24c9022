// Session measures how a plan follows changes: 1,000 changes of each instance by the generator edit, made by a
// session with all steps, by a fresh solve for each change, by a fresh solve with hints, and by keeping all that is
// there. It prints a Markdown table. Times are of the processor, so that other programs do not count.
//
// By default no clock ends a call, only the node limit. So everything but the times is the same on every machine.
//
//	go run ./lab/bench/session                     # the networks and A-K of STOWAGE_DATA
//	go run ./lab/bench/session -changes 100 -only A,J
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
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
}

// A way is one way to follow the changes.
type way struct {
	name    string
	without []session.Step
	effort  session.Step
	open    bool // no capacity
}

var ways = []way{
	{"session", nil, session.Fresh, false},
	{"fresh with hints", []session.Step{session.Keep, session.Fit, session.Repair, session.Window, session.Fresh}, session.Fresh, false},
	{"fresh", []session.Step{session.Keep, session.Fit, session.Repair, session.Window, session.Hints}, session.Fresh, false},
	{"keep all", nil, session.Fit, true},
}

// A row is what came of one way on one instance.
type row struct {
	way, name       string
	steps           [session.Fresh + 1]int
	no, unknown     int
	above           int // changes after which the plan was above the limit
	moved           float64
	median, late    time.Duration
	heights         float64 // height over load at the end
	changes, played int
}

func main() {
	var c settings
	only := flag.String("only", "", "names of instances, with commas: A, J, hand_landmark_lite")
	which := flag.String("ways", "", "names of ways, with commas; empty means all")
	flag.IntVar(&c.changes, "changes", 1000, "changes of each instance")
	flag.IntVar(&c.nodes, "nodes", 0, "node limit of each call; 0 means the session's default")
	flag.Float64Var(&c.slack, "slack", 1.05, "capacity over the initial height")
	flag.Float64Var(&c.pins, "pins", 0.05, "share of the steps with a pin")
	flag.Uint64Var(&c.seed, "seed", 1, "seed of the changes")
	flag.DurationVar(&c.limit, "limit", 0, "timeout of each call; 0 for none")
	flag.Parse()
	if err := run(c, split(*only), split(*which)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

func run(c settings, only, which []string) error {
	fmt.Println("| instance | way | keep | fit | repair | window | hints | fresh | no | undecided | above | moved | median | 95th | height / load |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, folder := range []string{"models", "challenging"} {
		files, _ := filepath.Glob(filepath.Join(public.Dir(), folder, "*.csv"))
		rows := map[string][]row{}
		for _, file := range files {
			name, _, _ := strings.Cut(filepath.Base(file), ".")
			if len(only) > 0 && !slices.Contains(only, name) {
				continue
			}
			p, err := public.Load(folder + "/" + filepath.Base(file))
			if err != nil {
				return err
			}
			p.Capacity = 0
			plan, err := stowage.Minimize(context.Background(), p, stowage.Options{NodeLimit: 100_000})
			if err != nil {
				return err
			}
			capacity := int64(float64(plan.Height) * c.slack)
			t, err := traces.Edit(p, plan.Offsets, traces.EditOptions{Seed: c.seed, Changes: c.changes, Capacity: capacity, Pins: c.pins})
			if err != nil {
				return err
			}
			for _, w := range ways {
				if len(which) > 0 && !slices.Contains(which, w.name) {
					continue
				}
				r, err := measure(t, w, c)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", name, w.name, err)
				}
				r.name = name
				r.print()
				rows[w.name] = append(rows[w.name], r)
			}
		}
		for _, w := range ways {
			if len(rows[w.name]) > 1 {
				summary(folder, w.name, rows[w.name])
			}
		}
	}
	return nil
}

// isChange says which operations are changes.
func isChange(k trace.Kind) bool {
	return k == trace.Add || k == trace.Remove || k == trace.Resize || k == trace.Retime
}

// measure plays a trace in one way.
func measure(t *trace.Trace, w way, c settings) (row, error) {
	r := row{way: w.name}
	ctx := context.Background()
	o := session.Options{Without: w.without, Effort: w.effort, NodeLimit: int64(c.nodes), Timeout: c.limit}
	from := *t
	if w.open {
		from.Capacity = 0
	}
	s, rest, err := session.Begin(ctx, &from, o)
	if err != nil {
		return r, err
	}
	player := session.NewPlayer(s)
	var times []time.Duration
	var moved, total float64
	for i := range rest {
		op := &rest[i]
		r.changes += btoi(isChange(op.Kind))
		began := processor.Used()
		a, made, err := player.Play(ctx, op)
		took := processor.Used() - began
		if err != nil {
			return r, err
		}
		if !made || !isChange(op.Kind) {
			continue
		}
		r.played++
		times = append(times, took)
		switch a.Status {
		case model.Infeasible:
			r.no++
		case model.Unknown:
			r.unknown++
		default:
			r.steps[a.Step]++
			moved += float64(a.Moved.Bytes)
		}
		p, _ := s.Snapshot()
		for k := range p.Buffers {
			total += float64(p.Buffers[k].Size)
		}
		if t.Capacity > 0 && s.Height() > t.Capacity {
			r.above++
		}
	}
	slices.Sort(times)
	r.median, r.late = times[len(times)/2], times[len(times)*95/100]
	r.moved = moved / total
	load, _ := s.Peak()
	r.heights = float64(s.Height()) / math.Max(1, float64(load))
	return r, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r *row) print() {
	fmt.Printf("| %s | %s |", r.name, r.way)
	for _, n := range r.steps[1:] {
		fmt.Printf(" %d |", n)
	}
	fmt.Printf(" %d | %d | %d | %.2f%% | %s | %s | %.3f |\n", r.no, r.unknown, r.above, 100*r.moved, short(r.median), short(r.late), r.heights)
}

func short(d time.Duration) string { return fmt.Sprintf("%.1f µs", float64(d.Nanoseconds())/1000) }

// summary prints medians and the worst over instances.
func summary(folder, name string, rows []row) {
	var median, late []time.Duration
	var moved []float64
	worst, above := 0, 0
	for _, r := range rows {
		median, late, moved = append(median, r.median), append(late, r.late), append(moved, r.moved)
		worst, above = max(worst, r.unknown), above+r.above
	}
	slices.Sort(median)
	slices.Sort(late)
	slices.Sort(moved)
	n := len(rows)
	fmt.Printf("| **%s**, median (most) of %d | %s | | | | | | | | %d most | %d | %.2f%% (%.2f%%) | %s (%s) | %s (%s) | |\n", folder, n, name, worst, above,
		100*moved[n/2], 100*moved[n-1], short(median[n/2]), short(median[n-1]), short(late[n/2]), short(late[n-1]))
}
