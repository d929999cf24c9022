package tflm

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// TestOthersAtLeast: what a model that cannot run needs with other kernels is a lower bound, as what it needs with
// these is.
func TestOthersAtLeast(t *testing.T) {
	for _, c := range []struct {
		name    string
		model   []byte
		o       Options
		atLeast bool
	}{
		{"bytes", tflitemade.Bytes(3, 12), Options{}, false},
		{"bytes of what cannot run", tflitemade.Bytes(3, 12), Options{CannotRun: true}, true},
		{"halves", tflitemade.Halves(), Options{}, true},
		{"hybrid", tflitemade.Hybrid(), Options{}, true},
	} {
		p := must.Get(Make(t.Context(), parse(t, c.model), c.o))(t)
		for _, s := range KnownSets() {
			if p.AtLeast(s) != c.atLeast {
				t.Errorf("%s, %s: at least %v", c.name, s, p.AtLeast(s))
			}
		}
		least, most, ok := p.Others(&Firmware32)
		if !ok || least.AtLeast != c.atLeast || most.AtLeast != c.atLeast {
			t.Errorf("%s: %v, %+v to %+v", c.name, ok, least, most)
		}
		says := p.Elsewhere(&Firmware32) + p.Within(1<<30, &Firmware32)
		if strings.Contains(says, "at least") != c.atLeast || strings.Contains(says, "fits with all") == c.atLeast {
			t.Errorf("%s: %s", c.name, says)
		}
	}
}
