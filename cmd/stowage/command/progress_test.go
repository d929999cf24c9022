package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func lastLine(data []byte) string {
	text := strings.TrimSpace(string(data))
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// TestRecordedProgress follows a search until its timeout. The file has lines of JSON; heights fall and bounds rise.
func TestRecordedProgress(t *testing.T) {
	dir := t.TempDir()
	problem, at, plan := filepath.Join(dir, "p.csv"), filepath.Join(dir, "progress"), filepath.Join(dir, "plan.csv")
	if code := execute([]string{"gen", "random", "--buffers", "3000", "-q", "-o", problem}, os.Stdout,
		os.Stderr); code != 0 {
		t.Fatal("gen")
	}
	var data []byte
	for _, timeout := range []string{"300ms", "3s", "30s"} { // other programs may slow this machine down
		if code := execute([]string{"solve", problem, "-q", "-o", plan, "--timeout", timeout, "--progress", at},
			os.Stdout, os.Stderr); code != 0 {
			t.Fatalf("exit code %d", code)
		}
		var err error
		if data, err = os.ReadFile(at); err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(data), "\n") >= 2 && !strings.HasPrefix(lastLine(data), `{"height":0,`) {
			break
		}
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	type look struct {
		Height     int64   `json:"height"`
		LowerBound int64   `json:"lower_bound"`
		Nodes      *int64  `json:"nodes"`
		Seconds    float64 `json:"seconds"`
	}
	var last look
	for _, line := range lines {
		var q look
		if err := json.Unmarshal([]byte(line), &q); err != nil || q.Nodes == nil || q.Seconds <= last.Seconds ||
			q.LowerBound < last.LowerBound || last.Height > 0 && (q.Height == 0 || q.Height > last.Height) {
			t.Fatalf("%s, %v:\n%s", line, err, data)
		}
		last = q
	}
	if len(lines) < 2 || last.Height == 0 || last.LowerBound == 0 {
		t.Errorf("%s", data)
	}
	before, err := os.ReadFile(problem)
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"-", problem, plan} {
		if code := execute([]string{"solve", problem, "-q", "-o", plan, "--nodes", "1", "--progress", to}, os.Stdout,
			os.Stderr); code != exitUsage {
			t.Errorf("--progress %s: exit code %d", to, code)
		}
	}
	if after, err := os.ReadFile(problem); err != nil || string(after) != string(before) {
		t.Error("the input is gone")
	}
}
