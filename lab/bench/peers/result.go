package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/lab/bench/internal/program"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
)

// A result is what lab/bench/results keeps.
type result struct {
	Tool      string             `json:"tool"`
	Set       string             `json:"set"`
	Date      string             `json:"date"`
	Machine   record.Machine     `json:"machine"`
	Programs  [2]program.Program `json:"programs"`
	Instances []measured         `json:"instances"`
}

// measured holds the runs on one instance, in the order of the programs.
type measured struct {
	Name     string  `json:"name"`
	Buffers  int     `json:"buffers"`
	Capacity int64   `json:"capacity"`
	Runs     [2]runs `json:"runs"`
}

// runs are the runs of one program. The i-th of both programs are a pair.
type runs struct {
	Outcome string    `json:"outcome"` // the same for all, else those there are
	Height  int64     `json:"height"`  // of the last plan; 0 for none
	Seconds []float64 `json:"seconds"`
}

// measure runs both programs on an instance, in turn.
func measure(ctx context.Context, programs [2]program.Program, in comparison.Instance, n int, timeout time.Duration,
	dir string,
) (measured, error) {
	m := measured{Name: in.Name, Buffers: len(in.Problem.Buffers), Capacity: in.Capacity}
	for i := range n {
		for turn := range 2 {
			at := (i + turn) % 2 // who goes first changes
			r, err := programs[at].Run(ctx, in, timeout, filepath.Join(dir, "out.csv"))
			if err != nil {
				return m, err
			}
			m.Runs[at].add(r)
		}
	}
	return m, nil
}

func (s *runs) add(r program.Run) {
	switch {
	case s.Outcome == "":
		s.Outcome = r.Outcome
	case !slices.Contains(strings.Split(s.Outcome, ", "), r.Outcome):
		s.Outcome += ", " + r.Outcome
	}
	s.Height = r.Height
	s.Seconds = append(s.Seconds, r.Seconds)
}

// cell writes the median and the range of the runs, in milliseconds.
func (s *runs) cell() string {
	text := fmt.Sprintf("%s (%s–%s)", comparison.Milliseconds(comparison.Median(s.Seconds)),
		comparison.Milliseconds(slices.Min(s.Seconds)), comparison.Milliseconds(slices.Max(s.Seconds)))
	if s.Outcome != program.Planned {
		text += " " + s.Outcome
	}
	return text
}

// ratio returns the median over the pairs of the peer's time to ours; ok is false if one of the programs has no plan.
func (m *measured) ratio() (x float64, ok bool) {
	var pairs []float64
	for i := range m.Runs[0].Seconds {
		pairs = append(pairs, m.Runs[1].Seconds[i]/m.Runs[0].Seconds[i])
	}
	return comparison.Median(pairs), m.Runs[0].Outcome == program.Planned && m.Runs[1].Outcome == program.Planned
}

// line is what is said on standard error while the benchmark runs.
func (m *measured) line() string {
	x, _ := m.ratio()
	return fmt.Sprintf("%s: %s ms, %s ms, %s×", m.Name, m.Runs[0].cell(), m.Runs[1].cell(), comparison.Ratio(x))
}

// markdown returns the table and the lines above and below it.
func (r *result) markdown() string {
	var rows [][]string
	var ratios []float64
	least, at := 0.0, ""
	for i := range r.Instances {
		m := &r.Instances[i]
		x, ok := m.ratio()
		cell := "–"
		if ok {
			ratios = append(ratios, x)
			cell = comparison.Ratio(x) + "×"
			if at == "" || x < least {
				least, at = x, m.Name
			}
		}
		rows = append(rows, []string{m.Name, fmt.Sprint(m.Buffers), m.Runs[0].cell(), m.Runs[1].cell(), cell})
	}
	var s strings.Builder
	if len(ratios) > 0 {
		fmt.Fprintf(&s, "Geometric mean **%s×** over %d instances, least %s× (%s).\n\n",
			comparison.Ratio(comparison.GeometricMean(ratios)), len(ratios), comparison.Ratio(least), at)
	}
	s.WriteString(comparison.NewTable([]string{
		"instance", "buffers", r.Programs[0].Name + ", ms", r.Programs[1].Name + ", ms", "ratio",
	}, rows).Markdown())
	fmt.Fprintf(&s, "\nWhole processes, one worker, median (least–most) of %d runs in turn; %s; %s.",
		len(r.Instances[0].Runs[0].Seconds), r.Machine, r.Date)
	if note := r.Programs[1].Note; note != "" {
		fmt.Fprintf(&s, " Peer: %s.", note)
	}
	s.WriteByte('\n')
	return s.String()
}
