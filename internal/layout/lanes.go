package layout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/poolview"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
)

// Idea: a plan of several pools is a plain plan in which the pools lie one above the other (internal/poolview). What
// differs from a plain picture is the vertical scale, which is linear in each lane, the ticks, which count from the
// base of each lane, and what pools and rules add: captions, reserved bytes, links.
//
//	page height of a lane ~ max(room of the lane, leastLane of the sum)
//
// Trials: docs/lab/pictures.md (with a common scale 64 KiB beside 4 MiB is a line).
//
// Complexity: that of a plain picture; at most maxLinks links.

const (
	leastLane = 0.2 // of the rooms of all lanes, divided by their number: the least that a lane counts
	laneGap   = 1.9 // font sizes above a lane, for its caption
	maxLinks  = 60  // a picture with more links shows none: they would hide it
)

// ruledPlan is Plan for a problem with rules.
func ruledPlan(p *model.Problem, offsets []int64, o render.Options, m Medium) (*Figure, error) {
	if err := Check(m.Name, p, offsets, o); err != nil {
		return nil, err
	}
	plan := &model.Plan{Offsets: offsets, Pools: o.Pools, Parts: o.Parts, Height: -1}
	d, err := poolview.Of(p, plan)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	conflicting := o.Conflict
	o.Conflict = nil
	for _, i := range conflicting {
		if d.First[i] >= 0 {
			o.Conflict = append(o.Conflict, d.First[i])
		}
	}
	o.Capacity = 0
	g, err := pageOf(d.Problem, o, m)
	if err != nil {
		return nil, err
	}
	checked := verify.CheckPlan(p, plan)
	g.report = d.Report(checked)
	g.drawn = d
	g.x.lower, g.x.upper = timeRange(d.Problem)
	if p.Rules.Period > 0 {
		g.x.lower, g.x.upper = 0, p.Rules.Period
	}
	g.y.upper = d.Top()
	for _, pool := range p.AllPools() {
		g.binary = g.binary || countsBytes(d.Problem, pool.Capacity)
	}
	of, groups := g.colours(d.Offsets)
	facts := []string{count(len(p.Buffers), "buffer")}
	for _, want := range p.Objective() {
		facts = append(facts, string(want)+" "+Thousands(model.ValueOf(checked.Measures, want)))
	}
	if !slices.Contains(p.Objective(), model.MeasureHeight) {
		facts = append(facts, "height "+Thousands(checked.Height))
	}
	links := g.linked()
	g.frame("Memory plan", facts, "offset", g.laneMarks(), slices.Concat(groups, g.planNotes(), g.laneNotes(p, links)))
	g.lanes()
	shapeOf := g.spread(d.Offsets, of, d.Top(), g.broken())
	g.clash(d.Offsets)
	conflict := g.conflict()
	for i, k := range shapeOf {
		if k >= 0 {
			lane := d.Lanes[d.Lane[i]]
			g.Shapes[k].Conflict = conflict[i]
			g.Shapes[k].Tip = tip(&d.Problem.Buffers[i], d.Offsets[i]-lane.Base)
			if lane.Pool.ID != "" {
				g.Shapes[k].Tip += ", pool " + Clean(cutRunes(lane.Pool.ID, maxTipID))
			}
		}
	}
	for _, x := range d.Said {
		if k := shapeOf[x.Buffer]; k >= 0 {
			g.Shapes[k].Tip += ", " + strings.ToLower(x.Name) + " " + Clean(cutRunes(x.Text, maxTipID))
		}
	}
	for _, l := range links {
		g.link(l, shapeOf)
	}
	if !g.opt.HideLabels {
		g.labels(shapeOf)
	}
	g.drawNotes()
	return g.Figure, nil
}

// A stretch of a scale is linear: [lower, upper] lies at [from, to], parts of the whole.
type stretch struct {
	lower, upper int64
	from, to     float64
}

