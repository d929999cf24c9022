package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Series is a curve, or points.
type Series struct {
	Name   string
	Points [][2]float64
	Line   bool     // joins the points
	Step   bool     // by stairs: a value holds until the next
	Bare   bool     // without a mark at each point
	Hollow bool     // the paper's own figures: hollow marks, dashed curves
	Faint  bool     // one of too many to tell apart: a thin grey curve without marks, beneath the others
	As     int      // 1 + the series whose colour and shape it has; 0 is its own
	Tips   []string // what is said of each point; nil is its values
}

// Lines is a picture of curves and points over two axes.
type Lines struct {
	Title    string
	X, Y     Axis
	Series   []Series
	Diagonal bool // where both axes say the same
	Height   float64
	Named    bool   // names stand where curves end, for too many to tell apart by a legend
	Under    *Bands // layers over the same axes, beneath the curves; nil is none
}

// look returns the index of the colour and shape of the k-th series: k, unless the series shares those of another.
func (l *Lines) look(k int) int {
	if as := l.Series[k].As; as > 0 {
		return as - 1
	}
	return k
}

// HTML sets the picture.
func (l *Lines) HTML() string { return figure(l) }

func (l *Lines) about() (title string, entries []entry) {
	if l.Named {
		return l.Title, nil
	}
	if l.Under != nil {
		entries = bandEntries(l.Under.Layers)
	}
	faint := 0
	for k, s := range l.Series {
		if s.Faint {
			faint++
			continue
		}
		entries = append(entries, entry{name: s.Name, series: l.look(k), hollow: s.Hollow, curve: s.Line || s.Step})
	}
	if faint > 0 {
		entries = append(entries, entry{name: fmt.Sprintf("%d more", faint), faint: true})
	}
	return l.Title, entries
}

// A plot is what a picture has between its axes.
type plot struct {
	x, y                     *scale
	left, right, top, bottom float64
}

func (l *Lines) draw(p *pen, width float64, class string) {
	height := l.Height
	if height == 0 {
		height = 340
	}
	g := l.axes(p, width, height, class)
	if l.Under != nil {
		l.Under.layers(p, g)
	}
	if l.Diagonal {
		a, b := max(g.x.low, g.y.low), min(g.x.high, g.y.high)
		place := func(s *scale, v float64) float64 { return s.from + (v-s.low)/(s.high-s.low)*(s.to-s.from) }
		p.line("mark", place(g.x, a), place(g.y, a), place(g.x, b), place(g.y, b))
	}
	for _, faint := range []bool{true, false} {
		for k, s := range l.Series {
			if s.Faint == faint {
				l.curve(p, l.look(k), l.beneath(k), &s, g.x, g.y)
			}
		}
	}
	for k, s := range l.Series {
		if s.Bare || s.Faint {
			continue
		}
		for i, q := range s.Points {
			if px, py, ok := place(g.x, g.y, q); ok {
				tip := fmt.Sprintf("%s: %s, %s", s.Name, l.X.text(q[0]), l.Y.text(q[1]))
				if i < len(s.Tips) {
					tip = s.Tips[i]
				}
				p.dot(l.look(k), s.Hollow, px, py, tip)
			}
		}
	}
	if l.Named {
		l.names(p, g, width)
	}
	p.WriteString("</svg>\n")
}

// values are all that the axes have to reach.
func (l *Lines) values() (xs, ys []float64) {
	for _, s := range l.Series {
		for _, q := range s.Points {
			xs, ys = append(xs, q[0]), append(ys, q[1])
		}
	}
	if l.Under != nil {
		xs, ys = append(xs, l.Under.At...), append(append(ys, l.Under.sums()...), 0)
	}
	if l.Diagonal {
		xs = append(xs, ys...)
		ys = xs
	}
	return xs, ys
}

// axes opens the picture and draws its axes, with as much room on the left as their figures want.
func (l *Lines) axes(p *pen, width, height float64, class string) *plot {
	xs, ys := l.values()
	margin := 0.0
	if l.Named {
		for _, s := range l.Series {
			margin = max(margin, letterWidth*float64(len([]rune(s.Name))))
		}
	}
	return newPlot(p, l.Title, &l.X, &l.Y, xs, ys, width, height, min(margin, width/3), class)
}

