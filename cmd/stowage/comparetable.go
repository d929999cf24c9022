package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/render/chart"
)

// An instance is a problem of a comparison, with its runs.
type instance struct {
	path, name string
	problem    *stowage.Problem
	digest     string
	capacity   int64 // 0 for none
	load       int64 // the contention peak
	lowerBound int64
	runs       []runRecord // in the order of comparison.planners
	extra      *runRecord  // of exact, where it ran for the optimum alone
}

func newInstance(path string, p *stowage.Problem, capacity int64) instance {
	tl := timeline.New(p)
	name := filepath.Base(path)
	name = strings.TrimSuffix(name, filepath.Ext(name))
	// A suite may have the capacity in the name, as in A.1048576.csv.
	if stem, rest, ok := strings.Cut(name, "."); ok {
		if _, err := strconv.ParseInt(rest, 10, 64); err == nil {
			name = stem
		}
	}
	return instance{
		path: path, name: name, problem: p, digest: digest(p), capacity: capacity,
		load: tl.MaxLoad, lowerBound: tl.LowerBound,
	}
}

// proven reports whether a run has settled the lowest height, or that there is
// no plan.
func (in *instance) proven() bool {
	settled := func(r *runRecord) bool { return r.Status == "optimal" || r.Status == "infeasible" }
	for k := range in.runs {
		if settled(&in.runs[k]) {
			return true
		}
	}
	return in.extra != nil && settled(in.extra)
}

// optimum returns the proven lowest height, 0 where there is none: a run that is
// optimal, or a plan that is as low as a bound that another run has proven.
func (in *instance) optimum() int64 {
	lowest, bound := int64(math.MaxInt64), in.lowerBound
	consider := func(r *runRecord) {
		if r.hasPlan() {
			lowest = min(lowest, r.Height)
		}
		if r.Status != "infeasible" {
			bound = max(bound, r.LowerBound)
		}
	}
	for k := range in.runs {
		consider(&in.runs[k])
	}
	if in.extra != nil {
		consider(in.extra)
	}
	if lowest <= bound {
		return lowest
	}
	return 0
}

// ratio is a height over the load.
func (in *instance) ratio(height int64) float64 {
	return float64(height) / float64(max(in.load, 1))
}

// A comparison is planners × instances.
type comparison struct {
	planners  []string
	instances []instance
}

// invalid is the error for plans that the verifier refused.
func (c *comparison) invalid() error {
	var errs []error
	for _, in := range c.instances {
		for _, r := range in.runs {
			if r.Status == "invalid" {
				errs = append(errs, fmt.Errorf("%s: %s", in.name, r.Message))
			}
		}
	}
	return errors.Join(errs...)
}

// A line is a planner with its mean, for the order of the rows.
type line struct {
	planner int
	made    int     // plans
	mean    float64 // geometric, of height over load
}

// lines returns the planners, those that planned most first, then the lowest.
func (c *comparison) lines() []line {
	lines := make([]line, len(c.planners))
	for k := range lines {
		lines[k].planner = k
		sum := 0.0
		for i := range c.instances {
			if r := c.at(i, k); r != nil && r.hasPlan() {
				lines[k].made++
				sum += math.Log(c.instances[i].ratio(r.Height))
			}
		}
		if lines[k].made > 0 {
			lines[k].mean = math.Exp(sum / float64(lines[k].made))
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(b.made, a.made), cmp.Compare(a.mean, b.mean))
	})
	return lines
}

// at returns the run of a planner on an instance, nil where it was not made.
func (c *comparison) at(instance, planner int) *runRecord {
	if runs := c.instances[instance].runs; planner < len(runs) {
		return &runs[planner]
	}
	return nil
}

// cell formats a run as its height over the load.
func (c *comparison) cell(i, k int) string {
	switch r := c.at(i, k); {
	case r == nil:
		return ""
	case r.Status == "optimal":
		return ratioText(c.instances[i].ratio(r.Height)) + "*"
	case r.hasPlan():
		return ratioText(c.instances[i].ratio(r.Height))
	case r.Status == "unknown":
		return "no plan"
	default:
		return r.Status
	}
}

