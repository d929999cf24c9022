// Package svg draws plans as SVG pictures: time from left to right, offset from bottom
// to top, and a rectangle for each buffer. The capacity, the height and the load are
// labelled lines.
//
// A picture scales to any size and loads nothing. A tooltip has the numbers of each
// buffer. The same input gives the same bytes.
package svg

import (
	"io"
	"strconv"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
	"github.com/stowage-go/stowage/render/internal/layout"
)

// Options say what to draw. Width and Height are in pixels, from 240 to 20000; the
// default is 1200 x 720. A larger picture shows more detail; every picture can be
// scaled.
type Options = render.Options

// writer bounds a file to some 3 MB: a single rectangle with its tip takes
// about 200 bytes, a bare or a merged one 30.
var writer = layout.Writer{Draw: layout.Printed(draw), Medium: layout.Medium{
	Name:  "svg",
	Width: 1200, Height: 720, MinSide: 240, MaxSide: 20000,
	Font: 12, Smallest: 7, TextScale: 1,
	Singles: 3000, Bare: 45000, Runs: 30000,
}}

// Write draws a plan: offsets are in bytes, in the order of p.Buffers. A plan that
// breaks a rule is marked as invalid, and so are the places at fault. The part of a
// plan above the capacity is drawn too.
//
// The error is w's, a *model.InputError if the problem is not valid, or says that the
// number of offsets is wrong or that an option is out of range. For a problem without
// offsets use WriteProfile.
func Write(w io.Writer, p *model.Problem, offsets []int64, o Options) error {
	return writer.Plan(w, p, offsets, o)
}

// WriteProfile draws the load of p over time, for a problem without a plan. Its errors
// are those of Write.
func WriteProfile(w io.Writer, p *model.Problem, o Options) error { return writer.Profile(w, p, o) }

// style is all that does not change from picture to picture. Presentation
// attributes by class keep each element short. It follows the colours, which it
// overrides in part.
const style = `text{fill:#333}
.title{font-weight:bold;fill:#111}
.alarm{font-weight:bold;fill:#b5260b}
.axis,.note,.fact{fill:#555}
.sub{fill:#222;fill-opacity:.72}
.label{fill:#111}
.capacity{fill:#b5260b}.height{fill:#111}.bound{fill:#6a3d9a}.load{fill:#00558c}
.capacity,.height,.bound,.load{font-weight:bold}
line,polyline{fill:none}
.grid{stroke:#e4e4e4;stroke-width:1}
.frame{stroke:#444;stroke-width:1}
.leader{stroke:#888;stroke-width:.8}
.lc{stroke:#cc3311;stroke-width:2.2}
.lh{stroke:#111;stroke-width:1.4}
.lb{stroke:#6a3d9a;stroke-width:1.8;stroke-dasharray:9 3 2 3}
.ll{stroke:#0077bb;stroke-width:1.8;stroke-dasharray:6 4}
.lt{stroke:#1b7837;stroke-width:1.6}
.la{stroke:#777777;stroke-width:1;stroke-dasharray:2 2}
.lp{stroke:#cc3311;stroke-width:1.6;stroke-dasharray:5 2}
.over{fill:#cc3311;fill-opacity:.1}
.area{fill:#99ccee;stroke:#00558c;stroke-width:1;stroke-linejoin:round}
.area-over{fill:#f2a995;stroke:#b5260b;stroke-width:.8;stroke-linejoin:round}
.thin{stroke-width:.3}
.none{stroke:none}
.part{fill-opacity:.45;stroke-dasharray:3 2}
.fixed{stroke:#111;stroke-width:1.8}
.faint{fill-opacity:.4}
.broken{stroke:#cc3311;stroke-width:1.8}
.conflict{fill:#e28f7d;stroke:#7f1d08;stroke-width:1.8}
.clash{fill:#cc3311;fill-opacity:.55;stroke:#7f1d08;stroke-width:1.2}
`

var lineClass = [...]string{
	layout.GridLine: "grid", layout.AxisLine: "frame", layout.LeaderLine: "leader",
	layout.CapacityLine: "lc", layout.HeightLine: "lh", layout.BoundLine: "lb", layout.LoadLine: "ll",
	layout.TogetherLine: "lt", layout.ApartLine: "la", layout.PenaltyLine: "lp",
}

var textClass = [...]string{
	layout.Title: "title", layout.Fact: "fact", layout.Alarm: "alarm", layout.Tick: "tick", layout.Axis: "axis",
	layout.Note:  "note",
	layout.Label: "label", layout.SubLabel: "sub", layout.Value: "value",
	layout.CapacityText: "capacity", layout.HeightText: "height", layout.BoundText: "bound", layout.LoadText: "load",
}

