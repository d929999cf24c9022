package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/bench/internal/record"
	"github.com/stowage-go/stowage/bench/ortools"
	"github.com/stowage-go/stowage/internal/suite"
)

// Idea: a sweep is a list of (problem, planner) pairs, each run until it has its
// repeats; what has been run is in the file, and is not run again. So hours of
// runs survive an interrupt, and a sweep can be widened later.
//
// Planners take turns on a problem, so that a slow spell of the machine meets
// all of them. Several problems at a time share its caches and memory: for
// shares solved that does no harm, for ratios of milliseconds it does.

// A cell is what is known of one planner on one problem.
type cell struct {
	Problem string    `json:"problem"`
	Planner string    `json:"planner"`
	Status  string    `json:"status"` // of the first run; "refused" where the planner cannot take the problem
	Nodes   int64     `json:"nodes"`  // of the first run
	Seconds []float64 `json:"seconds"`
	Why     string    `json:"why,omitempty"` // of a refusal
}

// solved reports whether the planner has an answer: a plan or a refutation.
func (c *cell) solved() bool {
	return c.Status == "feasible" || c.Status == "optimal" || c.Status == "infeasible"
}

// sweepFile is the JSON file of a sweep.
type sweepFile struct {
	Tool    string         `json:"tool"`
	Date    string         `json:"date"` // of the last run
	Machine record.Machine `json:"machine"`
	Limit   float64        `json:"limit"` // of a run, in seconds
	Cells   []*cell        `json:"cells"`

	path  string
	mu    sync.Mutex // guards Cells, at and what follows
	at    map[[2]string]*cell
	dirty bool
	saved time.Time
}

// open reads the file of a sweep, where it is there, and checks that it is of
// this limit.
func open(path string, limit time.Duration) (*sweepFile, error) {
	s := &sweepFile{Tool: "bench/papers", Limit: limit.Seconds(), path: path, at: map[[2]string]*cell{}}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		if err := json.Unmarshal(text, s); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if s.Limit != limit.Seconds() {
			return nil, fmt.Errorf("%s has runs with a limit of %g s; name another file with -results", path, s.Limit)
		}
	}
	for _, c := range s.Cells {
		s.at[[2]string{c.Problem, c.Planner}] = c
	}
	return s, nil
}

// cell returns the cell of a problem and a planner, nil for none.
func (s *sweepFile) cell(problem, planner string) *cell {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at[[2]string{problem, planner}]
}

// save writes the file, where anything is new.
func (s *sweepFile) save() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.saveLocked()
}

func (s *sweepFile) saveLocked() error {
	if !s.dirty {
		return nil
	}
	s.Date, s.Machine = record.Today(), record.ThisMachine()
	s.dirty, s.saved = false, time.Now()
	return record.WriteJSON(s.path, s)
}

// saveEvery is how much of a sweep may be lost.
const saveEvery = 10 * time.Second

// sweep runs what is missing, so many problems at a time.
func (s *sweepFile) sweep(ctx context.Context, problems []problem, planners []string, repeat, jobs int) error {
	for _, name := range planners {
		// Compiling HiGHS and the like is no part of the first problem's time.
		warm := suite.MiniMalloc()
		if _, err := solve(ctx, problem{"warm", warm, warm.Capacity}, name, time.Minute); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	s.saved = time.Now()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(jobs, 1))
	for k, q := range problems {
		group.Go(func() error {
			if err := s.turns(ctx, q, planners, repeat); err != nil {
				return err
			}
			return s.keep(fmt.Sprintf("%d of %d problems", k+1, len(problems)))
		})
	}
	return group.Wait()
}

// turns runs what is missing of one problem.
func (s *sweepFile) turns(ctx context.Context, q problem, planners []string, repeat int) error {
	for round := range max(repeat, 1) {
		for _, name := range planners {
			c := s.cell(q.name, name)
			// A run that reached the limit says all there is to say.
			if c != nil && (!c.solved() || len(c.Seconds) > round) {
				continue
			}
			if err := s.once(ctx, q, name); err != nil {
				return fmt.Errorf("%s on %s: %w", name, q.name, err)
			}
		}
	}
	return nil
}

// keep saves the file where the last time is long ago, and says how far the
// sweep is.
func (s *sweepFile) keep(progress string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dirty || time.Since(s.saved) < saveEvery {
		return nil
	}
	fmt.Fprintln(os.Stderr, "bench/papers:", progress)
	return s.saveLocked()
}

// once runs a planner on a problem and notes the outcome.
func (s *sweepFile) once(ctx context.Context, q problem, name string) error {
	run, err := solve(ctx, q, name, time.Duration(s.Limit*float64(time.Second)))
	if ended := ctx.Err(); ended != nil {
		return ended // interrupted: not a result
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.at[[2]string{q.name, name}]
	if c == nil {
		c = &cell{Problem: q.name, Planner: name, Status: run.status, Nodes: run.nodes, Why: run.why}
		s.Cells = append(s.Cells, c)
		s.at[[2]string{q.name, name}] = c
	}
	c.Seconds = append(c.Seconds, run.seconds)
	s.dirty = true
	return nil
}

// A result is the end of one run.
type result struct {
	status  string // of a cell
	why     string // of a refusal
	nodes   int64
	seconds float64
}

// cpSAT is the column of the outside peer.
const cpSAT = "cp-sat"

// solve runs a planner, or the peer, whose time is that of its model and solver
// and not that of starting Python. A problem that a planner cannot take is refused;
// the error is for what should not happen.
func solve(ctx context.Context, q problem, name string, limit time.Duration) (result, error) {
	if name == cpSAT {
		p := *q.p
		p.Capacity = q.capacity
		out, err := ortools.Run(ctx, []*stowage.Problem{&p}, "--timeout", fmt.Sprint(limit.Seconds()))
		if err != nil {
			return result{}, err
		}
		return result{status: out[0].Status, seconds: out[0].Seconds}, nil
	}
	began := time.Now()
	r, err := stowage.Solve(ctx, q.p, stowage.Options{Planner: name, Capacity: q.capacity, Timeout: limit, Workers: 1})
	took := time.Since(began).Seconds()
	switch {
	case errors.Is(err, stowage.ErrInvalidPlan):
		return result{}, err
	case err != nil:
		return result{status: "refused", why: err.Error(), seconds: took}, nil
	}
	return result{status: r.Status.String(), nodes: r.Stats.Nodes, seconds: took}, nil
}
