package picture

import (
	"fmt"
	"html"
)

// Idea: a search as the papers draw it. Nodes stand in layers, the first at the top, and
// edges go from one layer to the next. The caller says where in its layer a node stands,
// from 0 to 1, so that a tree can have its parents above the middle of their children.

// A Node is one of a graph.
type Node struct {
	Label  string
	Layer  int     // from 0
	At     float64 // from 0 to 1, from left to right
	Strong bool    // drawn in bold
}

// A Stroke is how an edge is drawn.
type Stroke int

// The strokes.
const (
	Solid Stroke = iota
	Dashes
	Dots
)

// An Edge joins two nodes.
type Edge struct {
	From, To int // indices of nodes
	Stroke   Stroke
	Strong   bool
}

// A Key says what a stroke means.
type Key struct {
	Name   string
	Stroke Stroke
	Strong bool
}

// Graph is a picture of nodes and edges.
type Graph struct {
	Title string
	Nodes []Node
	Edges []Edge
	Keys  []Key
}

// class is that of an edge.
func (s Stroke) class(strong bool) string {
	class := "edge" + []string{"", " dashes", " dots"}[s]
	if strong {
		class += " strong"
	}
	return class
}

// HTML sets the picture.
func (g *Graph) HTML() string {
	var p pen
	p.WriteString("<figure>\n<figcaption>" + html.EscapeString(g.Title) + "</figcaption>\n")
	if len(g.Keys) > 0 {
		p.WriteString(`<ul class="legend">`)
		for _, k := range g.Keys {
			p.WriteString(`<li><svg viewBox="0 0 26 14" aria-hidden="true">`)
			p.line(k.Stroke.class(k.Strong), 1, 7, 25, 7)
			p.WriteString("</svg>" + html.EscapeString(k.Name) + "</li>")
		}
		p.WriteString("</ul>\n")
	}
	g.draw(&p, 720, "wide-picture")
	g.draw(&p, 345, "narrow-picture")
	p.WriteString("</figure>\n")
	return p.String()
}

func (g *Graph) draw(p *pen, width float64, class string) {
	const step, tall = 58.0, 22.0
	layers := 1
	for _, n := range g.Nodes {
		layers = max(layers, n.Layer+1)
	}
	half := func(n *Node) float64 { return (letter*float64(len([]rune(n.Label))) + 6) / 2 }
	place := func(n *Node) (x, y float64) {
		h := half(n)
		return h + 2 + n.At*(width-2*h-4), 16 + step*float64(n.Layer)
	}
	p.open(width, 32+step*float64(layers-1), class, g.Title)
	for _, e := range g.Edges {
		x0, y0 := place(&g.Nodes[e.From])
		x1, y1 := place(&g.Nodes[e.To])
		p.line(e.Stroke.class(e.Strong), x0, y0+tall/2, x1, y1-tall/2)
	}
	for k := range g.Nodes {
		n := &g.Nodes[k]
		x, y := place(n)
		class := "node"
		if n.Strong {
			class += " strong"
		}
		fmt.Fprintf(p, `<rect class="%s" x="%s" y="%s" width="%s" height="%s" rx="5"/>`+"\n", class, number(x-half(n)), number(y-tall/2), number(2*half(n)), number(tall))
		p.text(x, y+4, "middle", "", n.Label)
	}
	p.WriteString("</svg>\n")
}
