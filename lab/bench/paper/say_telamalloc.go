package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
)

// The sentences of TelaMalloc's sections: figures in, sentences out (judge.go).

// live is figure 3: heights over the least, network by network.
type live struct{ bfc, contention []float64 }

// needs is on how many networks neither reaches the least height.
func (f live) needs() (n int) {
	for i := range f.bfc {
		if f.bfc[i] > 1 && f.contention[i] > 1 {
			n++
		}
	}
	return n
}

// sameHeight is within how much of one another two means of heights over the least are the
// same: what three decimals do not show.
const sameHeight = 0.0005

func (f live) say() []string {
	n := len(f.bfc)
	if n < fewest || len(f.contention) != n {
		return nil
	}
	a, b := comparison.GeometricMean(f.bfc), comparison.GeometricMean(f.contention)
	if !finite(a) || !finite(b) {
		return nil
	}
	var s []string
	switch {
	case a <= 1+sameHeight && b <= 1+sameHeight:
		return []string{fmt.Sprintf("On the %d networks both reach the least height in the mean: these inputs distinguish nothing.", n)}
	case a > b && b > 1+sameHeight:
		s = append(s, "The order is the paper's: in the mean BFC needs most, the heuristic less and search least.")
	case a > b+sameHeight:
		s = append(s, "BFC needs most. In the mean the heuristic needs no more than search.")
	case a > b-sameHeight:
		s = append(s, "BFC and the heuristic need the same in the mean, unlike in the paper.")
	default:
		s = append(s, "The heuristic needs more than BFC in the mean, unlike in the paper.")
	}
	reach := 0
	for _, x := range f.contention {
		if x <= 1 {
			reach++
		}
	}
	return append(s, fmt.Sprintf("The heuristic reaches the least height on %d of %d networks.", reach, n))
}

// A microFigure is a line of table 1, in ms and ms a step.
type microFigure struct {
	name                             string
	paper, here, paperStep, hereStep float64
}

// micros is table 1.
type micros []microFigure

func (f micros) say() []string {
	low, high, n := math.Inf(1), 0.0, 0
	steps := map[string]float64{}
	for _, m := range f {
		if x := m.paperStep / m.hereStep; finite(x) && x > 0 {
			low, high = min(low, x), max(high, x)
			n++
		}
		steps[m.name] = m.hereStep
	}
	if n == 0 {
		return nil
	}
	var s []string
	switch {
	case low > tieFactor:
		s = append(s, fmt.Sprintf("A step takes less time than the paper's on all %d benchmarks, by a factor of %s to %s. The machine is another, and the engine is made for this problem alone.", n, comparison.Ratio(low), comparison.Ratio(high)))
	case high < 1/tieFactor:
		s = append(s, fmt.Sprintf("A step takes more time than the paper's on all %d benchmarks, by a factor of %s to %s.", n, comparison.Ratio(1/high), comparison.Ratio(1/low)))
	default:
		s = append(s, fmt.Sprintf("The paper's time for a step is %s to %s times ours.", comparison.Ratio(low), comparison.Ratio(high)))
	}
	if few, many := steps["full-overlap-100"], steps["full-overlap-1000"]; finite(few) && finite(many) && few > 0 && many > 0 {
		s = append(s, fmt.Sprintf("With 1,000 blocks that overlap in place of 100, a step takes %s times as long; in the paper 71 times.", comparison.Ratio(many/few)))
	}
	return s
}

// A profiled is a row of section 7.1.
type profiled struct {
	name string
	split
}

// fewestSamples is how many samples of a profile tell.
const fewestSamples = 50

// verdict is of the engine's share; the paper says "upwards of 87%".
func (f profiled) verdict() string {
	switch {
	case f.Samples == 0 || !finite(f.Engine):
		return notRun
	case f.Samples < fewestSamples:
		return tooFew
	case f.Engine >= 0.87-nearPoints:
		return level
	}
	return unlike
}

// sayProfile is section 7.1's.
func sayProfile(all []profiled) []string {
	var s []string
	for _, f := range all {
		switch f.verdict() {
		case level:
			s = append(s, fmt.Sprintf("On %s the engine takes %s of the time, as in the paper.", f.name, percent(f.Engine)))
		case unlike:
			rest := map[string]float64{"selecting blocks": f.Selection, "backtracking": f.Backtracking, "preparing the problem": f.Preparing, "the collector and the rest": f.Rest}
			most := ""
			for _, name := range []string{"selecting blocks", "backtracking", "preparing the problem", "the collector and the rest"} {
				if most == "" || rest[name] > rest[most] {
					most = name
				}
			}
			s = append(s, fmt.Sprintf("On %s the engine takes %s of the time, less than in the paper. Of the others most goes to %s (%s).", f.name, percent(f.Engine), most, percent(rest[most])))
		case tooFew:
			s = append(s, fmt.Sprintf("The profile of %s has %d samples, too few to tell.", f.name, f.Samples))
		}
	}
	return s
}

