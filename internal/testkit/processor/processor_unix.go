//go:build unix

package processor

import (
	"syscall"
	"time"
)

// Used returns the processor time that this process has used on all cores.
func Used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0 // there is no such system
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
