// Package instance finds the problems that the benchmarks run on.
package instance

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/public"
	"github.com/stowage-go/stowage/model"
)

// An Instance is a problem in a file, with the capacity to plan it for.
type Instance struct {
	Name     string // the file's name up to the first period
	Path     string
	Capacity int64 // 0 for none
	Problem  *model.Problem
}

// ErrNoData means that the public instances are not on this machine.
var ErrNoData = errors.New("no public instances: name files, or set STOWAGE_DATA to their folder")

// Load reads the files that the patterns match, by name; without patterns those
// in the folder set ("challenging") of public.Dir. A file called NAME.CAPACITY.csv has
// its capacity in its name, as google/minimalloc's benchmarks do.
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
			name, capacity := parse(path)
			if capacity == 0 {
				capacity = p.Capacity
			}
			all = append(all, Instance{name, path, capacity, p})
		}
	}
	slices.SortStableFunc(all, func(a, b Instance) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// parse splits NAME.CAPACITY.csv.
func parse(path string) (name string, capacity int64) {
	parts := strings.Split(filepath.Base(path), ".")
	if len(parts) == 3 {
		if c, err := strconv.ParseInt(parts[1], 10, 64); err == nil && c > 0 {
			capacity = c
		}
	}
	return parts[0], capacity
}
