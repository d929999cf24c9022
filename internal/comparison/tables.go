package comparison

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/picture"
)

// Formats are the names of what Write writes; the first is the default.
func Formats() []string { return []string{"text", "md", "csv", "json", "svg", "html"} }

// Write writes the comparison in one of Formats. The tables for people are set by
// text, with the titles between them, but in md, which is Markdown.
func (c *Result) Write(w io.Writer, name string, text func(*Table) string) error {
	switch name {
	case "csv":
		return c.writeCSV(w)
	case "json":
		return c.writeJSON(w)
	case "svg":
		d := c.chart()
		heights, times := d.Figures()
		_, err := io.WriteString(w, picture.SVG(d.Title, heights, times))
		return err
	case "html":
		return c.writeHTML(w)
	}
	markdown := name == "md"
	var s strings.Builder
	tables := c.Tables()
	if name == "text" && len(c.Instances) > mostColumns {
		tables = []*Table{tables[0], c.summary()}
	}
	for _, t := range tables {
		switch {
		case t.Title == "":
		case markdown:
			s.WriteString("\n" + t.Title + "\n\n")
		default:
			s.WriteString("\n" + t.Title + "\n")
		}
		if markdown {
			s.WriteString(t.Markdown())
		} else {
			s.WriteString(text(t) + "\n")
		}
	}
	for k, refusal := range c.refusals() {
		if k == 0 {
			s.WriteByte('\n')
		}
		if markdown {
			s.WriteString("- ")
		}
		s.WriteString(refusal + "\n")
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// Tables returns what the problems are, then heights and times: in one table if there is one problem, in two otherwise.
func (c *Result) Tables() []*Table {
	problems := NewTable([]string{"problem", "buffers", "load", "lower bound", "optimum", "capacity"}, nil)
	for k := range c.Instances {
		in := &c.Instances[k]
		problems.Rows = append(problems.Rows, []string{
			in.Name, strconv.Itoa(len(in.Problem.Buffers)), strconv.FormatInt(in.Load, 10),
			strconv.FormatInt(in.LowerBound, 10), numberOr(c.Optimum(k)), numberOr(in.Capacity),
		})
	}
	if len(c.Instances) == 1 {
		return []*Table{problems, c.single()}
	}
	return []*Table{problems, c.heights(), c.times()}
}

// single sets out one problem, a line for each planner.
func (c *Result) single() *Table {
	t := NewTable([]string{"planner", "height", "over load", "seconds", "status"}, nil)
	t.Title = "Height, over the load, and seconds; * is proven to be the lowest."
	if c.repeated() {
		t.Title = "Height, over the load, and seconds, the median of the runs and their spread; * is proven to be the lowest."
	}
	t.Columns[4].Number = false
	for _, l := range c.lines() {
		r := c.At(0, l.planner)
		if r == nil {
			continue
		}
		row := []string{c.Planners[l.planner], "", "", c.Cells[0][l.planner].secondsText(), r.Status}
		if r.HasPlan() {
			row[1], row[2] = strconv.FormatInt(r.Height, 10), c.cell(0, l.planner)
		}
		if r.Message != "" {
			row[4] = r.Status + ": " + r.Message
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// mostColumns is how many instances have a column of their own in text. A line for more can be read nowhere.
const mostColumns = 20

// summary has a line for each planner, in place of a column for each instance.
func (c *Result) summary() *Table {
	t := NewTable([]string{"planner", "plans", "proven", "mean", "worst", "seconds"}, nil)
	t.Title = fmt.Sprintf("Plans of %d problems, those proven to be the lowest, the heights over the load (the mean "+
		"is geometric), and the sum of the seconds. "+
		"With -o FILE.csv or .html each problem has a place of its own.", len(c.Instances))
	for _, l := range c.lines() {
		var proven int
		var worst, seconds float64
		for i := range c.Instances {
			r := c.At(i, l.planner)
			if r == nil || !r.HasPlan() {
				continue
			}
			if r.Is(stowage.Optimal) {
				proven++
			}
			worst = max(worst, c.Instances[i].Ratio(r.Height))
			if s, ok := c.Cells[i][l.planner].Median(); ok {
				seconds += s
			}
		}
		row := []string{c.Planners[l.planner], strconv.Itoa(len(l.ratios)), strconv.Itoa(proven), "", "", ""}
		if len(l.ratios) > 0 {
			row[3], row[4], row[5] = overLoad(GeometricMean(l.ratios)), overLoad(worst), strconv.FormatFloat(seconds, 'f', 3, 64)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// names returns a table with a column for each instance.
func (c *Result) names(title string) *Table {
	t := &Table{Title: title, Columns: []Column{{Title: "planner"}}}
	for k := range c.Instances {
		t.Columns = append(t.Columns, Column{Title: c.Instances[k].Name, Number: true, Name: true})
	}
	return t
}

// heights sets the heights over the load side by side, the optimum on top.
func (c *Result) heights() *Table {
	t := c.names("Height over load; * is proven to be the lowest, the mean is geometric.")
	t.Columns = append(t.Columns, Column{Title: "mean", Number: true})
	row := []string{"(optimum)"}
	var known []float64
	for k := range c.Instances {
		cell := ""
		if o := c.Optimum(k); o > 0 {
			known = append(known, c.Instances[k].Ratio(o))
			cell = overLoad(known[len(known)-1]) + "*"
		}
		row = append(row, cell)
	}
	t.Rows = append(t.Rows, append(row, c.mean(known)))
	for _, l := range c.lines() {
		row := []string{c.Planners[l.planner]}
		for i := range c.Instances {
			row = append(row, c.cell(i, l.planner))
		}
		t.Rows = append(t.Rows, append(row, c.mean(l.ratios)))
	}
	return t
}

// times sets the times side by side.
func (c *Result) times() *Table {
	title := "Seconds."
	if c.repeated() {
		title = "Seconds, the median of the runs and their spread."
	}
	t := c.names(title)
	for _, l := range c.lines() {
		row := []string{c.Planners[l.planner]}
		for i := range c.Instances {
			cell := ""
			if r := c.At(i, l.planner); r != nil && r.Status != Refused && r.Status != Failed {
				cell = c.Cells[i][l.planner].secondsText()
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cell writes a run as its height over the load.
func (c *Result) cell(i, k int) string {
	switch r := c.At(i, k); {
	case r == nil:
		return ""
	case r.Is(stowage.Optimal):
		return overLoad(c.Instances[i].Ratio(r.Height)) + "*"
	case r.HasPlan():
		return overLoad(c.Instances[i].Ratio(r.Height))
	case r.Is(stowage.Unknown):
		return "no plan"
	default:
		return r.Status
	}
}

// mean writes the geometric mean of the ratios; it says so if they are of a part of the instances only.
func (c *Result) mean(ratios []float64) string {
	if len(ratios) == 0 {
		return ""
	}
	s := overLoad(GeometricMean(ratios))
	if len(ratios) < len(c.Instances) {
		s += fmt.Sprintf(" (%d of %d)", len(ratios), len(c.Instances))
	}
	return s
}

// refusals says once for each planner what it refused or how it failed, where
// there are several problems; the table of a single one has it in its lines.
func (c *Result) refusals() []string {
	if len(c.Instances) == 1 {
		return nil
	}
	var lines []string
	for k, planner := range c.Planners {
		for i := range c.Instances {
			if r := c.At(i, k); r != nil && r.Message != "" {
				message := r.Message
				if !strings.Contains(message, planner) {
					message = planner + ": " + message
				}
				lines = append(lines, c.Instances[i].Name+": "+message)
				break
			}
		}
	}
	return lines
}

// writeCSV writes a line for each run.
func (c *Result) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{{
		"problem", "buffers", "load", "lower_bound", "optimum", "capacity",
		"planner", "status", "height", "ratio", "seconds", "message",
	}}
	repeated := c.repeated()
	if repeated {
		rows[0] = append(rows[0], "runs", "seconds_least", "seconds_most")
	}
	for i := range c.Instances {
		in := &c.Instances[i]
		for k := range c.Planners {
			r := c.At(i, k)
			if r == nil {
				continue
			}
			ratio := ""
			if r.HasPlan() {
				ratio = strconv.FormatFloat(in.Ratio(r.Height), 'f', 6, 64)
			}
			row := []string{
				in.Name, strconv.Itoa(len(in.Problem.Buffers)), numberOr(in.Load), numberOr(in.LowerBound),
				numberOr(c.Optimum(i)), numberOr(in.Capacity), r.Planner, r.Status, numberOr(r.Height), ratio,
				strconv.FormatFloat(c.Cells[i][k].seconds(), 'f', 6, 64), r.Message,
			}
			if repeated {
				least, most, ok := c.Cells[i][k].Spread()
				if !ok {
					least, most = r.Seconds, r.Seconds
				}
				row = append(row, strconv.Itoa(len(c.Cells[i][k])), strconv.FormatFloat(least, 'f', 6, 64),
					strconv.FormatFloat(most, 'f', 6, 64))
			}
			rows = append(rows, row)
		}
	}
	return out.WriteAll(rows)
}

// writeJSON writes the problems, each with its runs.
func (c *Result) writeJSON(w io.Writer) error {
	type run struct {
		Planner    string  `json:"planner"`
		Status     string  `json:"status"`
		Height     int64   `json:"height"`
		Ratio      float64 `json:"ratio"`
		LowerBound int64   `json:"lower_bound"`
		Seconds    float64 `json:"seconds"`
		Message    string  `json:"message,omitempty"`
		// All has the seconds of each run, if there are several; Seconds is then their median.
		All []float64 `json:"all_seconds,omitempty"`
	}
	type problem struct {
		Name       string `json:"name"`
		File       string `json:"file"`
		Digest     string `json:"digest"`
		Buffers    int    `json:"buffers"`
		Load       int64  `json:"load"`
		LowerBound int64  `json:"lower_bound"`
		Optimum    int64  `json:"optimum"` // 0 if it is not proven
		Capacity   int64  `json:"capacity"`
		Runs       []run  `json:"runs"`
	}
	out := struct {
		Problems []problem `json:"problems"`
	}{[]problem{}}
	for i := range c.Instances {
		in := &c.Instances[i]
		p := problem{
			Name: in.Name, File: in.Path, Digest: in.Digest, Buffers: len(in.Problem.Buffers),
			Load: in.Load, LowerBound: in.LowerBound, Optimum: c.Optimum(i), Capacity: in.Capacity, Runs: []run{},
		}
		for k := range c.Planners {
			r := c.At(i, k)
			if r == nil {
				continue
			}
			ratio := 0.0
			if r.HasPlan() {
				ratio = in.Ratio(r.Height)
			}
			cell := c.Cells[i][k]
			out := run{r.Planner, r.Status, r.Height, ratio, r.LowerBound, cell.seconds(), r.Message, nil}
			if _, _, ok := cell.Spread(); ok {
				for _, one := range cell {
					out.All = append(out.All, one.Seconds)
				}
			}
			p.Runs = append(p.Runs, out)
		}
		out.Problems = append(out.Problems, p)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
