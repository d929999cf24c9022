package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// An interrupt counts the signals of a run. After the first no task is begun, and running tasks are finished. After
// the second they are dropped. The third kills the process.
type interrupt struct {
	ctx  context.Context // ends with the second signal
	stop chan struct{}   // closed by the first
	came atomic.Bool
	end  func()
}

// listen waits for signals until end is called. remote says that the tasks run elsewhere, so that
// there is nothing to finish here.
func listen(parent context.Context, stderr io.Writer, remote bool) *interrupt {
	ctx, cancel := context.WithCancel(parent)
	i := &interrupt{ctx: ctx, stop: make(chan struct{})}
	heard := make(chan os.Signal, 2)
	signal.Notify(heard, os.Interrupt, syscall.SIGTERM)
	ended := make(chan struct{})
	go func() {
		select {
		case <-heard:
		case <-ended:
			return
		}
		i.came.Store(true)
		close(i.stop)
		if !remote {
			fmt.Fprintln(stderr, "\ninterrupted: the tasks that run are finished; interrupt again to drop them")
			select {
			case <-heard:
			case <-ended:
				return
			}
		}
		signal.Stop(heard)
		cancel()
	}()
	i.end = func() {
		signal.Stop(heard)
		close(ended)
		cancel()
	}
	return i
}

// beforeTasks returns a context that the first signal ends: before the first task nothing is lost.
func (i *interrupt) beforeTasks() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(i.ctx)
	go func() {
		select {
		case <-i.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
