//go:build !unix

package plantest

import "time"

// processorTime is the clock, where there is nothing better.
func processorTime() time.Duration { return time.Since(started) }

var started = time.Now()
