// Package svg draws plans as SVG pictures: time across, offset up, a rectangle
// for each buffer, with the capacity, the height and the load as labelled
// lines.
//
// A picture scales to any size, needs nothing from outside itself, and shows
// the figures of a buffer when the pointer rests on it. The same input gives
// the same bytes.
package svg

import (
	"bufio"
	"io"
	"strconv"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render/internal/layout"
)

// Options say what to draw. The zero value draws all that there is room for.
type Options struct {
	// Title is the heading; empty means the problem's name.
	Title string
	// Width and Height are the size of the whole picture in pixels, from 240 to
	// 20000; 0 means 1200 x 720. They fix how much detail there is; the
	// picture still scales.
	Width, Height int
	// Capacity is where the capacity line goes, in the unit of the sizes;
	// 0 means the problem's own, which may be none.
	Capacity int64
	// LowerBound is a height that no plan can be under, where one higher than
	// the peak load is known; 0 means none. The gap is taken from it.
	LowerBound int64
	// HideLabels leaves the IDs out of the rectangles.
	HideLabels bool
	// Warning, where set, stands below the heading, in red: that the plan is
	// not valid.
	Warning string
}

// medium bounds a file to some 3 MB: a single rectangle with its tip takes
// about 200 bytes, a bare one 25.
var medium = layout.Medium{
	Width: 1200, Height: 720, MinSide: 240, MaxSide: 20000,
	Font: 12, Smallest: 7, TextScale: 1,
	Singles: 3000, Bare: 15000, Runs: 30000,
}

// Write draws the plan that gives p.Buffers the offsets, in the same order. It
// draws plans that overlap or exceed the capacity too.
//
// The error is for a problem that is not valid (a *model.InputError), a number
// of offsets that does not match, options out of range, or from w. Without
// offsets there is WriteProfile.
func Write(w io.Writer, p *model.Problem, offsets []int64, o Options) error {
	f, err := layout.Plan(p, offsets, layout.Options(o), medium)
	if err != nil {
		return err
	}
	return draw(w, f)
}

// WriteProfile draws the load of p over time, for a problem without a plan. Its
// errors are those of Write.
func WriteProfile(w io.Writer, p *model.Problem, o Options) error {
	f, err := layout.Profile(p, layout.Options(o), medium)
	if err != nil {
		return err
	}
	return draw(w, f)
}

// style is all that does not change from picture to picture. Presentation
// attributes by class keep each element short. It follows the colours, which it
// overrides in part.
const style = `text{fill:#333}
.title{font-weight:bold;fill:#111}
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
.over{fill:#cc3311;fill-opacity:.1}
.area{fill:#99ccee;stroke:#00558c;stroke-width:1;stroke-linejoin:round}
.area-over{fill:#f2a995;stroke:#b5260b;stroke-width:.8;stroke-linejoin:round}
.thin{stroke-width:.3}
.none{stroke:none}
.part{fill-opacity:.45;stroke-dasharray:3 2}
.fixed{stroke:#111;stroke-width:1.8}
.faint{fill-opacity:.4}
`

var lineClass = [...]string{
	layout.GridLine: "grid", layout.AxisLine: "frame", layout.LeaderLine: "leader",
	layout.CapacityLine: "lc", layout.HeightLine: "lh", layout.BoundLine: "lb", layout.LoadLine: "ll",
}

var textClass = [...]string{
	layout.Title: "title", layout.Fact: "fact", layout.Tick: "tick", layout.Axis: "axis", layout.Note: "note",
	layout.Label: "label", layout.SubLabel: "sub", layout.Value: "value",
	layout.CapacityText: "capacity", layout.HeightText: "height", layout.BoundText: "bound", layout.LoadText: "load",
}

var strokeClass = [...]string{layout.NoStroke: " none", layout.ThinStroke: " thin", layout.FullStroke: ""}

