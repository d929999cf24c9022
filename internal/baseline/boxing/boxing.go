package boxing

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: prelude, heuristics, then tries until the target is met: a height that
// wastes no more than the caller allows, the capacity, or the bound. Workers
// take tries in turn from one counter and share the best height.
//
// Invariant: the plan kept is a valid one, no higher than the heuristics'.
//
// Complexity: two placements, then O(n log n) a try; memory is linear in the
// buffers, and in the tries for search=mcts.
//
// Source: idealloc (a21f84d), the function of that name.

func init() { run.Register(planner{}) }

type planner struct{}

// Info describes the planner.
func (planner) Info() plan.Info {
	return plan.Info{
		Name:    "boxing",
		Summary: "boxes in boxes down to one size, opened and closed up; repeated at random",
		Source:  "idealloc (Lamprakos et al., ISMM 2023, after Buchsbaum et al., STOC 2003)",
		Techniques: []plan.Technique{
			{Name: "prelude", Summary: "no boxes where nothing overlaps or all sizes are equal"},
			{Name: "bootstrap", Summary: "start from first fit by size, ties by lifespan and by input"},
			{Name: "strips", Summary: "Lemma 1: cut what is live at one moment into strips and boxes"},
			{Name: "cut-off", Summary: "end a try once it is as high as the best plan (restarts only)"},
			{Name: "follow", Summary: "mcts: below the tree, mostly repeat the choices of the best try"},
		},
		Params: []plan.Param{
			{Name: "tries", Default: "auto", Summary: "how many tries; 0 for no end; auto is 32, or 0 where a timeout or node limit is set"},
			{Name: "waste", Default: "1", Summary: "stop at this many times the load (idealloc's worst-case fragmentation), at least 1"},
			{Name: "fit", Default: "first", Summary: "how to close up: first or best fit"},
			{Name: "start-address", Default: "0", Summary: "no buffer lies below it; heights count from 0"},
			{Name: "search", Default: "restarts", Summary: "restarts, or mcts: tree search over the random choices"},
		},
	}
}

// defaultTries is how many tries there are without any other limit.
const defaultTries = 32

// settings are the parameters of a run.
type settings struct {
	tries uint64 // 0 for no end
	waste float64
	fit   greedy.Fit
	base  int64
	mcts  bool
}

func parse(o plan.Options) (settings, error) {
	s := settings{tries: defaultTries, waste: 1}
	if o.Timeout > 0 || o.NodeLimit > 0 {
		s.tries = 0
	}
	var errs []error
	refuse := func(name, want string) {
		errs = append(errs, fmt.Errorf("boxing: parameter %s must be %s, not %q", name, want, o.Params[name]))
	}
	if v, ok := o.Params["tries"]; ok && v != "auto" {
		n, err := strconv.ParseUint(v, 10, 63)
		if err != nil {
			refuse("tries", "auto or a number, 0 or more")
		}
		s.tries = n
	}
	if v, ok := o.Params["waste"]; ok {
		x, err := strconv.ParseFloat(v, 64)
		if err != nil || !(x >= 1) || math.IsInf(x, 0) {
			refuse("waste", "a number, 1 or more")
		}
		s.waste = x
	}
	switch o.Params["fit"] {
	case "", "first":
	case "best":
		s.fit = greedy.BestFit
	default:
		refuse("fit", "first or best")
	}
	if v, ok := o.Params["start-address"]; ok {
		n, err := strconv.ParseInt(v, 10, 63)
		if err != nil || n < 0 {
			refuse("start-address", "a number, 0 or more")
		}
		s.base = n
	}
	switch o.Params["search"] {
	case "", "restarts":
	case "mcts":
		s.mcts = true
	default:
		refuse("search", "restarts or mcts")
	}
	return s, errors.Join(errs...)
}

// Plan boxes and places tl. A node is a buffer placed. Gaps, windows, alignment
// and fixed offsets are honoured; boxes see a buffer with gaps as its hull. The
// error is for a parameter with a bad value.
func (planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	s, err := parse(o)
	if err != nil {
		return plan.Result{}, err
	}
	if s.base > 0 {
		return planAbove(ctx, tl, o, s)
	}
	return pack(ctx, tl, o, s), nil
}

