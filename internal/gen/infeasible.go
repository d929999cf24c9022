package gen

import (
	"fmt"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: start from a core, a small problem whose load is within its capacity, but which has no plan. A test shows
// this by brute force, and that each core is irreducible: without any one of its buffers it has a plan. Then disguise
// the core by steps that keep it infeasible:
//
//   - Scale all sizes by k. Without alignment some lowest plan has sums of sizes as its offsets, which are multiples of k. So
//     a problem that did not fit c does not fit kc, nor kc + k - 1.
//   - Add a ballast that is live all the time, and raise the capacity by its size. A plan with it would give one without it:
//     remove the ballast, and lower the buffers above it.
//   - Stretch time, or turn it round. The same buffers meet.
//   - Let a buffer live longer, or add one. A plan with it would give one without.
//
// The last step keeps the load within the capacity: one buffer of the core lives on into a second half of time, where
// a perfect packing fills the other space. The bound of the load sees nothing, and the core must be found among many
// buffers.
//
// Cores were found by filling a capacity with random sizes slot by slot, asking the oracle, and dropping buffers as
// long as no plan appeared. Uniformly random problems of up to 9 buffers gave none in 400,000 tries.

// shape is a buffer without a name.
type shape struct{ lower, upper, size int64 }

// core is a problem without a plan of height capacity.
type core struct {
	capacity int64
	shapes   []shape
}

var cores = [...]core{
	{6, []shape{{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 4, 1}, {1, 5, 1}, {3, 5, 2}, {4, 6, 3}, {5, 6, 3}}},
	{7, []shape{{0, 8, 2}, {1, 5, 2}, {2, 3, 3}, {3, 6, 2}, {4, 7, 1}, {5, 7, 1}, {6, 8, 3}, {7, 8, 2}}},
	{9, []shape{{0, 4, 3}, {0, 2, 4}, {0, 7, 2}, {2, 5, 1}, {2, 6, 2}, {4, 6, 2}, {5, 7, 3}, {6, 7, 4}}},
	{11, []shape{{0, 2, 4}, {1, 5, 4}, {1, 9, 3}, {4, 6, 1}, {4, 7, 3}, {5, 7, 3}, {6, 9, 2}, {7, 9, 5}}},
	{12, []shape{{0, 5, 2}, {0, 1, 6}, {0, 2, 4}, {1, 4, 3}, {1, 2, 3}, {2, 7, 6}, {2, 5, 1}, {4, 7, 2}, {6, 7, 4}}},
	{6, []shape{
		{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 3, 1}, {1, 7, 1}, {1, 6, 1}, {2, 5, 1}, {3, 4, 3}, {4, 7, 2}, {6, 7, 3},
	}},
	{12, []shape{
		{0, 1, 6}, {0, 3, 5}, {1, 4, 3}, {1, 5, 1}, {2, 5, 2}, {2, 6, 1}, {3, 5, 1}, {3, 6, 1}, {4, 6, 4}, {5, 6, 6},
	}},
	{10, []shape{
		{0, 1, 4},
		{0, 1, 2},
		{0, 3, 2},
		{0, 2, 2},
		{1, 5, 5},
		{2, 7, 2},
		{2, 6, 1},
		{3, 6, 1},
		{5, 7, 4},
		{5, 7, 2},
		{6, 7, 2},
	}},
}

// slots returns the number of time slots of the core.
func (c *core) slots() int64 {
	var n int64
	for _, s := range c.shapes {
		n = max(n, s.upper)
	}
	return n
}

// coresFor returns the cores for which the options leave room. Each is equally likely.
func coresFor(o Options, units int64) (fit []core) {
	for _, c := range cores {
		need := len(c.shapes)
		if units%c.capacity > 0 {
			need++ // the ballast
		}
		if c.capacity <= units && need <= o.Buffers && c.slots() <= o.Horizon/2 {
			fit = append(fit, c)
		}
	}
	return fit
}

// infeasible disguises a core as o.Buffers buffers.
func infeasible(o Options) (*Instance, error) {
	units, err := unitsOf(o)
	if err != nil {
		return nil, err
	}
	r := NewRNG(o.Seed, "infeasible")
	fit := coresFor(o, units)
	if len(fit) == 0 {
		return nil, fmt.Errorf("%d buffers, %d units of space and %d slots are too few; 9, 12 and 18 are enough", o.Buffers,
			units, o.Horizon)
	}
	c := fit[r.Below(int64(len(fit)))]
	k, ballast := units/c.capacity, units%c.capacity

	horizon := o.Horizon
	fill := o.Buffers - len(c.shapes)
	if ballast > 0 {
		fill--
	}
	end := horizon // of the core
	if fill > 0 {
		end = r.Within(max(c.slots(), horizon/3), horizon/2)
	}
	times := r.stretch(c.slots(), end)
	var shapes []shape
	last := []int{} // buffers live in the core's last slot
	for i, s := range c.shapes {
		if s.upper == c.slots() {
			last = append(last, i)
		}
		shapes = append(shapes, shape{times[s.lower], times[s.upper], s.size * k})
	}
	if ballast > 0 {
		shapes = append(shapes, shape{0, horizon, ballast})
	}
	if fill > 0 {
		longer := last[r.Below(int64(len(last)))]
		shapes[longer].upper = horizon
		pieces, err := r.dissect(rect{end, horizon, 0, units - ballast - shapes[longer].size}, fill, 0.3)
		if err != nil {
			return nil, err
		}
		for _, q := range pieces {
			shapes = append(shapes, shape{q.lower, q.upper, q.end - q.start})
		}
	}
	r.Shuffle(len(shapes), func(i, j int) { shapes[i], shapes[j] = shapes[j], shapes[i] })
	backwards := r.Chance(0.5)
	p := &model.Problem{Capacity: o.Capacity}
	for i, s := range shapes {
		if backwards {
			s.lower, s.upper = horizon-s.upper, horizon-s.lower
		}
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: "b" + strconv.Itoa(i), Lower: s.lower, Upper: s.upper,
			Size: s.size * max(o.Alignment, 1), Alignment: o.Alignment,
		})
	}
	return &Instance{Problem: p, Infeasible: true}, nil
}

// stretch maps the times 0 to slots to ascending times from 0 to end.
func (r *RNG) stretch(slots, end int64) []int64 {
	times := []int64{0}
	for t := range slots {
		left := slots - t - 1 // slots that still need a time
		if left == 0 {
			times = append(times, end)
			break
		}
		at := times[t]
		times = append(times, at+r.Within(1, max(1, min(2*(end-at)/(left+1), end-at-left))))
	}
	return times
}
