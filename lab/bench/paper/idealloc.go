package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/picture"
	"github.com/stowage-go/stowage/lab/experiment"
)

func ideallocSections() []section {
	return []section{
		{
			id: "idealloc-figure-6", paper: ideallocPaper, title: "Figure 6: heights over the load",
			did:    "The report compares the allocators of several frameworks on A to K, and idealloc as the best of a million runs. idealloc is 20% to 40% above the load. MindSpore and TVM's hill climb come near, and MiniMalloc is always at the load. On 7 of the 11 only MiniMalloc is lower than idealloc.",
			source: "section 5, text; the diagram's bars are not in it", weight: 25, night: 100, run: frameworks,
		},
		{
			id: "idealloc-table-1", paper: ideallocPaper, title: "Table 1: growth of the time",
			did:    "The report timed MiniMalloc and a single run of idealloc, from 154 to 18,692 buffers. MiniMalloc was tuned by hand on two problems, which take over 80 minutes without. On the largest it died of a segmentation fault.",
			source: "table 1 (its unit is not given; milliseconds by what is said of them)", weight: 30, night: 15, run: growth,
		},
	}
}

// allocators are those of figure 6 that are in the box: the frameworks' of its section 2.
var allocators = []string{
	"xla-heap", "xla-packing-search", "tflite-greedy-by-size", "tflite-objects-best", "tvm-greedy-by-size", "tvm-greedy-by-conflicts", "tvm-hill-climb", "somas", "triton",
}

// A plan is what figure 6 and table 1 keep of a planner's.
type planned struct {
	Height  int64
	Seconds float64
}

// heightOf plans by a planner that minimises.
func (e *env) heightOf(ctx context.Context, in *comparison.Instance, planner string, params map[string]string) (planned, error) {
	return remember(ctx, e, fmt.Sprintf("height by %s %v on %s %s", planner, params, in.Name, in.Digest), func(ctx context.Context) (planned, error) {
		began := e.now()
		r, err := stowage.Minimize(ctx, in.Problem, stowage.Options{Planner: planner, Params: params})
		if err != nil {
			return planned{}, err
		}
		return planned{r.Height, (e.now() - began).Seconds()}, nil
	})
}

// inBox drops planners that are not registered.
func inBox(names []string) []string {
	all := stowage.Planners()
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.ContainsFunc(all, func(i stowage.PlannerInfo) bool { return i.Name == name })
	})
}

// gathered is what figure 6 is made of, problem by problem.
type gathered struct {
	e       *env
	tries   []int
	names   []string // of the frameworks' planners
	f       heights
	cut     int         // runs for which there was no time
	reached map[int]int // by tries, on how many problems
}

// run adds a run to a row, a dash where there is no time for it. The height is 0 then.
func (g *gathered) run(ctx context.Context, row *[]string, in *comparison.Instance, planner string, params map[string]string) (int64, error) {
	one, err := g.e.heightOf(ctx, in, planner, params)
	if err == errCut {
		*row = append(*row, "–")
		g.cut++
		return 0, nil
	}
	if err == nil {
		*row = append(*row, fmt.Sprintf("%.3f", in.Ratio(one.Height)))
	}
	return one.Height, err
}

