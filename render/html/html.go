// Package html draws plans as HTML pages: the SVG picture of render/svg, and the
// figures beside it as a table.
//
// A page stands alone: it loads nothing, runs no script, scales with the window
// and prints well. The same input gives the same bytes.
//
// Package html/template was tried and dropped: with reflection and its parser it
// adds a third of a megabyte to a binary, for four places to escape.
package html

import (
	"bytes"
	"html"
	"io"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render/svg"
)

// A Fact is a row of the table.
type Fact struct {
	Name, Value string // as they are printed, side by side
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
	// Facts are the table.
	Facts []Fact
}

const head = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #222; background: #fff; }
h1 { font-size: 1.3rem; }
svg { width: 100%; height: auto; }
table { border-collapse: collapse; margin-top: 1rem; }
th, td { text-align: left; padding: .2rem 1.2rem .2rem 0; border-bottom: 1px solid #ddd; }
td { font-variant-numeric: tabular-nums; }
.warning { color: #b5260b; font-weight: bold; }
</style>
`

// Write draws the plan that gives p.Buffers the offsets, in the same order. What
// is drawn and what is refused is as in svg.Write; where it fails nothing is
// written.
func Write(w io.Writer, p *model.Problem, offsets []int64, o Options) error {
	return page(w, p, o, func(w io.Writer, of svg.Options) error { return svg.Write(w, p, offsets, of) })
}

// WriteProfile draws the load of p over time, for a problem without a plan.
func WriteProfile(w io.Writer, p *model.Problem, o Options) error {
	return page(w, p, o, func(w io.Writer, of svg.Options) error { return svg.WriteProfile(w, p, of) })
}

func page(w io.Writer, p *model.Problem, o Options, draw func(io.Writer, svg.Options) error) error {
	var b bytes.Buffer
	title := o.Title
	if title == "" && p != nil {
		title = p.Name
	}
	if title == "" {
		title = "Stowage"
	}
	b.WriteString(head)
	tag(&b, "title", title)
	b.WriteString("</head>\n<body>\n")
	tag(&b, "h1", title)
	if o.Warning != "" {
		b.WriteString(`<p class="warning">` + html.EscapeString(o.Warning) + "</p>\n")
	}
	of := svg.Options{Title: o.Title, Capacity: o.Capacity, LowerBound: o.LowerBound, Warning: o.Warning}
	if err := draw(&b, of); err != nil {
		return err
	}
	if len(o.Facts) > 0 {
		b.WriteString("<table>\n")
		for _, f := range o.Facts {
			b.WriteString("<tr><th>" + html.EscapeString(f.Name) + "</th><td>" + html.EscapeString(f.Value) + "</td></tr>\n")
		}
		b.WriteString("</table>\n")
	}
	b.WriteString("</body>\n</html>\n")
	_, err := w.Write(b.Bytes())
	return err
}

func tag(b *bytes.Buffer, name, text string) {
	b.WriteString("<" + name + ">" + html.EscapeString(text) + "</" + name + ">\n")
}
