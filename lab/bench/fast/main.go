// Command fast measures which buffers go into a fast memory that cannot hold them all. It compares auto's choice with
// the bound, and with compilers, which decide about one buffer at a time.
//
//	go run ./lab/bench/fast [-timeout 5s] [-patience 50ms] [-seed 1] [-into lab/bench/fast/README.md] FILE...
//	go run ./lab/bench/fast [-timeout 5s] [-patience 50ms]
//
// Each file is a problem of plain buffers. A buffer's value is its size times its accesses, which are drawn, since
// the file does not have them. Without files it takes five networks whose values are known (networks.go). The fast
// memory has 30, 50 and 70% of the load.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/comparison"
	_ "github.com/stowage-go/stowage/lab/baselines"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/model"
)

// A rival is a way to choose that auto is compared with.
type rival struct {
	name   string
	rank   order
	repack func(patience time.Duration) repacker
}

var rivals = []rival{
	{"by value", byValue, nil},
	{"by density", byDensity, nil},
	{"XLA's order", byBoundedness, nil},
	{"and best fit", byBoundedness, func(d time.Duration) repacker { return repackBy("xla-repacker", false, d) }},
	{"and Stowage", byBoundedness, func(d time.Duration) repacker { return repackBy("auto", false, d) }},
	{"and Stowage, told", byBoundedness, func(d time.Duration) repacker { return repackBy("auto", true, d) }},
	{"density and Stowage, told", byDensity, func(d time.Duration) repacker { return repackBy("auto", true, d) }},
}

func main() {
	timeout := flag.Duration("timeout", 5*time.Second, "time for each choice by auto")
	patience := flag.Duration("patience", 50*time.Millisecond, "time for each repack by Stowage")
	seed := flag.Uint64("seed", 1, "seed of the accesses")
	into := flag.String("into", "", "put the tables into the document `FILE`")
	flag.Parse()
	record.Main("fast", func(ctx context.Context) error {
		all := five()
		if flag.NArg() > 0 {
			all = nil
		}
		var rows [][]string
		var sum summary
		for _, file := range flag.Args() {
			p, _, err := format.ReadProblem(file)
			if err != nil {
				return err
			}
			if p.Rules != nil {
				return fmt.Errorf("%s: want a problem without rules", file)
			}
			all = append(all, input{strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), p, values(p, *seed)})
		}
		for _, in := range all {
			for _, percent := range []int64{30, 50, 70} {
				row, err := measure(ctx, in, percent, *timeout, *patience, &sum)
				if err != nil {
					return fmt.Errorf("%s, %d%%: %w", in.name, percent, err)
				}
				rows = append(rows, append([]string{in.name, strconv.FormatInt(percent, 10) + "%"}, row...))
				fmt.Println(strings.Join(rows[len(rows)-1], " "))
			}
		}
		head := []string{"problem", "capacity", "all", "bound", "auto"}
		for _, r := range rivals {
			head = append(head, r.name)
		}
		text := comparison.NewTable(append(head, "status", "seconds"), rows).Markdown() + "\n" + sum.table()
		text += fmt.Sprintf("\n%v a choice and %v a repack at most; seed %d; %v; %s.\n", *timeout, *patience, *seed,
			record.ThisMachine(), record.Today())
		fmt.Print(text)
		if *into != "" {
			return record.ReplaceBlock(*into, "bench:fast", text)
		}
		return nil
	})
}

// values draws the accesses of each buffer, its definition and 1 to 6 uses, and returns size times accesses.
func values(p *model.Problem, seed uint64) []int64 {
	r := rand.New(rand.NewPCG(seed, 0))
	out := make([]int64, len(p.Buffers))
	for i := range out {
		accesses := int64(2)
		for accesses < 7 && r.Float64() < 0.35 {
			accesses++
		}
		out[i] = p.Buffers[i].Size * accesses
	}
	return out
}

// An input is a problem and the value of each buffer.
type input struct {
	name    string
	problem *model.Problem
	value   []int64
}

// measure chooses the buffers for a fast memory of this part of the load, in all ways, and returns a row.
func measure(ctx context.Context, in input, percent int64, timeout, patience time.Duration,
	sum *summary,
) ([]string, error) {
	plain := *in.problem
	plain.Capacity = 0
	load, err := stowage.LowerBound(&plain)
	if err != nil {
		return nil, err
	}
	q := &question{plain.Buffers, in.value, max(load*percent/100, 1)}
	p := &model.Problem{Buffers: slices.Clone(plain.Buffers), Rules: &model.Rules{
		Pools:     []model.Pool{{ID: "fast", Capacity: q.capacity}, {ID: "slow"}},
		Objective: []model.Measure{model.MeasureCost},
	}}
	all := int64(0)
	for i := range p.Buffers {
		p.Buffers[i].Extra = &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: q.value[i]}}}
		all += q.value[i]
	}
	began := time.Now()
	r, err := stowage.Solve(ctx, p, stowage.Options{Planner: "auto", Timeout: timeout})
	if err != nil {
		return nil, err
	}
	seconds := time.Since(began).Seconds()
	if !r.Status.HasPlan() {
		return nil, fmt.Errorf("no plan: %v", r.Status)
	}
	bound := all - model.ValueOf(r.Bounds, model.MeasureCost)
	mine := all - model.ValueOf(r.Measures, model.MeasureCost)
	kept := []int64{mine}
	for _, x := range rivals {
		var repack repacker
		if x.repack != nil {
			repack = x.repack(patience)
		}
		value, asked, helped := loop(ctx, q, x.rank, repack)
		if value > bound {
			return nil, fmt.Errorf("%s has %d, above the bound %d", x.name, value, bound)
		}
		kept = append(kept, value)
		sum.repacks(x.name, asked, helped)
	}
	sum.add(kept, bound)
	row := []string{strconv.FormatInt(all, 10), strconv.FormatInt(bound, 10)}
	for _, value := range kept {
		row = append(row, percentOf(gap(value, bound)))
	}
	return append(row, r.Status.String(), fmt.Sprintf("%.2f", seconds)), nil
}
