// Command pypto measures `auto` on the problems that the PyPTO compiler exports, beside the best plans known, and has
// every plan checked by dsa-solver's own verifier.
//
//	go run ./lab/bench/pypto [-timeout 2s] [-objective peak] [-best best.csv] [-check dsacheck] [-runs runs.csv] [-each] [-into FILE] FOLDER...
//
// A folder is searched for .json files. Each is read as dsa-problem-v1, planned by one worker, and verified.
// README.md says where the files and the verifier are from. Times are processor times, which other programs on the
// machine do not lengthen.
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/dsa"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/testkit/processor"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/model"
)

// outcome is what became of one file.
type outcome struct {
	file     string // relative to its folder
	problem  *model.Problem
	status   model.Status
	measures []model.Value
	bounds   []model.Value
	seconds  float64 // of processor time
	best     int64   // the best value known of the first measure; -1 for none
	checked  bool    // dsa-solver accepts the plan
}

// slowly is how long a run may take before the table counts it.
const slowly = 0.1 // seconds

func main() {
	timeout := flag.Duration("timeout", 2*time.Second, "time for each plan")
	objective := flag.String("objective", "", "minimise `MEASURE` alone, in place of the objective of each file")
	best := flag.String("best", "", "read the best values known from `FILE`: CSV with the columns instance, peak and cost")
	check := flag.String("check", "", "check each plan with `PROGRAM`, which check/dsacheck.cpp makes")
	runs := flag.String("runs", "", "write a line for each file to `FILE`, as CSV")
	each := flag.Bool("each", false, "make a table with a row for each file, for a few hard ones")
	into := flag.String("into", "", "put the table into the document `FILE`")
	flag.Parse()
	record.Main("pypto", func(ctx context.Context) error {
		known, err := readBest(*best)
		if err != nil {
			return err
		}
		var all []outcome
		for _, folder := range flag.Args() {
			files, err := filesIn(folder)
			if err != nil {
				return err
			}
			for _, file := range files {
				x, err := measure(ctx, folder, file, model.Measure(*objective), *timeout, *check, known)
				if err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
				all = append(all, x)
			}
		}
		text, block := table(all, *check != ""), "bench:pypto"
		if *each {
			text, block = tableOfEach(all), "bench:pypto-each"
		}
		text += fmt.Sprintf("\n%v a file at most; %v; %s.\n", *timeout, record.ThisMachine(), record.Today())
		fmt.Print(text)
		said(all)
		if *runs != "" {
			if err := writeRuns(*runs, all); err != nil {
				return err
			}
		}
		if *into != "" {
			return record.ReplaceBlock(*into, block, text)
		}
		return nil
	})
}

// filesIn returns the files of a folder, relative to it.
func filesIn(folder string) (files []string, err error) {
	err = fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".json") {
			files = append(files, path)
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: has no .json files", folder)
	}
	return files, err
}

// values are the best of one file: of peak and penalty.
type values map[model.Measure]int64

// readBest reads the best values known. An empty field means that none is.
func readBest(path string) (map[string]values, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || !slices.Equal(rows[0], []string{"instance", "peak", "cost"}) {
		return nil, fmt.Errorf("%s: its header must be instance,peak,cost", path)
	}
	known := map[string]values{}
	for _, row := range rows[1:] {
		known[row[0]] = values{}
		for k, measure := range []model.Measure{model.MeasurePeak, model.MeasurePenalty} {
			if row[k+1] == "" {
				continue
			}
			v, err := strconv.ParseInt(row[k+1], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, row[0], err)
			}
			known[row[0]][measure] = v
		}
	}
	return known, nil
}

// measure plans one file, by its own objective if that is not given.
func measure(ctx context.Context, folder, file string, objective model.Measure, timeout time.Duration, check string,
	known map[string]values,
) (x outcome, err error) {
	path := filepath.Join(folder, file)
	in, err := os.Open(path)
	if err != nil {
		return x, err
	}
	defer in.Close()
	d, err := dsa.ReadDocument(in, path)
	if err != nil {
		return x, err
	}
	p := d.Problem
	if objective != "" {
		p.Rules.Objective = []model.Measure{objective}
	}
	x = outcome{file: file, problem: p, best: -1}
	if best, ok := known[file][p.Objective()[0]]; ok {
		x.best = best
	}
	var r *stowage.Result
	seconds := processor.Of(func() {
		r, err = stowage.Solve(ctx, p,
			stowage.Options{Timeout: timeout, Workers: 1})
	}).Seconds()
	if err != nil {
		return x, err
	}
	x.status, x.measures, x.bounds, x.seconds = r.Status, r.Measures, r.Bounds, seconds
	if !r.Status.HasPlan() {
		return x, nil
	}
	report, err := stowage.VerifyPlan(p, &r.Plan)
	if err != nil {
		return x, err
	}
	if !report.OK() {
		return x, errors.New(report.Violations[0].Message)
	}
	if check != "" {
		x.checked, err = accepted(ctx, check, path, d, r)
	}
	return x, err
}

// accepted asks dsa-solver whether a plan is right, and compares its values with ours.
func accepted(ctx context.Context, check, path string, d *dsa.Document, r *stowage.Result) (bool, error) {
	file, err := os.CreateTemp("", "plan-*.json")
	if err != nil {
		return false, err
	}
	defer os.Remove(file.Name())
	if err := errors.Join(d.WriteSolution(file, &r.Plan, nil), file.Close()); err != nil {
		return false, err
	}
	out, err := exec.CommandContext(ctx, check, path, file.Name()).CombinedOutput()
	if err != nil {
		return false, fmt.Errorf("%w: %s", err, out)
	}
	value := func(m model.Measure) int64 { return model.ValueOf(r.Measures, m) }
	want := fmt.Sprintf("%d %d %d\n", value(model.MeasurePeak), value(model.MeasureMaxPeak), value(model.MeasurePenalty))
	if string(out) != want {
		return false, fmt.Errorf("%s says peak, largest peak and cost %q, we say %q", check, out, want)
	}
	return true, nil
}

