package learn

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	files "github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/gen"
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
	Files    []string
	Seeds    []Seeds  // of Generated
	Kinds    []string // of Generated; nil for DefaultKinds
	Percents []int64  // capacities, in percent of the lower bound
}

// Seeds are those from First to Last, the last excluded.
type Seeds struct{ First, Last uint64 }

// String writes them as ParseSeeds reads them.
func (s Seeds) String() string { return fmt.Sprintf("%d:%d", s.First, s.Last) }

// ParseSeeds reads FROM:TO.
func ParseSeeds(text string) (s Seeds, err error) {
	from, to, _ := strings.Cut(text, ":")
	first, err1 := strconv.ParseUint(from, 10, 32)
	last, err2 := strconv.ParseUint(to, 10, 32)
	if err1 != nil || err2 != nil || first >= last {
		return s, errors.New("must be FROM:TO, with FROM below TO")
	}
	return Seeds{first, last}, nil
}

// CheckKind refuses a generator that there is not, and one of a single problem.
func CheckKind(kind string) error {
	name, buffers, sized := strings.Cut(kind, ":")
	known := slices.ContainsFunc(gen.Kinds(), func(k gen.Kind) bool { return k.Name == name && len(k.Takes) > 0 })
	if n, err := strconv.Atoi(buffers); !known || sized && (err != nil || n < 1) {
		return errors.New("must be a generator of stowage gen, or GENERATOR:BUFFERS")
	}
	return nil
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
	for _, s := range c.Seeds {
		generated, err := Generated(s, c.Kinds, c.Percents)
		if err != nil {
			return nil, err
		}
		all = append(all, generated...)
	}
	return all, nil
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

// Packings are generators of what no network has, and what makes tela backtrack.
var Packings = []string{"random", "high-overlap", "perfect", "pinwheel"}

// DefaultKinds are the generators to learn from: packings, and training steps, which
// of the programs shaped like networks are among those that make tela backtrack. The
// others that do, tiles, are left to be measured on. Inferences and transformers are
// solved at once, at 100% too.
var DefaultKinds = append(slices.Clone(Packings), "training:100")

// Generated returns problems of generators, KIND or KIND:BUFFERS, nil for
// DefaultKinds, with each of the seeds at each of the capacities.
func Generated(seeds Seeds, kinds []string, percents []int64) ([]Input, error) {
	if kinds == nil {
		kinds = DefaultKinds
	}
	var all []Input
	for seed := seeds.First; seed < seeds.Last; seed++ {
		for _, kind := range kinds {
			if err := CheckKind(kind); err != nil {
				return nil, fmt.Errorf("%q: %w", kind, err)
			}
			name, buffers, _ := strings.Cut(kind, ":")
			n, _ := strconv.Atoi(buffers)
			p, err := gen.Generate(name, gen.Options{Seed: seed, Buffers: n})
			if err != nil {
				return nil, err
			}
			all = append(all, Inputs(p.Name, p, percents)...)
		}
	}
	return all, nil
}
