package format

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// Idea: a regular file is there as a whole, but a pipe or a terminal may keep its reader waiting for ever. A read that
// waits cannot be called off on all systems. So a goroutine of its own opens and reads such a file, and hands over what
// has come; its reader gives up at the deadline. The goroutine may then wait on, until the other end is closed or the
// program ends.
//
// Invariant: there are two buffers. While one is being used, the other is being filled or waits to be handed over.

// A LateError says that Options.Deadline came before the end of a pipe, or of another file that is not regular.
type LateError struct {
	Name string // the file's name
}

// Error names the file.
func (e *LateError) Error() string {
	return e.Name + ": the timeout came before the whole input was read"
}

// ErrFolder is the error for a folder in place of a file.
var ErrFolder = errors.New("it is a folder, not a file")

// errLate is a LateError that does not know the name yet.
var errLate = errors.New("the timeout came before the whole input was read")

// nameLate returns the error of a reader, with the name of the file if it is late.
func nameLate(err error, name string) error {
	if errors.Is(err, errLate) {
		return &LateError{Name: name}
	}
	return err
}

// waits reports whether reading the file may have to wait for its content.
func waits(info fs.FileInfo, err error) bool {
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// openUntil opens a file, or standard input if the path is -. With a deadline, it is read
// until then only, if it is a file that may have to be waited for.
func openUntil(path string, deadline time.Time) (io.ReadCloser, error) {
	if path == Standard {
		if info, err := os.Stdin.Stat(); deadline.IsZero() || !waits(info, err) {
			return stdin{os.Stdin}, nil
		}
		return newAwaited(deadline, func() (io.ReadCloser, error) { return stdin{os.Stdin}, nil }), nil
	}
	if !deadline.IsZero() {
		if info, err := os.Stat(path); waits(info, err) {
			return newAwaited(deadline, func() (io.ReadCloser, error) { return os.Open(path) }), nil
		}
	}
	return openToRead(path)
}

// stdin is standard input, which stays open.
type stdin struct{ *os.File }

func (stdin) Close() error { return nil }

// awaited reads a file up to a deadline.
type awaited struct {
	late   *time.Timer
	pieces chan piece
	closed chan struct{} // by Close
	rest   []byte        // of the last piece
	err    error         // what Read returns after the rest
}

// A piece is what came of the file at once.
type piece struct {
	data []byte
	err  error
}

func newAwaited(deadline time.Time, open func() (io.ReadCloser, error)) *awaited {
	a := &awaited{late: time.NewTimer(time.Until(deadline)), pieces: make(chan piece), closed: make(chan struct{})}
	go a.fetch(open)
	return a
}

// fetch hands over what comes, up to the first error.
func (a *awaited) fetch(open func() (io.ReadCloser, error)) {
	hand := func(p piece) (more bool) {
		select {
		case a.pieces <- p:
			return p.err == nil
		case <-a.closed:
			return false
		}
	}
	file, err := open()
	if err != nil {
		hand(piece{nil, err})
		return
	}
	defer file.Close()
	const size = 1 << 18
	buffers := [2][]byte{make([]byte, size), make([]byte, size)}
	for k := 0; ; k = 1 - k {
		n, err := file.Read(buffers[k])
		if !hand(piece{buffers[k][:n], err}) {
			return
		}
	}
}

func (a *awaited) Read(to []byte) (int, error) {
	for len(a.rest) == 0 {
		if a.err != nil || len(to) == 0 {
			return 0, a.err
		}
		select {
		case p := <-a.pieces:
			a.rest, a.err = p.data, p.err
		case <-a.late.C:
			a.err = errLate
		}
	}
	n := copy(to, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// Close lets go of the file. The goroutine that reads it ends with its next piece.
func (a *awaited) Close() error {
	a.late.Stop()
	close(a.closed)
	return nil
}
