package picture

import (
	"fmt"
	"strings"
)

// Idea: a picture that is a file by itself has the same marks as one of a page, with colours in place of the page's
// variables, because some programs that show SVG know no variables. It has one width, and its legend is drawn.

const (
	fileWidth = 1000.0
	edge      = 12.0
)

// A Figure is a picture of this package.
type Figure interface {
	about() (title string, entries []entry)
	draw(p *pen, width float64, class string)
}

// SVG sets figures one below the other as a file, which loads nothing.
func SVG(title string, figures ...Figure) string {
	p := pen{nested: true, below: 40}
	p.text(edge, 26, "start", "title", title)
	for _, f := range figures {
		caption, entries := f.about()
		p.below += 20
		p.text(edge, p.below, "start", "faint", caption)
		p.below += 10
		p.legendRows(few(entries))
		f.draw(&p, fileWidth, "")
	}
	var file pen
	fmt.Fprintf(&file, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%[1]s" height="%[2]s"`,
		number(fileWidth), number(p.below+edge))
	file.WriteString(` role="img" aria-label="` + escape(title) + "\">\n<style>\n" + light(marks) + "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n")
	return file.String() + p.String() + "</svg>\n"
}

// light returns a style with the values of the light theme in place of its variables.
func light(css string) string {
	for setting := range strings.SplitSeq(inks+seriesColours, "; ") {
		name, value, _ := strings.Cut(setting, ": ")
		css = strings.ReplaceAll(css, "var("+name+")", value)
	}
	return css
}

// legendRows draws a legend, row by row.
func (p *pen) legendRows(entries []entry) {
	x := edge
	for k, e := range entries {
		wide := 40 + letterWidth*float64(len([]rune(e.name)))
		if x+wide > fileWidth && x > edge {
			x = edge
			p.below += 20
		}
		fmt.Fprintf(p, `<g transform="translate(%s %s)">`, number(x), number(p.below))
		p.glyph(&e)
		p.WriteString("</g>")
		p.text(x+30, p.below+11, "start", "", e.name)
		if x += wide; k == len(entries)-1 {
			p.below += 24
		}
	}
}

// mostEntries is how many lines of a legend can be read.
const mostEntries = 40

// few returns the first mostEntries entries of a legend. If there are more, one more entry says how many are left out.
func few(entries []entry) []entry {
	n := len(entries) - mostEntries
	if n <= 0 {
		return entries
	}
	return append(entries[:mostEntries:mostEntries], entry{name: fmt.Sprintf("and %d more", n), blank: true})
}
