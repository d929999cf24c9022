package main

import (
	"fmt"
	"time"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
)

// The sentences of MiniMalloc's sections: figures in, sentences out (judge.go).

// sayCounts says whether figures that have to be equal are.
func sayCounts(rows []beside) string {
	var other []string
	checked := 0
	for _, b := range rows {
		switch b.verdict {
		case level:
			checked++
		case unlike:
			checked++
			other = append(other, fmt.Sprintf("%s (paper: %s, here: %s)", b.what, b.paper, b.here))
		}
	}
	switch {
	case checked == 0:
		return ""
	case len(other) == 0:
		return fmt.Sprintf("All %d figures that can be compared are equal to the paper's.", checked)
	}
	return fmt.Sprintf("%d of %d figures are not the paper's: %s.", len(other), checked, list(other))
}

// phone is figure 8.
type phone struct {
	telaExact, telaAuto, autoExact, milpTela, milpExact ratio
	straight, of                                        int // networks that exact solves without backtracking
}

func (f phone) say() []string {
	var s []string
	if r := f.telaExact; r.tells() {
		s = append(s, fmt.Sprintf("tela %s exact (median of %d networks). The paper's TelaMalloc takes 30 times as long as MiniMalloc.", pace(r.x), r.n))
		if judge(30, r.x, r.n, more) == behind {
			s = append(s, "One reason is known: the paper's TelaMalloc calls a general solver, and ours an engine that is made for this problem.")
		}
	}
	switch {
	case f.of == 0:
	case f.straight == f.of:
		s = append(s, fmt.Sprintf("exact takes nothing back on any of the %d networks. So the ratio compares what one placement costs, and not how well the two search.", f.of))
	default:
		s = append(s, fmt.Sprintf("exact takes nothing back on %d of %d networks.", f.straight, f.of))
	}
	if f.telaAuto.tells() && f.autoExact.tells() {
		s = append(s, fmt.Sprintf("auto, which begins with heuristics, %s exact, and tela %s auto.", pace(f.autoExact.x), pace(f.telaAuto.x)))
	}
	if r := f.milpTela; r.tells() {
		s = append(s, fmt.Sprintf("The mixed integer program %s tela; %s (9×).", pace(r.x), apart(9, r.x)))
	}
	return said(s...)
}

// A part is the share of inputs that a planner solves.
type solvedShare struct {
	name  string
	paper float64 // NaN if the paper has none
	part  int
	of    int
}

func (p solvedShare) share() float64 { return float64(p.part) / float64(p.of) }

// shareText writes a share.
func (p solvedShare) text() string {
	if p.of == 0 {
		return notRun
	}
	return fmt.Sprintf("%.0f%% of %d", 100*p.share(), p.of)
}

func (p solvedShare) verdict(better direction) string {
	return judgeShare(p.paper, p.part, p.of, fewestShare, better)
}

// extendedFigures are figure 9: what is solved within a millisecond, and how often exact
// is the fastest.
type extendedFigures struct {
	within             []solvedShare
	first, tied, raced int // inputs on which exact is first, is tied for it, and others ran too
}

func (f extendedFigures) say() []string {
	var s, up, down, alike, few []string
	for _, p := range f.within {
		switch p.verdict(more) {
		case ahead:
			up = append(up, p.name)
		case behind:
			down = append(down, p.name)
		case level:
			alike = append(alike, p.name)
		case tooFew:
			few = append(few, p.name)
		}
	}
	for _, one := range []struct {
		text  string
		names []string
	}{
		{"a larger share than in the paper for", up}, {"the paper's share for", alike}, {"a smaller share than in the paper for", down},
	} {
		if len(one.names) > 0 {
			s = append(s, "Solved within 1 ms: "+one.text+" "+list(one.names)+".")
		}
	}
	if len(few) > 0 {
		s = append(s, "Too few inputs were run to tell for "+list(few)+".")
	}
	if f.raced >= fewestShare {
		text := fmt.Sprintf("Of all planners that ran except auto, exact is the fastest on %d of %d inputs", f.first, f.raced)
		if f.tied > 0 {
			text += fmt.Sprintf(" and tied with another on %d more", f.tied)
		}
		s = append(s, text+".")
	}
	return said(s...)
}

// sizes is figure 10: the shares that planners solve of the same problems, the small ones
// and the large ones apart.
type sizes struct {
	planners []solvedBySize
	exact    solvedShare // on all that it ran on
	limit    time.Duration
	most     float64 // exact's slowest, in seconds
}

type solvedBySize struct {
	name         string
	small, large solvedShare
}

func (p solvedBySize) all() solvedShare {
	return solvedShare{name: p.name, part: p.small.part + p.large.part, of: p.small.of + p.large.of}
}

