package plantest

import (
	"sync/atomic"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/processor"
)

// Late calls f, which is to end at the limit, and returns how much processor time
// this process took from the limit to the end of f.
func Late(limit time.Duration, f func()) time.Duration {
	var at atomic.Int64
	timer := time.AfterFunc(limit, func() { at.Store(int64(processor.Used())) })
	defer timer.Stop()
	f()
	end := processor.Used()
	if began := at.Load(); began != 0 {
		return end - time.Duration(began)
	}
	return 0
}
