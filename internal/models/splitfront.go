package models

import (
	"fmt"
	"io"

	"github.com/stowage-go/stowage/internal/picture"
)

// Front is a picture of the choices between arena and arithmetic of --split, in a file whose name ends in front.svg.
const Front = "front"

// writeFront draws the choices that no other one is better than, beside the model as it is.
func (r *splitReport) writeFront(w io.Writer, name string, asItIs int64) error {
	kib := func(n int64) float64 { return float64(n) / 1024 }
	arena := func(v float64) string { return fmt.Sprintf("%.4g", v) }
	front := picture.Series{Name: "in strips", Line: true}
	for _, c := range r.Front {
		more := float64(c.Extra) / float64(max(r.MACs, 1))
		front.Points = append(front.Points, [2]float64{more, kib(c.Arena)})
		front.Tips = append(front.Tips, fmt.Sprintf("an arena of %d bytes (head %d, tail %d) with %s more arithmetic and "+
			"%d operators", c.Arena, c.Head, c.Tail, share(c.Extra, r.MACs), c.Operators))
	}
	lines := &picture.Lines{
		Title: "The smallest arena, by the multiply-accumulates that strips add",
		X:     picture.Axis{Title: "more arithmetic", Text: picture.Percent},
		Y:     picture.Axis{Title: "arena, KiB", Text: arena, Most: kib(asItIs)},
		Series: []picture.Series{front, {
			Name: "as it is", Points: [][2]float64{{0, kib(asItIs)}}, Tips: []string{fmt.Sprintf("as it is: %d bytes", asItIs)},
		}},
	}
	_, err := io.WriteString(w, picture.SVG(name+" in strips", lines))
	return err
}
