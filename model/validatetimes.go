package model

import "fmt"

// What valid clocks, periods and evictions are. See validaterules.go.

// time checks clocks, the period and evictions.
func (v *validator) time(r *Rules) {
	if r.Threads < 0 {
		v.add(-1, "threads", itoa(int64(r.Threads)), "must be at least 1, or 0 for one line of time")
	}
	if r.Period < 0 || r.Period > MaxSum {
		v.add(-1, "period", itoa(r.Period), fmt.Sprintf("must be from 1 to %d, or 0 for none", int64(MaxSum)))
	}
	if r.Period > 0 && r.Threads > 0 {
		v.add(-1, "period", itoa(r.Period), "a problem with clocks has no period")
	}
	if len(r.Distances) > 0 && r.Threads > 0 {
		v.add(-1, "distances", "", "a problem with clocks has no slots, so it has no distances")
	}
	for i := range v.p.Buffers {
		b := &v.p.Buffers[i]
		var x Extra
		if b.Extra != nil {
			x = *b.Extra
		}
		v.clocks(r, i, b, x.Clocks)
		if p := r.Period; p > 0 {
			if b.Lower < 0 || b.Lower >= p {
				v.add(i, "lower", v.moment(b.Lower),
					fmt.Sprintf("must be from 0 to %s: the period is %s", v.moment(p-1), v.moment(p)))
			} else if b.Upper > b.Lower+p {
				v.add(i, "upper", v.moment(v.end(b.Upper)),
					fmt.Sprintf("the lifespan is longer than the period of %s; such a buffer needs one more for each turn",
						v.moment(p)))
			}
		}
		for k, e := range x.Evictions {
			text := fmt.Sprintf("[%s, %s)", v.moment(e.Lower), v.moment(e.Upper))
			switch {
			case r.Threads > 0:
				v.add(i, "evictions", text, "a problem with clocks has no evictions")
			case e.Lower <= b.Lower || e.Upper <= e.Lower || e.Upper >= b.Upper:
				v.add(i, "evictions", text, "must begin and end inside the lifespan "+v.lifespan(b))
			case k > 0 && e.Lower < x.Evictions[k-1].Upper:
				v.add(i, "evictions", text, "must start at or after the end of the one before it")
			case k > 0 && e.Lower == x.Evictions[k-1].Upper:
				v.add(i, "evictions", text,
					"follows the one before it without a slot between, so the part between the two would be empty")
			case e.Cost < 0 || e.Cost > MaxSum:
				v.outside(i, "evictions.cost", e.Cost, 0)
			}
		}
	}
}

func (v *validator) clocks(r *Rules, i int, b *Buffer, c *Clocks) {
	switch {
	case c == nil && r.Threads == 0:
		return
	case c == nil:
		v.add(i, "lower", itoa(b.Lower), fmt.Sprintf("must have %d clocks, as the problem has", r.Threads))
		return
	case r.Threads == 0 || len(c.Lower) != r.Threads || len(c.Upper) != r.Threads:
		v.add(i, "lower", fmt.Sprint(c.Lower),
			fmt.Sprintf("start and end must have %d clocks, as the problem has; they have %d and %d", r.Threads, len(c.Lower),
				len(c.Upper)))
		return
	case len(b.Gaps) > 0:
		v.add(i, "gaps", v.gap(&b.Gaps[0]), "a buffer with clocks has no gaps")
	}
	var lower, upper int64
	for k := range c.Lower {
		if c.Lower[k] < 0 || c.Upper[k] > MaxSum/int64(r.Threads) || c.Upper[k] < c.Lower[k] {
			v.add(i, "lower", fmt.Sprint(c.Lower),
				fmt.Sprintf("each clock must start at 0 or above and end at the same time or later, at %d at most; the end is %d",
					MaxSum/int64(r.Threads), c.Upper))
			return
		}
		lower, upper = lower+c.Lower[k], upper+c.Upper[k]
	}
	if lower == upper {
		v.add(i, "upper", fmt.Sprint(c.Upper), "the lifespan is empty: start and end are the same in each clock")
	} else if b.Lower != lower || b.Upper != upper {
		v.add(i, "lower", itoa(b.Lower),
			fmt.Sprintf("Lower and Upper must be the sums of the clocks, %d and %d; SetClocks makes them so", lower, upper))
	}
}
