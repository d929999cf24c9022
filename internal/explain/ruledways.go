package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: ways out of a problem with rules. First, one pool may be too small. The problem is planned without the capacity
// of this pool, and its height is minimised. The height of the plan is a capacity that is enough. No capacity below the
// bound of this height is enough while the other pools stay. If no pool alone is a way out, all capacities are taken
// away, and the plan says which pools together need more.
//
// Second, one buffer or pair of the set may change. The buffer may be smaller, be away while the set meets, move to
// another pool, or lose its fixed offset. The pair may be allowed to share bytes.
//
//	capacity(p) ≥ height:p of the found plan    is enough
//	capacity(p) < bound of height:p             is not
//
// A smaller buffer never fits worse, so bisection finds the size.
//
// Invariant: each named way was planned. Other ways may exist.
//
// Complexity: a run for each pool, then a few for each buffer of the set, of wayNodes nodes; none above
// ruledWaysBuffers buffers.

// ruledWaysBuffers is the number of buffers above which no runs are made.
const ruledWaysBuffers = 500

// A Room is a capacity of a pool that is enough.
type Room struct {
	Pool   int   // index into Rules.Pools
	By, To int64 // bytes more than the pool has, and in all
	Least  int64 // no smaller capacity is enough while the other pools stay; 0 if nothing is known
}

// An Allowed buffer may be in a further pool.
type Allowed struct{ Buffer, Pool int }

// Rooms returns capacities that are enough for a problem with pools that has no plan. alone has, for each pool, a
// capacity that is enough while the other pools stay; the smallest increase comes first. If there is none, together has
// the capacities that are enough together. never says that no capacities are enough; it is proven.
func Rooms(ctx context.Context, p *model.Problem, nodes int64, solve Planner) (alone, together []Room, never bool,
	err error,
) {
	if len(p.Rules.Pools) == 0 || len(p.Buffers) > ruledWaysBuffers {
		return nil, nil, false, nil
	}
	var all []int
	for k := range p.Rules.Pools {
		if p.Rules.Pools[k].Capacity == 0 {
			continue
		}
		all = append(all, k)
		r, err := unbounded(ctx, p, []int{k}, model.HeightIn(p.Rules.Pools[k].ID), nodes, solve)
		if err != nil {
			return nil, nil, false, err
		}
		if r.Status.HasPlan() {
			alone = append(alone, roomIn(p, k, r))
		}
	}
	if f := fullest(p); f != nil { // while the other pools stay, so many bytes are missing
		for n := range alone {
			if r := &alone[n]; slices.Contains(f.pools, r.Pool) {
				r.Least = max(r.Least, p.Rules.Pools[r.Pool].Capacity+f.excess)
			}
		}
	}
	sorting.Structs(alone, func(a, b Room) int { return int(min(1, max(-1, a.By-b.By))) })
	if len(alone) > 0 || len(all) == 0 {
		return alone, nil, false, nil
	}
	r, err := unbounded(ctx, p, all, model.MeasureHeight, nodes, solve)
	if err != nil || !r.Status.HasPlan() {
		return nil, nil, err == nil && r.Status == model.Infeasible, err
	}
	for _, k := range all {
		if room := roomIn(p, k, r); room.By > 0 {
			room.Least = 0
			together = append(together, room)
		}
	}
	return nil, together, false, nil
}

// unbounded plans a problem in which some pools have no capacity.
func unbounded(ctx context.Context, p *model.Problem, pools []int, m model.Measure, nodes int64,
	solve Planner,
) (*plan.Result, error) {
	q, rules := *p, *p.Rules
	rules.Pools = slices.Clone(rules.Pools)
	for _, k := range pools {
		rules.Pools[k].Capacity, rules.Pools[k].Sizes = 0, nil
	}
	rules.Objective = []model.Measure{m}
	q.Rules = &rules
	return replan(ctx, &q, plan.Options{Minimize: true, NodeLimit: nodes}, solve)
}

// replan plans a changed problem. A problem that the change makes invalid counts as one without a plan.
func replan(ctx context.Context, p *model.Problem, o plan.Options, solve Planner) (*plan.Result, error) {
	if model.Validate(p) != nil {
		return &plan.Result{}, nil
	}
	return solve(ctx, p, o)
}

// roomIn reads a plan's height in a pool.
func roomIn(p *model.Problem, k int, r *plan.Result) Room {
	q := &p.Rules.Pools[k]
	m := model.HeightIn(q.ID)
	room := Room{Pool: k, To: model.ValueOf(model.MeasuresOf(p, &r.Plan), m)}
	room.By = room.To - q.Capacity
	if len(r.Bounds) == 1 && r.Bounds[0].Measure == m {
		room.Least = max(r.Bounds[0].Value, q.Capacity+1)
	}
	return room
}

