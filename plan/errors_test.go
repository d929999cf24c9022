package plan

import (
	"errors"
	"testing"
)

func TestErrors(t *testing.T) {
	for _, tc := range []struct {
		err  error
		is   error
		want string
	}{
		{Unsupported("csp", "cannot honour windows"), ErrUnsupported, "planner csp cannot honour windows"},
		{Invalid("own", "it overlaps"), ErrInvalidPlan, "planner own returned an invalid plan: it overlaps"},
	} {
		if !errors.Is(tc.err, tc.is) || tc.err.Error() != tc.want {
			t.Errorf("%v is not %v", tc.err, tc.is)
		}
		for _, other := range []error{ErrUnknownPlanner, ErrUnsupported, ErrNoCapacity, ErrInvalidPlan} {
			if other != tc.is && errors.Is(tc.err, other) {
				t.Errorf("%v is %v as well", tc.err, other)
			}
		}
	}
}
