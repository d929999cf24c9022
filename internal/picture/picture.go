// Package picture draws the pictures of reports and comparisons: curves and points over
// two axes (lines.go), shares that add up over an axis (bands.go), and a row of marks or a bar
// for each of a list of things (rows.go). A picture is a part of a page in HTML, or a file in SVG (page.go).
//
// Idea: text that scales with a picture cannot be read on a telephone. So each picture is drawn twice, for a narrow and
// for a wide page, with letters of the same size, and a media query of Style shows one. Colours are variables that the
// dark theme sets anew, and a series has a shape besides its colour, for those who cannot tell colours apart and for
// print. What a picture shows stands in a table beside it too; the picture itself is one image to a screen reader, with
// a name.
//
// Invariant: the same input gives the same bytes, everything that is drawn lies within the picture, and no coordinate
// is NaN or infinite: points that are, and those without a logarithm on a logarithmic axis, are left out.
package picture

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/shown"
)

// seriesColours are those of the series in the light theme.
const seriesColours = "--s0: #0b62a8; --s1: #c2410c; --s2: #15803d; --s3: #9d174d; --s4: #6d4aad; --s5: #8a6100; --s6: #0f766e; --s7: #5b6470"

// inks are the colours of a page in the light theme.
const inks = "--ink: #171c23; --faint: #566070; --line: #d9dee6; --back: #fff; --head: #f3f5f8; --bad: #b42318; "

// style is that of a page: the system's theme, tables that scroll within their box, pictures.
const style = `
:root { color-scheme: light dark; ` + inks + seriesColours + ` }
@media (prefers-color-scheme: dark) { :root {
--ink: #e8ecf2; --faint: #a3adbb; --line: #323a46; --back: #171b22; --head: #1f2530; --bad: #ff8f85;
--s0: #66b2f5; --s1: #fb9a5b; --s2: #5fd38a; --s3: #f589b6; --s4: #b9a1f5; --s5: #e3b94a; --s6: #55cfc2; --s7: #aab4c2; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 90rem; padding: 1rem; background: var(--back); color: var(--ink); }
body { font: 15px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; border-bottom: 2px solid var(--line); }
.wide { overflow: auto; max-height: 34rem; border: 1px solid var(--line); border-radius: 10px; margin: .5rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; text-align: left; white-space: nowrap; overflow-wrap: normal; }
th { background: var(--head); font-weight: 600; position: sticky; top: 0; }
tr + tr td { border-top: 1px solid var(--line); }
.number { text-align: right; }
td:first-child { font-weight: 600; }
@media print { .wide { max-height: none; } figure { break-inside: avoid; } }
figure { margin: 1rem 0; padding: .8rem; border: 1px solid var(--line); border-radius: 10px; }
figcaption { font-weight: 600; margin-bottom: .4rem; }
figure svg, figure img { display: block; width: 100%; height: auto; margin: 0 auto; }
figure .wide-picture { max-width: 840px; }
figure .narrow-picture { display: none; max-width: 520px; }
@media (max-width: 740px) { figure { padding: .4rem; } figure .wide-picture { display: none; } figure .narrow-picture { display: block; } }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1rem; list-style: none; margin: .2rem 0 .4rem; padding: 0; font-size: .85rem; }
.legend svg { display: inline-block; width: 26px; height: 14px; vertical-align: -2px; margin-right: .3rem; }
.small-pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20.5rem), 1fr)); gap: .8rem; margin: 1rem 0; }
.small-pictures figure { margin: 0; padding: .4rem; min-width: 0; }
figure .small-picture { max-width: 420px; }
` + marks

