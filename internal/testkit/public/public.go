// Package public finds the public instances that tests and benchmarks measure on. They are not part of this repository:
// see lab/bench/README.md.
package public

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/model"
)

// Dir returns the folder of the public instances: STOWAGE_DATA if it is set. Otherwise it looks for a folder
// shared/data in the working directory and in each folder above, and returns the first, or "" if there is none.
func Dir() string {
	if dir := os.Getenv("STOWAGE_DATA"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	for err == nil {
		data := filepath.Join(dir, "shared", "data")
		if info, err := os.Stat(data); err == nil && info.IsDir() {
			return data
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return ""
}

// Load reads an instance by its name within Dir, such as challenging/A.1048576.csv. The error is fs.ErrNotExist if it
// is not there.
func Load(name string) (*model.Problem, error) {
	dir := Dir()
	if dir == "" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := csv.Read(f, name)
	if err != nil {
		return nil, err
	}
	p.Name = name
	return p, nil
}
