package main

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strconv"
)

// Idea: a page that stands alone, with the SVG picture in it and the numbers
// beside it as a table. It loads nothing, runs no script and prints well.
//
// Package html/template was tried and dropped: with reflection and its parser
// it adds a third of a megabyte to the binary, for four places to escape.

const pageHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #222; background: #fff; }
h1 { font-size: 1.3rem; }
svg { width: 100%%; height: auto; }
table { border-collapse: collapse; margin-top: 1rem; }
th, td { text-align: left; padding: .2rem 1.2rem .2rem 0; border-bottom: 1px solid #ddd; }
td { font-variant-numeric: tabular-nums; }
</style>
</head>
<body>
<h1>%s</h1>
`

// writeHTML writes the page of a plan or a contention profile.
func writeHTML(w io.Writer, d *document) error {
	var picture bytes.Buffer
	if err := writeSVG(&picture, d); err != nil {
		return err
	}
	// An XML declaration is for files of their own, not for inline SVG.
	drawing := picture.Bytes()
	if at := bytes.Index(drawing, []byte("<svg")); at > 0 {
		drawing = drawing[at:]
	}
	title := html.EscapeString(titleOf(d))
	var page bytes.Buffer
	fmt.Fprintf(&page, pageHead, title, title)
	page.Write(drawing)
	page.WriteString("\n<table>\n")
	for _, f := range figuresOf(d) {
		fmt.Fprintf(&page, "<tr><th>%s</th><td>%s</td></tr>\n", html.EscapeString(f[0]), html.EscapeString(f[1]))
	}
	page.WriteString("</table>\n</body>\n</html>\n")
	_, err := w.Write(page.Bytes())
	return err
}

func titleOf(d *document) string {
	if d.problem.Name != "" {
		return d.problem.Name
	}
	return "Stowage"
}

// figuresOf returns the numbers of a document by name.
func figuresOf(d *document) [][2]string {
	number := func(x int64) string { return strconv.FormatInt(x, 10) }
	var rows [][2]string
	if r := d.result; r != nil {
		rows = append(rows, [2]string{"status", r.Status.String()})
	}
	if d.offsets != nil {
		rows = append(rows, [2]string{"height", number(d.height)})
	}
	rows = append(rows, [2]string{"lower bound", number(d.lowerBound)})
	if d.offsets != nil {
		rows = append(rows, [2]string{"gap", gap(d.height, d.lowerBound)})
	}
	if d.capacity > 0 {
		rows = append(rows, [2]string{"capacity", number(d.capacity)})
	}
	rows = append(rows, [2]string{"buffers", strconv.Itoa(len(d.problem.Buffers))})
	if r := d.result; r != nil {
		rows = append(
			rows,
			[2]string{"planner", r.Planner},
			[2]string{"nodes", number(r.Stats.Nodes)},
			[2]string{"backtracks", number(r.Stats.Backtracks)},
			[2]string{"time", seconds(r.Stats.Elapsed)},
		)
	}
	return rows
}
