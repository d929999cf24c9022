package strips_test

import (
	"fmt"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/strips"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/tflm"
)

// TestBands runs drawn networks with rows of their strips in place in operands and results, as a plan in the file says.
// The outputs are those of the network as it is, in the interpreter's own plan.
func TestBands(t *testing.T) {
	r := micro(t)
	networks, banded, overlaid := 0, 0, 0
	for seed := range uint64(plantest.Share(2000, 60)) {
		m := network(t, seed)
		want, err := r.outputs(m)
		if err != nil {
			t.Errorf("seed %d does not run: %v", seed, err)
			continue
		}
		networks++
		for n, d := range drawChains(m, seed, strips.Of(m)) {
			if d.chain.Axis != strips.Rows {
				continue // columns are not in one piece
			}
			file := must.Get(d.split.Model.Written())(t)
			o := tflm.Options{Rows: true}
			if n%2 > 0 {
				o.Kernels = tflm.ReferenceKernels
			}
			o.Solve.NodeLimit = 200
			whole := must.Get(tflite.Parse(file.Bytes(), "strips"))(t)
			p := must.Get(tflm.Make(t.Context(), whole, o))(t)
			if p.Rows == nil {
				continue
			}
			data := must.Get(p.Model.WithOffsets(p.Offsets))(t)
			got, err := r.outputs(must.Get(tflite.Parse(data, fmt.Sprint("seed ", seed)))(t))
			if err != nil || got != want {
				t.Errorf("%v: outputs differ, %v", d, err)
			}
			banded++
			overlaid += min(len(p.Overlays), 1)
		}
	}
	t.Logf("%d networks, %d plans with rows in place, %d of them with results over operands", networks, banded, overlaid)
	if banded < networks || overlaid*8 < banded {
		t.Errorf("%d networks, %d plans with rows in place, %d with results over operands", networks, banded, overlaid)
	}
}
