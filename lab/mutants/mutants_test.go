package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

const small = `package small

import "example/invariants"

// Fits reports whether a fits under most.
func Fits(a, b, most int, p *int) bool {
	if invariants.Enabled && a < 0 {
		panic(a)
	}
	const none = 0 > 1
	return p == nil || max(a, b) <= most && a != b
}
`

// TestSites: changes are made to comparisons, joined conditions and ends, except for nil, constants and invariants.
func TestSites(t *testing.T) {
	file := filepath.Join(t.TempDir(), "small.go")
	must.Do(t, os.WriteFile(file, []byte(small), 0o600))
	all := must.Get(sitesIn(file))(t)
	var got []string
	for k := range all {
		got = append(got, all[k].old+" "+all[k].new)
	}
	want := []string{"|| &&", "max min", "<= <", "<= >", "&& ||", "!= =="}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTry: a change that a test checks is seen. A change that no test checks survives, and so does one that no test
// reaches. All of them are in one program, nested.
func TestTry(t *testing.T) {
	folder, work := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example\n\ngo 1.26.0\n",
		"least.go": `package example

func least(a, b int) int {
	if a < b && // the first
		max(a, min(b, a+1)) > 0 {
		return a
	}
	return b
}

func other(a int) bool { return a == 7 }
`,
		"least_test.go": `package example

import "testing"

func TestLeast(t *testing.T) {
	if least(1, 2) != 1 || least(2, 1) != 1 || least(0, 1) != 0 {
		t.Fail()
	}
}
`,
	} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	t.Chdir(folder)
	t.Setenv("GOWORK", "off")
	all := must.Get(sitesOf("."))(t)
	overlay := must.Get(embed(all, work))(t)
	c, err := gather(all, overlay, work, []string{"."}, time.Minute, map[string]time.Duration{}, 1)
	if err != nil || len(c.judges) != 1 {
		t.Fatal(c, err)
	}
	got := map[string]verdict{}
	for k := range all {
		got[all[k].old+" "+all[k].new], _, _ = c.try(k, time.Minute)
	}
	want := map[string]verdict{
		"< <=":    survived, // what is least of two that are the same
		"< >=":    killed,
		"&& ||":   killed,
		"max min": killed, // of 0 and 1
		"min max": survived,
		"> >=":    survived, // nothing is 0
		"> <=":    killed,
		"== !=":   unreached,
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestVerdicts: what is noted in a log is read again.
func TestVerdicts(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	if got, err := verdicts(log); err != nil || len(got) > 0 {
		t.Fatal(got, err)
	}
	must.Do(t, note(log, "SURVIVES  a.go:1:2: < in place of <= (off by one)\t1.0 s\t3 tests\n"))
	got, err := verdicts(log)
	if err != nil || got["a.go:1:2: < in place of <= (off by one)"] != survived {
		t.Error(got, err)
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

// TestPackages: the packages that are drawn from, and those above them, are there.
func TestPackages(t *testing.T) {
	for _, folder := range slices.Concat(searches, callers) {
		if _, err := os.Stat(filepath.Join("..", "..", folder)); err != nil {
			t.Error(err)
		}
	}
}
