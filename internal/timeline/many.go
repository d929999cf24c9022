package timeline

import "sync"

// Idea: a span has 24 bytes, and those of a buffer without gaps say no more than its extent and its size, which have
// 16. Sweeps over many buffers need no spans. So many buffers have none until somebody asks for one. Sizes that are
// next to each other are also read faster than those within the buffers, which have 96 bytes.
//
// Invariant: spans that are asked for are those that few buffers have from the start.
//
// Complexity: O(n), once.

// many is what is made of many buffers when it is first needed.
type many struct {
	once  sync.Once
	spans []Span
}

// manySpans returns the spans of many buffers.
func (t *Timeline) manySpans() []Span {
	m := &t.many
	m.once.Do(func() {
		m.spans = make([]Span, len(t.sizes))
		for i, size := range t.sizes {
			m.spans[i] = Span{First: t.extent[i][0], Last: t.extent[i][1], Upper: size}
		}
	})
	return m.spans
}
