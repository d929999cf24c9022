package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
)

// Figures 9 and 10 of the MiniMalloc paper: many inputs, and what share of them is solved
// in what time.

// extendedSuite is figure 9.
func extendedSuite(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	problems, err := e.extended(e.size.extended)
	if err != nil {
		return c, err
	}
	s, cut, err := e.sweep(ctx, problems,
		lot{[]string{"exact", "tela"}, e.size.extendedOf, 1, 1, 4},
		lot{[]string{"auto"}, e.size.extendedOf, 1, 1, 2},
		lot{[]string{minimalloc}, e.size.extendedOf, 1, 1, 1},
		lot{[]string{"milp"}, e.size.extendedOf, 1, 1, 1})
	if err != nil {
		return c, err
	}
	c.note("%s", cut)
	c.pictures = append(c.pictures, extendedPicture(s).HTML())
	c.tables = append(c.tables, extendedTable(s, e.size.extendedOf))
	for _, name := range []string{"sweep-extended", "sweep-extended-milp"} {
		if err := showAnswers(c, e, name, problems); err != nil {
			return c, err
		}
	}
	f := extendedFigures{}
	for _, one := range []struct {
		name  string
		paper float64
	}{{"exact", 0.85}, {"tela", 0.32}, {"milp", 0.16}} {
		p := within(s, one.name, 1e-3, one.paper)
		f.within = append(f.within, p)
		what := map[string]string{"exact": "the canonical search", "tela": "tela", "milp": "the mixed integer program"}[one.name]
		c.judge("solved within 1 ms by "+what, percent(one.paper), p.text(), p.verdict(more))
	}
	c.add("the same by auto", "not in the paper", within(s, "auto", 1e-3, math.NaN()).text())
	if e.minimalloc != "" {
		c.add("solved within 1 ms by google/minimalloc's process", "85%, in the process", within(s, minimalloc, 1e-3, math.NaN()).text()+", with starting it")
	}
	tenth := within(s, "tela", 0.1, 0.85)
	c.judge("solved within 100 ms by tela", "about 85%", tenth.text(), tenth.verdict(more))
	f.first, f.tied, f.raced = race(s, "exact", "auto")
	c.judge("inputs on which the canonical search is the fastest", "99%, of all solvers", fmt.Sprintf("%s, of all that ran except auto; %d ties", of(f.first, f.raced), f.tied), judgeShare(0.99, f.first, f.raced, fewestShare, more))
	c.judge("inputs", "over 1,000", fmt.Sprint(len(problems)), "")
	c.say(f.say()...)
	c.about = fmt.Sprintf("The inputs are not the paper's, and neither is the machine: here are %d networks at 100%% to 130%% of their load, and generated problems. A capacity that is refuted counts as solved.", len(e.networks))
	return c, nil
}

// within is the share of the inputs that a planner ran on that it solved within t seconds.
func within(s *comparison.Result, name string, t, paper float64) solvedShare {
	share, ran := solvedWithin(s, slices.Index(s.Planners, name), t)
	return solvedShare{name, paper, int(math.Round(share * float64(ran))), ran}
}

// solvedWithin returns which share of the inputs that planner k ran on it solved within t
// seconds, and how many those inputs are.
func solvedWithin(s *comparison.Result, k int, t float64) (share float64, ran int) {
	if k < 0 {
		return 0, 0
	}
	solved := 0
	for i := range s.Instances {
		cell := s.Cells[i][k]
		if len(cell) == 0 {
			continue
		}
		ran++
		if at, ok := cell.Median(); ok && at <= t {
			solved++
		}
	}
	return float64(solved) / float64(max(ran, 1)), ran
}

