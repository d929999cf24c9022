package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/lab/bench/internal/program"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/lab/experiment"
)

// TestMeasure: both programs run as often as they are asked to, on the instance's file.
func TestMeasure(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the peer of this test is a shell script")
	}
	dir := t.TempDir()
	in, peer := filepath.Join(dir, "x.9.csv"), filepath.Join(dir, "peer")
	for path, text := range map[string]string{
		in:   "id,lower,upper,size\na,0,2,3\nb,1,3,4\n",
		peer: "#!/bin/sh\nprintf 'id,lower,upper,size,offset\\na,0,2,3,4\\nb,1,3,4,0\\n' >\"${3#--output=}\"\n",
	} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o700))
	}
	all := must.Get(experiment.Load("", []string{in}))(t)
	p := program.Minimalloc(peer)
	m, err := measure(t.Context(), [2]program.Program{p, p}, all[0], 3, time.Minute, dir)
	if err != nil || len(m.Runs[0].Seconds) != 3 || len(m.Runs[1].Seconds) != 3 || m.Runs[1].Height != 7 {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestMarkdown: the ratio is the pairs', not the medians'. An instance that one side did not plan does not count.
func TestMarkdown(t *testing.T) {
	r := result{
		Date: "2000-01-01", Machine: record.Machine{CPU: "abacus", Cores: 1, OS: "none", Arch: "wood", Go: "go"},
		Programs: [2]program.Program{{Name: "ours"}, {Name: "theirs", Note: "rev 1"}},
		Instances: []measured{
			{"A", 5, 9, [2]runs{
				{program.Planned, 7, []float64{0.01, 0.02, 0.04}}, {program.Planned, 8, []float64{0.4, 0.2, 0.1}},
			}},
			{"B", 6, 9, [2]runs{{program.Planned, 7, []float64{0.001, 0.001, 0.001}}, {program.NoPlan, 0, []float64{1, 2, 3}}}},
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
