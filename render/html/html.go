// Package html draws plans as HTML pages: a viewer with the plan in it, which zooms,
// searches, compares and plays back the search, for up to a million buffers.
//
// A page is one complete file: it loads nothing, and its content security policy forbids
// it to. Without scripts a page has the figures as a table and, up to some thousand
// buffers, the picture of render/svg. The same input gives the same bytes.
//
//	html.go    pages and what is in them
//	session.go a session: a plan that follows changes
//	bundle.go  the viewer as one script
//	viewer/    the viewer: plain JavaScript, a module for each matter
//
// Trials: docs/lab/pictures.md (html/template adds a third of a megabyte for a few places to escape).
package html

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/layout"
	"github.com/stowage-go/stowage/internal/viewdata"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
	"github.com/stowage-go/stowage/render"
	"github.com/stowage-go/stowage/render/svg"
)

// A Fact is a row of the table.
type Fact struct {
	Name, Value string // texts of the two cells
}

// A Step is a moment of a search, with the lowest plan until then.
type Step struct {
	Height     int64         // height of that plan in bytes; 0 if there was none
	LowerBound int64         // bound in bytes that was proven by then
	Nodes      int64         // number of nodes searched by then
	Elapsed    time.Duration // time since the start of the search
	Offsets    []int64       // offsets of that plan in bytes; nil if they were not kept
	Move       int           // number of moves that the search had made by then
}

// Options say what to draw. The zero value draws everything that there is room for.
type Options struct {
	// Title is the heading; empty means the problem's name.
	Title string
	// Capacity is the height of the capacity line, in bytes; 0 means the problem's
	// capacity. If that is 0 too, there is no line.
	Capacity int64
	// LowerBound is a proven bound in bytes: no plan is lower. Set it if you know a
	// bound above the peak load; 0 means none.
	LowerBound int64
	// Warning stands above the picture, and says why the plan is not valid; empty for none.
	Warning string
	// Conflict has buffers that cannot fit the capacity together, as indices into
	// Problem.Buffers. They are drawn in the colour of faults.
	Conflict []int
	// Overlaps are results that lie over operands on purpose. The viewer hatches the bytes
	// that two of them share, and says so of each.
	Overlaps []Overlap
	// Facts are the rows of the table.
	Facts []Fact
	// Steps are the plans that a search found one after the other. The page plays them back.
	Steps []Step
	// Moves are the placements that a search made and took back, or the first of them. The page plays them back.
	Moves []plan.Move
	// MovesTold is the number of moves that the search made, which may be more than len(Moves).
	MovesTold int
	// Pools has the pool of each buffer, as in model.Plan, if the problem has rules; nil if it has one pool.
	Pools []int32
	// Parts has the buffers that are evicted, as in model.Plan.
	Parts []model.Parts
	// Shapes are the plan at other sizes, for a slider; nil if sizes do not vary. Problems with rules have none.
	Shapes []Shape
}

// A Shape is the plan at other sizes: a scenario, or values of symbols.
type Shape struct {
	Name           string  // of the scenario, or as in seq=16
	Load, Height   int64   // in bytes
	Sizes, Offsets []int64 // in bytes, in the order of the buffers
}

// An Overlap is a result that an operator writes over one of its operands.
type Overlap = render.Overlap

// A Document is one plan of a page, or a problem without a plan.
type Document struct {
	Problem *model.Problem // buffers; those with the same ID are the same on a page
	Offsets []int64        // in bytes, in the order of the buffers; nil for no plan
	Options Options        // what to draw
}

// plain is up to how many buffers a page has the picture for those without scripts.
const plain = 4000

// Write draws a plan: offsets are in bytes, in the order of p.Buffers. It draws and
// refuses the same plans as svg.Write. If it fails before it writes, w gets nothing.
func Write(w io.Writer, p *model.Problem, offsets []int64, o Options) error {
	if offsets == nil {
		offsets = []int64{}
	}
	return WriteAll(w, []Document{{p, offsets, o}})
}

// WriteProfile draws the load of p over time, for a problem without a plan.
func WriteProfile(w io.Writer, p *model.Problem, o Options) error {
	return WriteAll(w, []Document{{p, nil, o}})
}

// WriteAll draws several plans on one page, so that they can be compared. Buffers with
// the same ID count as the same. The title and the table are those of the first plan.
func WriteAll(w io.Writer, docs []Document) error {
	if len(docs) == 0 {
		return errors.New("html: nothing to draw")
	}
	var data, picture bytes.Buffer
	for k := range docs {
		d := &docs[k]
		if err := layout.Check("html", d.Problem, d.Offsets, pictureOf(d.Options)); err != nil {
			return err
		}
		if k == 0 && len(d.Problem.Buffers) <= plain {
			if err := draw(&picture, d); err != nil {
				return err
			}
		}
		if err := embedded(&data, d); err != nil {
			return err
		}
	}
	o := docs[0].Options
	title := o.Title
	if title == "" {
		title = docs[0].Problem.Name
	}
	return assemble(w, parts{
		title: title, warning: o.Warning, facts: o.Facts, picture: picture.String(), data: data.String(),
	})
}

