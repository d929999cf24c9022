package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/pace"
)

// TestTimeoutCoversReading: if nothing arrives on standard input, a run ends soon after its timeout.
func TestTimeoutCoversReading(t *testing.T) {
	self := must.Get(os.Executable())(t)
	r, w := must.Two(os.Pipe())(t)
	defer r.Close()
	defer w.Close()
	var stderr bytes.Buffer
	cmd := exec.Command(self, "solve", "--timeout", "1s", "-")
	cmd.Args[0] = "stowage" // the test binary is the command under that name
	cmd.Stdin, cmd.Stderr = r, &stderr
	pace.Late(t, time.Second, 4*time.Second, "nothing to read", func() { _ = cmd.Run() }) // the exit code is checked below
	if code := cmd.ProcessState.ExitCode(); code != exitUndecided ||
		stderr.String() != "unknown: the timeout came before all of stdin was read\n" {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
}

// TestTimeoutOfManyBuffers plans so many buffers that reading them takes the whole timeout. The
// run is late, but has a plan. Reading a million buffers takes 0.2 s of processor time.
func TestTimeoutOfManyBuffers(t *testing.T) {
	dir := t.TempDir()
	problem, plan := filepath.Join(dir, "p.csv"), filepath.Join(dir, "plan.csv")
	var said bytes.Buffer
	if code := execute([]string{"gen", "random", "--buffers", "150000", "-q", "-o", problem}, &said,
		&said); code != exitOK {
		t.Fatal(said.String())
	}
	for _, planner := range []string{"auto", "exact", "climb", "first-fit", "boxing"} {
		os.Remove(plan)
		if code := execute([]string{"solve", "--planner", planner, "--timeout", "10ms", "-o", plan, problem}, &said,
			&said); code != exitOK {
			t.Errorf("%s: exit code %d: %s", planner, code, &said)
		}
		if code := execute([]string{"verify", plan}, &said, &said); code != exitOK {
			t.Errorf("%s: exit code %d: %s", planner, code, &said)
		}
	}
}
