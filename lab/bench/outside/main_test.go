package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/lab/bench/internal/script"
)

// The table marks the lowest planner, or each of those that tie, and says who has no plan. For
// auto it has the worst of its seeds.
func TestMarkdown(t *testing.T) {
	r := result{
		Date: "2026-11-23", Machine: record.Machine{CPU: "a machine", Cores: 2}, Timeout: 10, Notes: []string{"a note."},
		Planners: []string{"cp-sat", "stalloc", "auto, seed 0", "auto, seed 1"},
		Problems: []problem{
			{Name: "A", Load: 1000, Runs: []one{
				{"cp-sat", "optimal", 1000, 0.5},
				{"stalloc", "feasible", 1500, 0.25},
				{"auto, seed 0", "optimal", 1000, 0.001},
				{"auto, seed 1", "optimal", 1000, 0.003},
			}},
			{Name: "B", Load: 1000, Runs: []one{
				{"cp-sat", "unknown", 0, 10},
				{"stalloc", "feasible", 1100, 0.25},
				{"auto, seed 0", "feasible", 1100, 10},
				{"auto, seed 1", "feasible", 1250, 10},
			}},
		},
	}
	const want = `| problem | load | cp-sat | stalloc | auto |
| --- | ---:| ---:| ---:| ---:|
| A | 1,000 | 1.000* (0.50 s) | 1.500 (0.25 s) | 1.000* (0.002, 0.001–0.003 s) |
| B | 1,000 | no plan (10.00 s) | 1.100* (0.25 s) | 1.250 (10.000, 10.000–10.000 s) |
| * as low as any |  | 1 of 2 | 1 of 2 | 1 of 2 |

Height over the load, and seconds; of auto the highest plan of its seeds, and the median. Limit 10 s; a machine, 2 cores, /, ; 2026-11-23. a note.
`
	if got := r.markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What is not on the machine is left out and said.
func TestAbsent(t *testing.T) {
	t.Setenv("STOWAGE_PYTHON", "/no/such/python")
	planners, absent := outside("", "/no/such/python", time.Second)
	if len(planners) != 0 || len(absent) != 3 {
		t.Errorf("%d planners, %q", len(planners), absent)
	}
	if _, absent = outside("a clone", "/no/such/python", time.Second); !strings.Contains(absent[2], "stalloc cannot run") {
		t.Errorf("%q", absent)
	}
}

func TestAuto(t *testing.T) {
	p := &stowage.Problem{
		Buffers: []stowage.Buffer{{ID: "a", Lower: 0, Upper: 2, Size: 4}, {ID: "b", Lower: 1, Upper: 3, Size: 4}},
	}
	o, err := auto(0, time.Second).plan(t.Context(), p)
	if err != nil || o.Height != 8 || o.Status != "optimal" {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestSTAllocScript runs the script in front of STAlloc with a stand-in for its planner: the
// names, the offsets and the clock of events are the script's.
func TestSTAllocScript(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	clone := t.TempDir()
	if err := os.Mkdir(filepath.Join(clone, "Synthesizer"), 0o777); err != nil {
		t.Fatal(err)
	}
	const standIn = `
class Block:
    def __init__(self, line):
        self.start_time, self.end_time, self.size = map(int, line.split())

def load_from_file(path):
    with open(path) as file:
        return [Block(line) for line in file]

def allocate_group(info, blocks, group):
    assert info is None and not group
    assert len({t for b in blocks for t in (b.start_time, b.end_time)}) == 2 * len(blocks), "each event has a time of its own"
    print("a line that is no result")
    for k, b in enumerate(blocks):
        b.offset = max([o.offset + o.size for o in blocks[:k] if o.start_time < b.end_time and b.start_time < o.end_time], default=0)
    return blocks[::-1], max(b.offset + b.size for b in blocks)
`
	if err := os.WriteFile(filepath.Join(clone, "Synthesizer", "allocator.py"), []byte(standIn), 0o600); err != nil {
		t.Fatal(err)
	}
	// a and b meet only in the moment 5, where a ends and b begins; c is live with both.
	p := &stowage.Problem{
		Buffers: []stowage.Buffer{
			{ID: "a", Lower: 0, Upper: 5, Size: 512},
			{ID: "b", Lower: 5, Upper: 9, Size: 512},
			{ID: "c", Lower: 2, Upper: 7, Size: 1024},
		},
	}
	all, err := script.Run(t.Context(), python, filepath.Join("..", "stalloc", "peer.py"), []*stowage.Problem{p, p},
		"--stalloc", clone)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if o.Height != 1536 || o.Offsets["a"] != 0 || o.Offsets["b"] != 0 || o.Offsets["c"] != 512 {
			t.Errorf("%+v", o)
		}
	}
}
