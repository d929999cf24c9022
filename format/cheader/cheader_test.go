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
		if seen[name] || len(name) > longest+4 {
			t.Errorf("%s is there twice, or too long", name)
		}
		seen[name] = true
	}
	p := &Plan{Tensors: []Tensor{{Name: "a_2"}, {Name: "a"}, {Name: "a."}, {Name: "a_3"}, {Name: "a-"}}}
	if got := p.identifiers(); strings.Join(got, " ") != "a_2 a a_3 a_3_2 a_4" {
		t.Errorf("got %v", got)
	}
}

// TestCompiled compiles both files, alone and together, in several dialects, and runs
// a program that holds them against the plan.
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
	p.Note = "*/ one /* line\nof a note */"
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
	check("%s_ARENA_SIZE == 50000 && sizeof %s_arena == 50000 && (uintptr_t)%s_arena %% %s_ARENA_ALIGNMENT == 0", upper, prefix, prefix, upper)
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
		run(cxx, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-x", "c++", "-o", "main", "main.c", "plan.c", "empty.c")
		run("./main")
	}
}

// TestFails passes on the error of the writer.
func TestFails(t *testing.T) {
	p := sample()
	if WriteHeader(full{}, p) == nil || WriteSource(full{}, p) == nil {
		t.Error("a full disk is no error")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

// TestAlignment: what is no power of two is refused, not lowered.
func TestAlignment(t *testing.T) {
	for alignment, good := range map[int64]bool{0: true, 1: true, 2: true, 64: true, 3: false, 48: false, -1: false, -8: false} {
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
