package tela

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/stowage-go/stowage/internal/public"
	"github.com/stowage-go/stowage/model"
)

// load reads a public instance; nil where the data are not there.
func load(tb testing.TB, name string) *model.Problem {
	tb.Helper()
	p, err := public.Load(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		tb.Fatal(err)
	}
	return p
}