// race returns on how many inputs a planner is the fastest of all that ran, but one that is
// left out, and on how many it is tied for it, of those that another ran on too and one of
// them solved.
func race(s *comparison.Result, name, leftOut string) (first, tied, raced int) {
	a := slices.Index(s.Planners, name)
	for i := range s.Instances {
		if a < 0 || len(s.Cells[i][a]) == 0 {
			continue
		}
		best, others := math.Inf(1), 0
		for k := range s.Planners {
			if k == a || s.Planners[k] == leftOut || len(s.Cells[i][k]) == 0 {
				continue
			}
			others++
			if t, ok := s.Cells[i][k].Median(); ok {
				best = min(best, t)
			}
		}
		its, solved := s.Cells[i][a].Median()
		if others == 0 || !solved && math.IsInf(best, 1) {
			continue
		}
		raced++
		switch {
		case !solved:
		case near(its, best, tieFactor):
			tied++
		case its < best:
			first++
		}
	}
	return first, tied, raced
}

// extendedPicture has the share solved over time, and the paper's points.
func extendedPicture(s *comparison.Result) *picture.Lines {
	p := &picture.Lines{
		Title: "Share of the inputs solved by a time", X: picture.Axis{Title: "time", Log: true, Text: picture.Seconds},
		Y: picture.Axis{Title: "solved", Text: picture.Percent, Least: 0, Most: 1},
	}
	for k, name := range s.Planners {
		var times []float64
		_, ran := solvedWithin(s, k, 0)
		for i := range s.Instances {
			if t, ok := s.Cells[i][k].Median(); ok {
				times = append(times, t)
			}
		}
		slices.Sort(times)
		series := picture.Series{Name: name, Step: true, Bare: true}
		for i, t := range times {
			// As many points as can be told apart.
			if i%max(1, len(times)/300) == 0 || i == len(times)-1 {
				series.Points = append(series.Points, [2]float64{max(t, 1e-5), float64(i+1) / float64(ran)})
			}
		}
		p.Series = append(p.Series, series)
	}
	// The paper's points, in the colours of the same planners.
	for _, q := range []struct {
		name, as string
		points   [][2]float64
	}{
		{"MiniMalloc (paper)", "exact", [][2]float64{{1e-3, 0.85}}},
		{"TelaMalloc (paper)", "tela", [][2]float64{{1e-3, 0.32}, {0.1, 0.85}}},
		{"mixed ILP (paper)", "milp", [][2]float64{{1e-3, 0.16}}},
	} {
		p.Series = append(p.Series, picture.Series{Name: q.name, Points: q.points, Hollow: true, As: 1 + slices.Index(s.Planners, q.as)})
	}
	return p
}

