package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/laboratory"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/lab/bench/outside"
	"github.com/stowage-go/stowage/plan"
	"github.com/stowage-go/stowage/sweep/spec"
)

// TestLaboratory compares the names of package laboratory with the planners whose code is in lab.
func TestLaboratory(t *testing.T) {
	var here []string
	for _, p := range plan.All() {
		of := reflect.ValueOf(p)
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Interface {
			if of = of.Elem(); of.Kind() == reflect.Struct && of.NumField() > 0 && of.Field(0).Kind() == reflect.Interface {
				of = of.Field(0)
			}
		}
		if strings.Contains(of.Type().PkgPath(), "/lab/") {
			here = append(here, p.Info().Name)
		}
	}
	slices.Sort(here)
	if want := laboratory.Names(); !slices.Equal(here, want) {
		t.Errorf("the laboratory has %q, and package laboratory names %q", here, want)
	}
}

// TestCommands: the subcommands take the flags of stowage's, and have its outputs and exit codes.
func TestCommands(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, "in.csv")
	must.Do(t, os.WriteFile(input, []byte("id,lower,upper,size\na,0,2,3\nb,1,3,4\n"), 0o666))
	out := filepath.Join(dir, "sweep-out")
	text := "problems: [in.csv]\nplanners: [auto, milp, xla-heap]\ncapacities: [minimize, 7]\nnodes: 100\nout: sweep-out\n"
	specification := filepath.Join(dir, "spec.yaml")
	must.Do(t, os.WriteFile(specification, []byte(text), 0o666))
	for _, tc := range []struct {
		line, stdout, stderr string
		code                 int
	}{
		{"solve --planner xla-heap " + input, "id,lower,upper,size,offset\na,", "optimal: height 7,", 0},
		{"solve --planner milp -c 6 " + input, "", "infeasible", 3},
		{"solve --planner nobody " + input, "", "stowage-lab: no planner is named \"nobody\"", 2},
		{"solve --planner auto", "", "stowage-lab: missing argument INPUT", 2},
		{"compare --planner first-fit,milp,glow " + input, "\nglow ", "", 0},
		{"planners", "\nxla-heap ", "", 0},
		{"planners milp", "milp: ", "", 0},
		{"sweep run --runner=loop " + specification, "report.html", "6 of 6 runs", 0},
		{"sweep status " + out, "", "", 0},
		{"sweep run", "", "stowage-lab sweep: missing argument SPEC\nRun 'stowage-lab sweep run --help' for usage.", 2},
		{"sweep --help", "stowage-lab sweep run spec.yaml", "", 0},
		{"plan x.tflite", "", `stowage-lab: unknown command "plan"; it is in stowage: stowage plan`, 2},
		{"--help", "\n  sweep                 Run planners on many problems\n", "", 0},
		{"solve --help", "stowage-lab solve ", "", 0},
		{"version", "stowage-lab ", "", 0},
	} {
		var stdout, stderr bytes.Buffer
		code := execute(strings.Fields(tc.line), &stdout, &stderr)
		if code != tc.code || !strings.Contains("\n"+stdout.String(), tc.stdout) ||
			!strings.Contains(stderr.String(), tc.stderr) {
			t.Errorf("%s: exit code %d\nstdout: %s\nstderr: %s", tc.line, code, &stdout, &stderr)
		}
	}
}

// TestSpecs: the specifications that are kept can be read, with the planners of the laboratory.
func TestSpecs(t *testing.T) {
	t.Setenv("STOWAGE_DATA", t.TempDir())
	t.Setenv("STOWAGE_MODELS", t.TempDir())
	names := outside.Names()
	for _, p := range stowage.Planners() {
		names = append(names, p.Name)
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "sweep", "specs", "*.yaml"))
	if err != nil || len(files) < 6 {
		t.Errorf("%d specifications, %v", len(files), err)
	}
	for _, file := range files {
		if _, err := spec.Read(file, names); err != nil {
			t.Error(err)
		}
	}
}