// against is figures 12 and 13: times of planners over tela's.
type against struct {
	milp, learned, exact ratio
	spreads              []spreadOf
	solved               solvedShare // by the mixed integer program
	limit                time.Duration
}

// A spreadOf is how far repeated runs of a planner are apart: the slowest over the
// fastest, median of n networks.
type spreadOf struct {
	name string
	x    float64
	n    int
}

// milpVerdict is of the mixed integer program over tela.
func (f against) milpVerdict() string { return judge(4.7, f.milp.x, f.milp.n, more) }

func (f against) say() []string {
	var s []string
	if r := f.milp; r.tells() {
		s = append(s, fmt.Sprintf("The mixed integer program %s tela; %s (4.7×).", pace(r.x), apart(4.7, r.x)))
	}
	if f.solved.of > 0 {
		s = append(s, fmt.Sprintf("The mixed integer program solves %d of the %d networks that it ran on within %v.", f.solved.part, f.solved.of, f.limit))
	}
	if r := f.exact; r.tells() {
		s = append(s, fmt.Sprintf("The canonical search %s tela.", pace(r.x)))
	}
	if r := f.learned; r.tells() {
		s = append(s, fmt.Sprintf("With the learned policy tela %s tela with the rules alone; in the paper it helps a small subset of models.", pace(r.x)))
	}
	var wide, narrow []string
	for _, p := range f.spreads {
		switch {
		case p.n < fewest || !finite(p.x):
		case p.x > nearFactor:
			wide = append(wide, fmt.Sprintf("%s (%s×)", p.name, comparison.Ratio(p.x)))
		default:
			narrow = append(narrow, p.name)
		}
	}
	if len(wide) > 0 {
		s = append(s, fmt.Sprintf("The slowest run is more than %g times the fastest, in the median, with %s.", nearFactor, list(wide)))
	}
	if len(narrow) > 0 {
		s = append(s, fmt.Sprintf("It is at most %g times with %s.", nearFactor, list(narrow)))
		if len(wide) == 0 {
			s[len(s)-1] = fmt.Sprintf("The slowest run is at most %g times the fastest, in the median, with %s. The paper sees the mixed integer program vary by much.", nearFactor, list(narrow))
		}
	}
	return s
}

// room is table 2: the heuristic's least memory over the least there is, and search at
// 1.07 times the least.
type room struct {
	over    []float64 // of the contention heuristic
	tela    solvedShare
	slowest float64 // of tela, in seconds
	milp    solvedShare
	limit   time.Duration
}

func (f room) say() []string {
	var s []string
	if n := len(f.over); n >= fewest {
		tight, theirs := 0, 0
		var paper []float64
		for _, x := range f.over {
			if x > 1.07 {
				tight++
			}
		}
		for _, q := range table2Paper {
			paper = append(paper, q.memory)
			if q.memory > 1.07 {
				theirs++
			}
		}
		a, b := comparison.GeometricMean(f.over), comparison.GeometricMean(paper)
		if finite(a) {
			text := "These networks are harder for the heuristic than the paper's"
			switch {
			case math.Abs(a-b) <= 0.01:
				text = "These networks are as hard for the heuristic as the paper's"
			case a < b:
				text = "These networks are easier for the heuristic than the paper's"
			}
			s = append(s, fmt.Sprintf("%s: %d of %d need more than 7%% above the least height, of the paper's %d of %d.", text, tight, n, theirs, len(table2Paper)))
		}
	}
	if f.tela.of > 0 {
		text := fmt.Sprintf("At 1.07 times the least height tela solves %d of %d", f.tela.part, f.tela.of)
		if f.tela.part > 0 {
			text += ", the slowest in " + picture.Seconds(f.slowest)
		}
		s = append(s, text+"; in the paper its two models take less than a second.")
	}
	if f.milp.of > 0 {
		s = append(s, fmt.Sprintf("There the mixed integer program solves %d of %d within %v.", f.milp.part, f.milp.of, f.limit))
	}
	return s
}

// alone is figure 14: what one strategy alone costs beside all three.
type alone struct {
	inputs, failed int       // of all three, as published
	failures       []float64 // of each strategy alone over those of all three; empty if those fail on none
	steps          []float64 // of each over those of all three, where both succeed
	fails          []int     // of each strategy alone
}

func (f alone) verdict() string {
	switch {
	case f.inputs == 0:
		return notRun
	case f.inputs < fewestShare || f.failed < fewest || len(f.failures) == 0:
		return tooFew
	}
	low, high := slices.Min(f.failures), slices.Max(f.failures)
	switch {
	case !finite(low) || !finite(high):
		return notRun
	case high < 27/nearFactor:
		return behind
	case low > 37*nearFactor:
		return ahead
	case low >= 27/nearFactor && high <= 37*nearFactor:
		return level
	}
	return unlike
}

