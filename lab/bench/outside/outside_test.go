package outside

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/lab/bench/ortools"
	"github.com/stowage-go/stowage/model"
)

// TestPlan has scripts that say what planners may say; a shell stands for Python. It holds their flags, too.
func TestPlan(t *testing.T) {
	p := &stowage.Problem{
		Name: "two", Buffers: []stowage.Buffer{{ID: "a", Lower: 0, Upper: 2, Size: 4}, {ID: "b", Lower: 1, Upper: 3, Size: 4}},
	}
	const eight = `{"name":"two","status":"optimal","height":8,"lower_bound":8,"offsets":{"a":0,"b":4}}`
	const nine = `{"name":"two","status":"feasible","height":9,"offsets":{"a":0,"b":5}}`
	aligned := *p
	aligned.Buffers = []stowage.Buffer{{ID: "a", Lower: 0, Upper: 2, Size: 4, Alignment: 4}}
	for _, c := range []struct {
		name, says, flags string
		decides           bool
		problem           *model.Problem
		capacity          int64
		status            model.Status
		fails             string
	}{
		{"it minimises", eight, "--timeout 7 --threads 2 --minimize --own", true, p, 0, model.Optimal, ""},
		{"it fits", eight, "--timeout 7 --threads 2 --own", true, p, 20, model.Optimal, ""},
		{"nothing fits", `{"name":"two","status":"infeasible"}`, "--timeout 7 --threads 2 --own", true, p, 20, model.Infeasible, ""},
		{"it has no plan", `{"name":"two","status":"unknown"}`, "--timeout 7 --threads 2 --own", true, p, 20, model.Unknown, ""},
		{"a plan is no proof", nine, "--timeout 7 --threads 2 --own", false, p, 0, model.Feasible, ""},
		{"its infeasible is no proof", `{"name":"two","status":"infeasible"}`, "--timeout 7 --threads 2 --own", false, p, 20, model.Unknown, ""},
		{"its plan is too high", nine, "--timeout 7 --threads 2 --own", false, p, 8, model.Unknown, ""},
		{"it takes no alignment", eight, "", false, &aligned, 0, 0, "takes no gaps"},
		{"other flags", eight, "--nothing", true, p, 0, 0, "cannot run"},
		{"its plan overlaps", strings.Replace(eight, `"b":4`, `"b":3`, 1), "--timeout 7 --threads 2 --own", true, p, 20, 0, "overlap"},
	} {
		x := &planner{
			name: "x", python: "/bin/sh", args: []string{"--own"}, threads: "--threads", decides: c.decides,
			script: []byte("case \"$*\" in '" + c.flags + " '*) echo '" + c.says + "';; *) exit 9;; esac\n"),
		}
		o := stowage.Options{Capacity: c.capacity, Timeout: 7 * time.Second, Workers: 2}
		r, err := run.Run(t.Context(), x, timeline.New(c.problem), o)
		switch {
		case c.fails == "" && (err != nil || r.Status != c.status):
			t.Errorf("%s: %v, %v", c.name, r.Status, err)
		case c.fails != "" && (!errors.Is(err, stowage.ErrUnsupported) || !strings.Contains(err.Error(), c.fails)):
			t.Errorf("%s: %v, want %q", c.name, err, c.fails)
		}
	}
}

// TestRegister registers CP-SAT as users do, and lets it plan if it is here.
func TestRegister(t *testing.T) {
	if err := Register("cp-sat,nobody"); err == nil || !strings.Contains(err.Error(), `"nobody"; there are cp-sat, cp-sat-2d,`) {
		t.Errorf("a name that is none's: %v", err)
	}
	if err := Register(""); err != nil {
		t.Errorf("no name: %v", err)
	}
	plantest.Nightly(t) // what follows needs CP-SAT
	if err := ortools.Missing(); err != nil {
		t.Skip(err)
	}
	p := &stowage.Problem{Buffers: []stowage.Buffer{{ID: "a", Lower: 0, Upper: 2, Size: 4}, {ID: "b", Lower: 1, Upper: 3, Size: 4, Alignment: 8}}}
	if r, err := stowage.Minimize(t.Context(), p, stowage.Options{Planner: "cp-sat"}); err != nil || r.Status != stowage.Optimal || r.Height != 8 {
		t.Errorf("%+v, %v", r, err)
	}
}
