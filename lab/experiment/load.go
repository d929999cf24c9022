// Package experiment finds the problems that the programs in bench run on.
package experiment

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/testkit/public"
)

// ErrNoData means that the public instances are not on this machine.
var ErrNoData = errors.New("no public instances: name files, or set STOWAGE_DATA to their folder")

// Load reads the files that the patterns match, in the order of their names; without patterns those in the folder set
// ("challenging") of public.Dir. A file called NAME.CAPACITY.csv has its capacity in its name, as google/minimalloc's
// benchmarks do.
func Load(set string, patterns []string) ([]comparison.Instance, error) {
	if len(patterns) == 0 {
		data := public.Dir()
		if data == "" {
			return nil, ErrNoData
		}
		patterns = []string{filepath.Join(data, set, "*.csv")}
	}
	var all []comparison.Instance
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
			_, capacity := comparison.NameOf(path)
			if capacity == 0 {
				capacity = p.Capacity
			}
			all = append(all, comparison.FromFile(path, p, capacity))
		}
	}
	slices.SortStableFunc(all, func(a, b comparison.Instance) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}
