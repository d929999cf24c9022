package session

import (
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestAllowed tries each offset of a small buffer: it may end at the capacity and lie at the ends of a ban, and no further.
func TestAllowed(t *testing.T) {
	b := &model.Buffer{ID: "b", Upper: 1, Size: 4, Alignment: 2}
	bans := []ban{{low: 2, high: 6}}
	want := map[int64]bool{0: true, 2: true, 6: true, 8: true}
	for offset := int64(-2); offset < 14; offset++ {
		if got := allowed(b, bans, offset, 12); got != want[offset] {
			t.Errorf("offset %d: %t", offset, got)
		}
	}
	if !allowed(b, bans, 100, 0) {
		t.Error("without a capacity a high offset is refused")
	}
	fixed := int64(8)
	b.Fixed = &fixed
	if !allowed(b, bans, 8, 12) || allowed(b, bans, 6, 12) || allowed(b, bans, 8, 11) {
		t.Error("a fixed offset counts otherwise")
	}
}