// newPlot opens a picture and draws its axes, which reach all of the values and leave a margin on the right.
func newPlot(p *pen, title string, x, y *Axis, xs, ys []float64, width, height, margin float64, class string) *plot {
	g := &plot{left: 20, right: width - 22 - margin, top: 34, bottom: height - 46}
	if y.Title == "" {
		g.top = 12
	}
	if x.Title == "" {
		g.bottom = height - 26
	}
	g.y = newScale(y, ys, g.bottom, g.top, 34)
	for _, t := range g.y.ticks {
		g.left = max(g.left, 14+letterWidth*float64(len([]rune(y.text(t)))))
	}
	g.x = newScale(x, xs, g.left, g.right, 70)
	p.open(width, height, class, title)
	if y.Title != "" {
		p.text(4, 14, "start", "faint", y.Title)
	}
	for _, t := range g.y.ticks {
		at, _ := g.y.at(t)
		p.line("grid", g.left, at, g.right, at)
		p.text(g.left-6, at+4, "end", "", y.text(t))
	}
	for k, t := range g.x.ticks {
		at, _ := g.x.at(t)
		p.line("grid", at, g.top, at, g.bottom)
		anchor := "middle"
		if k == len(g.x.ticks)-1 && at > width-38 {
			anchor = "end"
			at = width - 2
		}
		p.text(at, g.bottom+18, anchor, "", x.text(t))
	}
	p.line("axis", g.left, g.bottom, g.right, g.bottom)
	p.line("axis", g.left, g.top, g.left, g.bottom)
	if x.Title != "" {
		p.text((g.left+g.right)/2, height-8, "middle", "faint", x.Title)
	}
	return g
}

// place is where a point lies.
func place(x, y *scale, q [2]float64) (px, py float64, ok bool) {
	px, okX := x.at(q[0])
	py, okY := y.at(q[1])
	return px, py, okX && okY
}

// names writes the name of each curve where it ends, with a line from there: apart from each other, down from the top,
// then up from the bottom if that runs out of room.
func (l *Lines) names(p *pen, g *plot, width float64) {
	type end struct {
		series   int
		x, y, at float64
	}
	var ends []end
	for k, s := range l.Series {
		for _, q := range slices.Backward(s.Points) {
			if x, y, ok := place(g.x, g.y, q); ok {
				ends = append(ends, end{k, x, y, 0})
				break
			}
		}
	}
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(a.y, b.y) })
	pitch := min(13, (g.bottom-g.top+20)/float64(max(len(ends), 1)))
	floor := g.top - 10
	for k := range ends {
		ends[k].at = max(ends[k].y, floor)
		floor = ends[k].at + pitch
	}
	ceiling := g.bottom + 10
	for k := range slices.Backward(ends) {
		ends[k].at = min(ends[k].at, ceiling)
		ceiling = ends[k].at - pitch
	}
	x := g.right + 14
	for _, e := range ends {
		p.line("leader", e.x, e.y, x-4, e.at)
		name := shortened(l.Series[e.series].Name, int((width-x)/(letterWidth*0.85)))
		p.text(x, e.at+4, "start", fmt.Sprintf("small named p%d", l.look(e.series)%len(shapes)), name)
	}
}

// beneath is how many later curves run where the k-th does: it is drawn so much wider, so that all of them are seen.
func (l *Lines) beneath(k int) (n int) {
	for _, later := range l.Series[k+1:] {
		if !later.Faint && slices.Equal(later.Points, l.Series[k].Points) {
			n++
		}
	}
	return n
}

// curve joins the points of a series, beneath so many others.
func (l *Lines) curve(p *pen, look, beneath int, s *Series, x, y *scale) {
	if !s.Line && !s.Step {
		return
	}
	var path strings.Builder
	last := 0.0
	for _, q := range s.Points {
		px, py, ok := place(x, y, q)
		switch {
		case !ok:
			continue
		case path.Len() == 0:
			path.WriteString("M" + number(px) + "," + number(py))
		case s.Step:
			path.WriteString("H" + number(px) + "V" + number(py))
		default:
			path.WriteString("L" + number(px) + "," + number(py))
		}
		last = px
	}
	if s.Step && path.Len() > 0 && last < x.to && !s.Hollow {
		path.WriteString("H" + number(last))
	}
	class := fmt.Sprintf("curve p%d", look%len(shapes))
	if s.Hollow {
		class += " dashed"
	}
	if s.Faint {
		class, beneath = "curve faint-curve", 0
	}
	wide := ""
	if beneath > 0 {
		wide = fmt.Sprintf(` style="stroke-width:%d"`, 2+4*beneath)
	}
	fmt.Fprintf(p, `<path class="%s"%s d="%s"><title>%s</title></path>`+"\n", class, wide, path.String(),
		escape(s.Name))
}
