package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/picture"
)

func otherSections() []section {
	return []section{
		{
			id: "wave-trace", paper: otherPapers, title: "IREE Wave: the trace of first-fit",
			did:    "The page works an example of six allocations: the order by size, the offset of each, and the memory in use at each time.",
			source: "Optimizing Shared Memory Allocations, IREE Wave's documentation", weight: 1, night: 1, run: waveTrace,
		},
		{
			id: "slides-shares", paper: otherPapers, title: "Slides about MiniMalloc: shares",
			did:    "The slides (in Chinese) sum up the paper with shares of their own: of orders that canonical solutions avoid, of paths that dominance prunes, and of inputs that are solved within a time.",
			source: "the slides' tables “core results” and “conclusions”", weight: 12, night: 20, run: slidesShares,
		},
	}
}

// waveOffsets and wavePeaks are the page's.
var (
	waveOffsets = []int64{12, 28, 0, 33, 22, 0}
	wavePeaks   = []int64{22, 33, 33, 37, 37, 37, 37, 28, 12}
)

// waveTrace is the worked example of IREE Wave.
func waveTrace(_ context.Context, e *env) (*content, error) {
	c := &content{}
	p := gen.Wave()
	r, err := stowage.Minimize(e.ctx, p, stowage.Options{Planner: "wave"})
	if err != nil {
		return c, err
	}
	lowest, err := stowage.Minimize(e.ctx, p, stowage.Options{Planner: "exact"})
	if err != nil {
		return c, err
	}
	order := make([]int, len(p.Buffers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(p.Buffers[b].Size - p.Buffers[a].Size) })
	var rows [][]string
	for _, i := range order {
		b := &p.Buffers[i]
		rows = append(rows, []string{b.ID, fmt.Sprint(b.Size), fmt.Sprintf("%d to %d", b.Lower, b.Upper-1), fmt.Sprint(waveOffsets[i]), fmt.Sprint(r.Offsets[i]), fmt.Sprint(lowest.Offsets[i])})
	}
	offsets := comparison.NewTable([]string{"allocation", "size", "time", "offset on the page", "wave", "exact"}, rows)
	offsets.Title = "The trace, in the order of placement"
	over := func(offsets []int64, t int64) (top int64) {
		for i := range p.Buffers {
			if b := &p.Buffers[i]; b.Lower <= t && t < b.Upper {
				top = max(top, offsets[i]+b.Size)
			}
		}
		return top
	}
	peaks := comparison.NewTable([]string{"time", "page", "wave", "exact"}, nil)
	peaks.Title = "The highest unit in use"
	var page, wave, exact [][2]float64
	var tops []int64
	for k, peak := range wavePeaks {
		t := int64(k + 1)
		a, b := over(r.Offsets, t), over(lowest.Offsets, t)
		tops = append(tops, a)
		peaks.Rows = append(peaks.Rows, []string{fmt.Sprint(t), fmt.Sprint(peak), fmt.Sprint(a), fmt.Sprint(b)})
		for _, x := range []float64{float64(t), float64(t + 1)} {
			page, wave, exact = append(page, [2]float64{x, float64(peak)}), append(wave, [2]float64{x, float64(a)}), append(exact, [2]float64{x, float64(b)})
		}
	}
	picked := &picture.Lines{
		Title: "The highest unit in use over time", X: picture.Axis{Title: "time"}, Y: picture.Axis{Title: "units", Least: 0, Most: 40},
		Series: []picture.Series{{Name: "wave", Points: wave, Step: true, Bare: true}, {Name: "exact", Points: exact, Step: true, Bare: true}, {Name: "the page", Points: page, Step: true, Bare: true, Hollow: true, As: 3}},
	}
	c.pictures = append(c.pictures, picked.HTML(), planPicture("The plan of first-fit", p, r.Offsets, 0))
	c.tables = append(c.tables, offsets, peaks)
	text := func(offsets []int64) string {
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(offsets), " ", ", "), "[]")
	}
	c.same("offsets of allocations 0 to 5", text(waveOffsets), text(r.Offsets))
	c.same("peak", "37", fmt.Sprint(r.Height))
	c.same("the highest unit in use at times 1 to 9", text(wavePeaks), text(tops))
	c.add("least height there is", "“does not guarantee optimality”", fmt.Sprintf("%d, %s", lowest.Height, lowest.Status))
	c.say(sayCounts(c.beside), sayLeast(r.Height, lowest.Height, lowest.Status == stowage.Optimal))
	if !slices.Equal(r.Offsets, waveOffsets) || !slices.Equal(tops, wavePeaks) {
		return c, fmt.Errorf("offsets %v, the page has %v", r.Offsets, waveOffsets)
	}
	return c, nil
}

