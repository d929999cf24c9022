package drawn

import (
	"fmt"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Describe lists the buffers of a problem for the message of a test, a line each.
func Describe(p *model.Problem) string {
	var s strings.Builder
	for i := range p.Buffers {
		b := &p.Buffers[i]
		fmt.Fprintf(&s, "%s [%d, %d) size %d align %d", b.ID, b.Lower, b.Upper, b.Size, b.Align())
		for _, g := range b.Gaps {
			s.WriteString(" gap " + model.GapText(g))
		}
		if b.Fixed != nil {
			fmt.Fprintf(&s, " fixed %d", *b.Fixed)
		}
		s.WriteByte('\n')
	}
	return s.String()
}
