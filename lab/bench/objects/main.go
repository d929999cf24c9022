// Command objects divides pools into objects, as drivers of GPUs do with textures. It compares auto with the strategies
// of TensorFlow Lite's GPU delegate, with its own bound, and with CP-SAT, on drawn problems and on models.
//
//	go run ./lab/bench/objects [-problems 60] [-limit 10s] [-cpsat 30s] [-seed 900] [-into lab/bench/objects/README.md] [FILE...]
//
// All limits are processor time. Without ortools in STOWAGE_PYTHON, or python3, CP-SAT is skipped. The models are the
// ones of STOWAGE_DATA/models and STOWAGE_DATA/diagonal, or the FILEs, whose table is another one.
package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/testkit/processor"
	"github.com/stowage-go/stowage/internal/verify"
	_ "github.com/stowage-go/stowage/lab/baseline/framework"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/lab/bench/ortools"
	"github.com/stowage-go/stowage/lab/experiment"
	"github.com/stowage-go/stowage/model"
)

//go:embed objects.py
var script []byte

const far = 24 * time.Hour // of the clock, so that auto knows of a limit; the processor's ends the run

var strategies = []string{"by-size", "by-breadth", "in-order", "equality", "min-cost-flow"}

// A row is what is known of a problem.
type row struct {
	name          string
	buffers       int
	value, bound  int64
	seconds       float64
	strategy      []int64 // 0 where it refused
	asked         bool
	sat, satBound int64
	satStatus     string
}

func main() {
	problems := flag.Int("problems", 60, "how many problems to draw")
	limit := flag.Duration("limit", 10*time.Second, "processor time for each")
	satLimit := flag.Duration("cpsat", 30*time.Second, "processor time of CP-SAT for each")
	seed := flag.Uint64("seed", 900, "seed of the problems")
	into := flag.String("into", "", "put the tables into the document `FILE`")
	flag.Parse()
	record.Main("objects", func(ctx context.Context) error {
		sat := *satLimit
		if err := ortools.Missing(); err != nil {
			fmt.Fprintln(os.Stderr, "objects: skipped CP-SAT:", err)
			sat = 0
		}
		where := fmt.Sprintf("%v of processor time for auto, %v for CP-SAT, one worker; %v; %s.\n", *limit, sat,
			record.ThisMachine(), record.Today())
		var rows []row
		for k := range *problems {
			r, err := one(ctx, draw(*seed, k, *problems), *limit, sat)
			if err != nil {
				return err
			}
			rows = append(rows, r)
		}
		if *problems > 0 {
			if err := show(summary(rows)+fmt.Sprintf("\nSeed %d; %s", *seed, where), *into, "bench:objects"); err != nil {
				return err
			}
		}
		block := "bench:objects-models"
		if flag.NArg() > 0 {
			block = "bench:objects-files"
		}
		models, err := models(flag.Args())
		if err != nil {
			return err
		}
		rows = nil
		for _, p := range models {
			r, err := one(ctx, p, *limit, sat)
			if err != nil {
				return err
			}
			rows = append(rows, r)
		}
		return show(table(rows)+"\nBytes; "+where, *into, block)
	})
}

// show prints a table, and puts it into a block of a document.
func show(text, into, block string) error {
	fmt.Print(text)
	if into == "" {
		return nil
	}
	return record.ReplaceBlock(into, block, text)
}

// draw draws one of so many problems, with 6 to 50 buffers. Sizes are even, of many scales, or few.
func draw(seed uint64, k, of int) *model.Problem {
	r := rand.New(rand.NewPCG(seed, uint64(k)))
	n := 6 + k*44/max(1, of-1)
	p := &model.Problem{Name: fmt.Sprintf("drawn-%d", k)}
	size := [...]func() int64{
		func() int64 { return 1 + r.Int64N(999) },
		func() int64 { return 1 + r.Int64N(1<<r.IntN(16)) },
		func() int64 { return 64 << r.IntN(6) },
	}[k%3]
	for i := range n {
		lower := r.Int64N(int64(n))
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: strconv.Itoa(i), Lower: lower, Upper: lower + 1 + r.Int64N(int64(max(1, n/3))), Size: size(),
		})
	}
	return p
}