// minimallocTechniques are those of exact that are MiniMalloc's; all others are ours.
var minimallocTechniques = []string{
	"canonical", "section-inference", "monotonic-floor", "unallocated-floor", "dominance", "hatless", "preordering", "dynamic-ordering", "decomposition",
}

// beyondPaper are the techniques of exact that the paper does not have.
func beyondPaper() (ours []string) {
	for _, p := range stowage.Planners() {
		if p.Name != "exact" {
			continue
		}
		for _, t := range p.Techniques {
			if !slices.Contains(minimallocTechniques, t.Name) {
				ours = append(ours, t.Name)
			}
		}
	}
	return ours
}

// A pruning is the nodes of exact on a problem, and its seconds, with dominance and
// without. A placement that is refuted at once is no node, but takes its time.
type pruning struct {
	With, Without               int64
	SecondsWith, SecondsWithout float64
}

// prunedNodes is how many nodes dominance is measured over at most: some problems take
// a minute for them without it.
const prunedNodes = 100_000

// slidesShares sets the slides' shares beside ours.
func slidesShares(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	if err := sameOrders(c); err != nil {
		return c, err
	}
	if err := e.prunedShare(ctx, c); err != nil {
		return c, err
	}
	if err := e.inTime(ctx, c); err != nil {
		return c, err
	}
	c.add("size of the library over MiniMalloc's", "1× (25 kB), 8× TelaMalloc, 80× mixed ILP", "see minimalloc-table-3")
	c.about = "Some of the slides' shares are not in the paper, and one of TelaMalloc's contradicts it: half of the inputs over 100 ms, where the paper's text has about 15%. The slides do not say what a share of paths is. Here dominance is counted with the paper's inferences alone, in nodes and in time. A placement that is refuted at once is no node, but takes its time."
	return c, nil
}

// sameOrders counts the orders that end in the same plan: of all orders of small problems.
func sameOrders(c *content) error {
	const n = 7
	var gone [2]float64
	for k, kind := range []string{"inference", "high-overlap"} {
		const seeds = 8
		for seed := range uint64(seeds) {
			p, err := gen.Generate(kind, gen.Options{Buffers: n, Seed: seed})
			if err != nil {
				return err
			}
			plans := map[string]bool{}
			all := ordersOf(p, func([]int64) bool { return true })
			for _, o := range all {
				plans[fmt.Sprint(o.offsets)] = true
			}
			gone[k] += (1 - float64(len(plans))/float64(len(all))) / seeds
		}
	}
	// The slides speak of one share: a verdict stands on the one that is furthest from it.
	furthest := min(gone[0], gone[1])
	c.judge("orders that canonical solutions avoid, since another order ends in the same plan", "over 99%", fmt.Sprintf("%.1f%% of the orders of %d buffers of a network, %.1f%% if most of %d buffers overlap", 100*gone[0], n, 100*gone[1], n), comparePoints(0.99, furthest, neither))
	c.say(saySameOrders(gone[0], gone[1], n))
	return nil
}

