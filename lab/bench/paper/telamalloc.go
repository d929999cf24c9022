package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/lab/bench/internal/telamalloc"
)

func telamallocSections() []section {
	return []section{
		{
			id: "telamalloc-figure-3", paper: telamallocPaper, title: "Figure 3: live memory of an allocator, a heuristic and a solver",
			did:    "A diagram shows the memory in use over time with TensorFlow's BFC allocator, with the contention heuristic and with a solver. Only the solver keeps the limit.",
			source: "figure 3, a diagram without figures", weight: 4, night: 2, run: liveMemory,
		},
		{
			id: "telamalloc-table-1", paper: telamallocPaper, title: "Table 1: microbenchmarks",
			did:    "The paper timed inputs that need no backtracking, at a capacity with room for all. In one kind no blocks overlap in time, in the other all do.",
			source: "table 1, of a Xeon E5-1650", weight: 4, night: 2, run: micro,
		},
		{
			id: "telamalloc-engine", paper: telamallocPaper, title: "Section 7.1: the share of time in the engine",
			did:    "The paper profiled a representative run. Upwards of 87% of the time is spent in the solver, and 9% in selecting blocks.",
			source: "section 7.1", weight: 4, night: 1, run: engineShare,
			fixed: func(z size) time.Duration { return 2 * z.profile },
		},
		{
			id: "telamalloc-figure-12", paper: telamallocPaper, title: "Figure 12: allocation time relative to TelaMalloc",
			did:    "The paper ran real models on a Pixel 6 at 110% of the least memory, 30 times. It gives the time of the mixed integer program over TelaMalloc's, of the best 10 runs.",
			source: "section 7.2, text; the diagram's bars are not in it", weight: 12, night: 3, run: relative,
		},
		{
			id: "telamalloc-figure-13", paper: telamallocPaper, title: "Figure 13: the same on a workstation, with CP and with learning",
			did:    "The paper ran the same inputs on a workstation, 10 times, and added the constraint program alone (CP-SAT) and learned backtracking.",
			source: "section 7.2, text; the diagram's bars are not in it", weight: 12, night: 3, run: workstation,
		},
		{
			id: "telamalloc-table-2", paper: telamallocPaper, title: "Table 2: the heuristic's least memory, and 1.07×",
			did:    "The paper gives the least memory with which the contention heuristic succeeds, over the least there is, and its time. It ran two models again at 1.07×, a little under what the heuristic needs.",
			source: "table 2 and section 7.2", weight: 10, night: 25, run: heuristicMemory,
		},
		{
			id: "telamalloc-figure-14", paper: telamallocPaper, title: "Figure 14: strategies of block selection",
			did:    "The paper compared TelaMalloc's selection with one strategy alone, on 1,192 inputs and with 500,000 steps at most. It counted the inputs that fail, and the steps of those that succeed.",
			source: "section 7.2, text", weight: 26, night: 60, run: strategies,
		},
		{
			id: "telamalloc-figure-15", paper: telamallocPaper, title: "Figure 15 and section 7.3: learned backtracking",
			did:    "The paper counted backtracks with and without the model, on portions of SRGAN (a diagram) and on 1,192 inputs. 117 of these are hard: they took more than 1,000 backtracks. The model improved 102 of the 117.",
			source: "section 7.3, text", weight: 28, night: 30, run: learned,
		},
		{
			id: "telamalloc-figure-16", paper: telamallocPaper, title: "Figure 16: the time of a score",
			did:    "In the paper a forest of 100 trees scores a candidate in about 2 µs.",
			source: "section 7.3, text", weight: 3, night: 1, run: scoreTime,
		},
		{
			id: "telamalloc-figure-17", paper: telamallocPaper, title: "Figure 17: the importance of the features",
			did:    "The paper ranked the features of its model by how much its error (RMSE) grows without them. Lifetime, contention, the level and the number of backtracks so far count much, and the region counts little.",
			source: "section 7.3, text; the diagram's bars are not in it", weight: 10, night: 10, run: importance,
		},
		{
			id: "telamalloc-figure-18", paper: telamallocPaper, title: "Figure 18: what better packing is worth",
			did:    "The paper measured the speed of programs on a TPUv4 if XLA's memory space assignment repacks with TelaMalloc and not with best fit. They are up to 7% faster.",
			source: "section 7.4", weight: 12, night: 15, run: repacking,
		},
		{
			id: "telamalloc-figure-19", paper: telamallocPaper, title: "Figure 19: a network's memory over time",
			did:    "A picture shows the problem of OpenPose. It has one phase of high contention at the beginning, and then high and low ones in turn.",
			source: "figure 19 and section 8.1", weight: 3, night: 1, run: overTime,
		},
	}
}

