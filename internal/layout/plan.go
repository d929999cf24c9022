package layout

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/colour"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
)

// Plan lays out the picture of a plan: time across, offset up, a rectangle for
// each piece of each buffer. The offsets are in the order of p.Buffers.
//
// A plan that breaks a rule or exceeds the capacity is drawn as it is, since
// that is when one wants to see it, and marked as invalid. The error is for a problem that is not
// valid, offsets that are missing or negative, and options out of range.
func Plan(p *model.Problem, offsets []int64, o render.Options, m Medium) (*Figure, error) {
	if offsets == nil {
		offsets = []int64{}
	}
	if p != nil && p.Ruled() {
		return ruledPlan(p, offsets, o, m)
	}
	g, err := newPage(p, offsets, o, m)
	if err != nil {
		return nil, err
	}

	// A plan over the capacity has a band for that, and is no fault by itself.
	g.report = verify.Check(p, offsets, 0)
	height := model.HeightOf(p, offsets)
	bound := max(g.load.Peak, g.opt.LowerBound)
	capacity := g.opt.Capacity
	g.x.lower, g.x.upper = timeRange(p)
	g.y.upper = max(height, bound, 1)
	off := offScale(capacity, g.y.upper)
	if !off {
		g.y.upper = max(g.y.upper, capacity)
	}
	of, groups := g.colours(offsets)
	g.frame("Memory plan", g.planFacts(height, bound), "offset",
		g.planMarks(height, bound, off), slices.Concat(groups, g.planNotes()))

	if capacity > 0 && height > capacity {
		g.Bands = append(g.Bands, Rect{g.Plot.X0, round(g.Plot.Y0), g.Plot.X1, round(g.y.at(capacity))})
	}
	shapeOf := g.spread(offsets, of, height, g.broken())
	g.overlaps(p, offsets)
	g.clash(offsets)
	conflict := g.conflict()
	for i, k := range shapeOf {
		if k >= 0 {
			g.Shapes[k].Conflict = conflict[i]
			g.Shapes[k].Tip = tip(&p.Buffers[i], offsets[i])
		}
	}
	if !g.opt.HideLabels {
		g.labels(shapeOf)
	}
	g.drawNotes()
	return g.Figure, nil
}

// Colours is how many colours buffers have, with the grey of those in no group.
const Colours = colour.Rest + 1

// Palette has the colours of buffers.
var Palette = func() (out [Colours]colour.Colour) {
	for k := range out {
		out[k] = colour.At(k)
	}
	return out
}()

// colours returns the colour of each buffer, and the legend: of its group if names tell
// groups, otherwise one that tells it from its neighbours.
func (g *page) colours(offsets []int64) ([]uint8, []note) {
	all := colour.Groups(g.problem)
	if len(all) == 0 {
		return colour.Apart(g.problem, offsets), nil
	}
	best := all[0]
	var legend []note
	entry := func(k int, name string) {
		legend = append(legend, note{
			swatch: &Shape{Colour: k, Stroke: ThinStroke, Group: true}, text: Clean(cutRunes(name, maxGroup)),
		})
	}
	for k, name := range best.Names {
		entry(k, name)
	}
	if best.Rest {
		entry(colour.Rest, "others")
	}
	// In a small picture the plan needs the room.
	if rows := len(g.noteRows(legend, g.Width-2.8*g.medium.Font)); float64(rows)*1.6*g.medium.Font > g.Height/8 {
		legend = nil
	}
	return best.Of, legend
}

// maxGroup is how many characters of a group's name the legend has.
const maxGroup = 24

// planFacts are the figures that stand below the heading. A plan that is not valid has no gap: its height is no height.
func (g *page) planFacts(height, bound int64) []string {
	capacity := g.opt.Capacity
	facts := []string{
		count(len(g.problem.Buffers), "buffer"), "height " + Thousands(height), "lower bound " + Thousands(bound),
	}
	if bound == g.load.Peak {
		facts[2] += " (peak load)"
	}
	switch {
	case len(g.faults()) > 0:
	case height < bound: // of a valid plan: then it is no bound
		facts = append(facts, "lower than what is called a bound")
	default:
		facts = append(facts, "gap "+percent(height-bound, bound))
	}
	switch {
	case capacity == 0:
	case height > capacity:
		facts = append(facts, "over the capacity "+Thousands(capacity)+" by "+Thousands(height-capacity))
	default:
		facts = append(facts, "capacity "+Thousands(capacity)+" ("+percent(capacity-height, capacity)+" free)")
	}
	return facts
}

