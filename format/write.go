package format

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Idea: a file is written under another name beside its target, and renamed once it is complete. So a reader sees the
// old file or the new one, and a failure leaves the old one as it was. A device, a pipe or a terminal is written
// directly: it has no old content to keep, and must not be replaced by a file.
//
// The file is not forced to the disk before the rename, which takes tens of milliseconds on a busy disk, longer than
// most plans. The rename is atomic, in whatever way this process ends. After a crash of the machine a plan can be
// made again.
//
// Trials: docs/lab/formats.md (os.CreateTemp ignores the umask; writing in place can leave half a file).

// WriteFile replaces a file by the content that write produces. If write fails, the file stays as it was. An existing
// file keeps its permissions; for a symbolic link, its target is replaced. The path "-", or an empty one, is standard
// output. The error is write's or the file system's.
func WriteFile(path string, write func(io.Writer) error) error {
	if path == "" {
		path = Standard
	}
	target, there, route, err := resolve(path)
	if err != nil {
		return err
	}
	switch route {
	case toStdout:
		return write(os.Stdout)
	case toStderr:
		return write(os.Stderr)
	case toFile:
		return writeDirectly(target, write)
	}
	return replace(target, there, write)
}

// WriteNew is WriteFile for a path where nothing is, in a folder. It does not look there: a file that has come since is
// replaced.
func WriteNew(path string, write func(io.Writer) error) error { return replace(path, nil, write) }

// A route is how a path is to be written.
type route int

const (
	byRename route = iota // a regular file, or none yet
	toStdout
	toStderr
	toFile // something else that is there: written without a rename
)

// resolve follows symbolic links, and says how to write the target. The target need not exist yet: there is nil then.
func resolve(path string) (target string, there fs.FileInfo, how route, err error) {
	const maxLinks = 40
	target = path
	for range maxLinks {
		switch filepath.ToSlash(target) {
		case Standard, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
			return target, nil, toStdout, nil
		case "/dev/stderr", "/dev/fd/2", "/proc/self/fd/2":
			return target, nil, toStderr, nil
		}
		// A link to an open file descriptor is more than the name it shows.
		if strings.HasPrefix(target, "/dev/fd/") || strings.HasPrefix(target, "/proc/") {
			return target, nil, toFile, nil
		}
		info, err := os.Lstat(target)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return target, nil, byRename, nil
		case err != nil:
			return "", nil, 0, err
		case info.Mode().IsRegular():
			return target, info, byRename, nil
		case info.Mode()&fs.ModeSymlink == 0:
			return target, nil, toFile, nil
		}
		link, err := os.Readlink(target)
		if err != nil {
			return "", nil, 0, err
		}
		if !filepath.IsAbs(link) {
			// Not filepath.Join, which would take ".." for the name's parent where the folder is a link itself.
			dir, _ := filepath.Split(target)
			link = dir + link
		}
		target = link
	}
	return "", nil, 0, &fs.PathError{Op: "open", Path: path, Err: errors.New("too many symbolic links")}
}

func writeDirectly(target string, write func(io.Writer) error) error {
	f, err := os.OpenFile(target, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// replace puts a new file where target is. There may be an old one.
func replace(target string, old fs.FileInfo, write func(io.Writer) error) error {
	if old != nil {
		// A rename would succeed on a file that may not be written; hence the attempt to open it.
		switch f, err := os.OpenFile(target, os.O_WRONLY, 0); {
		case err == nil:
			f.Close()
		case errors.Is(err, fs.ErrNotExist):
			old = nil
		default:
			return err
		}
	}
	f, err := beside(target)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done { // also where write panics
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if old != nil {
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := write(f); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := rename(f.Name(), target); err != nil {
		return err
	}
	done = true
	return nil
}

// beside creates a file in the folder of target, with the permissions that the umask leaves to a new file.
func beside(target string) (*newFile, error) {
	dir, _ := filepath.Split(target)
	const attempts = 100
	for range attempts {
		name := dir + ".stowage-" + strconv.FormatUint(uint64(rand.Uint32()), 36) + ".tmp"
		f, err := create(name)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			// The name that failed is not the one the user knows.
			var path *fs.PathError
			if errors.As(err, &path) {
				path.Path = target
			}
			return nil, err
		}
		return f, nil
	}
	return nil, fmt.Errorf("no free name for a temporary file beside %s", target)
}