// ruledWays is WaysOut for a problem with rules.
func ruledWays(ctx context.Context, p *model.Problem, x *plan.Explanation, solve Planner) (*Ways, error) {
	w := &Ways{}
	var err error
	switch {
	case len(p.Buffers) > ruledWaysBuffers:
		return nil, nil
	case len(p.Rules.Pools) > 0:
		w.Rooms, w.Together, w.NoRoom, err = Rooms(ctx, p, wayNodes, solve)
	case p.Capacity > 0:
		w.Enough, w.Least, err = LeastCapacity(ctx, p, capacityNodes, solve)
		w.Least = max(w.Least, p.Capacity+1)
	}
	if err != nil {
		return nil, err
	}
	t := newRuledWay(ctx, p, x, solve)
	for _, i := range t.largest() {
		if s, ok := t.smaller(i); ok && len(w.Shrink) < mostFound {
			w.Shrink = append(w.Shrink, s)
		}
		if a, ok := t.absent(i); ok && len(w.Absent) < mostFound {
			w.Absent = append(w.Absent, a)
		}
		if k, ok := t.allowed(i); ok && len(w.Allowed) < mostFound {
			w.Allowed = append(w.Allowed, Allowed{i, k})
		}
		if t.unfixed(i) && len(w.Unfixed) < mostFound {
			w.Unfixed = append(w.Unfixed, i)
		}
	}
	w.Loose, w.Without = t.loose(), t.without()
	sorting.Structs(w.Shrink, func(a, b Shrunk) int { return int(min(1, max(-1, a.By-b.By))) })
	return w, t.err
}

// A ruledWay tries changes of a problem with rules.
type ruledWay struct {
	way
	full *overfull // the moment that is too full; nil if there is none
	meet bool      // all buffers of the set are in use in [lower, upper)
}

func newRuledWay(ctx context.Context, p *model.Problem, x *plan.Explanation, solve Planner) *ruledWay {
	all := make([]int, len(p.Buffers))
	for i := range all {
		all[i] = i
	}
	t := &ruledWay{way: way{ctx: ctx, p: model.Among(p, all), x: x, solve: solve, left: triedBuffers}, full: fullest(p)}
	t.lower, t.upper, t.meet = meeting(p, x.Buffers)
	return t
}

// largest returns the largest buffers of the set.
func (t *ruledWay) largest() []int {
	all := slices.Clone(t.x.Buffers)
	slices.SortStableFunc(all, func(a, b int) int { return int(min(1, max(-1, t.p.Buffers[b].Size-t.p.Buffers[a].Size))) })
	return all[:min(len(all), mostShrunk)]
}

// smaller looks for the fewest bytes by which a buffer alone has to shrink.
func (t *ruledWay) smaller(i int) (Shrunk, bool) {
	b := t.p.Buffers[i]
	if b.HasWindow() || b.HasExtents() || b.Size < 2 {
		return Shrunk{}, false
	}
	sized := func(size int64) model.Status {
		smaller := b
		smaller.Size = size
		return t.status(i, smaller)
	}
	low, high, proven := int64(1), b.Size, true // low fits. high is not known to fit; proven says that it does not
	mid := low + (high-low)/2
	if t.full != nil && t.full.excess < b.Size && sized(b.Size-t.full.excess).HasPlan() {
		low = b.Size - t.full.excess
		mid = low + 1 // mostly the overfull moment asks for the least
	} else if !sized(1).HasPlan() {
		return Shrunk{}, false
	}
	for n := 0; n < halvings && high-low > 1; n++ {
		if status := sized(mid); status.HasPlan() {
			low = mid
		} else {
			high, proven = mid, status == model.Infeasible
		}
		mid = low + (high-low)/2
	}
	return Shrunk{i, b.Size - low, low, high-low < 2 && proven}, true
}

// absent reports whether it is enough that a buffer is not in use while the set meets.
func (t *ruledWay) absent(i int) (Absent, bool) {
	if !t.meet || t.p.Buffers[i].MayLeave() || len(t.x.Buffers) < 2 {
		return Absent{}, false
	}
	return t.way.absent(i)
}

// allowed looks for a further pool in which a buffer may be.
func (t *ruledWay) allowed(i int) (pool int, ok bool) {
	for k := range t.p.AllPools() {
		b := t.p.Buffers[i]
		if b.MayUse(int32(k)) {
			continue
		}
		extra := *b.Extra
		extra.Pools = append(slices.Clone(extra.Pools), int32(k))
		if b.Extra = &extra; t.fits(i, b) {
			return k, true
		}
	}
	return 0, false
}

// unfixed reports whether it is enough that a buffer has no fixed offset.
func (t *ruledWay) unfixed(i int) bool {
	b := t.p.Buffers[i]
	if b.Fixed == nil {
		return false
	}
	b.Fixed = nil
	return t.fits(i, b)
}

// loose returns pairs of the set such that it is enough if one of them need no longer be apart.
func (t *ruledWay) loose() (found []model.Pair) {
	whole := t.p
	defer func() { t.p = whole }()
	for k, x := range whole.Rules.Apart {
		if len(found) == mostFound || !slices.Contains(t.x.Buffers, int(x[0])) || !slices.Contains(t.x.Buffers, int(x[1])) {
			continue
		}
		q, rules := *whole, *whole.Rules
		rules.Apart = slices.Delete(slices.Clone(rules.Apart), k, k+1)
		q.Rules = &rules
		if t.p = &q; t.fits(0, q.Buffers[0]) {
			found = append(found, x)
		}
	}
	return found
}

