package core

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Status is how far a sweep is. Runs are rows, done or to be done.
type Status struct {
	Tasks, TasksDone int
	Runs, RunsDone   int
	RunsDead         int      // of tasks that were given up
	Missing          []string // tasks that are neither done nor given up, by Task.Name
	Trying           int      // tasks that a worker is at, or has died with
	Dead             []Dead   // what was given up, and files that cannot be read
	Version          string   // of Stowage
	Spec             string   // the file
}

// Complete reports whether nothing is left to do. There may be dead.
func (s *Status) Complete() bool { return s.RunsDone+s.RunsDead >= s.Runs }

// ReadStatus tells how far a sweep is, from its files alone.
func ReadStatus(ctx context.Context, s Store) (*Status, error) {
	j, err := ReadJob(ctx, s)
	if err != nil {
		return nil, err
	}
	if j == nil {
		return nil, fs.ErrNotExist
	}
	return j.Status(ctx, s)
}

// Status is ReadStatus for a job that was read.
func (j *Job) Status(ctx context.Context, s Store) (*Status, error) {
	files, err := runKeys(ctx, s)
	if err != nil {
		return nil, err
	}
	out := &Status{Tasks: len(j.Tasks), Runs: j.Before, RunsDone: j.Before, Version: j.Version, Spec: j.Spec}
	if out.Dead, err = readDead(ctx, s); err != nil {
		return nil, err
	}
	dead := map[string]bool{}
	for _, d := range out.Dead {
		dead[d.Task] = true
	}
	for k, key := range j.Tasks {
		out.Runs += j.Runs[k]
		switch {
		case files[key]:
			out.TasksDone++
			out.RunsDone += j.Runs[k]
		case dead[key]:
			out.RunsDead += j.Runs[k]
		default:
			out.Missing = append(out.Missing, j.Names[k])
		}
	}
	tries, err := s.List(ctx, "try")
	if err != nil {
		return nil, err
	}
	trying := map[string]bool{}
	for _, name := range tries {
		key, _, _ := strings.Cut(strings.TrimPrefix(name, "try/"), ".")
		trying[key] = !dead[key]
	}
	for _, at := range trying {
		if at {
			out.Trying++
		}
	}
	out.Dead = append(out.Dead, j.Unread...)
	return out, nil
}

// Progress returns how many runs are done, and how many there are: Status at the price of one listing.
func (j *Job) Progress(ctx context.Context, s Store) (done, runs int, err error) {
	files, err := runKeys(ctx, s)
	if err != nil {
		return 0, 0, err
	}
	done, runs = j.Before, j.Before
	for k, key := range j.Tasks {
		runs += j.Runs[k]
		if files[key] {
			done += j.Runs[k]
		}
	}
	return done, runs, nil
}

// readDead returns the units that were given up, sorted.
func readDead(ctx context.Context, s Store) (all []Dead, err error) {
	names, err := s.List(ctx, "dead")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := s.Read(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var d Dead
		if err := json.Unmarshal(data, &d); err != nil {
			return nil, damaged(s, name, fmt.Sprintf("is damaged: %v; remove it, or run the sweep again with --retry-dead", err))
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b Dead) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Planner, b.Planner), cmp.Compare(a.Task, b.Task))
	})
	return all, nil
}

// WriteDead writes dead.jsonl: a line for each unit that was given up, and for each file that cannot
// be read. Without any it is removed.
func (st *Status) WriteDead(ctx context.Context, s Store) error {
	const name = "dead.jsonl"
	if len(st.Dead) == 0 {
		return s.Remove(ctx, name)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	for _, d := range st.Dead {
		if err := e.Encode(d); err != nil {
			return err
		}
	}
	return s.Write(ctx, name, out.Bytes())
}

// Tidy removes what only a sweep that runs needs: lists of tasks, markers but for those of the dead, and
// what processes that died had begun to write. The sweep must be complete.
func (st *Status) Tidy(ctx context.Context, s Store) error {
	dead := map[string]bool{}
	for _, d := range st.Dead {
		dead[d.Task] = true
	}
	for _, folder := range []string{"runs", "todo", "try"} {
		if l, ok := s.(local); ok {
			if err := l.drop(folder); err != nil {
				return err
			}
		}
		if folder == "runs" {
			continue
		}
		names, err := s.List(ctx, folder)
		if err != nil {
			return err
		}
		for _, name := range names {
			key, _, _ := strings.Cut(strings.TrimPrefix(name, "try/"), ".")
			if dead[key] {
				continue
			}
			if err := s.Remove(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Raise forgets the dead and all attempts, so that they are tried again.
func Raise(ctx context.Context, s Store) error {
	for _, folder := range []string{"dead", "try"} {
		names, err := s.List(ctx, folder)
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := s.Remove(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}
