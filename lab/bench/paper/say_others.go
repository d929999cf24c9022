package main

import (
	"fmt"

	"github.com/stowage-go/stowage/internal/comparison"
)

// The sentences of the sections on IREE Wave and on the slides: figures in, sentences out
// (judge.go).

// sayLeast says how far a plan is above the lowest.
func sayLeast(height, lowest int64, proven bool) string {
	switch {
	case height <= 0 || lowest <= 0:
		return ""
	case height == lowest && proven:
		return "No plan is lower: the page's is as low as any can be."
	case height == lowest:
		return "No lower plan was found."
	}
	return fmt.Sprintf("A plan of %d is lower.", lowest)
}

// saySameOrders says of two kinds of small problems what share of their orders ends in the
// plan of another order.
func saySameOrders(network, overlapping float64, buffers int) string {
	if !finite(network) || !finite(overlapping) {
		return ""
	}
	const over = 0.99
	switch {
	case network > over && overlapping > over:
		return fmt.Sprintf("With %d buffers the share is over 99%% of both kinds, as on the slides.", buffers)
	case network > over || overlapping > over:
		return fmt.Sprintf("With %d buffers the share is over 99%% of one of the two kinds of problems.", buffers)
	}
	return fmt.Sprintf("With %d buffers the share is 99%% or less of both kinds of problems: it depends on the problem, and the slides do not say which theirs is of.", buffers)
}

// pruned is what dominance saves: shares of the nodes, and of the time of what takes a
// millisecond.
type pruned struct {
	cut, timed []float64
	limited    int // problems that come to the limit with it
}

func (f pruned) text() string {
	if len(f.cut) == 0 {
		return notRun
	}
	text := fmt.Sprintf("%s of the nodes of %d problems", percent(comparison.Mean(f.cut)), len(f.cut))
	if len(f.timed) > 0 {
		text += fmt.Sprintf(", %s of the time of the %d that take a millisecond", percent(comparison.Mean(f.timed)), len(f.timed))
	}
	if f.limited > 0 {
		text += fmt.Sprintf("; %d more come to the limit with it", f.limited)
	}
	return text
}

func (f pruned) verdict() string {
	switch {
	case len(f.cut) == 0:
		return notRun
	case len(f.cut) < fewest:
		return tooFew
	}
	return comparePoints(0.6, comparison.Mean(f.cut), neither)
}

func (f pruned) say() []string {
	if len(f.cut) < fewest || !finite(comparison.Mean(f.cut)) {
		return nil
	}
	nothing := 0
	for _, x := range f.cut {
		if x <= 0 {
			nothing++
		}
	}
	if nothing == len(f.cut) && len(f.timed) == 0 {
		return []string{fmt.Sprintf("Dominance saves no node on any of the %d problems, and none takes a millisecond: they distinguish nothing.", nothing)}
	}
	s := []string{fmt.Sprintf("Dominance saves no node on any of the %d problems.", nothing)}
	if nothing < len(f.cut) {
		s[0] = fmt.Sprintf("Dominance saves %s of the nodes in the mean; on %d of %d problems it saves none.", percent(comparison.Mean(f.cut)), nothing, len(f.cut))
	}
	if n := len(f.timed); n > 0 && n < fewest {
		s = append(s, fmt.Sprintf("%d of them take a millisecond, too few to tell what it is worth in time.", n))
	}
	if n := len(f.timed); n >= fewest && finite(comparison.Mean(f.timed)) {
		switch x := comparison.Mean(f.timed); {
		case x < -nearPoints:
			s = append(s, fmt.Sprintf("It costs time: %s of that of the %d problems that take a millisecond.", percent(-x), n))
		case x > nearPoints:
			s = append(s, fmt.Sprintf("It saves %s of the time of the %d problems that take a millisecond.", percent(x), n))
		default:
			s = append(s, fmt.Sprintf("The time of the %d problems that take a millisecond is the same within 5%%.", n))
		}
	}
	return s
}
