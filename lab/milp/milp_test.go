package milp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/lab/milp"
)

func two() *stowage.Problem {
	return &stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "a", Upper: 2, Size: 4},
		{ID: "b", Upper: 2, Size: 6, Alignment: 4},
	}}
}

func TestRegistered(t *testing.T) {
	r, err := stowage.Minimize(t.Context(), two(), stowage.Options{Planner: "milp"})
	if err != nil || r.Status != stowage.Optimal || r.Height != 10 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestWriteLP(t *testing.T) {
	for _, c := range []struct {
		o    milp.LPOptions
		want string
	}{
		{milp.LPOptions{}, `\ 2 buffers, 1 pairs, within 6 units of 2
\ p0 is buffer "a"
\ p1 is buffer "b", in multiples of 2
Minimize
 obj: 0 p0
Subject To
 r0: + 1 b0 + 1 c0 = 1
 r1: + 2 p1 - 1 p0 + 6 b0 >= 2
 r2: + 1 p0 - 2 p1 + 6 c0 >= 3
Bounds
 0 <= p0 <= 4
Generals
 p0
Binaries
 p1
 b0
 c0
End
`},
		{milp.LPOptions{Capacity: 16, Minimize: true, Tight: true}, `\ 2 buffers, 1 pairs, within 8 units of 2
\ p0 is buffer "a"
\ p1 is buffer "b", in multiples of 2
Minimize
 obj: h
Subject To
 r0: + 2 p1 - 1 p0 + 8 b0 >= 2
 r1: + 1 p0 - 2 p1 - 7 b0 >= -4
 r2: + 1 h - 1 p0 >= 2
 r3: + 1 h - 2 p1 >= 3
Bounds
 0 <= p0 <= 6
 0 <= p1 <= 2
 5 <= h <= 8
Generals
 p1
 h
Binaries
 b0
End
`},
	} {
		var s strings.Builder
		if err := milp.WriteLP(&s, two(), c.o); err != nil {
			t.Fatal(err)
		}
		if s.String() != c.want {
			t.Errorf("%+v: got\n%s\nwant\n%s", c.o, s.String(), c.want)
		}
	}
	p := two()
	p.Buffers[0].Size = 0
	var input *stowage.InputError
	if err := milp.WriteLP(new(strings.Builder), p, milp.LPOptions{}); !errors.As(err, &input) {
		t.Errorf("a size of 0: %v", err)
	}
}