// problem runs exact, boxing and the frameworks' planners on a problem.
func (g *gathered) problem(ctx context.Context, in *comparison.Instance) (row []string, values []float64, err error) {
	e := g.e
	// Exact is asked for the capacity of the suite: A to K have a plan at it.
	got, err := remember(e.ctx, e, fmt.Sprintf("exact on %s %s at %d", in.Name, in.Digest, in.Capacity), func(ctx context.Context) (planned, error) {
		r, err := stowage.Minimize(ctx, in.Problem, stowage.Options{Planner: "exact", Timeout: 2 * time.Second})
		if err != nil {
			return planned{}, err
		}
		return planned{r.Height, r.Stats.Elapsed.Seconds()}, nil
	})
	if err != nil {
		return nil, nil, err
	}
	row = []string{in.Name, fmt.Sprintf("%.3f", in.Ratio(got.Height))}
	values = []float64{in.Ratio(got.Height), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	g.f.problems++
	if got.Height <= in.Capacity {
		g.f.fits++
	}
	best, first := int64(0), int64(0)
	for _, n := range g.tries {
		how := e.ctx // few tries are quick
		if n > 100 {
			how = ctx
		}
		height, err := g.run(how, &row, in, "boxing", map[string]string{"tries": strconv.Itoa(n)})
		if err != nil {
			return nil, nil, err
		}
		if height > 0 {
			g.reached[n]++
			if first == 0 {
				first = height
			}
			best, g.f.tries = height, max(g.f.tries, n)
		}
	}
	if best > 0 {
		values[1] = in.Ratio(best)
		g.f.boxing = append(g.f.boxing, values[1])
		g.f.gains = append(g.f.gains, float64(first)/float64(best))
	}
	lower := 0 // the frameworks' planners that are lower than boxing
	for _, name := range g.names {
		height, err := g.run(e.ctx, &row, in, name, nil)
		if err != nil {
			return nil, nil, err
		}
		if height == 0 {
			continue
		}
		x := in.Ratio(height)
		switch name {
		case "somas":
			values[2] = x
		case "tvm-hill-climb":
			values[3] = x
			if best > 0 {
				g.f.climbs++
				if height < best {
					g.f.climbLower++
				}
			}
		default:
			if !(values[4] <= x) { // nor a number yet
				values[4] = x
			}
		}
		if height < best {
			lower++
		}
	}
	if best > 0 {
		g.f.compared++
		switch {
		case got.Height < best && lower == 0:
			g.f.onlyExact++
		case got.Height == best && lower == 0:
			g.f.tied++
		}
	}
	return row, values, nil
}

// frameworks is idealloc's figure 6.
func frameworks(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	problems, err := e.challenging(c)
	if err != nil {
		return c, err
	}
	names := inBox(allocators)
	for _, name := range allocators {
		if !slices.Contains(names, name) {
			c.note("The planner %s is not in the box.", name)
		}
	}
	header := []string{"problem", "exact"}
	tries := e.size.tries
	for _, n := range tries {
		header = append(header, fmt.Sprintf("boxing, %s", comparison.Grouped(int64(n))))
	}
	header = append(header, names...)
	p := &picture.Rows{Title: "Height over the load", X: picture.Axis{Title: "height over the load", Text: picture.Times}, Series: append([]string{"exact", "boxing, most tries"}, "somas", "tvm-hill-climb", "best of the other frameworks")} // the worst, up to four times the load, are in the table
	// The most tries take longest, and J and K, which the paper shows, come first.
	for _, n := range tries {
		for i := len(problems) - 1; i >= 0; i-- {
			if _, err := e.heightOf(ctx, &problems[i], "boxing", map[string]string{"tries": strconv.Itoa(n)}); err != nil && err != errCut {
				return c, err
			}
		}
	}
	g := gathered{e: e, tries: tries, names: names, reached: map[int]int{}}
	var rows [][]string
	for i := range problems {
		row, values, err := g.problem(ctx, &problems[i])
		if err != nil {
			return c, err
		}
		rows = append(rows, row)
		p.Rows = append(p.Rows, picture.Row{Name: problems[i].Name, Values: values})
	}
	if g.cut > 0 {
		c.note("%d of the plans were not made in the section's time. The same command goes on from there.", g.cut)
	}
	g.f.real = e.data
	if len(g.f.boxing) > 0 {
		c.judge("idealloc's way (boxing) over the load", "20% to 40% above", g.f.spread(), g.f.verdict())
	}
	verdict := differs
	if e.data {
		verdict = judgeShare(7.0/11, g.f.onlyExact, g.f.compared, len(table2), more)
	}
	c.judge("problems on which the exact search is lower than boxing, and nothing else is", "7 of 11", of(g.f.onlyExact, g.f.compared), verdict)
	c.add("problems on which boxing is as low as the exact search, and nothing is lower", "not in the text", of(g.f.tied, g.f.compared))
	for _, n := range tries {
		if g.reached[n] < len(problems) {
			c.note("%s tries of boxing: on %d of %d problems.", comparison.Grouped(int64(n)), g.reached[n], len(problems))
		}
	}
	c.pictures = append(c.pictures, p.HTML())
	t := comparison.NewTable(header, rows)
	t.Title = "Heights over the load"
	c.tables = append(c.tables, t)
	c.say(g.f.say()...)
	c.about = "The planners of frameworks are as their sources have them today, and boxing is Stowage's, written after the paper."
	if !e.data {
		c.about += " The problems are networks with as many buffers as A to K, and not those."
	}
	return c, nil
}

// table1 is idealloc's.
var table1 = []struct {
	buffers              int
	minimalloc, idealloc float64 // NaN: it died
	tuned                bool
}{{154, 6, 8, false}, {296, 6, 9, false}, {454, 6, 13, false}, {1821, 601, 87, true}, {5620, 12949, 1703, true}, {18692, math.NaN(), 1393, false}}

// growthInputs are problems of the sizes of table 1 and others, with their loads as
// capacities.
func (e *env) growthInputs(c *content) ([]comparison.Instance, error) {
	var all []comparison.Instance
	if e.data {
		hard, err := experiment.Load("challenging", nil)
		if err != nil {
			return nil, err
		}
		for _, name := range []string{"A", "F", "K"} {
			all = append(all, named(hard, name))
		}
		more, err := experiment.Load("idealloc", nil)
		if err != nil {
			return nil, err
		}
		for _, in := range more {
			in.Capacity = in.Load
			all = append(all, in)
		}
	}
	for _, n := range []int{154, 296, 454, 1821, 5620, 18692} {
		if e.data && n < 1000 {
			continue
		}
		p, err := gen.Generate("training", gen.Options{Buffers: n})
		if err != nil {
			return nil, err
		}
		in := comparison.NewInstance(fmt.Sprintf("training-%d", n), p, 0)
		in.Capacity = in.Load + in.Load/20
		all = append(all, in)
	}
	all = slices.DeleteFunc(all, func(in comparison.Instance) bool { return len(in.Problem.Buffers) > e.size.largest })
	slices.SortStableFunc(all, func(a, b comparison.Instance) int { return len(a.Problem.Buffers) - len(b.Problem.Buffers) })
	c.note("The paper's inputs of 1,821 and 5,620 buffers are not public. In their place are training steps of as many buffers (training-N), at 105%% of their load; G_1, resnet50, pangu_2.6B and S_1 are at their load.")
	return all, nil
}

// growth is idealloc's table 1.
func growth(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	problems, err := e.growthInputs(c)
	if err != nil {
		return c, err
	}
	limit := e.size.hour
	half, over := shareOf(ctx, 0.7)
	s, cut, err := e.sweep(half, problems, lot{[]string{"exact", "auto"}, limit, 1, 1, 1}, lot{[]string{minimalloc}, limit, 1, 1, 1})
	over()
	if err != nil {
		return c, err
	}
	c.note("%s", cut)
	f, err := e.growthTimes(ctx, c, s)
	if err != nil {
		return c, err
	}
	c.tables = append(c.tables, growthOfPaper())
	for _, q := range slices.Backward(f.same) {
		c.judge(fmt.Sprintf("a single run on %s buffers (%s)", comparison.Grouped(int64(q.buffers)), q.name), comparison.Grouped(int64(q.paper*1000))+" ms", comparison.Milliseconds(q.here)+" ms", q.verdict())
	}
	f.auto, f.limit = shareBy(s, "auto", math.NaN()), limit
	c.add("planned by auto within "+limit.String(), "not in the paper", of(f.auto.part, f.auto.of))
	if e.minimalloc == "" {
		c.add("where MiniMalloc fails", "18,692 buffers: segmentation fault", notRun+": its program is not here")
	} else {
		f.peer, f.fails = shareBy(s, minimalloc, math.NaN()), failsOf(s, minimalloc)
		text := notRun
		switch {
		case f.peer.of == 0:
		case len(f.fails) == 0:
			text = fmt.Sprintf("nowhere; planned %s", of(f.peer.part, f.peer.of))
		default:
			text = fmt.Sprintf("%s; planned %s", strings.Join(f.fails, ", "), of(f.peer.part, f.peer.of))
		}
		c.add("where MiniMalloc fails within "+limit.String(), "18,692 buffers: segmentation fault; 1,821 and 5,620 unless tuned", text)
	}
	c.say(f.say()...)
	return c, nil
}

// growthTimes adds the times as a table and a picture, beside the paper's, and returns those of
// boxing at the paper's sizes.
func (e *env) growthTimes(ctx context.Context, c *content, s *comparison.Result) (f growing, err error) {
	header := []string{"problem", "buffers", "boxing, one try, ms"}
	p := &picture.Lines{Title: "Time against buffers", X: picture.Axis{Title: "buffers", Log: true}, Y: picture.Axis{Title: "time, of runs that end with a plan", Log: true, Text: picture.Seconds}}
	p.Series = []picture.Series{{Name: "boxing, one try", Line: true}}
	for _, name := range s.Planners {
		header = append(header, name+", ms")
		p.Series = append(p.Series, picture.Series{Name: name})
	}
	var rows [][]string
	for i := range s.Instances {
		in := &s.Instances[i]
		n := float64(len(in.Problem.Buffers))
		row := []string{in.Name, comparison.Grouped(int64(n))}
		one, err := e.heightOf(ctx, in, "boxing", map[string]string{"tries": "1"})
		switch {
		case err == errCut:
			row = append(row, "–")
		case err != nil:
			return f, err
		default:
			row = append(row, comparison.Milliseconds(one.Seconds))
			f.add(in.Name, len(in.Problem.Buffers), one.Seconds, strings.HasPrefix(in.Name, "training-"))
			p.Series[0].Points = append(p.Series[0].Points, [2]float64{n, one.Seconds})
		}
		for k := range s.Planners {
			cell := s.Cells[i][k]
			row = append(row, entry(cell))
			if t, ok := cell.Median(); ok {
				p.Series[k+1].Points = append(p.Series[k+1].Points, [2]float64{n, t})
			}
		}
		rows = append(rows, row)
	}
	paper := [2]picture.Series{{Name: "idealloc (paper)", Hollow: true, Line: true, As: 1}, {Name: "MiniMalloc (paper)", Hollow: true, Line: true, As: 4}}
	for _, q := range table1 {
		n := float64(q.buffers)
		paper[0].Points = append(paper[0].Points, [2]float64{n, q.idealloc / 1000})
		if !math.IsNaN(q.minimalloc) {
			paper[1].Points = append(paper[1].Points, [2]float64{n, q.minimalloc / 1000})
		}
	}
	p.Series = append(p.Series, paper[0], paper[1])
	c.pictures = append(c.pictures, p.HTML())
	t := comparison.NewTable(header, rows)
	t.Title = "Times"
	c.tables = append(c.tables, t)
	return f, nil
}

// growthOfPaper is the paper's table.
func growthOfPaper() *comparison.Table {
	var rows [][]string
	for _, q := range table1 {
		text := "segmentation fault"
		if !math.IsNaN(q.minimalloc) {
			text = comparison.Grouped(int64(q.minimalloc))
			if q.tuned {
				text += " (tuned by hand)"
			}
		}
		rows = append(rows, []string{comparison.Grouped(int64(q.buffers)), text, comparison.Grouped(int64(q.idealloc))})
	}
	t := comparison.NewTable([]string{"buffers", "minimalloc", "idealloc"}, rows)
	t.Title = "The paper's table 1"
	return t
}

// failsOf lists the problems that a planner ran on without a plan, with how it ended.
func failsOf(s *comparison.Result, planner string) (fails []string) {
	k := slices.Index(s.Planners, planner)
	for i := range s.Instances {
		if k < 0 || len(s.Cells[i][k]) == 0 {
			continue
		}
		if _, ok := s.Cells[i][k].Median(); !ok {
			fails = append(fails, s.Instances[i].Name+" ("+entry(s.Cells[i][k])+" ms)")
		}
	}
	return fails
}
