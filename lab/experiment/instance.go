package experiment

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/digest"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// An Instance is a problem of an experiment.
type Instance struct {
	Name       string // short, and distinct within an experiment
	Path       string // of its file; empty for one that was generated
	Problem    *model.Problem
	Digest     string
	Capacity   int64 // to plan for; 0 for none
	Load       int64 // the contention peak
	LowerBound int64
}

// NewInstance prepares a valid problem.
func NewInstance(name string, p *model.Problem, capacity int64) Instance {
	tl := timeline.New(p)
	return Instance{
		Name: name, Problem: p, Digest: digest.Of(p), Capacity: capacity,
		Load: tl.MaxLoad, LowerBound: tl.LowerBound,
	}
}

// FromFile prepares the problem of a file, which gives it its name.
func FromFile(path string, p *model.Problem, capacity int64) Instance {
	name, _ := splitName(path)
	in := NewInstance(name, p, capacity)
	in.Path = path
	return in
}

// splitName returns a file's own name without folder and extension, and the
// capacity that it may carry, as in A.1048576.csv; 0 for none.
func splitName(path string) (name string, capacity int64) {
	name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if stem, rest, ok := strings.Cut(name, "."); ok {
		if c, err := strconv.ParseInt(rest, 10, 64); err == nil {
			return stem, max(c, 0)
		}
	}
	return name, 0
}

// Ratio is a height over the load.
func (in *Instance) Ratio(height int64) float64 {
	return float64(height) / float64(max(in.Load, 1))
}

// ErrNoData means that the public instances are not on this machine.
var ErrNoData = errors.New("no public instances: name files, or set STOWAGE_DATA to their folder")

// Load reads the files that the patterns match, in the order of their names;
// without patterns those in the folder set ("challenging") of public.Dir. A file
// called NAME.CAPACITY.csv has its capacity in its name, as google/minimalloc's
// benchmarks do.
func Load(set string, patterns []string) ([]Instance, error) {
	if len(patterns) == 0 {
		data := public.Dir()
		if data == "" {
			return nil, ErrNoData
		}
		patterns = []string{filepath.Join(data, set, "*.csv")}
	}
	var all []Instance
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		if len(paths) == 0 {
			return nil, fmt.Errorf("%s: no such file", pattern)
		}
		for _, path := range paths {
			p, _, err := format.ReadProblem(path)
			if err != nil {
				return nil, err
			}
			if p.Ruled() {
				return nil, fmt.Errorf("%s: has rules, such as pools or pairs apart, which this command does not know yet", path)
			}
			_, capacity := splitName(path)
			if capacity == 0 {
				capacity = p.Capacity
			}
			all = append(all, FromFile(path, p, capacity))
		}
	}
	slices.SortStableFunc(all, func(a, b Instance) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// DistinctNames makes the names of the instances distinct: a file's path in
// place of its name where two share that, and a number where it is the same
// file, a mistake that is then easy to see.
func DistinctNames(instances []Instance) {
	count := map[string]int{}
	for _, in := range instances {
		count[in.Name]++
	}
	seen := map[string]int{}
	for k := range instances {
		in := &instances[k]
		if count[in.Name] > 1 {
			in.Name = filepath.ToSlash(in.Path)
		}
		if seen[in.Name]++; seen[in.Name] > 1 {
			in.Name = fmt.Sprintf("%s (%d)", in.Name, seen[in.Name])
		}
	}
}