// liveMemory is figure 3.
func liveMemory(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	nets, err := e.nets()
	if err != nil {
		return c, err
	}
	var rows [][]string
	p := &picture.Rows{Title: "Height over the least height", X: picture.Axis{Title: "height over the least", Text: picture.Times}, Series: []string{"bfc", "contention", "exact"}}
	var shown comparison.Instance
	worst, f := 0.0, live{}
	plans := map[string][]int64{}
	for _, in := range nets {
		l, err := e.leastOf(ctx, &in)
		if err != nil {
			return c, err
		}
		row := []string{in.Name}
		values := []float64{}
		for _, name := range []string{"bfc", "contention"} {
			r, err := stowage.Minimize(e.ctx, in.Problem, stowage.Options{Planner: name})
			if err != nil {
				return c, err
			}
			plans[name+in.Name] = r.Offsets
			row = append(row, comparison.Grouped(r.Height))
			values = append(values, float64(r.Height)/float64(l.Height))
		}
		f.bfc, f.contention = append(f.bfc, values[0]), append(f.contention, values[1])
		rows = append(rows, append(row, comparison.Grouped(l.Height)))
		p.Rows = append(p.Rows, picture.Row{Name: in.Name, Values: append(values, 1)})
		if x := values[0] + values[1]; x > worst && len(in.Problem.Buffers) < 450 {
			worst, shown = x, in
		}
	}
	e.used[e.on] = true
	r, err := stowage.Minimize(e.ctx, shown.Problem, stowage.Options{Planner: "exact", Timeout: patience})
	if err != nil {
		return c, err
	}
	tl := timeline.New(shown.Problem)
	over := func(offsets []int64) (points [][2]float64) {
		for s := range tl.Starts {
			top := int64(0)
			for i := range shown.Problem.Buffers {
				b := &shown.Problem.Buffers[i]
				if b.Lower < tl.Ends[s] && tl.Starts[s] < b.Upper {
					top = max(top, offsets[i]+b.Size)
				}
			}
			points = append(points, [2]float64{float64(tl.Starts[s]), float64(top)}, [2]float64{float64(tl.Ends[s]), float64(top)})
		}
		return points
	}
	curve := &picture.Lines{
		Title: shown.Name + ": the highest byte in use over time", X: picture.Axis{Title: "logical time", Tight: true, Text: count}, Y: picture.Axis{Title: "highest byte in use", Text: count},
		Series: []picture.Series{
			{Name: "bfc", Points: over(plans["bfc"+shown.Name]), Step: true, Bare: true},
			{Name: "contention", Points: over(plans["contention"+shown.Name]), Step: true, Bare: true},
			{Name: "exact", Points: over(r.Offsets), Step: true, Bare: true},
		},
		Marks: []picture.Mark{{Name: "least height", At: float64(r.Height)}},
	}
	c.pictures = append(c.pictures, curve.HTML(), p.HTML())
	t := comparison.NewTable([]string{"network", "bfc", "contention", "exact"}, rows)
	t.Title = "Heights"
	c.tables = append(c.tables, t)
	c.add("networks on which only a solver keeps to the least height", "the one that is shown", of(f.needs(), len(nets)))
	c.add("BFC over the least, geometric mean", "no figure in the text", fmt.Sprintf("%.3f×", comparison.GeometricMean(f.bfc)))
	c.add("the contention heuristic over the least, geometric mean", "no figure in the text", fmt.Sprintf("%.3f×", comparison.GeometricMean(f.contention)))
	c.say(f.say()...)
	c.about = "The first picture has the network on which the three are furthest apart."
	return c, nil
}

