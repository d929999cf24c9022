package main

import (
	"fmt"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
)

// A result is what lab/bench/results keeps.
type result struct {
	Tool      string         `json:"tool"`
	Planner   string         `json:"planner"`
	Set       string         `json:"set"`
	Date      string         `json:"date"`
	Machine   record.Machine `json:"machine"`
	Timeout   float64        `json:"timeout_seconds"`
	Instances []string       `json:"instances"`
	Settings  []setting      `json:"settings"` // the first has everything on
}

// A setting is one choice of switches, with what it took on each instance.
type setting struct {
	Name    string    `json:"name"`
	Without []string  `json:"without"`
	Status  []string  `json:"status"`
	Nodes   []int64   `json:"nodes"`
	Seconds []float64 `json:"seconds"`
	Base    []float64 `json:"base_seconds"` // with everything on, in turn with these
}

// A cell is one setting on one instance.
type cell struct {
	status  stowage.Status
	nodes   int64
	seconds float64 // the least
	base    float64 // the least with everything on
}

func (s *setting) add(c cell) {
	s.Status = append(s.Status, c.status.String())
	s.Nodes = append(s.Nodes, c.nodes)
	s.Seconds = append(s.Seconds, c.seconds)
	s.Base = append(s.Base, c.base)
}

// limited reports whether the i-th instance came to the limit.
func (s *setting) limited(i int) bool { return s.Status[i] == stowage.Unknown.String() }

// markdown returns a table of nodes and one of times.
func (r *result) markdown() string {
	var s strings.Builder
	// value gives what a table shows of a setting on an instance, and what that
	// is with everything on.
	table := func(title string, value func(s *setting, i int) (x, base float64), text func(x float64) string) {
		header := append([]string{"off"}, r.Instances...)
		header = append(header, "mean ratio")
		var rows [][]string
		for k := range r.Settings {
			at := &r.Settings[k]
			row := []string{at.Name}
			var ratios []float64
			sign := ""
			for i := range r.Instances {
				mark := ""
				if at.limited(i) {
					mark, sign = ">", "≥ "
				}
				x, base := value(at, i)
				row = append(row, mark+text(x))
				ratios = append(ratios, x/base)
			}
			rows = append(rows, append(row, sign+comparison.Ratio(comparison.GeometricMean(ratios))))
		}
		fmt.Fprintf(&s, "%s\n\n%s\n", title, comparison.NewTable(header, rows).Markdown())
	}
	table("Nodes:", func(s *setting, i int) (x, base float64) {
		return float64(max(s.Nodes[i], 1)), float64(max(r.Settings[0].Nodes[i], 1))
	}, func(x float64) string { return comparison.Count(int64(x)) })
	table("Time in ms:", func(s *setting, i int) (x, base float64) {
		return max(s.Seconds[i], 1e-6), max(s.Base[i], 1e-6)
	}, comparison.Milliseconds)
	for k := range r.Settings {
		if these := &r.Settings[k]; len(these.Without) > 1 {
			fmt.Fprintf(&s, "“%s” are %s. ", these.Name, strings.Join(these.Without, ", "))
			break
		}
	}
	fmt.Fprintf(&s, "The mean is the geometric one of the ratios to “%s”, which for times ran again in turn with each line. A run that comes to the limit of %g s is marked >; what it took until then stands for it. One worker; %s; %s.\n",
		r.Settings[0].Name, r.Timeout, r.Machine, r.Date)
	return s.String()
}
