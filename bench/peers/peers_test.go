package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/bench/internal/record"
	"github.com/stowage-go/stowage/internal/experiment"
)

// The test binary stands in for both programs: with PEER set it is one that
// writes a plan, or not.
func TestMain(m *testing.M) {
	switch peer := os.Getenv("PEER"); peer {
	case "":
		os.Exit(m.Run())
	case "none":
		os.Exit(1)
	case "usage":
		os.Exit(2)
	case "slow":
		time.Sleep(time.Minute)
	default:
		text := "id,lower,upper,size,offset\na,0,2,3," + peer + "\nb,1,3,4,0\n"
		if err := os.WriteFile(os.Args[1], []byte(text), 0o666); err != nil {
			panic(err)
		}
	}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "x.9.csv")
	if err := os.WriteFile(in, []byte("id,lower,upper,size\na,0,2,3\nb,1,3,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	all, err := experiment.Load("", []string{in})
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := program{Name: "peer", path: self, Args: []string{"OUT"}, none: []int{1}}
	for _, c := range []struct {
		peer, outcome, err string
		height             int64
		timeout            time.Duration
	}{
		{"4", planned, "", 7, time.Minute},
		{"6", planned, "", 9, time.Minute},
		{"7", "", "capacity", 0, time.Minute},
		{"3", "", "both use bytes", 0, time.Minute},
		{"x", "", "offset", 0, time.Minute},
		{"none", noPlan, "", 0, time.Minute},
		{"usage", "", "exit status 2", 0, time.Minute},
		{"slow", timedOut, "", 0, 100 * time.Millisecond},
	} {
		t.Setenv("PEER", c.peer)
		r, err := p.run(t.Context(), all[0], c.timeout, filepath.Join(dir, "out.csv"))
		switch {
		case c.err == "" && (err != nil || r.outcome != c.outcome || r.height != c.height):
			t.Errorf("%s: %+v, %v", c.peer, r, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: error %v, want %q", c.peer, err, c.err)
		}
	}
	t.Setenv("PEER", "4")
	m, err := measure(t.Context(), [2]program{p, p}, all[0], 3, time.Minute, dir)
	if err != nil || len(m.Runs[0].Seconds) != 3 || len(m.Runs[1].Seconds) != 3 || m.Runs[1].Height != 7 {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestMarkdown: the ratio is that of the pairs, not that of the medians, and an
// instance that one side did not plan counts for nothing.
func TestMarkdown(t *testing.T) {
	r := result{
		Date: "2000-01-01", Machine: record.Machine{CPU: "abacus", Cores: 1, OS: "none", Arch: "wood", Go: "go"},
		Programs: [2]program{{Name: "ours"}, {Name: "theirs", Note: "rev 1"}},
		Instances: []measured{
			{"A", 5, 9, [2]runs{{planned, 7, []float64{0.01, 0.02, 0.04}}, {planned, 8, []float64{0.4, 0.2, 0.1}}}},
			{"B", 6, 9, [2]runs{{planned, 7, []float64{0.001, 0.001, 0.001}}, {noPlan, 0, []float64{1, 2, 3}}}},
		},
	}
	const want = `Geometric mean **10.0×** over 1 instances, least 10.0× (A).

| instance | buffers | ours, ms | theirs, ms | ratio |
| --- | ---:| ---:| ---:| ---:|
| A | 5 | 20.0 (10.0–40.0) | 200 (100–400) | 10.0× |
| B | 6 | 1.00 (1.00–1.00) | 2,000 (1,000–3,000) no plan | – |

Whole processes, one worker, median (least–most) of 3 runs in turn; abacus, 1 cores, none/wood, go; 2000-01-01. Peer: rev 1.
`
	if got := r.markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