// marks are the styles of what is drawn.
const marks = `svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
svg text.faint { fill: var(--faint); }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .axis { stroke: var(--faint); stroke-width: 1; }
svg .mark { stroke: var(--ink); stroke-width: 1.3; stroke-dasharray: 5 4; }
.p0 { color: var(--s0); } .p1 { color: var(--s1); } .p2 { color: var(--s2); } .p3 { color: var(--s3); }
.p4 { color: var(--s4); } .p5 { color: var(--s5); } .p6 { color: var(--s6); } .p7 { color: var(--s7); }
.curve { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
.dashed { stroke-dasharray: 6 4; }
.dot { fill: currentColor; stroke: var(--back); stroke-width: .8; }
.faint-curve { stroke: var(--faint); stroke-width: 1.1; opacity: .55; }
.hollow { fill: var(--back); stroke: currentColor; stroke-width: 2; }
.bar { fill: currentColor; }
.band { fill: currentColor; stroke: var(--back); stroke-width: .6; }
.band.pale { opacity: .35; }
.band.plain { color: var(--faint); opacity: .35; }
.small { font-size: 11px; }
.title { font-weight: bold; font-size: 16px; }
.named { fill: currentColor; }
.mean { stroke: var(--ink); stroke-width: 2.2; }
.leader { stroke: var(--faint); stroke-width: .6; opacity: .6; }
`

