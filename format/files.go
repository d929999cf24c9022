package format

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Idea: a command that takes many files also takes folders and patterns, so that a call is
// the same in every shell. cmd.exe and PowerShell expand no patterns, and a folder may hold more
// files than a command line.
//
// Trials: docs/lab/formats.md (reading the folders below by default took minutes on a home folder; ** asks for it).

// Files returns the paths of the files that an argument names, in the order of their names. A folder stands for the
// files in it, not in folders below, whose extension ReadProblem knows, also with .gz behind it. A file .py counts only
// if it begins as code of Inductor does, because most such files are programs. A path that does not exist stands for
// the files that it matches as a pattern of package filepath. An element ** of the pattern stands for any number of
// folders, also none; as the last element, it stands for the files of all these folders. Links to folders are not
// followed there. Any other path stands for itself.
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
	found, err := glob(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: no file matches", path)
	}
	return found, nil
}

// glob is filepath.Glob, where an element ** stands for any number of folders.
func glob(pattern string) (found []string, err error) {
	elements := strings.Split(filepath.ToSlash(pattern), "/")
	at := slices.Index(elements, anyDepth)
	if at < 0 {
		return filepath.Glob(pattern)
	}
	roots := []string{"."}
	if at > 0 {
		above := strings.Join(elements[:at], "/")
		if above == "" {
			above = "/" // of /**
		}
		if roots, err = filepath.Glob(filepath.FromSlash(above)); err != nil {
			return nil, err
		}
	}
	rest := elements[at:]
	for _, element := range rest { // before any folder is read
		if _, err := filepath.Match(element, ""); err != nil {
			return nil, err
		}
	}
	for _, root := range roots {
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			continue
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !regular(path) {
				return err
			}
			below, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			ok, err := matches(rest, strings.Split(filepath.ToSlash(below), "/"))
			if ok && (rest[len(rest)-1] != anyDepth || readable(path)) {
				found = append(found, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// anyDepth is the element of a pattern that stands for any number of folders.
const anyDepth = "**"

// matches reports whether a path matches a pattern; both are split into their elements.
func matches(pattern, path []string) (bool, error) {
	if len(pattern) == 0 {
		return len(path) == 0, nil
	}
	if pattern[0] == anyDepth {
		if len(pattern) == 1 {
			return true, nil
		}
		for skip := range len(path) + 1 {
			if ok, err := matches(pattern[1:], path[skip:]); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}
	if len(path) == 0 {
		return false, nil
	}
	ok, err := filepath.Match(pattern[0], path[0])
	if !ok || err != nil {
		return false, err
	}
	return matches(pattern[1:], path[1:])
}

// readable reports whether a path is a file whose extension ReadProblem knows.
func readable(path string) bool {
	ext := extension(unpackedName(filepath.Base(path)))
	k := slices.IndexFunc(readers, func(r row) bool { return slices.Contains(r.extensions, ext) })
	return k >= 0 && regular(path) && (readers[k].kind != Inductor || isCode(path))
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
		if file := filepath.Join(path, e.Name()); readable(file) {
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
