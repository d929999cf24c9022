package command

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a curve is asked at capacities in bytes, which are the same for all problems, or in percent of each problem's
// own load, which compare problems of any size. Without --at, the capacities are the steps of the curve. If these are
// many, they are the capacities that fit given shares of the problems. Each is followed by the next round size, since
// memories are sold in round sizes.
//
// Trials: docs/lab/command.md (over a few powers of ten most rows of all round sizes are equal).

// A capacity is a point of the curve.
type capacity struct {
	text  string   // as the output has it
	bytes int64    // 0 if it is a percentage
	share *big.Rat // of the load; nil if it is a number of bytes
}

// of returns the capacity in bytes for a problem with a load.
func (c capacity) of(load int64) int64 {
	if c.share == nil {
		return c.bytes
	}
	return units.ShareOf(c.share, load)
}

// parseCapacities reads the values of --at, sorts them, bytes before percentages, and leaves
// out repetitions. It returns nil if there are none.
func parseCapacities(texts []string) ([]capacity, error) {
	var all []capacity
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if share, ok := units.ParseShare(text); ok {
			all = append(all, capacity{text: text, share: share})
			continue
		}
		n, err := units.Parse(text)
		if strings.HasSuffix(text, "%") {
			return nil, usagef("invalid argument %q for --at: a percentage is written like 120%% or 112.5%%, and "+
				"must be above 0%%", text)
		}
		if err != nil {
			return nil, usagef("invalid argument %q for --at: %v, or a percentage of the load", text, err)
		}
		all = append(all, inBytes(n))
	}
	order := func(a, b capacity) int {
		if a.share == nil || b.share == nil {
			return cmp.Or(cmp.Compare(min(a.bytes, 1), min(b.bytes, 1))*-1, cmp.Compare(a.bytes, b.bytes))
		}
		return a.share.Cmp(b.share)
	}
	slices.SortStableFunc(all, order)
	return slices.CompactFunc(all, func(a, b capacity) bool { return order(a, b) == 0 }), nil
}

func inBytes(n int64) capacity { return capacity{text: strconv.FormatInt(n, 10), bytes: n} }

// stepsMost is the largest number of steps of a curve that are all in the ladder. With more
// steps, shares take their place.
const stepsMost = 16

// ladderShares are the shares of the problems, in percent, whose least capacities are in the ladder of a long curve.
var ladderShares = [...]int{1, 10, 25, 50, 75, 90, 95, 99, 100}

// ladder returns the capacities of a curve if --at names none: its steps or shares, the heights of the planners (if
// these are many, the largest), and the capacities in the files. Each is followed by the next round size. The last
// round size below all of them comes first. Between two of them no answer changes, apart from shares.
func (c *curve) ladder() []capacity {
	ranges := c.ranges()
	steps := plan.CurveSteps(ranges)
	if len(steps) > stepsMost {
		steps = steps[:1]
		for _, share := range ladderShares {
			if at, ok := plan.LeastCapacity(ranges, (share*len(ranges)+99)/100); ok {
				steps = append(steps, at)
			}
		}
	}
	if heights := c.planned(); len(heights) > 0 {
		if len(heights) > stepsMost {
			heights = heights[len(heights)-1:]
		}
		steps = append(steps, heights...)
	}
	for k := range c.problems {
		if own := c.problems[k].Capacity; own > 0 {
			steps = append(steps, own)
		}
	}
	if len(steps) == 0 {
		return nil // no capacity is enough for any problem
	}
	below, _ := rounds(slices.Min(steps))
	ladder := []int64{below}
	for _, step := range steps {
		_, above := rounds(step)
		ladder = append(ladder, step, above)
	}
	slices.Sort(ladder)
	var all []capacity
	for _, n := range slices.Compact(ladder) {
		if n > 0 {
			all = append(all, inBytes(n))
		}
	}
	return all
}

// planned returns the heights of all plans, ascending, without repetitions.
func (c *curve) planned() (heights []int64) {
	for k := range c.planners {
		heights = append(heights, c.heights(k)...)
	}
	slices.Sort(heights)
	heights = slices.Compact(heights)
	return slices.DeleteFunc(heights, func(h int64) bool { return h < 0 })
}

// rounds returns the round sizes around a size: the greatest one below it, 0 if there is none, and the least one that
// is not below it. Round sizes are powers of two and the means of two in a row: 1, 2, 3, 4, 6, 8, 12, 16, ….
func rounds(size int64) (below, above int64) {
	for power := int64(1); ; power *= 2 {
		for _, round := range [...]int64{power, power + power/2} {
			if round >= size {
				return below, min(round, model.MaxSum)
			}
			below = round
		}
	}
}
