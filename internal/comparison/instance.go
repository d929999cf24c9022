package comparison

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/digest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// An Instance is a problem of a comparison.
type Instance struct {
	Name       string // short, and distinct within a request
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
	name, _ := NameOf(path)
	in := NewInstance(name, p, capacity)
	in.Path = path
	return in
}

// NameOf returns a file's own name without folder and extension, and the
// capacity that it may carry, as in A.1048576.csv; 0 for none.
func NameOf(path string) (name string, capacity int64) {
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

// DistinctNames makes the names of the instances distinct: a file's path in place of its name if two share that, and a
// number if it is the same file, a mistake that is then easy to see.
func DistinctNames(instances []Instance) {
	count := map[string]int{}
	for _, in := range instances {
		count[in.Name]++
	}
	seen := map[string]int{}
	for k := range instances {
		in := &instances[k]
		if count[in.Name] > 1 && in.Path != "" { // one that was generated has no path
			in.Name = filepath.ToSlash(in.Path)
		}
		if seen[in.Name]++; seen[in.Name] > 1 {
			in.Name = fmt.Sprintf("%s (%d)", in.Name, seen[in.Name])
		}
	}
}
