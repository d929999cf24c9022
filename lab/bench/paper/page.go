package main

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
)

// Idea: one file that stands alone: no script, no font and no picture from elsewhere. The theme is the system's.

const style = `:root { --good: #1a9850; }
body { max-width: 64rem; }
.ahead { color: var(--good); }
.behind { color: var(--bad); }
`

// A part is a section with its runs.
type part struct {
	section
	runs *comparison.Result
}

// markdown is the section's table for a document, with what it was run on.
func (p *part) markdown() string {
	if len(p.runs.Instances) == 0 {
		return "Not measured.\n"
	}
	text := p.figures().Markdown()
	if on := machines(p.runs); on != "" {
		text += "\n" + on + ".\n"
	}
	return text
}

// figures is the section's table.
func (p *part) figures() *comparison.Table {
	t := p.table(p.runs)
	if p.times != nil {
		t.Columns = append(t.Columns, comparison.Column{Title: "the paper's", Number: true})
		for i := range t.Rows {
			cell := ""
			if ms := p.times[t.Rows[i][0]]; ms > 0 {
				cell = comparison.Grouped(int64(ms))
			}
			t.Rows[i] = append(t.Rows[i], cell)
		}
	}
	return t
}

// write writes the page.
func write(w io.Writer, parts []part) error {
	var s strings.Builder
	s.WriteString(picture.Head("The papers' figures beside Stowage's", style))
	s.WriteString("<h1>The papers' figures beside Stowage's</h1>\n<p>" + rules + "</p>\n")
	for k := range parts {
		p := &parts[k]
		text := html.EscapeString
		fmt.Fprintf(&s, "<section id=\"%s\">\n<h2>%s</h2>\n<p>%s The paper's figures: %s.", p.id, text(p.title),
			text(p.inputs), text(p.source))
		fmt.Fprintf(&s, " The runs, made anew: <code>stowage-lab sweep run sweep/specs/%s</code>.</p>\n", p.spec)
		if len(p.runs.Instances) == 0 {
			s.WriteString("<p>Not measured.</p>\n</section>\n")
			continue
		}
		s.WriteString("<table>\n<tr><th></th><th>paper</th><th>here</th></tr>\n")
		for _, q := range p.claims {
			f := q.measure(p.runs)
			cell := text(f.text)
			if v := q.verdict(f); v != "" && v != notRun {
				cell += fmt.Sprintf(` <span class="%s">(%s)</span>`, strings.ReplaceAll(v, " ", "-"), v)
			}
			fmt.Fprintf(&s, "<tr><td>%s</td><td>%s</td><td>%s</td></tr>\n", text(q.what), text(q.paper), cell)
		}
		s.WriteString("</table>\n")
		for _, one := range p.pictures(p.runs) {
			s.WriteString(one)
		}
		t := p.figures()
		fmt.Fprintf(&s, "<details>\n<summary>The figures (%d lines)</summary>\n%s</details>\n<p>%s</p>\n</section>\n",
			len(t.Rows), t.HTML(), text(machines(p.runs)))
	}
	s.WriteString("</body>\n</html>\n")
	_, err := io.WriteString(w, s.String())
	return err
}