// Head begins a page in HTML, up to its body, with a title and more of a style.
func Head(title, more string) string {
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>` + escape(title) + "</title>\n<style>" + style + more + "</style>\n</head>\n<body>\n"
}

// An Axis is one of a picture.
type Axis struct {
	Title string
	Log   bool
	// Text writes a value; nil is a plain number.
	Text func(float64) string
	// Least and Most widen the axis if they are not both 0.
	Least, Most float64
	Tight       bool // the axis ends with the values, not at round ones
	Double      bool // ticks of a logarithmic axis are at powers of two: for bytes
	// Zero gives 0 a place of its own on a logarithmic axis, left of 1: for counts.
	Zero bool
}

// text writes a value of the axis.
func (a *Axis) text(v float64) string {
	if a.Text != nil {
		return a.Text(v)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// Seconds writes a time that is given in seconds, with its unit.
func Seconds(v float64) string {
	for _, u := range []struct {
		from, unit float64
		name       string
	}{{35999, 3600, "h"}, {0.9995, 1, "s"}, {0.9995e-3, 1e-3, "ms"}} {
		if v >= u.from {
			return plain(v/u.unit) + " " + u.name
		}
	}
	return plain(v*1e6) + " µs"
}

// Percent writes a share from 0 to 1.
func Percent(v float64) string { return strconv.FormatFloat(100*v, 'g', 3, 64) + "%" }

// Times writes a ratio.
func Times(v float64) string {
	if v >= 1e4 {
		return plain(v/1e3) + "k×"
	}
	return strconv.FormatFloat(v, 'g', 4, 64) + "×"
}

// plain writes a number with three digits at least, and no exponent.
func plain(v float64) string {
	if v >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// A scale maps the values of an axis to coordinates.
type scale struct {
	axis      *Axis
	low, high float64 // of the axis, after the logarithm if there is one
	from, to  float64 // coordinates of low and high
	ticks     []float64
}

// newScale returns the scale for values between two coordinates, with ticks at most as dense as one for so many pixels.
func newScale(a *Axis, values []float64, from, to, pixels float64) *scale {
	s := &scale{axis: a, from: from, to: to, low: math.Inf(1), high: math.Inf(-1)}
	if a.Least != 0 || a.Most != 0 {
		values = append(append([]float64(nil), values...), a.Least, a.Most)
	}
	for _, v := range values {
		if x, ok := s.value(v); ok {
			s.low, s.high = min(s.low, x), max(s.high, x)
		}
	}
	if s.low > s.high {
		s.low, s.high = 0, 1
	}
	if s.high-s.low < 1e-9*max(1, math.Abs(s.high)) {
		s.low, s.high = s.low-0.5, s.high+0.5
	}
	room := max(2, math.Abs(to-from)/pixels)
	if a.Log {
		s.decades(room)
	} else {
		s.round(room)
	}
	return s
}

// zeroAt is where 0 lies on a logarithmic axis that has a place for it.
const zeroAt = -1

// decades sets ticks at powers of ten, and at 2 and 5 times those if they are few. An
// axis with a place for 0 has a tick there and none between 0 and 1.
func (s *scale) decades(room float64) {
	if s.axis.Double {
		s.doubles(room)
		return
	}
	step := math.Max(1, math.Ceil((s.high-s.low)/room))
	if s.high-s.low > 1.5 && !s.axis.Tight {
		s.low, s.high = math.Floor(s.low+1e-9), math.Ceil(s.high-1e-9)
	}
	factors := []float64{1}
	if s.high-s.low < 2.5 && room >= 5 {
		factors = []float64{1, 2, 5}
	}
	if s.high-s.low < 0.8 {
		factors = []float64{1, 1.2, 1.5, 2, 3, 5, 7}
	}
	for e := math.Floor(s.low); e <= s.high+1e-9; e += step {
		for _, f := range factors {
			if x := e + math.Log10(f); x >= s.low-1e-9 && x <= s.high+1e-9 && (!s.axis.Zero || x > -1e-9) {
				s.ticks = append(s.ticks, math.Pow(10, x))
			}
		}
	}
	if s.axis.Zero && s.low <= zeroAt {
		s.ticks = append([]float64{0}, s.ticks...)
	}
	if len(s.ticks) < 2 { // none of those lies here: what a plain axis has
		low, high := math.Pow(10, s.low), math.Pow(10, s.high)
		plain := scale{axis: &Axis{Tight: true}, low: low, high: high}
		plain.round(min(room, 5))
		s.ticks = plain.ticks
	}
}

// doubles sets ticks at powers of two, or at parts between them if those are few. It thins out what has no room.
func (s *scale) doubles(room float64) {
	for parts := 1.0; parts <= 64 && len(s.ticks) < 3; parts *= 2 {
		s.ticks = s.ticks[:0]
		for e := math.Floor(s.low / math.Log10(2)); e <= s.high/math.Log10(2)+1e-9; e++ {
			for k := range int(parts) {
				v := math.Exp2(e) * (1 + float64(k)/parts)
				if x := math.Log10(v); x >= s.low-1e-9 && x <= s.high+1e-9 && v == math.Trunc(v) {
					s.ticks = append(s.ticks, v)
				}
			}
		}
	}
	every, all := max(1, int(math.Ceil(float64(len(s.ticks))/room))), s.ticks
	s.ticks = nil
	for k := 0; k < len(all); k += every {
		s.ticks = append(s.ticks, all[k])
	}
}

// round sets ticks at multiples of a round step, and the ends to ticks.
func (s *scale) round(room float64) {
	span := s.high - s.low
	step := math.Pow(10, math.Floor(math.Log10(span/room)))
	for _, f := range []float64{1, 2, 5, 10} {
		if span/(step*f) <= room {
			step *= f
			break
		}
	}
	low, high := math.Floor(s.low/step+1e-6)*step, math.Ceil(s.high/step-1e-6)*step
	if !s.axis.Tight {
		s.low, s.high = low, high
	}
	for k := 0.0; low+k*step <= high+step/2; k++ {
		v := low + k*step
		if v < s.low-step/1e6 || v > s.high+step/1e6 {
			continue
		}
		if math.Abs(v) < step/1e6 {
			v = 0
		}
		s.ticks = append(s.ticks, v)
	}
}

// value is a value as the scale has it; ok is false if it has no place.
func (s *scale) value(v float64) (x float64, ok bool) {
	if s.axis.Log {
		if v == 0 && s.axis.Zero {
			return zeroAt, true
		}
		if !(v > 0) {
			return 0, false
		}
		v = math.Log10(v)
	}
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}

// at is the coordinate of a value.
func (s *scale) at(v float64) (float64, bool) {
	x, ok := s.value(v)
	return s.from + (x-s.low)/(s.high-s.low)*(s.to-s.from), ok
}

// A pen writes SVG.
type pen struct {
	strings.Builder
	nested bool    // pictures lie in a file, one below the other
	below  float64 // where the next of them begins
}

func (p *pen) open(width, height float64, class, title string) {
	if p.nested {
		fmt.Fprintf(p, `<svg y="%s" width="%s" height="%s">`+"\n", number(p.below), number(width), number(height))
		p.below += height
		return
	}
	fmt.Fprintf(p, `<svg class="%s" viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n", class, number(width),
		number(height), escape(title))
}

