package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interruptible returns a context that the first SIGINT or SIGTERM ends, which
// stops the search but not the writing of its best plan. A second signal kills
// the program at once: by then the handler is gone. release removes the handler.
//
// It is installed around the search only. Before it nothing has been written,
// so that a signal may as well kill.
func interruptible(parent context.Context) (ctx context.Context, release func()) {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	unhook := context.AfterFunc(ctx, stop)
	return ctx, func() {
		unhook()
		stop()
	}
}