// models returns the models' tensors: those of files, or of the public ones.
func models(files []string) ([]*model.Problem, error) {
	sets := []string{"models", "diagonal"}
	if len(files) > 0 {
		sets = sets[:1]
	}
	var all []*model.Problem
	for _, set := range sets {
		files, err := experiment.Load(set, files)
		if errors.Is(err, experiment.ErrNoData) {
			fmt.Fprintln(os.Stderr, "objects: skipped", set+":", err)
			continue
		} else if err != nil {
			return nil, err
		}
		for _, f := range files {
			p := &model.Problem{Name: f.Name}
			for i := range f.Problem.Buffers { // a texture has no gap, and no alignment within its pool
				b := &f.Problem.Buffers[i]
				p.Buffers = append(p.Buffers, model.Buffer{ID: b.ID, Lower: b.Lower, Upper: b.Upper, Size: b.Size})
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// one plans a problem in a pool of objects by all that are compared.
func one(ctx context.Context, p *model.Problem, limit, sat time.Duration) (row, error) {
	r := row{name: p.Name, buffers: len(p.Buffers), strategy: make([]int64, len(strategies))}
	pooled := *p
	pooled.Rules = &model.Rules{
		Pools: []model.Pool{{ID: "textures", Objects: true}}, Objective: []model.Measure{model.MeasureHeight},
	}
	limited, cancel := processor.Limit(ctx, limit)
	defer cancel()
	var got *stowage.Result
	var err error
	r.seconds = processor.Of(func() {
		got, err = stowage.Solve(limited, &pooled, stowage.Options{Planner: "auto", Timeout: far, Workers: 1})
	}).Seconds()
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case err != nil:
		return r, err
	case !got.Status.HasPlan():
		return r, fmt.Errorf("%s: no plan: %v", p.Name, got.Status)
	}
	if report := verify.CheckMeasures(&pooled, &got.Plan, got.Measures); !report.OK() {
		return r, fmt.Errorf("%s: %v", p.Name, report.Violations)
	}
	r.value, r.bound = got.Height, got.LowerBound
	for k, name := range strategies {
		other, err := stowage.Minimize(ctx, p, stowage.Options{Planner: "tflite-objects-" + name})
		if err != nil || !other.Status.HasPlan() {
			continue // min-cost-flow refuses many buffers
		}
		r.strategy[k] = other.Height
	}
	if sat > 0 {
		if err := r.ask(ctx, p, sat); err != nil {
			return r, err
		}
	}
	fmt.Fprintf(os.Stderr, "%s, %d buffers: %d, bound %d, %.2f s; strategies %v; CP-SAT %s %d, bound %d\n",
		r.name, r.buffers, r.value, r.bound, r.seconds, r.strategy, r.satStatus, r.sat, r.satBound)
	return r, nil
}

// ask asks CP-SAT, and checks its objects.
func (r *row) ask(ctx context.Context, p *model.Problem, limit time.Duration) error {
	type buffer struct {
		Lower int64 `json:"lower"`
		Upper int64 `json:"upper"`
		Size  int64 `json:"size"`
	}
	all := make([]buffer, len(p.Buffers))
	for i := range p.Buffers {
		all[i] = buffer{p.Buffers[i].Lower, p.Buffers[i].Upper, p.Buffers[i].Size}
	}
	slices.SortStableFunc(all, func(a, b buffer) int { return cmp.Compare(b.Size, a.Size) })
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, ortools.Python(), "-c", string(script), fmt.Sprint(limit.Seconds()))
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("objects.py: %w\n%s", err, stderr.Bytes())
	}
	var o struct {
		Status       string
		Value, Bound int64
		Objects      []int
	}
	if err := json.Unmarshal(out, &o); err != nil {
		return fmt.Errorf("objects.py: %w", err)
	}
	r.asked, r.satStatus = true, o.Status
	if o.Objects == nil {
		return nil
	}
	r.sat, r.satBound = o.Value, o.Bound
	sum := int64(0)
	for i := range all {
		if o.Objects[i] == i {
			sum += all[i].Size
		}
		for k := range i {
			if o.Objects[i] == o.Objects[k] && all[i].Lower < all[k].Upper && all[k].Lower < all[i].Upper {
				return fmt.Errorf("%s: CP-SAT puts buffers of one time into one object", r.name)
			}
		}
	}
	switch {
	case sum != o.Value:
		return fmt.Errorf("%s: CP-SAT's objects have %d bytes, and it says %d", r.name, sum, o.Value)
	case o.Bound > r.value:
		return fmt.Errorf("%s: CP-SAT proves %d, and auto's plan has %d", r.name, o.Bound, r.value)
	case o.Value < r.bound:
		return fmt.Errorf("%s: CP-SAT's plan has %d, below the bound %d", r.name, o.Value, r.bound)
	}
	return nil
}

// best returns the lowest of the strategies.
func (r *row) best() int64 {
	best := int64(0)
	for _, v := range r.strategy {
		if v > 0 && (best == 0 || v < best) {
			best = v
		}
	}
	return best
}

// summary returns the table of drawn problems, by sizes.
func summary(rows []row) string {
	var lines [][]string
	for _, group := range []struct{ from, to int }{{6, 15}, {16, 30}, {31, 50}} {
		n, proven, above, below, asked, satBelow, satAbove, satProven := 0, 0, 0, 0, 0, 0, 0, 0
		var ratios, gaps, seconds []float64
		for k := range rows {
			r := &rows[k]
			if r.buffers < group.from || r.buffers > group.to {
				continue
			}
			n++
			if r.value == r.bound {
				proven++
			}
			switch best := r.best(); {
			case r.value > best:
				above++
			case r.value < best:
				below++
			}
			ratios = append(ratios, float64(r.best())/float64(r.value))
			gaps = append(gaps, 100*(float64(r.value)/float64(max(1, r.bound))-1))
			seconds = append(seconds, r.seconds)
			if !r.asked {
				continue
			}
			asked++
			switch {
			case r.sat == 0 || r.value < r.sat:
				satAbove++
			case r.value > r.sat:
				satBelow++
			}
			if r.satStatus == "optimal" {
				satProven++
			}
		}
		if n == 0 {
			continue
		}
		sat, satProof := "", ""
		if asked > 0 {
			sat, satProof = fmt.Sprintf("%d, %d, %d", satAbove, asked-satAbove-satBelow, satBelow), strconv.Itoa(satProven)
		}
		lines = append(lines, []string{
			fmt.Sprintf("%d to %d", group.from, group.to), strconv.Itoa(n), strconv.Itoa(above), strconv.Itoa(below),
			fmt.Sprintf("%.3f", comparison.Median(ratios)), strconv.Itoa(proven), fmt.Sprintf("%.2f%%", slices.Max(gaps)),
			fmt.Sprintf("%.2f", comparison.Median(seconds)), sat, satProof,
		})
	}
	return comparison.NewTable([]string{
		"buffers", "problems", "above a strategy", "below all", "best strategy / auto", "proven", "largest gap", "seconds",
		"below, at, above CP-SAT", "proven by CP-SAT",
	}, lines).Markdown()
}

// table returns the table of models.
func table(rows []row) string {
	var lines [][]string
	for k := range rows {
		r := &rows[k]
		line := []string{r.name, strconv.Itoa(r.buffers), strconv.FormatInt(r.value, 10), strconv.FormatInt(r.bound, 10)}
		for _, v := range r.strategy {
			text := "refused"
			if v > 0 {
				text = strconv.FormatInt(v, 10)
			}
			line = append(line, text)
		}
		sat := ""
		if r.asked {
			sat = fmt.Sprintf("%d (%s)", r.sat, r.satStatus)
		}
		lines = append(lines, append(line, sat, fmt.Sprintf("%.2f", r.seconds)))
	}
	head := append([]string{"model", "buffers", "auto", "bound"}, strategies...)
	return comparison.NewTable(append(head, "CP-SAT", "seconds"), lines).Markdown()
}
