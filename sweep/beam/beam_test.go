package beam

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/sweep/core"
)

// TestStore: a folder behind Beam's file systems behaves as one on this machine does.
func TestStore(t *testing.T) {
	memory := must.Get(Open(t.Context(), "memfs://sweep/folder/"))(t)
	local := must.Get(Open(t.Context(), t.TempDir()))(t)
	for _, s := range []core.Store{memory, local} {
		ctx := t.Context()
		if names, err := s.List(ctx, "runs"); err != nil || len(names) > 0 {
			t.Errorf("%T: %q, %v", s, names, err)
		}
		if _, err := s.Read(ctx, "runs/ab/a"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%T: %v", s, err)
		}
		for _, name := range []string{"runs/ab/a", "runs/cd/b", "try/c.1", "runs/ab/a"} {
			must.Do(t, s.Write(ctx, name, []byte(name)))
		}
		names, err := s.List(ctx, "runs")
		if slices.Sort(names); err != nil || !slices.Equal(names, []string{"runs/ab/a", "runs/cd/b"}) {
			t.Errorf("%T: %q, %v", s, names, err)
		}
		if names, err := s.List(ctx, "try"); err != nil || !slices.Equal(names, []string{"try/c.1"}) {
			t.Errorf("%T: %q, %v", s, names, err)
		}
		if data, err := s.Read(ctx, "runs/ab/a"); err != nil || string(data) != "runs/ab/a" {
			t.Errorf("%T: %q, %v", s, data, err)
		}
		for range 2 { // what is gone may be removed
			if err := s.Remove(ctx, "runs/ab/a"); err != nil {
				t.Errorf("%T: %v", s, err)
			}
		}
		if there, err := s.Has(ctx, "runs/ab/a"); err != nil || there {
			t.Errorf("%T: %v, %v", s, there, err)
		}
		if there, err := s.Has(ctx, "runs/cd/b"); err != nil || !there {
			t.Errorf("%T: %v, %v", s, there, err)
		}
	}
	if _, err := Open(t.Context(), "ftp://host/folder"); err == nil {
		t.Error("ftp:// is opened")
	}
}

// TestRemovedByAnother: an object that another run removes at the same moment is removed.
func TestRemovedByAnother(t *testing.T) {
	s := must.Get(Open(t.Context(), "memfs://sweep/other/"))(t)
	o := s.(*objects)
	o.files = another{o.files}
	must.Do(t, o.Write(t.Context(), "try/a.1", []byte("a")))
	if err := o.Remove(t.Context(), "try/a.1"); err != nil {
		t.Error(err)
	}
	o.files = refusing{o.files}
	must.Do(t, o.Write(t.Context(), "try/b.1", []byte("b")))
	if err := o.Remove(t.Context(), "try/b.1"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("what stays is said to be removed: %v", err)
	}
}

// another is a file system that has what is to be removed removed by somebody else before.
type another struct{ filesystem.Interface }

func (a another) Remove(ctx context.Context, name string) error {
	return errors.Join(a.Interface.(filesystem.Remover).Remove(ctx, name), fs.ErrNotExist)
}

// refusing is a file system that removes nothing.
type refusing struct{ filesystem.Interface }

func (refusing) Remove(context.Context, string) error { return fs.ErrPermission }
