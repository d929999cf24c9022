//go:build unix

package format

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Idea: os.OpenFile asks the poller of the runtime about each file, five system calls that are in vain for a regular
// file, os.NewFile asks for its flags, and os.Rename first looks whether the target is a folder. For a thousand small
// problems that is a tenth of the time. Here a file is opened by one call, and is blocking. What it is, is asked once.
//
// Invariant: errors are those of an os.File.

// A file is open. It is for one goroutine.
type file struct {
	fd   int
	name string
	info *fileInfo // what Stat said
}

// openFile is os.OpenFile for files that do not wait.
func openFile(path string, flag int, mode fs.FileMode) (*file, error) {
	fd := -1
	err := again(func() (err error) {
		fd, err = syscall.Open(path, flag|syscall.O_CLOEXEC, uint32(mode.Perm()))
		return err
	})
	f := &file{fd: fd, name: path}
	return f, f.fault("open", err)
}

// again calls do until no signal interrupts it.
func again(do func() error) error {
	for {
		if err := do(); err != syscall.EINTR {
			return err
		}
	}
}

// fault names the file in an error.
func (f *file) fault(op string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: f.name, Err: err}
}

// mostBytes is what some systems read or write at once.
const mostBytes = 1 << 30

func (f *file) Name() string { return f.name }

func (f *file) Read(to []byte) (n int, err error) {
	err = again(func() (err error) {
		n, err = syscall.Read(f.fd, to[:min(len(to), mostBytes)])
		return err
	})
	if err == nil && n == 0 && len(to) > 0 {
		return 0, io.EOF
	}
	return max(n, 0), f.fault("read", err)
}

func (f *file) Write(from []byte) (done int, err error) {
	for done < len(from) {
		n := 0
		if err := again(func() (err error) {
			n, err = syscall.Write(f.fd, from[done:min(len(from), done+mostBytes)])
			return err
		}); err != nil {
			return done, f.fault("write", err)
		}
		if n == 0 {
			return done, f.fault("write", io.ErrUnexpectedEOF)
		}
		done += n
	}
	return done, nil
}

// Close closes the file. A second call is an error, and closes no other file.
func (f *file) Close() error {
	fd := f.fd
	if f.fd = -1; fd < 0 {
		return f.fault("close", os.ErrClosed)
	}
	if err := syscall.Close(fd); err != syscall.EINTR { // it is closed then, too
		return f.fault("close", err)
	}
	return nil
}

func (f *file) Chmod(mode fs.FileMode) error {
	return f.fault("chmod", again(func() error { return syscall.Fchmod(f.fd, uint32(mode.Perm())) }))
}

// Stat says what the file was when Stat was first called.
func (f *file) Stat() (fs.FileInfo, error) {
	if f.info == nil {
		info := &fileInfo{name: filepath.Base(f.name)}
		if err := again(func() error { return syscall.Fstat(f.fd, &info.is) }); err != nil {
			return nil, f.fault("stat", err)
		}
		f.info = info
	}
	return f.info, nil
}

// A fileInfo says how large a file is, and whether it is a regular one or a folder.
type fileInfo struct {
	name string
	is   syscall.Stat_t
}

func (i *fileInfo) Name() string       { return i.name }
func (i *fileInfo) Size() int64        { return i.is.Size }
func (i *fileInfo) ModTime() time.Time { return time.Time{} } // nobody asks
func (i *fileInfo) IsDir() bool        { return i.Mode().IsDir() }
func (i *fileInfo) Sys() any           { return &i.is }

func (i *fileInfo) Mode() fs.FileMode {
	mode := fs.FileMode(i.is.Mode & 0o777)
	switch i.is.Mode & syscall.S_IFMT {
	case syscall.S_IFREG:
		return mode
	case syscall.S_IFDIR:
		return mode | fs.ModeDir
	}
	return mode | fs.ModeIrregular
}

// rename is os.Rename for a target that is no folder.
func rename(from, to string) error {
	if err := again(func() error { return syscall.Rename(from, to) }); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
