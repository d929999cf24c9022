package learn

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	files "github.com/stowage-go/stowage/format"
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

// A Corpus says what inputs there are: files, generated problems, or both.
type Corpus struct {
	Files       []string
	First, Last uint64  // seeds of Generated; none where they are equal
	Percents    []int64 // capacities, in percent of the lower bound
}

// ParseSeeds reads FROM:TO.
func ParseSeeds(text string) (first, last uint64, err error) {
	from, to, _ := strings.Cut(text, ":")
	first, err1 := strconv.ParseUint(from, 10, 32)
	last, err2 := strconv.ParseUint(to, 10, 32)
	if err1 != nil || err2 != nil || first >= last {
		return 0, 0, errors.New("must be FROM:TO with FROM under TO")
	}
	return first, last, nil
}

// CheckPercents refuses a capacity that makes no sense, by its value.
func CheckPercents(percents []int64) (bad int64, err error) {
	for _, percent := range percents {
		if percent < 100 || percent > 1000 {
			return percent, errors.New("must be from 100 to 1000")
		}
	}
	return 0, nil
}

// Inputs reads the files and generates the rest.
func (c *Corpus) Inputs() ([]Input, error) {
	var all []Input
	for _, path := range c.Files {
		p, _, err := files.ReadProblem(path)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		all = append(all, Inputs(name, p, c.Percents)...)
	}
	generated, err := Generated(c.First, c.Last, c.Percents)
	return append(all, generated...), err
}

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
