//go:build !unix

package format

import (
	"io"
	"io/fs"
	"os"
)

type newFile = os.File

func create(path string) (*newFile, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// openToRead opens a file. A folder is an error.
func openToRead(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() { // it can be opened, and reading then fails
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrFolder}
	}
	return f, nil
}

func rename(from, to string) error { return os.Rename(from, to) }
