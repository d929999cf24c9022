package scratch_test

import (
	"os"
	"testing"

	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/kernelscratch"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/lab/kernels/scratch"
)

// TestFormulas compiles the size functions of every library, build and version, and compares the formulas with them.
// The operators are random ones of every kind, and those of the models in the folder STOWAGE_KERNEL_MODELS. It needs
// a compiler and the libraries' histories.
func TestFormulas(t *testing.T) {
	shapes := 2000
	if testing.Short() {
		shapes = 200
	}
	var models []string
	if folder := os.Getenv("STOWAGE_KERNEL_MODELS"); folder != "" {
		var err error
		if models, err = scratch.Models(folder); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range kernelscratch.Sets() {
		if s.Library == distance.Reference {
			continue
		}
		t.Run(s.String(), func(t *testing.T) {
			if why := scratch.Missing(s); why != "" {
				t.Skip(why)
			}
			program := must.Get(scratch.Build(t.Context(), s, t.TempDir()))(t)
			hold := func(what string, ops []*distance.Operator) (r scratch.Row) {
				t.Helper()
				if len(ops) == 0 {
					return r
				}
				said := must.Get(scratch.Ask(t.Context(), program, ops))(t)
				r = scratch.Compare(s, ops, said)
				for _, why := range r.Wrong {
					t.Errorf("%s: %s", what, why)
				}
				return r
			}
			for _, kind := range scratch.Kinds(s.Library) {
				if r := hold(kind, scratch.Drawn(kind, shapes, 40)); r.Compared < shapes || r.Open > shapes/10 {
					t.Errorf("%s: %d compared, %d open", kind, r.Compared, r.Open)
				}
			}
			for _, path := range models {
				ops := must.Get(scratch.Operators(path, s.Library))(t)
				hold(path, ops)
			}
		})
	}
}
