package npm

import (
	"os"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/tflm"
)

// TestPageKernels: the page offers all known kernels.
func TestPageKernels(t *testing.T) {
	page := must.Get(os.ReadFile("../../render/html/viewer/drop.js"))(t)
	var names []string
	for _, s := range tflm.DefaultSets() {
		names = append(names, `"`+s.Name()+`"`)
	}
	if want := "const KERNELS = [" + strings.Join(names, ", ") + "];"; !strings.Contains(string(page), want) {
		t.Errorf("drop.js has no line %s", want)
	}
}
