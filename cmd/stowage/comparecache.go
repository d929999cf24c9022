package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/stowage-go/stowage"
)

// Idea: a comparison is many runs, and may be cut short, or asked for again with
// one more planner. So each run goes into a file as soon as it is done, as a
// line of JSON that says what was asked and what came out; a run that is there
// already is not made again. What was asked includes a digest of the problem, so
// that a file that has changed is a new problem.
//
// Invariant: a line is whole or absent. A last line that was cut short, as by a
// full disk, is dropped when the file is opened again.

// A runRecord is one run: what was asked, then what came out. The keys are a
// contract, since files of them are kept.
type runRecord struct {
	Problem  string  `json:"problem"` // digest
	Name     string  `json:"name"`
	Planner  string  `json:"planner"`
	Capacity int64   `json:"capacity"` // 0 for none
	Timeout  float64 `json:"timeout"`  // in seconds, 0 for none
	Nodes    int64   `json:"nodes"`    // limit, 0 for none
	Workers  int     `json:"workers"`
	Seed     uint64  `json:"seed"`

	Status     string  `json:"status"` // or "refused" or "invalid"; empty where it was not run
	Height     int64   `json:"height"` // 0 where there is no plan
	LowerBound int64   `json:"lower_bound"`
	Seconds    float64 `json:"seconds"`
	Message    string  `json:"message,omitempty"` // why it was refused
}

// hasPlan reports whether the run made a plan that fits.
func (r *runRecord) hasPlan() bool { return r.Status == "optimal" || r.Status == "feasible" }

// asked returns what was asked: the key of the cache.
func (r runRecord) asked() runRecord {
	return runRecord{
		Problem: r.Problem, Planner: r.Planner, Capacity: r.Capacity,
		Timeout: r.Timeout, Nodes: r.Nodes, Workers: r.Workers, Seed: r.Seed,
	}
}

type cache struct {
	file  *os.File // nil where runs are not kept
	known map[runRecord]runRecord
}

// openCache opens the file of runs, or makes it; an empty path keeps none.
func openCache(path string) (*cache, error) {
	c := &cache{known: map[runRecord]runRecord{}}
	if path == "" {
		return c, nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	end, err := c.read(path, f)
	if err == nil {
		err = f.Truncate(end)
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	c.file = f
	return c, nil
}

// read takes in all whole lines and returns where they end.
func (c *cache) read(path string, f io.Reader) (end int64, err error) {
	r := bufio.NewReader(f)
	for line := 1; ; line++ {
		text, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return end, nil
		}
		if err != nil {
			return 0, err
		}
		end += int64(len(text))
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var run runRecord
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&run); err != nil || run.Problem == "" || run.Planner == "" || run.Status == "" {
			if err == nil {
				err = errors.New("no problem, planner or status")
			}
			return 0, fmt.Errorf("%s:%d: is no run of an earlier comparison: %w", path, line, err)
		}
		c.known[run.asked()] = run
	}
}

func (c *cache) find(asked runRecord) (runRecord, bool) {
	r, ok := c.known[asked.asked()]
	r.Name = asked.Name
	return r, ok
}

func (c *cache) add(r runRecord) error {
	c.known[r.asked()] = r
	if c.file == nil {
		return nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = c.file.Write(append(text, '\n'))
	return err
}

// close closes the file; further calls do nothing.
func (c *cache) close() error {
	if c.file == nil {
		return nil
	}
	f := c.file
	c.file = nil
	return f.Close()
}

// digest names a problem by its content.
func digest(p *stowage.Problem) string {
	h := sha256.New()
	for i := range p.Buffers {
		b := &p.Buffers[i]
		fmt.Fprintf(h, "%q %d %d %d %d", b.ID, b.Lower, b.Upper, b.Size, b.Align())
		for _, g := range b.Gaps {
			fmt.Fprintf(h, " %d-%d", g.Lower, g.Upper)
			if g.Window != nil {
				fmt.Fprintf(h, "@%d:%d", g.Window.Lower, g.Window.Upper)
			}
		}
		if b.Fixed != nil {
			fmt.Fprintf(h, " =%d", *b.Fixed)
		}
		if b.Hint != nil {
			fmt.Fprintf(h, " ~%d", *b.Hint)
		}
		fmt.Fprintln(h)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
