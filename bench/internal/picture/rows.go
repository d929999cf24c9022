package picture

import (
	"fmt"
	"math"
)

// A Row is a thing with a value for each series; NaN where there is none.
type Row struct {
	Name   string
	Values []float64
	Over   []bool // values that are only known to be more, as at a limit; nil is none
}

// Rows is a picture with a row for each thing: a mark for each series, or a bar
// where there is one series.
type Rows struct {
	Title  string
	X      Axis
	Series []string
	Hollow []bool // series that are the paper's own figures; nil is none
	As     []int  // as in Series; nil is none
	Rows   []Row
	Bars   bool
	Marks  []Mark // at values of x
}

func (r *Rows) hollow(k int) bool { return k < len(r.Hollow) && r.Hollow[k] }

func (r *Rows) look(k int) int {
	if k < len(r.As) && r.As[k] > 0 {
		return r.As[k] - 1
	}
	return k
}

// HTML sets the picture.
func (r *Rows) HTML() string {
	var entries []entry
	for k, s := range r.Series {
		entries = append(entries, entry{name: s, series: r.look(k), hollow: r.hollow(k), bar: r.Bars})
	}
	if len(entries) == 1 && r.Bars {
		entries = nil
	}
	return figure(r.Title, entries, r.draw)
}

func (r *Rows) draw(p *pen, width float64, class string) {
	const pitch, top = 24.0, 36.0
	values, letters := r.values()
	// Names have a third of the width at most, or a line of their own where that
	// would cut them.
	above := false
	most := int(width * 0.34 / 6.6)
	if letters > most {
		if width < 500 {
			above = true
		} else {
			letters = min(letters, 46)
		}
	}
	left, step := 12+6.6*float64(letters), pitch
	if above {
		left, step = 12, pitch+16
	}
	right := width - 26
	if r.Bars {
		right = width - 62
	}
	bottom := top + step*float64(len(r.Rows))
	x := newScale(&r.X, values, left, right, 62)
	p.open(width, bottom+14, class, r.Title)
	p.text(4, 13, "start", "faint", r.X.Title)
	for k, t := range x.ticks {
		at, _ := x.at(t)
		p.line("grid", at, top-4, at, bottom)
		anchor := "middle"
		switch {
		case k == 0 && above:
			anchor, at = "start", left-8
		case k == len(x.ticks)-1 && !r.Bars:
			anchor, at = "end", width-2
		}
		p.text(at, top-8, anchor, "", r.X.text(t))
	}
	for k, row := range r.Rows {
		y := top + (float64(k)+0.5)*step
		if above {
			p.text(left, y-8, "start", "", shortened(row.Name, int((width-16)/6.6)))
			y += 8
		} else {
			p.text(left-8, y+4, "end", "", shortened(row.Name, letters))
		}
		p.line("grid", left, y, right, y)
		r.row(p, &row, x, y, width)
	}
	for _, m := range r.Marks {
		if at, ok := x.at(m.At); ok {
			p.line("mark", at, top-4, at, bottom)
			half := 3.3 * float64(len(m.Name))
			p.text(math.Max(half+2, math.Min(at, width-half-2)), bottom+11, "middle", "", m.Name)
		}
	}
	p.WriteString("</svg>\n")
}

// values returns all that the axis has to reach, and how long the longest name is.
func (r *Rows) values() (values []float64, letters int) {
	letters = 4
	for _, row := range r.Rows {
		values = append(values, row.Values...)
		letters = max(letters, len([]rune(row.Name)))
	}
	for _, m := range r.Marks {
		values = append(values, m.At)
	}
	if r.Bars && !r.X.Log {
		values = append(values, 0)
	}
	return values, letters
}

// row draws the values of a row.
func (r *Rows) row(p *pen, row *Row, x *scale, y, width float64) {
	for s, v := range row.Values {
		at, ok := x.at(v)
		if !ok {
			continue
		}
		over := s < len(row.Over) && row.Over[s]
		text := r.X.text(v)
		if over {
			text = "> " + text
		}
		if r.Bars {
			r.bar(p, s, len(row.Values), x, at, y, text)
			continue
		}
		// A little apart, so that marks of one value are seen.
		off := (float64(s) - float64(len(row.Values)-1)/2) * math.Min(2, 9/float64(len(row.Values)))
		p.dot(r.look(s), r.hollow(s), at, y+off, fmt.Sprintf("%s, %s: %s", row.Name, r.Series[s], text))
		if over {
			p.text(min(at+6, width-8), y+4, "start", "", "›")
		}
	}
}

// bar draws the s-th of n bars of a row, with its figure.
func (r *Rows) bar(p *pen, s, n int, x *scale, at, y float64, text string) {
	high := 16.0 / float64(n)
	zero := x.from
	if !r.X.Log {
		zero, _ = x.at(math.Max(0, x.low))
	}
	from, to := math.Min(zero, at), math.Max(zero, at)
	y += (float64(s) - float64(n)/2) * high
	fmt.Fprintf(p, `<rect class="bar p%d" x="%s" y="%s" width="%s" height="%s"/>`+"\n", r.look(s)%len(shapes), number(from), number(y), number(math.Max(to-from, 0.5)), number(high))
	if n == 1 {
		p.text(to+4, y+high/2+4, "start", "", text)
	}
}
