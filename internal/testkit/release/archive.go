package main

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// An entry is a file of an archive.
type entry struct {
	name    string // within the archive's folder
	path    string // of the file
	program bool   // whether the file is executable
}

// An archive has all its entries in one folder.
type archive struct {
	folder  string
	entries []entry
}

// date is the time of every entry: the earliest that zip can store.
var date = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// add adds a file, or all files below a folder.
func (a *archive) add(name, from string) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		below, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		a.entries = append(a.entries, entry{path.Join(name, filepath.ToSlash(below)), p, false})
		return nil
	})
}

// sorted returns the entries by name.
func (a *archive) sorted() []entry {
	all := slices.Clone(a.entries)
	slices.SortFunc(all, func(x, y entry) int { return strings.Compare(x.name, y.name) })
	return all
}

func (e entry) mode() int64 {
	if e.program {
		return 0o755
	}
	return 0o644
}

// tar writes a packed tar file.
func (a *archive) tar(to string) error {
	return create(to, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		t := tar.NewWriter(z)
		for _, e := range a.sorted() {
			data, err := os.ReadFile(e.path)
			if err != nil {
				return err
			}
			h := &tar.Header{
				Name: path.Join(a.folder, e.name), Mode: e.mode(), Size: int64(len(data)), ModTime: date, Format: tar.FormatUSTAR,
			}
			if err := t.WriteHeader(h); err != nil {
				return err
			}
			if _, err := t.Write(data); err != nil {
				return err
			}
		}
		if err := t.Close(); err != nil {
			return err
		}
		return z.Close()
	})
}

// zip writes a zip file.
func (a *archive) zip(to string) error {
	return create(to, func(w io.Writer) error {
		z := zip.NewWriter(w)
		z.RegisterCompressor(zip.Deflate,
			func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
		for _, e := range a.sorted() {
			data, err := os.ReadFile(e.path)
			if err != nil {
				return err
			}
			h := &zip.FileHeader{Name: path.Join(a.folder, e.name), Method: zip.Deflate, Modified: date}
			h.SetMode(fs.FileMode(e.mode()))
			f, err := z.CreateHeader(h)
			if err != nil {
				return err
			}
			if _, err := f.Write(data); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

func create(to string, write func(io.Writer) error) error {
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
