package layout

import (
	"cmp"
	"math"
	"slices"
)

// Idea: a picture has about a million pixels, however many buffers there are. The most important pieces become elements
// with a tip and a label. The next become bare rectangles, grouped by colour. Pieces smaller than a pixel are added up
// in a grid of cells, and runs of cells of one colour become one rectangle. So the Medium bounds the output, whatever
// the problem.
//
// Invariant: a piece with a rank (matters.go) is an element or a rectangle of its own while there are no more of them
// than two thirds of the room; the picture says how many pieces are drawn in which way.
//
// Complexity: O(p log p) to sort p pieces by area, and for each piece that is merged the number of cells that it
// touches, at most some 1,800 as it is under a pixel wide or high unless there are very many.
//
// Trials: docs/lab/pictures.md (leaving out what is under a pixel shows holes where memory is full).

const (
	leastSide  = 0.75 // below this, in page units, a piece is no rectangle
	shownSide  = 0.5  // a piece drawn all the same is widened to this
	thinBelow  = 7    // sides below this get a thin outline
	plainBelow = 2    // sides below this get none
	fullCell   = 0.5  // share in use from which a cell is drawn full
	emptyCell  = 0.03 // share in use below which a cell is not drawn
	maxCells   = 4 << 20
	maxTipID   = 80 // characters of an ID in a tip
)

// round keeps two decimals, which is what the writers print. Edges are rounded
// before widths are taken from them, so that neighbours meet without a seam.
func round(v float64) float64 { return math.Round(v*100) / 100 }

// rect returns where a piece lies on the page.
func (g *page) rect(c piece, offset int64) Rect {
	return Rect{
		X0: round(g.x.at(c.lower)), X1: round(g.x.at(c.upper)),
		Y0: round(g.y.at(offset + c.to)), Y1: round(g.y.at(offset + c.from)),
	}
}

func (r Rect) width() float64  { return r.X1 - r.X0 }
func (r Rect) height() float64 { return r.Y1 - r.Y0 }

// shown returns r, widened around its middle to a visible size within p. leastY is that size upwards.
func (r Rect) shown(p Rect, leastY float64) Rect {
	r.X0, r.X1 = widened(r.X0, r.X1, p.X0, p.X1, shownSide)
	r.Y0, r.Y1 = widened(r.Y0, r.Y1, p.Y0, p.Y1, leastY)
	return r
}

// widened returns [from, to], or as much around its middle as is least, within [lower, upper].
func widened(from, to, lower, upper, least float64) (a, b float64) {
	if to-from >= least {
		return from, to
	}
	a = round(min(max((from+to-least)/2, lower), upper-least))
	return a, a + least
}

// A tally says how the pieces of a picture are drawn.
type tally struct {
	pieces  int
	singles int // as elements
	bare    int // as rectangles of their own
	merged  int // in cells
	lost    int // in cells that have too little in them to be drawn
	ranked  int // that have to do with the height
	kept    int // of those, drawn as elements or rectangles
}

// spread distributes the pieces over Shapes and Fills. It returns the shape of each buffer, -1 for none.
func (g *page) spread(offsets []int64, colour []uint8, height int64, broken []bool) (shapeOf []int32) {
	rects := make([]Rect, len(g.pieces))
	order := make([]int32, len(g.pieces))
	for k, c := range g.pieces {
		rects[k] = g.rect(c, offsets[c.buffer])
		order[k] = int32(k)
	}
	g.tally = tally{pieces: len(g.pieces), singles: len(g.pieces)}
	g.leastY = shownSide
	if g.crowded() {
		singles, bare, small := g.choose(order, rects, g.ranks(offsets, height, broken))
		lost := g.merge(small, rects, colour)
		g.tally.singles, g.tally.bare, g.tally.merged, g.tally.lost = len(singles), len(bare), len(small)-lost, lost
		g.bare(bare, rects, colour)
		order = singles
	}
	return g.single(order, rects, colour, broken)
}

// crowded reports whether there are more pieces than elements.
func (g *page) crowded() bool { return len(g.pieces) > g.medium.Singles }

