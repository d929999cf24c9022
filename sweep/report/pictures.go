package report

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
	"github.com/stowage-go/stowage/sweep/core"
)

// Idea: seven curves can be told apart, and thirty cannot. So the planners with most plans have a colour, the same in
// each picture; a second order or limit of one is dashed. All others are thin grey curves with their name under the
// pointer. Equal curves are drawn as one, with all names. The shares that fit, are undecided or are refuted have a
// picture for each series, all with the same axes.
//
// The table of the page has all data of the pictures.

// coloured is how many planners have a colour of their own; the eighth is for all together.
const coloured = 7

// shown are the series in the order of the pictures: those with most plans first, then
// those with lower ones, then by name.
func (p *page) shown() []series {
	type score struct {
		series series
		fit    int
		height float64
	}
	var all []score
	for _, t := range p.totals {
		height := math.Inf(1)
		if t.OverLoad.Of > 0 {
			height = t.OverLoad.Median
		}
		all = append(all, score{t.series, t.Fit, height})
	}
	slices.SortStableFunc(all, func(a, b score) int {
		return cmp.Or(cmp.Compare(b.fit, a.fit), cmp.Compare(a.height, b.height), a.series.compare(b.series))
	})
	var order []series
	for _, s := range all {
		order = append(order, s.series)
	}
	return order
}

// curve is a series of a picture, in the colour of its planner.
func (p *page) curve(rank int, points [][2]float64) picture.Series {
	s := p.order[rank]
	var before []string // planners that rank before it
	variant := 0
	for _, o := range p.order[:rank] {
		switch {
		case o.planner == s.planner:
			variant++
		case variant == 0 && !slices.Contains(before, o.planner):
			before = append(before, o.planner)
		}
	}
	return picture.Series{
		Name: p.names.label(s), Points: points, Line: true, Hollow: variant == 1,
		Faint: len(before) >= coloured || variant > 1, As: 1 + len(before)%coloured, Bare: len(points) > 40,
	}
}

// distinct makes curves that are the same into one with all names, those in colour first.
// One without points has no name to show.
func distinct(all []picture.Series) (merged []picture.Series) {
	var named [][]string
	for _, faint := range []bool{false, true} {
		for _, s := range all {
			if s.Faint != faint || len(s.Points) == 0 {
				continue
			}
			k := slices.IndexFunc(merged, func(o picture.Series) bool { return slices.Equal(o.Points, s.Points) })
			if k < 0 {
				merged, named = append(merged, s), append(named, []string{s.Name})
				continue
			}
			named[k] = append(named[k], s.Name)
		}
	}
	for k := range merged {
		merged[k].Name = listed(named[k], 4)
	}
	return merged
}

// capacities is the axis of capacities.
func (p *page) capacities() picture.Axis {
	a := picture.Axis{Title: "capacity over load", Tight: true, Text: percent}
	if p.axis.kind == byBytes {
		a.Title, a.Text = "capacity", func(v float64) string { return size(int64(math.Round(v))) }
		a.Log = len(p.places) > 1 && p.places[len(p.places)-1] > 4*p.places[0]
		a.Double = a.Log
	}
	return a
}

// x is where a place is on the axis of capacities.
func (p *page) x(at place) float64 {
	if p.axis.kind == byShare {
		return float64(at) / 10
	}
	return float64(at)
}

