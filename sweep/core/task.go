package core

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/stowage-go/stowage/internal/gen"
)

// A Problem identifies a problem by its content, and tells a worker where to find it.
type Problem struct {
	Digest  string `json:"digest"` // comparison.Instance.Digest
	Name    string `json:"name"`
	Order   string `json:"order,omitempty"` // Row.Order
	Buffers int64  `json:"buffers"`
	Load    int64  `json:"load"`
	// Kind and Options make a problem that was generated. If Kind is empty, the problem lies in the
	// store, under its digest.
	Kind    string      `json:"kind,omitempty"`
	Options gen.Options `json:"options,omitzero"`
}

// Limits end a run.
type Limits struct {
	Nodes   int64   `json:"nodes"`   // 0 for none
	Timeout float64 `json:"timeout"` // in seconds, 0 for none
	Seed    int64   `json:"seed"`    // of random choices
}

// A Unit is a planner on a problem with all its capacities.
type Unit struct {
	Key     string  `json:"key"`
	Problem Problem `json:"problem"`
	Planner string  `json:"planner"`
	Limits
	Capacities []int64 `json:"capacities"` // ascending, each once; 0, the lowest plan, is the first
}

// A Task is the work of one worker at one time, with one file: a planner on one problem, or on several.
type Task struct {
	Key     string `json:"key"`
	Version string `json:"version"` // of Stowage that is to run it
	Units   []Unit `json:"units"`
	// Lane spreads the tasks over shards: a shard has all of one lane, modulo the number of shards. It
	// does not depend on what is done already.
	Lane int `json:"lane"`
}

// Runs is how many rows a task makes.
func (t *Task) Runs() (n int) {
	for k := range t.Units {
		n += len(t.Units[k].Capacities)
	}
	return n
}

// Name says what a task is about.
func (t *Task) Name() string {
	u := &t.Units[0]
	s := u.Problem.Name
	if u.Problem.Order != "" {
		s += " " + u.Problem.Order
	}
	if n := len(t.Units) - 1; n > 0 {
		s += " and " + strconv.Itoa(n) + " more"
	}
	return s + ", " + u.Planner
}

// keyBytes is the length of a key before it is written in hexadecimal: 96 bits.
const keyBytes = 12

// setKey computes the key of a unit: a hash of everything that determines its rows.
func (u *Unit) setKey(version string) {
	h := sha256.New()
	fmt.Fprintf(h, "stowage sweep %d\nproblem %s %q\nplanner %q\nnodes %d timeout %s seed %d\ncapacities %d\nversion %q\n",
		Schema, u.Problem.Digest, u.Problem.Order, u.Planner,
		u.Nodes, strconv.FormatFloat(u.Timeout, 'g', -1, 64), u.Seed, u.Capacities, version)
	u.Key = hex.EncodeToString(h.Sum(nil)[:keyBytes])
}

// newTask makes a task of units. If there is one, the task has its key. Several are hashed together, and the key has
// their number after a hyphen.
func newTask(units []Unit, version string, lane int) Task {
	t := Task{Key: units[0].Key, Version: version, Units: units, Lane: lane}
	if len(units) > 1 {
		h := sha256.New()
		for k := range units {
			fmt.Fprintln(h, units[k].Key)
		}
		t.Key = hex.EncodeToString(h.Sum(nil)[:keyBytes]) + "-" + strconv.Itoa(len(units))
	}
	return t
}
