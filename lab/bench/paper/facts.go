package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
)

// Idea: what is no run of a planner on a problem, such as a profile or the time of a
// score, is kept as a line of JSON too: a key that says what was asked, and the
// answer. lab/experiment keeps the runs.
//
// Invariant: all but the last line of the file are whole; a last line that was cut
// short is dropped when the file is opened. A file with anything else in it is
// refused and left as it is.

// A store is a file of facts.
type store struct {
	mu    sync.Mutex
	file  *os.File
	known map[string]fact
}

// A fact is a line.
type fact struct {
	Key   string          `json:"key"`
	On    string          `json:"on"` // machine and day
	Value json.RawMessage `json:"value"`
}

// factsBeside names the file of facts that goes with a file of runs.
func factsBeside(runs string) string { return strings.TrimSuffix(runs, ".jsonl") + "-facts.jsonl" }

// openFacts opens a file of facts, or makes it.
func openFacts(path string) (*store, error) {
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	s := &store{known: map[string]fact{}}
	whole := bytes.LastIndexByte(text, '\n') + 1
	for k, line := range bytes.Split(bytes.TrimSuffix(text[:whole], []byte("\n")), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var f fact
		if err := json.Unmarshal(line, &f); err != nil || f.Key == "" {
			return nil, fmt.Errorf("%s:%d: is no fact of an earlier report", path, k+1)
		}
		s.known[f.Key] = f
	}
	const start = `{"key":"`
	if cut := string(text[whole:]); !strings.HasPrefix(start, cut[:min(len(cut), len(start))]) {
		return nil, fmt.Errorf("%s: ends in what is no fact of an earlier report", path)
	}
	if s.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, err
	}
	if err := s.file.Truncate(int64(whole)); err != nil {
		return nil, err
	}
	_, err = s.file.Seek(int64(whole), 0)
	return s, err
}

// find returns a fact.
func (s *store) find(key string) (fact, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.known[key]
	return f, ok
}

// add keeps a fact.
func (s *store) add(key, on string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	f := fact{key, on, text}
	line, err := json.Marshal(f)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.file.Write(append(line, '\n')); err != nil {
		return err
	}
	s.known[key] = f
	return nil
}

// close closes the file; a second call does nothing.
func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}
