package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/lab/experiment"
)

// The test binary stands in for both programs: with PEER set, it writes a plan or fails to.
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
	must.Do(t, os.WriteFile(in, []byte("id,lower,upper,size\na,0,2,3\nb,1,3,4\n"), 0o666))
	all := must.Get(experiment.Load("", []string{in}))(t)
	self := must.Get(os.Executable())(t)
	p := Program{Name: "peer", path: self, Args: []string{"OUT"}, none: []int{1}}
	for _, c := range []struct {
		peer, outcome, err string
		height             int64
		timeout            time.Duration
	}{
		{"4", Planned, "", 7, time.Minute},
		{"6", Planned, "", 9, time.Minute},
		{"7", "", "capacity", 0, time.Minute},
		{"3", "", "both use bytes", 0, time.Minute},
		{"x", "", "offset", 0, time.Minute},
		{"none", NoPlan, "", 0, time.Minute},
		{"usage", "", "exit status 2", 0, time.Minute},
		{"slow", TimedOut, "", 0, 100 * time.Millisecond},
	} {
		t.Setenv("PEER", c.peer)
		r, err := p.Run(t.Context(), all[0], c.timeout, filepath.Join(dir, "out.csv"))
		switch {
		case c.err == "" && (err != nil || r.Outcome != c.outcome || r.Height != c.height):
			t.Errorf("%s: %+v, %v", c.peer, r, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: error %v, want %q", c.peer, err, c.err)
		}
	}
}
