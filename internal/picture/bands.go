package picture

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Idea: shares of one whole, such as what fits, what is undecided and what is refuted, lie
// one upon the other over an axis, so that the height of each band is its share and all of
// them reach the top. A curve for each share would leave the reader to add them up.
//
// Invariant: the values of all layers at one place add up to at most what the axis reaches.
// Values that are no numbers, or negative, count as 0.
//
// Complexity: linear in layers × places.
//
// Source: none; stacked areas are older than statistics.
//
// Trials: docs/lab/pictures.md (steps look like plateaus that nobody measured).

// A Layer is one band of Bands.
type Layer struct {
	Name   string
	Values []float64 // one for each place
	Look   int       // its colour
	Pale   bool      // the colour is thinned
	Plain  bool      // in grey: what is not known
}

// Bands is a picture of layers that lie one upon the other.
type Bands struct {
	Title  string
	X, Y   Axis
	At     []float64 // the places, ascending; one that stands twice is a step
	Layers []Layer   // from the bottom
	// Small asks for one small form without a legend, for a grid of pictures:
	// class small-pictures in Style. BandLegend makes the legend of the grid.
	Small  bool
	Height float64 // in pixels; 0 means 340, or 190 if it is small
}

// class returns the CSS classes that give a layer its colour.
func (l *Layer) class() string {
	class := fmt.Sprintf("band p%d", l.Look%len(shapes))
	if l.Pale {
		class += " pale"
	}
	if l.Plain {
		class += " plain"
	}
	return class
}

// BandLegend returns the legend of a grid of small pictures, in HTML: the name and the colour of each layer.
func BandLegend(layers []Layer) string { return legend(bandEntries(layers)) }

func bandEntries(layers []Layer) (entries []entry) {
	for k := range layers {
		entries = append(entries, entry{name: layers[k].Name, band: layers[k].class()})
	}
	return entries
}

// HTML sets the picture.
func (b *Bands) HTML() string {
	if !b.Small {
		return figure(b)
	}
	var p pen
	p.WriteString("<figure>\n<figcaption>" + escape(b.Title) + "</figcaption>\n")
	b.draw(&p, 345, "small-picture")
	p.WriteString("</figure>\n")
	return p.String()
}

func (b *Bands) about() (string, []entry) { return b.Title, bandEntries(b.Layers) }

// value is that of a layer at a place, 0 if it has none.
func (l *Layer) value(k int) float64 {
	if k >= len(l.Values) || !(l.Values[k] >= 0) || math.IsInf(l.Values[k], 0) {
		return 0
	}
	return l.Values[k]
}

func (b *Bands) draw(p *pen, width float64, class string) {
	height := b.Height
	switch {
	case height > 0:
	case b.Small:
		height = 190
	default:
		height = 340
	}
	g := newPlot(p, b.Title, &b.X, &b.Y, b.At, append(b.sums(), 0), width, height, 0, class)
	b.layers(p, g)
	p.WriteString("</svg>\n")
}

// sums are what the layers reach together at each place.
func (b *Bands) sums() []float64 {
	sums := make([]float64, len(b.At))
	for i := range b.Layers {
		for k := range sums {
			sums[k] += b.Layers[i].value(k)
		}
	}
	return sums
}

func (b *Bands) layers(p *pen, g *plot) {
	floor := make([]float64, len(b.At))
	for i := range b.Layers {
		b.layer(p, g, &b.Layers[i], floor)
	}
}

// layer draws a layer upon the floor, and raises the floor by it.
func (b *Bands) layer(p *pen, g *plot, l *Layer, floor []float64) {
	var above, below []string // corners, from the left
	var tips []string
	seen := 0.0
	for k, at := range b.At {
		v := l.value(k)
		lower, _ := g.y.at(floor[k])
		upper, _ := g.y.at(floor[k] + v)
		floor[k] += v
		x, ok := g.x.at(at)
		if !ok {
			continue
		}
		xs := []float64{x}
		if len(b.At) == 1 { // one place is the whole picture
			xs = []float64{g.left, g.right}
		}
		for _, x := range xs {
			above = append(above, number(x)+","+number(upper))
			below = append(below, number(x)+","+number(lower))
		}
		seen += v
		if last := k+1 == len(b.At) || b.At[k+1] != at; v > 0 && last && len(b.At) <= 24 {
			tips = append(tips, b.X.text(at)+": "+b.Y.text(v))
		}
	}
	if seen == 0 {
		return
	}
	slices.Reverse(below)
	tip := l.Name
	if len(tips) > 0 {
		tip += ". " + strings.Join(tips, ", ")
	}
	fmt.Fprintf(p, `<path class="%s" d="M%sZ"><title>%s</title></path>`+"\n", l.class(),
		strings.Join(append(above, below...), "L"), escape(tip))
}
