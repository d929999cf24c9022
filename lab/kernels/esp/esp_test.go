package esp_test

import (
	"testing"

	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/lab/kernels/esp"
	"github.com/stowage-go/stowage/lab/kernels/harness"
)

// TestTable runs both sets of ESP-NN's kernels in C, and compares the table of distances with the measured distance
// on every path that the glue hands to the library. It needs compilers, QEMU and the library's sources.
func TestTable(t *testing.T) {
	shapes, sets := 20, 2
	if testing.Short() {
		shapes, sets = 4, 1
	}
	for _, target := range esp.Targets() {
		t.Run(target.Kernels+" "+target.Machine.Name, func(t *testing.T) {
			if why := harness.Missing(esp.Sources, target.Machine); why != "" {
				t.Skip(why)
			}
			d := must.Get(target.Driver())(t)
			p := must.Get(harness.Build(t.Context(), t.TempDir(), target.Machine, d))(t)

			for _, path := range target.Machine.Paths() {
				if !esp.Takes(path.Name) {
					continue
				}
				row := must.Get(harness.Compare(t.Context(), p, distance.ESP, path, shapes, sets, 23))(t)
				for _, line := range row.Below {
					t.Errorf("%s: %s", path.Name, line)
				}
				if row.Shapes == 0 {
					t.Errorf("%s: the library takes no shape", path.Name)
				}
			}
		})
	}
}
