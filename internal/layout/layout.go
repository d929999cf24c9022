// Package layout turns a problem and its offsets into a Figure: a flat list of rectangles, lines and texts in page
// units, and draws it with the strokes that all media have.
//
//	figure.go   the Figure and the things in it
//	draw.go     its colours and strokes, and the order in which its parts are drawn
//	canvas.go   what a medium has to draw: rectangles, lines, polygons, texts
//	layout.go   the margins that all figures share
//	plan.go     the picture of a plan: time across, offset up
//	profile.go  the picture of a problem without one: load over time
//	lanes.go    plans with rules: a lane for each pool
//	pieces.go   lifespans cut at their gaps
//	matters.go  which pieces have to do with the height
//	beside.go   names beside their rectangles
//	detail.go   what is drawn singly and what is merged
//	faults.go   what is wrong with a plan
//	ticks.go    scales, round ticks and their labels
//	marks.go    the labelled lines of capacity, height and bound
//	text.go     text widths, cleaning and cutting
package layout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/poolview"
	"github.com/stowage-go/stowage/internal/profile"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
)

// A Medium has the limits of a writer.
type Medium struct {
	Name          string  // what its errors begin with
	Width, Height int     // default size of the whole picture
	MinSide       int     // least width or height that leaves a plot between the margins
	MaxSide       int     // largest width or height
	Font          float64 // size of the axis labels; the rest follows from it
	Smallest      float64 // smallest legible size of an ID
	TextScale     float64 // width of its typeface relative to the table in text.go
	Singles       int     // most pieces that get an element, a tip and a label
	Bare          int     // most further pieces that get a rectangle of their own
	Runs          int     // most rectangles of merged pieces
	// Spell returns an ID as the medium writes it if the medium lacks some letters; nil if the medium has all letters.
	Spell func(id string) string
}

// page is a figure under construction.
type page struct {
	*Figure
	problem *model.Problem
	medium  Medium
	opt     render.Options
	pieces  []piece
	load    profile.Profile
	tally   tally
	leastY  float64       // how high a rectangle is drawn at least
	report  *model.Report // of the plan; nil without one
	binary  bool          // offsets read best in KiB and MiB
	x, y    scale
	// crossing holds where the marks cross the plot, from the top; labels keep clear of them.
	crossing []float64
	drawn    *poolview.Drawing // of a plan with rules; nil for others
	kept     []Rect            // where no name may stand beside its rectangle: captions of lanes, reserved bytes
	notes    [][]note          // rows, from notesAt down
	notesAt  float64
}

// Check refuses input that cannot be drawn: a bad problem, offsets for another problem or out of range, a capacity or a
// bound below 0, a conflict or overlaps of missing buffers. Offsets of nil mean no plan. A plan that breaks rules or
// exceeds a capacity is drawn. The error begins with who draws, unless it is a *model.InputError.
func Check(who string, p *model.Problem, offsets []int64, o render.Options) error {
	if p == nil {
		return fmt.Errorf("%s: no problem", who)
	}
	with := *p
	with.Capacity = 0
	if err := model.Validate(&with); err != nil {
		return err
	}
	if capacity := p.CapacityOr(o.Capacity); capacity < 0 || o.LowerBound < 0 {
		return fmt.Errorf("%s: the capacity %d and the lower bound %d must not be negative", who, capacity, o.LowerBound)
	}
	if offsets != nil && len(offsets) != len(p.Buffers) {
		return fmt.Errorf("%s: %d offsets for %d buffers", who, len(offsets), len(p.Buffers))
	}
	for _, i := range o.Conflict {
		if i < 0 || i >= len(p.Buffers) {
			return fmt.Errorf("%s: the conflict has buffer %d of %d", who, i, len(p.Buffers))
		}
	}
	for _, x := range o.Overlaps {
		if min(x.Result, x.Operand) < 0 || max(x.Result, x.Operand) >= len(p.Buffers) {
			return fmt.Errorf("%s: buffer %d over buffer %d of %d", who, x.Result, x.Operand, len(p.Buffers))
		}
	}
	lacks := p.MayLack()
	for i, at := range offsets {
		if at == model.Absent && lacks[i] {
			continue
		}
		if at < 0 || at > model.MaxSum {
			return fmt.Errorf("%s: buffer %s: offset %d must be from 0 to %d", who, p.Buffers[i].ID, at, int64(model.MaxSum))
		}
	}
	return nil
}