var strokeClass = [...]string{layout.NoStroke: " none", layout.ThinStroke: " thin", layout.FullStroke: ""}

// draw writes a figure.
func draw(to *layout.Printer, f *layout.Figure) {
	p := pen{to}
	p.S(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 `).N(f.Width).S(" ").N(f.Height)
	p.S(`" width="`).N(f.Width).S(`" height="`).N(f.Height).S(`" role="img" aria-label="`).XML(f.Description)
	p.S("\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n<style>\n.b{stroke-width:.8;fill:#ddd;stroke:#777}\n")
	for i, c := range layout.Palette {
		p.S(".c").I(i).S("{fill:#").S(c.Fill).S(";stroke:#").S(c.Edge).S("}\n")
	}
	p.S(style).S("</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n")

	f.Draw(p)
	p.S("</svg>\n")
}

// A pen spells the parts of a figure in SVG.
type pen struct{ *layout.Printer }

func (p pen) Band(r layout.Rect) { p.rect(r, "over", "") }

func (p pen) Clash(r layout.Rect) { p.rect(r, "clash", "") }

func (p pen) rect(r layout.Rect, class, tip string) {
	p.S(`<rect x="`).N(r.X0).S(`" y="`).N(r.Y0).S(`" width="`).N(r.X1 - r.X0).S(`" height="`).N(r.Y1 - r.Y0)
	if class != "" {
		p.S(`" class="`).S(class)
	}
	if tip == "" {
		p.S("\"/>\n")
		return
	}
	p.S(`"><title>`).XML(tip).S("</title></rect>\n")
}

func (p pen) Line(l layout.Line) {
	p.S(`<line x1="`).N(l.X0).S(`" y1="`).N(l.Y0).S(`" x2="`).N(l.X1).S(`" y2="`).N(l.Y1)
	p.S(`" class="`).S(lineClass[l.Style]).S("\"/>\n")
}

// Shape writes a buffer: a rectangle, or a group of them that share a tip.
func (p pen) Shape(s *layout.Shape) {
	class := "b c" + strconv.Itoa(s.Colour)
	if s.Tip == "" && !s.Group {
		class = "b" // a swatch shows the form and not a colour
	}
	if class += strokeClass[s.Stroke]; s.Fixed {
		class += " fixed"
	}
	switch {
	case s.Conflict:
		class += " conflict"
	case s.Broken:
		class += " broken"
	}
	if len(s.Rects) == 1 && len(s.Parts) == 0 {
		p.rect(s.Rects[0], class, s.Tip)
		return
	}
	p.S(`<g class="`).S(class).S(`">`)
	if s.Tip != "" {
		p.S("<title>").XML(s.Tip).S("</title>")
	}
	p.S("\n")
	for _, r := range s.Rects {
		p.rect(r, "", "")
	}
	for _, r := range s.Parts {
		p.rect(r, "part", "")
	}
	p.S("</g>\n")
}

// Fill writes rectangles of one colour as a single path.
func (p pen) Fill(f layout.Fill) {
	p.S(`<path class="b c`).I(f.Colour).S(" none")
	if f.Faint {
		p.S(" faint")
	}
	p.S(`" d="`)
	for _, r := range f.Rects {
		w := r.X1 - r.X0
		p.S("M").N(r.X0).S(" ").N(r.Y0).S("h").N(w).S("v").N(r.Y1 - r.Y0).S("h").N(-w).S("z")
	}
	p.S("\"/>\n")
}

func (p pen) Area(a layout.Area) {
	class := "area"
	if a.Over {
		class = "area-over"
	}
	p.S(`<polygon class="`).S(class).S(`" points="`)
	for i, c := range a.Points {
		if i > 0 {
			p.S(" ")
		}
		p.N(c.X).S(",").N(c.Y)
	}
	p.S("\"/>\n")
}

func (p pen) Text(t *layout.Text) {
	p.S(`<text x="`).N(t.X).S(`" y="`).N(t.Y).S(`" font-size="`).N(t.Size).S(`" class="`).S(textClass[t.Role])
	switch t.Anchor {
	case layout.Middle:
		p.S(`" text-anchor="middle`)
	case layout.End:
		p.S(`" text-anchor="end`)
	}
	if t.Upright {
		p.S(`" transform="rotate(-90 `).N(t.X).S(" ").N(t.Y).S(")")
	}
	p.S(`">`).XML(t.Text).S("</text>\n")
}
