package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP ends,
// which stops the search but not the writing of its best plan. A second signal
// kills the program at once: by then the handler is gone. release removes the
// handler.
//
// It is installed around the search only. Before it nothing has been written,
// so that a signal may as well kill.
func interruptible(parent context.Context) (ctx context.Context, release func()) {
	signals := []os.Signal{syscall.SIGTERM}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		// Under nohup, or in the background of a script, it stays ignored.
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	ctx, stop := signal.NotifyContext(parent, signals...)
	unhook := context.AfterFunc(ctx, stop)
	return ctx, func() {
		unhook()
		stop()
	}
}
