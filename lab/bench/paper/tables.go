package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
)

// Idea: runs as tables and pictures, in the three shapes that the papers have: a line for each problem, for each number
// of buffers, and for each time. A run that reaches its limit counts as the limit, so a median may be one.

// limitOf is the limit of a planner's runs, in seconds; 0 if it has none.
func limitOf(c *comparison.Result, planner int) float64 {
	for _, cells := range c.Cells {
		if len(cells[planner]) > 0 {
			return cells[planner][0].Timeout
		}
	}
	return 0
}

// limitText is the limit of all runs, for the head of a table; "" if they have several.
func limitText(c *comparison.Result) string {
	limit := 0.0
	for k := range c.Planners {
		switch l := limitOf(c, k); {
		case l == 0 || l == limit:
		case limit > 0:
			return ""
		default:
			limit = l
		}
	}
	if limit == 0 {
		return ""
	}
	return fmt.Sprintf(", limit %g s", limit)
}

// entry formats a cell: the median in ms, > limit, or another outcome.
func entry(c comparison.Cell) string {
	switch seconds, ok := c.Median(); {
	case ok && c[0].Is(stowage.Infeasible):
		return comparison.Milliseconds(seconds) + " (infeasible)"
	case ok:
		return comparison.Milliseconds(seconds)
	case len(c) == 0:
		return "–"
	case c[0].Status == comparison.Refused && strings.HasPrefix(c[0].Message, "the program died"):
		return "died"
	case c[0].Status == comparison.Refused:
		return c[0].Status
	case c[0].Timeout == 0 || c[0].Seconds < 0.9*c[0].Timeout:
		return "no plan"
	}
	return "> " + comparison.Milliseconds(c[0].Timeout)
}

// byProblem has a line for each problem, times in ms. The last lines have the number solved, and the median ratio to
// tela over the problems that both solve.
func byProblem(c *comparison.Result) *comparison.Table {
	t := comparison.NewTable(append([]string{"ms" + limitText(c)}, c.Planners...), nil)
	for i := range c.Instances {
		row := []string{c.Instances[i].Name}
		for k := range c.Planners {
			row = append(row, entry(c.Cells[i][k]))
		}
		t.Rows = append(t.Rows, row)
	}
	total, ratios := []string{fmt.Sprintf("solved, of %d", len(c.Instances))}, []string{"median ratio to tela"}
	for _, name := range c.Planners {
		f := solved(name, always)(c)
		cell := strconv.Itoa(int(math.Round(f.value * float64(f.n))))
		if f.n < len(c.Instances) {
			cell += fmt.Sprintf(" of %d run", f.n)
		}
		total = append(total, cell)
		cell = "–"
		if r := ratio(name, "tela")(c); r.n > 0 {
			cell = comparison.Ratio(r.value)
		}
		ratios = append(ratios, cell)
	}
	t.Rows = append(t.Rows, total)
	if slices.Contains(c.Planners, "tela") {
		t.Rows = append(t.Rows, ratios)
	}
	return t
}

// sizes groups problems by the number of buffers, which is the first number of a generated problem's name.
func sizes(c *comparison.Result) (groups map[int][]int, all []int) {
	groups = map[int][]int{}
	for i := range c.Instances {
		n := 0
		for _, word := range strings.Split(c.Instances[i].Name, "-") {
			if k, err := strconv.Atoi(word); err == nil {
				n = k
				break
			}
		}
		groups[n] = append(groups[n], i)
	}
	return groups, slices.Sorted(maps.Keys(groups))
}

// share is the share of a planner's problems that it solves, and its median time.
func share(c *comparison.Result, planner int, problems []int) (part, seconds float64, ran int) {
	var times []float64
	n := 0
	for _, i := range problems {
		if cell := c.Cells[i][planner]; len(cell) > 0 {
			t, ok := cell.Median()
			if ok {
				n++
			}
			times = append(times, min(t, limitOf(c, planner)))
		}
	}
	if len(times) == 0 {
		return 0, 0, 0
	}
	return float64(n) / float64(len(times)), comparison.Median(times), len(times)
}

// bySize has a line for each number of buffers: the share solved and the median time in ms.
func bySize(c *comparison.Result) *comparison.Table {
	header := []string{"buffers" + limitText(c)}
	for _, name := range c.Planners {
		header = append(header, name+" solved", "ms")
	}
	groups, all := sizes(c)
	t := comparison.NewTable(header, nil)
	var every []int
	line := func(title string, problems []int) []string {
		row := []string{title}
		for k := range c.Planners {
			part, seconds, ran := share(c, k, problems)
			if ran == 0 {
				row = append(row, "–", "–")
				continue
			}
			ms := comparison.Milliseconds(seconds)
			if seconds >= limitOf(c, k) {
				ms = "> " + ms
			}
			row = append(row, fmt.Sprintf("%.0f%%", 100*part), ms)
		}
		return row
	}
	for _, n := range all {
		t.Rows = append(t.Rows, line(strconv.Itoa(n), groups[n]))
		every = append(every, groups[n]...)
	}
	count := []string{"problems run"}
	for k := range c.Planners {
		_, _, ran := share(c, k, every)
		count = append(count, strconv.Itoa(ran), "")
	}
	t.Rows = append(t.Rows, line("all", every), count)
	return t
}

