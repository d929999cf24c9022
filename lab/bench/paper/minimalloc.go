package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
	"github.com/stowage-go/stowage/internal/verify"
)

func minimallocSections() []section {
	return []section{
		{
			id: "minimalloc-table-1", paper: minimallocPaper, title: "Table 1: solutions that are the same plan",
			did:    "The paper has a running example of five buffers. Eight orders of placing them end in one plan. Four of the orders are offset monotonic: no buffer is placed below an earlier one. Three are index monotonic: of buffers at one offset, the one of the lower index comes first. One order is both. It is called canonical, and MiniMalloc searches canonical orders alone.",
			source: "table 1 and section 5", weight: 1, night: 1, run: solutions,
		},
		{
			id: "minimalloc-figures-3-5-6-7", paper: minimallocPaper, title: "Figures 2, 3 and 5 to 7: the running example",
			did:    "The paper draws its running example of five buffers: the plan, the orders that end in it as a tree and as a lattice, a partial plan that section inference refutes, and one that is dominated.",
			source: "figures 2, 3, 5, 6 and 7, sections 4 to 6", weight: 1, night: 1, run: worked,
		},
		{
			id: "minimalloc-figure-8", paper: minimallocPaper, title: "Figure 8: the original suite",
			did:    "The paper ran five planners on the eleven inputs of the TelaMalloc paper, 25 times each, with a limit of a minute. The inputs are from models for the Pixel 6 and are not public.",
			source: "section 8.1, text; the diagram's bars are not in it", weight: 60, night: 25, run: original,
		},
		{
			id: "minimalloc-figure-9", paper: minimallocPaper, title: "Figure 9: the share solved by a time, over a thousand inputs",
			did:    "The paper measured what share of more than a thousand production models for the Pixel 6 each planner solves within a time.",
			source: "section 8.2, text", weight: 50, night: 60, run: extendedSuite,
		},
		{
			id: "minimalloc-figure-10", paper: minimallocPaper, title: "Figure 10: the synthetic suite",
			did:    "The paper made 525 problems that stress an allocator, 25 of each size from 20 to 60 buffers. It measured the share that is solved within a minute, and the median time.",
			source: "section 8.3, text", weight: 50, night: 190, run: syntheticSuite,
		},
		{
			id: "minimalloc-figure-11", paper: minimallocPaper, title: "Figure 11: plans of G and K",
			did:    "The paper shows two plans that MiniMalloc found for the challenging suite.",
			source: "figure 11", weight: 3, night: 1, run: pictures,
		},
		{
			id: "minimalloc-table-2", paper: minimallocPaper, title: "Table 2: the challenging suite",
			did:    "The paper planned A to K, which are models for the TPUv4, into 1,048,576 bytes. The mixed integer program and TelaMalloc solve none of them in an hour.",
			source: "table 2, of an EPYC at 2.3 GHz", weight: 55, night: 55, run: challengingSuite,
		},
		{
			id: "minimalloc-table-3", paper: minimallocPaper, title: "Table 3: the size of the library",
			did:    "The paper measured what each allocator adds to a stripped program.",
			source: "table 3", weight: 20, night: 2, run: librarySize,
		},
	}
}

// baselines are the planners of figures 8 and 10, and the peers. csp, which comes to
// nothing on networks, takes a fifth of the limit in a quick report.
func (e *env) baselines(jobs int) []lot {
	limit, short := e.size.limit, e.size.limit
	if e.size.name != "full" {
		short /= 5
	}
	return []lot{
		{[]string{"milp", "cp", "meta-csp"}, limit, 1, jobs, 4},
		{[]string{"csp"}, short, 1, jobs, 1},
		{[]string{cpSAT, cpSATBoxes}, limit, 1, jobs, 3},
		{[]string{minimalloc}, limit, 1, jobs, 1},
	}
}

// An effort is what exact took on an input.
type effort struct {
	Nodes, Backtracks int64
	Buffers           int
}

