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
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Do ends the test if err is one.
func Do(t testing.TB, err error, where ...any) {
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
func Get[T any](v T, err error) func(t testing.TB, where ...any) T {
	return func(t testing.TB, where ...any) T {
		t.Helper()
		Do(t, err, where...)
		return v
	}
}

// Two is Get for a call that returns two values beside its error.
func Two[T, U any](v T, w U, err error) func(t testing.TB, where ...any) (T, U) {
	return func(t testing.TB, where ...any) (T, U) {
		t.Helper()
		Do(t, err, where...)
		return v, w
	}
}

// Same ends the test if two values differ, and says in what.
func Same(t testing.TB, want, got any, o ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, o...); diff != "" {
		t.Fatal(diff)
	}
}
