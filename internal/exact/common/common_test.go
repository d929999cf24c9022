package common

import (
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/plan"
)

// TestArrays makes arrays that do not run into one another.
func TestArrays(t *testing.T) {
	var a, b, c []int
	var all Arrays[int]
	all.Add(2, &a)
	all.Add(0, &b)
	all.Add(3, &c)
	all.Make()
	if len(a) != 2 || len(b) != 0 || len(c) != 3 {
		t.Fatalf("%d, %d and %d entries", len(a), len(b), len(c))
	}
	_ = append(a, 1)
	if c[0] != 0 {
		t.Error("one array grows into the next")
	}
}

// TestFrontFindsWhatItHolds opens two vectors for each of many sets, so that the table grows.
func TestFrontFindsWhatItHolds(t *testing.T) {
	var f Front
	for round := range int64(2) {
		for set := uint64(1); set <= 1000; set++ {
			f.Open(set, 10*int64(set)+round)
			f.Cells = append(f.Cells, 0) // a level
		}
	}
	if f.Used != 1000 {
		t.Fatalf("%d sets, want 1000", f.Used)
	}
	for set := uint64(1); set <= 1000; set++ {
		at := f.Heads[f.Slot(set)]
		for _, want := range []int64{10*int64(set) + 1, 10 * int64(set)} {
			if got := f.Cells[at+1]; got != want {
				t.Fatalf("set %d has a vector of capacity %d, want %d", set, got, want)
			}
			at = int32(f.Cells[at])
		}
		if at != 0 {
			t.Fatalf("set %d has a third vector", set)
		}
	}
	if f.Heads[f.Slot(1001)] != 0 {
		t.Error("a set that was never opened has a vector")
	}
}

// TestFrontForgets fills the cells. Then the next set is the only one.
func TestFrontForgets(t *testing.T) {
	var f Front
	f.Open(1, 0)
	f.Cells = append(f.Cells, make([]int64, frontCells)...)
	if f.Open(2, 5); f.Used != 1 || f.Heads[f.Slot(1)] != 0 || f.Cells[f.Heads[f.Slot(2)]+1] != 5 {
		t.Errorf("%d sets after everything was forgotten", f.Used)
	}
}

// TestSwitchesSwitch switches each technique off by its name: it is the only one that is off.
func TestSwitchesSwitch(t *testing.T) {
	on := Switches{}
	must.Do(t, run.Bind("test", &plan.Options{}, &on))
	seen := map[Switches]string{on: "nothing"}
	for _, technique := range run.Describe(plan.Info{}, func() run.Settings { return new(Switches) }).Techniques {
		name := technique.Name
		var s Switches
		must.Do(t, run.Bind("test", &plan.Options{Without: []string{name}}, &s))
		if other, ok := seen[s]; ok {
			t.Errorf("without %s is the same as without %s", name, other)
		}
		seen[s] = name
	}
	if len(seen) != 27 {
		t.Errorf("%d techniques, want 26", len(seen)-1)
	}
}
