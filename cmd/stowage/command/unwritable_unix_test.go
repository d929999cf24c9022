//go:build unix

package command

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// A full writer takes a number of bytes and no more.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	n := min(f.left, len(p))
	f.left -= n
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func TestPageOnFullDisk(t *testing.T) {
	for _, room := range []int{0, 1, 100} {
		if err := writePage(&full{room}, newSolve()); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
	}
	if err := writePage(new(bytes.Buffer), newSolve()); err != nil {
		t.Error(err)
	}
}

// solveRecording solves for a time with a progress file. It returns the command's output.
func solveRecording(t *testing.T, at, timeout string) (code int, said string) {
	t.Helper()
	dir := t.TempDir()
	problem, plan := filepath.Join(dir, "p.csv"), filepath.Join(dir, "plan.csv")
	if code := execute([]string{"gen", "random", "--buffers", "3000", "-q", "-o", problem}, os.Stdout,
		os.Stderr); code != 0 {
		t.Fatal("gen")
	}
	var stderr bytes.Buffer
	code = execute([]string{"solve", problem, "-q", "-o", plan, "--timeout", timeout, "--progress", at},
		os.Stdout, &stderr)
	if _, err := os.Stat(plan); err != nil {
		t.Errorf("no plan: %v", err)
	}
	return code, stderr.String()
}

// TestProgressOnFullDisk: on a full disk the command writes the plan, and reports the error of the progress file.
func TestProgressOnFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full")
	}
	var code int
	var said string
	for _, timeout := range []string{"300ms", "3s", "30s", "300s"} { // other programs may keep it from writing anything
		if code, said = solveRecording(t, "/dev/full", timeout); code != 0 {
			break
		}
	}
	if code != exitInternal || !strings.Contains(said, "cannot write /dev/full: no space left on device") {
		t.Errorf("exit code %d: %s", code, said)
	}
}

// TestProgressUnread: the progress goes to a pipe that is full and that nobody reads.
func TestProgressUnread(t *testing.T) {
	at := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(at, 0o600); err != nil {
		t.Skip(err)
	}
	pipe, err := os.OpenFile(at, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if err := pipe.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Skip(err)
	}
	for err == nil {
		_, err = pipe.Write(make([]byte, 4096))
	}
	ended := make(chan struct{})
	var read atomic.Bool
	go func() {
		select {
		case <-ended:
		case <-time.After(5 * time.Minute):
			read.Store(true)
			io.Copy(io.Discard, pipe) // so that the test fails rather than hangs
		}
	}()
	code, said := solveRecording(t, at, "300ms")
	close(ended)
	if code != 0 || read.Load() {
		t.Errorf("exit code %d, read %v: %s", code, read.Load(), said)
	}
}

// TestSignalWhileWriting kills the command while it writes a file. The old file is still there,
// and no other file is beside it.
func TestSignalWhileWriting(t *testing.T) {
	self := must.Get(os.Executable())(t)
	killed := 0
	for range 5 {
		dir := t.TempDir()
		target := filepath.Join(dir, "p.json")
		must.Do(t, os.WriteFile(target, []byte("old"), 0o600))
		cmd := exec.Command(self, "gen", "random", "--buffers", "400000", "-q", "-o", target)
		cmd.Args[0] = "stowage" // the test binary is the command under that name
		must.Do(t, cmd.Start())
		for range 20_000 {
			if found, _ := filepath.Glob(filepath.Join(dir, ".stowage-*")); found != nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		cmd.Process.Signal(syscall.SIGTERM) // the command may have ended already
		err := cmd.Wait()
		data, _ := os.ReadFile(target)
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() && string(data) == "old" {
			killed++
			if status.Signal() != syscall.SIGTERM {
				t.Errorf("ended by %v", status.Signal())
			}
		} else if !status.Signaled() && err != nil {
			t.Errorf("%v", err)
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Errorf("left behind: %v", files)
		}
	}
	if killed == 0 {
		t.Log("it was always quicker than the signal")
	}
}
