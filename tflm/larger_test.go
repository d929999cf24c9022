package tflm_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/tflm"
)

// TestNoModelLarger plans the models in STOWAGE_MODELS in each mode, or each third of them: no head is larger than
// without options or in a weaker mode, none is below the largest tensor, and a model whose plan is kept is written as
// it was, byte for byte.
func TestNoModelLarger(t *testing.T) {
	plantest.Nightly(t)
	folder := os.Getenv("STOWAGE_MODELS")
	if folder == "" {
		t.Skip("needs models in the folder STOWAGE_MODELS, such as those of the npm package @mediapipe/hands")
	}
	modes := []tflm.Options{
		{InPlace: true},
		{Kernels: tflm.ReferenceKernels},
		{Kernels: tflm.CMSISMVE},
		{Kernels: tflm.CMSISDSP},
		{Kernels: tflm.CMSISC},
		{Kernels: tflm.ESPNN},
		{Reorder: true},
		{InPlace: true, Reorder: true},
		{InPlace: true, Reorder: true, Kernels: tflm.ReferenceKernels},
	}
	weaker := [][]int{7: {0, 6}, 8: {0, 1, 6, 7}} // by mode; these are tried with it
	models, kept, smaller := 0, 0, make([]int, len(modes))
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".tflite" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		m, _, err := parsed(t, data, strings.TrimSuffix(d.Name(), ".tflite")).Fold()
		if err != nil {
			return err
		}
		models++
		plain, err := tflm.Make(t.Context(), m, options(m))
		if err != nil {
			return err
		}
		if plain.Kept {
			kept++
		}
		heads := make([]int64, len(modes))
		for k, o := range modes {
			if (models+min(k, 6))%plantest.Share(1, 3) != 0 {
				continue
			}
			o.Scratch = tflm.ReferenceSet.Scratch(m)
			made, err := tflm.Make(t.Context(), m, o)
			if err != nil {
				return err
			}
			if made.WrittenHead() > plain.WrittenHead() || made.Head > plain.Head {
				t.Errorf("%s, %+v: head %d, planned without options %d", d.Name(), modes[k], made.Head, plain.Head)
			}
			if heads[k] = made.Head; made.Head < plain.Head {
				smaller[k]++
			}
			for _, w := range weaker[min(k, len(weaker)-1)] {
				if heads[w] > 0 && made.Head > heads[w] {
					t.Errorf("%s, %+v: head %d, but %d with %+v", d.Name(), modes[k], made.Head, heads[w], modes[w])
				}
			}
			for _, b := range made.Arena.Problem.Buffers {
				if b.Size > made.WrittenHead() {
					t.Errorf("%s, %+v: head %d, and a tensor of %d", d.Name(), modes[k], made.Head, b.Size)
				}
			}
			written, err := made.Written(m)
			if err != nil {
				return err
			}
			if plain.Kept && !bytes.Equal(written, m.Bytes()) {
				t.Errorf("%s, %+v: the plan is not kept", d.Name(), modes[k])
			}
		}
		return nil
	})
	t.Logf("%d models, %d of them with a plan that is kept; smaller than without options in each mode: %d", models,
		kept, smaller)
	if err != nil || models == 0 {
		t.Errorf("%d models: %v", models, err)
	}
}
