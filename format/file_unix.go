//go:build unix

package format

import (
	"io/fs"
	"os"
	"syscall"
)

// Idea: os.OpenFile asks the poller of the runtime about each file, five system calls that are in vain for a regular
// file, and os.Rename first looks whether the target is a folder. For a thousand small problems that is a tenth of the
// time. Here a file is opened by one call, and is blocking.

// openFile is os.OpenFile for files that do not wait.
func openFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	for {
		fd, err := syscall.Open(path, flag|syscall.O_CLOEXEC, uint32(mode.Perm()))
		switch err {
		case nil:
			return os.NewFile(uintptr(fd), path), nil
		case syscall.EINTR:
			continue
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
}

// rename is os.Rename for a target that is no folder.
func rename(from, to string) error {
	for {
		switch err := syscall.Rename(from, to); err {
		case nil:
			return nil
		case syscall.EINTR:
			continue
		default:
			return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
		}
	}
}
