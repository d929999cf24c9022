package merge

import (
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
)

// BenchmarkMerge merges a packing from the buffers up and makes 100 rounds, without a search.
func BenchmarkMerge(b *testing.B) {
	p := made(b, "perfect", gen.Options{Buffers: 1000, Seed: 1})
	for b.Loop() {
		m := newMerger(b, p)
		m.rng, m.noise = random(1), 2
		m.begin()
		for range 100 {
			at := m.rng.Int32N(int32(len(m.starts)))
			m.round(at-2, at+2, false)
		}
	}
}
