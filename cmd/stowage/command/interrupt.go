package command

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

// interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP ends. This stops the
// search; its best plan is still written. A second signal kills the program, because the
// handler is gone by then. release removes the handler.
//
// The handler exists only during the search. Before the search nothing has been written, so a
// signal may kill the program.
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
		// Under nohup, or in the background of a script, a signal that is ignored stays ignored.
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	return signals
}

var (
	patient atomic.Bool  // the next signal does not kill the program
	writing atomic.Int32 // the number of files that are being written
)

var errKilled = errors.New("a signal has come")

// writeFile is format.WriteFile, but if a signal kills the program meanwhile, no unfinished
// file stays behind. After the signal each write fails, so format.WriteFile removes the file.
// Then the signal kills the program. A further signal kills it at once.
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
			time.Sleep(time.Second) // the signal arrives during this time
		}
		os.Exit(exitInternal)
	}
	return err
}

// A killable writer fails after a signal.
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