// original is figure 8.
func original(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	problems, err := e.netsAt(ctx, c, 1.1)
	if err != nil {
		return c, err
	}
	lots := append([]lot{{[]string{"exact", "tela", "auto"}, e.size.limit, e.size.repeat, 1, 2}}, e.baselines(1)...)
	s, cut, err := e.sweep(ctx, problems, lots...)
	if err != nil {
		return c, err
	}
	c.note("%s", cut)
	f := phone{
		telaExact: between(s, "tela", "exact"), telaAuto: between(s, "tela", "auto"), autoExact: between(s, "auto", "exact"),
		milpTela: between(s, "milp", "tela"), milpExact: between(s, "milp", "exact"),
	}
	for i := range problems {
		in := &problems[i]
		got, err := remember(e.ctx, e, fmt.Sprintf("effort of exact on %s %s at %d", in.Name, in.Digest, in.Capacity), func(ctx context.Context) (effort, error) {
			r, err := stowage.Solve(ctx, in.Problem, stowage.Options{Planner: "exact", Capacity: in.Capacity, Timeout: patience})
			if err != nil {
				return effort{}, err
			}
			return effort{r.Stats.Nodes, r.Stats.Backtracks, len(in.Problem.Buffers)}, nil
		})
		if err != nil {
			return c, err
		}
		f.of++
		if got.Backtracks == 0 {
			f.straight++
		}
	}
	c.judge("tela's time over the canonical search's, median", "30×", f.telaExact.text(), judge(30, f.telaExact.x, f.telaExact.n, more))
	c.add("tela's time over that of auto, which begins with heuristics", "not in the paper", f.telaAuto.text())
	c.judge("mixed integer program over tela, median", "9× (4.7× in TelaMalloc's own paper)", f.milpTela.text(), judge(9, f.milpTela.x, f.milpTela.n, more))
	c.judge("mixed integer program over the canonical search, median", "328×", f.milpExact.text(), judge(328, f.milpExact.x, f.milpExact.n, more))
	if slowest, known := slowestOf(s, "exact"); known > 0 {
		verdict := compare(0.1, slowest, less)
		if slowest <= 0.1 {
			verdict = level // the paper says "under"
		}
		c.judge("slowest input of the canonical search", "under 100 ms", fmt.Sprintf("%s, of %d", picture.Seconds(slowest), known), verdict)
	}
	c.judge("solved without backtracking", "8 of 11", of(f.straight, f.of), judgeShare(8.0/11, f.straight, f.of, fewestShare, neither))
	for _, one := range []struct {
		name, paper string
		share       float64
	}{{"csp", "0 of 11", 0}, {"meta-csp", "8 of 11", 8.0 / 11}} {
		solved, ran := solvedBy(s, one.name)
		c.judge("solved by "+one.name, one.paper, of(solved, ran), judgeShare(one.share, solved, ran, fewestShare, neither))
	}
	if e.minimalloc != "" {
		c.add("google/minimalloc's process over exact", "", between(s, minimalloc, "exact").text())
	}
	c.pictures = append(c.pictures, timesPicture("Time for a plan at 110% of the least height", s))
	t := byProblem(s)
	t.Title = "Median times, ms"
	c.tables = append(c.tables, t)
	c.say(f.say()...)
	c.about = "The paper's inputs are not public. These are public networks and generated ones, each at 110% of its least height."
	return c, nil
}

// slowestOf is the longest of a planner's median times, and on how many problems it has one.
func slowestOf(c *comparison.Result, planner string) (slowest float64, known int) {
	k := slices.Index(c.Planners, planner)
	for i := range c.Instances {
		if k < 0 {
			break
		}
		if t, ok := c.Cells[i][k].Median(); ok {
			slowest = max(slowest, t)
			known++
		}
	}
	return slowest, known
}