func (g *page) planMarks(height, bound int64, off bool) []mark {
	var marks []mark
	if c := g.opt.Capacity; c > 0 {
		name := "capacity"
		if off {
			name = "capacity (off scale)"
		}
		marks = append(marks, mark{name: name, value: c, style: CapacityLine, off: off})
	}
	marks = append(marks, mark{name: "height", value: height, style: HeightLine})
	if bound == g.load.Peak {
		return append(marks, mark{name: "peak load", value: bound, style: LoadLine})
	}
	return append(marks, mark{name: "lower bound", value: bound, style: BoundLine},
		mark{name: "peak load", value: g.load.Peak, style: LoadLine})
}

// planNotes explain what not every picture has.
func (g *page) planNotes() []note {
	var notes []note
	fixed, windowed := false, false
	for i := range g.problem.Buffers {
		fixed = fixed || g.problem.Buffers[i].Fixed != nil
	}
	for _, c := range g.pieces {
		windowed = windowed || c.windowed
	}
	if fixed {
		notes = append(notes, note{swatch: &Shape{Stroke: FullStroke, Fixed: true}, text: "fixed offset"})
	}
	if windowed {
		notes = append(notes, note{swatch: &Shape{Stroke: FullStroke}, text: "in use whole"},
			note{swatch: &Shape{Stroke: FullStroke}, part: true, text: "in part, during a gap"})
	}
	if len(g.opt.Overlaps) > 0 {
		notes = append(notes, note{swatch: &Shape{Stroke: FullStroke}, hatched: true, text: "a result over an operand"})
	}
	if g.report.Total > 0 && !onlySingle(g.report) {
		notes = append(notes, note{swatch: &Shape{Broken: true}, text: "in use twice at once"})
	}
	if len(g.opt.Conflict) > 0 {
		notes = append(notes, note{swatch: &Shape{Stroke: FullStroke, Conflict: true}, text: "cannot fit together"})
	}
	if g.crowded() {
		n := g.tally
		n.pieces = len(g.pieces)
		n.singles, n.bare, n.merged, n.lost, n.ranked = n.pieces, n.pieces, n.pieces, n.pieces, n.pieces
		notes = append(notes,
			note{text: n.ways(), late: func() string { return g.tally.ways() }},
			note{text: n.care(), late: func() string { return g.tally.care() }})
	}
	return notes
}

// ways says how the pieces are drawn.
func (n tally) ways() string {
	s := fmt.Sprintf("Of %s rectangles %s have an outline and a label, %s have none, %s are merged",
		Thousands(int64(n.pieces)), Thousands(int64(n.singles)), Thousands(int64(n.bare)), Thousands(int64(n.merged)))
	if n.lost > 0 {
		s += fmt.Sprintf(", %s are too small to see", Thousands(int64(n.lost)))
	}
	return s + "."
}

// care says what became of those that have to do with the height.
func (n tally) care() string {
	if n.kept == n.ranked {
		return fmt.Sprintf("None of the %s that are largest or in use at the peak is merged.", Thousands(int64(n.ranked)))
	}
	return fmt.Sprintf("Of the %s that are largest or in use at the peak the %s smallest are merged.",
		Thousands(int64(n.ranked)), Thousands(int64(n.ranked-n.kept)))
}

func count(n int, noun string) string {
	return Thousands(int64(n)) + " " + units.Plural(n, noun)
}

// tip describes a buffer in a line.
func tip(b *model.Buffer, offset int64) string {
	var s strings.Builder
	s.WriteString(Clean(cutRunes(b.ID, maxTipID)))
	fmt.Fprintf(&s, ": time [%d, %d), size %s, offset %s, end %s",
		b.Lower, b.Upper, Thousands(b.Size), Thousands(offset), Thousands(offset+b.Size))
	if b.Align() > 1 {
		s.WriteString(", alignment " + strconv.FormatInt(b.Alignment, 10))
	}
	if n := len(b.Gaps); n > 0 {
		s.WriteString(", " + count(n, "gap"))
	}
	if b.Fixed != nil {
		s.WriteString(", fixed")
	}
	return s.String()
}

