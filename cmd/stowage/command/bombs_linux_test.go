package command

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/built"
)

// TestBombs reads small files of each format that try to make their reader grow (bombsmade_linux_test.go), compressed
// if that makes them smaller. The command takes at most 200 MB of memory and ten seconds of the processor for each,
// measured from outside, and ends with an answer or with exit code 2.
func TestBombs(t *testing.T) {
	const stored = 512 << 10 // bytes: what is larger is no small file
	made := bombs()
	for _, name := range slices.Sorted(maps.Keys(made)) {
		t.Run(name, func(t *testing.T) { // one after the other: a process begins with the size of the one that starts it
			file := made[name]()
			size := len(file)
			if packed := smallest(file); len(packed) < size {
				name, file = name+".gz", packed
			}
			if len(file) > stored {
				t.Fatalf("%d bytes are no small file", len(file))
			}
			runtime.GC()
			said := defuse(t, name, file)
			t.Logf("%d bytes, stored as %d: %.160s", size, len(file), said)
		})
	}
}

// TestLongBombs reads small files that unpack to more than any reader may hold for them: reading ends before that.
func TestLongBombs(t *testing.T) {
	for _, name := range []string{"commas.csv", "calls.trace", "zeros.tflite"} {
		t.Run(name, func(t *testing.T) {
			head := map[string]string{
				"commas.csv": "id,lower,upper,size\na,0,1,1\n", "calls.trace": "stowage-arena-trace 1\nb 1 0 train\n",
				"zeros.tflite": "\x18\x00\x00\x00TFL3",
			}[name]
			unit := map[string]string{"commas.csv": ",", "calls.trace": "a 1 1 0 0\n", "zeros.tflite": "\x00"}[name]
			said := defuse(t, name+".gz", smallest([]byte(head), bytes.Repeat([]byte(unit), 64<<20/len(unit))))
			if !strings.Contains(said, "of a packed file: unpack it first") {
				t.Errorf("%.300s", said)
			}
		})
	}
}

// smallest packs content.
func smallest(parts ...[]byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	for _, part := range parts {
		z.Write(part)
	}
	z.Close()
	return b.Bytes()
}

// defuse runs the command for a file, and returns its output. Too much time or memory is an error.
func defuse(t *testing.T, name string, file []byte) string {
	const (
		memory = 200_000 // kB
		time   = 10 * time.Second
	)
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"solve", "-q", "--planner", "first-fit", "-o", os.DevNull, path}
	switch ext := filepath.Ext(strings.TrimSuffix(name, ".gz")); {
	case ext == ".jsonl":
		arguments = []string{"session", path}
	case ext == ".tflite" || ext == ".onnx" || strings.HasPrefix(name, "graph-"):
		arguments = []string{"plan", "-q", path}
	}
	run := exec.Command(built.Command(t), arguments...)
	out, err := run.CombinedOutput()
	if code := run.ProcessState.ExitCode(); code != exitOK && code != exitUsage {
		t.Errorf("exit code %d, %v: %.300s", code, err, out)
	}
	said := strings.ReplaceAll(string(out), path, name)
	took, busy := run.ProcessState.SysUsage().(*syscall.Rusage).Maxrss,
		run.ProcessState.UserTime()+run.ProcessState.SystemTime()
	if took > memory || busy > time {
		t.Errorf("takes %d kB and %s: %.300s", took, busy, said)
	}
	return fmt.Sprintf("%d kB, %s: %s", took, busy.Round(10*1e6), said)
}
