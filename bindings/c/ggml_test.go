package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestGgml compiles examples/ggml against a stand-in for ggml, and runs it on random graphs. What the patch adds to
// ggml-alloc.h is in the stand-in, too. The real ggml takes minutes to build: see lab/bench/ggml.
func TestGgml(t *testing.T) {
	graphs := "60"
	if plantest.AtNight() {
		graphs = "300"
	}
	dir := library(t)
	folder := t.TempDir()
	patch, err := os.ReadFile("../../examples/ggml/gallocr.patch")
	if err != nil {
		t.Fatal(err)
	}
	header, _, found := strings.Cut(string(patch), "--- a/ggml/src/ggml-alloc.c")
	added := regexp.MustCompile(`(?m)^\+([^+].*)?$`).FindAllStringSubmatch(header, -1)
	if !found || len(added) < 5 {
		t.Fatalf("the patch adds %d lines to ggml-alloc.h", len(added))
	}
	text := "#include \"ggml.h\"\n"
	for _, line := range added {
		text += line[1] + "\n"
	}
	if err := os.WriteFile(filepath.Join(folder, "ggml-alloc.h"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "check")
	args := []string{
		"-std=c99", "-g", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wno-parentheses", "-Werror", "-I" + folder,
		"-Itestdata/ggml", "-I.", "-I../../examples/ggml",
		"testdata/ggml/check.c", "../../examples/ggml/stowage_ggml.c", "../../examples/ggml/gallocr_planner.c", "-o", path,
		"-L" + dir, "-lstowage", "-Wl,-rpath," + dir,
	}
	if out, err := exec.CommandContext(t.Context(), "cc", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), path, graphs).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
