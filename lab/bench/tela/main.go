// Command tela measures the planner tela: the tables of docs/planners/tela.md.
//
//	go run ./lab/bench/tela micro                     Table 1 of the TelaMalloc paper
//	go run ./lab/bench/tela strategies [INPUT...]     figure 14: the selection strategies
//	go run ./lab/bench/tela ablation [INPUT...]       each technique off
//	go run ./lab/bench/tela inputs INPUT...           each input at 110% of its load
//
//	go run ./lab/bench/tela -variants 'sections;candidates=6 stuck' variants [INPUT...]
//
// Inputs are CSV or JSON problems; to those of strategies, ablation and variants
// it adds the generated ones of -suite. Steps and outcomes are the same on every
// machine. Times are medians of -runs runs, with -processor of the processor time that they
// take.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/planners/tela"
	"github.com/stowage-go/stowage/internal/testkit/processor"
	"github.com/stowage-go/stowage/lab/bench/internal/telamalloc"
	"github.com/stowage-go/stowage/lab/learn"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

var (
	runs  = flag.Int("runs", 5, "runs of which the median time counts")
	steps = flag.Int64("steps", 20000, "steps after which a search fails")
	seeds = flag.Uint64("suite", 8, "generated problems: seeds from 0 to `N`-1 of each kind; 0 for none")
	cpu   = flag.Bool("processor", false, "times are processor time, for a machine with other work")
	lists = flag.String("variants", "", "`V;W`: words separated by spaces, technique for one that is off, NAME=VALUE for a parameter")
)

func main() {
	flag.Parse()
	if *cpu {
		telamalloc.Clock = processor.Used
	}
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: tela [flags] micro|strategies|ablation|variants|inputs [INPUT...]")
		os.Exit(2)
	}
	var err error
	switch files := flag.Args()[1:]; flag.Arg(0) {
	case "micro":
		err = micro()
	case "strategies":
		err = compare(files, telamalloc.Strategies())
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

// micro measures Table 1, with the time to prepare the problem included.
func micro() error {
	var rows [][]string
	for _, m := range telamalloc.Micros {
		if err := m.Measure(context.Background(), *runs); err != nil {
			return err
		}
		ms := m.Seconds * 1000
		rows = append(rows, []string{
			m.Name, fmt.Sprintf("%.0f", m.Paper), fmt.Sprintf("%.3g", ms),
			fmt.Sprintf("%.0f", m.Paper/ms), fmt.Sprintf("%.2g", ms*1000/float64(m.Steps)),
		})
	}
	printTable([]string{"benchmark", "paper, ms", "tela, ms", "times faster", "µs a step"}, rows)
	return nil
}

func ablation() []telamalloc.Variant {
	all := []telamalloc.Variant{{Name: "nothing off"}}
	for _, t := range (tela.Planner{}).Info().Techniques {
		if t.Name != "completion" { // always off here: it is another search
			all = append(all, telamalloc.Variant{Name: t.Name, Options: plan.Options{Without: []string{t.Name}}})
		}
	}
	return all
}

// variants reads the flag of that name, and puts the defaults in front.
func variants(text string) []telamalloc.Variant {
	all := []telamalloc.Variant{{Name: "defaults"}}
	for one := range strings.SplitSeq(text, ";") {
		v := telamalloc.Variant{Name: strings.TrimSpace(one), Options: plan.Options{Params: map[string]string{}}}
		for _, word := range strings.Fields(one) {
			if key, value, ok := strings.Cut(word, "="); ok {
				v.Options.Params[key] = value
			} else {
				v.Options.Without = append(v.Options.Without, word)
			}
		}
		all = append(all, v)
	}
	return all
}

// compare runs all variants on all inputs. The first variant is the base: the
// others' steps and times are set against its, on the inputs that both solve.
func compare(files []string, variants []telamalloc.Variant) error {
	ctx := context.Background()
	all, err := learn.Generated(learn.Seeds{Last: *seeds}, learn.Packings, []int64{101, 103, 106, 110, 115, 120})
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
	fmt.Printf("%d inputs, at most %d steps each\n\n", len(all), *steps)
	var rows [][]string
	// The first variant is not to pay for a cold machine.
	for k := range all {
		if _, err := telamalloc.Try(ctx, &all[k], telamalloc.Variant{}, min(*steps, 1000), 1); err != nil {
			return err
		}
	}
	var base []telamalloc.Outcome
	for v, variant := range variants {
		var now []telamalloc.Outcome
		for k := range all {
			o, err := telamalloc.Try(ctx, &all[k], variant, *steps, *runs)
			if err != nil {
				return err
			}
			now = append(now, o)
		}
		if v == 0 {
			base = now
		}
		s := telamalloc.Add(base, now)
		rows = append(rows, []string{
			variant.Name, strconv.Itoa(s.Solved), strconv.Itoa(s.Inputs - s.Solved), strconv.Itoa(s.Lost), strconv.Itoa(s.Gained),
			fmt.Sprintf("%.2f", s.Steps), fmt.Sprintf("%.2f", s.Time), fmt.Sprintf("%.2f", s.Backtracks), fmt.Sprintf("%.1f", s.Seconds),
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
		s, err := telamalloc.Solve(context.Background(), &in, plan.Options{Capacity: in.Capacity, NodeLimit: *steps}, *runs, true)
		if err != nil {
			return err
		}
		status, c := s.Result.Status, s.Counters
		if status == model.Optimal {
			status = model.Feasible // what was asked is whether it fits
		}
		rows = append(rows, []string{
			name(path), strconv.Itoa(len(p.Buffers)), status.String(), strconv.FormatInt(c.Steps, 10),
			strconv.FormatInt(c.Minor, 10), strconv.FormatInt(c.Major, 10), fmt.Sprintf("%.2f", s.Time.Seconds()*1000),
		})
	}
	printTable([]string{"input", "buffers", "status", "steps", "minor", "major", "ms"}, rows)
	return nil
}

func printTable(header []string, rows [][]string) {
	fmt.Print(comparison.NewTable(header, rows).Markdown())
}

func name(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }
