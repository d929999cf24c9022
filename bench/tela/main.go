// Command tela measures the planner tela: the tables of docs/planners/tela.md.
//
//	go run ./bench/tela micro                     Table 1 of the TelaMalloc paper
//	go run ./bench/tela strategies [INPUT...]     figure 14: the selection strategies
//	go run ./bench/tela ablation [INPUT...]       each technique off
//	go run ./bench/tela inputs INPUT...           each input at 110% of its load
//
//	go run ./bench/tela -variants 'sections;candidates=6 stuck' variants [INPUT...]
//
// Inputs are CSV or JSON problems; to those of strategies, ablation and variants
// it adds the generated ones of -suite. Steps and outcomes are the same on every
// machine. Times are medians of -runs runs.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/baseline/tela"
	"github.com/stowage-go/stowage/internal/experiment"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/suite"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
	"github.com/stowage-go/stowage/research/learn"
)

var (
	runs  = flag.Int("runs", 5, "runs of which the median time counts")
	steps = flag.Int64("steps", 20000, "steps after which a search fails")
	seeds = flag.Uint64("suite", 8, "generated problems: seeds from 0 to `N`-1 of each kind; 0 for none")
	lists = flag.String("variants", "", "`V;W`: words separated by spaces, technique for one that is off, NAME=VALUE for a parameter")
)

func main() {
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: tela [flags] micro|strategies|ablation|variants|inputs [INPUT...]")
		os.Exit(2)
	}
	var err error
	switch files := flag.Args()[1:]; flag.Arg(0) {
	case "micro":
		err = micro()
	case "strategies":
		err = compare(files, strategies())
	case "ablation":
		err = compare(files, ablation())
	case "variants":
		err = compare(files, variants(*lists))
	case "inputs":
		err = inputs(files)
	default:
		err = fmt.Errorf("no measurement is named %q", flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tela:", err)
		os.Exit(1)
	}
}

// search plans an input *runs times and returns the last result with the median
// time. The time is that of the planner and, where whole is set, of the timeline
// too.
func search(in *learn.Input, o plan.Options, whole bool) (plan.Result, tela.Counters, time.Duration, error) {
	var c tela.Counters
	var r plan.Result
	var seconds []float64
	for range *runs {
		began := time.Now()
		tl := in.Timeline
		if whole {
			tl = timeline.New(in.Timeline.Problem)
		}
		var err error
		if r, err = run.Run(context.Background(), tela.Planner{Counters: &c}, tl, o); err != nil {
			return r, c, 0, err
		}
		seconds = append(seconds, time.Since(began).Seconds())
	}
	if r.Status.HasPlan() {
		if report := verify.Check(in.Timeline.Problem, r.Offsets, o.Capacity); !report.OK() {
			return r, c, 0, fmt.Errorf("%s: %s", in.Name, report.Violations[0].Message)
		}
	}
	return r, c, time.Duration(experiment.Median(seconds) * float64(time.Second)), nil
}

// micro measures Table 1, with the time to prepare the problem included. The
// capacity is the load: there is room for all buffers and no more.
func micro() error {
	var rows [][]string
	for _, b := range []struct {
		kind  string
		n     int
		paper float64
	}{
		{"non-overlapping", 1000, 12},
		{"non-overlapping", 10000, 1260},
		{"full-overlap", 100, 142},
		{"full-overlap", 1000, 100758},
	} {
		p, err := suite.Generate(b.kind, suite.Options{Buffers: b.n})
		if err != nil {
			return err
		}
		in := learn.Inputs(b.kind, p, []int64{100})[0]
		r, c, took, err := search(&in, plan.Options{Capacity: in.Capacity}, true)
		if err != nil {
			return err
		}
		if !r.Status.HasPlan() || c.Backtracks() > 0 {
			return fmt.Errorf("%s-%d: %s with %d backtracks", b.kind, b.n, r.Status, c.Backtracks())
		}
		ms := took.Seconds() * 1000
		rows = append(rows, []string{
			fmt.Sprintf("%s-%d", b.kind, b.n), fmt.Sprintf("%.0f", b.paper), fmt.Sprintf("%.3g", ms),
			fmt.Sprintf("%.0f", b.paper/ms), fmt.Sprintf("%.2g", ms*1000/float64(c.Steps)),
		})
	}
	printTable([]string{"benchmark", "paper, ms", "tela, ms", "times faster", "µs a step"}, rows)
	return nil
}

// A variant is a way to run tela.
type variant struct {
	name string
	o    plan.Options
}

// strategies are those of figure 14, with all that tela has, with what is published
// alone, and each by itself.
func strategies() []variant {
	all := []variant{{"all", plan.Options{}}, {"all, as published", plan.Options{Without: tela.Ours()}}}
	for _, name := range []string{"lifetime", "size", "area", "lowest"} {
		all = append(all, variant{name, plan.Options{Params: map[string]string{"strategy": name}}})
	}
	return all
}

