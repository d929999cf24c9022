// Package must ends a test if a call fails that the test is not about.
//
//	p := must.Get(csv.Read(file, "x.csv"))(t)
//	must.Do(t, csv.Write(&out, p, nil), "seed %d", seed)
//
// Go passes all results of a call on only if there is no other argument: so the test comes in a second pair of
// parentheses. What follows the test is a format and its arguments, which stand before the error.
package must

import (
	"fmt"

	"github.com/google/go-cmp/cmp"
)

// T is what ends: a test, a benchmark, or one of package rapid.
type T interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Do ends the test if err is one.
func Do(t T, err error, where ...any) {
	t.Helper()
	if err == nil {
		return
	}
	if len(where) == 0 {
		t.Fatal(err)
	}
	t.Fatalf("%s: %v", fmt.Sprintf(where[0].(string), where[1:]...), err)
}

// Get returns what a call has returned beside its error.
func Get[V any](v V, err error) func(t T, where ...any) V {
	return func(t T, where ...any) V {
		t.Helper()
		Do(t, err, where...)
		return v
	}
}

// Two is Get for a call that returns two values beside its error.
func Two[V, W any](v V, w W, err error) func(t T, where ...any) (V, W) {
	return func(t T, where ...any) (V, W) {
		t.Helper()
		Do(t, err, where...)
		return v, w
	}
}

// Same ends the test if two values differ, and says in what.
func Same(t T, want, got any, o ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, o...); diff != "" {
		t.Fatal(diff)
	}
}
