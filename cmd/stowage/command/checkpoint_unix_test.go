//go:build unix

package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestKilledAtCheckpoint kills long searches that have a checkpoint. The first leaves a plan. Each later one goes on
// from it, and leaves a file that is whole and no higher.
func TestKilledAtCheckpoint(t *testing.T) {
	dir := t.TempDir()
	input, file := filepath.Join(dir, "in.csv"), filepath.Join(dir, "run.json")
	var nothing bytes.Buffer
	if code := execute([]string{"gen", "pinwheel", "--buffers", "800", "--seed", "3", "-q", "-o", input}, &nothing,
		&nothing); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &nothing)
	}
	self, height := must.Get(os.Executable())(t), int64(0)
	for k := range 4 {
		told := filepath.Join(t.TempDir(), "told")
		cmd := exec.Command(self, "solve", "-q", "--planner", "exact", "--without", "merging", "--progress", told,
			"--checkpoint", file, "-o", filepath.Join(dir, "out.csv"), input)
		cmd.Args[0] = "stowage" // the test binary is the command under that name
		must.Do(t, cmd.Start())
		for _, err := os.Stat(file); err != nil || !searching(told); _, err = os.Stat(file) {
			time.Sleep(time.Millisecond)
		}
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
	}
}
