package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
)

// Idea: a worker writes the file of a task itself, as soon as the task is solved. An engine that is killed loses the
// results of a whole stage. Here a retry, or a run the next day, finds the file.
//
// Before it solves, a worker leaves a marker, and removes it when it is done. A marker that is there
// before the first is left means that a worker died with this task. After three deaths the task is
// given up: it is buried, and the sweep goes on. In a task of several problems the second attempt
// leaves a marker for each problem, so that the one at fault is buried alone.
//
// Invariant: a task ends in its file, in the dead, or with its markers. A written result is never computed again.
//
// A planner that refuses a problem, or dies in a way that Go can catch, makes a row and is no death.

// Deaths is how many workers a task may kill.
const Deaths = 3

// Dead is a task that was given up, or a file that could not be read.
type Dead struct {
	Task     string `json:"task,omitempty"`
	Problem  string `json:"problem,omitempty"` // digest
	Name     string `json:"name"`
	Order    string `json:"order,omitempty"`
	Planner  string `json:"planner,omitempty"`
	Reason   string `json:"reason"`
	Attempts int    `json:"attempts,omitempty"`
	Host     string `json:"host,omitempty"`
	Version  string `json:"version,omitempty"`
}

// A Worker runs tasks. It is safe for use by several goroutines.
type Worker struct {
	Store   Store
	Version string // of Stowage, which must be that of the tasks
	Host    string // for the rows
}

// NewWorker returns a worker on this machine.
func NewWorker(s Store, version string) *Worker {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return &Worker{Store: s, Version: version, Host: host}
}

// Outcome is what became of a task.
type Outcome string

// The outcomes of a task.
const (
	Done    Outcome = "done"    // it ran, and its file is written
	Skipped Outcome = "skipped" // its file was there
	Buried  Outcome = "buried"  // it is given up, all of it
)

// Work does a task. The error is that of the store, that the context has ended, or that the worker
// is of another version. The task may be tried again then.
func (w *Worker) Work(ctx context.Context, t *Task) (Outcome, error) {
	if t.Version != w.Version {
		return "", fmt.Errorf("this worker is Stowage %s, and the task is for %s", w.Version, t.Version)
	}
	t, err := w.alive(ctx, t)
	if err != nil || t == nil {
		return Buried, err
	}
	if there, err := w.Store.Has(ctx, runFile(t.Key)); err != nil || there {
		return Skipped, err
	}
	tried, err := w.tried(ctx, t.Key)
	if err != nil {
		return "", err
	}
	if tried >= Deaths && len(t.Units) == 1 {
		return Buried, w.bury(ctx, &t.Units[0], fmt.Sprintf("its worker died %d times", tried), tried)
	}
	marker := tryFile(t.Key, min(tried+1, Deaths))
	if err := w.Store.Write(ctx, marker, nil); err != nil {
		return "", err
	}
	rows, left, err := w.units(ctx, t, tried)
	if err == nil && len(left) > 0 {
		// The file has the name of what is in it, so that what was buried can be tried again one day.
		err = w.write(ctx, newTask(left, t.Version, t.Lane).Key, rows)
	}
	if err != nil { // an orderly end is no death
		return "", errors.Join(err, w.Store.Remove(context.WithoutCancel(ctx), marker))
	}
	for n := range min(tried+1, Deaths) {
		if err := w.Store.Remove(ctx, tryFile(t.Key, n+1)); err != nil {
			return "", err
		}
	}
	if len(left) == 0 {
		return Buried, nil
	}
	return Done, nil
}

// alive returns a task of several units without those that are buried; nil if all are.
func (w *Worker) alive(ctx context.Context, t *Task) (*Task, error) {
	if len(t.Units) == 1 {
		return t, nil
	}
	names, err := w.Store.List(ctx, "dead")
	if err != nil {
		return nil, err
	}
	units := slices.DeleteFunc(slices.Clone(t.Units), func(u Unit) bool { return slices.Contains(names, deadFile(u.Key)) })
	switch len(units) {
	case len(t.Units):
		return t, nil
	case 0:
		return nil, nil
	}
	left := newTask(units, t.Version, t.Lane)
	return &left, nil
}

