package merge

import (
	"testing"

	"github.com/stowage-go/stowage/internal/exact/engine"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestNoiseOrdersDives has the noise of an order decide which of four buffers of one size a dive
// places first: the one with the most noise is at the bottom.
func TestNoiseOrdersDives(t *testing.T) {
	p := &model.Problem{}
	for k := range int64(4) {
		p.Buffers = append(p.Buffers, model.Buffer{ID: string(rune('a' + k)), Lower: 2 * k, Upper: 2*k + 7, Size: 5})
	}
	for k := range int64(13) {
		p.Buffers = append(p.Buffers, model.Buffer{ID: string(rune('A' + k)), Lower: k, Upper: k + 1, Size: 1})
	}
	tl := timeline.New(p)
	for first := range 4 {
		d := engine.NewDiver(t.Context(), tl)
		s := engine.Score{Noise: make([]float64, len(p.Buffers))}
		s.Noise[first] = 1
		offsets, nodes, _ := d.Dive(2*tl.LowerBound, &s, 100, 100)
		d.Close()
		if offsets == nil || offsets[first] != 0 {
			t.Errorf("noise on %s: offsets %v after %d nodes", p.Buffers[first].ID, offsets, nodes)
		}
	}
}
