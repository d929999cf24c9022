package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestGgml compiles examples/ggml against a stand-in for ggml, and runs it on random graphs. What the patch adds to
// ggml-alloc.h is in the stand-in, too. The real ggml takes minutes to build: see lab/bench/ggml.
func TestGgml(t *testing.T) {
	need(t, "cc")
	graphs := "60"
	if plantest.AtNight() {
		graphs = "300"
	}
	folder := t.TempDir()
	patch := must.Get(os.ReadFile("../../examples/ggml/gallocr.patch"))(t)
	header, _, found := strings.Cut(string(patch), "--- a/ggml/src/ggml-alloc.c")
	added := regexp.MustCompile(`(?m)^\+([^+].*)?$`).FindAllStringSubmatch(header, -1)
	if !found || len(added) < 5 {
		t.Fatalf("the patch adds %d lines to ggml-alloc.h", len(added))
	}
	text := "#include \"ggml.h\"\n"
	for _, line := range added {
		text += line[1] + "\n"
	}
	must.Do(t, os.WriteFile(filepath.Join(folder, "ggml-alloc.h"), []byte(text), 0o600))
	path := filepath.Join(folder, "check")
	args := []string{
		"-std=c99", "-g", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wno-parentheses", "-Werror", "-I" + folder,
		"-Itestdata/ggml", "-I..", "-I../../examples/ggml",
		"testdata/ggml/check.c", "../../examples/ggml/stowage_ggml.c", "../../examples/ggml/gallocr_planner.c",
		"../stowage_core.c", "-o", path,
	}
	tool(t, "", nil, "cc", args...)
	t.Log(tool(t, "", nil, path, graphs))
}
