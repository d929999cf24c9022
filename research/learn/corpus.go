package learn

import (
	"fmt"

	"github.com/stowage-go/stowage/internal/suite"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// An Input is a problem at a capacity.
type Input struct {
	Name     string // of the problem, with the capacity in percent of the load
	Timeline *timeline.Timeline
	Capacity int64
}

// DefaultPercents are the capacities at which a problem is searched, in percent
// of its lower bound: the paper varies the memory of each model too.
var DefaultPercents = []int64{100, 102, 105, 108, 112, 120}

// Inputs returns the problem at each of the capacities. The problem must be
// valid.
func Inputs(name string, p *model.Problem, percents []int64) []Input {
	tl := timeline.New(p)
	var all []Input
	last := int64(0)
	for _, percent := range percents {
		capacity := tl.LowerBound/100*percent + tl.LowerBound%100*percent/100
		if capacity == last {
			continue
		}
		last = capacity
		all = append(all, Input{fmt.Sprintf("%s@%d", name, percent), tl, capacity})
	}
	return all
}

// kinds are the generators whose problems make tela backtrack.
var kinds = []string{"random", "high-overlap", "perfect", "pinwheel"}

// Generated returns the problems of the suite with seeds from first to last, the
// last excluded, at each of the capacities.
func Generated(first, last uint64, percents []int64) ([]Input, error) {
	var all []Input
	for seed := first; seed < last; seed++ {
		for _, kind := range kinds {
			p, err := suite.Generate(kind, suite.Options{Seed: seed})
			if err != nil {
				return nil, err
			}
			all = append(all, Inputs(p.Name, p, percents)...)
		}
	}
	return all, nil
}
