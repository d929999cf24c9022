// Command compare runs every planner on four sets of problems and makes the tables of
// docs/compare.md:
//
//	go run ./lab/bench/compare -into docs/compare.md -picture docs/images/compare-challenging.svg
//	go run ./lab/bench/compare -fresh -jobs 2 -into docs/compare.md -picture docs/images/compare-challenging.svg
//
// or of the sets that are named after the flags: challenging, idealloc, models, families.
// A planner is asked for the lowest plan within the limit of the set. Heights of planners
// that end by themselves are the same on every machine. The runs of a set are a file of
// -results, a line of JSON each, as they are done; what is there is not run again, but
// with -fresh, which begins a set anew. All sets take half an hour of one core, or of two
// a quarter of one.
//
// challenging, idealloc and models are the public instances in STOWAGE_DATA. families are
// generated, with seeds that no planner was tuned on.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	_ "github.com/stowage-go/stowage/lab/baselines"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/lab/experiment"
	_ "github.com/stowage-go/stowage/lab/learn"
	_ "github.com/stowage-go/stowage/lab/milp"
)

// ours are the planners that are Stowage's own.
var ours = []string{"auto", "merge", "climb", "exact", "sweep"}

// A set is problems with one limit.
type set struct {
	name  string
	limit time.Duration
	load  func() ([]comparison.Instance, error)
	table func(c *comparison.Result) string
}

var sets = []set{
	{"challenging", 5 * time.Second, public("challenging"), heights},
	{"idealloc", 20 * time.Second, public("idealloc"), heightsAndTimes},
	{"models", 10 * time.Second, public("models"), summary},
	{"families", 2 * time.Second, families, byFamily},
}

// A request is what the flags say.
type request struct {
	planners      []string
	limit         time.Duration // 0 for that of the set
	jobs          int           // problems at a time
	fresh         bool          // forget the runs that are there
	dir           string        // of the runs
	into, picture string        // a document and a picture, or ""
}

func main() { record.Main("lab/bench/compare", compare) }

