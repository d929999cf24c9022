package bound

import "github.com/stowage-go/stowage/model"

// Idea: a fixed offset bounds the height by its own end, whatever else there is.
//
// Complexity: a scan.

// TopFixed returns which buffer with a fixed offset ends highest, the first of
// them, and where; -1 and 0 where no offset is fixed.
func TopFixed(p *model.Problem) (top int, end int64) {
	top = -1
	for i := range p.Buffers {
		if b := &p.Buffers[i]; b.Fixed != nil && *b.Fixed+b.Size > end {
			top, end = i, *b.Fixed+b.Size
		}
	}
	return top, end
}
