// Command repack replays XLA's calls of its repacker. The traces of requests are recorded from real programs
// (record.py) or made by `stowage gen msa`. It answers each call by session/repack and by XLA's best fit.
//
//	go run ./lab/bench/repack [-nodes 500] [-tries 24] [-into README.md] TRACE...
//	go run ./lab/bench/repack -retained TRACE...
//
// A plan is an error if it is above the given one or the recorder's, or if the checker refuses it. With -retained it
// makes the decisions again with each repacker, and prints the value that is retained.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/comparison"
	_ "github.com/stowage-go/stowage/lab/baselines"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/session/repack"
)

func main() {
	nodes := flag.Int64("nodes", repack.DefaultNodeLimit, "nodes for each set of orders")
	tries := flag.Int("tries", repack.DefaultTries, "sets of orders for each call")
	figure := flag.Bool("retained", false, "retained value with each repacker")
	times := flag.Bool("times", true, "say how long calls took; false on a busy machine")
	into := flag.String("into", "", "put the table into the document `FILE`")
	flag.Parse()
	record.Main("repack", func(ctx context.Context) error {
		if flag.NArg() == 0 {
			return errors.New("name traces")
		}
		o := repack.Options{NodeLimit: *nodes, Tries: *tries}
		var traces []named
		for _, path := range flag.Args() {
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			t, err := trace.Read(f, path)
			f.Close()
			if err != nil {
				return err
			}
			traces = append(traces, named{strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), t})
		}
		block, text, err := "bench:repack", "", error(nil)
		if *figure {
			block = "bench:figure18"
			text, err = figure18(ctx, traces, o)
		} else {
			text, err = replayed(ctx, traces, o, *times)
		}
		if err != nil {
			return err
		}
		text += fmt.Sprintf("\n%d nodes and %d sets of orders at most; %v; %s.\n", *nodes, *tries, record.ThisMachine(),
			record.Today())
		fmt.Print(text)
		if *into != "" {
			return record.ReplaceBlock(*into, block, text)
		}
		return nil
	})
}

type named struct {
	name string
	t    *trace.Trace
}

// A tally has what came of the calls of one trace.
type tally struct {
	calls, blocks, hopeless, whole, over, higher int
	atLoad, bestFit, lower, told, toldOf         int
	no, times                                    []time.Duration
}

// replayed returns the table of all traces.
func replayed(ctx context.Context, traces []named, o repack.Options, times bool) (string, error) {
	const columns = 10 // without times
	var rows [][]string
	var sum tally
	for _, n := range traces {
		calls, err := callsOf(n.t)
		if err != nil {
			return "", fmt.Errorf("%s: %w", n.name, err)
		}
		var t tally
		for k := range calls {
			if err := t.add(ctx, &calls[k], o); err != nil {
				return "", fmt.Errorf("%s, call %d: %w", n.name, k+1, err)
			}
		}
		rows = append(rows, t.row(n.name))
		fmt.Fprintln(os.Stderr, strings.Join(rows[len(rows)-1], " "))
		sum.join(&t)
	}
	rows = append(rows, sum.row("all"))
	head := []string{
		"program", "calls", "most blocks", "hopeless", "whole segment hopeless", "XLA above the given plan",
		"XLA's best fit at the load", "ours at the load", "ours below XLA",
		"told: room for the whole segment", "no: median", "no: worst", "call: median", "call: worst",
	}
	if !times {
		head = head[:columns]
		for k := range rows {
			rows[k] = rows[k][:columns]
		}
	}
	return comparison.NewTable(head, rows).Markdown(), nil
}

