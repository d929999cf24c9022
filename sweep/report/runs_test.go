package report

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestRuns: the file is one of runs: it can be opened, and each row that was run is found by what was asked.
func TestRuns(t *testing.T) {
	rows := cases()["markup"].Rows
	text := golden.Written(t, func(w io.Writer) error { return WriteRuns(w, rows) })
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	must.Do(t, os.WriteFile(path, text, 0o600))
	c := must.Get(comparison.Open(path))(t)
	defer c.Close()
	ran := 0
	for _, r := range rows {
		asked := comparison.Run{
			Problem: r.Problem, Name: r.Name, Planner: r.Planner, Capacity: r.Capacity, Timeout: r.Timeout, Nodes: r.NodeLimit,
			Workers: 1, Seed: uint64(r.Seed), Solve: r.Capacity > 0,
		}
		got, ok, err := c.Find(asked)
		if err != nil || ok == r.Implied {
			t.Errorf("%+v: found %v, %v", r, ok, err)
		}
		if !ok {
			continue
		}
		ran++
		if got.Status != r.Status || got.Height != r.Height || got.Visited != r.Nodes || got.Message != r.Message ||
			got.On != "v1" {
			t.Errorf("got %+v of %+v", got, r)
		}
	}
	if ran == 0 || ran == len(rows) || c.Len() != ran {
		t.Errorf("%d runs of %d rows, %d in the file", ran, len(rows), c.Len())
	}
	if err := WriteRuns(new(golden.Room), rows); !errors.Is(err, golden.ErrFull) {
		t.Error(err)
	}
}
