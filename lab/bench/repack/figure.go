package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/session/repack"
)

// Idea: figure 18 of the TelaMalloc paper changes nothing but XLA's repacker, and measures programs. Here the
// requests of a trace are decided again, in their order, and only the repacker differs. A part of a request goes
// where the part before it lies, if it can; else into the smallest gap, whole or from ceil(size/(capacity/16)) slots
// before its end. If one part finds no room, the request's parts are taken out, the repacker is called, at most 50
// times, and the request is tried once more. The value of a request counts if all of its parts are placed.
//
// It is a model of XLA's decisions: copies are not counted as a resource, and slices are not made.
//
// Source: TelaMalloc (Maas et al., ASPLOS 2023), figure 18; XLA, algorithm.cc, read.

// mostRepacks is the limit in the paper.
const mostRepacks = 50

// copied is the part of the capacity that is copied in a slot.
const copied = 16

// A packer gives the blocks new offsets, and reports whether it did. It may look at the wanted block. no means that
// it saw at once that no packing helps.
type packer func(ctx context.Context, blocks []repack.Block, wanted repack.Block, t *trace.Trace) (moved,
	no bool, err error)

// figure18 returns the table.
func figure18(ctx context.Context, traces []named, o repack.Options) (string, error) {
	ours := func(told, free bool) packer {
		return func(ctx context.Context, blocks []repack.Block, wanted repack.Block, t *trace.Trace) (moved, no bool,
			err error,
		) {
			c := &repack.Call{Capacity: t.Capacity, Alignment: t.Alignment, Blocks: blocks}
			if told {
				c.Wanted = &wanted
			}
			r, err := repack.Repack(ctx, c, o)
			if err != nil || !r.Better {
				return false, err == nil && free && r.Status == model.Infeasible && r.Tries == 0, err
			}
			for i := range blocks {
				blocks[i].Offset = r.Offsets[i]
			}
			return true, false, nil
		}
	}
	xla := func(ctx context.Context, blocks []repack.Block, _ repack.Block, t *trace.Trace) (moved, no bool, err error) {
		c := &repack.Call{Alignment: t.Alignment, Blocks: blocks}
		at, height, err := bestFit(ctx, c)
		if err != nil || height > t.Capacity {
			return false, false, err
		}
		body := map[int32]int{}
		next := 0
		for i := range blocks {
			k, there := body[blocks[i].Group]
			if !there || blocks[i].Group == 0 {
				k = next
				body[blocks[i].Group] = k
				next++
			}
			blocks[i].Offset = at[k]
		}
		return true, false, nil
	}
	ways := []struct {
		name string
		pack packer
	}{
		{"no repack", nil},
		{"best fit", xla},
		{"ours", ours(false, false)},
		{"ours, told", ours(true, false)},
		{"and no is free", ours(true, true)},
	}
	var rows [][]string
	gains := make([][]float64, len(ways))
	for _, n := range traces {
		row := []string{n.name}
		without := int64(0)
		for w, way := range ways {
			d := decision{t: n.t, pack: way.pack}
			if err := d.all(ctx); err != nil {
				return "", fmt.Errorf("%s, %s: %w", n.name, way.name, err)
			}
			if w == 0 {
				without = d.kept
				row = append(row, strconv.Itoa(d.requests),
					strconv.FormatFloat(100*float64(d.kept)/float64(max(d.total, 1)), 'f', 1, 64)+"%")
				continue
			}
			gain := 100 * (float64(d.kept)/float64(max(without, 1)) - 1)
			gains[w] = append(gains[w], gain)
			row = append(row, fmt.Sprintf("%+.2f%% (%d of %d)", gain, d.helped, d.asked))
		}
		rows = append(rows, row)
		fmt.Fprintln(os.Stderr, strings.Join(row, " "))
	}
	last := []string{"median, largest", "", ""}
	for w := 1; w < len(ways); w++ {
		x := slices.Sorted(slices.Values(gains[w]))
		last = append(last, fmt.Sprintf("%+.2f%%, %+.2f%%", x[len(x)/2], x[len(x)-1]))
	}
	rows = append(rows, last)
	return comparison.NewTable([]string{
		"program", "requests", "value kept without repacks", "best fit", "ours", "ours, told", "and a no is free",
	}, rows).Markdown(), nil
}

