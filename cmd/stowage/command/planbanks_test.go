package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/tflm"
)

// banked plans a model in two pools, fast and slow, and returns the folder with net.hpp, net.h and net.json.
func banked(t *testing.T, data []byte, fast string, flags ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	model := filepath.Join(dir, "net.tflite")
	must.Do(t, os.WriteFile(model, data, 0o666))
	args := append([]string{"plan", "-q", "--pool", "fast=" + fast, "--pool", "slow=64MiB"}, flags...)
	for _, ext := range []string{".hpp", ".h", ".json"} {
		args = append(args, "-o", filepath.Join(dir, "net"+ext))
	}
	var stdout, stderr bytes.Buffer
	if code := execute(append(args, model), &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	return dir
}

// places reads the plan in JSON: the pool and the offset of each buffer.
func places(t *testing.T, dir string) (out []string) {
	t.Helper()
	var plan struct {
		Plan struct {
			Offsets []int64  `json:"offsets"`
			Pools   []string `json:"pools"`
		} `json:"plan"`
	}
	text, err := os.ReadFile(filepath.Join(dir, "net.json"))
	if err == nil {
		err = json.Unmarshal(text, &plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	for k, at := range plan.Plan.Offsets {
		out = append(out, fmt.Sprintf("%s %d", plan.Plan.Pools[k], at))
	}
	return out
}

// requests are what the runtime asks its planner for, a line for each.
func requests(t *testing.T, data []byte) (lines []string) {
	t.Helper()
	m := must.Get(tflite.Parse(data, "net.tflite"))(t)
	l := must.Get(m.Lifetimes())(t)
	a := must.Get(m.Arena(l, tflm.ReferenceSet.Scratch(m)))(t)
	for i := range a.Problem.Buffers {
		b := &a.Problem.Buffers[i]
		lines = append(lines, fmt.Sprintf("%d %d %d", b.Size, b.Lower-1, b.Upper-2))
	}
	return lines
}

// TestPlannerClass compiles the class and calls it as the runtime does: with the buffers of the plan, with fewer, and
// with buffers that the plan does not have.
func TestPlannerClass(t *testing.T) {
	cxx, err := exec.LookPath("c++")
	if err != nil {
		t.Skip("needs a C++ compiler, c++ (c-compiler)")
	}
	data := tflitemade.Network(4, 24)
	dir := banked(t, data, "4KiB")
	want, asked := places(t, dir), requests(t, data)
	if text := strings.Join(want, "\n"); !strings.Contains(text, "fast") || !strings.Contains(text, "slow") {
		t.Fatalf("all in one memory:\n%s", text)
	}
	built := filepath.Join(dir, "planner")
	args := []string{
		"-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", dir, "-I", filepath.Join("testdata", "runtime"),
		"-o", built, filepath.Join("testdata", "banks", "planner.cc"),
	}
	if out, err := exec.Command(cxx, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	changed := func(k int, line string) []string {
		out := append([]string(nil), asked...)
		out[k] = line
		return out
	}
	for _, c := range []struct {
		name   string
		asked  []string
		fault  string
		code   int
		stdout string
	}{
		{"as planned", asked, "none", 0, strings.Join(want, "\n")},
		{"fewer", asked[:3], "none", 0, strings.Join(want[:3], "\n")},
		{"smaller", changed(0, "16 "+strings.SplitN(asked[0], " ", 2)[1]), "none", 0, strings.Join(want, "\n")},
		{"more", append(append([]string(nil), asked...), "16 0 0"), "none", 1, "the kernels ask for more"},
		{"larger", changed(1, "9999999 0 1"), "none", 1, "buffer 1 has 9999999 bytes"},
		{"longer", changed(2, strings.Fields(asked[2])[0]+" 0 9999"), "none", 1, "buffer 2 has"},
		{"unaligned", asked, "unaligned", 4, "not aligned"},
		{"absent", asked, "absent", 4, "not there"},
	} {
		file := filepath.Join(dir, "asked")
		must.Do(t, os.WriteFile(file, []byte(strings.Join(c.asked, "\n")+"\n"), 0o666))
		in := must.Get(os.Open(file))(t)
		cmd := exec.Command(built, c.fault)
		cmd.Stdin = in
		out, err := cmd.Output()
		in.Close()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.stdout) {
			t.Errorf("%s: exit code %d, want %d, and %q in\n%s", c.name, code, c.code, c.stdout, out)
		}
	}
}

// TestBanksHeader compiles the header as C and holds its macros against the plan.
func TestBanksHeader(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("needs a C compiler, cc (c-compiler)")
	}
	dir := banked(t, tflitemade.Network(4, 24), "4KiB")
	main := filepath.Join(dir, "main.c")
	if err := os.WriteFile(main, []byte("#include \"net.h\"\nint main(void) { return NET_MEMORIES == 2 && NET_TENSOR_ARENA_SIZE_32 >= NET_BYTES_SLOW ? 0 : 1; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{cc, "-std=c99", "-Wall", "-Werror", "-pedantic", "-o", filepath.Join(dir, "main"), main},
		{filepath.Join(dir, "main")},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args, err, out)
		}
	}
	text := must.Get(os.ReadFile(filepath.Join(dir, "net.h")))(t)
	banks := regexp.MustCompile(`(?m)^#define NET_BANK_(\w+) (\d+)`).FindAllStringSubmatch(string(text), -1)
	for k, place := range places(t, dir) {
		pool, offset, _ := strings.Cut(place, " ")
		offsets := regexp.MustCompile(`(?m)^#define NET_OFFSET_` + banks[k][1] + ` (\d+)$`).FindStringSubmatch(string(text))
		if banks[k][2] != strconv.Itoa(map[string]int{"fast": 0, "slow": 1}[pool]) || offsets == nil || offsets[1] != offset {
			t.Errorf("%s is at %s, and the header has %s, %v", banks[k][1], place, banks[k][2], offsets)
		}
	}
}
