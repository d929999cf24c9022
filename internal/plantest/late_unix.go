//go:build unix

package plantest

import (
	"syscall"
	"time"
)

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return time.Since(started)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

var started = time.Now()
