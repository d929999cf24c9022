package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/lab/bench/ortools"
	"github.com/stowage-go/stowage/model"
)

// said is what CP-SAT has said of problems, kept in a file between runs.
type said struct {
	path string // none where it is empty
	of   map[uint64]saying
}

// saying is what CP-SAT said when it had so long.
type saying struct {
	ortools.Outcome
	had time.Duration
}

// unnamed is the model of a line from before they had it.
const unnamed = "unnamed"

// decided reports whether an outcome says what the lowest height is, or that there is none.
func decided(o ortools.Outcome) bool { return o.Status == "optimal" || o.Status == "infeasible" }

// ask returns what CP-SAT says of the problems: from the file, and for those that are
// not in it, or were not decided in less time, by asking.
//
// What peer.py leaves open goes to decide.py with the plan that was claimed, if it
// has more time. Its lines are kept as they come, a few at once, for they are dear.
func (s *said) ask(problems []*model.Problem, claims [][]int64, limit, prove time.Duration) ([]ortools.Outcome, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	outcomes, keys := make([]ortools.Outcome, len(problems)), make([]uint64, len(problems))
	var open []*model.Problem
	var at []int
	for k, p := range problems {
		var err error
		if keys[k], err = key(p); err != nil {
			return nil, err
		}
		o, known := s.of[keys[k]]
		if outcomes[k] = o.Outcome; !known || !decided(o.Outcome) && o.had < limit {
			open, at = append(open, p), append(at, k)
		}
	}
	if len(open) > 0 {
		found, err := ortools.Run(context.Background(), open, "--minimize", "--timeout", seconds(limit))
		if err != nil {
			return nil, err
		}
		if err := s.keep(problems, keys, outcomes, at, found, limit); err != nil {
			return nil, err
		}
	}
	open, at = nil, nil
	var plans [][]int64
	for k, p := range problems {
		if claims[k] != nil && !decided(outcomes[k]) && s.of[keys[k]].had < prove {
			open, at, plans = append(open, p), append(at, k), append(plans, claims[k])
		}
	}
	const few = 10
	for from := 0; from < len(open); from += few {
		to := min(from+few, len(open))
		found, err := ortools.Prove(context.Background(), open[from:to], plans[from:to], "--timeout", seconds(prove))
		if err != nil {
			return nil, err
		}
		if err := s.keep(problems, keys, outcomes, at[from:to], found, prove); err != nil {
			return nil, err
		}
	}
	return outcomes, nil
}

// seconds is how the scripts take a time.
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// keep puts what was found in its place and in the file.
func (s *said) keep(problems []*model.Problem, keys []uint64, outcomes []ortools.Outcome, at []int,
	found []ortools.Outcome, limit time.Duration,
) error {
	var lines bytes.Buffer
	for x, o := range found {
		k := at[x]
		outcomes[k], s.of[keys[k]] = o, saying{o, limit}
		fmt.Fprintf(&lines, "%s %016x %s %d %v %s\n", problems[k].Name, keys[k], o.Status, o.Height, limit,
			cmp.Or(o.Model, unnamed))
	}
	return s.add(lines.Bytes())
}

// read reads the file, once; one that is not there yet is empty.
func (s *said) read() error {
	if s.of != nil {
		return nil
	}
	s.of = map[uint64]saying{}
	if s.path == "" {
		return nil
	}
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for line := 1; lines.Scan(); line++ {
		var o saying
		var key uint64
		var had string
		n, err := fmt.Sscan(lines.Text(), &o.Name, (*hex)(&key), &o.Status, &o.Height, &had, &o.Model)
		if n == 5 {
			o.Model, err = unnamed, nil
		}
		if err == nil {
			o.had, err = time.ParseDuration(had)
		}
		if err != nil {
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

// add appends to the file.
func (s *said) add(lines []byte) error {
	if s.path == "" {
		return nil
	}
	f, err := os.OpenFile(s.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(lines)
	return errors.Join(err, f.Close())
}

// key is a hash of all that a problem says.
func key(p *model.Problem) (uint64, error) {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d\n", p.Name, p.Capacity)
	err := csv.Write(h, p, nil)
	return h.Sum64(), err
}