func (f alone) say() []string {
	if f.inputs < fewestShare || len(f.fails) == 0 {
		return nil
	}
	var s []string
	least, most := slices.Min(f.fails), slices.Max(f.fails)
	switch {
	case f.failed == 0 && most == 0:
		return []string{fmt.Sprintf("Nothing fails on any of the %d inputs: they distinguish nothing.", f.inputs)}
	case f.failed < least:
		s = append(s, fmt.Sprintf("All three strategies together fail least, on %d of %d inputs; each alone fails on %d to %d.", f.failed, f.inputs, least, most))
	case f.failed == least:
		s = append(s, fmt.Sprintf("All three strategies together fail on %d of %d inputs, as one of them does alone; the others fail on up to %d.", f.failed, f.inputs, most))
	default:
		s = append(s, fmt.Sprintf("A strategy alone fails less than all three together, unlike in the paper: %d and %d of %d inputs.", least, f.failed, f.inputs))
	}
	if len(f.steps) > 0 && finite(slices.Min(f.steps)) && finite(slices.Max(f.steps)) {
		low, high := slices.Min(f.steps), slices.Max(f.steps)
		switch {
		case low > 1:
			s = append(s, fmt.Sprintf("Where both succeed, a strategy alone takes %.2f to %.2f times the steps; in the paper 1.36 to 1.80 times.", low, high))
		case high <= 1:
			s = append(s, fmt.Sprintf("Where both succeed, no strategy alone takes more steps (%.2f to %.2f times), unlike in the paper.", low, high))
		default:
			s = append(s, fmt.Sprintf("Where both succeed, not every strategy alone takes more steps (%.2f to %.2f times), unlike in the paper.", low, high))
		}
	}
	return s
}

// backtracks is figure 15.
type backtracks struct {
	portions [][2]int64 // with the rules and with the model, of what both were run on
	inputs   int        // against the paper's rules
	hard     int
	improved int
	worse    int
	coin     int // hard inputs that a coin improves
}

// verdict is of the hard inputs that the model improves, against the paper's rules.
func (f backtracks) verdict() string {
	return judgeShare(102.0/117, f.improved, f.hard, fewestShare, more)
}

// idle reports whether no portion takes a backtrack.
func (f backtracks) idle() bool {
	return !slices.ContainsFunc(f.portions, func(p [2]int64) bool { return p[0] > 0 || p[1] > 0 })
}

func (f backtracks) say() []string {
	var s []string
	if n := len(f.portions); n > 0 {
		fewer, as, more := 0, 0, 0
		for _, p := range f.portions {
			switch {
			case p[1] < p[0]:
				fewer++
			case p[1] == p[0]:
				as++
			default:
				more++
			}
		}
		if f.idle() {
			s = append(s, fmt.Sprintf("None of the %d portions takes a backtrack, with the rules or with the model: they distinguish nothing, and there is no picture of them.", n))
		} else {
			s = append(s, fmt.Sprintf("Of %d portions the model takes fewer backtracks on %d, as many on %d and more on %d.", n, fewer, as, more))
		}
	}
	switch {
	case f.inputs == 0:
	case f.hard < fewestShare:
		s = append(s, fmt.Sprintf("%d of %d inputs are hard, which is too few to tell whether the model helps.", f.hard, f.inputs))
	default:
		s = append(s, fmt.Sprintf("%d of %d inputs are hard. The model improves %s of them (the paper's 87%%) and makes %s worse.", f.hard, f.inputs, percent(float64(f.improved)/float64(f.hard)), percent(float64(f.worse)/float64(f.hard))))
		switch {
		case f.coin < f.improved:
			s = append(s, fmt.Sprintf("A coin in its place improves %s.", percent(float64(f.coin)/float64(f.hard))))
		case f.coin == f.improved:
			s = append(s, "A coin in its place improves as many: the model is worth nothing here.")
		default:
			s = append(s, fmt.Sprintf("A coin in its place improves more (%s).", percent(float64(f.coin)/float64(f.hard))))
		}
	}
	return s
}

// sayScore is figure 16's, in nanoseconds.
func sayScore(nanos float64, trees int) string {
	if !finite(nanos) || nanos <= 0 {
		return ""
	}
	return fmt.Sprintf("A score of %d trees takes %.2f µs here, and one of 100 trees 2 µs in the paper, on another machine. A model is asked only at a major backtrack.", trees, nanos/1000)
}

// A place is a feature's of figure 17, from 1.
type place struct {
	name  string
	of    int
	first bool // the paper has it among the first, rather than the last
	at    int  // 0 if the feature is not known
}