// A decision is the state of deciding about the requests of a trace.
type decision struct {
	t             *trace.Trace
	pack          packer
	blocks        []repack.Block
	groups        int32
	kept, total   int64
	requests      int
	asked, helped int
}

// all decides about all requests.
func (d *decision) all(ctx context.Context) error {
	for i := range d.t.Ops {
		op := &d.t.Ops[i]
		if op.Kind != trace.Request || op.Segments == nil || op.Value == nil {
			continue
		}
		d.requests++
		d.total += *op.Value
		before := len(d.blocks)
		failed := d.place(op.Segments)
		if failed != nil && d.pack != nil && d.asked < mostRepacks && before > 0 {
			d.blocks = d.blocks[:before]
			d.asked++
			moved, no, err := d.pack(ctx, d.blocks, *failed, d.t)
			if err != nil {
				return err
			}
			if no {
				d.asked--
			}
			if moved {
				if failed = d.place(op.Segments); failed == nil {
					d.helped++
				}
			}
		}
		if failed != nil {
			d.blocks = d.blocks[:before]
			continue
		}
		d.kept += *op.Value
	}
	return nil
}

// place places the parts of a request, and returns the one that finds no room.
func (d *decision) place(parts []trace.Segment) *repack.Block {
	var group int32
	at, end := int64(-1), int64(0)
	for _, s := range parts {
		b := repack.Block{Start: s.Lower, End: s.Upper - 1, Size: s.Size, Offset: at, Group: group}
		if at < 0 || s.Lower > end || !d.free(&b) {
			d.groups++
			b.Group = d.groups
			if b.Offset = d.fit(&b); b.Offset < 0 {
				slot := max(d.t.Capacity/copied, 1)
				b.Start = max(b.Start, s.Upper-(s.Size+slot-1)/slot)
				b.Offset = d.fit(&b)
			}
			if b.Offset < 0 {
				b.Start, b.Offset, b.Group = s.Lower, -1, 0
				return &b
			}
		}
		d.blocks = append(d.blocks, b)
		group, at, end = b.Group, b.Offset, s.Upper
	}
	return nil
}

// meets reports whether two blocks meet in time and may not share bytes.
func meets(a, b *repack.Block) bool {
	return a.Group != b.Group && a.Start <= b.End && b.Start <= a.End
}

// free reports whether a block fits where it lies.
func (d *decision) free(b *repack.Block) bool {
	for i := range d.blocks {
		if x := &d.blocks[i]; meets(x, b) && x.Offset < b.Offset+b.Size && b.Offset < x.Offset+x.Size {
			return false
		}
	}
	return b.Offset+b.Size <= d.t.Capacity
}

// fit returns the start of the smallest gap that has room for a block, or -1.
func (d *decision) fit(b *repack.Block) int64 {
	var beside []*repack.Block
	for i := range d.blocks {
		if x := &d.blocks[i]; meets(x, b) {
			beside = append(beside, x)
		}
	}
	slices.SortFunc(beside, func(x, y *repack.Block) int { return cmp.Compare(x.Offset, y.Offset) })
	align := max(d.t.Alignment, 1)
	top, best, gap := int64(0), int64(-1), int64(0)
	for _, x := range beside {
		if room := x.Offset - top; room >= b.Size && (best < 0 || room < gap) {
			best, gap = top, room
		}
		top = max(top, (x.Offset+x.Size+align-1)/align*align)
	}
	if room := d.t.Capacity - top; room >= b.Size && (best < 0 || room < gap) {
		best = top
	}
	return best
}
