package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// TestCheckJudgesArena plans models. The written model fits the smallest arena that the header names, and not a byte
// less, although the head alone would.
func TestCheckJudgesArena(t *testing.T) {
	dir := t.TempDir()
	for name, data := range firmwareModels() {
		stem, _ := written(t, dir, name, data)
		var stdout, stderr bytes.Buffer
		if code := execute([]string{"plan", "--json", "-c", "1", stem + ".tflite"}, &stdout,
			&stderr); code != exitInfeasible {
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
		if want := fmt.Sprintf("the arena needs %d (", needs); !strings.Contains(stderr.String(), want) && stderr.Len() > 0 &&
			strings.Contains(stderr.String(), "fault") {
			t.Errorf("%s: %s, want %q", name, &stderr, want)
		}
	}
}

// TestCheckAdvisesOnce checks a plan with several overlaps: each is a finding, and the advice follows once.
func TestCheckAdvisesOnce(t *testing.T) {
	dir := t.TempDir()
	written(t, dir, "images", tflitemade.Images(1, 8), "--diagonal=reference")
	path := filepath.Join(dir, "out", "images.tflite")
	var stdout, stderr bytes.Buffer
	if code := execute([]string{"check", path}, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	overlaps := regexp.MustCompile(`with kernels that permit ([0-9]+) overlaps`).FindStringSubmatch(stdout.String())
	if overlaps == nil || strings.Count(stderr.String(), " [shared]\n") <= 2 {
		t.Fatalf("%s%s", &stdout, &stderr)
	}
	for text, want := range map[string]int{
		"--diagonal=KERNELS": 1, "each of these overlaps is correct only if the kernel supports it": 1, "correct only if": 1,
	} {
		if got := strings.Count(stderr.String(), text); got != want {
			t.Errorf("%q comes %d times, want %d: %s", text, got, want, &stderr)
		}
	}
	stdout.Reset()
	stderr.Reset()
	if code := execute([]string{"check", "--diagonal=reference", path}, &stdout, &stderr); code != exitOK ||
		strings.Contains(stderr.String(), "--diagonal=KERNELS") {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
}

// TestKnownAtLeast reads the figures of other kernels in JSON. For a model that cannot run they are lower bounds.
func TestKnownAtLeast(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string][]byte{"halves": tflitemade.Halves(), "bytes": tflitemade.Bytes(3, 12)} {
		path := filepath.Join(dir, name+".tflite")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		if code := execute([]string{"plan", "--json", path}, &stdout, &stderr); code != exitOK {
			t.Fatalf("%s: exit code %d: %s", name, code, &stderr)
		}
		var report struct {
			Known []struct {
				AtLeast bool `json:"at_least"`
			} `json:"known_kernels"`
		}
		if err := json.Unmarshal(stdout.Bytes(), &report); err != nil || len(report.Known) < 3 {
			t.Fatalf("%s: %v: %s", name, err, &stdout)
		}
		for k, known := range report.Known {
			if known.AtLeast != (name == "halves") {
				t.Errorf("%s: kernels %d: at least %v", name, k, known.AtLeast)
			}
		}
	}
}
