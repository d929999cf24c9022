package cmsis_test

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/lab/kernels/cmsis"
	"github.com/stowage-go/stowage/lab/kernels/harness"
)

// TestTable runs CMSIS-NN on the host and on the three kinds of cores, and compares the table of distances with the
// measured distance on every path. It needs compilers, QEMU and the library's sources.
func TestTable(t *testing.T) {
	shapes, sets := 20, 2
	if testing.Short() {
		shapes, sets = 4, 1
	}
	for _, target := range cmsis.Targets() {
		t.Run(target.Machine.Name, func(t *testing.T) {
			if why := harness.Missing(cmsis.Sources, target.Machine); why != "" {
				t.Skip(why)
			}
			d := must.Get(cmsis.Driver())(t)
			p := must.Get(harness.Build(t.Context(), t.TempDir(), target.Machine, d))(t)
			tight, taken := 0, 0
			for _, path := range target.Machine.Paths() {
				row := must.Get(harness.Compare(t.Context(), p, target.Library, path, shapes, sets, 23))(t)
				for _, line := range row.Below {
					t.Errorf("%s: %s", path.Name, line)
				}
				if row.Shapes == 0 && !strings.Contains(path.Name, "INT16") {
					t.Errorf("%s: the library takes no shape", path.Name)
				}
				tight, taken = tight+row.Tight, taken+row.Tried
			}
			if tight*2 < taken || taken == 0 { // the comparison of results sees what is wrong
				t.Errorf("a byte below the measured distance, results are wrong in %d of %d cases", tight, taken)
			}
		})
	}
}
