package command

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/shown"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/plan"
)

// Idea: each format has the same three things: facts about each problem, the heights of each planner, and how many
// problems fit at each capacity. CSV has only the last, a line for each capacity, because a file of CSV is one table.
// The picture draws all capacities.

// write writes the curve in one of sizeFormats. width is the terminal's, or 0.
func (c *curve) write(w io.Writer, name string, width int) error {
	switch name {
	case "csv":
		return c.writeCSV(w)
	case "json":
		return c.writeJSON(w)
	case "svg":
		_, err := io.WriteString(w, c.picture())
		return err
	}
	return c.writeText(shown.Writer(w), width)
}

// at returns the point of the curve at a capacity, and how many problems fit with the plans of each planner.
func (c *curve) at(at capacity) (all plan.CurvePoint, planners []int) {
	all.Capacity = at.bytes
	for k := range c.problems {
		p := &c.problems[k]
		all.Add(p.known.Fits(at.of(p.Load)))
	}
	for k := range c.planners {
		n := 0
		for i, height := range c.heights(k) {
			if p := &c.problems[i]; height >= 0 && height <= at.of(p.Load) {
				n++
			}
		}
		planners = append(planners, n)
	}
	return all, planners
}

// writeText writes the curve as tables for people.
func (c *curve) writeText(w io.Writer, width int) error {
	tables := []*comparison.Table{c.problemTable()}
	if len(c.planners) > 1 || len(c.problems) == 1 {
		tables = append(tables, c.plannerTable())
	}
	if p := &c.problems[0]; len(c.problems) == 1 && p.varied != nil && p.varied.Order != nil {
		tables = append(tables, valueTable(p.family, p.varied))
	}
	tables = append(tables, c.capacityTable())
	for k, t := range tables {
		if k > 0 {
			fmt.Fprintf(w, "\n%s\n", t.Title)
		}
		if _, err := fmt.Fprintln(w, setTable(t, width)); err != nil {
			return err
		}
	}
	for i, line := range slices.Concat(c.refusals(), c.closing()) {
		if i == 0 {
			fmt.Fprintln(w)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// closing says how many inputs are missing from the tables, and which capacity is enough.
func (c *curve) closing() (lines []string) {
	if n := len(c.unread); n > 0 {
		const most = 5
		var names []string
		for _, u := range c.unread[:min(n, most)] {
			names = append(names, nameOf(u.File))
		}
		line := fmt.Sprintf("%d of %s could not be read: %s", n, count(n+len(c.problems), "input"), strings.Join(names, ", "))
		if n > most {
			line += fmt.Sprintf(", … and %d more", n-most)
		}
		lines = append(lines, line)
	}
	fit := 0
	for k := range c.problems {
		if c.problems[k].known.Status.HasPlan() {
			fit++
		}
	}
	enough, ok := plan.LeastCapacity(c.ranges(), fit)
	if fit == 0 || !ok {
		return lines
	}
	line := fmt.Sprintf("%d bytes are enough", enough)
	switch all := len(c.problems); {
	case fit < all:
		line += fmt.Sprintf(" for %d of %d problems", fit, all)
	case all > 1:
		line += fmt.Sprintf(" for all %d problems", all)
	}
	if c.tensors != "" {
		line += ", without " + strings.Replace(c.without, "a tail", "the tail", 1) + " of .tflite models"
	}
	return append(lines, line)
}

// problemTable has a line for each problem.
func (c *curve) problemTable() *comparison.Table {
	t := comparison.NewTable([]string{
		"problem", "buffers", "load", "lower bound", "height", "over load", "status", "proved by",
	}, nil)
	t.Columns[6].Number, t.Columns[7].Number = false, false
	for k := range c.problems {
		p := &c.problems[k]
		row := []string{
			p.Name, strconv.Itoa(len(p.Problem.Buffers)), strconv.FormatInt(p.Load, 10),
			strconv.FormatInt(p.known.LowerBound, 10),
			"", "", p.status(), p.provedBy(),
		}
		if p.known.Status.HasPlan() {
			row[4], row[5] = strconv.FormatInt(p.known.Height, 10), ratio(p.known.Height, p.Load)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// status writes the status of a problem, and what ended a run that could have proved more.
func (p *sized) status() string {
	text := p.known.Status.String()
	if p.shares {
		return text + " (own plan)"
	}
	for _, r := range p.runs {
		if p.provedBy() == "" && r.sizing != nil && r.sizing.Result.Stopped != "" {
			return text + " (" + string(r.sizing.Result.Stopped) + ")"
		}
	}
	return text
}

// ratio writes one number over another with three decimals. Only a ratio of 1 shows as 1.
func ratio(height, over int64) string {
	x := float64(height) / float64(max(over, 1))
	if height != over && math.Abs(x-1) < 0.0005 {
		return ">1.000"
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}

// plannerTable has the height of each planner for one problem. For several problems it has the mean and the worst
// ratio to the lowest height of any planner.
func (c *curve) plannerTable() *comparison.Table {
	if len(c.problems) == 1 {
		return c.onePlannerTable(&c.problems[0])
	}
	t := comparison.NewTable([]string{"planner", "plans", "lowest", "mean", "worst", "seconds"}, nil)
	t.Title = "What each planner needs, over the lowest height that is known; the mean is geometric."
	for k, planner := range c.planners {
		var ratios []float64
		lowest, seconds := 0, 0.0
		heights := c.heights(k)
		for i := range c.problems {
			p := &c.problems[i]
			if r := p.run(k); r != nil && r.sizing != nil {
				seconds += r.sizing.Result.Stats.Elapsed.Seconds()
			}
			if heights[i] < 0 {
				continue
			}
			ratios = append(ratios, float64(max(heights[i], 1))/float64(max(p.known.Height, 1)))
			if heights[i] == p.known.Height {
				lowest++
			}
		}
		row := []string{
			planner, strconv.Itoa(len(ratios)), strconv.Itoa(lowest), "", "", strconv.FormatFloat(seconds, 'f', 3, 64),
		}
		if len(ratios) > 0 {
			row[3] = strconv.FormatFloat(comparison.GeometricMean(ratios), 'f', 3, 64)
			row[4] = strconv.FormatFloat(slices.Max(ratios), 'f', 3, 64)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// onePlannerTable is plannerTable for one problem.
func (c *curve) onePlannerTable(p *sized) *comparison.Table {
	t := comparison.NewTable([]string{"planner", "height", "over lowest", "seconds", "status"}, nil)
	t.Title = "What each planner needs."
	t.Columns[4].Number = false
	for k, planner := range c.planners {
		row := []string{planner, "", "", "", ""}
		switch r := p.run(k); {
		case r == nil:
			row[4] = "interrupted"
		case r.sizing == nil:
			row[4] = comparison.Refused + ": " + r.refusal
		default:
			row[3], row[4] = strconv.FormatFloat(r.sizing.Result.Stats.Elapsed.Seconds(), 'f', 3, 64), r.sizing.Status.String()
			if stop := r.sizing.Result.Stopped; stop != "" {
				row[4] += " (" + string(stop) + ")"
			}
			if r.sizing.Status.HasPlan() {
				row[1], row[2] = strconv.FormatInt(r.sizing.Height, 10), ratio(r.sizing.Height, p.known.Height)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// capacityTable has a line for each capacity.
func (c *curve) capacityTable() *comparison.Table {
	alone := len(c.problems) == 1
	t := comparison.NewTable([]string{"capacity", "size", "feasible", "infeasible", "unknown", "share"}, nil)
	t.Title = fmt.Sprintf("Of %s: how many fit, are proven not to fit, and are unknown, at each capacity.",
		count(len(c.problems), "problem"))
	if alone {
		t = comparison.NewTable([]string{"capacity", "size", "answer"}, nil)
		t.Title = "What is known of each capacity."
		t.Columns[2].Number = false
	}
	if c.tensors != "" {
		t.Title += "\nThe sizes of .tflite models are bytes of " + c.tensors + ": their arena also has " + c.without +
			" ('stowage plan')."
	}
	t.Columns[0].Number = true
	if len(c.planners) > 1 {
		for _, planner := range c.planners {
			t.Columns = append(t.Columns, comparison.Column{Title: planner, Number: true, Name: true})
		}
	}
	for _, at := range c.capacities {
		all, planners := c.at(at)
		row := []string{
			at.text, units.Short(at.bytes), strconv.Itoa(all.Feasible), strconv.Itoa(all.Infeasible), strconv.Itoa(all.Unknown),
			share100(all.Feasible, len(c.problems)),
		}
		if alone {
			p := &c.problems[0]
			if at.share != nil {
				row[1] = strconv.FormatInt(at.of(p.Load), 10)
			}
			row = []string{row[0], row[1], p.known.Fits(at.of(p.Load)).String()}
		}
		for _, n := range planners {
			switch {
			case len(c.planners) == 1:
			case alone:
				row = append(row, map[int]string{0: "-", 1: "fits"}[n])
			default:
				row = append(row, strconv.Itoa(n))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// share100 writes a share in percent. Only all of them are 100%, and only none is 0%.
func share100(n, of int) string {
	percent := 100 * float64(n) / float64(max(of, 1))
	if n > 0 && n < of {
		percent = min(max(percent, 0.1), 99.9)
	}
	return strconv.FormatFloat(percent, 'f', 1, 64) + "%"
}

// refusals says once for each planner which problem it refuses and why, and which problems no
// planner takes, if there are several problems.
func (c *curve) refusals() (lines []string) {
	if len(c.problems) > 1 {
		for k := range c.problems {
			if c.problems[k].shares {
				lines = append(lines, c.problems[k].Name+": "+sharesRefusal)
			}
		}
	}
	for k := range c.planners {
		first, n := "", 0
		for i := range c.problems {
			if r := c.problems[i].run(k); r != nil && r.sizing == nil && !c.problems[i].shares {
				first = cmp.Or(first, c.problems[i].Name+": "+r.refusal)
				n++
			}
		}
		if n > 1 {
			first += fmt.Sprintf(" (and %d more)", n-1)
		}
		if n > 0 && len(c.problems) > 1 {
			lines = append(lines, first)
		}
	}
	return lines
}

// writeCSV writes a line for each capacity. With several planners, a column for each has how
// many problems fit with its plans.
func (c *curve) writeCSV(w io.Writer) error {
	header := []string{"capacity", "problems", "feasible", "infeasible", "unknown"}
	if len(c.planners) > 1 {
		header = append(header, c.planners...)
	}
	rows := [][]string{header}
	for _, at := range c.capacities {
		all, planners := c.at(at)
		row := []string{
			at.text, strconv.Itoa(len(c.problems)), strconv.Itoa(all.Feasible), strconv.Itoa(all.Infeasible),
			strconv.Itoa(all.Unknown),
		}
		for _, n := range planners {
			if len(c.planners) > 1 {
				row = append(row, strconv.Itoa(n))
			}
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// writeJSON writes the problems with facts and each planner's run, then the points of the curve. The keys are a
// contract.
func (c *curve) writeJSON(w io.Writer) error {
	type run struct {
		Planner    string         `json:"planner"`
		Status     stowage.Status `json:"status"`
		Height     int64          `json:"height"`
		LowerBound int64          `json:"lower_bound"`
		ProvedBy   string         `json:"proved_by"`
		Nodes      int64          `json:"nodes"`
		Seconds    float64        `json:"seconds"`
		Stopped    string         `json:"stopped"`
		Message    string         `json:"message,omitempty"` // why the planner refuses the problem
	}
	type problem struct {
		Name       string         `json:"name"`
		File       string         `json:"file"`
		Buffers    int            `json:"buffers"`
		Load       int64          `json:"load"`
		LowerBound int64          `json:"lower_bound"`
		Height     int64          `json:"height"` // 0 if there is no plan
		Status     stowage.Status `json:"status"`
		ProvedBy   string         `json:"proved_by"`
		Planners   []run          `json:"planners"`
		Values     []valueReport  `json:"values,omitempty"` // what the order of a problem with sizes that vary needs
	}
	type point struct {
		At         string         `json:"at"`
		Capacity   int64          `json:"capacity,omitempty"` // absent for a percentage
		Feasible   int            `json:"feasible"`
		Infeasible int            `json:"infeasible"`
		Unknown    int            `json:"unknown"`
		Planners   map[string]int `json:"planners"` // how many problems fit with the plans of each
	}
	out := struct {
		Problems []problem `json:"problems"`
		Curve    []point   `json:"curve"`
		Unread   []unread  `json:"unread"`
	}{[]problem{}, []point{}, append([]unread{}, c.unread...)}
	for i := range c.problems {
		p := &c.problems[i]
		of := problem{
			Name: p.Name, File: p.Path, Buffers: len(p.Problem.Buffers), Load: p.Load, LowerBound: p.known.LowerBound,
			Height: p.known.Height, Status: p.known.Status, ProvedBy: p.provedBy(), Planners: []run{},
		}
		for k := range p.runs {
			r := run{Planner: c.planners[k], Message: p.runs[k].refusal}
			if s := p.runs[k].sizing; s != nil {
				r.Status, r.Height, r.LowerBound, r.ProvedBy = s.Status, s.Height, s.LowerBound, s.Result.ProvedBy
				r.Nodes, r.Seconds, r.Stopped = s.Result.Stats.Nodes, s.Result.Stats.Elapsed.Seconds(), string(s.Result.Stopped)
			}
			of.Planners = append(of.Planners, r)
		}
		if p.varied != nil {
			of.Values = valuesReport(p.varied)
		}
		out.Problems = append(out.Problems, of)
	}
	for _, at := range c.capacities {
		all, planners := c.at(at)
		p := point{
			At: at.text, Capacity: at.bytes, Feasible: all.Feasible, Infeasible: all.Infeasible, Unknown: all.Unknown,
			Planners: map[string]int{},
		}
		for k, n := range planners {
			p.Planners[c.planners[k]] = n
		}
		out.Curve = append(out.Curve, p)
	}
	return writeIndented(w, out)
}
