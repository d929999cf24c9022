package command

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/interpreter"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// Idea: the test uses the files that one run of plan writes as firmware would. A C++ compiler builds the array with the
// header. The program compares its bytes with the planned model. The interpreter of TensorFlow Lite Micro runs that
// model in an arena of the header's size, and fails in one that is 16 bytes smaller.
//
// The interpreter aligns its arena itself, so some bytes at the beginning may be lost, up to 32
// of them, depending on the address. The allocator here returns multiples of 16 for arenas of
// this size. So nothing is lost, and the size is exact.

// written plans a model with all outputs for firmware. It returns their paths without the extension, and the header.
func written(t *testing.T, dir, name string, data []byte, flags ...string) (stem, header string) {
	t.Helper()
	model := filepath.Join(dir, name+".tflite")
	must.Do(t, os.MkdirAll(filepath.Join(dir, "out"), 0o777))
	must.Do(t, os.WriteFile(model, data, 0o666))
	stem = filepath.Join(dir, "out", name)
	var stdout, stderr bytes.Buffer
	args := append([]string{"plan", "-q", "-o", stem + ".tflite", "-o", stem + ".h", "-o", stem + ".cc"}, flags...)
	if code := execute(append(args, model), &stdout, &stderr); code != exitOK {
		t.Fatalf("%s: exit code %d: %s", name, code, &stderr)
	}
	text := must.Get(os.ReadFile(stem + ".h"))(t)
	return stem, string(text)
}

// firmwareModels are models of all sorts: one that Stowage plans lower than the runtime, one with equal plans, one planned
// in place, and one whose planning itself takes the most room.
func firmwareModels() map[string][]byte {
	return map[string][]byte{
		"tiny": tflitemade.Network(60, 8), "easy": tflitemade.Network(1, 2), "net": tflitemade.Network(4, 24),
		"long_name_of_a_network_that_is_cut": tflitemade.Network(9, 12),
	}
}

// TestFirmwareCompiles builds array and header as C++11 and runs them.
func TestFirmwareCompiles(t *testing.T) {
	cxx, err := exec.LookPath("c++")
	if err != nil {
		t.Skip("needs a C++ compiler, c++ (c-compiler)")
	}
	dir := t.TempDir()
	for name, data := range firmwareModels() {
		stem, header := written(t, dir, name, data)
		prefix := strings.ToLower(regexp.MustCompile(`(?m)^#define (\w+)_HEAD_SIZE `).FindStringSubmatch(header)[1])
		upper := strings.ToUpper(prefix)
		program := `#include "` + name + `.h"
#include <cstdint>
#include <cstdio>
#include <cstring>
constexpr int kTensorArenaSize = ` + upper + `_TENSOR_ARENA_SIZE_32;
alignas(16) static std::uint8_t tensor_arena[kTensorArenaSize];
static unsigned char model[` + upper + `_MODEL_DATA_SIZE + 1];
int main(int, char **argv) {
	if (reinterpret_cast<std::uintptr_t>(` + prefix + `_model_data) % 16 != 0) return 1;
	std::FILE *file = std::fopen(argv[1], "rb");
	if (!file || std::fread(model, 1, sizeof model, file) != sizeof ` + prefix + `_model_data) return 2;
	if (std::memcmp(model, ` + prefix + `_model_data, sizeof ` + prefix + `_model_data) != 0) return 3;
	if (` + prefix + `_model_data_size != ` + upper + `_MODEL_DATA_SIZE || std::memcmp(` + prefix + `_model_data + 4, "TFL3", 4) != 0) return 4;
	if (` + prefix + `_tensor_arena_size_32 != sizeof tensor_arena || ` + prefix + `_tensor_arena_size_64 != ` + upper + `_TENSOR_ARENA_SIZE_64) return 5;
	tensor_arena[kTensorArenaSize - 1] = 1;
	return ` + upper + `_HEAD_SIZE < kTensorArenaSize ? 0 : 6;
}
`
		main := filepath.Join(dir, "out", "main.cc")
		must.Do(t, os.WriteFile(main, []byte(program), 0o666))
		built := filepath.Join(dir, "out", "main")
		for _, args := range [][]string{
			{cxx, "-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o", built, main, stem + ".cc"},
			{built, stem + ".tflite"},
		} {
			if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %s: %v\n%s", name, strings.Join(args, " "), err, out)
			}
		}
	}
}

// TestFirmwareRuns runs the model in an arena of the header's size. The outputs equal the unplanned model's. Then it
// runs the model with 16 bytes less, in a separate process.
func TestFirmwareRuns(t *testing.T) {
	plantest.Nightly(t)
	start := func() *interpreter.Process {
		p, err := interpreter.Start(interpreter.Python())
		if errors.Is(err, interpreter.ErrMissing) {
			t.Skipf("%s needs the Python package tflite-micro; set STOWAGE_PYTHON to an interpreter that has it", t.Name())
		}
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	dir, p := t.TempDir(), start()
	defer p.Close()
	number := regexp.MustCompile(`(?m)^#define \w+_TENSOR_ARENA_SIZE_PYTHON (\d+) `)
	for name, data := range firmwareModels() {
		for _, flags := range [][]string{nil, {"--in-place"}} {
			stem, header := written(t, dir, name, data, flags...)
			found := number.FindStringSubmatch(header)
			if found == nil {
				t.Fatalf("%s: the header has no number for the interpreter:\n%s", name, header)
			}
			arena := must.Get(strconv.ParseInt(found[1], 10, 64))(t)
			want, err := p.Run(interpreter.Request{
				Model: filepath.Join(dir, name+".tflite"), Arena: 1 << 20, Runs: 3, Preserve: true,
			})
			if err != nil || want.Error != "" {
				t.Fatal(err, want)
			}
			got, err := p.Run(interpreter.Request{Model: stem + ".tflite", Arena: arena, Runs: 3})
			if err != nil || got.Error != "" || got.Outputs != want.Outputs {
				t.Errorf("%s %v in %d bytes, as the header says: %+v, %v", name, flags, arena, got, err)
			}
			// An arena that is too small may crash the interpreter, which counts as a failure too.
			apart := start()
			if less, err := apart.Run(interpreter.Request{Model: stem + ".tflite", Arena: arena - 16, Runs: 3}); err == nil &&
				less.Error == "" {
				t.Errorf("%s %v: 16 bytes less than the %d of the header are enough", name, flags, arena)
			}
			apart.Close()
		}
	}
}
