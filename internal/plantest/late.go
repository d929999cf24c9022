package plantest

import (
	"sync/atomic"
	"time"
)

// Late calls f, which is to end at the limit, and returns how much processor time
// this process took from the limit to the end of f, all cores together. Other
// programs of the machine do not count, as they would by the clock.
func Late(limit time.Duration, f func()) time.Duration {
	var at atomic.Int64
	timer := time.AfterFunc(limit, func() { at.Store(int64(processorTime())) })
	defer timer.Stop()
	f()
	end := processorTime()
	if began := at.Load(); began != 0 {
		return end - time.Duration(began)
	}
	return 0
}
