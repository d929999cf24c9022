// Package digest names a problem by its content.
package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/stowage-go/stowage/model"
)

// Of returns 16 hexadecimal digits that name the problem by its content: its buffers, in their order. Its name and its
// capacity do not count. Files of runs have the digest, so it must never change.
func Of(p *model.Problem) string {
	h := sha256.New()
	for i := range p.Buffers {
		b := &p.Buffers[i]
		fmt.Fprintf(h, "%q %d %d %d %d", b.ID, b.Lower, b.Upper, b.Size, b.Align())
		for _, g := range b.Gaps {
			fmt.Fprintf(h, " %d-%d", g.Lower, g.Upper)
			if g.Window != nil {
				fmt.Fprintf(h, "@%d:%d", g.Window.Lower, g.Window.Upper)
			}
		}
		if b.Fixed != nil {
			fmt.Fprintf(h, " =%d", *b.Fixed)
		}
		if b.Hint != nil {
			fmt.Fprintf(h, " ~%d", *b.Hint)
		}
		fmt.Fprintln(h)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
