// Package invariants is how the searches check themselves. With the build tag invariants they compute from scratch
// what they keep step by step, and compare. A difference is a panic.
//
// Each package has its checks in a file invariants.go, and calls them so:
//
//	if invariants.Enabled {
//		k.check(c)
//	}
//
// Enabled is a constant. Without the tag the compiler drops the call, so it costs nothing, and the linker drops the
// checks.
//
// Source: the same idea is in cockroachdb/pebble, in its package of the same name.
package invariants

import (
	"fmt"
	"strconv"
)

// Fail panics with a message that begins with "invariant broken: ".
func Fail(format string, args ...any) {
	panic("invariant broken: " + fmt.Sprintf(format, args...))
}

// Must fails unless ok is set. The numbers follow what in the message.
func Must(ok bool, what string, where ...int) {
	if !ok {
		Fail("%s", at(what, where))
	}
}

// Equal fails unless got, which is kept step by step, is want, which is computed from scratch. The numbers follow
// what in the message.
func Equal[T comparable](got, want T, what string, where ...int) {
	if got != want {
		Fail("%s is %v, from scratch %v", at(what, where), got, want)
	}
}

// at appends numbers to a message.
func at(what string, where []int) string {
	for _, k := range where {
		what += " " + strconv.Itoa(k)
	}
	return what
}
