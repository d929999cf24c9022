package cheader

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

func sample() *Plan {
	return &Plan{
		Name: "1st model */ of\\nothing", Arena: 5000000000, Alignment: 64,
		Tensors: []Tensor{
			{"conv1", 0, 64},
			{"conv/1:0", 64, 128},
			{"conv_1_0", 192, 8},
			{"conv 1 0", 256, 8},
			{"", 320, 1},
			{"*/ int main(void) { return 1; } /*", 384, 2},
			{"??/\" \\\n é\x00\x01", 4999999936, 64},
			{strings.Repeat("long", 100), 448, 2},
			{strings.Repeat("long", 99) + "er", 512, 2},
		},
	}
}

func TestIdentifiers(t *testing.T) {
	got := sample().identifiers()
	for i, want := range []string{"conv1", "conv_1_0", "conv_1_0_2", "conv_1_0_3", "tensor", "int_main_void____return_1"} {
		if got[i] != want {
			t.Errorf("%q is %s, want %s", sample().Tensors[i].Name, got[i], want)
		}
	}
	seen := map[string]bool{}
	for _, name := range got {
		if macro := sample().prefix() + "_OFFSET_" + name; seen[name] || len(macro) > longestMacro {
			t.Errorf("%s is there twice, or its macro of %d characters is too long", name, len(macro))
		}
		seen[name] = true
	}
	p := &Plan{Tensors: []Tensor{{Name: "a_2"}, {Name: "a"}, {Name: "a."}, {Name: "a_3"}, {Name: "a-"}}}
	if got := p.identifiers(); strings.Join(got, " ") != "a_2 a a_3 a_3_2 a_4" {
		t.Errorf("got %v", got)
	}
}

// TestLongNames has names that differ only in the middle, only at the end, or not at all, and one longer than any
// line. Each has its own macro of at most 63 characters, which keeps the beginning and the end of the name.
func TestLongNames(t *testing.T) {
	const long = "model/batch_normalization/FusedBatchNormV3;model/conv2d_2/Conv2D;model/conv2d_1/Conv2D1"
	for _, model := range []string{"m", "embedding_model", strings.Repeat("a_model_", 12) + "of_mine"} {
		p := &Plan{Name: model}
		for k := range 200 {
			p.Tensors = append(p.Tensors, Tensor{Name: long}, Tensor{Name: long[:40] + fmt.Sprint(k) + long[40:]},
				Tensor{Name: long + fmt.Sprint(k)})
		}
		p.Tensors = append(p.Tensors, Tensor{Name: strings.Repeat("x/", 1<<20)})
		seen := map[string]bool{}
		for _, name := range p.identifiers() {
			if macro := p.prefix() + "_OFFSET_" + name; seen[name] || len(macro) > 63 {
				t.Fatalf("%s: %s is there twice, or its macro of %d characters is too long", model, name, len(macro))
			}
			seen[name] = true
		}
		if first := p.identifiers()[0]; !strings.HasPrefix(first, "model_b") || !strings.HasSuffix(first, "v2D1") {
			t.Errorf("%s is not to be recognised", first)
		}
		p.Runtime = &Runtime{AtLeast: true, Arenas: []ArenaSize{{Target: "PYTHON"}}}
		var out strings.Builder
		must.Do(t, WriteHeader(&out, p))
		for line := range strings.Lines(out.String()) {
			if f := strings.Fields(line); len(f) > 1 && f[0] == "#define" && len(f[1]) > 63 {
				t.Errorf("%s has %d characters", f[1], len(f[1]))
			}
		}
	}
}

