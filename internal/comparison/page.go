package comparison

import (
	"bytes"
	"html"
	"io"

	"github.com/stowage-go/stowage/internal/picture"
)

// writeHTML writes the tables and the picture on a page that stands alone.
func (c *Result) writeHTML(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString(picture.Head("Planners compared", "li { color: var(--faint); }\n") + "<h1>Planners compared</h1>\n")
	for _, t := range c.Tables() {
		if t.Title != "" {
			b.WriteString("<h2>" + html.EscapeString(t.Title) + "</h2>\n")
		}
		b.WriteString(t.HTML())
	}
	if refusals := c.refusals(); len(refusals) > 0 {
		b.WriteString("<ul>\n")
		for _, refusal := range refusals {
			b.WriteString("<li>" + html.EscapeString(refusal) + "</li>\n")
		}
		b.WriteString("</ul>\n")
	}
	heights, times := c.chart().Figures()
	b.WriteString("<h2>Heights and times</h2>\n" + heights.HTML() + times.HTML() + "</body>\n</html>\n")
	_, err := w.Write(b.Bytes())
	return err
}
