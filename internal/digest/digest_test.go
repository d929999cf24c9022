package digest_test

import (
	"testing"

	"github.com/stowage-go/stowage/internal/digest"
	"github.com/stowage-go/stowage/model"
)

// TestOf changes one thing after the other, and holds one digest against what it has always been.
func TestOf(t *testing.T) {
	at := int64(4)
	p := &model.Problem{Buffers: []model.Buffer{{ID: "a", Upper: 2, Size: 3}}}
	seen := map[string]string{digest.Of(p): "p"}
	for name, change := range map[string]func(b *model.Buffer){
		"id":        func(b *model.Buffer) { b.ID = "b" },
		"upper":     func(b *model.Buffer) { b.Upper = 3 },
		"size":      func(b *model.Buffer) { b.Size = 4 },
		"alignment": func(b *model.Buffer) { b.Alignment = 2 },
		"gap":       func(b *model.Buffer) { b.Gaps = []model.Gap{{Lower: 1, Upper: 2}} },
		"window": func(b *model.Buffer) {
			b.Gaps = []model.Gap{{Lower: 1, Upper: 2, Window: &model.Window{Lower: 0, Upper: 1}}}
		},
		"fixed": func(b *model.Buffer) { b.Fixed = &at },
		"hint":  func(b *model.Buffer) { b.Hint = &at },
	} {
		b := p.Buffers[0]
		change(&b)
		d := digest.Of(&model.Problem{Buffers: []model.Buffer{b}})
		if seen[d] != "" {
			t.Errorf("%s and %s have one digest", name, seen[d])
		}
		seen[d] = name
	}
	// Files of runs are kept, so the digest must never change.
	if got := digest.Of(p); got != "0d4c13a16f2e0316" {
		t.Errorf("digest %s", got)
	}
}