// planAbove plans with a fixed buffer under all others.
func planAbove(ctx context.Context, tl *timeline.Timeline, o plan.Options, s settings) (plan.Result, error) {
	p := *tl.Problem
	n := len(p.Buffers)
	ground := model.Buffer{ID: "start-address", Lower: math.MaxInt64, Upper: math.MinInt64, Size: s.base, Fixed: new(int64)}
	var total int64
	for i := range p.Buffers {
		b := &p.Buffers[i]
		ground.Lower, ground.Upper = min(ground.Lower, b.Lower), max(ground.Upper, b.Upper)
		total += b.Size + b.Align()
		if b.Fixed != nil && *b.Fixed < s.base {
			return plan.Result{}, fmt.Errorf("boxing: buffer %s is fixed at %d, below parameter start-address", b.ID, *b.Fixed)
		}
	}
	if n == 0 {
		return pack(ctx, tl, o, s), nil
	}
	if total < 0 || s.base > math.MaxInt64/4-total {
		return plan.Result{}, errors.New("boxing: parameter start-address is too large")
	}
	p.Buffers = append(slices.Clip(slices.Clone(p.Buffers)), ground)
	o.Start = nil
	r := pack(ctx, timeline.New(&p), o, s)
	if r.Status == model.Infeasible {
		// That is so above the start address only.
		r.Status = model.Unknown
	}
	if r.Offsets != nil {
		r.Offsets = r.Offsets[:n]
	}
	r.LowerBound = 0
	return r, nil
}

// A search is what the workers of one call share.
type search struct {
	tl      *timeline.Timeline
	o       plan.Options
	s       settings
	all     []int32 // buffers of the arena in the problem
	setting setting
	target  int64 // stop at this height

	next   atomic.Uint64 // the next try
	nodes  atomic.Int64
	height atomic.Int64 // of the best plan; MaxInt64 for none

	mu   sync.Mutex
	best []int64
}

func pack(ctx context.Context, tl *timeline.Timeline, o plan.Options, s settings) plan.Result {
	off := func(name string) bool { return slices.Contains(o.Without, name) }
	r := &search{tl: tl, o: o, s: s}
	r.height.Store(math.MaxInt64)
	r.target = int64(min(math.Floor(float64(tl.LowerBound)*s.waste), math.MaxInt64/2))
	r.target = max(r.target, tl.LowerBound)
	if !o.Minimizing() {
		r.target = max(r.target, o.Capacity)
	}
	if o.Start != nil {
		r.keep(slices.Clone(o.Start), model.HeightOf(tl.Problem, o.Start))
	}
	if !off("bootstrap") {
		offsets, height, placed := bootstrap(ctx, tl, newTightener(tl, greedy.FirstFit))
		r.nodes.Add(placed)
		if offsets == nil {
			return plan.Result{Status: model.Infeasible, Stats: plan.Stats{Nodes: placed}}
		}
		r.keep(offsets, height)
	} else if slices.ContainsFunc(tl.Problem.Buffers, isFixed) && greedy.Place(tl, nil, greedy.FirstFit) == nil {
		return plan.Result{Status: model.Infeasible}
	}
	if b, all := newBoxes(tl); len(all) > 0 {
		r.all = all
		t := newTry(b, off("strips"))
		var order []id
		if !off("prelude") {
			order = t.easy()
		}
		if order != nil {
			for k, i := range order {
				order[k] = all[i]
			}
			r.nodes.Add(int64(len(order)))
			offsets, height := newTightener(tl, s.fit).place(context.WithoutCancel(ctx), order, r.height.Load())
			r.keep(offsets, height)
		} else if !r.done(ctx) {
			t.chooser = newRestarts(o.Seed)
			t.begin(math.MaxUint64)
			r.setting = t.tune(2 * int32(tl.Sections()))
			r.work(ctx, b, off("strips"), off("cut-off"))
		}
	} else if r.best == nil {
		r.keep(greedy.Place(tl, nil, greedy.FirstFit), 0)
	}
	return r.result()
}

func isFixed(b model.Buffer) bool { return b.Fixed != nil }

