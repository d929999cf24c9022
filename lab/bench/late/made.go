package main

import (
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// comb returns buffers that are all there all the time but for a slot in every few, each
// with thousands of gaps; where windowed, one byte of each stays in use in a gap. What goes
// through the gaps of a buffer, or of two that meet, takes as long as thousands of buffers
// elsewhere.
func comb(buffers int, slots, every int64, windowed bool) *model.Problem {
	p := &model.Problem{Buffers: make([]model.Buffer, buffers)}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		b.ID, b.Upper, b.Size = strconv.Itoa(i), slots, 8+int64(i%97)
		for at := int64(i) % every; at < slots; at += every {
			g := model.Gap{Lower: at, Upper: at + 1}
			if windowed {
				g.Window = &model.Window{Lower: at % 8, Upper: at%8 + 1}
			}
			b.Gaps = append(b.Gaps, g)
		}
	}
	return p
}

// pins returns buffers of which every other one has a fixed offset.
func pins(buffers int) *model.Problem {
	p := &model.Problem{Buffers: make([]model.Buffer, buffers)}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		b.ID, b.Lower, b.Size = strconv.Itoa(i), int64(i/8), 64
		b.Upper = b.Lower + 1
		if i%2 == 0 {
			at := int64(i%8) * 64
			b.Fixed = &at
		} else {
			b.Upper += int64(i * 7919 % 30)
			b.Size = 1 + int64(i*7919%199)
		}
	}
	return p
}