// A Planner is what a page needs to plan in the browser.
type Planner struct {
	Worker string // script of a web worker that runs Wasm
	Wasm   []byte // WebAssembly program, packed with gzip
}

// WritePlanner writes a page that plans files in the browser: the user drops them onto
// it. Like all pages it loads nothing and sends nothing.
func WritePlanner(w io.Writer, p Planner) error {
	if strings.Contains(p.Worker, "</script") {
		return errors.New("html: the worker's script ends a script")
	}
	data := `<script type="text/plain" id="planner-worker">` + p.Worker + "</script>\n" +
		`<script type="text/plain" id="planner-wasm">` + base64.StdEncoding.EncodeToString(p.Wasm) + "</script>\n"
	return assemble(w, parts{title: "Stowage", data: data, plans: true})
}

// draw writes the picture for those without scripts.
func draw(w io.Writer, d *Document) error {
	of := pictureOf(d.Options)
	if d.Offsets == nil {
		return svg.WriteProfile(w, d.Problem, of)
	}
	return svg.Write(w, d.Problem, d.Offsets, of)
}

// pictureOf returns what a page and a picture have in common.
func pictureOf(o Options) svg.Options {
	return svg.Options{
		Title: o.Title, Capacity: o.Capacity, LowerBound: o.LowerBound, Warning: o.Warning, Conflict: o.Conflict,
		Overlaps: o.Overlaps, Pools: o.Pools, Parts: o.Parts,
	}
}

// embedded writes what the viewer reads.
func embedded(b *bytes.Buffer, d *Document) error {
	text, packed, err := dataOf(d).Encode()
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	// The JSON has no < in it: encoding/json escapes it.
	b.WriteString(`<script type="application/json" class="stowage-meta">`)
	b.Write(text)
	b.WriteString("</script>\n" + `<script type="text/plain" class="stowage-data">`)
	e := base64.NewEncoder(base64.StdEncoding, b)
	e.Write(packed) // into memory: no error
	e.Close()
	b.WriteString("</script>\n")
	return nil
}

// dataOf returns a document as the viewer has it. What is wrong with the plan is found
// here, however the page came to be written, so that no caller can forget it.
func dataOf(d *Document) *viewdata.Doc {
	o := d.Options
	v := &viewdata.Doc{
		Problem: d.Problem, Offsets: d.Offsets, Pools: o.Pools, Parts: o.Parts, Title: o.Title, Capacity: o.Capacity,
		LowerBound: o.LowerBound, Warning: o.Warning, Conflict: o.Conflict,
	}
	for _, f := range o.Facts {
		v.Facts = append(v.Facts, viewdata.Fact(f))
	}
	v.Moves, v.MovesTold = o.Moves, o.MovesTold
	for _, x := range o.Overlaps {
		v.Overlaps = append(v.Overlaps, viewdata.Overlap(x))
	}
	for _, s := range o.Steps {
		v.Steps = append(v.Steps, viewdata.Step(s))
	}
	for _, s := range o.Shapes {
		v.Shapes = append(v.Shapes, viewdata.Shape(s))
	}
	v.Check()
	return v
}

// parts are what differs from page to page. The picture and the data are markup, the rest is text.
type parts struct {
	title, warning string
	facts          []Fact
	picture, data  string
	plans          bool // whether the page plans
}

// assemble fills the skeleton.
func assemble(w io.Writer, p parts) error {
	code, err := script()
	if err != nil {
		return err
	}
	skeleton, err := assets.ReadFile(folder + "/page.html")
	if err != nil {
		return err
	}
	style, err := assets.ReadFile(folder + "/style.css")
	if err != nil {
		return err
	}
	hidden := ""
	if p.warning == "" {
		hidden = " hidden"
	}
	if p.title == "" {
		p.title = "Stowage"
	}
	var facts strings.Builder
	for _, f := range p.facts {
		facts.WriteString("<tr><th>" + html.EscapeString(f.Name) + "</th><td>" + html.EscapeString(f.Value) + "</td></tr>\n")
	}
	_, err = strings.NewReplacer(
		"{{policy}}", policy(code, p.plans), "{{title}}", html.EscapeString(p.title), "{{style}}", string(style),
		"{{hidden}}", hidden, "{{warning}}", html.EscapeString(p.warning), "{{facts}}", facts.String(),
		"{{picture}}", p.picture, "{{data}}", p.data, "{{script}}", code,
	).WriteString(w, string(skeleton))
	return err
}

// policy lets the page run its own script and nothing else, and load nothing: what is in a name cannot become code, and
// a plan stays where it is. One that plans may run WebAssembly, too, in workers of its own making.
func policy(code string, plans bool) string {
	sum := sha256.Sum256([]byte(code))
	out := "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'; " +
		"script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	if plans {
		out += " 'wasm-unsafe-eval'; worker-src blob:"
	}
	return out
}