// pictures is figure 11.
func pictures(_ context.Context, e *env) (*content, error) {
	c := &content{}
	all, err := e.challenging(c)
	if err != nil {
		return c, err
	}
	var rows [][]string
	var plans []shown
	chosen := []comparison.Instance{all[len(all)-1]}
	if e.data && len(all) == 11 {
		chosen = []comparison.Instance{named(all, "G"), named(all, "K")}
	}
	for _, in := range chosen {
		r, err := stowage.Solve(e.ctx, in.Problem, stowage.Options{Planner: "exact", Capacity: in.Capacity, Timeout: patience})
		if err != nil {
			return c, err
		}
		if !r.Status.HasPlan() {
			return c, errCut
		}
		if report := verify.Check(in.Problem, r.Offsets, in.Capacity); !report.OK() {
			return c, fmt.Errorf("%s: %s", in.Name, report.Violations[0].Message)
		}
		e.used[e.on] = true
		c.pictures = append(c.pictures, planPicture(fmt.Sprintf("%s: a plan of height %s", in.Name, comparison.Grouped(r.Height)), in.Problem, r.Offsets, in.Capacity))
		rows = append(rows, []string{in.Name, fmt.Sprint(len(in.Problem.Buffers)), comparison.Grouped(in.Load), comparison.Grouped(in.Capacity), comparison.Grouped(r.Height), comparison.Count(r.Stats.Nodes)})
		plans = append(plans, shown{in.Name, r.Height, in.Capacity, in.Load})
		paper, verdict := "fits 1,048,576", unlike
		switch {
		case !e.data:
			paper, verdict = "G and K fit 1,048,576", differs
		case r.Height <= in.Capacity:
			verdict = level
		}
		here := comparison.Grouped(r.Height) + ", fits " + comparison.Grouped(in.Capacity)
		if r.Height > in.Capacity {
			here = comparison.Grouped(r.Height) + ", does not fit " + comparison.Grouped(in.Capacity)
		}
		c.judge("height of "+in.Name, paper, here, verdict)
	}
	c.tables = append(c.tables, comparison.NewTable([]string{"problem", "buffers", "load", "capacity", "height", "nodes"}, rows))
	c.say(sayShown(plans))
	return c, nil
}

// planPicture is a plan: time across, until a moment if one is given, offset up, a rectangle
// for each buffer. render/svg
// has better ones, with labels, but of a size of letters that a narrow page does not take.
func planPicture(title string, p *stowage.Problem, offsets []int64, capacity int64, until ...int64) string {
	l := &picture.Lines{
		Title: title, Height: 420,
		X: picture.Axis{Title: "logical time", Tight: true, Text: count}, Y: picture.Axis{Title: "offset", Tight: true, Text: count},
	}
	for _, end := range until {
		l.X.Most = float64(end)
	}
	looks := colours(p, offsets)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		box := picture.Box{
			X0: float64(b.Lower), X1: float64(b.Upper), Y0: float64(offsets[i]), Y1: float64(offsets[i] + b.Size), Look: looks[i],
			Tip: fmt.Sprintf("%s: %d bytes at %d, from %d to %d", b.ID, b.Size, offsets[i], b.Lower, b.Upper),
		}
		if len(p.Buffers) <= 40 { // of more, labels would be a few among many
			box.Label = b.ID
		}
		l.Boxes = append(l.Boxes, box)
	}
	if capacity > 0 {
		l.Marks = []picture.Mark{{Name: "capacity " + comparison.Grouped(capacity), At: float64(capacity)}}
	}
	return l.HTML()
}

// looksOfBoxes is how many colours boxes have.
const looksOfBoxes = 8

// colours gives each buffer of a plan a colour: of those that no neighbour in time and
// space has, the one that the fewest have. Where neighbours have all of them, the one that
// the fewest neighbours have.
//
// Complexity: O(n²).
func colours(p *stowage.Problem, offsets []int64) []int {
	looks := make([]int, len(p.Buffers))
	var used [looksOfBoxes]int
	for i := range p.Buffers {
		var near [looksOfBoxes]int
		for j := range i {
			a, b := &p.Buffers[i], &p.Buffers[j]
			if a.Lower <= b.Upper && b.Lower <= a.Upper && offsets[i] <= offsets[j]+b.Size && offsets[j] <= offsets[i]+a.Size {
				near[looks[j]]++
			}
		}
		best := 0
		for look := range near {
			if cmp.Or(cmp.Compare(near[look], near[best]), cmp.Compare(used[look], used[best])) < 0 {
				best = look
			}
		}
		looks[i] = best
		used[best]++
	}
	return looks
}

