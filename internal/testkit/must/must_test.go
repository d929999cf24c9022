package must

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A test is one whose end is kept, and ends nothing.
type test struct{ said string }

func (t *test) Helper()                         {}
func (t *test) Fatal(args ...any)               { t.said += fmt.Sprint(args...); panic(t) }
func (t *test) Fatalf(text string, args ...any) { t.Fatal(fmt.Sprintf(text, args...)) }

// ended returns what a test says whose end f is.
func ended(f func(t T)) (said string) {
	t := &test{}
	defer func() {
		if r := recover(); r != nil && r != any(t) {
			panic(r)
		}
		said = t.said
	}()
	f(t)
	return ""
}

// TestEnds: each call ends its test if there is an error or a difference, says where, and else returns the values.
func TestEnds(t *testing.T) {
	bad := errors.New("bad")
	for name, c := range map[string]struct {
		f    func(t T)
		want string
	}{
		"Do":        {func(t T) { Do(t, bad) }, "bad"},
		"Do where":  {func(t T) { Do(t, bad, "seed %d", 7) }, "seed 7: bad"},
		"Get":       {func(t T) { Get(1, bad)(t) }, "bad"},
		"Get where": {func(t T) { Get(1, bad)(t, "seed %d", 7) }, "seed 7: bad"},
		"Two":       {func(t T) { Two(1, 2, bad)(t) }, "bad"},
		"Same":      {func(t T) { Same(t, []int{1}, []int{2}) }, "+"},
	} {
		if said := ended(c.f); said == "" || !strings.Contains(said, c.want) {
			t.Errorf("%s says %q, not %q", name, said, c.want)
		}
	}
	Do(t, nil)
	Same(t, []int{1}, []int{1})
	v, w := Two("a", 2, nil)(t)
	if got := Get(7, nil)(t); got != 7 || v != "a" || w != 2 {
		t.Errorf("the values are %d, %q and %d", got, v, w)
	}
}
