package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/stowage-go/stowage/format"
)

// interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP ends,
// which stops the search but not the writing of its best plan. A second signal
// kills the program: by then the handler is gone. release removes the
// handler.
//
// It is installed around the search only. Before it nothing has been written,
// so that a signal may as well kill.
func interruptible(parent context.Context) (ctx context.Context, release func()) {
	ctx, stop := signal.NotifyContext(parent, deadly()...)
	patient.Store(true)
	unhook := context.AfterFunc(ctx, func() {
		patient.Store(false)
		stop()
	})
	return ctx, func() {
		unhook()
		patient.Store(false)
		stop()
	}
}

// deadly are the signals that would end the program.
func deadly() []os.Signal {
	signals := []os.Signal{syscall.SIGTERM}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		// Under nohup, or in the background of a script, it stays ignored.
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	return signals
}

var (
	patient atomic.Bool  // the first signal to come does not kill
	writing atomic.Int32 // files that are being written, one within another
)

var errKilled = errors.New("a signal has come")

// writeFile is format.WriteFile, but a signal that kills while it writes leaves nothing
// beside the target: what is written fails from then on, so that the unfinished file is
// removed, and then the signal kills. One more kills at once.
func writeFile(path string, write func(io.Writer) error) error {
	heard := make(chan os.Signal, 2)
	signal.Notify(heard, deadly()...)
	var by atomic.Value
	spared := patient.Load()
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case <-ended:
				return
			case s := <-heard:
				if spared {
					spared = false
					continue
				}
				by.Store(s)
				signal.Stop(heard)
				return
			}
		}
	}()
	writing.Add(1)
	err := format.WriteFile(path, func(w io.Writer) error { return write(&killable{w, &by}) })
	close(ended)
	signal.Stop(heard)
	if outermost := writing.Add(-1) == 0; outermost && by.Load() != nil {
		signal.Reset(deadly()...)
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(by.Load().(os.Signal)) == nil {
			time.Sleep(time.Second) // it comes
		}
		os.Exit(exitInternal)
	}
	return err
}

// A killable writer fails once a signal has come.
type killable struct {
	w  io.Writer
	by *atomic.Value
}

func (k *killable) Write(p []byte) (int, error) {
	if k.by.Load() != nil {
		return 0, errKilled
	}
	return k.w.Write(p)
}
