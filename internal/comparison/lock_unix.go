//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package comparison

import (
	"errors"
	"os"
	"syscall"
)

// lock waits until no other process has the file, and returns what gives it
// free. A file system without locks is used without.
func lock(f *os.File) (unlock func(), err error) {
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	switch {
	case err == nil:
		return func() { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }, nil
	case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOLCK):
		return func() {}, nil
	}
	return nil, err
}
