package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/comparison"
)

// A summary has the gaps of all problems: auto's first, then those of the rivals.
type summary struct {
	gaps          [][]float64
	gains         [][]float64 // of each rival over XLA's order without repacks
	asked, helped map[string]int
}

// gap is what is missing to the bound, as a part of it.
func gap(value, bound int64) float64 {
	if bound == 0 {
		return 0
	}
	return 1 - float64(value)/float64(bound)
}

func percentOf(x float64) string {
	if x == 0 {
		return "="
	}
	return fmt.Sprintf("%.2f%%", 100*x)
}

// unpacked is the index of XLA's order without repacks in kept.
const unpacked = 3

// add takes the value that each way keeps.
func (s *summary) add(kept []int64, bound int64) {
	if s.gaps == nil {
		s.gaps, s.gains = make([][]float64, len(kept)), make([][]float64, len(kept))
	}
	for k, value := range kept {
		s.gaps[k] = append(s.gaps[k], gap(value, bound))
		if without := kept[unpacked]; without > 0 {
			s.gains[k] = append(s.gains[k], float64(value)/float64(without)-1)
		}
	}
}

// repacks counts what a rival asked for.
func (s *summary) repacks(name string, asked, helped int) {
	if s.asked == nil {
		s.asked, s.helped = map[string]int{}, map[string]int{}
	}
	s.asked[name] += asked
	s.helped[name] += helped
}

// table returns the medians.
func (s *summary) table() string {
	names := []string{"auto"}
	for _, r := range rivals {
		names = append(names, r.name)
	}
	var rows [][]string
	for k, name := range names {
		proven := 0
		for _, x := range s.gaps[k] {
			if x == 0 {
				proven++
			}
		}
		repacks := ""
		if s.asked[name] > 0 {
			repacks = fmt.Sprintf("%d of %d", s.helped[name], s.asked[name])
		}
		rows = append(rows, []string{
			name, strconv.Itoa(proven) + " of " + strconv.Itoa(len(s.gaps[k])),
			percentOf(comparison.Median(s.gaps[k])), percentOf(slices.Max(s.gaps[k])), percentOf(comparison.Median(s.gains[k])),
			percentOf(slices.Max(s.gains[k])), repacks,
		})
	}
	return comparison.NewTable([]string{
		"choice", "at the bound", "median gap", "largest gap", "median gain over XLA's order", "largest gain",
		"repacks that made room",
	}, rows).Markdown()
}