// choose says which pieces become elements, which rectangles, and which are
// merged, each list in the order of the problem.
func (g *page) choose(order []int32, rects []Rect, ranks []uint8) (singles, bare, small []int32) {
	for _, rank := range ranks {
		if rank != ordinary {
			g.tally.ranked++
		}
	}
	// Thousands may be live at the peak, one above the other: widened each to
	// half a pixel they would cover one another.
	g.leastY = min(shownSide, max(0.01, round(g.Plot.height()/float64(max(g.tally.ranked, 1)))))
	slices.SortFunc(order, func(a, b int32) int {
		if ranks[a] != ranks[b] {
			return cmp.Compare(ranks[a], ranks[b])
		}
		if ranks[a] != ordinary {
			return g.largerFirst(a, b)
		}
		return cmp.Or(
			cmp.Compare(rects[b].width()*rects[b].height(), rects[a].width()*rects[a].height()),
			cmp.Compare(a, b))
	})
	for _, k := range order {
		r := &rects[k]
		if ranks[k] != ordinary {
			switch {
			case len(singles) < g.medium.Singles*2/3:
				singles = append(singles, k)
			case len(bare) < g.medium.Bare*2/3:
				*r = r.shown(g.Plot, g.leastY)
				bare = append(bare, k)
			default:
				small = append(small, k)
				continue
			}
			g.tally.kept++
			continue
		}
		visible := r.width() >= leastSide && r.height() >= leastSide
		switch {
		case visible && len(singles) < g.medium.Singles:
			singles = append(singles, k)
		case visible && len(bare) < g.medium.Bare:
			bare = append(bare, k)
		default:
			small = append(small, k)
		}
	}
	for _, list := range [][]int32{singles, bare, small} {
		slices.Sort(list)
	}
	return singles, bare, small
}

// bare appends rectangles without tips or labels to Fills.
func (g *page) bare(list []int32, rects []Rect, colour []uint8) {
	fills := make([]Fill, Colours)
	for _, k := range list {
		c := colour[g.pieces[k].buffer]
		fills[c].Colour = int(c)
		fills[c].Rects = append(fills[c].Rects, rects[k])
	}
	for _, f := range fills {
		if len(f.Rects) > 0 {
			g.Fills = append(g.Fills, f)
		}
	}
}

// single makes a shape of each buffer with a piece in the list.
func (g *page) single(list []int32, rects []Rect, colour []uint8, broken []bool) (shapeOf []int32) {
	shapeOf = make([]int32, len(g.problem.Buffers))
	for i := range shapeOf {
		shapeOf[i] = -1
	}
	for _, k := range list {
		c := g.pieces[k]
		i := int(c.buffer)
		if shapeOf[i] < 0 {
			shapeOf[i] = int32(len(g.Shapes))
			g.Shapes = append(g.Shapes, Shape{
				Colour: int(colour[i]), Fixed: g.problem.Buffers[i].Fixed != nil, Broken: broken[i],
			})
		}
		s := &g.Shapes[shapeOf[i]]
		r := rects[k]
		stroke := FullStroke
		if side := min(r.width(), r.height()); side < plainBelow {
			stroke = NoStroke
		} else if side < thinBelow {
			stroke = ThinStroke
		}
		s.Stroke = max(s.Stroke, stroke)
		if c.windowed {
			s.Parts = append(s.Parts, r.shown(g.Plot, g.leastY))
		} else {
			s.Rects = append(s.Rects, r.shown(g.Plot, g.leastY))
		}
	}
	return shapeOf
}

// merge adds the pieces up in a grid and appends the runs of its cells to Fills. Cells grow until the runs are few
// enough. It returns how many pieces lie in cells with too little in them to be drawn.
func (g *page) merge(list []int32, rects []Rect, colour []uint8) (lost int) {
	if len(list) == 0 {
		return 0
	}
	cell := 1.0
	for g.Plot.width()*g.Plot.height()/(cell*cell) > maxCells {
		cell *= 2
	}
	m := newGrid(g.Plot, cell)
	for _, k := range list {
		m.add(rects[k], colour[g.pieces[k].buffer])
	}
	fills, runs := m.fills()
	for ; runs > g.medium.Runs && m.nx*m.ny > 1; fills, runs = m.fills() {
		m = m.coarser()
	}
	g.Fills = append(g.Fills, fills...)
	for _, k := range list {
		if m.kind(m.at((rects[k].X0+rects[k].X1)/2, (rects[k].Y0+rects[k].Y1)/2)) < 0 {
			lost++
		}
	}
	return lost
}