// units solves the units of a task, and returns those that are not given up. tried is how many workers have died with
// the task; if one has, and it is not known with which of several units, each unit has a marker of its own.
func (w *Worker) units(ctx context.Context, t *Task, tried int) (rows []Row, left []Unit, err error) {
	careful := len(t.Units) > 1 && tried > 0
	for _, u := range t.Units {
		attempt, mine := tried+1, 0
		if careful {
			if mine, err = w.tried(ctx, u.Key); err != nil {
				return nil, nil, err
			}
			if mine+1 >= Deaths { // the first death was with the whole task
				if err := w.bury(ctx, &u, fmt.Sprintf("its worker died %d times", mine+1), mine+1); err != nil {
					return nil, nil, err
				}
				continue
			}
			if err := w.Store.Write(ctx, tryFile(u.Key, mine+1), nil); err != nil {
				return nil, nil, err
			}
			attempt = mine + 2
		}
		more, err := w.unit(ctx, &u, attempt)
		for n := 0; careful && n <= mine; n++ {
			err = errors.Join(err, w.Store.Remove(context.WithoutCancel(ctx), tryFile(u.Key, n+1)))
		}
		if err != nil {
			return nil, nil, err
		}
		if len(more) > 0 {
			rows, left = append(rows, more...), append(left, u)
		}
	}
	return rows, left, nil
}

// unit solves a unit. A fault of the problem itself, or of this program, buries the unit, since no retry helps.
func (w *Worker) unit(ctx context.Context, u *Unit, attempt int) (rows []Row, err error) {
	defer func() {
		if p := recover(); p != nil {
			rows, err = nil, w.bury(ctx, u, fmt.Sprintf("internal failure: %v\n%s", p, debug.Stack()), attempt)
		}
	}()
	in, err := w.open(ctx, &u.Problem)
	if bad, ok := err.(*unreadableError); ok {
		return nil, w.bury(ctx, u, bad.Error(), attempt)
	}
	if err != nil {
		return nil, err
	}
	return solveCurve(ctx, u, in, w.base(u, attempt))
}

// base is what all rows of a unit share.
func (w *Worker) base(u *Unit, attempt int) Row {
	return Row{
		Task: u.Key, Problem: u.Problem.Digest, Name: u.Problem.Name, Order: u.Problem.Order, Buffers: u.Problem.Buffers,
		Load: u.Problem.Load, Planner: u.Planner, NodeLimit: u.Nodes, Timeout: u.Timeout, Seed: u.Seed,
		Attempt: int64(attempt), Host: w.Host, Version: w.Version,
	}
}

// Solve returns the rows of a task, and leaves no file and no marker. Every engine must give the same rows as a plain
// loop over it.
func (w *Worker) Solve(ctx context.Context, t *Task) (rows []Row, err error) {
	for k := range t.Units {
		u := &t.Units[k]
		in, err := w.open(ctx, &u.Problem)
		if err != nil {
			return nil, err
		}
		more, err := solveCurve(ctx, u, in, w.base(u, 1))
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// tried counts the markers of a key: how many workers have died with it.
func (w *Worker) tried(ctx context.Context, key string) (n int, err error) {
	for n < Deaths {
		there, err := w.Store.Has(ctx, tryFile(key, n+1))
		if err != nil || !there {
			return n, err
		}
		n++
	}
	return n, nil
}

// bury gives a unit up. Its markers stay: a retry buries it once more.
func (w *Worker) bury(ctx context.Context, u *Unit, reason string, attempts int) error {
	d := Dead{
		Task: u.Key, Problem: u.Problem.Digest, Name: u.Problem.Name, Order: u.Problem.Order, Planner: u.Planner,
		Reason: reason, Attempts: attempts, Host: w.Host, Version: w.Version,
	}
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return w.Store.Write(context.WithoutCancel(ctx), deadFile(u.Key), append(data, '\n'))
}

// write keeps the rows of a task.
func (w *Worker) write(ctx context.Context, key string, rows []Row) error {
	data, err := Encode(rows)
	if err != nil {
		return err
	}
	// The rows are there: an interrupt does not lose them.
	return w.Store.Write(context.WithoutCancel(ctx), runFile(key), data)
}