// labels writes the names of the buffers: whole in their rectangles, whole beside them, or cut.
func (g *page) labels(shapeOf []int32) {
	var missing []int32
	of := make([]int, len(g.Shapes))
	for i, k := range shapeOf {
		if k < 0 {
			continue
		}
		of[k] = i
		if !g.label(&g.Shapes[k], &g.problem.Buffers[i], false) {
			missing = append(missing, k)
		}
	}
	if len(g.pieces) <= fewPieces {
		missing = g.beside(missing, func(k int32) string { return g.nameOf(&g.problem.Buffers[of[k]]) })
	}
	for _, k := range missing {
		g.label(&g.Shapes[k], &g.problem.Buffers[of[k]], true)
	}
}

// label writes a buffer's ID, and its size if there is room, into the largest rectangle of its shape: across if it can,
// upright in a tall one. It reports whether it did; cutTo allows it to cut the name.
func (g *page) label(s *Shape, b *model.Buffer, cutTo bool) bool {
	r := g.clear(s.largest())
	least := g.medium.Smallest
	if min(r.width(), r.height()) < 1.3*least {
		return false // spares the cleaning of IDs that never fit
	}
	id := g.nameOf(b)
	turned := g.fitting(id, r.height(), r.width()) > worthTurning*g.fitting(id, r.width(), r.height())
	for _, upright := range []bool{turned, !turned} {
		along, across := r.width(), r.height()
		if upright {
			along, across = across, along
		}
		text, size := id, g.fitting(id, along, across)
		along -= 0.6 * g.largest(across)
		if cutTo {
			size = min(g.largest(across), 1.15*least)
			text = g.fitMiddle(id, size, along)
		}
		if text == "" || size < least {
			continue
		}
		g.putLabel(r, text, size, along, across, upright, b.Size)
		return true
	}
	return false
}

// nameOf returns the ID of a buffer as the medium can write it.
func (g *page) nameOf(b *model.Buffer) string {
	id := Clean(b.ID)
	if g.medium.Spell != nil {
		id = g.medium.Spell(id)
	}
	return id
}

// worthTurning is how many times as large the letters of a name must be upright for it to
// be turned if it would fit across.
const worthTurning = 1.35

// largest returns the size of letters that a rectangle so long across a line has room for.
func (g *page) largest(across float64) float64 { return min(1.1*g.medium.Font, 0.75*across) }

// fitting returns the size of letters in which a text fits whole into a rectangle, along its line and across.
func (g *page) fitting(text string, along, across float64) float64 {
	size := g.largest(across)
	return min(size, (along-0.6*size)/g.textWidth(text, 1))
}

// clear returns the tallest part of r that no mark crosses.
func (g *page) clear(r Rect) Rect {
	room := 0.3 * g.medium.Font
	best, top := Rect{}, r.Y0
	for _, y := range g.crossing {
		if y <= r.Y0 || y >= r.Y1 {
			continue
		}
		if part := (Rect{r.X0, top, r.X1, y - room}); part.height() > best.height() {
			best = part
		}
		top = y + room
	}
	if top == r.Y0 {
		return r
	}
	if part := (Rect{r.X0, top, r.X1, r.Y1}); part.height() > best.height() {
		best = part
	}
	return best
}

// putLabel centres a label in r, with the buffer's size in a second line if there is room across.
func (g *page) putLabel(r Rect, id string, size, along, across float64, upright bool, bytes int64) {
	x, y := (r.X0+r.X1)/2, (r.Y0+r.Y1)/2
	t := Text{Text: id, Size: size, Role: Label, Anchor: Middle, Upright: upright}
	put := func(t Text, down float64) {
		if upright {
			t.X, t.Y = x+down, y
		} else {
			t.X, t.Y = x, y+down
		}
		g.text(t)
	}
	second := Thousands(bytes)
	if g.binary && bytes >= 1024 && bytes%1024 == 0 {
		if short := units.Short(bytes); !strings.HasPrefix(short, "≈") {
			second = short
		}
	}
	small := max(0.8*size, g.medium.Smallest)
	if across < 1.4*size+1.5*small || g.textWidth(second, small) > along {
		put(t, 0.35*size)
		return
	}
	put(t, -0.15*size)
	t.Text, t.Size, t.Role = second, small, SubLabel
	put(t, 0.05*size+small)
}
