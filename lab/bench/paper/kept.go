package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
)

// Idea: a sweep (module sweep) asks more planners more often than a section of the report
// has time for, on a cluster or overnight. Its runs are kept as a file of runs, compressed,
// and a section shows those that are of its problems. It limits runs by nodes, so their
// shares are the same on every machine. They are not mixed with runs that a clock limits.
//
// Invariant: a kept run is shown with the problem whose digest and capacity it has, or not
// at all.

// A kept is the runs of a sweep.
type kept struct {
	name string // of the file, without folder and ending
	runs []comparison.Run
}

// keptSweep reads the newest file of kept runs whose name begins so; nil if there is none.
func keptSweep(root, name string) (*kept, error) {
	files, err := filepath.Glob(filepath.Join(root, "lab", "bench", "results", name+"-[0-9]*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		return nil, err
	}
	path := slices.Max(files) // names end with their day
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	k := &kept{name: strings.TrimSuffix(filepath.Base(path), ".jsonl.gz")}
	if k.runs, err = readRuns(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return k, nil
}

// readRuns reads compressed lines of runs.
func readRuns(r io.Reader) (runs []comparison.Run, err error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bufio.NewReader(z))
	d.DisallowUnknownFields()
	for {
		var run comparison.Run
		if err := d.Decode(&run); err == io.EOF {
			return runs, nil
		} else if err != nil {
			return nil, fmt.Errorf("run %d: %w", len(runs)+1, err)
		}
		runs = append(runs, run)
	}
}

// of returns the runs of these problems as a comparison, its planners those that solve most
// first. One problem has one run of a planner.
func (k *kept) of(problems []comparison.Instance) *comparison.Result {
	type asked struct {
		problem  string
		capacity int64
	}
	c := &comparison.Result{Instances: problems, Cells: make([][]comparison.Cell, len(problems)), Extra: make([]*comparison.Run, len(problems))}
	at := map[asked]int{}
	for i := range problems {
		at[asked{problems[i].Digest, problems[i].Capacity}] = i
	}
	solved := map[string]int{}
	for j := range k.runs {
		r := &k.runs[j]
		if _, ok := at[asked{r.Problem, r.Capacity}]; ok {
			n := 0
			if r.Solved() {
				n = 1
			}
			solved[r.Planner] += n
		}
	}
	c.Planners = slices.SortedFunc(maps.Keys(solved), func(a, b string) int {
		if solved[a] != solved[b] {
			return solved[b] - solved[a]
		}
		return strings.Compare(a, b)
	})
	for i := range c.Cells {
		c.Cells[i] = make([]comparison.Cell, len(c.Planners))
	}
	for j := range k.runs {
		r := k.runs[j]
		if i, ok := at[asked{r.Problem, r.Capacity}]; ok {
			p := slices.Index(c.Planners, r.Planner)
			c.Cells[i][p] = comparison.Cell{r}
		}
	}
	return c
}

// nodes is the limit that all runs have, 0 if they differ.
func (k *kept) nodes() int64 {
	for j := range k.runs {
		if k.runs[j].Nodes != k.runs[0].Nodes {
			return 0
		}
	}
	if len(k.runs) == 0 {
		return 0
	}
	return k.runs[0].Nodes
}

// answers reports for each planner which problems its runs answer: a plan of height h answers
// each capacity from h on, and a proof at a capacity each up to it.
func (k *kept) answers(problems []comparison.Instance) map[string][]bool {
	plan, proof := map[[2]string]int64{}, map[[2]string]int64{}
	all := map[string][]bool{}
	for j := range k.runs {
		r := &k.runs[j]
		at := [2]string{r.Planner, r.Problem}
		all[r.Planner] = nil
		if h, ok := plan[at]; r.HasPlan() && (!ok || r.Height < h) {
			plan[at] = r.Height
		}
		if r.Solved() && !r.HasPlan() {
			proof[at] = max(proof[at], r.Capacity)
		}
	}
	for planner := range all {
		for i := range problems {
			at := [2]string{planner, problems[i].Digest}
			h, ok := plan[at]
			all[planner] = append(all[planner], ok && h <= problems[i].Capacity || proof[at] >= problems[i].Capacity)
		}
	}
	return all
}

// showAnswers adds how many of the problems the planners of a sweep answer within the limit
// of nodes. Problems that the sweep did not have are left out.
func showAnswers(c *content, e *env, name string, problems []comparison.Instance) error {
	if e.invent != nil {
		return nil
	}
	k, err := keptSweep(e.root, name)
	if k == nil || err != nil {
		return err
	}
	known := map[string]bool{}
	for j := range k.runs {
		known[k.runs[j].Problem] = true
	}
	asked := slices.DeleteFunc(slices.Clone(problems), func(in comparison.Instance) bool { return !known[in.Digest] })
	if len(asked) == 0 {
		return nil
	}
	t := comparison.NewTable([]string{"within " + k.limit(), "answered", "share"}, nil)
	t.Title = "Answered, from the sweep " + k.name
	answers := k.answers(asked)
	count := func(planner string) (n int) {
		for _, ok := range answers[planner] {
			if ok {
				n++
			}
		}
		return n
	}
	for _, planner := range slices.SortedFunc(maps.Keys(answers), func(a, b string) int {
		return cmp.Or(cmp.Compare(count(b), count(a)), strings.Compare(a, b))
	}) {
		n := count(planner)
		t.Rows = append(t.Rows, []string{planner, of(n, len(asked)), percent(float64(n) / float64(len(asked)))})
	}
	c.tables = append(c.tables, t)
	c.note("The sweep %s made %d runs of %d planners, each of at most %s: stowage-sweep run sweep/specs/%s.yaml. A plan answers each larger capacity too, and a proof each smaller one. %s",
		k.name, len(k.runs), len(answers), k.limit(), strings.TrimPrefix(name, "sweep-"), k.clock())
	return nil
}

// limit is the limit of all runs, in words: that of nodes, or of time if there is none.
func (k *kept) limit() string {
	if n := k.nodes(); n > 0 {
		return comparison.Grouped(n) + " nodes"
	}
	other := func(r comparison.Run) bool { return r.Nodes > 0 || r.Timeout != k.runs[0].Timeout }
	if len(k.runs) == 0 || k.runs[0].Timeout == 0 || slices.ContainsFunc(k.runs, other) {
		return "its limit"
	}
	return picture.Seconds(k.runs[0].Timeout)
}

// clock says whether a clock cut runs, so that their outcome may differ on another machine.
func (k *kept) clock() string {
	cut := 0
	for j := range k.runs {
		if r := &k.runs[j]; !r.Solved() && r.Timeout > 0 && r.Seconds >= r.Timeout {
			cut++
		}
	}
	if cut > 0 {
		return fmt.Sprintf("The clock cut %d of them, whose outcome may differ on another machine.", cut)
	}
	return "The clock cut none, so the shares are the same on every machine."
}

// showKept adds what a sweep has of problems of several sizes: the share that each planner
// solves within the limit of nodes.
func showKept(c *content, e *env, name string, problems []comparison.Instance) error {
	if e.invent != nil {
		return nil
	}
	k, err := keptSweep(e.root, name)
	if k == nil || err != nil {
		return err
	}
	s := k.of(problems)
	if len(s.Planners) == 0 {
		return nil
	}
	limit := k.limit()
	groups := sizesOf(s)
	sizes := slices.Sorted(maps.Keys(groups))
	lines := &picture.Lines{
		Title: "Share solved within " + limit + ", by the number of buffers, from a sweep",
		X:     picture.Axis{Title: "buffers"}, Y: picture.Axis{Title: "solved", Text: picture.Percent, Least: 0, Most: 1},
	}
	header := []string{"solved within " + limit}
	count, all := []string{"problems run"}, []string{"all"}
	rows := make([][]string, len(sizes))
	for j, n := range sizes {
		rows[j] = []string{strconv.Itoa(n)}
	}
	for p, planner := range s.Planners {
		header = append(header, planner)
		series := picture.Series{Name: planner, Line: true, Faint: p >= 7}
		done, ran := 0, 0
		for j, n := range sizes {
			part, whole := 0, 0
			for _, i := range groups[n] {
				if cell := s.Cells[i][p]; len(cell) > 0 {
					whole++
					if cell[0].Solved() {
						part++
					}
				}
			}
			done, ran = done+part, ran+whole
			text := "–"
			if whole > 0 {
				series.Points = append(series.Points, [2]float64{float64(n), float64(part) / float64(whole)})
				text = of(part, whole)
			}
			rows[j] = append(rows[j], text)
		}
		lines.Series = append(lines.Series, series)
		all, count = append(all, fmt.Sprintf("%.1f%%", 100*float64(done)/float64(max(ran, 1)))), append(count, strconv.Itoa(ran))
	}
	c.pictures = append(c.pictures, lines.HTML())
	t := comparison.NewTable(header, append(rows, all, count))
	t.Title = "By size, from the sweep " + k.name
	c.tables = append(c.tables, t)
	c.note("The sweep %s made %d runs of %d planners, each of at most %s: stowage-sweep run sweep/specs/%s.yaml. %s", k.name, len(k.runs), len(s.Planners), limit, strings.TrimPrefix(name, "sweep-"), k.clock())
	return nil
}