// draw writes a figure in the order in which its parts cover one another.
func draw(w io.Writer, f *layout.Figure) error {
	p := &printer{w: bufio.NewWriter(w)}
	p.s(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 `).n(f.Width).s(" ").n(f.Height)
	p.s(`" width="`).n(f.Width).s(`" height="`).n(f.Height).s(`" role="img" aria-label="`).escape(f.Description)
	p.s("\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n<style>\n.b{stroke-width:.8;fill:#ddd;stroke:#777}\n")
	for i, c := range layout.Palette {
		p.s(".c").i(i).s("{fill:#").s(c.Fill).s(";stroke:#").s(c.Edge).s("}\n")
	}
	p.s(style).s("</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n")

	for _, r := range f.Bands {
		p.rect(r, "over", "")
	}
	for _, l := range f.Grid {
		p.line(l)
	}
	for _, a := range f.Areas {
		p.area(a)
	}
	for _, fill := range f.Fills {
		p.fill(fill)
	}
	for i := range f.Shapes {
		p.shape(&f.Shapes[i])
	}
	// Labels come before the lines, so that a line is never cut by one.
	p.texts(f.Texts, func(r layout.Role) bool { return r == layout.Label || r == layout.SubLabel })
	for _, l := range f.Lines {
		p.line(l)
	}
	for i := range f.Swatches {
		p.shape(&f.Swatches[i])
	}
	p.texts(f.Texts, func(r layout.Role) bool { return r != layout.Label && r != layout.SubLabel })
	p.s("</svg>\n")
	return p.w.Flush()
}

// printer chains writes; bufio keeps the first error for Flush.
type printer struct {
	w       *bufio.Writer
	scratch []byte
}

func (p *printer) s(s string) *printer {
	p.w.WriteString(s)
	return p
}

func (p *printer) i(v int) *printer { return p.s(strconv.Itoa(v)) }

// n writes a length with up to two decimals.
func (p *printer) n(v float64) *printer {
	p.scratch = layout.AppendLength(p.scratch[:0], v)
	p.w.Write(p.scratch)
	return p
}

// escape writes text that is valid in XML 1.0 but for its markup.
func (p *printer) escape(s string) *printer {
	last := 0
	for i := range len(s) {
		var to string
		switch s[i] {
		case '<':
			to = "&lt;"
		case '>':
			to = "&gt;"
		case '&':
			to = "&amp;"
		case '"':
			to = "&quot;"
		default:
			continue
		}
		p.s(s[last:i]).s(to)
		last = i + 1
	}
	return p.s(s[last:])
}

func (p *printer) rect(r layout.Rect, class, tip string) {
	p.s(`<rect x="`).n(r.X0).s(`" y="`).n(r.Y0).s(`" width="`).n(r.X1 - r.X0).s(`" height="`).n(r.Y1 - r.Y0)
	if class != "" {
		p.s(`" class="`).s(class)
	}
	if tip == "" {
		p.s("\"/>\n")
		return
	}
	p.s(`"><title>`).escape(tip).s("</title></rect>\n")
}

func (p *printer) line(l layout.Line) {
	p.s(`<line x1="`).n(l.X0).s(`" y1="`).n(l.Y0).s(`" x2="`).n(l.X1).s(`" y2="`).n(l.Y1)
	p.s(`" class="`).s(lineClass[l.Style]).s("\"/>\n")
}

// shape writes a buffer: a rectangle, or a group of them that share a tip.
func (p *printer) shape(s *layout.Shape) {
	class := "b c" + strconv.Itoa(s.Colour)
	if s.Tip == "" {
		class = "b" // a swatch shows the form and not a colour
	}
	if class += strokeClass[s.Stroke]; s.Fixed {
		class += " fixed"
	}
	if len(s.Rects) == 1 && len(s.Parts) == 0 {
		p.rect(s.Rects[0], class, s.Tip)
		return
	}
	p.s(`<g class="`).s(class).s(`">`)
	if s.Tip != "" {
		p.s("<title>").escape(s.Tip).s("</title>")
	}
	p.s("\n")
	for _, r := range s.Rects {
		p.rect(r, "", "")
	}
	for _, r := range s.Parts {
		p.rect(r, "part", "")
	}
	p.s("</g>\n")
}

// fill writes rectangles of one colour as a single path.
func (p *printer) fill(f layout.Fill) {
	p.s(`<path class="b c`).i(f.Colour).s(" none")
	if f.Faint {
		p.s(" faint")
	}
	p.s(`" d="`)
	for _, r := range f.Rects {
		w := r.X1 - r.X0
		p.s("M").n(r.X0).s(" ").n(r.Y0).s("h").n(w).s("v").n(r.Y1 - r.Y0).s("h").n(-w).s("z")
	}
	p.s("\"/>\n")
}

func (p *printer) area(a layout.Area) {
	class := "area"
	if a.Over {
		class = "area-over"
	}
	p.s(`<polygon class="`).s(class).s(`" points="`)
	for i, c := range a.Points {
		if i > 0 {
			p.s(" ")
		}
		p.n(c.X).s(",").n(c.Y)
	}
	p.s("\"/>\n")
}

func (p *printer) texts(texts []layout.Text, want func(layout.Role) bool) {
	for i := range texts {
		t := &texts[i]
		if !want(t.Role) {
			continue
		}
		p.s(`<text x="`).n(t.X).s(`" y="`).n(t.Y).s(`" font-size="`).n(t.Size).s(`" class="`).s(textClass[t.Role])
		switch t.Anchor {
		case layout.Middle:
			p.s(`" text-anchor="middle`)
		case layout.End:
			p.s(`" text-anchor="end`)
		}
		if t.Upright {
			p.s(`" transform="rotate(-90 `).n(t.X).s(" ").n(t.Y).s(")")
		}
		p.s(`">`).escape(t.Text).s("</text>\n")
	}
}
