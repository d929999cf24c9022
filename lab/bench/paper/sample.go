package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/comparison"
)

// readRuns reads a file of runs, compressed if its name ends in .gz.
func readRuns(path string) (runs []comparison.Run, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	for {
		var run comparison.Run
		if err := d.Decode(&run); err == io.EOF {
			return runs, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: run %d: %w", path, len(runs)+1, err)
		}
		runs = append(runs, run)
	}
}

// sample returns the section's runs: its problems at its limit, or all. A problem is a row, a planner of the section
// a column. If a run was made twice, the later one counts.
func (s *section) sample(runs []comparison.Run, all bool) *comparison.Result {
	type problem struct {
		digest   string
		capacity int64
	}
	c := &comparison.Result{}
	at := map[problem]int{}
	named, there := map[string]int{}, map[string]bool{}
	mine := slices.DeleteFunc(slices.Clone(runs), func(r comparison.Run) bool {
		return !slices.Contains(s.planners, r.Planner) ||
			!all && (r.Timeout != s.limit || !s.problems.MatchString(r.Name))
	})
	for _, r := range mine {
		there[r.Planner] = true
		p := problem{r.Problem, r.Capacity}
		if _, ok := at[p]; !ok {
			at[p] = len(c.Instances)
			c.Instances = append(
				c.Instances,
				comparison.Instance{Name: r.Name, Digest: r.Problem, Capacity: r.Capacity},
			)
			named[r.Name]++
		}
	}
	for i := range c.Instances { // a sweep asks for several capacities under one name
		if in := &c.Instances[i]; named[in.Name] > 1 {
			in.Name = fmt.Sprintf("%s@%d", in.Name, in.Capacity)
		}
	}
	for _, name := range s.planners {
		if there[name] {
			c.Planners = append(c.Planners, name)
		}
	}
	for range c.Instances {
		c.Cells = append(c.Cells, make([]comparison.Cell, len(c.Planners)))
	}
	for _, r := range mine {
		cell := &c.Cells[at[problem{r.Problem, r.Capacity}]][slices.Index(c.Planners, r.Planner)]
		if k := slices.IndexFunc(*cell, func(o comparison.Run) bool { return o.Repeat == r.Repeat }); k >= 0 {
			(*cell)[k] = r
		} else {
			*cell = append(*cell, r)
		}
	}
	return c
}

// revision is that of the source, which runs note beside machine and day.
var revision = regexp.MustCompile(`, ([0-9a-f]{10}(-dirty)?|unknown revision)\b`)

// machines says on what and on which days runs were made.
func machines(c *comparison.Result) string {
	on := map[string]bool{}
	for _, cells := range c.Cells {
		for _, cell := range cells {
			for k := range cell {
				on[revision.ReplaceAllString(cell[k].On, "")] = true
			}
		}
	}
	delete(on, "")
	return strings.Join(slices.Sorted(maps.Keys(on)), "; ")
}
