package layout

import (
	"cmp"
	"math"
	"slices"
)

// Idea: a name that does not fit into its rectangle is written beside it, where nothing else is, with a line that leads
// to it. That is done in pictures of few buffers only: in others there is no room, and lines would make a thicket. A
// grid of cells knows what is taken.
//
// Invariant: the box of such a name touches no rectangle, no other name, and no line of the
// capacity, the height or the load.
//
// Complexity: O(cells near the rectangle × cells of the box) for each name. The viewer does
// the same (render/html/viewer/labels.js).

const (
	fewPieces  = 120 // up to which names may stand beside
	besideCell = 0.3 // side of a cell, in sizes of the picture's letters
	besideFar  = 6   // how far a line may lead, in the same
)

// A room says which cells of the plot are taken.
type room struct {
	plot   Rect
	cell   float64
	nx, ny int
	taken  []bool
}

func (g *page) newRoom() *room {
	m := &room{plot: g.Plot, cell: besideCell * g.medium.Font}
	m.nx, m.ny = int(g.Plot.width()/m.cell), int(g.Plot.height()/m.cell)
	m.taken = make([]bool, m.nx*m.ny)
	for i := range g.Shapes {
		for _, list := range [...][]Rect{g.Shapes[i].Rects, g.Shapes[i].Parts} {
			for _, r := range list {
				m.take(r)
			}
		}
	}
	for _, r := range g.kept {
		m.take(r)
	}
	for _, y := range g.crossing {
		m.take(Rect{g.Plot.X0, y - 0.2*g.medium.Font, g.Plot.X1, y + 0.2*g.medium.Font})
	}
	return m
}

func (m *room) take(r Rect) {
	i0, j0 := max(0, int((r.X0-m.plot.X0)/m.cell)), max(0, int((r.Y0-m.plot.Y0)/m.cell))
	i1, j1 := min(m.nx, int(math.Ceil((r.X1-m.plot.X0)/m.cell))), min(m.ny, int(math.Ceil((r.Y1-m.plot.Y0)/m.cell)))
	for j := j0; j < j1; j++ {
		for i := i0; i < i1; i++ {
			m.taken[j*m.nx+i] = true
		}
	}
}

// nearest returns the free box of that size that is nearest to the middle of r, and how far
// it is; the distance is infinite if none is within far.
func (m *room) nearest(r Rect, width, height, far float64) (box Rect, away float64) {
	x, y := (r.X0+r.X1)/2, (r.Y0+r.Y1)/2
	wide, tall := int(math.Ceil(width/m.cell)), int(math.Ceil(height/m.cell))
	away = math.Inf(1)
	i0, i1 := int((x-far-width-m.plot.X0)/m.cell), int((x+far-m.plot.X0)/m.cell)
	j0, j1 := int((y-far-height-m.plot.Y0)/m.cell), int((y+far-m.plot.Y0)/m.cell)
	for j := max(0, j0); j <= min(m.ny-tall, j1); j++ {
		for i := max(0, i0); i <= min(m.nx-wide, i1); i++ {
			left, top := m.plot.X0+float64(float64(i)*m.cell), m.plot.Y0+float64(float64(j)*m.cell)
			b := Rect{left, top, left + width, top + height}
			dx, dy := max(b.X0-x, 0, x-b.X1), max(b.Y0-y, 0, y-b.Y1)
			// A line that goes up or down is easier to follow.
			d := math.Sqrt(float64(2.9*dx*dx) + float64(dy*dy))
			if d < away && d <= far && m.free(i, j, wide, tall) {
				box, away = b, d
			}
		}
	}
	return box, away
}

func (m *room) free(i, j, wide, tall int) bool {
	for at := j; at < j+tall; at++ {
		if slices.Contains(m.taken[at*m.nx+i:at*m.nx+i+wide], true) {
			return false
		}
	}
	return true
}

// beside writes the names of shapes beside them, from the left to the right. It returns those
// for which there is no room.
func (g *page) beside(shapes []int32, name func(int32) string) (left []int32) {
	m := g.newRoom()
	order := slices.Clone(shapes)
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Compare(g.Shapes[a].largest().X0, g.Shapes[b].largest().X0)
	})
	size := 1.15 * g.medium.Smallest
	for _, k := range order {
		r, id := g.Shapes[k].largest(), name(k)
		along, across := g.textWidth(id, size)+0.5*size, 1.25*size
		far := besideFar * g.medium.Font
		box, away := m.nearest(r, along, across, far)
		turned, turnedAway := m.nearest(r, across, along, far)
		upright := turnedAway+1.5*g.medium.Font < away
		if upright {
			box, away = turned, turnedAway
		}
		if id == "" || math.IsInf(away, 1) {
			left = append(left, k)
			continue
		}
		m.take(box)
		x, y := (box.X0+box.X1)/2, (box.Y0+box.Y1)/2
		t := Text{X: x, Y: y + 0.35*size, Text: id, Size: size, Role: Label, Anchor: Middle}
		if upright {
			t.X, t.Y, t.Upright = x+0.35*size, y, true
		}
		g.text(t)
		toX, toY := (r.X0+r.X1)/2, (r.Y0+r.Y1)/2
		g.line(min(max(toX, box.X0), box.X1), min(max(toY, box.Y0), box.Y1), toX, toY, LeaderLine)
	}
	return left
}

// largest returns the largest rectangle of a shape.
func (s *Shape) largest() Rect {
	rects := s.Rects
	if len(rects) == 0 {
		rects = s.Parts
	}
	var r Rect
	for _, c := range rects {
		// The first of those that rounding alone tells apart.
		if c.width()*c.height() > 1.01*r.width()*r.height() {
			r = c
		}
	}
	return r
}
