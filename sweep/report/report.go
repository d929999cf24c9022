// Package report says what came of a sweep: a summary as a table, a page with pictures, and
// what changed since another sweep. It reads rows and nothing else: no file, no engine.
//
//	groups.go    series, capacities, and which rows count together
//	summary.go   the figures of each group, as CSV
//	says.go      sentences and what is missing
//	variants.go  planners with options beside themselves without
//	pictures.go  curves, bands and stairs
//	page.go      the page
//	diff.go      two sweeps beside each other
//	runs.go      rows as a file of runs, for the laboratory
//
// Every figure and every sentence is computed from the rows. The same rows give the same bytes.
package report

import (
	"slices"

	"github.com/stowage-go/stowage/sweep/core"
)

// Input is what a page is made of.
type Input struct {
	Title string     // empty for "Sweep"
	Rows  []core.Row // in any order
	// Tasks is how many tasks the specification asks for; 0 if that is not known. Missing names those without rows.
	Tasks   int
	Missing []string
	Dead    []core.Dead // tasks that were given up, and files that could not be read
}

// page is what the parts of a page share.
type page struct {
	Input
	axis      axis
	places    []place // capacities, ascending, without minimise, and without those in bytes beside shares
	bytes     int     // how many are in bytes beside shares
	lines     []Line
	totals    []Line // of each series, over all capacities
	order     []series
	names     *names
	models    map[string]model
	problems  int // digests
	minimised int // rows without a capacity
	at        map[spot]int
}

// spot is where a line is.
type spot struct {
	series series
	place  place
}

func newPage(in Input) *page {
	p := &page{Input: in, axis: axisOf(in.Rows), lines: Summary(in.Rows), models: models(in.Rows), at: map[spot]int{}}
	digests, places := map[string]bool{}, map[place]bool{}
	for k := range in.Rows {
		r := &in.Rows[k]
		digests[r.Problem] = true
		if r.Capacity <= 0 {
			p.minimised++
		}
	}
	p.problems = len(digests)
	for k := range p.lines {
		l := &p.lines[k]
		p.at[spot{l.series, l.place}] = k
		if l.place != minimise && !places[l.place] {
			places[l.place] = true
			if p.axis.kind == byShare && l.place >= inBytes {
				p.bytes++ // no point of a curve over shares
				continue
			}
			p.places = append(p.places, l.place)
		}
	}
	slices.Sort(p.places)
	best := lowest(in.Rows)
	of := map[series][]*core.Row{}
	var all []series
	for k := range in.Rows {
		s := seriesOf(&in.Rows[k])
		if of[s] == nil {
			all = append(all, s)
		}
		of[s] = append(of[s], &in.Rows[k])
	}
	slices.SortFunc(all, series.compare)
	for _, s := range all {
		t := lineOf(of[s], best)
		t.series, t.Planner, t.Order, t.NodeLimit, t.Timeout = s, s.planner, s.order, s.nodes, s.timeout
		p.totals = append(p.totals, t)
	}
	p.names = namesOf(all)
	p.order = p.shown()
	return p
}

// line is the one of a series at a place, nil if it has no runs there.
func (p *page) line(s series, at place) *Line {
	if k, ok := p.at[spot{s, at}]; ok {
		return &p.lines[k]
	}
	return nil
}

// total is that of a series.
func (p *page) total(s series) *Line {
	for k := range p.totals {
		if p.totals[k].series == s {
			return &p.totals[k]
		}
	}
	return nil
}
