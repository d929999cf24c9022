//go:build unix

package record

import (
	"syscall"
	"time"
)

// Processor returns the processor time that this process has used on all cores, those of
// the system and of the garbage collector among them. Of a run that is alone in its process
// it says what the clock would on a machine that does nothing else.
func Processor() time.Duration { return used(syscall.RUSAGE_SELF) }

// Children returns the same of the processes that it has started and that have ended.
func Children() time.Duration { return used(syscall.RUSAGE_CHILDREN) }

func used(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0 // there is no such system
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
