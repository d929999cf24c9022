package comparison

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// Idea: a comparison is many runs. It may be cut short, or repeated with one more planner. So each run goes into a file
// as soon as it is done, as a line of JSON with the request and the outcome. A run that the file has is not made again.
// The request includes a digest of the problem, so an input that has changed counts as a new problem.
//
// Several processes may share a file. Before a process makes or adds a run, it reads the lines that others have added,
// under a short lock. So the processes also share the work, except for runs that several make at the same time.
//
// Invariant: up to end the file has whole lines, all of them in known. After end may follow lines of another process,
// or a line that was cut short by a full disk or a kill; the latter is dropped. A file with anything else is not a
// cache: it is refused and stays untouched.
//
// Complexity: a run costs one read of the new lines, and one write of a line.
//
// Trials: docs/lab/tests.md (one JSON document loses the last seconds, and two processes lose each other's runs).

// A Cache is a file of runs. It is safe for use by several goroutines.
type Cache struct {
	mu    sync.Mutex
	path  string
	file  *os.File // nil if runs are kept in memory alone
	known map[Run]Run
	end   int64
	lines int
}

// Open opens the file of runs, or makes it; an empty path keeps none.
func Open(path string) (*Cache, error) {
	c := &Cache{path: path, known: map[Run]Run{}}
	if path == "" {
		return c, nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	c.file = f
	if err := c.locked(func() error { return nil }); err != nil {
		f.Close()
		return nil, err
	}
	return c, nil
}

// Len returns how many runs there are.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.known)
}

// Find returns the run that answers a request, under the name in the request.
func (c *Cache) Find(asked Run) (r Run, ok bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok = c.known[asked.asked()]
	if !ok && c.file != nil {
		// Another process may have made it.
		err = c.locked(func() error { return nil })
		r, ok = c.known[asked.asked()]
	}
	r.Name = asked.Name
	return r, ok, err
}

// Add keeps a run.
func (c *Cache) Add(r Run) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		c.known[r.asked()] = r
		return nil
	}
	return c.locked(func() error {
		if _, err := c.file.WriteAt(text, c.end); err != nil {
			return errors.Join(err, c.file.Truncate(c.end))
		}
		c.known[r.asked()] = r
		c.end += int64(len(text))
		c.lines++
		return nil
	})
}

// Close closes the file; further calls do nothing.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		return nil
	}
	f := c.file
	c.file = nil
	return f.Close()
}

// locked locks the file, reads its new lines, and calls do.
func (c *Cache) locked(do func() error) error {
	unlock, err := lock(c.file)
	if err != nil {
		return err
	}
	defer unlock()
	if err := c.catchUp(); err != nil {
		return err
	}
	return do()
}

// catchUp reads all whole lines from end on. It cuts off a line that is not whole: under the lock no process is writing
// it.
func (c *Cache) catchUp() error {
	text, err := io.ReadAll(io.NewSectionReader(c.file, c.end, 1<<62))
	if err != nil {
		return err
	}
	for {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			break
		}
		if err := c.read(line); err != nil {
			return err
		}
		c.end += int64(len(line)) + 1
		c.lines++
		text = rest
	}
	switch {
	case len(text) == 0:
		return nil
	case !cutShort(text):
		return fmt.Errorf("%s:%d: is no run of an earlier comparison", c.path, c.lines+1)
	}
	return c.file.Truncate(c.end)
}

// read adds the run of a line. It passes over an empty line.
func (c *Cache) read(line []byte) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	var r Run
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(&r)
	if err == nil && d.More() {
		err = errors.New("more than a run")
	}
	if err == nil && (r.Problem == "" || r.Planner == "" || r.Status == "") {
		err = errors.New("no problem, planner or status")
	}
	if err != nil {
		return fmt.Errorf("%s:%d: is no run of an earlier comparison: %w", c.path, c.lines+1, err)
	}
	c.known[r.asked()] = r
	return nil
}

// start is how every line begins.
const start = `{"problem":"`

// cutShort reports whether a text without an end of line may be the beginning of a run, or the zeros that a crash can
// leave in its place. Anything else means that the file is no cache.
func cutShort(text []byte) bool {
	text = bytes.TrimRight(text, "\x00")
	return strings.HasPrefix(start, string(text[:min(len(text), len(start))]))
}
