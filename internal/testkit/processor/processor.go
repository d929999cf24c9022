// Package processor measures the processor's time of this process, the system and the garbage collector included.
// Other programs do not count, unlike with the clock.
package processor

import "time"

// Of returns how much time this process takes while f runs.
func Of(f func()) time.Duration {
	began := Used()
	f()
	return Used() - began
}
