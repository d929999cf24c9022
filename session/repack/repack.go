// Package repack answers the calls that XLA makes of its repacker: pack all blocks in fast memory anew, given their
// present plan, so that a block which found no room finds some.
//
//	r, err := repack.Repack(ctx, &repack.Call{
//		Capacity: 64 << 20, Alignment: 4096,
//		Blocks: []repack.Block{
//			{Start: 0, End: 9, Size: 4096, Offset: 8192},
//			{Start: 3, End: 5, Size: 8192, Offset: 0, Slices: []repack.Slice{{4096, 3}, {4096, 4}}},
//		},
//	}, repack.Options{})
//
// # What XLA asks
//
//   - Times are whole numbers, and a block uses its bytes from Start to End, both included.
//   - Blocks of one group lie at one offset (XLA links them in a ring, next_colocated). They may share bytes.
//   - A block may come in slices: pieces one above the other that start at times of their own and end together. Which
//     of them starts when may change, but the sizes of the slices from low to high stay, and so do the starts that each
//     size has (original_slice_data and repacked_slice_data).
//   - Each offset is a multiple of the alignment. A slice inside a block need not be.
//
// # What is returned
//
//   - A plan that is never worse than the one given: not higher, and within the capacity if the given one is. Only to give
//     a wanted block its place may the plan be higher, within the capacity.
//   - Infeasible is a proof: the bytes in use at one time exceed the capacity, and no packing helps. Such a call is
//     answered from the load alone, without a look at the plan.
//   - Optimal is a proof that no order of slices and no offsets give a lower plan.
//   - The same call with the same options gives the same plan, unless the context ends.
//
// XLA does not say which block found no room. Call.Wanted may, and then the answer is worth more: most calls of XLA are
// hopeless once the wanted block is known.
//
// A picture of a block in three slices, with two orders of their starts:
//
//	bytes
//	  |        [ 3 ]       |  [ 3     ]
//	  |    [ 2     ]       |    [ 2   ]
//	  |  [ 1       ]       |      [ 1 ]
//	  +---------- time     +---------- time
//
// # Files
//
//	repack.go  the call, the result, and what is answered without a search
//	load.go    the load over time, in a few microseconds
//	orders.go  the orders that the starts of slices may have
//	lower.go   groups and slices as buffers with gaps, or as bodies
//	fit.go     best fit over bodies, which chooses orders
//	search.go  which orders are planned, one after the other
//	check.go   the checker, which shares nothing with the rest
package repack