// first returns the first measure of a plan, and its bound.
func (x *outcome) first() (value, bound int64) {
	m := x.problem.Objective()[0]
	return model.ValueOf(x.measures, m), model.ValueOf(x.bounds, m)
}

// classes are the rows of the table. A file counts in each of its classes.
var classes = []struct {
	name string
	has  func(p *model.Problem) bool
}{
	{"all", func(*model.Problem) bool { return true }},
	{"peak first", func(p *model.Problem) bool { return p.Objective()[0] == model.MeasurePeak }},
	{"cost first", func(p *model.Problem) bool { return p.Objective()[0] == model.MeasurePenalty }},
	{"several pools", func(p *model.Problem) bool { return len(p.Rules.Pools) > 1 }},
	{"reserved range", func(p *model.Problem) bool {
		return slices.ContainsFunc(p.Rules.Pools, func(x model.Pool) bool { return len(x.Reserved) > 0 })
	}},
	{"pairs apart", func(p *model.Problem) bool { return len(p.Rules.Apart) > 0 }},
	{"penalties", func(p *model.Problem) bool { return len(p.Rules.Penalties) > 0 }},
}

func table(all []outcome, checked bool) string {
	var rows [][]string
	for _, class := range classes {
		var files, infeasible, undecided, planned, proven, optimal, known, reached, below, accepted, slow int
		longest := 0.0
		for k := range all {
			x := &all[k]
			if !class.has(x.problem) {
				continue
			}
			files++
			if longest = max(longest, x.seconds); x.seconds > slowly {
				slow++
			}
			switch {
			case x.status == model.Infeasible:
				infeasible++
				continue
			case !x.status.HasPlan():
				undecided++
				continue
			}
			planned++
			value, bound := x.first()
			count(&proven, value == bound)
			count(&optimal, x.status == model.Optimal)
			count(&accepted, x.checked)
			if x.best >= 0 {
				known++
				count(&reached, value <= x.best)
				count(&below, value < x.best)
			}
		}
		if files == 0 {
			continue
		}
		row := []string{class.name}
		for _, n := range []int{files, infeasible, undecided, planned, proven, optimal} {
			row = append(row, strconv.Itoa(n))
		}
		row = append(row, fmt.Sprintf("%d of %d", reached, known), strconv.Itoa(below))
		if checked {
			row = append(row, strconv.Itoa(accepted))
		}
		rows = append(rows, append(row, strconv.Itoa(slow), fmt.Sprintf("%.2f", longest)))
	}
	head := []string{
		"problems", "files", "infeasible", "undecided", "planned", "first measure proven", "optimal",
		"at the best or below", "below",
	}
	if checked {
		head = append(head, "accepted by dsa-solver")
	}
	return comparison.NewTable(append(head, "over 0.1 s", "longest s"), rows).Markdown()
}

// tableOfEach has a row for each file.
func tableOfEach(all []outcome) string {
	var rows [][]string
	for k := range all {
		x := &all[k]
		value, bound := x.first()
		rows = append(rows, []string{
			"`" + strings.TrimSuffix(x.file, ".json") + "`", string(x.problem.Objective()[0]), comparison.Grouped(value),
			comparison.Grouped(bound),
			x.status.String(), fmt.Sprintf("%.2f", x.seconds),
		})
	}
	return comparison.NewTable([]string{"problem", "first measure", "value", "bound", "status", "s"}, rows).Markdown()
}

func count(to *int, is bool) {
	if is {
		*to++
	}
}

// said names what is not as well as can be, and what is slow.
func said(all []outcome) {
	for k := range all {
		x := &all[k]
		value, bound := x.first()
		switch {
		case !x.status.HasPlan() && x.status != model.Infeasible:
			fmt.Printf("undecided: %s, best known %d, %.2f s\n", x.file, x.best, x.seconds)
		case x.status.HasPlan() && x.best >= 0 && value > x.best:
			fmt.Printf("above the best: %s, %d, best known %d, bound %d, %.2f s\n", x.file, value, x.best, bound, x.seconds)
		case x.status.HasPlan() && value > bound:
			fmt.Printf("not proven: %s, %d, bound %d, best known %d, %.2f s\n", x.file, value, bound, x.best, x.seconds)
		case x.seconds > slowly:
			fmt.Printf("slow: %s, %d, %.2f s\n", x.file, value, x.seconds)
		}
	}
}

func writeRuns(path string, all []outcome) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(file)
	// Flush has the error
	w.Write([]string{"instance", "buffers", "pools", "objective", "status", "value", "bound", "best", "checked", "seconds"})
	for k := range all {
		x := &all[k]
		value, bound := x.first()
		number := func(v int64) string { return strconv.FormatInt(v, 10) }
		w.Write([]string{
			x.file, strconv.Itoa(len(x.problem.Buffers)), strconv.Itoa(len(x.problem.Rules.Pools)),
			string(x.problem.Objective()[0]), x.status.String(),
			number(value), number(bound), number(x.best), strconv.FormatBool(x.checked), fmt.Sprintf("%.3f", x.seconds),
		})
	}
	w.Flush()
	return errors.Join(w.Error(), file.Close())
}
