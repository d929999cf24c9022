package command

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
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
	fatal   atomic.Value // the signal that kills the program as soon as no file is being written
)

var errKilled = errors.New("a signal has come")

// guards counts the callers of guard.
var guards struct {
	sync.Mutex
	number int
	end    func()
}

// guard makes a signal that kills the program wait for the files that are being written, until release is called. A
// batch holds one guard for all its files, because a guard takes longer than a small file.
func guard() (release func()) {
	guards.Lock()
	defer guards.Unlock()
	if guards.number++; guards.number == 1 {
		guards.end = hear()
	}
	return func() {
		guards.Lock()
		defer guards.Unlock()
		if guards.number--; guards.number == 0 {
			guards.end()
		}
	}
}

// hear waits for a signal that kills the program. A further one kills it at once.
func hear() (end func()) {
	heard := make(chan os.Signal, 2)
	signal.Notify(heard, deadly()...)
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
				fatal.Store(s)
				signal.Stop(heard)
				if writing.Load() == 0 {
					die()
				}
				return
			}
		}
	}()
	return func() {
		close(ended)
		signal.Stop(heard)
	}
}

// die ends the program by the signal that has come.
func die() {
	signal.Reset(deadly()...)
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(fatal.Load().(os.Signal)) == nil {
		time.Sleep(time.Second) // the signal arrives during this time
	}
	os.Exit(exitInternal)
}

// writeFile is put, which is format.WriteFile or format.WriteNew. But if a signal kills the program meanwhile, no
// unfinished file stays behind: after the signal each write fails, so put removes the file. Then the signal kills the
// program.
func writeFile(put func(string, func(io.Writer) error) error, path string, write func(io.Writer) error) error {
	release := guard()
	writing.Add(1)
	err := put(path, func(w io.Writer) error { return write(killable{w}) })
	last := writing.Add(-1) == 0
	release()
	if last && fatal.Load() != nil {
		die()
	}
	return err
}

// A killable writer fails after a signal.
type killable struct{ w io.Writer }

func (k killable) Write(p []byte) (int, error) {
	if fatal.Load() != nil {
		return 0, errKilled
	}
	return k.w.Write(p)
}
