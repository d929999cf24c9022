package layout

import (
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
)

// Idea: before there is a plan, the contention profile is what can be seen: the load at each moment, its peak, which no
// plan can be lower than, and where it rises over the capacity.
//
// Complexity: O(p log p) for p pieces; the outline has at most four points for each unit of width, since of the steps
// within one column only the highest is kept.
//
// Trials: docs/lab/pictures.md (the mean of a column hides the peak).

// Profile lays out the picture of a problem without a plan: time across, load
// up. The error is for a problem that is not valid and options out of range.
func Profile(p *model.Problem, o render.Options, m Medium) (*Figure, error) {
	g, err := newPage(p, nil, o, m)
	if err != nil {
		return nil, err
	}
	peak, capacity := g.load.Peak, g.opt.Capacity
	bound := max(peak, g.opt.LowerBound)
	g.x.lower, g.x.upper = timeRange(p)
	g.y.upper = max(bound, 1)
	off := offScale(capacity, g.y.upper)
	if !off {
		g.y.upper = max(g.y.upper, capacity)
	}

	facts := []string{count(len(p.Buffers), "buffer"), "peak load " + Thousands(peak)}
	if peak > 0 {
		facts = append(facts, "first reached at time "+Thousands(g.load.Times[g.load.At]))
	}
	switch {
	case capacity == 0:
	case peak > capacity:
		facts = append(facts, "over the capacity "+Thousands(capacity)+" by "+Thousands(peak-capacity)+": no plan fits")
	default:
		facts = append(facts, "capacity "+Thousands(capacity)+" ("+percent(capacity-peak, capacity)+" above the load)")
	}
	var marks []mark
	if capacity > 0 {
		name := "capacity"
		if off {
			name = "capacity (off scale)"
		}
		marks = append(marks, mark{name: name, value: capacity, style: CapacityLine, off: off})
	}
	if bound > peak {
		marks = append(marks, mark{name: "lower bound", value: bound, style: BoundLine})
	}
	marks = append(marks, mark{name: "peak load", value: peak, style: LoadLine})
	g.frame("Contention profile", facts, "load", marks, nil)

	steps := g.steps()
	g.Areas = append(g.Areas, g.area(steps, 0))
	if capacity > 0 && peak > capacity {
		over := g.area(steps, capacity)
		over.Over = true
		g.Areas = append(g.Areas, over)
	}
	g.drawNotes()
	return g.Figure, nil
}

// A step is a stretch of the page, from x to the next step's x, at one load.
type step struct {
	x    float64
	load int64
}

// steps returns the profile on the page, thinned to two steps for each unit of
// width if there are more. The last step has load 0.
func (g *page) steps() []step {
	f := g.load
	var out []step
	if len(f.Times) <= int(2*g.Plot.width()) {
		for k, t := range f.Times {
			out = append(out, step{round(g.x.at(t)), f.Loads[k]})
		}
		return out
	}
	column := func(t int64) float64 { return float64(int((g.x.at(t)-g.Plot.X0)*2)) / 2 }
	at, most := 0.0, int64(0) // the open column and its highest load
	for k, t := range f.Times[:len(f.Times)-1] {
		var before int64 // holds up to t
		if k > 0 {
			before = f.Loads[k-1]
		}
		if c := column(t); k > 0 && c > at {
			out = append(out, step{round(g.Plot.X0 + at), most})
			if c > at+0.5 { // nothing changes in the columns between
				out = append(out, step{round(g.Plot.X0 + at + 0.5), before})
			}
			at, most = c, before
		}
		most = max(most, f.Loads[k])
	}
	out = append(out, step{round(g.Plot.X0 + at), most})
	return append(out, step{g.Plot.X1, 0})
}

// area outlines the part of the profile above the floor.
func (g *page) area(steps []step, floor int64) Area {
	var a Area
	base := round(g.y.at(floor))
	last := base
	for i, s := range steps {
		y := round(g.y.at(max(s.load, floor)))
		if i == len(steps)-1 {
			y = base
		}
		if y == last && i > 0 && i < len(steps)-1 {
			continue
		}
		a.Points = append(a.Points, Point{s.x, last}, Point{s.x, y})
		last = y
	}
	return a
}
