//go:build unix

package processor

import (
	"syscall"
	"time"
)

// Used returns the processor time that this process has used on all cores.
func Used() time.Duration { return used(syscall.RUSAGE_SELF) }

// Children returns the same of the processes that it has started and that have ended.
func Children() time.Duration { return used(syscall.RUSAGE_CHILDREN) }

func used(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0 // there is no such system
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