// newPage checks the input and the options and fills in the defaults.
func newPage(p *model.Problem, offsets []int64, o render.Options, m Medium) (*page, error) {
	if err := Check(m.Name, p, offsets, o); err != nil {
		return nil, err
	}
	return pageOf(p, o, m)
}

// pageOf fills in the defaults for a problem that has been checked.
func pageOf(p *model.Problem, o render.Options, m Medium) (*page, error) {
	o.Capacity = p.CapacityOr(o.Capacity)
	if o.Width == 0 {
		o.Width = m.Width
	}
	if o.Height == 0 {
		o.Height = m.Height
	}
	if min(o.Width, o.Height) < m.MinSide || max(o.Width, o.Height) > m.MaxSide {
		return nil, fmt.Errorf("%s: the size %d x %d must be from %d to %d each way", m.Name, o.Width, o.Height,
			m.MinSide, m.MaxSide)
	}
	// Below half of the default size letters shrink with the picture, down to half of theirs.
	part := min(2*float64(o.Width)/float64(m.Width), 2*float64(o.Height)/float64(m.Height))
	m.Font *= min(1, max(0.5, part))
	g := &page{
		Figure:  &Figure{Width: float64(o.Width), Height: float64(o.Height)},
		problem: p, medium: m, opt: o,
	}
	g.pieces = cut(p)
	g.load = profile.New(p)
	g.binary = countsBytes(p, o.Capacity)
	return g, nil
}

// heading returns the text above the plot.
func (g *page) heading(fallback string) string {
	title := g.opt.Title
	if title == "" {
		title = g.problem.Name
	}
	if title == "" {
		title = fallback
	}
	return Clean(title)
}

// frame sets the plot's rectangle and draws all that surrounds it: heading, facts, axes, grid, line labels and notes.
// The order is fixed: the left margin depends on the offset ticks, these on the plot's height, and that on the number
// of lines of text above and below.
func (g *page) frame(fallback string, facts []string, yLabel string, lines []mark, notes []note) {
	font := g.medium.Font
	pad := 1.4 * font
	title := g.heading(fallback)
	role, faults := Title, g.faults()
	if len(faults) > 0 {
		if len(g.opt.Conflict) > 0 {
			title = "DOES NOT FIT: " + title
		} else {
			title = "INVALID: " + title
		}
		role = Alarm
	}
	g.Description = title + ": " + strings.Join(slices.Concat(faults, facts), ", ")

	width := g.Width - 2*pad
	y := pad + 1.25*font
	g.text(Text{X: pad, Y: y, Text: g.fit(title, 1.5*bold*font, width), Size: 1.5 * font, Role: role})
	for _, fault := range faults {
		y += 1.5 * font
		g.text(Text{X: pad, Y: y, Text: g.fit(fault, bold*font, width), Size: font, Role: Alarm})
	}
	for _, line := range g.wrap(facts, " · ", font, width) {
		y += 1.5 * font
		g.text(Text{X: pad, Y: y, Text: line, Size: font, Role: Fact})
	}
	top := y + 1.2*font

	blocks, margin := g.markBlocks(lines)
	g.notes = g.noteRows(notes, width)
	bottom := g.Height - pad - 3.2*font - 1.6*font*float64(len(g.notes))
	bottom = max(bottom, top+font)

	yTicks := g.yTicks(bottom - top)
	left := pad + 2*font
	for _, t := range yTicks.Labels {
		left = max(left, pad+2.2*font+g.textWidth(t, font))
	}
	right := max(g.Width-pad-margin, left+font)
	g.Plot = Rect{left, top, right, bottom}
	g.x.from, g.x.to = left, right
	g.y.from, g.y.to = bottom, min(top+0.6*font, bottom) // headroom for the top line

	g.axes(yTicks, g.xTicks(right-left), yLabel)
	g.drawMarks(blocks)
	g.notesAt = bottom + 4.6*font
}

