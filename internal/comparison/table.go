package comparison

import (
	"html"
	"strings"
)

// A Table is rows of text under headings. It says what the columns are; how they are set is up to who prints it.
type Table struct {
	Title   string // a line above; empty for none
	Columns []Column
	Rows    [][]string
}

// A Column is a heading and what stands under it.
type Column struct {
	Title  string
	Number bool // set to the right
	Name   bool // the title is a name, and keeps its letters
}

// NewTable returns a table of which all columns but the first are numbers.
func NewTable(header []string, rows [][]string) *Table {
	t := &Table{Rows: rows}
	for k, title := range header {
		t.Columns = append(t.Columns, Column{Title: title, Number: k > 0})
	}
	return t
}

// Markdown sets the table, without its title, in GitHub's Markdown.
func (t *Table) Markdown() string {
	var s strings.Builder
	escape := strings.NewReplacer("|", `\|`, "\r\n", "<br/>", "\n", "<br/>")
	s.WriteByte('|')
	for _, c := range t.Columns {
		s.WriteString(" " + escape.Replace(c.Title) + " |")
	}
	s.WriteString("\n|")
	for _, c := range t.Columns {
		if c.Number {
			s.WriteString(" ---:|")
		} else {
			s.WriteString(" --- |")
		}
	}
	s.WriteByte('\n')
	for _, row := range t.Rows {
		s.WriteByte('|')
		for _, cell := range row {
			s.WriteString(" " + escape.Replace(cell) + " |")
		}
		s.WriteByte('\n')
	}
	return s.String()
}

// HTML sets the table, without its title, for a page.
func (t *Table) HTML() string {
	var s strings.Builder
	cell := func(tag string, k int, text string) {
		s.WriteString("<" + tag)
		if k < len(t.Columns) && t.Columns[k].Number {
			s.WriteString(` class="number"`)
		}
		s.WriteString(">" + html.EscapeString(text) + "</" + tag + ">")
	}
	s.WriteString("<div class=\"wide\"><table>\n<tr>")
	for k, c := range t.Columns {
		cell("th", k, c.Title)
	}
	s.WriteString("</tr>\n")
	for _, row := range t.Rows {
		s.WriteString("<tr>")
		for k, text := range row {
			cell("td", k, text)
		}
		s.WriteString("</tr>\n")
	}
	s.WriteString("</table></div>\n")
	return s.String()
}
