package beam

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs" // gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"  // s3://

	"github.com/stowage-go/stowage/sweep/core"
	"github.com/stowage-go/stowage/sweep/spec"
)

// Idea: in an object store an object appears when its writer is closed, as a whole. So Write is one object, without a
// rename.
//
// A pattern of Beam's file systems stands for one level of folders. A sweep has at most two, so a listing asks for
// both.

// Open returns the store of a folder: of this machine, or of an object store such as gs://bucket/folder.
func Open(ctx context.Context, out string) (s core.Store, err error) {
	if !spec.Remote(out) {
		return core.Local(out), nil
	}
	defer func() {
		if p := recover(); p != nil { // how Beam's file systems say that there are no credentials
			err = fmt.Errorf("%s: cannot be opened: %v", out, p)
		}
	}()
	files, err := filesystem.New(ctx, out)
	if err != nil {
		scheme, _, _ := strings.Cut(out, "://")
		return nil, fmt.Errorf("%s: no object store has addresses with %s://; there are gs:// and s3://", out, scheme)
	}
	return &objects{files, strings.TrimRight(out, "/") + "/"}, nil
}

// objects are the files below a prefix.
type objects struct {
	files  filesystem.Interface
	prefix string
}

func (o *objects) List(ctx context.Context, folder string) (names []string, err error) {
	for _, pattern := range []string{"/*", "/*/*"} {
		found, err := o.files.List(ctx, o.prefix+folder+pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			if !strings.HasSuffix(name, "/") {
				names = append(names, strings.TrimPrefix(name, o.prefix))
			}
		}
	}
	return names, nil
}

func (o *objects) Has(ctx context.Context, name string) (bool, error) {
	found, err := o.files.List(ctx, o.prefix+name)
	return len(found) > 0, err
}

func (o *objects) Read(ctx context.Context, name string) ([]byte, error) {
	r, err := o.files.OpenRead(ctx, o.prefix+name)
	if err != nil {
		// Each file system has an error of its own for an object that is not there.
		if there, fault := o.Has(ctx, name); fault == nil && !there {
			return nil, &fs.PathError{Op: "read", Path: o.prefix + name, Err: fs.ErrNotExist}
		}
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

func (o *objects) Write(ctx context.Context, name string, data []byte) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := o.files.OpenWrite(ctx, o.prefix+name)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		cancel() // or to close it would keep what was written so far
		return errors.Join(err, w.Close())
	}
	return w.Close()
}

func (o *objects) Remove(ctx context.Context, name string) error {
	r, ok := o.files.(filesystem.Remover)
	if !ok {
		return fmt.Errorf("%s%s: this object store removes nothing", o.prefix, name)
	}
	if there, err := o.Has(ctx, name); err != nil || !there {
		return err
	}
	err := r.Remove(ctx, o.prefix+name)
	if err != nil { // another run may have removed it in the meantime
		if there, fault := o.Has(ctx, name); fault == nil && !there {
			return nil
		}
	}
	return err
}