func (p *pen) line(class string, x0, y0, x1, y1 float64) {
	fmt.Fprintf(p, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`+"\n", class, number(x0), number(y0), number(x1),
		number(y1))
}

func (p *pen) text(x, y float64, anchor, class, text string) {
	fmt.Fprintf(p, `<text x="%s" y="%s" text-anchor="%s"`, number(x), number(y), anchor)
	if class != "" {
		fmt.Fprintf(p, ` class="%s"`, class)
	}
	fmt.Fprintf(p, ">%s</text>\n", escape(text))
}

// shapes are outlines around the origin, one for each series in turn.
var shapes = [...]string{
	"M-4,0a4,4 0 1 0 8,0a4,4 0 1 0 -8,0z", "M-3.6,-3.6h7.2v7.2h-7.2z", "M0,-5L5,0L0,5L-5,0z", "M0,-4.6L4.6,3.6H-4.6z",
	"M0,4.6L4.6,-3.6H-4.6z", "M-5,-1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z",
	"M-5,0L-1.5,-4.5H1.5L5,0L1.5,4.5H-1.5z", "M-5,-2h10v4h-10z",
}

// dot marks a value of a series; what the pointer sees is the tip.
func (p *pen) dot(series int, hollow bool, x, y float64, tip string) {
	class := "dot"
	if hollow {
		class = "hollow"
	}
	fmt.Fprintf(p, `<path class="%s p%d" transform="translate(%s %s)" d="%s"`, class, series%len(shapes), number(x),
		number(y), shapes[series%len(shapes)])
	if tip == "" {
		p.WriteString("/>\n")
		return
	}
	fmt.Fprintf(p, "><title>%s</title></path>\n", escape(tip))
}

// escape writes a text that comes from outside.
func escape(s string) string { return html.EscapeString(shown.Text(s)) }

// letterWidth is a guess at the width of a letter, on the wide side.
const letterWidth = 6.6

// number writes a coordinate to a tenth.
func number(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// shortened cuts a text to so many letters.
func shortened(s string, letters int) string {
	if r := []rune(s); len(r) > letters {
		return string(r[:letters-1]) + "…"
	}
	return s
}

// An entry is a line of a legend.
type entry struct {
	name   string
	series int
	hollow bool
	curve  bool
	bar    bool
	faint  bool   // a curve in grey, one of many
	band   string // the class of a band; empty for none
	blank  bool   // nothing beside the name
}

// legend names the series.
func legend(entries []entry) string {
	var p pen
	p.WriteString(`<ul class="legend">`)
	for _, e := range few(entries) {
		p.WriteString(`<li><svg viewBox="0 0 26 14" aria-hidden="true">`)
		p.glyph(&e)
		p.WriteString("</svg>" + escape(e.name) + "</li>")
	}
	p.WriteString("</ul>\n")
	return p.String()
}

// glyph draws what an entry names.
func (p *pen) glyph(e *entry) {
	class := "curve p" + strconv.Itoa(e.series%len(shapes))
	if e.hollow {
		class += " dashed"
	}
	if e.curve && !e.faint {
		p.line(class, 1, 7, 25, 7)
	}
	switch {
	case e.blank:
	case e.faint:
		p.line("curve faint-curve", 1, 7, 25, 7)
	case e.band != "":
		fmt.Fprintf(p, `<rect class="%s" x="3" y="2" width="20" height="10"/>`, e.band)
	case e.bar:
		fmt.Fprintf(p, `<rect class="bar p%d" x="3" y="2" width="20" height="10"/>`, e.series%len(shapes))
	default:
		p.dot(e.series, e.hollow, 13, 7, "")
	}
}

// figure sets a picture for a wide and for a narrow page.
func figure(f Figure) string {
	var p pen
	title, entries := f.about()
	p.WriteString("<figure>\n<figcaption>" + escape(title) + "</figcaption>\n")
	if len(entries) > 0 {
		p.WriteString(legend(entries))
	}
	f.draw(&p, 720, "wide-picture")
	f.draw(&p, 345, "narrow-picture")
	p.WriteString("</figure>\n")
	return p.String()
}
