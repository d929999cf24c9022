// Package certify writes certificates. A certificate is a file that proves that no plan of a problem fits a capacity.
// verify.Certificate checks it without knowing how it was made. docs/certificates.md has the format.
package certify

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/exact/engine"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the certificate is made anew, so it does not matter which planner proved the bound. If the buffers of one
// section exceed the capacity by their sizes alone, they are the whole certificate, with no questions. Otherwise exact
// search refutes the capacity and records the questions that it asks (engine.Refute).
//
// Complexity: a pass over the sections, or the search.

// A Certificate shows that Buffers do not fit Capacity, so neither does the problem.
type Certificate struct {
	Capacity int64
	engine.Refutation
	problem *model.Problem
}

// Make returns a certificate that no plan fits the capacity. It returns nil if there is a
// plan, if a limit of o or ctx comes first, or if the reason has no form as a certificate.
func Make(ctx context.Context, p *model.Problem, capacity int64, o plan.Options) (*Certificate, error) {
	none := []engine.Step{{Buffer: -1}} // one leaf, no question
	for i := range p.Buffers {
		if b := &p.Buffers[i]; b.Size > capacity || b.Fixed != nil && *b.Fixed > capacity-b.Size {
			return &Certificate{capacity, engine.Refutation{Buffers: []int32{int32(i)}, Steps: none}, p}, nil
		}
	}
	tl := timeline.New(p)
	for s, load := range tl.Load {
		if load > capacity {
			c := &Certificate{capacity, engine.Refutation{Steps: none}, p}
			for i := range p.Buffers {
				for _, span := range tl.Spans(i) {
					if span.First <= int32(s) && int32(s) < span.Last {
						c.Buffers = append(c.Buffers, int32(i))
					}
				}
			}
			return c, nil
		}
	}
	if c := aligned(tl, capacity); c != nil {
		return &Certificate{capacity, engine.Refutation{Buffers: c, Steps: none}, p}, nil
	}
	r, err := engine.Refute(ctx, tl, capacity, o)
	if r == nil || err != nil {
		return nil, err
	}
	return &Certificate{capacity, *r, p}, nil
}

// aligned returns buffers of one section that do not fit the capacity for their alignment,
// or nil if there are none. For buffers with the common divisor g of their alignments,
//
//	height >= sum of Up(size, g) - max(Up(size, g) - size)
//
// because only the topmost buffer needs no rounding. The checker finds g by itself, from
// the alignments of the buffers that the certificate names.
func aligned(tl *timeline.Timeline, capacity int64) []int32 {
	if tl.LowerBound <= capacity {
		return nil
	}
	p := tl.Problem
	var seen []int64
	for i := range p.Buffers {
		g := p.Buffers[i].Align()
		if g == 1 || slices.Contains(seen, g) || len(seen) == alignmentsMost {
			continue
		}
		seen = append(seen, g)
		in := make([][]int32, tl.Sections())
		for j := range p.Buffers {
			b := &p.Buffers[j]
			if b.Align()%g != 0 || b.HasWindow() {
				continue
			}
			for _, span := range tl.Spans(j) {
				for s := span.First; s < span.Last; s++ {
					in[s] = append(in[s], int32(j))
				}
			}
		}
		for _, buffers := range in {
			var sum, tail int64
			for _, j := range buffers {
				size := p.Buffers[j].Size
				rounded := bound.Up(size, g)
				sum, tail = sum+rounded, max(tail, rounded-size)
			}
			if sum-tail > capacity {
				return buffers
			}
		}
	}
	return nil
}

// alignmentsMost is the number of alignments that aligned tries as g.
const alignmentsMost = 8

// Cases returns the number of cases of the proof: the leaves of its tree.
func (c *Certificate) Cases() int { return (len(c.Steps) + 1) / 2 }

// Write writes the certificate.
func (c *Certificate) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	line := func(b []byte) { out.Write(append(b, '\n')) } // Flush returns the first error
	scratch := make([]byte, 0, 64)
	line(append(scratch, "stowage certificate 1"...))
	line(strconv.AppendInt(append(scratch, "capacity "...), c.Capacity, 10))
	line(strconv.AppendInt(append(scratch, "buffers "...), int64(len(c.Buffers)), 10))
	for _, i := range c.Buffers {
		line(strconv.AppendQuote(scratch, c.problem.Buffers[i].ID))
	}
	for _, s := range c.Steps {
		if s.Buffer < 0 {
			line(append(scratch, '.'))
			continue
		}
		b := strconv.AppendInt(scratch, int64(s.Buffer), 10)
		line(strconv.AppendInt(append(b, ' '), s.Offset, 10))
	}
	return out.Flush()
}
