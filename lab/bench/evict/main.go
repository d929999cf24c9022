// Command evict measures the price of the evictions that fit training steps into less memory than their load. It
// compares auto with the rule of the farthest next use and with the bound.
//
//	go run ./lab/bench/evict [-timeout 10s] [-into lab/bench/evict/README.md] [-write FOLDER] [FILE]...
//
// Without files it takes five training steps of internal/gen, whose graphs say which step uses which tensor. A tensor
// may leave between two uses, at twice its size: it is written out and read back. Each step is planned for 90, 80 and
// 60% of its load. A file is a problem with evictions. -write writes the problems, as examples.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/model"
)

func main() {
	timeout := flag.Duration("timeout", 10*time.Second, "time for each plan")
	into := flag.String("into", "", "put the table into the document `FILE`")
	folder := flag.String("write", "", "write the problems as JSON into `FOLDER`")
	flag.Parse()
	record.Main("evict", func(ctx context.Context) error {
		all := gen.TrainingSteps()
		if flag.NArg() > 0 {
			all = nil
		}
		for _, file := range flag.Args() {
			p, _, err := format.ReadProblem(file)
			if err != nil {
				return err
			}
			if p.Rules == nil || len(p.Rules.Pools) > 1 {
				return fmt.Errorf("%s: want a problem of one pool with evictions", file)
			}
			all = append(all, p)
		}
		var rows [][]string
		for _, p := range all {
			if *folder != "" {
				path := filepath.Join(*folder, p.Name+".json")
				err := format.WriteFile(path, func(w io.Writer) error { return format.Write(w, path, p, nil) })
				if err != nil {
					return err
				}
			}
			for _, percent := range []int64{90, 80, 60} {
				row, err := measure(ctx, p, percent, *timeout)
				if err != nil {
					return fmt.Errorf("%s, %d%%: %w", p.Name, percent, err)
				}
				rows = append(rows, row)
			}
		}
		text := comparison.NewTable([]string{
			"training step", "buffers", "evictions", "load", "capacity", "", "farthest next use", "auto", "bound",
			"farthest / auto", "auto / bound", "status", "seconds",
		}, rows).Markdown()
		text += fmt.Sprintf("\nBytes; %v a plan at most; %v; %s.\n", *timeout, record.ThisMachine(), record.Today())
		fmt.Print(text)
		if *into != "" {
			return record.ReplaceBlock(*into, "bench:evict", text)
		}
		return nil
	})
}

// alignment is what capacities are rounded down to.
const alignment = 64

// measure plans a step for this part of its load, and returns its row.
func measure(ctx context.Context, of *model.Problem, percent int64, timeout time.Duration) ([]string, error) {
	plain := &model.Problem{Buffers: make([]model.Buffer, len(of.Buffers))}
	evictions := 0
	for i := range of.Buffers {
		plain.Buffers[i] = of.Buffers[i]
		plain.Buffers[i].Extra = nil
		if x := of.Buffers[i].Extra; x != nil {
			evictions += len(x.Evictions)
		}
	}
	load, err := stowage.LowerBound(plain)
	if err != nil {
		return nil, err
	}
	p, rules := *of, *of.Rules
	p.Capacity, p.Rules = load*percent/100/alignment*alignment, &rules
	rules.Objective, rules.Pools = []model.Measure{model.MeasureEviction}, nil
	began := time.Now()
	r, err := stowage.Solve(ctx, &p, stowage.Options{Planner: "auto", Timeout: timeout})
	if err != nil {
		return nil, err
	}
	seconds := time.Since(began).Seconds()
	row := []string{p.Name}
	for _, x := range []int64{int64(len(p.Buffers)), int64(evictions), load, p.Capacity} {
		row = append(row, strconv.FormatInt(x, 10))
	}
	row = append(row, strconv.FormatInt(percent, 10)+"%")
	far, fits := farthest(&p)
	if fits {
		row = append(row, strconv.FormatInt(far, 10))
	} else {
		row = append(row, "")
	}
	if !r.Status.HasPlan() {
		return append(row, "", "", "", "", r.Status.String(), fmt.Sprintf("%.1f", seconds)), nil
	}
	cost, least := model.ValueOf(r.Measures, model.MeasureEviction), model.ValueOf(r.Bounds, model.MeasureEviction)
	ratio := func(x, y int64) string {
		switch {
		case x == y:
			return "="
		case y == 0:
			return ""
		}
		return fmt.Sprintf("%.4f", float64(x)/float64(y))
	}
	row = append(row, strconv.FormatInt(cost, 10), strconv.FormatInt(least, 10), ratio(far, cost), ratio(cost, least))
	return append(row, r.Status.String(), fmt.Sprintf("%.1f", seconds)), nil
}