// laneScale sets the scale for a plot so high: a gap above each lane, and the rest for the lanes.
func (g *page) laneScale(length float64) {
	all := g.drawn.Lanes
	var rooms float64
	for _, l := range all {
		rooms += float64(l.Room)
	}
	least, sum := leastLane*rooms/float64(len(all)), 0.0
	for _, l := range all {
		sum += max(float64(l.Room), least)
	}
	gap := min(laneGap*g.medium.Font/max(length, 1), 0.5/float64(len(all)))
	rest := 1 - gap*float64(len(all))
	g.y.stretches = nil
	at := 0.0
	for _, l := range slices.Backward(all) {
		part := rest * max(float64(l.Room), least) / sum
		g.y.stretches = append(g.y.stretches, stretch{l.Base, l.Base + l.Room, at, at + part})
		at += part + gap
	}
}

// laneTicks returns the ticks of all lanes, each counted from its base.
func (g *page) laneTicks(length float64) ticks {
	g.laneScale(length)
	font := g.medium.Font
	var of []ticks
	step := int64(0)
	for k, l := range g.drawn.Lanes {
		s := g.y.stretches[len(g.drawn.Lanes)-1-k]
		high := (s.to - s.from) * length
		t := newTicks(0, l.Room, g.binary, func(t ticks) bool {
			return len(t.Values) <= 8 && float64(len(t.Values))*3*font <= high+2*font
		})
		if l.Height == 0 && l.Pool.Capacity == 0 {
			t.Values, t.Labels = t.Values[:1], t.Labels[:1] // an empty lane has no scale
		}
		of = append(of, t)
		if len(t.Values) > 1 {
			if own := t.Values[1] - t.Values[0]; step == 0 || own < step {
				step = own
			}
		}
	}
	unit, name := axisUnit(g.drawn.Top(), max(step, 1), g.binary)
	joined := ticks{Unit: name}
	for k, t := range of {
		for _, v := range t.Values {
			joined.Values = append(joined.Values, v+g.drawn.Lanes[k].Base)
			joined.Labels = append(joined.Labels, Thousands(v/unit))
		}
	}
	return joined
}

// laneMarks are the lines of capacity and height in each lane.
func (g *page) laneMarks() []mark {
	var marks []mark
	for _, l := range g.drawn.Lanes {
		name := func(word string) string {
			if l.Pool.ID == "" || len(g.drawn.Lanes) == 1 {
				return word
			}
			return Clean(cutRunes(l.Pool.ID, maxGroup)) + " " + word
		}
		if c := l.Pool.Capacity; c > 0 && c <= l.Room {
			marks = append(marks, mark{name: name("capacity"), value: l.Base + c, style: CapacityLine, base: l.Base})
		}
		if l.Height > 0 {
			marks = append(marks, mark{name: name("height"), value: l.Base + l.Height, style: HeightLine, base: l.Base})
		}
	}
	return marks
}

// laneNotes explain what rules add to the picture.
func (g *page) laneNotes(p *model.Problem, links []poolview.Link) []note {
	var notes []note
	if slices.ContainsFunc(g.drawn.Lanes, func(l poolview.Lane) bool { return len(l.Pool.Reserved) > 0 }) {
		notes = append(notes, note{swatch: &Shape{Stroke: FullStroke}, hatched: true, text: "reserved bytes"})
	}
	if slices.ContainsFunc(g.drawn.Lanes, func(l poolview.Lane) bool { return len(l.Pool.Borders) > 0 }) {
		notes = append(notes, note{text: "line across: the border of a bank"})
	}
	var kinds [4]bool
	for _, l := range links {
		kinds[l.Kind] = true
	}
	for kind, text := range [...]string{
		poolview.Together: "green line: tied", poolview.Lockstep: "green line between pools: at one offset", poolview.Apart: "grey line: kept apart",
		poolview.Penalty: "red line: a penalty that is paid",
	} {
		if kinds[kind] {
			notes = append(notes, note{text: text})
		}
	}
	if hidden := len(g.drawn.Links); len(links) == 0 && hidden > 0 && len(g.paid()) > maxLinks {
		notes = append(notes, note{text: "No lines for " + count(hidden, "pair") + " that rules name."})
	}
	if p.Rules.Threads > 0 {
		notes = append(notes, note{text: "Time is the sum of " + count(p.Rules.Threads, "clock") + "."})
	}
	if t := p.Rules.Period; t > 0 {
		notes = append(notes, note{text: "The step of " + Thousands(t) + " slots repeats."})
	}
	return notes
}

