//go:build unix

package format

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestFile: a file is read and written as an os.File is, and its errors are the same.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	content := bytes.Repeat([]byte("0123456789"), 100_000)
	f := must.Get(openFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640))(t)
	if n, err := f.Write(content); n != len(content) || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if n, err := f.Write(nil); n != 0 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	must.Do(t, f.Chmod(0o600))
	must.Do(t, f.Close())
	if err := f.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a second Close: %v", err)
	}

	f = must.Get(openFile(path, os.O_RDONLY, 0))(t)
	defer f.Close()
	info, want := must.Get(f.Stat())(t), must.Get(os.Stat(path))(t)
	if info.Name() != want.Name() || info.Size() != want.Size() || info.Mode() != want.Mode() || info.IsDir() {
		t.Errorf("%s %d %v, want %s %d %v", info.Name(), info.Size(), info.Mode(), want.Name(), want.Size(), want.Mode())
	}
	if got := must.Get(io.ReadAll(f))(t); !bytes.Equal(got, content) {
		t.Errorf("%d bytes, want %d", len(got), len(content))
	}
	if n, err := f.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("%d bytes at the end, %v", n, err)
	}
	folder := must.Get(openFile(filepath.Dir(path), os.O_RDONLY, 0))(t)
	defer folder.Close()
	if info := must.Get(folder.Stat())(t); !info.IsDir() || info.Mode().IsRegular() {
		t.Errorf("a folder is %v", info.Mode())
	}

	// Faults, beside those of package os.
	theirs := must.Get(os.Open(path))(t)
	defer theirs.Close()
	theirFolder := must.Get(os.Open(filepath.Dir(path)))(t)
	defer theirFolder.Close()
	same := func(what string, ours, theirs error) {
		if ours == nil || theirs == nil || ours.Error() != theirs.Error() {
			t.Errorf("%s: %v, want %v", what, ours, theirs)
		}
	}
	_, ours := f.Write([]byte("x"))
	_, other := theirs.Write([]byte("x"))
	same("write", ours, other)
	_, ours = folder.Read(make([]byte, 1))
	_, other = theirFolder.Read(make([]byte, 1))
	same("read", ours, other)
	missing := filepath.Join(path, "b")
	_, ours = openFile(missing, os.O_RDONLY, 0)
	_, other = os.Open(missing)
	same("open", ours, other)
	same("rename", rename(missing, path+"2"), os.Rename(missing, path+"2"))
	if full, err := openFile("/dev/full", os.O_WRONLY, 0); err == nil {
		_, ours = full.Write([]byte("x"))
		their := must.Get(os.OpenFile("/dev/full", os.O_WRONLY, 0))(t)
		_, other = their.Write([]byte("x"))
		same("a full disk", ours, other)
		must.Do(t, errors.Join(full.Close(), their.Close()))
	}
}
