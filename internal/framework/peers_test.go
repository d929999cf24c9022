package framework

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/model"
	"github.com/stowage-go/stowage/internal/plan"
)

// TestPeers holds planners against the real ones, where Python has them: the
// offsets must be the same, one by one, on random problems. STOWAGE_PYTHON names
// the interpreter; python3 is the default.
func TestPeers(t *testing.T) {
	python := os.Getenv("STOWAGE_PYTHON")
	if python == "" {
		python = "python3"
	}
	if _, err := exec.LookPath(python); err != nil {
		t.Skip("TestPeers needs Python with the packages ethos-u-vela, omnimalloc and executorch; set STOWAGE_PYTHON")
	}
	var problems []*model.Problem
	for seed := range uint64(40) {
		p := shuffled(2+int(seed)*3/2, 100+seed)
		if seed%2 == 0 { // so that there are ties
			for i := range p.Buffers {
				p.Buffers[i].Size = 1 + p.Buffers[i].Size/8
			}
		}
		problems = append(problems, p)
	}
	for _, c := range []struct {
		peer, pip, planner string
		params             map[string]string
	}{
		{"vela-hill-climb", "ethos-u-vela", "vela-hill-climb", nil},
		{"vela-greedy", "ethos-u-vela", "vela-greedy", nil},
		{"omnimalloc-by-size", "omnimalloc", "wave", nil},
		{"omnimalloc-best-fit", "omnimalloc", "tflite-greedy-by-size", nil},
		{"executorch-greedy", "executorch", "executorch-greedy", nil},
		{"executorch-greedy-16", "executorch", "executorch-greedy", map[string]string{"round": "16"}},
		{"executorch-naive", "executorch", "executorch-naive", nil},
	} {
		t.Run(c.peer, func(t *testing.T) {
			want, ok := peer(t, python, c.peer, problems)
			if !ok {
				t.Skipf("TestPeers/%s needs the Python package %s; set STOWAGE_PYTHON to an interpreter that has it", c.peer, c.pip)
			}
			for k, p := range problems {
				r := run(t, named(t, c.planner), p, plan.Options{Params: c.params})
				if !slices.Equal(r.Offsets, want[k]) {
					t.Fatalf("problem %d: %v\noffsets %v\nthe real one has %v (height %d against %d)",
						k, p.Buffers, r.Offsets, want[k], r.Height, model.HeightOf(p, want[k]))
				}
			}
		})
	}
}

// peer runs a planner of a Python package; false where the package is missing.
func peer(t *testing.T, python, name string, problems []*model.Problem) ([][]int64, bool) {
	t.Helper()
	input := make([][][3]int64, len(problems))
	for k, p := range problems {
		for _, b := range p.Buffers {
			input[k] = append(input[k], [3]int64{b.Size, b.Lower, b.Upper})
		}
	}
	text, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "peers.py"), name)
	cmd.Stdin = bytes.NewReader(text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 77 {
		return nil, false
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, &stderr)
	}
	var offsets [][]int64
	if err := json.Unmarshal(out, &offsets); err != nil || len(offsets) != len(problems) {
		t.Fatalf("%s: %d answers, error %v", name, len(offsets), err)
	}
	return offsets, true
}
