//go:build unix

package format

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestFileAsOS: a file is read and written as an os.File is, and its errors are the same.
func TestFileAsOS(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	for _, n := range []int{0, 1, 1000, mostHeld, mostHeld + 1, 1_000_000} {
		content := bytes.Repeat([]byte("x"), n)
		f := must.Get(create(path))(t)
		if done, err := f.Write(content); done != n || err != nil {
			t.Errorf("%d of %d bytes, %v", done, n, err)
		}
		must.Do(t, errors.Join(f.Chmod(0o600), f.Close()))
		if f.Close() == nil {
			t.Error("a second Close is no error")
		}
		if info := must.Get(os.Stat(path))(t); info.Mode() != 0o600 {
			t.Errorf("mode %v", info.Mode())
		}
		r := must.Get(openToRead(path))(t)
		if got := must.Get(io.ReadAll(r))(t); !bytes.Equal(got, content) {
			t.Errorf("%d bytes, want %d", len(got), n)
		}
		must.Do(t, errors.Join(r.Close(), os.Remove(path)))
	}

	// What has grown or shrunk since it was asked for its size is read as any file is.
	must.Do(t, os.WriteFile(path, bytes.Repeat([]byte("x"), 10_000), 0o600))
	fd := must.Get(openFD(path, syscall.O_RDONLY, 0))(t)
	for size, held := range map[int64]bool{0: false, 10: false, 9_999: false, 10_000: true, 10_001: false} {
		if got := small(fd, size); (got != nil) != held || held && len(got) != 10_000 {
			t.Errorf("size %d: %d bytes", size, len(got))
		}
	}
	if got, err := io.ReadAll(os.NewFile(uintptr(fd), path)); len(got) != 10_000 || err != nil {
		t.Errorf("%d bytes are left, %v", len(got), err)
	}

	same := func(what string, ours, theirs error) {
		if ours == nil || theirs == nil || ours.Error() != theirs.Error() {
			t.Errorf("%s: %v, want %v", what, ours, theirs)
		}
	}
	missing := filepath.Join(folder, "gone", "b")
	_, ours := openToRead(missing)
	_, theirs := os.Open(missing)
	same("open", ours, theirs)
	_, ours = create(path)
	_, theirs = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	same("create", ours, theirs)
	same("rename", rename(missing, path), os.Rename(missing, path))
	if _, err := openToRead(folder); !errors.Is(err, ErrFolder) {
		t.Errorf("a folder: %v", err)
	}
	if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil {
		defer full.Close()
		_, ours = (&newFile{fd: int(full.Fd()), name: "/dev/full"}).Write([]byte("x"))
		_, theirs = full.Write([]byte("x"))
		same("a full disk", ours, theirs)
	}
}

// TestWriteNew: a plan is there as a whole or not at all, and nothing is left beside it.
func TestWriteNew(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	broken := errors.New("broken")
	fails := func(w io.Writer) error {
		io.WriteString(w, "half")
		return broken
	}
	if err := WriteNew(path, fails); err != broken {
		t.Error(err)
	}
	if left := must.Get(os.ReadDir(folder))(t); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	for _, text := range []string{"one", "another"} { // a file that has come since is replaced
		must.Do(t, WriteNew(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}))
		if got := must.Get(os.ReadFile(path))(t); string(got) != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
	if err := WriteNew(filepath.Join(folder, "gone", "a"), fails); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if left := must.Get(os.ReadDir(folder))(t); len(left) != 1 {
		t.Errorf("%v is left", left)
	}
}
