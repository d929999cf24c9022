package learn

import (
	"bufio"
	"encoding/csv"
	"io"
	"strconv"

	"github.com/stowage-go/stowage/internal/planners/tela"
)

// A Sample is a target of a major backtrack, with the score that a model should
// learn to give it.
type Sample struct {
	Input    string // problem and capacity
	Event    int    // number of the major backtrack within the input
	Point    int32  // of the target
	Best     int32  // the best target: the deepest point shared with the plan found
	Minimum  int32  // the minimum target: deeper ones cannot be completed
	Features tela.Features
	Score    float32
}

// Score is the label of target x, given the best and the minimum target:
// from 10 at the best, falling to over 5 at the minimum, and 0 outside.
//
// Source: section 6.4 of the paper.
func Score(x, best, minimum int32) float32 {
	if x < best || x > minimum {
		return 0
	}
	return 10 - 5*float32(x-best)/float32(minimum-best+1)
}

// Stands is the label that the model in the program has learned: 10 where the
// placements above the target can still be completed, else 0.
func (s *Sample) Stands() float32 {
	if s.Point <= s.Minimum {
		return 10
	}
	return 0
}

// WriteSamples writes samples as CSV, with a header.
func WriteSamples(w io.Writer, samples []Sample) error {
	out := csv.NewWriter(bufio.NewWriter(w))
	header := []string{"input", "event", "point", "best", "minimum"}
	header = append(header, tela.FeatureNames[:]...)
	if err := out.Write(append(header, "score")); err != nil {
		return err
	}
	integer := func(x int32) string { return strconv.Itoa(int(x)) }
	number := func(x float32) string { return strconv.FormatFloat(float64(x), 'g', -1, 32) }
	for k := range samples {
		s := &samples[k]
		row := []string{s.Input, strconv.Itoa(s.Event), integer(s.Point), integer(s.Best), integer(s.Minimum)}
		for _, x := range s.Features {
			row = append(row, number(x))
		}
		if err := out.Write(append(row, number(s.Score))); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
