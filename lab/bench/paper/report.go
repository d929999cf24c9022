package main

import (
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
)

// Idea: one file that stands alone: no script, no font and no picture from
// elsewhere, which its content policy says too. Every picture has its figures in a
// table beside it. The theme is the system's.

// A report is what the page shows.
type report struct {
	setup
	machine, day, revision string
	absent                 []string
	busy                   string // what else the machine did
	parts                  []part
}

// A part is a section that was run.
type part struct {
	section
	content *content
	err     error
	took    time.Duration
}

const pageHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>The papers' experiments, beside Stowage</title>
<style>
:root { color-scheme: light dark; --ink: #171c23; --faint: #566070; --line: #d9dee6; --back: #fff; --head: #f3f5f8; --good: #15803d; --bad: #b42318; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf2; --faint: #a3adbb; --line: #323a46; --back: #171b22; --head: #1f2530; --good: #5fd38a; --bad: #ff8f85; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1rem; background: var(--back); color: var(--ink); font: 15px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.2; }
h2 { font-size: 1.25rem; margin: 3rem 0 .5rem; border-bottom: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 2.5rem 0 .5rem; }
h4 { font-size: .95rem; margin: 1rem 0 .3rem; }
a { color: var(--s0); }
a:focus-visible { outline: 2px solid var(--s0); outline-offset: 2px; }
nav ol { padding-left: 1.4rem; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; margin: .5rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; text-align: left; vertical-align: top; }
.wide td, .wide th { white-space: nowrap; overflow-wrap: normal; }
th { background: var(--head); font-weight: 600; }
tr + tr td { border-top: 1px solid var(--line); }
.number { text-align: right; }
.beside { border: 1px solid var(--line); border-radius: 10px; overflow: hidden; margin: .5rem 0; }
.beside table { table-layout: fixed; }
.beside td, .beside th { overflow-wrap: break-word; }
.beside th:first-child { width: 38%; }
.beside th:nth-child(2) { width: 27%; }
.says { border-left: 4px solid var(--s0); padding: .2rem .8rem; margin: .8rem 0; background: var(--head); }
p.faint, span.faint { color: var(--faint); font-size: .9rem; }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
code, pre { font-family: ui-monospace, monospace; font-size: .85rem; }
pre { white-space: pre-wrap; background: var(--head); padding: .5rem .8rem; border-radius: 8px; margin: .5rem 0; }
summary { cursor: pointer; font-weight: 600; }
@media print { a { color: inherit; } figure, table { break-inside: avoid; } }
`

// busy says that a machine has other work, from what Linux says of its load; "" where it
// has none, or that is not known.
func busy(loadavg string, cores int, processor bool) string {
	load := 0.0
	if _, err := fmt.Sscan(loadavg, &load); err != nil || load < 0.5*float64(cores) {
		return ""
	}
	if processor {
		return fmt.Sprintf("The machine had other work when this report began: a load of %.1f on %d cores. Times and limits are processor time (-processor). Other work lengthens it by a quarter and sometimes doubles it. Times of CP-SAT are by the clock, and too long.", load, cores)
	}
	return fmt.Sprintf("The machine had other work when this report began: a load of %.1f on %d cores. So its times are too long, those of short runs by many times, and its sections ran fewer problems than on a quiet machine. Ratios of planners that took turns say more than times.", load, cores)
}

// verdictClass is how a verdict is set.
func verdictClass(v string) string {
	switch v {
	case ahead:
		return "good"
	case behind:
		return "bad"
	}
	return ""
}

// nothingSaid stands where a run has too few figures for any sentence.
const nothingSaid = "Too little was run to say anything here."

// cell is our side of a figure, with the verdict on it.
func (b *beside) cell() string {
	text := html.EscapeString(b.here)
	if b.verdict != "" {
		text += fmt.Sprintf(` <span class="%s">(%s)</span>`, verdictClass(b.verdict), b.verdict)
	}
	return text
}

// html returns the page.
func (r *report) html() string {
	var s strings.Builder
	text := html.EscapeString
	s.WriteString(pageHead + picture.Style + "</style>\n</head>\n<body>\n<header>\n<h1>The papers' experiments, beside Stowage</h1>\n")
	fmt.Fprintf(&s, "<p class=\"faint\">%s; %s; revision %s; sizes of <code>--%s</code>.</p>\n", text(r.machine), r.day, text(r.revision), r.size.name)
	s.WriteString("<p>Each section is one experiment of a paper. It says what the paper did, sets our figures beside those that the paper's text and tables state, and says what ours come to. " +
		"A figure that the paper has in a diagram alone is not read off: it is named as missing. " +
		"The papers measured on a Pixel 6, a Xeon E5-1650 and an EPYC, we on the machine above. So the ratio of two planners on one machine says more than a time.</p>\n<p>" + rules + "</p>\n")
	if r.busy != "" {
		s.WriteString("<p class=\"bad\">" + text(r.busy) + "</p>\n")
	}
	if len(r.absent) > 0 {
		s.WriteString("<p>Not on this machine:</p>\n<ul>\n")
		for _, a := range r.absent {
			s.WriteString("<li>" + text(a) + "</li>\n")
		}
		s.WriteString("</ul>\n")
	}
	s.WriteString("</header>\n<nav aria-label=\"Contents\">\n<h2>At a glance</h2>\n")
	r.contents(&s)
	s.WriteString("</nav>\n<main>\n")
	paper := ""
	for k := range r.parts {
		p := &r.parts[k]
		if p.paper != paper {
			paper = p.paper
			s.WriteString("<h2>" + text(paper) + "</h2>\n")
		}
		r.part(&s, p)
	}
	s.WriteString("</main>\n</body>\n</html>\n")
	return s.String()
}

// contents is the table of contents, with the first figure of each section.
func (r *report) contents(s *strings.Builder) {
	paper, open := "", false
	for k := range r.parts {
		p := &r.parts[k]
		if p.paper != paper {
			if open {
				s.WriteString("</table></div>\n")
			}
			paper, open = p.paper, true
			s.WriteString("<h4>" + html.EscapeString(paper) + "</h4>\n<div class=\"beside\"><table>\n<tr><th>section</th><th>paper</th><th>here</th></tr>\n")
		}
		title := fmt.Sprintf(`<a href="#%s">%s</a>`, p.id, html.EscapeString(p.title))
		c := p.content
		switch {
		case p.err != nil:
			fmt.Fprintf(s, "<tr><td>%s</td><td></td><td class=\"bad\">failed</td></tr>\n", title)
			continue
		case len(c.beside) == 0:
			fmt.Fprintf(s, "<tr><td>%s</td><td></td><td>%s</td></tr>\n", title, notRun)
			continue
		}
		b := c.beside[0]
		fmt.Fprintf(s, "<tr><td>%s: %s</td><td>%s</td><td>%s</td></tr>\n", title, html.EscapeString(b.what), html.EscapeString(b.paper), b.cell())
	}
	if open {
		s.WriteString("</table></div>\n")
	}
}

// part sets a section.
func (r *report) part(s *strings.Builder, p *part) {
	text := html.EscapeString
	fmt.Fprintf(s, "<section id=\"%s\">\n<h3>%s</h3>\n<p>%s <span class=\"faint\">Source: %s.</span></p>\n", p.id, text(p.title), text(p.did), text(p.source))
	if p.err != nil {
		fmt.Fprintf(s, "<p class=\"bad\">This section failed:</p>\n<pre>%s</pre>\n", text(p.err.Error()))
	}
	if c := p.content; c != nil {
		if len(c.beside) > 0 {
			s.WriteString("<div class=\"beside\"><table>\n<tr><th></th><th>paper</th><th>here</th></tr>\n")
			for _, b := range c.beside {
				fmt.Fprintf(s, "<tr><td>%s</td><td>%s</td><td>%s</td></tr>\n", text(b.what), text(b.paper), b.cell())
			}
			s.WriteString("</table></div>\n")
		}
		says := strings.Join(c.says, " ")
		if says == "" {
			says = nothingSaid
		}
		s.WriteString("<p class=\"says\">" + text(says) + "</p>\n")
		if c.about != "" {
			s.WriteString("<p>" + text(c.about) + "</p>\n")
		}
		for _, picture := range c.pictures {
			s.WriteString(picture)
		}
		for _, t := range c.tables {
			r.table(s, t)
		}
		for _, note := range c.notes {
			s.WriteString("<p class=\"faint\">" + text(note) + "</p>\n")
		}
		if len(c.on) > 0 {
			s.WriteString("<p class=\"faint\">Run on: " + text(strings.Join(c.on, "; ")) + ".</p>\n")
		}
	}
	fmt.Fprintf(s, "<pre>go run ./lab/bench/paper --%s -section %s</pre>\n</section>\n", r.size.name, p.id)
}

// table sets a table; a long one is folded.
func (r *report) table(s *strings.Builder, t *comparison.Table) {
	if len(t.Rows) > 16 {
		title := t.Title
		if title == "" {
			title = "The figures"
		}
		fmt.Fprintf(s, "<details>\n<summary>%s (%d lines)</summary>\n%s</details>\n", html.EscapeString(title), len(t.Rows), t.HTML())
		return
	}
	if t.Title != "" {
		s.WriteString("<h4>" + html.EscapeString(t.Title) + "</h4>\n")
	}
	s.WriteString(t.HTML())
}
