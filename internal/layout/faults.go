package layout

import (
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: a picture of a plan that breaks a rule says so in its heading, however it came to be drawn: the check is part
// of the drawing, and no caller can forget it. Where two buffers meet is painted over both; what breaks a rule by
// itself, as a fixed offset that is not kept, has an outline.
//
// Complexity: that of verify.Check; at most its MaxViolations are marked.

// faults say what is wrong with the plan, nothing if it is valid. The caller's words come before those of the check.
func (g *page) faults() []string {
	switch {
	case g.opt.Warning != "":
		return []string{Clean(g.opt.Warning)}
	case g.report == nil || g.report.Total == 0:
		return nil
	}
	fact := Clean(g.report.Violations[0].Message)
	if n := g.report.Total; n > 1 {
		fact = count(n, "violation") + ", such as " + fact
	}
	return []string{fact}
}

// broken marks the buffers that a violation names, or that cannot fit: pictures leave neither out.
func (g *page) broken() []bool {
	marks := g.conflict()
	for _, v := range g.report.Violations {
		for _, i := range [...]int{v.A, v.B} {
			if i >= 0 {
				marks[i] = true
			}
		}
	}
	return marks
}

// onlySingle reports whether no two buffers meet.
func onlySingle(r *model.Report) bool {
	return !slices.ContainsFunc(r.Violations, func(v model.Violation) bool { return v.Rule == model.RuleOverlap })
}

// maxClashes bounds the places that are painted.
const maxClashes = 2000

// clash adds where buffers meet. Of two buffers the pieces are walked side by side.
func (g *page) clash(offsets []int64) {
	for _, v := range g.report.Violations {
		if v.Rule != model.RuleOverlap {
			continue
		}
		one, other := g.piecesOf(v.A), g.piecesOf(v.B)
		for len(one) > 0 && len(other) > 0 && len(g.Clashes) < maxClashes {
			a, b := one[0], other[0]
			x, y := offsets[a.buffer], offsets[b.buffer]
			c := piece{
				lower: max(a.lower, b.lower), upper: min(a.upper, b.upper),
				from: max(x+a.from, y+b.from), to: min(x+a.to, y+b.to),
			}
			if c.lower < c.upper && c.from < c.to {
				g.Clashes = append(g.Clashes, g.rect(c, 0).shown(g.Plot, 2*shownSide))
			}
			if a.upper < b.upper {
				one = one[1:]
			} else {
				other = other[1:]
			}
		}
	}
}

// conflict marks the buffers that cannot fit the capacity together.
func (g *page) conflict() []bool {
	marks := make([]bool, len(g.problem.Buffers))
	for _, i := range g.opt.Conflict {
		marks[i] = true
	}
	return marks
}

// piecesOf returns the pieces of a buffer.
func (g *page) piecesOf(buffer int) []piece {
	from, _ := slices.BinarySearchFunc(g.pieces, buffer, func(c piece, b int) int { return int(c.buffer) - b })
	to := from
	for to < len(g.pieces) && int(g.pieces[to].buffer) == buffer {
		to++
	}
	return g.pieces[from:to]
}
