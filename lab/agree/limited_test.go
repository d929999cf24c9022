package agree

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
)

// interlocking are problems of which exact and auto said something false if a limit came in the middle of the complete
// search: infeasible if a plan fits, optimal if a lower plan exists.
var interlocking = []string{
	`id,lower,upper,size,alignment,gaps,offset
b2,0,1,2,6,,
b1,0,1,2,1,,5
b4,0,1,3,5,0-1@2:3,
b3,0,1,3,1,,
b0,0,1,4,4,0-1@3:4,
`,
	`id,lower,upper,size,gaps
b1,2,4,1,
b0,0,6,2,
b2,2,4,4,2-3@1:2 3-4
`,
	`id,lower,upper,size,gaps,offset
b3,0,10,2,,5
b5,0,10,4,0-7@0:4,
b1,0,10,5,,
b0,0,10,3,,
b4,0,10,7,0-8@0:2 8-10@6:7,
b2,0,10,1,,
`,
}

// TestLimitsWhereWindowsInterlock lets limits fall at the first nodes and looks of these problems, from one under the
// lowest height to two above, and without a capacity: at each for exact, at some for the others.
func TestLimitsWhereWindowsInterlock(t *testing.T) {
	t.Parallel()
	answers := 0
	for _, name := range []string{"exact", "auto", "tela", "cp", "meta-csp"} {
		planner := must.Get(run.Lookup(name))(t)
		for _, text := range interlocking {
			p := must.Get(csv.Read(strings.NewReader(text), "interlocking"))(t)
			c := answered(p, new(oracle.Orders))
			step := int64(7) // reaches the limits under which they were false
			if name == "exact" {
				step = 1
			}
			for capacity := int64(-2); capacity <= 2; capacity++ {
				for at := int64(0); at < 60; at += step {
					for _, minimize := range []bool{false, true} {
						q := Question{Planner: name, Limited: capacity > -2, Capacity: capacity, Minimize: minimize, Look: -1}
						q.Nodes = at
						for range 2 {
							r, fault := ask(planner, planner.Info().Exact, c, q, Patience)
							if fault != "" {
								t.Fatalf("%s: %s\n%s", q, fault, text)
							}
							if r.Status.HasPlan() {
								answers++
							}
							q.Nodes, q.Look = 0, at
						}
					}
				}
			}
		}
	}
	if answers < 1000 {
		t.Errorf("%d answers: lopsided", answers)
	}
}