// features is figure 17.
type features struct {
	samples int
	places  []place
	top     string // the feature that counts most
	ours    bool   // which is not the paper's
}

// fewestFeatures is how many samples tell an order of features.
const fewestFeatures = 200

func (f features) verdict() string {
	switch {
	case f.samples == 0 || len(f.places) == 0:
		return notRun
	case f.samples < fewestFeatures:
		return tooFew
	}
	for _, p := range f.places {
		if !p.as() {
			return unlike
		}
	}
	return level
}

// as reports whether a feature is in the third of the order that the paper has it in.
func (p place) as() bool {
	if p.at == 0 {
		return false
	}
	if p.first {
		return 3*p.at <= p.of+2
	}
	return 3*p.at > 2*p.of
}

func (f features) say() []string {
	if f.samples < fewestFeatures {
		if f.samples == 0 {
			return nil
		}
		return []string{fmt.Sprintf("%d samples are too few to tell an order.", f.samples)}
	}
	var s, as, not []string
	for _, p := range f.places {
		where := "first"
		if !p.first {
			where = "last"
		}
		text := fmt.Sprintf("%s (place %d of %d, in the paper among the %s)", p.name, p.at, p.of, where)
		if p.as() {
			as = append(as, text)
		} else {
			not = append(not, text)
		}
	}
	whose := "one of the paper's"
	if f.ours {
		whose = "ours and not in the paper"
	}
	s = append(s, fmt.Sprintf("The feature that counts most is %s, which is %s.", f.top, whose))
	if len(as) > 0 {
		s = append(s, "In the third of the order where the paper has them: "+list(as)+".")
	}
	if len(not) > 0 {
		s = append(s, "Not there: "+list(not)+".")
	}
	return s
}

// packings is figure 18: shares of the traffic, network by network, with best fit, with
// tela and with auto.
type packings [][3]float64

// alike is within how much of one another shares are the same.
const alike = 0.0005

// apart is how many networks have shares that differ.
func (f packings) apart() (n int) {
	for _, x := range f {
		if slices.Max(x[:])-slices.Min(x[:]) > alike {
			n++
		}
	}
	return n
}

func (f packings) say() []string {
	n := len(f)
	if n == 0 {
		return nil
	}
	if f.apart() == 0 {
		return []string{fmt.Sprintf("On all %d networks the three planners let in the same share: these inputs distinguish nothing.", n)}
	}
	s := []string{fmt.Sprintf("The planners let in different shares on %d of %d networks.", f.apart(), n)}
	for k, name := range []string{"tela", "auto"} {
		up, down := 0, 0
		for _, x := range f {
			switch d := x[k+1] - x[0]; {
			case d > alike:
				up++
			case d < -alike:
				down++
			}
		}
		s = append(s, fmt.Sprintf("%s lets in more than best fit on %d and less on %d.", name, up, down))
	}
	return s
}

// wave is figure 19: a network's load over its peak, in stretches of time.
type wave struct {
	name      string
	high      [][2]float64 // stretches of 60% of the peak and more, as shares of the time
	buffers   int
	nodes     int64
	solved    bool
	attempted bool
}

// verdict compares the shape with OpenPose's: high at the beginning, and then high and low in
// turn.
func (f wave) verdict() string {
	switch {
	case len(f.high) == 0:
		return notRun
	case f.high[0][0] <= 0.1 && len(f.high) >= 3:
		return level
	}
	return unlike
}

func (f wave) say() []string {
	var s []string
	if n := len(f.high); n > 0 {
		if f.verdict() == level {
			s = append(s, fmt.Sprintf("%s has the shape that the paper describes: a high phase at the beginning, and %d more with low ones between.", f.name, n-1))
		} else {
			count := fmt.Sprintf("%d stretches above 60%% of the peak, the first of which begins", n)
			if n == 1 {
				count = "one stretch above 60% of the peak, which begins"
			}
			s = append(s, fmt.Sprintf("%s does not have the shape that the paper describes: it has %s after %s of the time and the last of which ends after %s.", f.name, count, percent(f.high[0][0]), percent(f.high[n-1][1])))
			if n == 1 {
				s[0] = fmt.Sprintf("%s does not have the shape that the paper describes: it has %s after %s of the time and ends after %s.", f.name, count, percent(f.high[0][0]), percent(f.high[0][1]))
			}
		}
	}
	switch {
	case !f.attempted || f.buffers == 0:
	case f.solved:
		s = append(s, fmt.Sprintf("tela plans it at 110%% of its least height in %.1f steps a buffer.", float64(f.nodes)/float64(f.buffers)))
	default:
		s = append(s, "tela does not plan it at 110% of its least height.")
	}
	return s
}
