// Command instructions compares two builds of the command stowage by the instructions that each executes, from the
// start of the process to its end, under valgrind. A count does not depend on what else the machine does.
//
//	go run ./lab/bench/instructions -old PATH -new PATH [-data FOLDER] [-only SETS] [-into lab/bench/instructions/README.md]
//
// Each build solves each problem with one worker, without garbage collection, and with a limit of nodes where a search
// is long. So both do the same work as long as they decide the same. Where their answers differ, the counts are of
// different searches: such runs are named, and are in no other column.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/model"
)

// few limits the search, so that one problem does not outweigh all others.
var few = []string{"--nodes", "3000"}

// A question is a file and how it is asked.
type question struct {
	file string
	args []string
}

// sets are the kinds of problems. Each lists its questions, and may write files into a folder.
var sets = []struct {
	name, what string
	list       func(data, folder string) ([]question, error)
}{
	{"fits", "A to K, at their capacity", func(data, _ string) ([]question, error) {
		return files(filepath.Join(data, "challenging", "*.csv"), "--capacity", "1048576")
	}},
	{"least", "A to K, the lowest plan", func(data, _ string) ([]question, error) {
		return files(filepath.Join(data, "challenging", "*.csv"), few...)
	}},
	{"lifts", "lifts: dsa-rp", func(data, _ string) ([]question, error) {
		return files(filepath.Join(data, "dsa-rp", "*.json"), few...)
	}},
	{"pypto", "PyPTO", func(data, _ string) ([]question, error) {
		return files(filepath.Join(data, "pypto", "*.json"), few...)
	}},
	{"evictions", "training steps in 90, 80 and 60% of their load", evictions},
	{"pools", "A to K and the diagonals, up to 600 buffers, with 30 and 70% of the load in fast memory", pools},
}

func main() {
	was := flag.String("old", "", "the `PATH` of one build")
	is := flag.String("new", "", "the `PATH` of the other build")
	data := flag.String("data", public.Dir(), "the folder of the public instances")
	only := flag.String("only", "", "the `SETS` to run, with commas between; empty for all")
	into := flag.String("into", "", "put the table into the document `FILE`")
	flag.Parse()
	record.Main("lab/bench/instructions", func(ctx context.Context) error {
		folder, err := os.MkdirTemp("", "stowage-instructions-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		var rows [][]string
		for _, set := range sets {
			if *only != "" && !slices.Contains(strings.Split(*only, ","), set.name) {
				continue
			}
			questions, err := set.list(*data, folder)
			if err != nil {
				return err
			}
			row, err := compare(ctx, *was, *is, questions)
			if err != nil {
				return fmt.Errorf("%s: %w", set.name, err)
			}
			rows = append(rows, append([]string{set.what}, row...))
			fmt.Println(strings.Join(rows[len(rows)-1], " | "))
		}
		text := comparison.NewTable([]string{
			"problems", "runs", "old, millions", "new, millions", "new / old", "median", "most",
			"answers differ",
		}, rows).Markdown() + "\n" + record.ThisMachine().String() + "; " + record.Today() + ".\n"
		fmt.Print(text)
		if *into == "" {
			return nil
		}
		return record.ReplaceBlock(*into, "bench:instructions", text)
	})
}

// files asks about each file of a pattern.
func files(pattern string, args ...string) (all []question, err error) {
	names, err := filepath.Glob(pattern)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("no file %s", pattern)
	}
	for _, name := range names {
		all = append(all, question{name, args})
	}
	return all, err
}

// evictions are training steps that do not fit: what leaves memory and comes back is chosen.
func evictions(_, folder string) (all []question, err error) {
	for _, p := range gen.TrainingSteps() {
		file, err := write(folder, p)
		if err != nil {
			return nil, err
		}
		for _, percent := range []int64{90, 80, 60} {
			capacity := strconv.FormatInt(load(p)*percent/100, 10)
			all = append(all, question{file, append([]string{"--capacity", capacity}, few...)})
		}
	}
	return all, nil
}