// count writes a value of an axis.
func count(v float64) string { return comparison.Count(int64(v)) }

// table2 is the paper's, in ms.
var table2 = map[string]float64{
	"A": 4910, "B": 3661, "C": 637, "D": 2674, "E": 3717, "F": 5358, "G": 1181, "H": 1808, "I": 3908, "J": 883, "K": 628,
}

// withTable2 adds the paper's times to a picture.
func withTable2(p *picture.Rows) {
	any := false
	for i := range p.Rows {
		v := math.NaN()
		if paper, ok := table2[p.Rows[i].Name]; ok {
			v, any = paper/1000, true
		}
		p.Rows[i].Values = append(p.Rows[i].Values, v)
	}
	if any {
		p.Series = append(slices.Clone(p.Series), "MiniMalloc (paper)")
		p.Hollow = append(make([]bool, len(p.Series)-1), true)
		p.As = append(make([]int, len(p.Series)-1), 1)
	}
}

// addTable2 adds the paper's times to a table.
func addTable2(t *comparison.Table) {
	t.Columns = append(t.Columns, comparison.Column{Title: "MiniMalloc (paper)", Number: true})
	for i := range t.Rows {
		text := ""
		if paper, ok := table2[t.Rows[i][0]]; ok {
			text = comparison.Grouped(int64(paper))
		}
		t.Rows[i] = append(t.Rows[i], text)
	}
}

// challengingSuite is table 2.
func challengingSuite(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	problems, err := e.challenging(c)
	if err != nil {
		return c, err
	}
	rest := []string{"tela", "milp"}
	if e.size.name == "full" {
		rest = []string{"tela", "milp", "cp", "csp", "meta-csp"}
		rest = append(rest, e.present(cpSAT, cpSATBoxes)...)
	}
	limit := e.size.hour
	if e.size.name != "full" {
		limit = min(limit, e.size.limit)
	}
	s, cut, err := e.sweep(ctx, problems,
		lot{[]string{"exact"}, e.size.hour, e.size.repeat, 1, 1},
		lot{rest, limit, 1, 1, 3},
		lot{[]string{minimalloc}, 3 * e.size.hour, 1, 1, 4})
	if err != nil {
		return c, err
	}
	c.note("%s", cut)
	var ratios, peers []float64
	for i := range problems {
		t, ok := s.Cells[i][0].Median()
		if !ok {
			continue
		}
		if paper, known := table2[problems[i].Name]; known {
			ratios = append(ratios, paper/1000/t)
		}
		if k := slices.Index(s.Planners, minimalloc); k >= 0 {
			if peer, ok := s.Cells[i][k].Median(); ok {
				peers = append(peers, peer/t)
			}
		}
	}
	f := hardSuite{real: e.data, gain: math.NaN(), gains: len(ratios), peer: math.NaN(), peers: len(peers), limit: limit}
	f.exact = shareBy(s, "exact", 1)
	c.judge("solved by the canonical search", "11 of 11", of(f.exact.part, f.exact.of), f.verdict())
	if len(ratios) > 0 {
		f.gain = comparison.GeometricMean(ratios)
		c.judge("its time, the paper's over ours, geometric mean", "1", comparison.Ratio(f.gain)+"×, another machine", compare(1, f.gain, more))
	}
	if len(peers) > 0 {
		f.peer = comparison.GeometricMean(peers)
		c.judge("google/minimalloc's process over ours, here, geometric mean", "1", fmt.Sprintf("%s×, on %d", comparison.Ratio(f.peer), len(peers)), compare(1, f.peer, more))
	}
	for _, name := range rest {
		one := shareBy(s, name, math.NaN())
		f.rest = append(f.rest, one)
		paper := ""
		if name == "tela" || name == "milp" {
			paper = "0 of 11, in an hour"
		}
		here := notRun
		if one.of > 0 {
			here = fmt.Sprintf("%s, in %v", of(one.part, one.of), limit)
		}
		c.add("solved by "+name, paper, here)
	}
	c.pictures = append(c.pictures, timesPicture("Time for a plan at the suite's capacity", s, withTable2))
	t := byProblem(s)
	if len(ratios) > 0 {
		addTable2(t)
	}
	t.Title = "Median times, ms"
	c.tables = append(c.tables, t)
	c.say(f.say()...)
	c.about = "docs/planners/exact.md has what each inference of the canonical search is worth; some of them are not in the paper."
	if !e.data {
		c.about = "These problems have 3% of room above their load. Most of A to K have none."
	}
	return c, nil
}