import (
	"context"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// A Slice is a part of a block that starts at a time of its own.
type Slice struct {
	Size  int64 // bytes
	Start int64 // its first time
}

// A Block is what XLA calls an AllocationBlock.
type Block struct {
	Start, End int64 // the first and the last time at which it is in use
	Size       int64 // bytes
	Offset     int64 // where it lies in the plan given; -1 for nowhere
	Group      int32 // blocks of one group lie at one offset; 0 for none
	// Slices are the parts of the block from the lowest to the highest, as the plan given has them; nil for a block that
	// starts as a whole. The earliest starts at Start, and their sizes add up to Size.
	Slices []Slice
}

// A Call is one call of a repacker.
type Call struct {
	Capacity  int64   // bytes; 0 for no limit
	Alignment int64   // each offset is a multiple of it; 0 and 1 both mean no constraint
	Blocks    []Block // what is in fast memory
	// Wanted is the block that found no room, which XLA does not say; nil if it is not known. Its offset does not count.
	Wanted *Block
}

// Options limit a repack. The zero value is usable.
type Options struct {
	// Planner is the name of the planner; empty means auto.
	Planner string
	// NodeLimit limits the planner for each set of orders that it is asked about, in its nodes. 0 means DefaultNodeLimit.
	NodeLimit int64
	// Tries limits how many sets of orders are planned. 0 means DefaultTries.
	Tries int
	// Seed seeds the planner, and the choice of orders.
	Seed uint64
}

// The limits of a repack whose options have none.
const (
	DefaultNodeLimit = 500
	DefaultTries     = 24
)

// A Result is a plan that is not worse than the one given.
type Result struct {
	// Status is Infeasible if no plan fits, Optimal if the plan is the lowest, Feasible if it fits, and Unknown if none
	// was found that fits. With a wanted block it is about a plan of all blocks and that one.
	Status model.Status
	// Offsets are those of the blocks. They are the given ones if the call is hopeless, or if nothing better was found.
	// They are nil if there is no plan at all.
	Offsets []int64
	// Slices are those of the blocks in their new order; nil for a block without.
	Slices [][]Slice
	// Wanted is the offset of the wanted block; -1 if it has none.
	Wanted int64
	// WantedSlices are the wanted block's slices in their new order; nil if it has none.
	WantedSlices []Slice
	// Height is the end of the highest block; the wanted one does not count.
	Height int64
	// LowerBound: no plan of what was asked for is lower.
	LowerBound int64
	// Better reports whether the plan is another one than was given.
	Better bool
	// Tries is how many sets of orders were planned.
	Tries int
}

// Repack answers a call. The error is a *model.InputError for bad input: a block that is none, or a plan given in which
// blocks share bytes. It is the context's if that ends before there is any plan.
func Repack(ctx context.Context, c *Call, o Options) (*Result, error) {
	var r Repacker
	return r.Repack(ctx, c, o)
}

// A Repacker answers calls and keeps the memory that it needs for the load. It must not be used from several goroutines
// at once. The zero value is usable.
type Repacker struct {
	load loads
}

// Repack answers a call, as the function Repack does.
func (r *Repacker) Repack(ctx context.Context, c *Call, o Options) (*Result, error) {
	planned, err := c.validate()
	if err != nil {
		return nil, err
	}
	lowest := r.load.bound(c)
	res := &Result{Wanted: -1, LowerBound: lowest}
	if planned {
		res.adopt(c)
	}
	if c.Capacity > 0 && lowest > c.Capacity {
		res.Status = model.Infeasible
		return res, nil
	}
	if planned {
		if fault := Check(c, res.Offsets, res.Slices); fault != "" {
			return nil, model.Issue{Field: "offset", Message: "the plan given is none: " + fault}.Err()
		}
		if c.Wanted == nil && res.Height == lowest {
			res.Status = model.Optimal
			return res, nil
		}
	}
	s := newSearch(c, o)
	if err := s.run(ctx, res, lowest, planned); err != nil {
		return nil, err
	}
	if c.Wanted != nil && res.Wanted < 0 {
		// Not to be had with the wanted block; a lower plan of the others may still help a shorter one.
		rest := *c
		rest.Wanted = nil
		status := res.Status
		if err := newSearch(&rest, o).run(ctx, res, r.load.bound(&rest), planned); err != nil {
			return nil, err
		}
		res.Status = status
	}
	return res, nil
}

// adopt takes the plan given.
func (r *Result) adopt(c *Call) {
	r.Offsets, r.Slices, r.Height = make([]int64, len(c.Blocks)), make([][]Slice, len(c.Blocks)), 0
	for i := range c.Blocks {
		b := &c.Blocks[i]
		r.Offsets[i], r.Slices[i] = b.Offset, b.Slices
		r.Height = max(r.Height, b.Offset+b.Size)
	}
}

// validate reports whether a plan is given, or what is wrong with the blocks.
func (c *Call) validate() (planned bool, err error) {
	var issues model.Issues
	say := func(name, field string, value int64, message string) {
		issues.Add(model.Issue{Buffer: name, Field: field, Value: strconv.FormatInt(value, 10), Message: message})
	}
	if c.Capacity < 0 || c.Capacity > model.MaxSum {
		say("", "capacity", c.Capacity, "must be from 1 to "+strconv.FormatInt(model.MaxSum, 10)+", or 0 for none")
	}
	if c.Alignment < 0 || c.Alignment > maxAlignment {
		say("", "alignment", c.Alignment, "must be from 0 to "+strconv.FormatInt(maxAlignment, 10))
	}
	align, sum := max(c.Alignment, 1), int64(0)
	planned = true
	one := func(b *Block, name func() string, placed bool) {
		switch {
		case b.Start < -model.MaxSum || b.End > model.MaxSum-1 || b.Start > b.End:
			say(name(), "end", b.End, "must not be before the start, which is "+strconv.FormatInt(b.Start, 10))
		case b.Size < 1 || b.Size > model.MaxSum:
			say(name(), "size", b.Size, "must be at least 1")
		case placed && (b.Offset < -1 || b.Offset > model.MaxSum || b.Offset >= 0 && align > 1 && b.Offset%align != 0):
			say(name(), "offset", b.Offset, "must be a multiple of "+strconv.FormatInt(align, 10)+", or -1 for none")
		case b.Slices != nil && !b.sliced():
			say(name(), "slices", int64(len(b.Slices)),
				"must add up to the size, start within the block, and one of them at its start")
		}
		if sum += min(b.Size, model.MaxSum) + align; sum > model.MaxSum {
			say(name(), "size", b.Size, "is too much: the sizes add up to more than "+strconv.FormatInt(model.MaxSum, 10))
			sum = 0
		}
		planned = planned && (!placed || b.Offset >= 0)
	}
	for i := range c.Blocks {
		one(&c.Blocks[i], func() string { return "number " + strconv.Itoa(i+1) }, true)
	}
	if c.Wanted != nil {
		one(c.Wanted, func() string { return "wanted" }, false)
		if c.Wanted.Group != 0 {
			say("wanted", "group", int64(c.Wanted.Group), "must be 0: the wanted block is in no group")
		}
	}
	return planned, issues.Err()
}

// maxAlignment is the largest alignment.
const maxAlignment = 1 << 30

// sliced reports whether the slices make up the block.
func (b *Block) sliced() bool {
	sum, first := int64(0), b.End+1
	for _, s := range b.Slices {
		if s.Size < 1 || s.Size > b.Size || s.Start < b.Start || s.Start > b.End {
			return false
		}
		sum += s.Size
		first = min(first, s.Start)
	}
	return sum == b.Size && first == b.Start && len(b.Slices) <= maxSlices
}

// maxSlices is the largest number of slices of a block. XLA makes at most four.
const maxSlices = 64

// each yields the blocks, and at the end the wanted one, if there is one.
func (c *Call) each(yield func(*Block) bool) {
	for i := range c.Blocks {
		if !yield(&c.Blocks[i]) {
			return
		}
	}
	if c.Wanted != nil {
		yield(c.Wanted)
	}
}

// all returns the blocks with the wanted one, if there is one, at the end.
func (c *Call) all() []Block {
	if c.Wanted == nil {
		return c.Blocks
	}
	return append(slices.Clone(c.Blocks), *c.Wanted)
}