func (f sizes) say() []string {
	var s []string
	if e := f.exact; e.of > 0 {
		switch {
		case e.part == e.of:
			s = append(s, fmt.Sprintf("exact solves all %d problems that it ran on, the slowest in %s.", e.of, picture.Seconds(f.most)))
		default:
			s = append(s, fmt.Sprintf("exact solves %d of the %d problems that it ran on; the paper's solves all.", e.part, e.of))
		}
	}
	var loses, holds, few []string
	for _, p := range f.planners {
		if p.name == "exact" || p.all().of == 0 {
			continue
		}
		switch {
		case p.small.of < fewestShare/2 || p.large.of < fewestShare/2:
			few = append(few, p.name)
		case p.small.share()-p.large.share() > nearPoints:
			loses = append(loses, fmt.Sprintf("%s (%s of the smaller half, %s of the larger)", p.name, percent(p.small.share()), percent(p.large.share())))
		default:
			holds = append(holds, fmt.Sprintf("%s (%s and %s)", p.name, percent(p.small.share()), percent(p.large.share())))
		}
	}
	if len(loses) > 0 {
		s = append(s, "As buffers grow in number, these solve fewer: "+list(loses)+".")
	}
	if len(holds) > 0 {
		s = append(s, "These do not: "+list(holds)+".")
	}
	if len(few) > 0 {
		s = append(s, "Too few problems were run to tell for "+list(few)+".")
	}
	if len(s) > 0 && f.limit > 0 && f.limit < time.Minute {
		s = append(s, fmt.Sprintf("The limit here is %v and the paper's a minute, so these shares are lower bounds of what a minute gives.", f.limit))
	}
	return said(s...)
}

// A shown is a plan of figure 11.
type shown struct {
	name                   string
	height, capacity, load int64
}

// sayShown is figure 11's.
func sayShown(all []shown) string {
	fits, full := 0, 0
	for _, p := range all {
		if p.height <= p.capacity {
			fits++
		}
		if p.height == p.load {
			full++
		}
	}
	switch {
	case len(all) == 0:
		return ""
	case full == len(all):
		return "The plans are as high as the load: at the peak no byte is free. Other plans of that height are as good."
	case fits == len(all):
		return "The plans fit the capacity and are higher than the load: some bytes are free at the peak."
	}
	return fmt.Sprintf("%d of %d plans fit the capacity.", fits, len(all))
}

// hardSuite is table 2.
type hardSuite struct {
	real  bool // A to K themselves
	exact solvedShare
	gain  float64 // geometric mean of the paper's time over ours; NaN if none
	gains int
	rest  []solvedShare
	limit time.Duration // of the rest
	peer  float64       // google/minimalloc's time over ours
	peers int
}

// verdict is of exact's answers.
func (f hardSuite) verdict() string {
	switch {
	case f.exact.of == 0:
		return notRun
	case !f.real:
		return differs
	}
	return judgeShare(1, f.exact.part, f.exact.of, len(table2), more)
}

func (f hardSuite) say() []string {
	var s []string
	if f.exact.of > 0 {
		s = append(s, fmt.Sprintf("exact solves %d of %d.", f.exact.part, f.exact.of))
	}
	if f.real && f.gains > 0 && finite(f.gain) {
		s = append(s, fmt.Sprintf("On another machine than the paper's, it %s the paper's MiniMalloc (geometric mean of %d).", pace(1/f.gain), f.gains))
	}
	if f.peers > 0 && finite(f.peer) {
		s = append(s, fmt.Sprintf("On this machine google/minimalloc's process %s exact (geometric mean of %d).", pace(f.peer), f.peers))
	}
	var some, none []string
	for _, p := range f.rest {
		switch {
		case p.of == 0:
		case p.part == 0:
			none = append(none, p.name)
		default:
			some = append(some, fmt.Sprintf("%s %d of %d", p.name, p.part, p.of))
		}
	}
	if len(some) > 0 {
		s = append(s, fmt.Sprintf("Within %v these solve some: %s.", f.limit, list(some)))
	}
	if len(none) > 0 {
		s = append(s, fmt.Sprintf("Within %v these solve none: %s.", f.limit, list(none)))
	}
	if f.real && len(some)+len(none) > 0 {
		s = append(s, "The paper's mixed integer program and TelaMalloc solve none in an hour.")
	}
	return said(s...)
}

// sizeOf is table 3, in kB.
type sizeOf struct{ ours float64 }

func (f sizeOf) say() []string {
	if !finite(f.ours) || f.ours <= 0 {
		return nil
	}
	var s []string
	if f.ours > 25*nearFactor {
		s = append(s, fmt.Sprintf("The library adds %s times what MiniMalloc adds. It is Go and not C++, and has all planners that auto runs.", comparison.Ratio(f.ours/25)))
	} else {
		s = append(s, fmt.Sprintf("The library adds %.0f kB, MiniMalloc 25 kB.", f.ours))
	}
	s = append(s, fmt.Sprintf("TelaMalloc adds %s times as much as ours, the mixed integer program %s times.", comparison.Ratio(206/f.ours), comparison.Ratio(2021/f.ours)))
	return s
}
