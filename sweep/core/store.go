package core

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Idea: a sweep is a folder of files that never change. A file appears whole, under a name that follows from the
// question, or not at all. So any number of processes may work in one folder, and a killed process loses only its
// present tasks.
//
// On a local disk a file is written under another name and renamed. An object store shows an object only when it is
// complete, so a write is enough.
//
//	runs/KK/KEY.parquet          the rows of a task; KK are the first two letters of its key
//	problems/KK/DIGEST.json.gz   the problems of files, so that a worker needs the folder alone
//	try/KEY.N                    attempt N began, and has not ended or has killed its worker
//	dead/KEY.json                a task that is given up, or a file that cannot be read
//	dead.jsonl                   the same in one file, written when a run ends
//	tasks.json                   what the last run was asked for
//	todo/                        lists of tasks for an engine, while it runs
//	summary.csv, report.html     what came of it

// A Store is a folder. Names are relative to it, with slashes. It is safe for use by several goroutines and processes.
type Store interface {
	// List returns the names of all files below a folder, in any order; none if there is no such folder.
	List(ctx context.Context, folder string) ([]string, error)
	// Read returns the content of a file; the error is fs.ErrNotExist if there is none.
	Read(ctx context.Context, name string) ([]byte, error)
	// Has reports whether there is a file.
	Has(ctx context.Context, name string) (bool, error)
	// Write makes or replaces a file, whole or not at all.
	Write(ctx context.Context, name string, data []byte) error
	// Remove removes a file. It is no error if there is none.
	Remove(ctx context.Context, name string) error
}

// Local returns the store of a folder on this machine. The folder is made with the first file.
func Local(folder string) Store { return local(folder) }

type local string

func (l local) path(name string) string { return filepath.Join(string(l), filepath.FromSlash(name)) }

func (l local) List(_ context.Context, folder string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(l.path(folder), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // none yet, or removed meanwhile
		}
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		name, err := filepath.Rel(string(l), path)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	return names, err
}

func (l local) Read(_ context.Context, name string) ([]byte, error) { return os.ReadFile(l.path(name)) }

func (l local) Has(_ context.Context, name string) (bool, error) {
	_, err := os.Stat(l.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Write gives the file the permissions 0644 before it has its name. Only its owner may read a file of os.CreateTemp,
// and a sweep has many readers.
func (l local) Write(_ context.Context, name string, data []byte) (err error) {
	path := l.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (l local) Remove(_ context.Context, name string) error {
	if err := os.Remove(l.path(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// drop removes what processes that died were writing. Nobody may be writing there now.
func (l local) drop(folder string) error {
	return filepath.WalkDir(l.path(folder), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || !strings.HasPrefix(d.Name(), ".") {
			return err
		}
		return os.Remove(path)
	})
}

// runFile, problemFile, tryFile and deadFile are where things lie.
func runFile(key string) string { return "runs/" + key[:2] + "/" + key + ".parquet" }

func problemFile(digest string) string { return "problems/" + digest[:2] + "/" + digest + ".json.gz" }
func deadFile(key string) string       { return "dead/" + key + ".json" }
func tryFile(key string, attempt int) string {
	return "try/" + key + "." + strconv.Itoa(attempt)
}

// keyOf returns the key in the name of a file of runs. It is not ok for the name of another file.
func keyOf(name string) (string, bool) {
	_, base, ok := strings.Cut(name, "runs/")
	if !ok || !strings.HasSuffix(base, ".parquet") {
		return "", false
	}
	return strings.TrimSuffix(base[strings.LastIndexByte(base, '/')+1:], ".parquet"), true
}

// damaged is the error of a file of a sweep that is not what it should be.
func damaged(s Store, name, message string) error {
	if l, ok := s.(local); ok {
		name = l.path(name)
	}
	return model.Issue{File: name, Message: message}.Err()
}

// ReadRows returns the rows of all files, sorted (Sort), each once. Files of other programs below
// runs/ count too, whatever their names.
func ReadRows(ctx context.Context, s Store) ([]Row, error) {
	names, err := s.List(ctx, "runs")
	if err != nil {
		return nil, err
	}
	var all []Row
	type run struct {
		task     string
		capacity int64
	}
	seen := map[run]bool{}
	for _, name := range names {
		if _, ok := keyOf(name); !ok {
			continue
		}
		data, err := s.Read(ctx, name)
		if err != nil {
			return nil, err
		}
		rows, err := decode(data)
		if err != nil {
			return nil, damaged(s, name, fmt.Sprintf("is damaged: %v; remove it, and run the sweep again", err))
		}
		for _, r := range rows {
			if at := (run{r.Task, r.Capacity}); !seen[at] {
				seen[at] = true
				all = append(all, r)
			}
		}
	}
	Sort(all)
	return all, nil
}