// share is a part of a whole, 0 of nothing.
func share(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

// fitting has the share that fits against the capacity: curves of all series, or bars if there is one capacity alone.
func (p *page) fitting() string {
	title := "Share of the problems that fit"
	if len(p.places) == 1 {
		bars := &picture.Rows{
			Title: title + ", " + p.axis.at(p.places[0]), X: picture.Axis{Text: picture.Percent, Least: 0, Most: 1},
			Series: []string{"fit"}, Bars: true,
		}
		for _, s := range p.order {
			if l := p.line(s, p.places[0]); l != nil {
				bars.Rows = append(bars.Rows, picture.Row{Name: p.names.label(s), Values: []float64{share(l.Fit, l.Runs)}})
			}
		}
		return bars.HTML()
	}
	lines := &picture.Lines{
		Title: title, X: p.capacities(), Y: picture.Axis{Title: "fit", Text: picture.Percent, Least: 0, Most: 1},
	}
	for rank := range p.order {
		lines.Series = append(lines.Series,
			p.curve(rank, p.over(rank, func(l *Line) (float64, bool) { return share(l.Fit, l.Runs), true })))
	}
	lines.Series = distinct(lines.Series)
	return lines.HTML()
}

// over is a figure of a series at each capacity that has it.
func (p *page) over(rank int, figure func(l *Line) (float64, bool)) (points [][2]float64) {
	for _, at := range p.places {
		if l := p.line(p.order[rank], at); l != nil {
			if v, ok := figure(l); ok {
				points = append(points, [2]float64{p.x(at), v})
			}
		}
	}
	return points
}

// bands are the layers of what became of the problems.
func bands() []picture.Layer {
	return []picture.Layer{
		{Name: "fits"},
		{Name: "undecided", Plain: true},
		{Name: "refused or failed", Look: 3},
		{Name: "proven not to fit", Look: 1, Pale: true},
	}
}

// outcomes has a small picture for each series: what fits, what is undecided and what is
// proven not to fit, against the capacity.
func (p *page) outcomes() (legend string, pictures []string) {
	for _, s := range p.order {
		b := &picture.Bands{
			Title: p.names.label(s), X: p.capacities(), Y: picture.Axis{Text: picture.Percent, Least: 0, Most: 1},
			Layers: bands(), Small: true,
		}
		b.X.Title = ""
		for _, at := range p.places {
			l := p.line(s, at)
			if l == nil {
				continue
			}
			b.At = append(b.At, p.x(at))
			for k, n := range []int{l.Fit, l.Undecided, l.Refused + l.Invalid + l.Failed, l.Infeasible} {
				b.Layers[k].Values = append(b.Layers[k].Values, share(n, l.Runs))
			}
		}
		if len(b.At) > 0 {
			pictures = append(pictures, b.HTML())
		}
	}
	return picture.BandLegend(bands()), pictures
}

// costs has the median and the 95th percentile of seconds and nodes against the capacity.
func (p *page) costs() (pictures []string) {
	count := func(v float64) string { return comparison.Count(int64(math.Round(v))) }
	for _, c := range []struct {
		title  string
		text   func(float64) string
		zero   bool
		spread func(l *Line) Spread
		figure func(s Spread) float64
	}{
		{"Time of a run, median", picture.Seconds, false, secondsOf, medianOf},
		{"Time of a run, 95th percentile", picture.Seconds, false, secondsOf, p95Of},
		{"Nodes of a run, median", count, true, nodesSpread, medianOf},
		{"Nodes of a run, 95th percentile", count, true, nodesSpread, p95Of},
	} {
		lines := &picture.Lines{Title: c.title, X: p.capacities(), Y: picture.Axis{Log: true, Text: c.text, Zero: c.zero}}
		for rank := range p.order {
			lines.Series = append(lines.Series, p.curve(rank, p.over(rank, func(l *Line) (float64, bool) {
				s := c.spread(l)
				v := c.figure(s)
				if !c.zero {
					v = max(v, 1e-6) // a clock says no more
				} else if v < 1 {
					v = 0
				}
				return v, s.Of > 0
			})))
		}
		if len(p.places) == 1 {
			pictures = append(pictures, asRows(lines))
		} else {
			lines.Series = distinct(lines.Series)
			pictures = append(pictures, lines.HTML())
		}
	}
	return pictures
}

func secondsOf(l *Line) Spread   { return l.Seconds }
func nodesSpread(l *Line) Spread { return l.Nodes }
func medianOf(s Spread) float64  { return s.Median }
func p95Of(s Spread) float64     { return s.P95 }

// asRows sets curves of one point each as rows with a mark.
func asRows(l *picture.Lines) string {
	r := &picture.Rows{Title: l.Title, X: l.Y, Series: []string{"runs"}}
	for _, s := range l.Series {
		v := math.NaN()
		if len(s.Points) > 0 {
			v = s.Points[0][1]
		}
		r.Rows = append(r.Rows, picture.Row{Name: s.Name, Values: []float64{v}})
	}
	return r.HTML()
}

// A problem of a series with the lowest plan of all capacities.
type planned struct {
	problem, name string
	height, load  int64 // height 0 for no plan
}

// plans returns for each series its problems, with the lowest plan of each. If minimised,
// only runs without a capacity count.
func plans(rows []core.Row, minimised bool) map[series][]planned {
	type key struct {
		series  series
		problem string
	}
	at := map[key]int{}
	all := map[series][]planned{}
	for k := range rows {
		r := &rows[k]
		if minimised && r.Capacity > 0 {
			continue
		}
		s := seriesOf(r)
		i, ok := at[key{s, r.Problem}]
		if !ok {
			i = len(all[s])
			at[key{s, r.Problem}] = i
			all[s] = append(all[s], planned{r.Problem, r.Name, 0, r.Load})
		}
		if one := &all[s][i]; outcomeOf(r) == fits && r.Height > 0 && (one.height == 0 || r.Height < one.height) {
			one.height = r.Height
		}
	}
	return all
}

// mostRatio is the greatest height over load that the picture of heights shows.
const mostRatio = 2.5

// heights has the share of the problems whose plan is at most so high, over the load; above
// is how many plans are higher than the picture shows.
func (p *page) heights() (html string, above int) {
	lines := &picture.Lines{
		Title: "Share of the problems with a plan of at most that height",
		X:     picture.Axis{Title: "height over load", Text: picture.Times},
		Y:     picture.Axis{Title: "problems", Text: picture.Percent, Least: 0, Most: 1},
	}
	all := plans(p.Rows, p.minimised > 0)
	most := 1.0
	for rank, s := range p.order {
		var ratios []float64
		for _, one := range all[s] {
			if one.height > 0 && one.load > 0 {
				ratios = append(ratios, float64(one.height)/float64(one.load))
			}
		}
		slices.Sort(ratios)
		curve := p.curve(rank, nil)
		curve.Line, curve.Step, curve.Bare = false, true, true
		for k, ratio := range ratios {
			if ratio > mostRatio {
				above++
				continue
			}
			if k+1 < len(ratios) && ratios[k+1] == ratio {
				continue // the last of equal ones has the height of the step
			}
			most = max(most, ratio)
			if len(curve.Points) == 0 {
				curve.Points = append(curve.Points, [2]float64{ratio, 0})
			}
			curve.Points = append(curve.Points, [2]float64{ratio, share(k+1, len(all[s]))})
		}
		lines.Series = append(lines.Series, curve)
	}
	lines.Series = upTo(most, lines.Series)
	return lines.HTML(), above
}

// upTo merges equal stairs, and draws the last step of each up to the right edge of the picture.
func upTo(edge float64, stairs []picture.Series) []picture.Series {
	stairs = distinct(stairs)
	for k := range stairs {
		points := stairs[k].Points // distinct leaves out what has none
		stairs[k].Points = append(points, [2]float64{edge, points[len(points)-1][1]})
	}
	return stairs
}

// A model is a problem by its name: its orders of operators count as one.
type model struct {
	height int64 // of the lowest plan of any series, 0 for none
	bound  int64 // proven: no plan of any order that was asked is lower
}

// models returns what is known of each model. A bound is the least over its orders of the
// highest bound that is proven for the order.
func models(rows []core.Row) map[string]model {
	type key struct{ name, problem string }
	bounds := map[key]int64{}
	all := map[string]model{}
	for k := range rows {
		r := &rows[k]
		m := all[r.Name]
		if outcomeOf(r) == fits && r.Height > 0 && (m.height == 0 || r.Height < m.height) {
			m.height = r.Height
		}
		all[r.Name] = m
		bound := max(r.Load, 0)
		switch {
		case outcomeOf(r) == refuted && r.Capacity > 0:
			bound = max(bound, r.Capacity+1)
		case outcomeOf(r) <= undecided && (r.Capacity == 0 || outcomeOf(r) != refuted):
			bound = max(bound, r.LowerBound)
		}
		bounds[key{r.Name, r.Problem}] = max(bounds[key{r.Name, r.Problem}], bound)
	}
	for at, bound := range bounds {
		m := all[at.name]
		if m.bound == 0 || bound < m.bound {
			m.bound = bound
		}
		all[at.name] = m
	}
	return all
}

// memory has how many of the models fit a memory, against its bytes: of each series, of all
// together, and what the bounds leave possible.
func (p *page) memory() string {
	lines := &picture.Lines{
		Title: "Models that fit a memory",
		X:     picture.Axis{Title: "memory", Log: true, Double: true, Text: func(v float64) string { return size(int64(math.Round(v))) }},
		Y:     picture.Axis{Title: "models", Least: 0, Most: float64(max(1, len(p.models)))},
	}
	all := plans(p.Rows, false)
	most := 1.0
	add := func(curve picture.Series, heights []int64) {
		slices.Sort(heights)
		curve.Line, curve.Step, curve.Bare = false, true, true
		for k, h := range heights {
			if len(curve.Points) == 0 {
				curve.Points = append(curve.Points, [2]float64{float64(h), 0})
			}
			if k+1 < len(heights) && heights[k+1] == h {
				continue
			}
			curve.Points = append(curve.Points, [2]float64{float64(h), float64(k + 1)})
			most = max(most, float64(h))
		}
		lines.Series = append(lines.Series, curve)
	}
	for rank, s := range p.order {
		lowest := map[string]int64{}
		for _, one := range all[s] {
			if h, ok := lowest[one.name]; one.height > 0 && (!ok || one.height < h) {
				lowest[one.name] = one.height
			}
		}
		add(p.curve(rank, nil), slices.Collect(maps.Values(lowest)))
	}
	var best, bounds []int64
	for _, m := range p.models {
		if m.height > 0 {
			best = append(best, m.height)
		}
		if m.bound > 0 {
			bounds = append(bounds, m.bound)
		}
	}
	if len(p.order) > 1 {
		add(picture.Series{Name: "the best of all", As: 8, Hollow: true}, best)
	}
	add(picture.Series{Name: "no plan can do more", As: 8}, bounds)
	lines.Series = upTo(most, lines.Series)
	return lines.HTML()
}
