package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// TestSplitAnswers plans networks, and looks for what the answer has to say and must not say.
func TestSplitAnswers(t *testing.T) {
	t.Chdir(t.TempDir())
	large := tflitemade.Convolutions(32, [3]int32{3, 1, 16}, [3]int32{3, 2, 8})
	must.Do(t, os.WriteFile("large.tflite", large, 0o666))
	must.Do(t, os.WriteFile("easy.tflite", tflitemade.Network(1, 2), 0o666))
	t.Setenv("STOWAGE_PYTHON", filepath.Join(t.TempDir(), "no-python"))
	for _, c := range []struct {
		line       string
		code       int
		says, not  string
		has, lacks string // files
	}{
		{line: "plan --split large.tflite", says: "--diagonal=reference, if the kernels are the reference ones: a head of"},
		{line: "plan --split --diagonal=reference large.tflite", says: "in strips", not: "if the kernels are"},
		{line: "plan --split large.tflite", not: "was stopped"},
		{
			line: "plan --verify -o a.tflite large.tflite", code: exitUsage, says: "pip install tflite-micro", not: "written",
			lacks: "a.tflite",
		},
		{
			line: "plan --verify -o b large.tflite easy.tflite", code: exitUsage, says: "pip install tflite-micro",
			lacks: "b",
		},
		{
			line: "plan --verify --kernels cmsis-nn-c -o a.tflite large.tflite", code: exitUsage, says: "leave out --kernels",
			lacks: "a.tflite",
		},
		{line: "-o c.tflite -o c.h easy.tflite", says: "written: c.h\n", not: "written: c.tflite", has: "c.tflite"},
		{line: "-o c.tflite -o c.h easy.tflite --force", says: "no plan is written: the runtime's own is as low"},
		{line: "--split -o d.tflite large.tflite", says: "written: d.tflite", has: "d.tflite"},
		{line: "--split -o large.h large.tflite", says: "written: large.h", has: "large.h"},
		{line: "--split large.tflite", says: " more arithmetic\nfirmware with a MicroMutableOpResolver needs resolver.Add"},
	} {
		var out bytes.Buffer
		code := execute(strings.Fields(c.line), &out, &out)
		if said := out.String(); code != c.code || !strings.Contains(said, c.says) || c.not != "" && strings.Contains(said, c.not) {
			t.Errorf("%s: exit code %d: %s\nwant %d, %q and not %q", c.line, code, said, c.code, c.says, c.not)
		}
		for file, want := range map[string]bool{c.has: true, c.lacks: false} {
			if _, err := os.Stat(file); file != "" && (err == nil) != want {
				t.Errorf("%s: %s is there: %v", c.line, file, err == nil)
			}
		}
	}
}

// TestSplitHeader: the header for firmware names the operators that strips need, since the model is built in with it.
func TestSplitHeader(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("large.tflite", tflitemade.Images(33, 5), 0o666))
	var out bytes.Buffer
	if code := execute([]string{"plan", "--split", "-q", "-o", "large.h", "large.tflite"}, &out, &out); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &out)
	}
	text := strings.Join(strings.Fields(string(must.Get(os.ReadFile("large.h"))(t))), " ")
	if want := "Firmware with a MicroMutableOpResolver needs resolver.Add"; !strings.Contains(strings.ReplaceAll(text, " * ", " "), want) {
		t.Errorf("the header does not say %q:\n%s", want, text[:min(len(text), 1500)])
	}
}

// TestExplainArena: for explain a capacity is that of the whole arena, as for plan. Both say the same of each, and
// explain names the smallest that is enough.
func TestExplainArena(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("m.tflite", tflitemade.Network(3, 14), 0o666))
	run := func(command string, capacity int) (int, string) {
		var out bytes.Buffer
		code := execute([]string{command, "-c", fmt.Sprint(capacity), "m.tflite"}, &out, &out)
		return code, out.String()
	}
	least, said := 0, ""
	for capacity, planned := 6500, exitOK; planned == exitOK; capacity -= 16 {
		planned, _ = run("plan", capacity)
		code := exitOK
		if code, said = run("explain", capacity); code != planned {
			t.Errorf("a capacity of %d: exit code %d, of plan %d: %s", capacity, code, planned, said)
		}
		if planned == exitOK {
			least = capacity - capacity%16
		}
	}
	if !strings.Contains(said, fmt.Sprintf("a capacity of %d", least)) ||
		!strings.Contains(said, fmt.Sprintf("next: stowage plan -c %d m.tflite", least)) {
		t.Errorf("%d is enough: %s", least, said)
	}
	if code, said := run("explain", 64); code != exitInfeasible || !strings.Contains(said, "takes more than 64") {
		t.Errorf("a capacity of 64: exit code %d: %s", code, said)
	}
}
