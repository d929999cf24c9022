package layout

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/units"
)

// Idea: the values that a plan is judged by are lines across the plot, named at their right end. Lines at one value
// share a label, and labels that would overlap are pushed apart and tied to their lines by a leader.
//
// Trials: docs/lab/pictures.md (in print, readers mistake the dash patterns of a legend).

// A mark is a line across the plot at a value of the vertical axis.
type mark struct {
	name  string
	value int64
	style LineStyle
	off   bool  // above the axis: named, but not drawn
	base  int64 // where the value is counted from: the base of a lane
}

// A block is the label of the marks at one value.
type block struct {
	marks []mark
	texts []Text // names, then the value; X and Y are set by drawMarks
	y     float64
}

// offScale tells whether a capacity so far above the rest would squeeze it.
func offScale(capacity, rest int64) bool { return capacity/2 > rest }

const lineHeight = 1.3 // of the labels, in font sizes

// markBlocks groups marks by value, the highest first, and returns the width of the margin that their labels need.
func (g *page) markBlocks(marks []mark) (blocks []block, margin float64) {
	font := g.medium.Font
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(b.value, a.value) })
	for i, m := range marks {
		if i == 0 || m.value != marks[i-1].value {
			blocks = append(blocks, block{})
		}
		b := &blocks[len(blocks)-1]
		b.marks = append(b.marks, m)
	}
	widest := 0.0
	for i := range blocks {
		b := &blocks[i]
		for _, m := range b.marks {
			role := CapacityText + Role(m.style-CapacityLine)
			b.texts = append(b.texts, Text{Text: m.name, Size: font, Role: role})
		}
		value := b.marks[0].value - b.marks[0].base
		b.texts = append(b.texts, Text{Text: Thousands(value), Size: font, Role: Value})
		if short := units.Short(value); g.binary && short != "" {
			b.texts = append(b.texts, Text{Text: short, Size: font, Role: Value})
		}
		for _, t := range b.texts {
			widest = max(widest, g.textWidth(t.Text, bold*font))
		}
	}
	return blocks, widest + 2*font
}

func (b *block) height(font float64) float64 {
	return (float64(len(b.texts))*lineHeight + 0.6) * font
}

// drawMarks draws the lines and places their labels.
func (g *page) drawMarks(blocks []block) {
	font := g.medium.Font
	p := g.Plot
	// Downwards, each label keeps clear of the one above it; then upwards, the
	// last ones move back into the plot's height.
	top, end := p.Y0-0.8*font, p.Y1+4*font
	var total float64
	for _, b := range blocks {
		total += b.height(font)
	}
	if total > end-top {
		for i := range blocks { // names and exact values go first
			b := &blocks[i]
			b.texts = b.texts[:len(b.marks)+1]
		}
	}
	at := top
	for i := range blocks {
		b := &blocks[i]
		h := b.height(font)
		b.y = p.Y0
		if !b.marks[0].off {
			b.y = g.y.at(b.marks[0].value)
		}
		b.y = max(b.y-h/2, at)
		at = b.y + h
	}
	at = end
	for i := len(blocks) - 1; i >= 0; i-- {
		b := &blocks[i]
		b.y = min(b.y, at-b.height(font))
		at = b.y
	}
	if len(blocks) > 0 && blocks[0].y < top { // no room: rather down than into the heading
		down := top - blocks[0].y
		for i := range blocks {
			blocks[i].y += down
		}
	}
	for _, b := range blocks {
		if !b.marks[0].off {
			y := g.y.at(b.marks[0].value)
			for _, m := range slices.Backward(b.marks) {
				g.line(p.X0, y, p.X1, y, m.style)
			}
			g.crossing = append(g.crossing, y)
			g.line(p.X1, y, p.X1+0.4*font, y, LeaderLine)
			to := min(max(y, b.y+1.1*font), b.y+b.height(font)-1.1*font)
			g.line(p.X1+0.4*font, y, p.X1+1.3*font, to, LeaderLine)
		}
		y := b.y + 0.3*font
		for _, t := range b.texts {
			y += lineHeight * font
			t.X, t.Y = p.X1+1.6*font, y-0.3*font
			g.text(t)
		}
	}
}
