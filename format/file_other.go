//go:build !unix

package format

import (
	"io/fs"
	"os"
)

type file = os.File

func openFile(path string, flag int, mode fs.FileMode) (*file, error) {
	return os.OpenFile(path, flag, mode)
}

func rename(from, to string) error { return os.Rename(from, to) }