// paid returns the links that a picture shows if they are few: penalties only if they are paid.
func (g *page) paid() []poolview.Link {
	var all []poolview.Link
	for _, l := range g.drawn.Links {
		if l.Kind != poolview.Penalty || l.Paid {
			all = append(all, l)
		}
	}
	return all
}

func (g *page) linked() []poolview.Link {
	if all := g.paid(); len(all) <= maxLinks {
		return all
	}
	return nil
}

// lanes draws the captions of the lanes, the lines between them, and reserved bytes.
func (g *page) lanes() {
	font := g.medium.Font
	for _, l := range g.drawn.Lanes {
		top, base := g.y.at(l.Base+l.Room), g.y.at(l.Base)
		g.line(g.Plot.X0, base, g.Plot.X1, base, AxisLine)
		g.line(g.Plot.X0, top, g.Plot.X1, top, GridLine)
		g.kept = append(g.kept, Rect{g.Plot.X0, top - laneGap*font, g.Plot.X1, top})
		var words []string
		if l.Pool.ID != "" {
			words = append(words, Clean(cutRunes(l.Pool.ID, maxTipID)))
		}
		switch c := l.Pool.Capacity; {
		case c > 0:
			words = append(words, g.bytes(l.Height)+" of "+g.bytes(c))
		default:
			words = append(words, g.bytes(l.Height))
		}
		if l.Pool.Cost > 0 {
			words = append(words, "cost "+Thousands(l.Pool.Cost)+" a byte")
		}
		if len(g.drawn.Lanes) > 1 || l.Pool.ID != "" {
			text := g.fit(strings.Join(words, " · "), bold*font, g.Plot.width()-font)
			g.text(Text{X: g.Plot.X0 + 0.5*font, Y: top - 0.5*font, Text: text, Size: font, Role: Title})
		}
		for _, at := range l.Pool.Borders {
			if y := g.y.at(l.Base + at); at < l.Room {
				g.line(g.Plot.X0, y, g.Plot.X1, y, AxisLine)
			}
		}
		for _, r := range l.Pool.Reserved {
			box := Rect{round(g.Plot.X0), round(g.y.at(l.Base + r.Upper)), round(g.Plot.X1), round(g.y.at(l.Base + r.Lower))}
			g.Hatch = hatched(g.Hatch, box.shown(g.Plot, 2*shownSide))
			g.kept = append(g.kept, box)
		}
	}
}

// bytes writes a number of bytes as captions have it.
func (g *page) bytes(n int64) string {
	if short := units.Short(n); g.binary && short != "" && !strings.HasPrefix(short, "≈") {
		return short
	}
	return Thousands(n)
}

// link draws a line between the middles of two buffers, if both are drawn singly.
func (g *page) link(l poolview.Link, shapeOf []int32) {
	a, b := shapeOf[l.A], shapeOf[l.B]
	if a < 0 || b < 0 {
		return
	}
	x, y := g.Shapes[a].largest(), g.Shapes[b].largest()
	style := [...]LineStyle{poolview.Together: TogetherLine, poolview.Lockstep: TogetherLine, poolview.Apart: ApartLine, poolview.Penalty: PenaltyLine}[l.Kind]
	g.line(round((x.X0+x.X1)/2), round((x.Y0+x.Y1)/2), round((y.X0+y.X1)/2), round((y.Y0+y.Y1)/2), style)
}
