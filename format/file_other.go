//go:build !unix

package format

import (
	"io/fs"
	"os"
)

func openFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag, mode)
}

func rename(from, to string) error { return os.Rename(from, to) }