// micro is table 1.
func micro(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	header := []string{"benchmark", "paper, ms", "tela, ms", "paper over ours", "paper, µs a step", "tela, µs a step"}
	var rows [][]string
	p := &picture.Rows{Title: "Time, problem prepared", X: picture.Axis{Title: "time", Log: true, Text: picture.Seconds}, Series: []string{"tela", "TelaMalloc (paper)"}, Hollow: []bool{false, true}, As: []int{0, 1}}
	var f micros
	for _, m := range telamalloc.Micros {
		got, err := remember(e.ctx, e, fmt.Sprintf("table 1, %s, %d runs%s", m.Name, e.size.repeat, e.clock()), func(ctx context.Context) (telamalloc.Micro, error) {
			err := m.Measure(ctx, e.size.repeat)
			return m, err
		})
		if err != nil {
			return c, err
		}
		ms := got.Seconds * 1000
		rows = append(rows, []string{
			m.Name, comparison.Grouped(int64(m.Paper)), comparison.Milliseconds(got.Seconds), comparison.Ratio(m.Paper / ms),
			comparison.Ratio(m.PaperStep * 1000), comparison.Ratio(ms * 1000 / float64(got.Steps)),
		})
		p.Rows = append(p.Rows, picture.Row{Name: m.Name, Values: []float64{got.Seconds, m.Paper / 1000}})
		c.judge(m.Name, comparison.Grouped(int64(m.Paper))+" ms", comparison.Milliseconds(got.Seconds)+" ms, on another machine", compare(m.Paper, ms, less))
		f = append(f, microFigure{m.Name, m.Paper, ms, m.PaperStep, ms / float64(got.Steps)})
	}
	c.pictures = append(c.pictures, p.HTML())
	c.tables = append(c.tables, comparison.NewTable(header, rows))
	c.say(f.say()...)
	return c, nil
}

// netSweep runs exact, tela and the planners and peers of the names on the networks, for
// figures 12 and 13 and table 2. MiniMalloc's figure 8 has made most of the runs.
func (e *env) netSweep(ctx context.Context, c *content, factor float64, names []string) (*comparison.Result, error) {
	problems, err := e.netsAt(ctx, c, factor)
	if err != nil {
		return nil, err
	}
	lots := []lot{{[]string{"exact", "tela"}, e.size.limit, e.size.repeat, 1, 2}}
	if slices.Contains(names, "tela-learned") {
		lots = append(lots, lot{[]string{"tela-learned"}, e.size.limit, e.size.repeat, 1, 1})
	}
	for _, l := range e.baselines(1) { // as figure 8 runs them
		l.names = slices.DeleteFunc(l.names, func(name string) bool { return !slices.Contains(names, name) })
		if len(l.names) > 0 {
			lots = append(lots, l)
		}
	}
	s, cut, err := e.sweep(ctx, problems, lots...)
	if err == nil {
		c.note("%s", cut)
	}
	return s, err
}

