package comparison

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Idea: a request is a list of (problem, planner) pairs, each run until it has its repeats; what has been run is in the
// cache, and is not run again. So hours of runs survive an interrupt, and a request can be widened later.
//
// Planners take turns on a problem, so that a slow spell of the machine meets all of them. Several problems at a time
// share its caches and memory: for shares solved that does no harm, for ratios of milliseconds it does.

// A Request says what is run.
type Request struct {
	Planners  []string
	Instances []Instance
	// Ask is what is asked of every pair: the limits, workers, seed, and whether any plan that fits will do.
	Ask    Run
	Repeat int // runs of a pair; 0 means 1
	Jobs   int // problems at a time; 0 means 1
	// Optimum is for how long exact search looks for the lowest height of a
	// problem that no planner proves; 0 is not at all.
	Optimum time.Duration
	// Peers answer for names in Planners, whether these are registered planners or not.
	Peers map[string]Peer
	// Visited says that runs note the nodes of their search, and On, if it is not empty, what they ran on.
	Visited bool
	On      string
	// Begin and Tick, if they are not nil, are called when a problem begins and after each of its planners, the search
	// for the optimum included; from several goroutines if there are several jobs.
	Begin, Tick func(instance int)
}

// Run makes all runs that the cache does not have. If the context ends it returns what there is by then. The error is
// of the cache: what goes wrong in a planner is in its runs.
func (s *Request) Run(ctx context.Context, cache *Cache) (*Result, error) {
	c := &Result{
		Planners: s.Planners, Instances: s.Instances,
		Cells: make([][]Cell, len(s.Instances)), Extra: make([]*Run, len(s.Instances)),
	}
	// An error ends the other jobs, but is no interruption of what they run.
	var failed error
	var mu sync.Mutex
	stop := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return failed != nil || ctx.Err() != nil
	}
	todo := make(chan int)
	var jobs sync.WaitGroup
	for range max(s.Jobs, 1) {
		jobs.Go(func() {
			for k := range todo {
				if err := s.instance(ctx, cache, c, k, stop); err != nil {
					mu.Lock()
					failed = errors.Join(failed, err)
					mu.Unlock()
				}
			}
		})
	}
	for k := range s.Instances {
		c.Cells[k] = make([]Cell, len(s.Planners))
		if !stop() {
			todo <- k
		}
	}
	close(todo)
	jobs.Wait()
	return c, failed
}

// Kept returns how many runs are asked for, each once, and how many of these the cache has. The search for an optimum
// and repeated runs are not counted.
func (s *Request) Kept(cache *Cache) (kept, asked int, err error) {
	for k := range s.Instances {
		for _, planner := range s.Planners {
			r := s.Ask
			r.Planner, r.Problem, r.Capacity = planner, s.Instances[k].Digest, s.Instances[k].Capacity
			_, ok, err := cache.Find(r)
			if err != nil {
				return 0, 0, err
			}
			asked++
			if ok {
				kept++
			}
		}
	}
	return kept, asked, nil
}

// instance makes the runs on one problem.
func (s *Request) instance(ctx context.Context, cache *Cache, c *Result, k int, stop func() bool) error {
	call := func(f func(int)) {
		if f != nil {
			f(k)
		}
	}
	call(s.Begin)
	in := &s.Instances[k]
	for round := range max(s.Repeat, 1) {
		for j, planner := range s.Planners {
			cell := &c.Cells[k][j]
			// A run without an answer says all there is to say.
			if round > 0 && (len(*cell) < round || !(*cell)[0].Solved()) {
				continue
			}
			r := s.Ask
			r.Planner, r.Repeat = planner, round
			if err := s.once(ctx, cache, in, &r); err != nil {
				return err
			}
			if r.Status != "" {
				*cell = append(*cell, r)
			}
			if round == 0 {
				call(s.Tick)
			}
			if stop() {
				return nil
			}
		}
	}
	if s.Optimum > 0 && !c.proven(k) {
		r := s.Ask
		r.Planner, r.Timeout = "exact", s.Optimum.Seconds()
		if err := s.once(ctx, cache, in, &r); err != nil {
			return err
		}
		c.Extra[k] = &r
	}
	call(s.Tick)
	return nil
}

// once makes a run, or takes it from the cache. One that the context cut short
// is returned but not kept, and one that died is made again the next time.
func (s *Request) once(ctx context.Context, cache *Cache, in *Instance, r *Run) error {
	r.Problem, r.Name, r.Capacity = in.Digest, in.Name, in.Capacity
	known, ok, err := cache.Find(*r)
	if err != nil {
		return err
	}
	if ok {
		*r = known
		return nil
	}
	if ctx.Err() != nil {
		return nil
	}
	if peer := s.Peers[r.Planner]; peer != nil {
		peer(ctx, in, r)
	} else {
		Solve(ctx, in, r)
	}
	r.On = s.On
	if !s.Visited {
		r.Visited = 0
	}
	if ctx.Err() != nil || r.Status == Failed {
		return nil
	}
	return cache.Add(*r)
}
