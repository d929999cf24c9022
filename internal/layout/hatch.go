package layout

import "github.com/stowage-go/stowage/model"

// Idea: bytes that a result shares with an operand on purpose are hatched while their operator runs, as in the viewer.
// Hatching is lines at 45 degrees, which every medium can draw, cut to the rectangle that the two buffers share.
//
//	(x - X0) + (y - Y0) = step / 2 + k·step, for each k with a point inside
//
// Complexity: O(maxHatch) lines in all. Small rectangles get one line at least, while there is room.

const (
	hatchStep = 10.0 // page units between two lines, along an edge
	maxHatch  = 4000 // lines of a picture
)

// overlaps hatches what results share with operands.
func (g *page) overlaps(p *model.Problem, offsets []int64) {
	for _, o := range g.opt.Overlaps {
		from := max(offsets[o.Result], offsets[o.Operand])
		to := min(offsets[o.Result]+p.Buffers[o.Result].Size, offsets[o.Operand]+p.Buffers[o.Operand].Size)
		if from < to && o.Lower < o.Upper {
			c := piece{lower: o.Lower, upper: o.Upper, from: from, to: to}
			g.Hatch = hatched(g.Hatch, g.rect(c, 0).shown(g.Plot, 2*shownSide))
		}
	}
}

// hatched adds the lines of a rectangle to others.
func hatched(lines []Line, r Rect) []Line {
	w, h := r.width(), r.height()
	for at := min(hatchStep, w+h) / 2; at < w+h && len(lines) < maxHatch; at += hatchStep {
		a, b := max(0, at-h), min(at, w)
		lines = append(lines, Line{
			Rect{round(r.X0 + a), round(r.Y0 + at - a), round(r.X0 + b), round(r.Y0 + at - b)}, AxisLine,
		})
	}
	return lines
}

// hatchedSwatch adds what stands for hatching beside a note.
func (g *page) hatchedSwatch(r Rect) {
	for _, edge := range []Rect{
		{r.X0, r.Y0, r.X1, r.Y0}, {r.X0, r.Y1, r.X1, r.Y1}, {r.X0, r.Y0, r.X0, r.Y1}, {r.X1, r.Y0, r.X1, r.Y1},
	} {
		g.Lines = append(g.Lines, Line{edge, AxisLine})
	}
	g.Lines = append(g.Lines, hatched(nil, r)...)
}