func ablation() []variant {
	all := []variant{{"nothing off", plan.Options{}}}
	for _, t := range (tela.Planner{}).Info().Techniques {
		if t.Name != "completion" { // always off here: it is another search
			all = append(all, variant{t.Name, plan.Options{Without: []string{t.Name}}})
		}
	}
	return all
}

// variants reads the flag of that name, and puts the defaults in front.
func variants(text string) []variant {
	all := []variant{{"defaults", plan.Options{}}}
	for one := range strings.SplitSeq(text, ";") {
		v := variant{name: strings.TrimSpace(one), o: plan.Options{Params: map[string]string{}}}
		for _, word := range strings.Fields(one) {
			if key, value, ok := strings.Cut(word, "="); ok {
				v.o.Params[key] = value
			} else {
				v.o.Without = append(v.o.Without, word)
			}
		}
		all = append(all, v)
	}
	return all
}

// compare runs all variants on all inputs. The first variant is the base: the
// others' steps and times are set against its, on the inputs that both solve.
func compare(files []string, variants []variant) error {
	all, err := learn.Generated(0, *seeds, []int64{101, 103, 106, 110, 115, 120})
	if err != nil {
		return err
	}
	for _, path := range files {
		p, _, err := format.ReadProblem(path)
		if err != nil {
			return err
		}
		all = append(all, learn.Inputs(name(path), p, []int64{105, 110, 115, 120, 130})...)
	}
	type cell struct {
		solved bool
		steps  int64
		time   time.Duration
	}
	base := make([]cell, len(all))
	fmt.Printf("%d inputs, at most %d steps each\n\n", len(all), *steps)
	var rows [][]string
	// The first variant is not to pay for a cold machine.
	for k := range all {
		if _, _, _, err := search(&all[k], plan.Options{Capacity: all[k].Capacity, NodeLimit: min(*steps, 1000), Without: []string{"completion"}}, false); err != nil {
			return err
		}
	}
	for v, variant := range variants {
		var solved, lost, gained int
		var bySteps, byTime []float64 // ratios to the base
		var seconds float64
		var taken, backtracks int64
		for k := range all {
			o := variant.o
			o.Capacity, o.NodeLimit = all[k].Capacity, *steps
			o.Without = append([]string{"completion"}, o.Without...)
			r, c, took, err := search(&all[k], o, false)
			if err != nil {
				return err
			}
			now := cell{r.Status.HasPlan(), c.Steps, took}
			if v == 0 {
				base[k] = now
			}
			was := base[k]
			taken, backtracks, seconds = taken+c.Steps, backtracks+c.Backtracks(), seconds+took.Seconds()
			switch {
			case now.solved && was.solved:
				bySteps = append(bySteps, float64(now.steps)/float64(was.steps))
				byTime = append(byTime, float64(now.time)/float64(was.time))
			case now.solved:
				gained++
			case was.solved:
				lost++
			}
			if now.solved {
				solved++
			}
		}
		rows = append(rows, []string{
			variant.name, strconv.Itoa(solved), strconv.Itoa(len(all) - solved), strconv.Itoa(lost), strconv.Itoa(gained),
			fmt.Sprintf("%.2f", experiment.GeometricMean(bySteps)), fmt.Sprintf("%.2f", experiment.GeometricMean(byTime)),
			fmt.Sprintf("%.2f", float64(backtracks)/float64(max(taken, 1))), fmt.Sprintf("%.1f", seconds),
		})
		fmt.Fprintln(os.Stderr, strings.Join(rows[v], "  "))
	}
	printTable([]string{"variant", "solved", "failed", "lost", "gained", "steps ×", "time ×", "backtracks a step", "seconds"}, rows)
	return nil
}

// inputs searches each input at 110% of its load.
func inputs(files []string) error {
	var rows [][]string
	for _, path := range files {
		p, _, err := format.ReadProblem(path)
		if err != nil {
			return err
		}
		in := learn.Inputs(name(path), p, []int64{110})[0]
		r, c, took, err := search(&in, plan.Options{Capacity: in.Capacity, NodeLimit: *steps}, true)
		if err != nil {
			return err
		}
		status := r.Status
		if status == model.Optimal {
			status = model.Feasible // what was asked is whether it fits
		}
		rows = append(rows, []string{
			name(path), strconv.Itoa(len(p.Buffers)), status.String(), strconv.FormatInt(c.Steps, 10),
			strconv.FormatInt(c.Minor, 10), strconv.FormatInt(c.Major, 10), fmt.Sprintf("%.2f", took.Seconds()*1000),
		})
	}
	printTable([]string{"input", "buffers", "status", "steps", "minor", "major", "ms"}, rows)
	return nil
}

func printTable(header []string, rows [][]string) {
	fmt.Print(experiment.NewTable(header, rows).Markdown())
}

func name(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }
