package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/sweep/spec"
)

// TestPlanners: a sweep has every planner that the command has, since both import the same parts of the laboratory, and
// the specifications that are kept here can be read.
func TestPlanners(t *testing.T) {
	imported := func(file string) []string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`_ "github.com/stowage-go/stowage/lab/[a-z]+"`).FindAllString(string(text), -1)
	}
	command := imported(filepath.Join("..", "..", "..", "cmd", "stowage", "heavy.go"))
	if here := imported("main.go"); len(command) < 3 || !slices.Equal(here, command) {
		t.Errorf("the command imports %q, and stowage-sweep %q", command, here)
	}
	for _, name := range []string{"milp", "tela-learned", "cp"} {
		if !slices.Contains(plannerNames(), name) {
			t.Errorf("%s is missing", name)
		}
	}
	t.Setenv("STOWAGE_DATA", t.TempDir())
	t.Setenv("STOWAGE_MODELS", t.TempDir())
	files, err := filepath.Glob(filepath.Join("..", "..", "specs", "*.yaml"))
	if err != nil || len(files) < 6 {
		t.Errorf("%d specifications, %v", len(files), err)
	}
	for _, file := range files {
		if _, err := spec.Read(file, plannerNames()); err != nil {
			t.Error(err)
		}
	}
}
