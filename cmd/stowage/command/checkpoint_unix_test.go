//go:build unix

package command

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/pace"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestKilledAtCheckpoint kills long searches that have a checkpoint, at random times. The first leaves a plan. Each
// later one goes on from it, and leaves a file that is whole and no higher. What the search had found by then and the
// file has not was found in the last second, which counts in make pace alone.
func TestKilledAtCheckpoint(t *testing.T) {
	dir := t.TempDir()
	input, file := filepath.Join(dir, "in.csv"), filepath.Join(dir, "run.json")
	var nothing bytes.Buffer
	if code := execute([]string{"gen", "pinwheel", "--buffers", "800", "--seed", "3", "-q", "-o", input}, &nothing,
		&nothing); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &nothing)
	}
	self, height := must.Get(os.Executable())(t), int64(0)
	random, most := rand.New(rand.NewPCG(5, 8)), plantest.Share(3000, 300) // milliseconds
	for k := range plantest.Share(20, 4) {
		told := filepath.Join(t.TempDir(), "told")
		cmd := exec.Command(self, "solve", "-q", "--planner", "climb", "--progress", told,
			"--checkpoint", file, "-o", filepath.Join(dir, "out.csv"), input)
		cmd.Args[0] = "stowage" // the test binary is the command under that name
		must.Do(t, cmd.Start())
		for _, err := os.Stat(file); err != nil || !searching(told); _, err = os.Stat(file) {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(random.IntN(most)) * time.Millisecond)
		must.Do(t, cmd.Process.Kill())
		if err := cmd.Wait(); err == nil {
			t.Fatal("the search ended by itself")
		}
		f := must.Get(format.ReadFile(file))(t)
		r := must.Get(stowage.Verify(f.Problem, f.Plan.Offsets, 0))(t)
		if !r.OK() || k > 0 && r.Height > height {
			t.Fatalf("kill %d: %v, a height of %d after %d", k, r.Violations, r.Height, height)
		}
		height = r.Height
		lost, end := unkept(t, told, height)
		t.Logf("kill %d after %.2f s: a height of %d, and %.2f s of better plans are lost", k, end, height, lost)
		if pace.On() && lost > 1.2 { // the file is written each second, and the progress every twentieth of one
			t.Errorf("kill %d: %.2f s are lost", k, lost)
		}
	}
}

// unkept returns for how many seconds before the end a search had plans below a height, and when it ended.
func unkept(t *testing.T, told string, height int64) (lost, end float64) {
	first := -1.0
	for line := range bytes.Lines(must.Get(os.ReadFile(told))(t)) {
		var at struct {
			Height  int64
			Seconds float64
		}
		if json.Unmarshal(line, &at) != nil { // the kill came while the last line was written
			break
		}
		if end = at.Seconds; first < 0 && at.Height > 0 && at.Height < height {
			first = end
		}
	}
	if first < 0 {
		return 0, end
	}
	return end - first, end
}