// pools are problems whose fast memory holds a part of the load; a byte in the slow one costs one.
func pools(data, folder string) (all []question, err error) {
	plain, err := files(filepath.Join(data, "challenging", "*.csv"))
	if err != nil {
		return nil, err
	}
	more, err := files(filepath.Join(data, "diagonal", "*.csv"))
	if err != nil {
		return nil, err
	}
	for _, q := range append(plain, more...) {
		p, _, err := format.ReadProblem(q.file)
		if err != nil {
			return nil, err
		}
		if len(p.Buffers) > 600 {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(q.file), filepath.Ext(q.file))
		for _, percent := range []int64{30, 70} {
			two := model.Problem{Name: fmt.Sprintf("%s-%d", name, percent), Buffers: p.Buffers, Rules: &model.Rules{
				Pools: []model.Pool{{ID: "sram", Capacity: max(1, load(p)*percent/100)}, {ID: "dram", Alignment: 16, Cost: 1}},
			}}
			file, err := write(folder, &two)
			if err != nil {
				return nil, err
			}
			all = append(all, question{file, few})
		}
	}
	return all, nil
}

func load(p *model.Problem) int64 {
	return timeline.New(&model.Problem{Buffers: p.Buffers}).MaxLoad
}

func write(folder string, p *model.Problem) (path string, err error) {
	path = filepath.Join(folder, p.Name+".json")
	return path, format.WriteFile(path, func(w io.Writer) error { return format.Write(w, path, p, nil) })
}

// compare asks both builds and returns a row.
func compare(ctx context.Context, was, is string, questions []question) ([]string, error) {
	var sums [2]int64
	var ratios []float64
	var differ []string
	most, where := 0.0, ""
	for _, q := range questions {
		var counts [2]int64
		var answers [2]string
		for k, program := range []string{was, is} {
			var err error
			if counts[k], answers[k], err = count(ctx, program, q); err != nil {
				return nil, err
			}
		}
		if answers[0] != answers[1] {
			differ = append(differ, fmt.Sprintf("%s: %s, was %s", filepath.Base(q.file), answers[1], answers[0]))
			continue
		}
		for k := range sums {
			sums[k] += counts[k]
		}
		ratio := float64(counts[1]) / float64(counts[0])
		if ratio > most {
			most, where = ratio, filepath.Base(q.file)
		}
		ratios = append(ratios, ratio)
	}
	if len(ratios) == 0 {
		return nil, fmt.Errorf("no run has the same answer: %s", strings.Join(differ, "; "))
	}
	slices.Sort(ratios)
	millions := func(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }
	return []string{
		strconv.Itoa(len(ratios)), millions(sums[0]), millions(sums[1]),
		fmt.Sprintf("%.4f", float64(sums[1])/float64(sums[0])), fmt.Sprintf("%.4f", ratios[len(ratios)/2]),
		fmt.Sprintf("%.3f (%s)", most, where), strings.Join(differ, "; "),
	}, nil
}

var (
	executed = regexp.MustCompile(`I\s+refs:\s+([\d,]+)`)
	// outcome is the line of a run up to the number of buffers, without a reason: how it ended, and what its plan is
	// worth.
	outcome = regexp.MustCompile(`(?m)^((?:optimal|feasible|infeasible|unknown): .*?)(?: \(.*\))?; \d+ buffers?, `)
)

// count returns how many instructions one run takes, and its answer. Exit codes 3 and 4 are answers without a plan.
func count(ctx context.Context, program string, q question) (instructions int64, answer string, err error) {
	args := append([]string{
		"--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program, "solve", "--workers", "1",
	}, q.args...)
	cmd := exec.CommandContext(ctx, "valgrind", append(args, q.file)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code == 3 || code == 4 {
		err = nil
	}
	executed, ended := executed.FindStringSubmatch(stderr.String()), outcome.FindStringSubmatch(stderr.String())
	if err == nil && (executed == nil || ended == nil) {
		err = fmt.Errorf("no count, or no answer")
	}
	if err != nil {
		return 0, "", fmt.Errorf("%s: %w: %s", q.file, err, stderr.String())
	}
	instructions, err = strconv.ParseInt(strings.ReplaceAll(executed[1], ",", ""), 10, 64)
	return instructions, ended[1], err
}