// axes draws the grid, the ticks and the names of the two axes.
func (g *page) axes(y, x ticks, yLabel string) {
	font := g.medium.Font
	p := g.Plot
	for i, v := range y.Values {
		at := g.y.at(v)
		g.line(p.X0, at, p.X1, at, GridLine)
		g.line(p.X0-0.4*font, at, p.X0, at, AxisLine)
		g.text(Text{X: p.X0 - 0.7*font, Y: at + 0.35*font, Text: y.Labels[i], Size: font, Role: Tick, Anchor: End})
	}
	for i, v := range x.Values {
		at := g.x.at(v)
		g.line(at, p.Y0, at, p.Y1, GridLine)
		g.line(at, p.Y1, at, p.Y1+0.4*font, AxisLine)
		// A long label at either end moves inwards rather than off the page.
		half := g.textWidth(x.Labels[i], font)/2 + 0.5*font
		at = max(min(at, g.Width-half), half)
		g.text(Text{X: at, Y: p.Y1 + 1.5*font, Text: x.Labels[i], Size: font, Role: Tick, Anchor: Middle})
	}
	g.line(p.X0, p.Y0, p.X0, p.Y1, AxisLine)
	g.line(p.X0, p.Y1, p.X1, p.Y1, AxisLine)
	g.text(Text{X: (p.X0 + p.X1) / 2, Y: p.Y1 + 3.1*font, Text: "time" + x.Unit, Size: font, Role: Axis, Anchor: Middle})
	g.text(Text{
		X: 2.2 * font, Y: (p.Y0 + p.Y1) / 2, Text: yLabel + y.Unit, Size: font, Role: Axis, Anchor: Middle, Upright: true,
	})
}

// yTicks and xTicks choose as many ticks as fit the given length.
func (g *page) yTicks(length float64) ticks {
	font := g.medium.Font
	if g.drawn != nil {
		return g.laneTicks(length)
	}
	return newTicks(g.y.lower, g.y.upper, g.binary, func(t ticks) bool {
		return len(t.Values) <= 12 && float64(len(t.Values))*3*font <= length+3*font
	})
}

func (g *page) xTicks(length float64) ticks {
	font := g.medium.Font
	return newTicks(g.x.lower, g.x.upper, false, func(t ticks) bool {
		var widest float64
		for _, label := range t.Labels {
			widest = max(widest, g.textWidth(label, font))
		}
		return len(t.Values) <= 16 && float64(len(t.Values))*(widest+1.5*font) <= length+widest
	})
}

// A note is an entry under the plot, with or without a swatch.
type note struct {
	swatch *Shape // its rectangle is set by drawNotes; nil for none
	part   bool   // the swatch is a part of a buffer
	// hatched says that the swatch is.
	hatched bool
	text    string
	// late makes the text after everything else is drawn. text is then a text at least as long, which keeps the room.
	late func() string
}

// noteRows breaks the notes into rows no wider than width.
func (g *page) noteRows(notes []note, width float64) [][]note {
	var rows [][]note
	var used float64
	for _, n := range notes {
		need := g.noteWidth(n)
		if len(rows) == 0 || used+need > width {
			rows, used = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], n)
		used += need
	}
	return rows
}

func (g *page) noteWidth(n note) float64 {
	w := g.textWidth(n.text, 0.92*g.medium.Font) + 2*g.medium.Font
	if n.swatch != nil {
		w += 2.2 * g.medium.Font
	}
	return w
}

// drawNotes writes the notes, when all else is drawn.
func (g *page) drawNotes() {
	font := g.medium.Font
	y := g.notesAt
	for _, row := range g.notes {
		x := 1.4 * font
		for _, n := range row {
			if n.late != nil {
				n.text = n.late()
			}
			at := x
			if n.swatch != nil {
				s := *n.swatch
				box := []Rect{{round(at), round(y - 0.85*font), round(at + 1.6*font), round(y + 0.1*font)}}
				switch {
				case n.hatched:
					g.hatchedSwatch(box[0])
				case s.Broken:
					g.Clashes = append(g.Clashes, box...)
				case n.part:
					s.Parts = box
					g.Swatches = append(g.Swatches, s)
				default:
					s.Rects = box
					g.Swatches = append(g.Swatches, s)
				}
				at += 2.2 * font
			}
			g.text(Text{X: at, Y: y, Text: g.fit(n.text, 0.92*font, g.Width-font-at), Size: 0.92 * font, Role: Note})
			x += g.noteWidth(n)
		}
		y += 1.6 * font
	}
}