// add answers a call in all ways.
func (t *tally) add(ctx context.Context, c *call, o repack.Options) error {
	t.calls++
	t.blocks = max(t.blocks, len(c.Blocks))
	given := int64(0)
	for i := range c.Blocks {
		given = max(given, c.Blocks[i].Offset+c.Blocks[i].Size)
	}
	if c.theirs > given {
		t.higher++
	}
	var r repack.Repacker
	if c.wanted != nil {
		last := *c.wanted
		last.Start = last.End
		for _, w := range []*repack.Block{&last, c.wanted} {
			asked := c.Call
			asked.Wanted = w
			res, _, err := timed(ctx, &r, &asked, o, 1)
			if err != nil {
				return err
			}
			switch {
			case res.Status == model.Infeasible && res.Tries == 0: // by the load
				_, took, err := timed(ctx, &r, &asked, o, 21)
				if err != nil {
					return err
				}
				t.no = append(t.no, took)
				if w == c.wanted {
					t.whole++
				} else {
					t.hopeless++
				}
			case w == c.wanted:
				if t.toldOf++; res.Status.HasPlan() {
					t.told++
				}
			}
			if res.Wanted < 0 && res.Height > given || res.Wanted >= 0 && res.Height > c.Capacity {
				return fmt.Errorf("told: height %d, above the given %d or the capacity", res.Height, given)
			}
		}
	}
	res, took, err := timed(ctx, &r, &c.Call, o, 1)
	if err != nil {
		return err
	}
	t.times = append(t.times, took)
	if fault := repack.Check(&c.Call, res.Offsets, res.Slices); fault != "" {
		return errors.New(fault)
	}
	if res.Height > given || given <= c.Capacity && res.Height > c.Capacity {
		return fmt.Errorf("height %d, above the given %d", res.Height, given)
	}
	if c.theirs > 0 && res.Height > c.theirs {
		t.over++
	}
	if c.theirs > 0 && res.Height < c.theirs {
		t.lower++
	}
	if res.Height == res.LowerBound {
		t.atLoad++
	}
	if c.theirs > 0 && c.theirs == res.LowerBound {
		t.bestFit++
	}
	return nil
}

// timed answers a call some times over, and returns the median time.
func timed(ctx context.Context, r *repack.Repacker, c *repack.Call, o repack.Options, times int) (res *repack.Result,
	median time.Duration, err error,
) {
	var all []time.Duration
	for range times {
		began := time.Now()
		if res, err = r.Repack(ctx, c, o); err != nil {
			return nil, 0, err
		}
		all = append(all, time.Since(began))
	}
	slices.Sort(all)
	return res, all[len(all)/2], nil
}

func (t *tally) join(x *tally) {
	t.calls += x.calls
	t.blocks = max(t.blocks, x.blocks)
	t.hopeless += x.hopeless
	t.whole += x.whole
	t.higher += x.higher
	t.over += x.over
	t.atLoad += x.atLoad
	t.bestFit += x.bestFit
	t.lower += x.lower
	t.told += x.told
	t.toldOf += x.toldOf
	t.no = append(t.no, x.no...)
	t.times = append(t.times, x.times...)
}

func (t *tally) row(name string) []string {
	of := func(n int) string { return strconv.Itoa(n) }
	lower := of(t.lower)
	if t.over > 0 {
		lower += fmt.Sprintf(" (above in %d)", t.over)
	}
	return []string{
		name, of(t.calls), of(t.blocks), of(t.hopeless), of(t.whole), of(t.higher), of(t.bestFit), of(t.atLoad), lower,
		fmt.Sprintf("%d of %d", t.told, t.toldOf), middle(t.no), worst(t.no), middle(t.times), worst(t.times),
	}
}

func middle(x []time.Duration) string {
	if len(x) == 0 {
		return ""
	}
	return short(slices.Sorted(slices.Values(x))[len(x)/2])
}

func worst(x []time.Duration) string {
	if len(x) == 0 {
		return ""
	}
	return short(slices.Max(x))
}

func short(d time.Duration) string {
	if d < 100*time.Microsecond {
		return fmt.Sprintf("%.1f µs", float64(d)/1e3)
	}
	return d.Round(10 * time.Microsecond).String()
}

// bestFit is XLA's repacker on the blocks of a call as buffers, with the given slices.
func bestFit(ctx context.Context, c *repack.Call) (offsets []int64, height int64, err error) {
	p := repack.Lower(c)
	p.Capacity = 0
	r, err := stowage.Solve(ctx, p, stowage.Options{Planner: "xla-repacker"})
	if err != nil {
		return nil, 0, err
	}
	return r.Offsets, r.Height, nil
}