// relative is figure 12.
func relative(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	s, err := e.netSweep(ctx, c, 1.1, []string{"milp", "cp"})
	if err != nil {
		return c, err
	}
	p := &picture.Rows{Title: "Time over tela's, at 110% of the least height", X: picture.Axis{Title: "time over tela's", Log: true, Text: picture.Times}, Marks: []picture.Mark{{Name: "tela", At: 1}}}
	header := []string{"network"}
	shown := []int{}
	for k, name := range s.Planners {
		if name != "tela" {
			shown = append(shown, k)
			p.Series = append(p.Series, name)
			header = append(header, name+", × tela")
		}
	}
	header = append(header, "tela, ms")
	var rows [][]string
	orders := 0
	for i := range s.Instances {
		base, ok := s.Cells[i][1].Median()
		row, values := []string{s.Instances[i].Name}, picture.Row{Name: s.Instances[i].Name}
		for _, k := range shown {
			v, over, text := math.NaN(), false, "–"
			if t, solved := s.Cells[i][k].Median(); ok && solved {
				v, text = t/base, comparison.Ratio(t/base)
			} else if cell := s.Cells[i][k]; ok && len(cell) > 0 && cell[0].Seconds > 0.9*cell[0].Timeout {
				v, over, text = cell[0].Timeout/base, true, "> "+comparison.Ratio(cell[0].Timeout/base)
			}
			if s.Planners[k] == "milp" && v >= 10 && !over {
				orders++
			}
			row, values.Values, values.Over = append(row, text), append(values.Values, v), append(values.Over, over)
		}
		rows = append(rows, append(row, entry(s.Cells[i][1])))
		p.Rows = append(p.Rows, values)
	}
	f := against{milp: between(s, "milp", "tela"), exact: between(s, "exact", "tela"), learned: ratio{math.NaN(), 0}, solved: shareBy(s, "milp", math.NaN()), limit: e.size.limit}
	c.judge("mixed integer program over TelaMalloc, median", "about 4.7×", f.milp.text(), f.milpVerdict())
	c.add("models on which it is one or two orders of magnitude and more", "“some”", of(orders, f.milp.n))
	c.add("the canonical search over tela, median", "not in this paper", f.exact.text())
	c.pictures = append(c.pictures, p.HTML(), timesPicture("Time for a plan at 110% of the least height", s))
	t := comparison.NewTable(header, rows)
	t.Title = "Time over tela's"
	c.tables = append(c.tables, t)
	c.say(f.say()...)
	c.about = "There is no phone here: one machine stands for both of the paper's."
	return c, nil
}

// workstation is figure 13.
func workstation(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	s, err := e.netSweep(ctx, c, 1.1, []string{"tela-learned", "milp", "cp", cpSAT, cpSATBoxes})
	if err != nil {
		return c, err
	}
	c.pictures = append(c.pictures, timesPicture("Time for a plan at 110% of the least height", s))
	t := byProblem(s)
	t.Title = "Median times, ms"
	c.tables = append(c.tables, t)
	f := against{milp: between(s, "milp", "tela"), learned: between(s, "tela-learned", "tela"), exact: ratio{math.NaN(), 0}, solved: shareBy(s, "milp", math.NaN()), limit: e.size.limit}
	c.judge("mixed integer program over TelaMalloc, median", "as in figure 12: about 4.7×", f.milp.text(), f.milpVerdict())
	c.add("the paper's constraint program by plain search, over tela", "in the diagram alone", between(s, "cp", "tela").text())
	if e.python {
		c.add("CP-SAT, one no-overlap a section, over tela", "in the diagram alone (another encoding)", between(s, cpSAT, "tela").text())
		c.add("CP-SAT, one no-overlap in two dimensions, over tela", "in the diagram alone (another encoding)", between(s, cpSATBoxes, "tela").text())
	} else {
		c.add("CP-SAT over tela", "in the diagram alone", notRun+": no OR-Tools here")
	}
	c.add("learned backtracking over the rules", "helps a small subset of models", f.learned.text())
	// How far repeated runs are apart.
	header, row := []string{"planner"}, []string{"slowest run over the fastest, median of the networks"}
	for k, name := range s.Planners {
		var spreads []float64
		for i := range s.Instances {
			if a, b, ok := s.Cells[i][k].Spread(); ok {
				spreads = append(spreads, b/a)
			}
		}
		header = append(header, name)
		if len(spreads) > 0 {
			f.spreads = append(f.spreads, spreadOf{name, comparison.Median(spreads), len(spreads)})
		}
		if len(spreads) == 0 {
			row = append(row, "–")
		} else {
			row = append(row, comparison.Ratio(comparison.Median(spreads))+"×")
		}
	}
	spread := comparison.NewTable(header, [][]string{row})
	spread.Title = fmt.Sprintf("Spread of %d runs", e.size.repeat)
	c.tables = append(c.tables, spread)
	c.say(f.say()...)
	return c, nil
}
