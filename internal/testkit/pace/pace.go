// Package pace holds programs to limits of time, apart from the tests of what they compute.
//
// Idea: a measured time depends on the machine and its other work. So no test of CI may fail by the clock. A check of
// pace runs its function and logs the time. It fails only in make pace, which sets STOWAGE_PACE and runs on an idle
// machine. There the processor's time counts, which leaves other programs out.
package pace

import (
	"context"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/processor"
)

// Variable is the environment variable that makes checks of pace fail.
const Variable = "STOWAGE_PACE"

// On reports whether this is a run of make pace.
func On() bool { return os.Getenv(Variable) != "" }

// Within runs f, which should take at most the limit. what names it in messages.
func Within(tb testing.TB, limit time.Duration, what string, f func()) {
	tb.Helper()
	hold(tb, processor.Of(f), limit, what)
}

// Quietly is Within for functions that run often: it logs nothing, and measures only in make pace.
func Quietly(tb testing.TB, limit time.Duration, what func() string, f func()) {
	tb.Helper()
	if !On() {
		f()
		return
	}
	if took := processor.Of(f); took > limit {
		tb.Errorf("%s: %v, at most %v", what(), took, limit)
	}
}

// Grows runs f for n and for 4 n. The second run should take at most so many times as long as the first, and a
// twentieth of a second more.
func Grows(tb testing.TB, n int, times float64, what string, f func(n int)) {
	tb.Helper()
	f(n) // grows the heap
	once, four := processor.Of(func() { f(n) }), processor.Of(func() { f(4 * n) })
	hold(tb, four, time.Duration(times*float64(once))+time.Second/20, what)
}

// Late runs f, which should end by itself after some time, and at most the slack later. The best of three runs
// counts, because work of the runtime counts, too. Outside of make pace f runs once.
func Late(tb testing.TB, after, slack time.Duration, what string, f func()) {
	tb.Helper()
	best := late(after, f)
	for try := 1; On() && try < 3 && best > slack; try++ {
		best = min(best, late(after, f))
	}
	hold(tb, best, slack, what+", after the limit")
}

// Fastest runs f some times. The fastest run must take at most the limit by the clock. Without make pace, f runs twice.
func Fastest(tb testing.TB, runs int, limit time.Duration, what string, f func()) {
	tb.Helper()
	if !On() {
		runs = 2
	}
	best := time.Duration(1<<63 - 1)
	for range runs {
		began := time.Now()
		f()
		best = min(best, time.Since(began))
	}
	hold(tb, best, limit, what)
}

// After runs f, which is to end at most the slack after ctx does.
func After(tb testing.TB, ctx context.Context, slack time.Duration, what string, f func()) {
	tb.Helper()
	var at atomic.Int64
	defer context.AfterFunc(ctx, func() { at.Store(int64(processor.Used())) })()
	f()
	if began := at.Load(); began != 0 {
		hold(tb, processor.Used()-time.Duration(began), slack, what+", after the end")
	}
}

func hold(tb testing.TB, took, limit time.Duration, what string) {
	tb.Helper()
	if tb.Logf("%s: %v", what, took); On() && took > limit {
		tb.Errorf("%s: %v, at most %v", what, took, limit)
	}
}

// late returns how much processor time this process takes from the limit to the end of f.
func late(limit time.Duration, f func()) time.Duration {
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
