// Package svg draws plans as SVG pictures: time from left to right, offset from bottom to top, and a rectangle for each
// buffer. The capacity, the height and the load are labelled lines.
//
// A picture scales to any size and loads nothing. A tooltip has the numbers of each
// buffer. The same input gives the same bytes.
package svg

import (
	"html"
	"io"

	"github.com/stowage-go/stowage/internal/layout"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
)

// Options say what to draw. Width and Height are in pixels, from 240 to 20000; the default is 1200 x 720. A larger
// picture shows more detail; every picture can be scaled.
type Options = render.Options

// writer bounds a file to some 3 MB: a single rectangle with its tip takes about 200 bytes, a bare or a merged one 30.
var writer = layout.Writer{Draw: draw, Medium: layout.Medium{
	Name:  "svg",
	Width: 1200, Height: 720, MinSide: 240, MaxSide: 20000,
	Font: 12, Smallest: 7, TextScale: 1,
	Singles: 3000, Bare: 45000, Runs: 30000,
}}

// Write draws a plan: offsets are in bytes, in the order of p.Buffers. A plan that breaks a rule is marked as invalid,
// and so are the places at fault. The part of a plan above the capacity is drawn too.
//
// The error is w's, a *model.InputError if the problem is not valid, or says that the number of offsets is wrong or
// that an option is out of range. For a problem without offsets use WriteProfile.
func Write(w io.Writer, p *model.Problem, offsets []int64, o Options) error {
	return writer.Plan(w, p, offsets, o)
}

// WriteProfile draws the load of p over time, for a problem without a plan. Its errors are those of Write.
func WriteProfile(w io.Writer, p *model.Problem, o Options) error { return writer.Profile(w, p, o) }

// canvas gathers the elements of a picture. Classes keep each of them short.
type canvas struct {
	layout.Printer
	css    layout.Printer
	styles layout.Styles
	end    string // of a rectangle
}

func draw(w io.Writer, f *layout.Figure) error {
	c := &canvas{end: "/>\n"}
	c.styles.Define = c.define
	f.Draw(c, 1)
	var head layout.Printer
	head.S(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 `).N(f.Width).S(" ").N(f.Height)
	head.S(`" width="`).N(f.Width).S(`" height="`).N(f.Height).S(`" role="img" aria-label="`, html.EscapeString(f.Description))
	head.S("\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n<style>\n")
	head.S(c.css.String(), "polygon{stroke-linejoin:round}\n</style>\n")
	head.S("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n")
	c.S("</svg>\n")
	_, err := w.Write(append(head.Bytes(), c.Bytes()...))
	return err
}

// define writes the class of an ink.
func (c *canvas) define(name string, i layout.Ink) {
	c.css.S(".", name, "{")
	if i.Fill.A > 0 {
		c.css.S("fill:#", layout.Hex(i.Fill), ";")
	}
	if i.Fill.A > 0 && i.Fill.A < 255 {
		c.css.S("fill-opacity:").N(float64(i.Fill.A) / 255).S(";")
	}
	if i.Bold {
		c.css.S("font-weight:bold;")
	}
	if i.Stroked() {
		c.css.S("stroke:#", layout.Hex(i.Stroke), ";stroke-width:").N(i.Width)
		for k, v := range i.Dashes() {
			c.css.S([...]string{";stroke-dasharray:", " "}[min(k, 1)]).N(v)
		}
	}
	c.css.S("}\n")
}

// Thing has the tip on each of its rectangles.
func (c *canvas) Thing(tip string, draw func()) {
	if tip != "" {
		c.end = "><title>" + html.EscapeString(tip) + "</title></rect>\n"
	}
	draw()
	c.end = "/>\n"
}

func (c *canvas) Rects(rects []layout.Rect, i layout.Ink) {
	if len(rects) == 1 {
		r := rects[0]
		c.S(`<rect x="`).N(r.X0).S(`" y="`).N(r.Y0).S(`" width="`).N(r.X1 - r.X0).S(`" height="`).N(r.Y1 - r.Y0)
		c.S(`" class="`, c.styles.Of(i), `"`, c.end)
		return
	}
	c.S(`<path class="`, c.styles.Of(i), `" d="`)
	for _, r := range rects {
		w := r.X1 - r.X0
		c.S("M").N(r.X0).S(" ").N(r.Y0).S("h").N(w).S("v").N(r.Y1 - r.Y0).S("h").N(-w).S("z")
	}
	c.S("\"/>\n")
}

func (c *canvas) Line(r layout.Rect, i layout.Ink) {
	c.S(`<line x1="`).N(r.X0).S(`" y1="`).N(r.Y0).S(`" x2="`).N(r.X1).S(`" y2="`).N(r.Y1)
	c.S(`" class="`, c.styles.Of(i), "\"/>\n")
}

func (c *canvas) Polygon(points []layout.Point, i layout.Ink) {
	c.S(`<polygon class="`, c.styles.Of(i), `" points="`)
	for _, p := range points {
		c.N(p.X).S(",").N(p.Y).S(" ")
	}
	c.S("\"/>\n")
}

func (c *canvas) Text(t *layout.Text, i layout.Ink) {
	c.S(`<text x="`).N(t.X).S(`" y="`).N(t.Y).S(`" font-size="`).N(t.Size).S(`" class="`, c.styles.Of(i))
	c.S([...]string{layout.Start: "", layout.Middle: `" text-anchor="middle`, layout.End: `" text-anchor="end`}[t.Anchor])
	if t.Upright {
		c.S(`" transform="rotate(-90 `).N(t.X).S(" ").N(t.Y).S(")")
	}
	c.S(`">`, html.EscapeString(t.Text), "</text>\n")
}