// A Dropped rule is one list of a rule, or what a pool has of it.
type Dropped struct {
	Rule    string  // its key in JSON
	Buffers []int32 // of the list; nil for a rule of a pool
	Pool    int     // index into Rules.Pools; -1 for a list
}

// without returns lists and rules of pools such that it is enough if one of them goes.
func (t *ruledWay) without() (found []Dropped) {
	whole, tries := t.p, 0
	defer func() { t.p = whole }()
	try := func(d Dropped, drop func(r *model.Rules)) {
		if tries++; tries > mostShrunk || len(found) == mostFound {
			return
		}
		q, rules := *whole, *whole.Rules
		rules.Pools, q.Rules = slices.Clone(rules.Pools), &rules
		drop(&rules)
		if t.p = &q; t.fits(0, q.Buffers[0]) {
			found = append(found, d)
		}
	}
	for n, x := range whole.Rules.Listings() {
		for k, list := range *x.Lists {
			in := 0
			for _, i := range list {
				if slices.Contains(t.x.Buffers, int(i)) {
					in++
				}
			}
			if in > 1 && x.Name == "alternatives" {
				t.none(list, &tries, &found)
			} else if in > 1 && x.Name != "kinds" {
				try(Dropped{x.Name, list, -1}, func(r *model.Rules) {
					lists := r.Listings()[n].Lists
					*lists = slices.Delete(slices.Clone(*lists), k, k+1)
				})
			}
		}
	}
	for k := range whole.Rules.Pools {
		q := &whole.Rules.Pools[k]
		if q.Objects {
			try(Dropped{"objects", nil, k}, func(r *model.Rules) { r.Pools[k].Objects = false })
		}
		if len(q.Borders) > 0 {
			try(Dropped{"borders", nil, k}, func(r *model.Rules) { r.Pools[k].Borders = nil })
		}
		if q.Granularity > 0 {
			try(Dropped{"granularity", nil, k}, func(r *model.Rules) { r.Pools[k].Granularity = 0 })
		}
	}
	return found
}

// none adds a list of alternatives if it is enough that the plan has none of them.
func (t *ruledWay) none(list []int32, tries *int, found *[]Dropped) {
	if *tries++; *tries > mostShrunk || len(*found) == mostFound || len(list) == len(t.p.Buffers) {
		return
	}
	p := t.p
	defer func() { t.p = p }()
	var keep []int
	for i := range p.Buffers {
		if !slices.Contains(list, int32(i)) {
			keep = append(keep, i)
		}
	}
	if t.p = model.Only(p, keep); t.fits(0, t.p.Buffers[0]) {
		*found = append(*found, Dropped{"alternatives", list, -1})
	}
}

// InPool says in words which capacity of a pool is enough.
func (r *Room) InPool(p *model.Problem, name func(id string) string) string {
	s := fmt.Sprintf("a capacity of %d bytes for the pool %s, %d more than it has", r.To,
		name(p.Rules.Pools[r.Pool].ID), r.By)
	switch {
	case r.Least == 0:
		return s
	case r.To <= r.Least:
		return s + ", the least that is enough if the other pools stay"
	}
	return s + fmt.Sprintf("; less than %d is not enough if the other pools stay", r.Least)
}

// AllTogether says in words which capacities of pools are enough together.
func AllTogether(rooms []Room, p *model.Problem, name func(id string) string) string {
	var words []string
	for k := range rooms {
		r := &rooms[k]
		words = append(words, fmt.Sprintf("%d bytes for the pool %s (%d more)", r.To, name(p.Rules.Pools[r.Pool].ID), r.By))
	}
	return "capacities of " + strings.Join(words, " and ") + ", together"
}

// ruledLines returns in words the ways out that only problems with rules have.
func (w *Ways) ruledLines(p *model.Problem, name func(id string) string) (rooms, others []string) {
	for k := range w.Rooms {
		rooms = append(rooms, w.Rooms[k].InPool(p, name))
	}
	if len(w.Together) > 0 {
		rooms = append(rooms, AllTogether(w.Together, p, name))
	}
	for _, a := range w.Allowed {
		others = append(others, name(p.Buffers[a.Buffer].ID)+" allowed in the pool "+name(p.AllPools()[a.Pool].ID)+" too")
	}
	for _, i := range w.Unfixed {
		others = append(others, name(p.Buffers[i].ID)+" without its fixed offset")
	}
	for _, x := range w.Without {
		words := "the pool " + name(p.AllPools()[max(0, x.Pool)].ID) + " without " + x.Rule
		if x.Pool < 0 {
			var names []string
			for _, i := range x.Buffers {
				names = append(names, name(p.Buffers[i].ID))
			}
			if words = strings.Join(names, ", ") + " without " + x.Rule; x.Rule == "alternatives" {
				words = "none of " + strings.Join(names, ", ")
			}
		}
		others = append(others, words)
	}
	for _, x := range w.Loose {
		others = append(others, name(p.Buffers[x[0]].ID)+" and "+name(p.Buffers[x[1]].ID)+" no longer apart")
	}
	return rooms, others
}