// ratioText formats a ratio with three decimals. One that is not 1 never shows
// as 1.
func ratioText(x float64) string {
	if x > 1 && x < 1.0005 {
		return ">1.000"
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}

// secondsText formats a time with two or three digits.
func secondsText(s float64) string {
	switch {
	case s < 0.0001:
		return "<0.0001"
	case s < 0.01:
		return strconv.FormatFloat(s, 'f', 4, 64)
	case s < 1:
		return strconv.FormatFloat(s, 'f', 3, 64)
	case s < 100:
		return strconv.FormatFloat(s, 'f', 1, 64)
	}
	return strconv.FormatFloat(s, 'f', 0, 64)
}

// write writes the comparison in one of comparisonNames.
func (c *comparison) write(w io.Writer, name string) error {
	switch name {
	case "csv":
		return c.writeCSV(w)
	case "json":
		return c.writeJSON(w)
	case "svg":
		return c.writeSVG(w)
	}
	return c.writeTables(w, name == "md")
}

// writeTables writes three tables: what the problems are, heights, and times.
func (c *comparison) writeTables(w io.Writer, markdown bool) error {
	render := func(t table.Writer, numbers, from int) error {
		// Numbers are set to the right, names to the left.
		var columns []table.ColumnConfig
		for k := range numbers {
			columns = append(columns, table.ColumnConfig{Number: from + k, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
		t.SetColumnConfigs(columns)
		out := t.Render()
		if markdown {
			out = t.RenderMarkdown()
		}
		_, err := fmt.Fprintln(w, out)
		return err
	}
	// Names of problems keep their letters, so the headings are set here.
	newTable := func(header ...any) table.Writer {
		t := newTable(header...)
		t.Style().Format.Header = text.FormatDefault
		return t
	}
	heading := func(s string) {
		if markdown {
			s = "\n" + s + "\n"
		} else {
			s = "\n" + s
		}
		fmt.Fprintln(w, s)
	}

	problems := newTable(titles(markdown, "problem", "buffers", "load", "lower bound", "optimum", "capacity")...)
	for k := range c.instances {
		in := &c.instances[k]
		problems.AppendRow(table.Row{in.name, len(in.problem.Buffers), in.load, in.lowerBound, orNothing(in.optimum()), orNothing(in.capacity)})
	}
	if err := render(problems, 5, 2); err != nil {
		return err
	}

	names := titles(markdown, "planner")
	for k := range c.instances {
		names = append(names, c.instances[k].name)
	}
	if len(c.instances) == 1 {
		heading("Height, over the load, and seconds; * is proven to be the lowest.")
		t := newTable(titles(markdown, "planner", "height", "over load", "seconds", "status")...)
		for _, l := range c.lines() {
			r := c.at(0, l.planner)
			if r == nil {
				continue
			}
			row := table.Row{c.planners[l.planner], "", "", secondsText(r.Seconds), r.Status}
			if r.hasPlan() {
				row[1], row[2] = r.Height, c.cell(0, l.planner)
			}
			if r.Message != "" {
				row[4] = r.Status + ": " + r.Message
			}
			t.AppendRow(row)
		}
		return render(t, 3, 2)
	}

	heading("Height over load; * is proven to be the lowest, the mean is geometric.")
	heights := newTable(append(slices.Clone(names), titles(markdown, "mean")...)...)
	optimum := table.Row{"(optimum)"}
	known, sum := 0, 0.0
	for k := range c.instances {
		cell := ""
		if o := c.instances[k].optimum(); o > 0 {
			cell = ratioText(c.instances[k].ratio(o)) + "*"
			known++
			sum += math.Log(c.instances[k].ratio(o))
		}
		optimum = append(optimum, cell)
	}
	heights.AppendRow(append(optimum, meanText(sum, known, len(c.instances))))
	for _, l := range c.lines() {
		row := table.Row{c.planners[l.planner]}
		for i := range c.instances {
			row = append(row, c.cell(i, l.planner))
		}
		heights.AppendRow(append(row, meanText(float64(l.made)*math.Log(l.mean), l.made, len(c.instances))))
	}
	if err := render(heights, len(c.instances)+1, 2); err != nil {
		return err
	}

	heading("Seconds.")
	times := newTable(names...)
	for _, l := range c.lines() {
		row := table.Row{c.planners[l.planner]}
		for i := range c.instances {
			cell := ""
			if r := c.at(i, l.planner); r != nil && r.Status != "refused" {
				cell = secondsText(r.Seconds)
			}
			row = append(row, cell)
		}
		times.AppendRow(row)
	}
	if err := render(times, len(c.instances), 2); err != nil {
		return err
	}
	return c.writeRefusals(w, markdown)
}

// titles sets headings in the manner of the other listings: in capitals, but for
// Markdown.
func titles(markdown bool, names ...string) []any {
	set := make([]any, len(names))
	for k, name := range names {
		if set[k] = name; !markdown {
			set[k] = strings.ToUpper(name)
		}
	}
	return set
}

// meanText formats a mean of the logarithms that sum up to sum; it says so where
// it is a mean over a part of the problems only.
func meanText(sum float64, count, all int) string {
	if count == 0 {
		return ""
	}
	s := ratioText(math.Exp(sum / float64(count)))
	if count < all {
		s += fmt.Sprintf(" (%d of %d)", count, all)
	}
	return s
}

// writeRefusals says once for each planner what it refused.
func (c *comparison) writeRefusals(w io.Writer, markdown bool) error {
	bullet := ""
	if markdown {
		bullet = "- "
	}
	first := true
	for k, planner := range c.planners {
		for i := range c.instances {
			if r := c.at(i, k); r != nil && r.Message != "" {
				if first {
					fmt.Fprintln(w)
					first = false
				}
				message := r.Message
				if !strings.Contains(message, planner) {
					message = planner + ": " + message
				}
				if _, err := fmt.Fprintf(w, "%s%s: %s\n", bullet, c.instances[i].name, message); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

func orNothing(v int64) any {
	if v == 0 {
		return ""
	}
	return v
}

// writeCSV writes a line for each run, the one for the optimum included.
func (c *comparison) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{
		"problem", "buffers", "load", "lower_bound", "optimum", "capacity",
		"planner", "status", "height", "ratio", "seconds", "message",
	}); err != nil {
		return err
	}
	number := func(v int64) string {
		if v == 0 {
			return ""
		}
		return strconv.FormatInt(v, 10)
	}
	for i := range c.instances {
		in := &c.instances[i]
		for k := range in.runs {
			r := &in.runs[k]
			ratio := ""
			if r.hasPlan() {
				ratio = strconv.FormatFloat(in.ratio(r.Height), 'f', 6, 64)
			}
			if err := out.Write([]string{
				in.name, strconv.Itoa(len(in.problem.Buffers)), number(in.load), number(in.lowerBound),
				number(in.optimum()), number(in.capacity), r.Planner, r.Status, number(r.Height), ratio,
				strconv.FormatFloat(r.Seconds, 'f', 6, 64), r.Message,
			}); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// writeJSON writes the problems, each with its runs.
func (c *comparison) writeJSON(w io.Writer) error {
	type run struct {
		Planner    string  `json:"planner"`
		Status     string  `json:"status"`
		Height     int64   `json:"height"`
		Ratio      float64 `json:"ratio"`
		LowerBound int64   `json:"lower_bound"`
		Seconds    float64 `json:"seconds"`
		Message    string  `json:"message,omitempty"`
	}
	type problem struct {
		Name       string `json:"name"`
		File       string `json:"file"`
		Digest     string `json:"digest"`
		Buffers    int    `json:"buffers"`
		Load       int64  `json:"load"`
		LowerBound int64  `json:"lower_bound"`
		Optimum    int64  `json:"optimum"` // 0 where it is not proven
		Capacity   int64  `json:"capacity"`
		Runs       []run  `json:"runs"`
	}
	all := []problem{}
	for i := range c.instances {
		in := &c.instances[i]
		p := problem{
			Name: in.name, File: in.path, Digest: in.digest, Buffers: len(in.problem.Buffers),
			Load: in.load, LowerBound: in.lowerBound, Optimum: in.optimum(), Capacity: in.capacity, Runs: []run{},
		}
		for _, r := range in.runs {
			ratio := 0.0
			if r.hasPlan() {
				ratio = in.ratio(r.Height)
			}
			p.Runs = append(p.Runs, run{r.Planner, r.Status, r.Height, ratio, r.LowerBound, r.Seconds, r.Message})
		}
		all = append(all, p)
	}
	return writeIndented(w, struct {
		Problems []problem `json:"problems"`
	}{all})
}

// writeSVG draws heights and times.
func (c *comparison) writeSVG(w io.Writer) error {
	d := chart.Comparison{Title: fmt.Sprintf("%d planners on %d problems", len(c.planners), len(c.instances))}
	for k := range c.instances {
		d.Problems = append(d.Problems, chart.Problem{Name: c.instances[k].name, Buffers: len(c.instances[k].problem.Buffers)})
	}
	for _, l := range c.lines() {
		p := chart.Planner{Name: c.planners[l.planner]}
		for i := range c.instances {
			if r := c.at(i, l.planner); r != nil && r.hasPlan() {
				p.Points = append(p.Points, chart.Point{
					Problem: i, Ratio: c.instances[i].ratio(r.Height), Seconds: r.Seconds, Optimal: r.Status == "optimal",
				})
			}
		}
		d.Planners = append(d.Planners, p)
	}
	return chart.Write(w, d)
}
