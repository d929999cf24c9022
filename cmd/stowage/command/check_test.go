package command

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestCheckJudgesArena plans models, and checks what was written at the smallest arena that the header names: it fits, and in a byte
// less it does not. The head alone would.
func TestCheckJudgesArena(t *testing.T) {
	dir := t.TempDir()
	for name, data := range firmwareModels() {
		stem, _ := written(t, dir, name, data)
		var stdout, stderr bytes.Buffer
		if code := execute([]string{"plan", "--json", "-c", "1", stem + ".tflite"}, &stdout, &stderr); code != exitInfeasible {
			t.Fatalf("%s: exit code %d: %s", name, code, &stderr)
		}
		asItIs := regexp.MustCompile(`"as_it_is": ([0-9]+)`).FindStringSubmatch(stdout.String())
		if asItIs == nil {
			t.Fatalf("%s: %s", name, &stdout)
		}
		needs, _ := strconv.ParseInt(asItIs[1], 10, 64)
		for less, want := range map[int64]int{0: exitOK, 1: exitUsage} {
			stderr.Reset()
			args := []string{"check", "-c", strconv.FormatInt(needs-less, 10), filepath.Join(dir, "out", name+".tflite")}
			if code := execute(args, &stdout, &stderr); code != want {
				t.Errorf("%s: exit code %d for %d of %d, want %d: %s", name, code, needs-less, needs, want, &stderr)
			}
		}
		if want := fmt.Sprintf("the arena needs %d (", needs); !strings.Contains(stderr.String(), want) && stderr.Len() > 0 && strings.Contains(stderr.String(), "fault") {
			t.Errorf("%s: %s, want %q", name, &stderr, want)
		}
	}
}
