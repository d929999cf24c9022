//go:build unix

package command

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestInterrupt: after an interrupt the tasks that run are finished and no other is begun; the program
// says how to go on, and going on gives the rows of a plain loop.
func TestInterrupt(t *testing.T) {
	for _, runner := range []string{"prism", "loop"} {
		file, out := write(t, sixty)
		cmd, said := start(t, "run", file, "-q", "--runner="+runner)
		for len(files(t, out)) < 3 {
			time.Sleep(time.Millisecond)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitIncomplete {
			t.Errorf("%s: %v\n%s", runner, err, said)
		}
		if !strings.Contains(said.String(), "to go on: stowage-sweep run "+file) {
			t.Errorf("%s: %s", runner, said)
		}
		if tries, err := filepath.Glob(filepath.Join(out, "try", "*")); err != nil || len(tries) > 0 {
			t.Errorf("%s: %q, %v", runner, tries, err)
		}
		if n := len(files(t, out)); n >= 60 {
			t.Errorf("%s: %d files", runner, n)
		}
		if code, _, stderr := sweep("run", file, "-q"); code != exitOK {
			t.Errorf("%s: exit code %d\n%s", runner, code, stderr)
		}
		if diff := cmp.Diff(plain(t, file), kept(t, out)); diff != "" {
			t.Errorf("%s: %s", runner, diff)
		}
	}
}
