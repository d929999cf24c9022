// Package html draws plans as HTML pages: a viewer with the plan in it, which zooms,
// searches, compares and plays back the search, for up to a million buffers.
//
// A page stands alone: it loads nothing, and its content security policy forbids that
// it does. Without scripts it is the figures as a table, and, up to some thousand
// buffers, the picture of render/svg. The same input gives the same bytes.
//
//	html.go    pages and what is in them
//	bundle.go  the viewer as one script
//	viewer/    the viewer: plain JavaScript, a module for each matter
//
// Package html/template was tried and dropped: with reflection and its parser it
// adds a third of a megabyte to a binary, for a few places to escape.
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

	"github.com/stowage-go/stowage/internal/viewdata"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
	"github.com/stowage-go/stowage/render/internal/layout"
	"github.com/stowage-go/stowage/render/svg"
)

// A Fact is a row of the table.
type Fact struct {
	Name, Value string // as they are printed, side by side
}

// A Step is a moment of a search: what was the lowest plan then.
type Step struct {
	Height     int64         // of the lowest plan so far; 0 for none
	LowerBound int64         // proven by then
	Nodes      int64         // searched by then
	Elapsed    time.Duration // since the start
	Offsets    []int64       // of that plan; nil where it was not kept
	Move       int           // how many moves the search had made by then
}

// Options say what to draw. The zero value draws all that there is room for.
type Options struct {
	// Title is the heading; empty means the problem's name.
	Title string
	// Capacity is where the capacity line goes, in the unit of the sizes;
	// 0 means the problem's own, which may be none.
	Capacity int64
	// LowerBound is a height that no plan can be under, where one higher than
	// the peak load is known; 0 means none.
	LowerBound int64
	// Warning, where set, stands above the picture: that the plan is not valid.
	Warning string
	// Conflict are buffers that cannot fit the capacity together, by their place in the
	// problem. They have the colour of what breaks a rule.
	Conflict []int
	// Facts are the table.
	Facts []Fact
	// Steps are the plans that a search found on its way, to be played back.
	Steps []Step
	// Moves are what a search tried and took back, to be played back, or the first of it.
	Moves []plan.Move
	// MovesTold is how many moves the search made.
	MovesTold int
}

// A Document is one of the plans of a page, or a problem without.
type Document struct {
	Problem *model.Problem // its buffers; their names tell which are the same on a page
	Offsets []int64        // in the order of the buffers; nil for no plan
	Options Options        // what to say of it
}

// plain is up to how many buffers a page has the picture for those without scripts.
const plain = 4000

// Write draws the plan that gives p.Buffers the offsets, in the same order. What
// is drawn and what is refused is as in svg.Write; where it fails nothing is
// written.
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

// WriteAll draws several plans on one page, to be compared; buffers are the same where
// their IDs are. The title and the table are the first one's.
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
	return assemble(w, parts{title: title, warning: o.Warning, facts: o.Facts, picture: picture.String(), data: data.String()})
}

// A Planner is what a page needs to plan by itself.
type Planner struct {
	Worker string // the script of a worker that runs Program
	Wasm   []byte // the program for WebAssembly, packed with gzip
}

// WritePlanner writes the page that plans what is dropped onto it, in the browser. It
// loads nothing and sends nothing, as all pages.
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
	return svg.Options{Title: o.Title, Capacity: o.Capacity, LowerBound: o.LowerBound, Warning: o.Warning, Conflict: o.Conflict}
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
		Problem: d.Problem, Offsets: d.Offsets, Title: o.Title, Capacity: o.Capacity, LowerBound: o.LowerBound, Warning: o.Warning, Conflict: o.Conflict,
	}
	for _, f := range o.Facts {
		v.Facts = append(v.Facts, viewdata.Fact(f))
	}
	v.Moves, v.MovesTold = o.Moves, o.MovesTold
	for _, s := range o.Steps {
		v.Steps = append(v.Steps, viewdata.Step(s))
	}
	v.Check()
	return v
}

// parts are what differs from page to page. The picture and the data are markup, the
// rest is text.
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

// policy lets the page run its own script and nothing else, and load nothing: what is
// in a name cannot become code, and a plan stays where it is. One that plans may run
// WebAssembly, too, in workers of its own making.
func policy(code string, plans bool) string {
	sum := sha256.Sum256([]byte(code))
	out := "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'; " +
		"script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	if plans {
		out += " 'wasm-unsafe-eval'; worker-src blob:"
	}
	return out
}
