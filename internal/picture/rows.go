package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Row is a thing with a value for each series; NaN if there is none.
type Row struct {
	Name   string
	Values []float64
	Over   []bool   // values that are only known to be more, as at a limit; nil is none
	Hollow []bool   // values with a hollow mark; nil is none
	Tips   []string // what is said of each value; nil is its name and the value
	Mean   float64  // a bar across the row; 0 is none
	Note   string   // at the right end
}

// Rows is a picture with a row for each thing: a mark for each series, or a bar if there is one series.
type Rows struct {
	Title  string
	X      Axis
	Series []string
	Hollow []bool // series that are the paper's own figures; nil is none
	As     []int  // as in Series; nil is none
	Rows   []Row
	Bars   bool
	Flat   bool // marks lie on the line of their row, even if they hide each other
}

// nth returns element k of a list, or the zero value if the list is shorter.
func nth[T any](list []T, k int) (v T) {
	if k < len(list) {
		v = list[k]
	}
	return v
}

func (r *Rows) look(k int) int {
	if as := nth(r.As, k); as > 0 {
		return as - 1
	}
	return k
}

// HTML sets the picture.
func (r *Rows) HTML() string { return figure(r) }

func (r *Rows) about() (title string, entries []entry) {
	for k, s := range r.Series {
		entries = append(entries, entry{name: s, series: r.look(k), hollow: nth(r.Hollow, k), bar: r.Bars})
	}
	if len(entries) == 1 && r.Bars {
		entries = nil
	}
	return r.Title, entries
}

func (r *Rows) draw(p *pen, width float64, class string) {
	const top = 36.0
	values, letters := r.values()
	// Names have a third of the width at most, or a line of their own where that would cut them.
	above := false
	most := int(width * 0.34 / letterWidth)
	if letters > most {
		if width < 500 {
			above = true
		} else {
			letters = min(letters, 46)
		}
	}
	left, step := 12+letterWidth*float64(letters), 24.0
	if above {
		left, step = 12, 40
	}
	right := width - 26
	noted := slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Note != "" })
	if r.Bars || noted {
		right = width - 62
	}
	x := newScale(&r.X, values, left, right, 62)
	// Marks that would hide each other lie one below the other, and rows have room for that.
	step += high * float64(max(r.crowd(x), 2)-2)
	bottom := top + step*float64(len(r.Rows))
	p.open(width, bottom+14, class, r.Title)
	p.text(4, 13, "start", "faint", r.X.Title)
	for k, t := range x.ticks {
		at, _ := x.at(t)
		p.line("grid", at, top-4, at, bottom)
		anchor := "middle"
		switch {
		case k == 0 && above:
			anchor, at = "start", left-8
		case k == len(x.ticks)-1 && !r.Bars && !noted:
			anchor, at = "end", width-2
		}
		p.text(at, top-8, anchor, "", r.X.text(t))
	}
	for k, row := range r.Rows {
		y := top + (float64(k)+0.5)*step
		if above {
			p.text(left, top+float64(k)*step+12, "start", "", shortened(row.Name, int((width-16)/letterWidth)))
			y += 8
		} else {
			p.text(left-8, y+4, "end", "", shortened(row.Name, letters))
		}
		p.line("grid", left, y, right, y)
		r.row(p, &row, x, y, width)
		if mean, ok := x.at(row.Mean); ok && row.Mean > 0 {
			p.line("mean", mean, y-7, mean, y+7)
		}
		if row.Note != "" {
			p.text(right+10, y+4, "start", "faint", row.Note)
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
	if r.Bars && !r.X.Log {
		values = append(values, 0)
	}
	return values, letters
}

// row draws the values of a row.
func (r *Rows) row(p *pen, row *Row, x *scale, y, width float64) {
	for s, v := range row.Values {
		px, ok := x.at(v)
		if !ok {
			continue
		}
		over := nth(row.Over, s)
		text := r.X.text(v)
		if over {
			text = "> " + text
		}
		tip := cmp.Or(nth(row.Tips, s), fmt.Sprintf("%s, %s: %s", row.Name, r.Series[s], text))
		if r.Bars {
			r.bar(p, s, len(row.Values), x, px, y, text)
			continue
		}
		off := r.lane(row, x, s)
		p.dot(r.look(s), nth(r.Hollow, s) || nth(row.Hollow, s), px, y+off, tip)
		if over {
			p.text(min(px+6, width-8), y+4, "start", "", "›")
		}
	}
}

// high is the distance in pixels at which two marks no longer hide each other.
const high = 9.0

// group returns the place of the s-th value among the row's values at the same position, and their number. Values
// belong together if a chain of near ones joins them.
func (r *Rows) group(row *Row, x *scale, s int) (place, of int) {
	type mark struct {
		series int
		at     float64
	}
	var marks []mark
	for k, v := range row.Values {
		if at, ok := x.at(v); ok {
			marks = append(marks, mark{k, at})
		}
	}
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.series, b.series)) })
	for from := 0; from < len(marks); {
		to := from + 1
		for to < len(marks) && marks[to].at-marks[to-1].at < high {
			to++
		}
		together := marks[from:to]
		slices.SortFunc(together, func(a, b mark) int { return cmp.Compare(a.series, b.series) })
		if k := slices.IndexFunc(together, func(m mark) bool { return m.series == s }); k >= 0 {
			return k, len(together)
		}
		from = to
	}
	return 0, 1
}

// lane is how far below the middle of its row the s-th mark lies.
func (r *Rows) lane(row *Row, x *scale, s int) float64 {
	if r.Flat {
		return 0
	}
	place, of := r.group(row, x, s)
	return high * (float64(place) - float64(of-1)/2)
}

// crowd is the most marks that lie together in a row.
func (r *Rows) crowd(x *scale) (most int) {
	if r.Bars || r.Flat {
		return 0
	}
	for k := range r.Rows {
		for s := range r.Rows[k].Values {
			_, of := r.group(&r.Rows[k], x, s)
			most = max(most, of)
		}
	}
	return most
}

// bar draws the s-th of n bars of a row, with its figure.
func (r *Rows) bar(p *pen, s, n int, x *scale, at, y float64, text string) {
	thick := 16.0 / float64(n)
	zero := x.from
	if !r.X.Log {
		zero, _ = x.at(math.Max(0, x.low))
	}
	from, to := math.Min(zero, at), math.Max(zero, at)
	y += (float64(s) - float64(n)/2) * thick
	fmt.Fprintf(p, `<rect class="bar p%d" x="%s" y="%s" width="%s" height="%s"/>`+"\n", r.look(s)%len(shapes),
		number(from), number(y), number(math.Max(to-from, 0.5)), number(thick))
	if n == 1 {
		p.text(to+4, y+thick/2+4, "start", "", text)
	}
}
