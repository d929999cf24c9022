// Package processor measures by the processor's time, that of the system and of the
// garbage collector included. Other programs of the machine do not count, as they do by
// the clock: of what is alone in its process it says what the clock would on a machine
// that does nothing else.
package processor

import "time"

// Of returns how much time this process takes while f runs.
func Of(f func()) time.Duration {
	began := Used()
	f()
	return Used() - began
}
