package plantest

import (
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Random returns a small valid problem in which all features of the model occur. Fixed offsets may collide.
func Random(rng *rand.Rand) *model.Problem {
	horizon := 2 + rng.Int64N(20)
	return RandomOf(rng, 1+rng.IntN(14), horizon)
}

// RandomOf is Random with n buffers in so many time slots.
func RandomOf(rng *rand.Rand, n int, horizon int64) *model.Problem {
	p := &model.Problem{}
	fixed, gaps, aligned := rng.IntN(3) == 0, rng.IntN(2) == 0, rng.IntN(2) == 0
	common := int64(1)
	if rng.IntN(3) == 0 {
		common = 4 // an alignment that all share
	}
	for i := range n {
		lower := rng.Int64N(horizon)
		b := model.Buffer{
			ID:    strconv.Itoa(i),
			Lower: lower, Upper: lower + 1 + rng.Int64N(horizon-lower),
			Size:      1 + rng.Int64N(12),
			Alignment: common,
		}
		if aligned {
			b.Alignment = common * (1 + rng.Int64N(4))
		}
		if fixed && rng.IntN(3) == 0 {
			at := b.Align() * rng.Int64N(8)
			b.Fixed = &at
		}
		if gaps && rng.IntN(2) == 0 {
			for at := b.Lower; at < b.Upper && rng.IntN(3) > 0; {
				g := model.Gap{Lower: at + rng.Int64N(b.Upper-at)}
				g.Upper = g.Lower + 1 + rng.Int64N(b.Upper-g.Lower)
				if rng.IntN(2) == 0 {
					from := rng.Int64N(b.Size)
					g.Window = &model.Window{Lower: from, Upper: from + 1 + rng.Int64N(b.Size-from)}
				}
				b.Gaps = append(b.Gaps, g)
				at = g.Upper
			}
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// Mixed returns n buffers, most of them short-lived, a few of them not.
func Mixed(n int) *model.Problem {
	rng := rand.New(rand.NewPCG(7, 7))
	p := &model.Problem{Buffers: make([]model.Buffer, n)}
	horizon := int64(n)
	for i := range p.Buffers {
		span := int64(math.Exp(rng.Float64()*math.Log(float64(horizon)/4))) + 1
		if rng.IntN(10) > 0 {
			span = 1 + rng.Int64N(100)
		}
		lower := rng.Int64N(horizon - span)
		p.Buffers[i] = model.Buffer{
			ID: strconv.Itoa(i), Lower: lower, Upper: lower + span, Size: 64 * (1 + rng.Int64N(1<<rng.IntN(14))),
		}
	}
	return p
}

// Training returns some n buffers of a training step: activations kept until
// the backward pass, workspaces, gradients, and weights with their state.
func Training(n int) *model.Problem {
	rng := rand.New(rand.NewPCG(11, 11))
	p := &model.Problem{Name: "training"}
	layers := int64(n / 10)
	add := func(lower, upper, size int64) {
		p.Buffers = append(p.Buffers,
			model.Buffer{ID: strconv.Itoa(len(p.Buffers)), Lower: lower, Upper: upper, Size: max(size, 64)})
	}
	activation, weight := make([]int64, layers), make([]int64, layers)
	for i := range layers {
		activation[i] = 16384 * (1 + rng.Int64N(16)) * (1 + rng.Int64N(4))
		weight[i] = 4096 * (1 + rng.Int64N(16))
		add(2*i, 4*layers-2*i, activation[i])
		add(2*i, 4*layers-2*i-1, activation[i]/8)
		add(2*i, 2*i+1, 16*256<<(2*rng.Int64N(5)))
		add(2*i, 2*i+3, activation[i]/2)
	}
	for i := layers - 1; i >= 0; i-- {
		at := 2*layers + 2*(layers-1-i)
		add(at, at+3, activation[i])
		add(at, at+1, 16*256<<(2*rng.Int64N(5)))
		add(at, at+2+rng.Int64N(6), weight[i])
		for range 3 {
			add(0, 4*layers+8, weight[i])
		}
	}
	return p
}

// Aligned returns n buffers whose alignments leave holes between them.
func Aligned(seed uint64, n int) *model.Problem {
	r := rand.New(rand.NewPCG(seed, 9))
	p := &model.Problem{}
	for i := range n {
		b := model.Buffer{ID: string(rune('a' + i)), Lower: r.Int64N(6)}
		b.Upper = b.Lower + 1 + r.Int64N(4)
		b.Size, b.Alignment = 1+r.Int64N(9), 1<<r.IntN(3)
		p.Buffers = append(p.Buffers, b)
	}
	return p
}