// extendedTable has the share solved by some times, up to the limit.
func extendedTable(s *comparison.Result, limit time.Duration) *comparison.Table {
	header := append([]string{"solved within"}, s.Planners...)
	var rows [][]string
	for _, t := range []float64{1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1, 0.2, 0.5, 1, 2, 5, 10} {
		if t > limit.Seconds()*1.001 {
			break
		}
		row := []string{picture.Seconds(t)}
		for k := range s.Planners {
			text := "–"
			if share, ran := solvedWithin(s, k, t); ran > 0 {
				text = fmt.Sprintf("%.1f%%", 100*share)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	counts := []string{"inputs run"}
	for k := range s.Planners {
		_, ran := solvedWithin(s, k, 0)
		counts = append(counts, fmt.Sprint(ran))
	}
	t := comparison.NewTable(header, append(rows, counts))
	t.Title = fmt.Sprintf("Share solved, limit %v", limit)
	return t
}

// syntheticSuite is figure 10.
func syntheticSuite(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	whole := synthetic(e.size.all, e.size.step0())
	half, over := shareOf(ctx, 0.4)
	s, cut, err := e.sweep(half, whole, lot{[]string{"exact"}, e.size.limit, 1, 1, 1})
	over()
	if err != nil {
		return c, err
	}
	c.note("%s", cut)
	sample := synthetic(e.size.each, e.size.step)
	b, cut, err := e.sweep(ctx, sample, append([]lot{{[]string{"tela"}, e.size.limit, 1, e.jobs, 6}}, e.baselines(e.jobs)...)...)
	if err != nil {
		return c, err
	}
	c.note("%s", cut)
	join(s, b)
	c.pictures = append(c.pictures, syntheticPictures(s)...)
	t := bySize(s)
	t.Title = "By size"
	c.tables = append(c.tables, t)
	f := sizes{exact: shareBy(s, "exact", 1), limit: e.size.limit}
	f.most, _ = slowestOf(s, "exact")
	quick := within(s, "exact", 1e-3, math.NaN())
	c.judge("solved by the canonical search", "all 525", of(f.exact.part, f.exact.of), judgeShare(1, f.exact.part, f.exact.of, fewestShare, more))
	c.add("of them within a millisecond", "“the vast majority”", quick.text())
	if f.most > 0 {
		c.add("its slowest", "", picture.Seconds(f.most))
	}
	for _, name := range b.Planners {
		one := halves(b, name)
		f.planners = append(f.planners, one)
		paper, verdict := "", ""
		switch name {
		case "tela", "milp":
			paper = "loses ground as buffers grow; no figure in the text"
		case minimalloc:
			paper, verdict = "all 525", judgeShare(1, one.all().part, one.all().of, fewestShare, more)
		}
		c.judge("solved by "+name, paper, of(one.all().part, one.all().of), verdict)
	}
	for _, name := range []string{"sweep-synthetic", "sweep-synthetic-milp"} {
		if err := showKept(c, e, name, whole); err != nil {
			return c, err
		}
	}
	c.say(f.say()...)
	c.about = fmt.Sprintf("The paper's problems are not public; these are made after its description. The canonical search was asked for %d of them, the others for %d.", len(whole), len(sample))
	return c, nil
}

// halves is what a planner solves of the smaller sizes and of the larger ones.
func halves(s *comparison.Result, name string) solvedBySize {
	k := slices.Index(s.Planners, name)
	half := solvedBySize{name: name}
	groups := sizesOf(s)
	all := slices.Sorted(maps.Keys(groups))
	for rank, n := range all {
		side := &half.small
		if 2*rank >= len(all) {
			side = &half.large
		}
		for _, i := range groups[n] {
			if cell := s.Cells[i][k]; len(cell) > 0 {
				side.of++
				if _, ok := cell.Median(); ok {
					side.part++
				}
			}
		}
	}
	return half
}

// join adds the columns of a sample to those of the whole: the sample's cells at the places of
// its problems.
func join(whole, sample *comparison.Result) {
	where := map[string]int{}
	columns := len(whole.Planners)
	for i, in := range whole.Instances {
		where[in.Name] = i
		whole.Cells[i] = append(whole.Cells[i], make([]comparison.Cell, len(sample.Planners))...)
	}
	whole.Planners = append(whole.Planners, sample.Planners...)
	for j, in := range sample.Instances {
		if i, ok := where[in.Name]; ok {
			copy(whole.Cells[i][columns:], sample.Cells[j])
		}
	}
}

// syntheticPictures have the median time and the share solved, over the number of buffers.
func syntheticPictures(s *comparison.Result) []string {
	groups := sizesOf(s)
	sizes := slices.Sorted(maps.Keys(groups))
	solved := &picture.Lines{Title: "Share solved, by the number of buffers", X: picture.Axis{Title: "buffers"}, Y: picture.Axis{Title: "solved", Text: picture.Percent, Least: 0, Most: 1}}
	quick := &picture.Lines{Title: "Median time, by the number of buffers", X: picture.Axis{Title: "buffers"}, Y: picture.Axis{Title: "median, the limit where that was reached", Log: true, Text: picture.Seconds}}
	for k, name := range s.Planners {
		shares := picture.Series{Name: name, Line: true}
		times := shares
		for _, n := range sizes {
			if solved, seconds, ok := share(s, k, groups[n]); ok {
				shares.Points = append(shares.Points, [2]float64{float64(n), solved})
				times.Points = append(times.Points, [2]float64{float64(n), max(seconds, 1e-6)})
			}
		}
		if len(shares.Points) == 0 {
			shares = picture.Series{Name: name + " (not run)"}
			times = shares
		}
		solved.Series, quick.Series = append(solved.Series, shares), append(quick.Series, times)
	}
	return []string{quick.HTML(), solved.HTML()}
}

// step0 is the step of sizes for exact: only a small report leaves any out.
func (s *size) step0() int {
	if s.all > 0 {
		return s.step
	}
	return 1
}
