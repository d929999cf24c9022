package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
)

// TestSettings: every technique has a line of its own, and what exact has beyond the paper
// is off together.
func TestSettings(t *testing.T) {
	settings, err := settingsOf("exact", strings.Join(beyond("exact", "minimalloc"), ","))
	if err != nil {
		t.Fatal(err)
	}
	p := &stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 3}, {ID: "b", Lower: 1, Upper: 3, Size: 4}, {ID: "c", Lower: 2, Upper: 5, Size: 1},
	}}
	for _, s := range settings {
		c, err := measure(t.Context(), p, stowage.Options{Planner: "exact", Capacity: 7}, s.Without, 2)
		if err != nil || !c.status.HasPlan() || c.nodes < 1 {
			t.Errorf("%s: %+v, %v", s.Name, c, err)
		}
	}
	names := map[string]int{}
	for _, s := range settings {
		names[s.Name] = len(s.Without)
	}
	if len(names) != len(settings) || names["all on"] != 0 || names["these 15"] != 15 || names["these 15, dominance"] != 16 {
		t.Errorf("settings %v", names)
	}
	if _, err := settingsOf("none", ""); err == nil {
		t.Error("an unknown planner is no error")
	}
}

func TestMarkdown(t *testing.T) {
	r := result{
		Date: "2000-01-01", Machine: record.Machine{CPU: "abacus", Cores: 1, OS: "none", Arch: "wood", Go: "go"},
		Timeout: 10, Instances: []string{"A", "B"},
		Settings: []setting{
			{"all on", []string{}, []string{"optimal", "feasible"}, []int64{100, 2000}, []float64{0.01, 0.2}, []float64{0.01, 0.2}},
			{"memo", []string{"memo"}, []string{"optimal", "unknown"}, []int64{200, 16000}, []float64{0.02, 10}, []float64{0.01, 0.1}},
		},
	}
	const want = `Nodes:

| off | A | B | mean ratio |
| --- | ---:| ---:| ---:|
| all on | 100 | 2.0k | 1.00 |
| memo | 200 | >16.0k | ≥ 4.00 |

Time in ms:

| off | A | B | mean ratio |
| --- | ---:| ---:| ---:|
| all on | 10.0 | 200 | 1.00 |
| memo | 20.0 | >10,000 | ≥ 14.1 |

The mean is the geometric one of the ratios to “all on”, which for times ran again in turn with each line. A run that comes to the limit of 10 s is marked >; what it took until then stands for it. One worker; abacus, 1 cores, none/wood, go; 2000-01-01.
`
	if diff := cmp.Diff(want, r.markdown()); diff != "" {
		t.Error(diff)
	}
}
