package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGuide compiles what docs/c.md has in C, as the body of one function, and runs it.
func TestGuide(t *testing.T) {
	guide := string(mustRead(t, filepath.FromSlash("../docs/c.md")))
	blocks := regexp.MustCompile("(?s)```c\n(.*?)```").FindAllStringSubmatch(guide, -1)
	if len(blocks) < 2 {
		t.Fatalf("docs/c.md has %d blocks of C", len(blocks))
	}
	var s strings.Builder
	s.WriteString("#include <stdio.h>\n#include \"stowage.h\"\nint main(void) {\nint count = 3;\nconst int64_t *alignment = NULL;\n")
	for _, b := range blocks {
		s.WriteString(b[1])
	}
	s.WriteString("printf(\"%d %d %d, %d\", (int)offsets[0], (int)offsets[1], (int)offsets[2], (int)arena);\nreturn 0;\n}\n")
	path := filepath.Join(t.TempDir(), "guide.c")
	if err := os.WriteFile(path, []byte(s.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, want := execute(t, program(t, path, false, c99...)), "0 1100 600, 1400"; got != want {
		t.Errorf("the guide's program prints %q, want %q", got, want)
	}
}
