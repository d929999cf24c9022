package core

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/stowage-go/stowage/sweep/spec"
)

// Idea: the problems, the largest first, are cut into pieces of Spec.Chunk. Each piece with each planner is a task.
// That follows from the specification alone, so all shards cut alike. Large problems come first, so no machine is
// left with a long task at the end.
//
// A wider specification cuts differently. A task without a file leaves out the units that lie in other files, so only
// new units run. With the same specification every task is either done or not.
//
// Complexity: one listing of the files, and the reading of files with several units if the
// specification has changed since they were written.

// A Job is what a sweep is to do, as tasks.json has it.
type Job struct {
	Schema  int      `json:"schema"`
	Version string   `json:"version"`          // of Stowage
	Spec    string   `json:"spec"`             // the file
	Tasks   []string `json:"tasks"`            // keys, done or not
	Runs    []int    `json:"runs"`             // rows that each task makes
	Names   []string `json:"names"`            // of the tasks, for people
	Before  int      `json:"before"`           // runs that lie in files of other tasks
	Unread  []Dead   `json:"unread,omitempty"` // files that cannot be read
	Notes   []string `json:"-"`

	All  []Task `json:"-"` // Tasks in full
	Left []Task `json:"-"` // those that are not done and not dead, the large ones first
	Done int    `json:"-"` // runs that were done before
}

// jobFile is where a job lies.
const jobFile = "tasks.json"

// Cut returns the tasks of a specification and which of them are left.
func Cut(ctx context.Context, s *spec.Spec, l *Loaded, store Store, version string) (*Job, error) {
	j := &Job{Schema: Schema, Version: version, Spec: s.File, Unread: l.Unread, Notes: l.Notes}
	files, err := runKeys(ctx, store)
	if err != nil {
		return nil, err
	}
	dead, err := deadKeys(ctx, store)
	if err != nil {
		return nil, err
	}
	full := cut(s, l.Problems, version)
	wanted, missing := map[string]bool{}, false
	for k := range full {
		wanted[full[k].Key] = true
		missing = missing || !files[full[k].Key]
	}
	elsewhere := map[string]bool{} // units in files of other tasks
	if missing {
		if elsewhere, err = unitsOf(ctx, store, files, wanted); err != nil {
			return nil, err
		}
	}
	for _, t := range full {
		there := files[t.Key]
		if !there {
			rest := slices.DeleteFunc(slices.Clone(t.Units), func(u Unit) bool {
				if elsewhere[u.Key] {
					j.Before += len(u.Capacities)
				}
				return elsewhere[u.Key]
			})
			if len(rest) == 0 {
				continue
			}
			t = newTask(rest, version, t.Lane)
			there = files[t.Key]
		}
		j.Tasks, j.Runs, j.Names, j.All = append(j.Tasks, t.Key), append(j.Runs, t.Runs()), append(j.Names, t.Name()),
			append(j.All, t)
		alive := slices.ContainsFunc(t.Units, func(u Unit) bool { return !dead[u.Key] })
		switch {
		case there:
			j.Done += t.Runs()
		case alive:
			j.Left = append(j.Left, t)
		}
	}
	j.Done += j.Before
	return j, nil
}

// cut returns all tasks of a specification, those with large problems first.
func cut(s *spec.Spec, problems []Problem, version string) (tasks []Task) {
	problems = slices.Clone(problems)
	slices.SortFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(b.Buffers, a.Buffers), cmp.Compare(b.Load, a.Load), cmp.Compare(a.Digest, b.Digest),
			cmp.Compare(a.Order, b.Order))
	})
	piece := 0
	for chunk := range slices.Chunk(problems, max(s.Chunk, 1)) {
		for k, planner := range s.Planners {
			var units []Unit
			for _, p := range chunk {
				u := Unit{
					Problem: p, Planner: planner, Limits: Limits{s.Nodes, s.Timeout.Seconds(), s.Seed},
					Capacities: capacitiesOf(s, p.Load),
				}
				u.setKey(version)
				units = append(units, u)
			}
			// Otherwise a shard with every k-th task would have only the slow planners.
			tasks = append(tasks, newTask(units, version, piece+k))
		}
		piece++
	}
	return tasks
}

// capacitiesOf returns the capacities for a problem, ascending and each once.
func capacitiesOf(s *spec.Spec, load int64) (all []int64) {
	for _, c := range s.Capacities {
		all = append(all, c.Of(load))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Shard returns the tasks of shard i of n.
func Shard(tasks []Task, i, n int) []Task {
	return slices.DeleteFunc(slices.Clone(tasks), func(t Task) bool { return t.Lane%n != i })
}

// runKeys returns the keys of all files of runs.
func runKeys(ctx context.Context, s Store) (map[string]bool, error) {
	names, err := s.List(ctx, "runs")
	if err != nil {
		return nil, err
	}
	keys := map[string]bool{}
	for _, name := range names {
		if key, ok := keyOf(name); ok && runFile(key) == name {
			keys[key] = true
		}
	}
	return keys, nil
}

// deadKeys returns the keys of the units that were given up.
func deadKeys(ctx context.Context, s Store) (map[string]bool, error) {
	all, err := readDead(ctx, s)
	if err != nil {
		return nil, err
	}
	keys := map[string]bool{}
	for _, d := range all {
		keys[d.Task] = true
	}
	return keys, nil
}

// unitsOf returns the units in files that the present cut does not want: in files of several units, and the keys of
// files with one unit, since a larger task may want that unit.
func unitsOf(ctx context.Context, s Store, files, wanted map[string]bool) (map[string]bool, error) {
	units := map[string]bool{}
	for key := range files {
		if wanted[key] {
			continue
		}
		if len(key) == 2*keyBytes {
			units[key] = true
			continue
		}
		data, err := s.Read(ctx, runFile(key))
		if err != nil {
			return nil, err
		}
		rows, err := Decode(data, runFile(key))
		if err != nil {
			return nil, err
		}
		for k := range rows {
			units[rows[k].Task] = true
		}
	}
	return units, nil
}

// Save writes tasks.json.
func (j *Job) Save(ctx context.Context, s Store) error {
	data, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return s.Write(ctx, jobFile, append(data, '\n'))
}

// ReadJob reads tasks.json; nil if there is none.
func ReadJob(ctx context.Context, s Store) (*Job, error) {
	data, err := s.Read(ctx, jobFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	j := &Job{}
	switch err := json.Unmarshal(data, j); {
	case err != nil:
		return nil, damaged(s, jobFile, fmt.Sprintf("is damaged: %v; run the sweep again", err))
	case j.Schema == 0 || len(j.Tasks) != len(j.Runs) || len(j.Tasks) != len(j.Names):
		return nil, damaged(s, jobFile, "is damaged: it does not list tasks; run the sweep again")
	}
	return j, nil
}