// sizePictures have the median time and the share solved, over the number of buffers.
func sizePictures(c *comparison.Result) []string {
	groups, all := sizes(c)
	shares := &picture.Lines{
		Title: "Share solved, by the number of buffers", X: picture.Axis{Title: "buffers"},
		Y: picture.Axis{Title: "solved", Text: picture.Percent, Least: 0, Most: 1},
	}
	times := &picture.Lines{
		Title: "Median time, by the number of buffers", X: picture.Axis{Title: "buffers"},
		Y: picture.Axis{Title: "median, or the limit if it was reached", Log: true, Text: picture.Seconds},
	}
	for k, name := range c.Planners {
		a := picture.Series{Name: name, Line: true, Hollow: k >= 8}
		b := a
		for _, n := range all {
			if part, seconds, ran := share(c, k, groups[n]); ran > 0 {
				a.Points = append(a.Points, [2]float64{float64(n), part})
				b.Points = append(b.Points, [2]float64{float64(n), max(seconds, 1e-6)})
			}
		}
		shares.Series, times.Series = append(shares.Series, a), append(times.Series, b)
	}
	return []string{times.HTML(), shares.HTML()}
}

// byTime has a line for each time: the share of its problems that each planner solves within that time.
func byTime(c *comparison.Result) *comparison.Table {
	t := comparison.NewTable(append([]string{"solved within"}, c.Planners...), nil)
	most := 0.0
	for k := range c.Planners {
		most = max(most, limitOf(c, k))
	}
	for _, at := range []float64{1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1, 0.2, 0.5, 1, 2, 5, 10} {
		row := []string{picture.Seconds(at)}
		for _, name := range c.Planners {
			row = append(row, fmt.Sprintf("%.1f%%", 100*solved(name, at)(c).value))
		}
		if at <= most*1.001 {
			t.Rows = append(t.Rows, row)
		}
	}
	count := []string{"inputs run"}
	for _, name := range c.Planners {
		count = append(count, strconv.Itoa(solved(name, always)(c).n))
	}
	t.Rows = append(t.Rows, count)
	return t
}

// timePicture has the share solved over time.
func timePicture(c *comparison.Result) []string {
	p := &picture.Lines{
		Title: "Share of the inputs solved by a time", X: picture.Axis{Title: "time", Log: true, Text: picture.Seconds},
		Y: picture.Axis{Title: "solved", Text: picture.Percent, Least: 0, Most: 1},
	}
	for k, name := range c.Planners {
		var times []float64
		for i := range c.Instances {
			if t, ok := c.Cells[i][k].Median(); ok {
				times = append(times, t)
			}
		}
		slices.Sort(times)
		ran := solved(name, always)(c).n
		series := picture.Series{Name: name, Step: true, Bare: true, Hollow: k >= 8}
		for i, t := range times {
			if i%max(1, len(times)/300) == 0 || i == len(times)-1 { // as many points as can be told apart
				series.Points = append(series.Points, [2]float64{max(t, 1e-5), float64(i+1) / float64(ran)})
			}
		}
		p.Series = append(p.Series, series)
	}
	return []string{p.HTML()}
}

// timesPicture is a row for each problem and a mark for each planner.
func timesPicture(c *comparison.Result) []string {
	p := &picture.Rows{
		Title: "Time for a plan", Series: c.Planners,
		X: picture.Axis{Title: "time; › is a limit that was reached", Log: true, Text: picture.Seconds},
	}
	for k := range c.Planners { // there are eight shapes
		p.Hollow = append(p.Hollow, k >= 8)
	}
	for i := range c.Instances {
		row := picture.Row{Name: c.Instances[i].Name}
		for _, cell := range c.Cells[i] {
			v, over := math.NaN(), false
			if t, ok := cell.Median(); ok {
				v = max(t, 1e-6)
			} else if len(cell) > 0 && cell[0].Seconds > 0.9*cell[0].Timeout {
				v, over = cell[0].Timeout, true
			}
			row.Values, row.Over = append(row.Values, v), append(row.Over, over)
		}
		p.Rows = append(p.Rows, row)
	}
	return []string{p.HTML()}
}