func compare(ctx context.Context) error {
	var q request
	flag.DurationVar(&q.limit, "limit", 0, "end a run after `D` [default: 5s, 20s, 10s and 2s]")
	planners := flag.String("planners", "", "run the planners `P1,P2` [default: all]")
	flag.IntVar(&q.jobs, "jobs", 1, "problems at a time: on cores that do nothing else two take half the time")
	flag.BoolVar(&q.fresh, "fresh", false, "forget the runs of the sets that are asked for")
	flag.StringVar(&q.dir, "results", filepath.Join("lab", "bench", "compare"), "keep the runs in `DIR`")
	flag.StringVar(&q.into, "into", "", "put the tables into the document `FILE`, blocks bench:compare-SET")
	flag.StringVar(&q.picture, "picture", "", "draw the set challenging to `FILE`, an SVG")
	flag.Parse()
	q.planners = all()
	if *planners != "" {
		q.planners = strings.Split(*planners, ",")
	}
	asked := flag.Args()
	if len(asked) == 0 {
		for _, s := range sets {
			asked = append(asked, s.name)
		}
	}
	for _, name := range asked {
		one := q
		if name != "challenging" {
			one.picture = ""
		}
		if err := run(ctx, name, one); errors.Is(err, experiment.ErrNoData) {
			fmt.Println("lab/bench/compare:", name, "skipped:", err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// all are the names of the planners.
func all() []string {
	var names []string
	for _, p := range stowage.Planners() {
		names = append(names, p.Name)
	}
	return names
}

// run runs what is missing of a set, and prints or places its table and its picture.
func run(ctx context.Context, name string, q request) error {
	k := slices.IndexFunc(sets, func(s set) bool { return s.name == name })
	if k < 0 {
		return fmt.Errorf("%q is none of challenging, idealloc, models, families", name)
	}
	s := sets[k]
	problems, err := s.load()
	if err != nil {
		return err
	}
	for k := range problems {
		problems[k].Capacity = 0 // as low as can be, whatever a file's name says
	}
	kept := filepath.Join(q.dir, name+".jsonl")
	if q.fresh {
		if err := os.Remove(kept); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	cache, err := comparison.Open(kept)
	if err != nil {
		return err
	}
	defer cache.Close()
	sweep := comparison.Request{
		Planners: q.planners, Instances: problems, Jobs: q.jobs,
		Ask: comparison.Run{Timeout: cmp.Or(q.limit, s.limit).Seconds(), Workers: 1},
		On:  record.ThisMachine().String() + ", " + record.Today(),
		Begin: func(k int) {
			fmt.Fprintf(os.Stderr, "lab/bench/compare: %s: %d of %d: %s\n", name, k+1, len(problems), problems[k].Name)
		},
	}
	c, err := sweep.Run(ctx, cache)
	if err = errors.Join(err, ctx.Err()); err == nil {
		err = errors.Join(c.Err(), cache.Close())
	}
	if err != nil {
		return err
	}
	text := s.table(c) + "\n" + rivals(c)
	fmt.Print(text)
	if q.picture != "" {
		if err := format.WriteFile(q.picture, func(w io.Writer) error { return c.Write(w, "svg", nil) }); err != nil {
			return err
		}
	}
	if q.into != "" {
		return record.ReplaceBlock(q.into, "bench:compare-"+name, text)
	}
	return nil
}

// public loads a folder of the public instances.
func public(name string) func() ([]comparison.Instance, error) {
	return func() ([]comparison.Instance, error) { return experiment.Load(name, nil) }
}

// familySeeds are the seeds of the generated problems.
var familySeeds = []uint64{90001, 90002, 90003}

// families generates problems of 300 buffers or so, some of each kind.
func families() ([]comparison.Instance, error) {
	var all []comparison.Instance
	for _, kind := range drawn.Varied() {
		for _, seed := range familySeeds {
			o := gen.Options{Seed: seed}
			if slices.Contains(kind.Takes, "buffers") {
				o.Buffers = 300
			}
			p, err := gen.Generate(kind.Name, o)
			if err != nil {
				return nil, err
			}
			p.Capacity = 0 // some kinds have one; a plan above it would be none
			all = append(all, comparison.NewInstance(fmt.Sprintf("%s %d", kind.Name, seed), p, 0))
		}
	}
	return all, nil
}

func heights(c *comparison.Result) string { return c.Tables()[1].Markdown() }

// heightsAndTimes adds the times of those that take more than a second somewhere.
func heightsAndTimes(c *comparison.Result) string {
	times := c.Tables()[2]
	times.Rows = slices.DeleteFunc(times.Rows, func(row []string) bool {
		k := slices.Index(c.Planners, row[0])
		for i := range c.Instances {
			if r := c.At(i, k); r != nil && r.Seconds > 1 {
				return false
			}
		}
		return true
	})
	return heights(c) + "\nSeconds, for planners that took more than one on some problem:\n\n" + times.Markdown()
}

// ratios returns the heights of a planner over the load; ok is false where it has no
// plan for one.
func ratios(c *comparison.Result, planner int, instances []int) (all []float64, ok bool) {
	for _, i := range instances {
		r := c.At(i, planner)
		if r == nil || !r.HasPlan() {
			return all, false
		}
		all = append(all, c.Instances[i].Ratio(r.Height))
	}
	return all, true
}

// sorted sorts rows by a number, and drops it.
func sorted(header []string, rows []scored) string {
	slices.SortStableFunc(rows, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	t := comparison.NewTable(header, nil)
	for _, r := range rows {
		t.Rows = append(t.Rows, r.cells)
	}
	return t.Markdown()
}

type scored struct {
	score float64
	cells []string
}

// summary is a line for each planner: mean, worst, and how many are at the load.
func summary(c *comparison.Result) string {
	every := make([]int, len(c.Instances))
	for k := range every {
		every[k] = k
	}
	var rows []scored
	for k, name := range c.Planners {
		all, ok := ratios(c, k, every)
		if !ok {
			rows = append(rows, scored{math.Inf(1), []string{name, "", "", fmt.Sprintf("%d of %d planned", len(all), len(every))}})
			continue
		}
		at := 0
		for _, x := range all {
			if x == 1 {
				at++
			}
		}
		mean := comparison.GeometricMean(all)
		rows = append(rows, scored{mean, []string{name, over(mean), over(slices.Max(all)), fmt.Sprintf("%d of %d", at, len(all))}})
	}
	return sorted([]string{"planner", "mean", "worst", "at the load"}, rows)
}

// byFamily is a line for each planner, with the mean of each family.
func byFamily(c *comparison.Result) string {
	header := []string{"planner"}
	groups := [][]int{}
	for i := range c.Instances {
		family, _, _ := strings.Cut(c.Instances[i].Name, " ")
		if k := slices.Index(header, family); k > 0 {
			groups[k-1] = append(groups[k-1], i)
		} else {
			header, groups = append(header, family), append(groups, []int{i})
		}
	}
	var rows []scored
	for k, name := range c.Planners {
		row := scored{cells: []string{name}}
		var means []float64
		for _, group := range groups {
			all, ok := ratios(c, k, group)
			cell := ""
			if ok {
				means = append(means, comparison.GeometricMean(all))
				cell = over(means[len(means)-1])
			}
			row.cells = append(row.cells, cell)
		}
		row.score = comparison.GeometricMean(means) + 1000*float64(len(groups)-len(means))
		row.cells = append(row.cells, over(comparison.GeometricMean(means)))
		rows = append(rows, row)
	}
	return sorted(append(header, "mean"), rows)
}

// over writes a height over the load; what is above it by less than half a thousandth
// is not written as the load.
func over(x float64) string {
	if x > 1 && x < 1.0005 {
		return ">1.000"
	}
	return fmt.Sprintf("%.3f", x)
}

// rivals says where another's planner is as low as one of ours, or lower, above what is
// proven to be the lowest height.
func rivals(c *comparison.Result) string {
	var s strings.Builder
	for i := range c.Instances {
		in := &c.Instances[i]
		best, by := int64(math.MaxInt64), []string{}
		heights := map[string]int64{}
		for k, name := range c.Planners {
			r := c.At(i, k)
			if r == nil || !r.HasPlan() {
				continue
			}
			heights[name] = r.Height
			if slices.Contains(ours, name) {
				continue
			}
			if r.Height < best {
				best, by = r.Height, nil
			}
			if r.Height == best {
				by = append(by, name)
			}
		}
		for _, name := range ours {
			h, ok := heights[name]
			if !ok || name == "sweep" || h < best || h == in.LowerBound || h == c.Optimum(i) {
				continue
			}
			word := "ties with"
			if h > best {
				word = "is above"
			}
			fmt.Fprintf(&s, "- %s: %s (%d) %s %s (%d)\n", in.Name, name, h, word, strings.Join(by, ", "), best)
		}
	}
	if s.Len() == 0 {
		return "No planner from another project is as low as `auto`, `merge`, `climb` or `exact`, except at a height that is proven to be the lowest.\n"
	}
	return "Planners from other projects that are as low as one of ours, or lower, at a height that is not proven to be the lowest:\n\n" + s.String()
}