// A grid adds up how much of each cell is in use, and by what colour most.
type grid struct {
	plot   Rect
	cell   float64
	nx, ny int
	share  []float32 // of the cell's area that is in use
	most   []float32 // largest share of a single piece
	colour []uint8   // of that piece
}

func newGrid(plot Rect, cell float64) *grid {
	m := &grid{plot: plot, cell: cell}
	m.nx = max(1, int(math.Ceil(plot.width()/cell)))
	m.ny = max(1, int(math.Ceil(plot.height()/cell)))
	m.share = make([]float32, m.nx*m.ny)
	m.most = make([]float32, m.nx*m.ny)
	m.colour = make([]uint8, m.nx*m.ny)
	return m
}

// coarser returns the grid with four cells made one.
func (m *grid) coarser() *grid {
	c := newGrid(m.plot, 2*m.cell)
	for j := range m.ny {
		for i := range m.nx {
			from, to := j*m.nx+i, j/2*c.nx+i/2
			c.share[to] += m.share[from] / 4
			if m.most[from] > c.most[to] {
				c.most[to], c.colour[to] = m.most[from], m.colour[from]
			}
		}
	}
	return c
}

// add spreads a rectangle over the cells that it touches.
func (m *grid) add(r Rect, colour uint8) {
	x0, x1 := (r.X0-m.plot.X0)/m.cell, (r.X1-m.plot.X0)/m.cell
	y0, y1 := (r.Y0-m.plot.Y0)/m.cell, (r.Y1-m.plot.Y0)/m.cell
	// A side that rounding makes 0 is drawn as a hundredth.
	x1, y1 = max(x1, x0+0.01), max(y1, y0+0.01)
	for j := max(int(y0), 0); j < m.ny && float64(j) < y1; j++ {
		tall := min(y1, float64(j+1)) - max(y0, float64(j))
		for i := max(int(x0), 0); i < m.nx && float64(i) < x1; i++ {
			wide := min(x1, float64(i+1)) - max(x0, float64(i))
			part := float32(tall * wide)
			at := j*m.nx + i
			m.share[at] += part
			if part > m.most[at] {
				m.most[at], m.colour[at] = part, colour
			}
		}
	}
}

// at returns the cell of a point.
func (m *grid) at(x, y float64) int {
	i := min(max(int((x-m.plot.X0)/m.cell), 0), m.nx-1)
	j := min(max(int((y-m.plot.Y0)/m.cell), 0), m.ny-1)
	return j*m.nx + i
}

// kind returns how a cell is drawn: the colour of its largest piece, faint from Colours on, or -1 for nothing.
func (m *grid) kind(at int) int {
	switch {
	case m.share[at] >= fullCell:
		return int(m.colour[at])
	case m.share[at] >= emptyCell:
		return Colours + int(m.colour[at])
	}
	return -1
}

// fills returns the runs of equal cells, row by row, grouped by colour.
func (m *grid) fills() (out []Fill, runs int) {
	byKind := make([]Fill, 2*Colours) // full ones, then faint ones
	for j := range m.ny {
		for i := 0; i < m.nx; {
			at, k := i, m.kind(j*m.nx+i)
			for i < m.nx && m.kind(j*m.nx+i) == k {
				i++
			}
			if k < 0 {
				continue
			}
			byKind[k].Rects = append(byKind[k].Rects, Rect{
				X0: round(m.plot.X0 + float64(float64(at)*m.cell)),
				Y0: round(m.plot.Y0 + float64(float64(j)*m.cell)),
				X1: min(round(m.plot.X0+float64(float64(i)*m.cell)), m.plot.X1),
				Y1: min(round(m.plot.Y0+float64(float64(j+1)*m.cell)), m.plot.Y1),
			})
			runs++
		}
	}
	for k, f := range byKind {
		if len(f.Rects) > 0 {
			f.Colour, f.Faint = k%Colours, k >= Colours
			out = append(out, f)
		}
	}
	return out, runs
}
