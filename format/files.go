package format

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Idea: a command that takes many files also takes folders and patterns, so that a call is the same in every shell.
// cmd.exe and PowerShell expand no patterns, and a folder may hold more files than a command line.
//
// Trials: docs/lab/formats.md (reading the folders below by default took minutes on a home folder; ** asks for it).

// Files returns the paths of the files that an argument names, in the order of their names. A folder stands for the
// files in it, not in folders below, whose extension ReadProblem knows, also with .gz behind it. A file .py counts only
// if it begins as code of Inductor does, because most such files are programs. A path that does not exist stands for
// the files that it matches as a pattern of package filepath, or of package doublestar if it has **. An element ** of
// the pattern stands for any number of folders, also none; as the last element, it stands for the files of all these
// folders. Links to folders are not followed there. Any other path stands for itself.
//
// The error is for a folder or a pattern that has no such file, or is the file system's. A path
// without a pattern is not opened, so a missing file is no error here.
func Files(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case path == Standard || err == nil && !info.IsDir():
		return []string{path}, nil
	case err == nil:
		return folder(path)
	case !strings.ContainsAny(path, "*?["):
		return []string{path}, nil
	}
	var found []string
	if strings.Contains(path, anyDepth) {
		found, err = doublestar.FilepathGlob(path, doublestar.WithFilesOnly(), doublestar.WithNoFollow(),
			doublestar.WithFailOnIOErrors())
		found = slices.DeleteFunc(found, func(file string) bool {
			return !regular(file) || filepath.Base(path) == anyDepth && !readable(file)
		})
		slices.Sort(found)
	} else {
		found, err = filepath.Glob(path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: no file matches", path)
	}
	return found, nil
}

// anyDepth is the element of a pattern that stands for any number of folders.
const anyDepth = "**"

// readable reports whether a path is a file whose extension ReadProblem knows.
func readable(path string) bool {
	k := known(path)
	return k >= 0 && regular(path) && (readers[k].kind != Inductor || isCode(path))
}

// known returns the row of the readers that has the extension of a path, or -1.
func known(path string) int {
	ext := extension(unpackedName(filepath.Base(path)))
	return slices.IndexFunc(readers, func(r row) bool { return slices.Contains(r.extensions, ext) })
}

// folder returns the files of a folder that have a known extension.
func folder(path string) (found []string, err error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	below := ""
	for _, e := range entries {
		if e.IsDir() {
			below = fmt.Sprintf("; folders below are not read, but with the pattern %q", filepath.Join(path, anyDepth))
		}
		file := filepath.Join(path, e.Name())
		if k := known(file); k >= 0 && (e.Type().IsRegular() || regular(file)) && (readers[k].kind != Inductor || isCode(file)) {
			found = append(found, file)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: no file in this folder has an extension that is known%s", path, below)
	}
	return found, nil
}

// regular reports whether a path leads to a regular file, by a link or not.
func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// isCode reports whether a file begins as code of Inductor does.
func isCode(path string) bool {
	in, err := Open(path)
	if err != nil {
		return true // the error comes back when the file is read
	}
	defer in.Close()
	return in.row.begins(start(bufio.NewReader(in)))
}