// TestRuntime has a header for a runtime. Its arenas have distinct names, and no name of the head could be taken for
// an arena's. The array compiles as C and C++, is aligned, has the bytes of the model, and agrees with the header on
// all sizes.
func TestRuntime(t *testing.T) {
	r := &Runtime{
		Note:   "*/ one /* line\nof a note */",
		Arenas: []ArenaSize{{"32", "32-bit firmware", 3168}, {"64", "64-bit firmware", 3744}},
	}
	data := make([]byte, 1000)
	for i := range data {
		data[i] = byte(i * i)
	}
	of := *r
	of.Model, of.Hash = int64(len(data)), HashOf(data)
	p := &Plan{Name: "tiny", Arena: 2048, Alignment: 16, Tensors: []Tensor{{"a", 0, 16}}, Runtime: &of}
	var header, array, atLeast strings.Builder
	must.Do(t, errors.Join(WriteHeader(&header, p), WriteArray(&array, "tiny", data, r)))
	for _, want := range []string{
		"#define TINY_TENSOR_ARENA_SIZE_32 3168 /* 32-bit firmware */\n", "#define TINY_TENSOR_ARENA_SIZE_64 3744",
		"#define TINY_HEAD_SIZE 2048\n", "#define TINY_MODEL_DATA_SIZE 1000\n", HashOf(data),
	} {
		if !strings.Contains(header.String(), want) {
			t.Errorf("the header has no %q:\n%s", want, &header)
		}
	}
	if strings.Contains(header.String(), "TINY_ARENA_SIZE") || strings.Contains(header.String(), "tiny_arena") {
		t.Errorf("the header calls the head an arena:\n%s", &header)
	}
	if !strings.Contains(array.String(), HashOf(data)) {
		t.Error("nothing says that header and array belong together")
	}
	of.AtLeast = true
	if err := WriteHeader(&atLeast, p); err != nil || strings.Contains(atLeast.String(), "SIZE_32 ") ||
		!strings.Contains(atLeast.String(), "TINY_TENSOR_ARENA_SIZE_32_AT_LEAST 3168") {
		t.Errorf("a lower bound has the name of a size that works: %v\n%s", err, &atLeast)
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("needs a C compiler, cc (c-compiler)")
	}
	dir := t.TempDir()
	main := `#include "tiny.h"
#include <stdint.h>
#include <stdio.h>
int main(void) {
	if ((uintptr_t)tiny_model_data % 16 != 0) return 1;
	if (sizeof tiny_model_data != TINY_MODEL_DATA_SIZE || tiny_model_data_size != TINY_MODEL_DATA_SIZE) return 2;
	if (tiny_tensor_arena_size_32 != TINY_TENSOR_ARENA_SIZE_32 || tiny_tensor_arena_size_64 != TINY_TENSOR_ARENA_SIZE_64) return 3;
	for (int i = 0; i < TINY_MODEL_DATA_SIZE; i++) if (tiny_model_data[i] != (unsigned char)(i * i)) return 4;
	return 0;
}
`
	for name, text := range map[string]string{
		"tiny.h": header.String(), "array.cc": array.String(), "array.c": array.String(), "main.c": main, "main.cc": main,
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	run := func(args ...string) {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	strict := []string{"-Wall", "-Wextra", "-Werror", "-pedantic", "-o", "main"}
	for _, standard := range []string{"-std=c99", "-std=c11"} {
		run(append(append([]string{cc, standard}, strict...), "main.c", "array.c")...)
		run("./main")
	}
	if cxx, err := exec.LookPath("c++"); err == nil {
		for _, standard := range []string{"-std=c++11", "-std=c++17"} {
			run(append(append([]string{cxx, standard}, strict...), "main.cc", "array.cc")...)
			run("./main")
		}
	}
}

// TestCompiled compiles both files, alone and together, in several dialects, and runs a program that compares them
// with the plan.
func TestCompiled(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("needs a C compiler, cc (c-compiler)")
	}
	dir := t.TempDir()
	write := func(name string, f func(*os.File) error) {
		file, err := os.Create(filepath.Join(dir, name))
		if err == nil {
			err = errors.Join(f(file), file.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	p := sample()
	p.Arena = 50000
	p.Tensors[6].Offset = 49920
	write("plan.h", func(f *os.File) error { return WriteHeader(f, p) })
	write("plan.c", func(f *os.File) error { return WriteSource(f, p) })
	empty := &Plan{}
	write("empty.h", func(f *os.File) error { return WriteHeader(f, empty) })
	write("empty.c", func(f *os.File) error { return WriteSource(f, empty) })
	var main strings.Builder
	prefix := p.prefix()
	upper := strings.ToUpper(prefix)
	fmt.Fprintf(&main, "#include \"plan.h\"\n#include \"plan.h\"\n#include \"empty.h\"\n#include <string.h>\n#include <stdint.h>\nint main(void) {\n")
	check := func(format string, args ...any) {
		fmt.Fprintf(&main, "if (!(%s)) return %d;\n", fmt.Sprintf(format, args...), strings.Count(main.String(), "return")+1)
	}
	check("%s_ARENA_SIZE == 50000 && sizeof %s_arena == 50000 && (uintptr_t)%s_arena %% %s_ARENA_ALIGNMENT == 0", upper,
		prefix, prefix, upper)
	check("%s_TENSORS == %d && %s_tensors[%d].name == NULL", upper, len(p.Tensors), prefix, len(p.Tensors))
	check("PLAN_TENSORS == 0 && plan_tensors[0].name == NULL && PLAN_ARENA_SIZE == 0")
	for i, id := range p.identifiers() {
		x := &p.Tensors[i]
		check("%[1]s_OFFSET_%[2]s == %[3]d && %[1]s_SIZE_%[2]s == %[4]d", upper, id, x.Offset, x.Size)
		check("%s_tensors[%d].offset == %d && %s_tensors[%d].size == %d", prefix, i, x.Offset, prefix, i, x.Size)
		var bytes []string
		for k := range len(x.Name) {
			bytes = append(bytes, fmt.Sprintf("(char)%d", x.Name[k]))
		}
		bytes = append(bytes, "0")
		fmt.Fprintf(&main, "{ static const char name[] = {%s};\n", strings.Join(bytes, ","))
		check("memcmp(name, %s_tensors[%d].name, sizeof name) == 0", prefix, i)
		main.WriteString("}\n")
	}
	main.WriteString("return 0;\n}\n")
	write("main.c", func(f *os.File) error { _, err := f.WriteString(main.String()); return err })
	run := func(name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	for _, standard := range []string{"-std=c99", "-std=c11", "-std=gnu17"} {
		run(cc, standard, "-Wall", "-Wextra", "-Werror", "-pedantic", "-o", "main", "main.c", "plan.c", "empty.c")
		run("./main")
	}
	if cxx, err := exec.LookPath("c++"); err == nil {
		run(cxx, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-x", "c++", "-c", "-o", "plan.o", "plan.c")
		run(cxx, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-x", "c++", "-o", "main", "main.c",
			"plan.c", "empty.c")
		run("./main")
	}
}

// TestFails passes on the error of the writer.
func TestFails(t *testing.T) {
	p := sample()
	if WriteHeader(full{}, p) == nil || WriteSource(full{}, p) == nil || WriteArray(full{}, "a", nil, &Runtime{}) == nil {
		t.Error("a full disk is no error")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

// TestAlignment: what is no power of two is refused, not lowered.
func TestAlignment(t *testing.T) {
	for alignment, good := range map[int64]bool{
		0: true, 1: true, 2: true, 64: true, 3: false, 48: false, -1: false, -8: false,
	} {
		p := sample()
		p.Alignment = alignment
		for name, write := range map[string]func(io.Writer, *Plan) error{"header": WriteHeader, "source": WriteSource} {
			var out strings.Builder
			if err := write(&out, p); (err == nil) != good || good != (out.Len() > 0) {
				t.Errorf("%s with alignment %d: %v, %d bytes", name, alignment, err, out.Len())
			}
		}
	}
}

// TestSelftestAtLeast: an arena that is only a lower bound has another name.
func TestSelftestAtLeast(t *testing.T) {
	s := &Selftest{Model: 32, Hash: "a", Original: 16, Arenas: []ArenaSize{{"32", "32-bit firmware", 3168}}}
	for atLeast, want := range map[bool]string{false: "_arena_size_32 = 3168;", true: "_arena_size_32_at_least = 3168;"} {
		s.AtLeast = atLeast
		var b strings.Builder
		if err := WriteSelftest(&b, "tiny", s); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%v: the self-test has no %q:\n%s", err, want, &b)
		}
	}
}
