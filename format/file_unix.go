//go:build unix

package format

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/stowage-go/stowage/format/internal/source"
)

// Idea: a thousand small problems take longer to read and to write than to plan. os.OpenFile asks the poller of the
// runtime about each file, os.NewFile asks for its flags, and os.Rename first looks whether the target is a folder. Here
// a small file is read by open, fstat, one read and close, and a new file is written by open, write and close.
//
// Invariant: errors are those of an os.File.

// openToRead opens a file. A folder is an error. A small regular file is read to its end at once.
func openToRead(path string) (io.ReadCloser, error) {
	fd, err := openFD(path, syscall.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	var is syscall.Stat_t
	if again(func() error { return syscall.Fstat(fd, &is) }) == nil {
		switch is.Mode & syscall.S_IFMT {
		case syscall.S_IFDIR: // it can be opened, and reading then fails
			syscall.Close(fd)
			return nil, &fs.PathError{Op: "open", Path: path, Err: ErrFolder}
		case syscall.S_IFREG:
			if content := small(fd, is.Size); content != nil {
				syscall.Close(fd)
				return source.Hold(content), nil
			}
		}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// mostHeld is how large a small file is, in bytes.
const mostHeld = 1 << 16

// small returns the content of a regular file of size bytes, or nil if it is empty, large or of another size by now. One
// byte more is asked for, so a read that brings all bytes has found the end. The place in the file stays.
func small(fd int, size int64) []byte {
	if size == 0 || size > mostHeld {
		return nil
	}
	content, n := make([]byte, size+1), 0
	if err := again(func() (err error) {
		n, err = syscall.Pread(fd, content, 0)
		return err
	}); err != nil || int64(n) != size {
		return nil
	}
	return content[:n]
}

// A newFile is a file that is being written.
type newFile struct {
	fd   int
	name string
}

// create makes a file that is not there yet.
func create(path string) (*newFile, error) {
	fd, err := openFD(path, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL, 0o666)
	return &newFile{fd, path}, err
}

func (f *newFile) Name() string { return f.name }

func (f *newFile) Write(from []byte) (done int, err error) {
	const most = 1 << 30 // some systems write no more at once
	for done < len(from) {
		n := 0
		err := again(func() (err error) {
			n, err = syscall.Write(f.fd, from[done:min(len(from), done+most)])
			return err
		})
		if err == nil && n == 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return done, &fs.PathError{Op: "write", Path: f.name, Err: err}
		}
		done += n
	}
	return done, nil
}

func (f *newFile) Chmod(mode fs.FileMode) error {
	if err := again(func() error { return syscall.Fchmod(f.fd, uint32(mode.Perm())) }); err != nil {
		return &fs.PathError{Op: "chmod", Path: f.name, Err: err}
	}
	return nil
}

// Close closes the file. A second call is an error, and closes no other file.
func (f *newFile) Close() error {
	fd := f.fd
	f.fd = -1
	if err := syscall.Close(fd); err != nil && err != syscall.EINTR { // it is closed then, too
		return &fs.PathError{Op: "close", Path: f.name, Err: err}
	}
	return nil
}

// openFD is os.OpenFile for files that do not wait.
func openFD(path string, flag int, mode uint32) (fd int, err error) {
	if err = again(func() error {
		fd, err = syscall.Open(path, flag|syscall.O_CLOEXEC, mode)
		return err
	}); err != nil {
		return -1, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

// rename is os.Rename for a target that is no folder.
func rename(from, to string) error {
	if err := again(func() error { return syscall.Rename(from, to) }); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// again calls do until no signal interrupts it.
func again(do func() error) error {
	for {
		if err := do(); err != syscall.EINTR {
			return err
		}
	}
}
