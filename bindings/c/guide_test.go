package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// blocksOf returns the blocks of code of docs/c.md that match a pattern.
func blocksOf(t *testing.T, pattern string) [][]string {
	t.Helper()
	blocks := regexp.MustCompile("(?s)"+pattern).FindAllStringSubmatch(string(mustRead(t, "../../docs/c.md")), -1)
	if len(blocks) < 2 {
		t.Fatalf("docs/c.md has %d blocks %s", len(blocks), pattern)
	}
	return blocks
}

// printed compiles a text and returns what the program prints.
func printed(t *testing.T, name, text string, compiler []string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	return execute(t, program(t, path, false, compiler...))
}

// TestGuide compiles the C code of docs/c.md as the body of one function, and runs it with the
// JSON options that the header has as an example.
func TestGuide(t *testing.T) {
	blocks := blocksOf(t, "```c\n(.*?)```")
	options := regexp.MustCompile(`(?s)\{"planner".*?\}\}`).FindString(strings.ReplaceAll(string(mustRead(t, "stowage.h")),
		"\n *", " "))
	if options == "" {
		t.Fatal("stowage.h has no options in JSON")
	}
	var s strings.Builder
	s.WriteString("#include <stdio.h>\n#include <string.h>\n#include \"stowage.h\"\nint main(void) {\nint count = 3;\nconst int64_t *alignment = NULL;\n")
	for _, b := range blocks {
		s.WriteString(b[1])
	}
	s.WriteString("printf(\"%d %d %d, %d\", (int)offsets[0], (int)offsets[1], (int)offsets[2], (int)arena);\n")
	fmt.Fprintf(&s, "const char *json = %q;\n", options)
	s.WriteString("s = stowage_new();\nstowage_set_buffers(s, 3, lower, upper, size);\n")
	s.WriteString("if (stowage_set_options(s, json, strlen(json)) < 0 || stowage_solve(s, offsets) < 0) puts(stowage_error(s));\nstowage_free(s);\n")
	s.WriteString("return 0;\n}\n")
	if got, want := printed(t, "guide.c", s.String(), c99), "0 1100 600, 1400"; got != want {
		t.Errorf("the guide's program prints %q, want %q", got, want)
	}
}

// TestGuideInCpp compiles the C++ code of docs/c.md, each block by itself, and runs it.
func TestGuideInCpp(t *testing.T) {
	blocks := blocksOf(t, "```cpp\n(.*?)```")
	var s strings.Builder
	s.WriteString("#include <cstdio>\n#include \"stowage.hpp\"\nint main() {\nauto use = [](const std::vector<int64_t> &, int64_t height) { std::printf(\"%d\\n\", (int)height); };\n")
	for _, b := range blocks {
		s.WriteString("{\n" + regexp.MustCompile(`(?m)^#include .*$`).ReplaceAllString(b[1], "") + "}\n")
	}
	s.WriteString("}\n")
	if got, want := printed(t, "guide.cc", s.String(), cpp), "0\n1400\n"; got != want {
		t.Errorf("the guide's program prints %q, want %q", got, want)
	}
}
