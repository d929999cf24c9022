//go:build unix

package command

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/pace"
)

// used returns the processor time of a process so far, or 0 if /proc does not have it.
func used(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(text), ") ") // skips the name, which may contain spaces
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond // ticks: a hundred a second
}

// searching reports whether a file of progress says that a search has begun.
func searching(file string) bool {
	text, _ := os.ReadFile(file)
	return regexp.MustCompile(`"nodes":[1-9]`).Match(text)
}

// TestSignalsEndSearches sends signals to long searches. Each must end with the best plan so far, in make pace
// within a tenth of a second, plus the time to write. Other programs may delay a process, so that run counts
// processor time if /proc has it, and takes the quickest of several runs.
func TestSignalsEndSearches(t *testing.T) {
	hearSignals(t)
	const within, attempts = 150 * time.Millisecond, 4
	self := must.Get(os.Executable())(t)
	dir := t.TempDir()
	input := filepath.Join(dir, "in.csv")
	var nothing bytes.Buffer
	if code := execute([]string{"gen", "pinwheel", "--buffers", "800", "--seed", "3", "-q", "-o", input}, &nothing,
		&nothing); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &nothing)
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		output := filepath.Join(dir, s.String()+".csv")
		best := time.Hour
		for range attempts {
			var stderr bytes.Buffer
			told := filepath.Join(t.TempDir(), "told")
			cmd := exec.Command(self, "solve", "--planner", "exact", "--without", "merging", "--progress", told, "-o",
				output, input)
			cmd.Args[0] = "stowage" // the test binary is the command under that name
			cmd.Stderr = &stderr
			must.Do(t, cmd.Start())
			for !searching(told) {
				time.Sleep(time.Millisecond)
			}
			sent, before := time.Now(), used(cmd.Process.Pid)
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatalf("the search ended by itself: %v\n%s", err, &stderr)
			}
			err := cmd.Wait()
			late := time.Since(sent)
			if before > 0 {
				late = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() - before
			}
			best = min(best, late)
			if err != nil || !strings.Contains(stderr.String(), "; interrupted; 800 buffers") {
				t.Fatalf("%v: %v\n%s", s, err, &stderr)
			}
			if best < within || !pace.On() {
				break
			}
		}
		if t.Logf("%v: the search goes on for %v", s, best); best > within && pace.On() {
			t.Errorf("%v: the search goes on for %v", s, best)
		}
		if code := execute([]string{"verify", input, output}, &nothing, &nothing); code != exitOK {
			t.Errorf("%v: the plan is not valid: %s", s, &nothing)
		}
	}
}

// TestSignalsEndBatches sends one or two signals to a run of many files. The first ends it with the plan so far, the
// second kills it, and no unfinished file stays behind.
func TestSignalsEndBatches(t *testing.T) {
	hearSignals(t)
	self := must.Get(os.Executable())(t)
	dir := t.TempDir()
	var nothing bytes.Buffer
	for k := range 3 {
		if code := execute([]string{
			"gen", "pinwheel", "--buffers", "800", "--seed", "3", "-q", "-o", filepath.Join(dir, fmt.Sprintf("%d.csv", k)),
		}, &nothing, &nothing); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &nothing)
		}
	}
	for signals := 1; signals <= 2; signals++ {
		into := filepath.Join(t.TempDir(), "plans")
		var stderr bytes.Buffer
		cmd := exec.Command(self, "solve", "--planner", "exact", "--without", "merging", "-o", into, dir)
		cmd.Args[0] = "stowage" // the test binary is the command under that name
		cmd.Stderr = &stderr
		must.Do(t, cmd.Start())
		for range 5000 { // until it searches; without /proc that is not known
			if used(cmd.Process.Pid) >= 300*time.Millisecond {
				break
			}
			time.Sleep(time.Millisecond)
		}
		for range signals {
			must.Do(t, cmd.Process.Signal(syscall.SIGTERM))
		}
		err := cmd.Wait()
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		switch {
		case signals == 1 && (status.Signaled() || status.ExitStatus() != exitUndecided):
			t.Errorf("one signal: %v\n%s", err, &stderr)
		case status.Signaled() && status.Signal() != syscall.SIGTERM:
			t.Errorf("ended by %v", status.Signal())
		}
		for _, name := range must.Get(filepath.Glob(filepath.Join(into, "*")))(t) {
			input := filepath.Join(dir, filepath.Base(name))
			if code := execute([]string{"verify", input, name}, &nothing, &nothing); code != exitOK {
				t.Errorf("%s is not valid: %s", name, &nothing)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(into, ".stowage-*")); left != nil {
			t.Errorf("%v stays behind", left)
		}
	}
}