// work runs the tries.
func (r *search) work(ctx context.Context, b *boxes, flat, whole bool) {
	workers := max(r.o.Workers, 1)
	if r.s.tries > 0 {
		workers = int(min(uint64(workers), r.s.tries))
	}
	var all sync.WaitGroup
	for w := range workers {
		t := newTry(b.clone(), flat)
		if r.s.mcts {
			// A tree of its own for each worker.
			percent := follow
			if slices.Contains(r.o.Without, "follow") {
				percent = 0
			}
			t.chooser = newTree(r.o.Seed+uint64(w)*0x9E3779B97F4A7C15, percent)
		} else {
			t.chooser = newRestarts(r.o.Seed)
		}
		all.Go(func() { r.tries(ctx, t, newTightener(r.tl, r.s.fit), whole) })
	}
	all.Wait()
}

// tries makes one try after another.
func (r *search) tries(ctx context.Context, t *try, place *tightener, whole bool) {
	n := t.boxes.buffers
	items := make([]id, n)
	for k := range items {
		items[k] = id(k)
	}
	start := t.boxes.mark()
	order := make([]int32, 0, n)
	for {
		k := r.next.Add(1) - 1
		if r.s.tries > 0 && k >= r.s.tries || r.done(ctx) {
			return
		}
		t.begin(k)
		t.boxes.release(start)
		boxed := t.last(t.theorem16(items, r.setting.eps), r.setting.height, r.setting.mu)
		order = order[:0]
		for _, i := range t.unbox(boxed) {
			order = append(order, r.all[i])
		}
		r.nodes.Add(int64(len(order)))
		limit := r.height.Load()
		// A tree learns from the plans that are not the best, too.
		below := limit
		if whole || r.s.mcts {
			below = math.MaxInt64
		}
		offsets, height := place.place(ctx, order, below)
		if offsets == nil {
			t.chooser.end(limit)
			continue
		}
		t.chooser.end(height)
		if height < limit {
			r.keep(slices.Clone(offsets), height)
		}
	}
}

// keep takes a plan where it is the lowest so far.
func (r *search) keep(offsets []int64, height int64) {
	if offsets == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.best != nil && height >= r.height.Load() {
		return
	}
	r.best = offsets
	r.height.Store(height)
	if r.o.Progress != nil {
		r.o.Progress(plan.Progress{Height: height, LowerBound: r.tl.LowerBound, Nodes: r.nodes.Load()})
	}
}

// done reports whether the target is met or a limit has come.
func (r *search) done(ctx context.Context) bool {
	return r.height.Load() <= r.target || ctx.Err() != nil || r.o.NodeLimit > 0 && r.nodes.Load() >= r.o.NodeLimit
}

func (r *search) result() plan.Result {
	out := plan.Result{Stats: plan.Stats{Nodes: r.nodes.Load()}}
	if r.best != nil && r.o.Fits(model.HeightOf(r.tl.Problem, r.best)) {
		out.Status = model.Feasible
		out.Offsets = r.best
		out.Height = model.HeightOf(r.tl.Problem, r.best)
	}
	return out
}

// A try is the scratch of one worker: what the steps of a try hand on to one
// another. Each slice is named for its owner.
type try struct {
	boxes      *boxes
	chooser    chooser
	flat       bool // Lemma 1 is off
	descending bool // unbox: classes of decreasing size
	colours    colouring

	items, small []id // theorem16
	out          []id // the boxes made so far in this Corollary 15

	live, between, side, left []id    // theorem2
	points                    []int32 // theorem2: a stack
	gaps, end, boxAt          []int32 // rows
	byBox                     []id    // rows

	byEnd, strip []id   // lemma1
	cut          []bool // lemma1, by item

	opened []id      // open: a stack
	rowOf  []int32   // stack: a stack
	loose  []float64 // unbox, by buffer
	order  []id      // unbox
}

func newTry(b *boxes, flat bool) *try {
	return &try{boxes: b, flat: flat, chooser: &restarts{rng: rand.New(rand.NewPCG(0, 0))}}
}

func (t *try) begin(k uint64) {
	t.chooser.begin(k)
	t.descending = k%2 == 1
}

func (t *try) choose(n int) int { return t.chooser.choose(n) }