// shareBy is the share that a planner solves of what it ran on, beside the paper's.
func shareBy(c *comparison.Result, planner string, paper float64) solvedShare {
	solved, ran := solvedBy(c, planner)
	return solvedShare{planner, paper, solved, ran}
}

// library is the paper's table 3, in kB.
var library = []struct {
	name string
	kB   float64
}{{"MiniMalloc (paper, C++)", 25}, {"TelaMalloc (paper, C++)", 206}, {"mixed ILP (paper, C++)", 2021}}

var kilobytes = regexp.MustCompile(`([\d,.]+) kB`)

// librarySize is table 3, by lab/bench/size.
func librarySize(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	p := &picture.Rows{Title: "What the library adds to a program", X: picture.Axis{Title: "kB"}, Series: []string{"kB"}, Bars: true}
	for _, l := range library {
		p.Rows = append(p.Rows, picture.Row{Name: l.name, Values: []float64{l.kB}})
	}
	text, err := remember(ctx, e, "lab/bench/size at "+e.revision, func(ctx context.Context) (string, error) { return e.tool(ctx, "./lab/bench/size") })
	if errors.Is(err, errCut) {
		c.note("lab/bench/size was not run: %v.", err)
		c.add("the library", "25 kB", notRun)
		for _, l := range library[1:] {
			c.add(l.name, fmt.Sprintf("%.0f kB", l.kB), "")
		}
		c.pictures = append(c.pictures, p.HTML())
		return c, nil
	}
	if err != nil {
		return c, err
	}
	var rows [][]string
	ours := 0.0
	for line := range strings.SplitSeq(text, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) < 2 || strings.HasPrefix(cells[0], "--") || !strings.HasPrefix(line, "|") {
			continue
		}
		found := kilobytes.FindStringSubmatch(cells[len(cells)-1])
		if found == nil || !strings.Contains(cells[0], "Stowage") {
			continue
		}
		kB := 0.0
		if _, err := fmt.Sscanf(strings.ReplaceAll(found[1], ",", ""), "%g", &kB); err != nil {
			continue
		}
		if ours == 0 {
			ours = kB
		}
		rows = append(rows, []string{cells[0], cells[len(cells)-1]})
		p.Rows = append(p.Rows, picture.Row{Name: cells[0], Values: []float64{kB}})
	}
	if ours == 0 {
		return c, fmt.Errorf("lab/bench/size says nothing of Stowage:\n%s", text)
	}
	c.judge("the library", "25 kB", fmt.Sprintf("%.0f kB", ours), compare(25, ours, less))
	for _, l := range library[1:] {
		c.add(l.name, fmt.Sprintf("%.0f kB", l.kB), fmt.Sprintf("%s times Stowage", comparison.Ratio(l.kB/ours)))
	}
	c.pictures = append(c.pictures, p.HTML())
	c.tables = append(c.tables, comparison.NewTable([]string{"library", "adds"}, rows))
	c.say(sizeOf{ours}.say()...)
	return c, nil
}
