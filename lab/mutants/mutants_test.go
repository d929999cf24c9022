package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const source = `package small

import "example/invariants"

// Fits reports whether a fits under most.
func Fits(a, b, most int, p *int) bool {
	if invariants.Enabled && a < 0 {
		panic(a)
	}
	return p == nil || max(a, b) <= most && a != b
}
`

// TestSites: the changes are those of comparisons, joined conditions and ends, but for nil and for what invariants
// check.
func TestSites(t *testing.T) {
	file := filepath.Join(t.TempDir(), "small.go")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := sitesIn(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for k := range all {
		got = append(got, all[k].old+" "+all[k].new)
		text, err := all[k].mutate()
		if err != nil || string(text) == source || strings.Count(string(text), "\n") != strings.Count(source, "\n") {
			t.Errorf("%v: %v\n%s", &all[k], err, text)
		}
	}
	want := []string{"|| &&", "max min", "<= <", "<= >", "&& ||", "!= =="}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTry: a change that a test holds is seen, and one that nothing holds survives.
func TestTry(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":        "module example\n\ngo 1.26.0\n",
		"least.go":      "package example\n\nfunc least(a, b int) int {\n\tif a < b {\n\t\treturn a\n\t}\n\treturn b\n}\n",
		"least_test.go": "package example\n\nimport \"testing\"\n\nfunc TestLeast(t *testing.T) {\n\tif least(1, 2) != 1 {\n\t\tt.Fail()\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
	t.Setenv("GOWORK", "off")
	all, err := sitesOf(".")
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	// "<=" is as good for what is least; ">=" is not.
	for k, want := range []verdict{survived, killed} {
		if got, err := try(&all[k], nil, time.Minute); got != want || err != nil {
			t.Errorf("%v: %v, %v, want %v", &all[k], got, err, want)
		}
	}
}

// TestDraw: the same seed draws the same places, another one others.
func TestDraw(t *testing.T) {
	all := make([]site, 100)
	for k := range all {
		all[k].line = k
	}
	a, b, c := draw(all, 20, "x"), draw(all, 20, "x"), draw(all, 20, "y")
	if !slices.Equal(a, b) || slices.Equal(a, c) || len(draw(all, 200, "x")) != 100 {
		t.Error("the draw is not by the seed")
	}
}
