package comparison

import (
	"bytes"
	"html"
	"io"

	"github.com/stowage-go/stowage/render/chart"
)

// pageHead is the look of a page: the system's theme, tables that scroll by themselves.
const pageHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Planners compared</title>
<style>
:root { color-scheme: light dark; --ink: #171c23; --faint: #5d6877; --line: #dde2e9; --back: #fff; --head: #f3f5f8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf2; --faint: #98a3b3; --line: #2a313c; --back: #171b22; --head: #1f2530; } }
body { margin: 0 auto; max-width: 78rem; padding: 1.5rem; background: var(--back); color: var(--ink); font: 14px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
h1 { font-size: 1.3rem; }
h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .3rem .8rem; text-align: left; white-space: nowrap; }
th { background: var(--head); font-weight: 600; position: sticky; top: 0; }
tr + tr td { border-top: 1px solid var(--line); }
.number { text-align: right; }
td:first-child { font-weight: 600; }
svg { width: 100%; height: auto; background: #fff; border-radius: 10px; }
li { color: var(--faint); }
</style>
</head>
<body>
<h1>Planners compared</h1>
`

// writeHTML writes the tables and the picture on a page that stands alone.
func (c *Result) writeHTML(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString(pageHead)
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
	b.WriteString("<h2>Heights and times</h2>\n")
	if err := chart.Write(&b, c.chart()); err != nil {
		return err
	}
	b.WriteString("</body>\n</html>\n")
	_, err := w.Write(b.Bytes())
	return err
}