// prunedShare counts the paths that dominance prunes: with the paper's inferences, without
// ours.
func (e *env) prunedShare(ctx context.Context, c *content) error {
	ours := beyondPaper()
	sample := synthetic(1, max(e.size.step, 1))
	if e.size.name == "full" { // A takes more than a hundred thousand nodes
		hard, err := e.challenging(c)
		if err != nil {
			return err
		}
		sample = append(sample, hard...)
	}
	limited := 0
	var cut, sooner, timed []float64
	var rows [][]string
	nodes := min(e.size.nodes, prunedNodes)
	for i := range sample {
		in := &sample[i]
		got, err := remember(ctx, e, fmt.Sprintf("dominance alone, nodes and seconds, on %s %s at %d, %d nodes", in.Name, in.Digest, in.Capacity, nodes), func(ctx context.Context) (pruning, error) {
			var p pruning
			for k, without := range [][]string{ours, append([]string{"dominance"}, ours...)} {
				began := e.now()
				r, err := stowage.Solve(ctx, in.Problem, stowage.Options{Planner: "exact", Capacity: in.Capacity, NodeLimit: nodes, Without: without})
				if err != nil {
					return p, err
				}
				if k == 0 {
					p.With, p.SecondsWith = r.Stats.Nodes, (e.now() - began).Seconds()
				} else {
					p.Without, p.SecondsWithout = r.Stats.Nodes, (e.now() - began).Seconds()
				}
			}
			return p, nil
		})
		if err == errCut {
			c.note("The nodes of %s were not counted: %v.", in.Name, err)
			continue
		}
		if err != nil {
			return err
		}
		if got.With >= nodes {
			limited++ // nothing can be said of it
			continue
		}
		cut = append(cut, 1-float64(got.With)/float64(max(got.Without, 1)))
		faster := math.NaN() // a single run of less than a millisecond says nothing
		if got.SecondsWithout >= 1e-3 {
			faster = 1 - got.SecondsWith/got.SecondsWithout
			timed = append(timed, faster)
		}
		sooner = append(sooner, faster)
		sign := ""
		if got.Without >= nodes {
			sign = "> "
		}
		rows = append(rows, []string{
			in.Name, comparison.Count(got.With), sign + comparison.Count(got.Without), fmt.Sprintf("%s%.0f%%", sign, 100*cut[len(cut)-1]),
			comparison.Milliseconds(got.SecondsWith), sign + comparison.Milliseconds(got.SecondsWithout),
		})
	}
	if len(cut) > 0 {
		f := pruned{cut: cut, timed: timed, limited: limited}
		c.judge("search that dominance saves, mean", "60% of the paths", f.text(), f.verdict())
		c.say(f.say()...)
		t := comparison.NewTable([]string{"problem", "nodes with dominance", "without", "saved", "ms with dominance", "without"}, rows)
		t.Title = fmt.Sprintf("The paper's inferences alone, up to %s nodes", comparison.Grouped(nodes))
		c.tables = append(c.tables, t)
		p := &picture.Rows{Title: "Share of nodes and of time that dominance saves", X: picture.Axis{Title: "share", Text: picture.Percent, Most: 1}, Series: []string{"nodes", "time"}}
		for k, row := range rows {
			p.Rows = append(p.Rows, picture.Row{Name: row[0], Values: []float64{cut[k], sooner[k]}})
		}
		c.pictures = append(c.pictures, p.HTML())
	}
	return nil
}

// inTime has the shares that are solved within a time, from the runs of figures 9 and 10.
func (e *env) inTime(ctx context.Context, c *content) error {
	inputs, err := e.extended(e.size.extended)
	if err != nil {
		return err
	}
	over, stop := context.WithCancel(ctx)
	stop() // what is known, no more
	s, _, err := e.sweep(over, inputs, lot{[]string{"exact", "tela"}, e.size.extendedOf, 1, 1, 1})
	if err != nil {
		return err
	}
	share := func(what, paper string, p solvedShare, better direction) {
		here := p.text()
		if p.of == 0 {
			here = notRun + ": run minimalloc-figure-9 first"
		}
		c.judge(what, paper, here, p.verdict(better))
	}
	share("extended suite: MiniMalloc within 1 ms", "85%", within(s, "exact", 1e-3, 0.85), more)
	share("extended suite: MiniMalloc within 10 ms", "100% (the paper does not say so)", within(s, "exact", 1e-2, 1), more)
	late := within(s, "tela", 0.1, 0.5)
	late.part = late.of - late.part
	share("extended suite: TelaMalloc over 100 ms", "50% (the paper: about 15%)", late, less)
	all := synthetic(e.size.all, e.size.step0())
	s, _, err = e.sweep(over, all, lot{[]string{"exact"}, e.size.limit, 1, 1, 1})
	if err != nil {
		return err
	}
	fast, ran := 0, 0
	for i := range all {
		if len(all[i].Problem.Buffers) != gen.SyntheticMax || len(s.Cells[i][0]) == 0 {
			continue
		}
		ran++
		if t, ok := s.Cells[i][0].Median(); ok && t < 1 {
			fast++
		}
	}
	c.judge("synthetic suite: 60 buffers under a second", "all", of(fast, ran), judgeShare(1, fast, ran, fewestShare, more))
	return nil
}
