package bound

import "github.com/stowage-go/stowage/model"

// Idea: height >= offset + size for each fixed buffer, whatever else there is.
//
// Complexity: O(n).

// TopFixed returns the first of the fixed buffers that end highest, and where it ends. It
// returns -1 and 0 if no offset is fixed.
func TopFixed(p *model.Problem) (top int, end int64) {
	top = -1
	for i := range p.Buffers {
		if b := &p.Buffers[i]; b.Fixed != nil && *b.Fixed+b.Size > end {
			top, end = i, *b.Fixed+b.Size
		}
	}
	return top, end
}
