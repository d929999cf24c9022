package plantest

import "fmt"

// Caught runs f and returns what it panics with, as text; "" if it does not. Tests of invariants
// break one thing after the other, and each check must panic with the name of what is broken.
func Caught(f func()) (what string) {
	defer func() {
		if r := recover(); r != nil {
			what = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}
