package canonical

import (
	"math"

	"github.com/stowage-go/stowage/internal/exact/common"
)

// A Score orders buffers, the highest score first. The score is a sum of logarithms: the buffer's
// largest total, its width in sections and its size, each times its weight, plus its own noise.
type Score struct {
	Total, Width, Size float64
	Noise              []float64 // by buffer of the problem
}

// OrderBy has runs follow a score in place of the order that they are given.
func (k *Kernel) OrderBy(s *Score) {
	k.ranks.score = func(j common.Buffer, total int64) float64 {
		b := &k.of[j]
		return s.Total*math.Log(float64(total)) + s.Width*math.Log(float64(b.last-b.first)) + s.Size*math.Log(float64(b.rawSize)) + s.Noise[k.id[j]]
	}
}
