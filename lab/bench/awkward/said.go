package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"time"

	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/lab/bench/ortools"
	"github.com/stowage-go/stowage/model"
)

// said is what CP-SAT has said of problems, by their keys, in a file of an earlier run.
type said struct {
	path string // none if it is empty
	of   map[uint64]ortools.Outcome
}

// decided reports whether an outcome has the lowest height, or proves that there is no plan.
func decided(o ortools.Outcome) bool { return o.Status == "optimal" || o.Status == "infeasible" }

// ask returns what CP-SAT says of the problems: from the file, else by asking.
func (s *said) ask(problems []*model.Problem, limit time.Duration) ([]ortools.Outcome, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	outcomes := make([]ortools.Outcome, len(problems))
	var open []*model.Problem
	var at []int
	for k, p := range problems {
		id, err := key(p)
		if err != nil {
			return nil, err
		}
		if outcomes[k] = s.of[id]; !decided(outcomes[k]) {
			open, at = append(open, p), append(at, k)
		}
	}
	if len(open) == 0 {
		return outcomes, nil
	}
	found, err := ortools.Run(context.Background(), open, "--minimize", "--timeout", fmt.Sprint(limit.Seconds()))
	if err != nil {
		return nil, err
	}
	for x, o := range found {
		o.Model = "peer"
		outcomes[at[x]] = o
	}
	return outcomes, nil
}

// read reads the file, once.
func (s *said) read() error {
	if s.of != nil || s.path == "" {
		return nil
	}
	text, err := os.ReadFile(s.path)
	if err != nil {
		return err
	}
	s.of = map[uint64]ortools.Outcome{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for line := 1; lines.Scan(); line++ {
		var o ortools.Outcome
		var key uint64
		var had string
		if _, err := fmt.Sscan(lines.Text(), &o.Name, (*hex)(&key), &o.Status, &o.Height, &had, &o.Model); err != nil {
			return fmt.Errorf("%s:%d: %w", s.path, line, err)
		}
		s.of[key] = o
	}
	return lines.Err()
}

// hex is a number that is read in base 16.
type hex uint64

// Scan is for fmt.
func (h *hex) Scan(state fmt.ScanState, _ rune) error {
	_, err := fmt.Fscanf(state, "%x", (*uint64)(h))
	return err
}

// key is a hash of all that a problem says.
func key(p *model.Problem) (uint64, error) {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d\n", p.Name, p.Capacity)
	err := csv.Write(h, p, nil)
	return h.Sum64(), err
}
