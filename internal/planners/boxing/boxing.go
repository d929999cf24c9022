package boxing

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: prelude, heuristics, then tries until the target is met: a height that wastes no more than the caller allows,
// the capacity, or the bound. Workers take tries in turn from one counter and share the best height.
//
// Invariant: the plan kept is a valid one, no higher than the heuristics'.
//
// Complexity: two placements, then O(n log n) a try; memory is linear in the buffers, and in the tries for search=mcts.
//
// Source: idealloc (a21f84d), the function of that name.

func init() { run.Register(planner{}) }

type planner struct{}

// Name returns the planner's name.
func (planner) Name() string { return "boxing" }

// Info describes the planner.
func (p planner) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Summary: "pack buffers into nested boxes until all boxes have one size, then unpack and compact; random restarts",
		Source:  "idealloc (Lamprakos et al., ISMM 2023, after Buchsbaum et al., STOC 2003)",
	}, func() run.Settings { return new(settings) })
}

// defaultTries is how many tries there are without any other limit.
const defaultTries = 32

// settings are the techniques and parameters of a run.
type settings struct {
	prelude, bootstrap, strips, cutOff, follow bool

	tries  int64 // 0 for no end
	waste  float64
	fit    string
	base   int64
	search string
}

// Declare lists the techniques and the parameters.
func (s *settings) Declare(d *run.Declaration) {
	d.Technique(&s.prelude, "prelude", "use no boxes if no buffers overlap or all sizes are equal")
	d.Technique(&s.bootstrap, "bootstrap", "start from first fit by size; break ties by lifespan, then by input order")
	d.Technique(&s.strips, "strips", "apply Lemma 1: pack the buffers that are live at one moment into strips and boxes")
	d.Technique(&s.cutOff, "cut-off", "end an attempt once it is as high as the best plan (restarts only)")
	d.Technique(&s.follow, "follow", "mcts only: below the tree, mostly repeat the choices of the best attempt")
	tries := int64(0)
	if d.Endless() {
		tries = defaultTries
	}
	d.Int64OrAuto(&s.tries, "tries", tries, 0, math.MaxInt64,
		"number of attempts; 0: no limit; auto: 32, or 0 if a timeout or node limit is set")
	d.Float(&s.waste, "waste", 1, 1, math.Inf(1),
		"stop once the height is at most this many times the load (idealloc's worst-case fragmentation)")
	d.Choice(&s.fit, "fit", "how to compact: first fit or best fit", "first", "best")
	d.Int64(&s.base, "start-address", 0, 0, math.MaxInt64, "lowest offset of any buffer; heights count from 0")
	d.Choice(&s.search, "search", "restarts: random restarts; mcts: tree search over the random choices",
		"restarts", "mcts")
}

func (s *settings) mcts() bool { return s.search == "mcts" }

func (s *settings) rule() place.Fit {
	if s.fit == "best" {
		return place.BestFit
	}
	return place.FirstFit
}

// Plan boxes and places tl. A node is the placement of one buffer. Plan honours gaps, windows, alignment and fixed
// offsets. Boxes see a buffer with gaps as if it had none. The error is for a parameter with a bad value.
func (planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	var s settings
	if err := run.Bind("boxing", &o, &s); err != nil {
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
	ground := model.Buffer{
		ID: "start-address", Lower: math.MaxInt64, Upper: math.MinInt64, Size: s.base, Fixed: new(int64),
	}
	var total int64
	for i := range p.Buffers {
		b := &p.Buffers[i]
		ground.Lower, ground.Upper = min(ground.Lower, b.Lower), max(ground.Upper, b.Upper)
		total += b.Size + b.Align()
		if b.Fixed != nil && *b.Fixed < s.base {
			return plan.Result{}, plan.Unsupported("boxing",
				fmt.Sprintf("cannot go below the parameter start-address: buffer %s is fixed at %d", b.ID, *b.Fixed))
		}
	}
	if n == 0 {
		return pack(ctx, tl, o, s), nil
	}
	if total < 0 || s.base > math.MaxInt64/4-total {
		return plan.Result{}, plan.Unsupported("boxing",
			"cannot start at the parameter start-address: it is too large for this problem")
	}
	p.Buffers = append(slices.Clip(slices.Clone(p.Buffers)), ground)
	o.Start = nil
	r := pack(ctx, timeline.New(&p), o, s)
	if r.Status == model.Infeasible {
		// The proof holds only for plans above the start address.
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
	watch   *run.Watch
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
	w := run.NewWatch(ctx)
	defer w.Close()
	r := &search{tl: tl, watch: w, o: o, s: s}
	r.height.Store(math.MaxInt64)
	r.target = int64(min(math.Floor(float64(tl.LowerBound)*s.waste), math.MaxInt64/2))
	r.target = max(r.target, tl.LowerBound)
	if !o.Minimizing() {
		r.target = max(r.target, o.Capacity)
	}
	if o.Start != nil {
		r.keep(slices.Clone(o.Start), model.HeightOf(tl.Problem, o.Start))
	}
	switch place.Collide(w, tl) {
	case place.Collided:
		return plan.Result{Status: model.Infeasible}
	case place.Cut:
		return r.result()
	}
	if s.bootstrap {
		offsets, height, placed := bootstrap(tl, newTightener(w, tl, place.FirstFit))
		r.nodes.Add(placed)
		r.keep(offsets, height)
	}
	if r.best != nil && w.Over() {
		return r.result() // to make the boxes of a million buffers takes a tenth of a second
	}
	if b, all := newBoxes(tl); len(all) > 0 {
		r.all = all
		b.watch = w
		t := newTry(b, !s.strips)
		var order []id
		if s.prelude && !unlessCut(func() { order = t.easy() }) {
			order = nil
		}
		if order != nil {
			for k, i := range order {
				order[k] = all[i]
			}
			r.nodes.Add(int64(len(order)))
			offsets, height := newTightener(w, tl, s.rule()).place(order, r.height.Load())
			r.keep(offsets, height)
		} else if !r.done() {
			t.chooser = newRestarts(o.Seed)
			t.begin(math.MaxUint64)
			if unlessCut(func() { r.setting = t.tune(2 * int32(tl.Sections())) }) {
				r.work(b, !s.strips, !s.cutOff)
			}
		}
	} else if r.best == nil {
		offsets, height, _ := place.Below(w, tl, nil, place.FirstFit, place.Unlimited)
		r.keep(offsets, height)
	}
	if r.best == nil && w.Over() {
		offsets, height, _ := place.Below(w, tl, nil, place.FirstFit, place.Unlimited)
		r.keep(offsets, height)
	}
	return r.result()
}

// work runs the tries.
func (r *search) work(b *boxes, flat, whole bool) {
	workers := max(r.o.Workers, 1)
	if r.s.tries > 0 {
		workers = int(min(int64(workers), r.s.tries))
	}
	var all sync.WaitGroup
	for w := range workers {
		t := newTry(b.clone(), flat)
		if r.s.mcts() {
			// A tree of its own for each worker.
			percent := follow
			if !r.s.follow {
				percent = 0
			}
			t.chooser = newTree(r.o.Seed+uint64(w)*0x9E3779B97F4A7C15, percent)
		} else {
			t.chooser = newRestarts(r.o.Seed)
		}
		all.Go(func() { r.tries(t, newTightener(r.watch, r.tl, r.s.rule()), whole) })
	}
	all.Wait()
}

// tries makes one try after another.
func (r *search) tries(t *try, place *tightener, whole bool) {
	n := t.boxes.buffers
	items := make([]id, n)
	for k := range items {
		items[k] = id(k)
	}
	start := t.boxes.mark()
	order := make([]int32, 0, n)
	for {
		k := r.next.Add(1) - 1
		if r.s.tries > 0 && k >= uint64(r.s.tries) || r.done() {
			return
		}
		t.begin(k)
		t.boxes.release(start)
		order = order[:0]
		if !unlessCut(func() {
			boxed := t.last(t.theorem16(items, r.setting.eps), r.setting.height, r.setting.mu)
			for _, i := range t.unbox(boxed) {
				order = append(order, r.all[i])
			}
		}) {
			return
		}
		r.nodes.Add(int64(len(order)))
		limit := r.height.Load()
		// A tree learns from the plans that are not the best, too.
		below := limit
		if whole || r.s.mcts() {
			below = math.MaxInt64
		}
		offsets, height := place.place(order, below)
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

// keep keeps a plan if it is the lowest so far.
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
func (r *search) done() bool {
	return r.height.Load() <= r.target || r.watch.Over() || r.o.NodeLimit > 0 && r.nodes.Load() >= r.o.NodeLimit
}

func (r *search) result() plan.Result {
	out := plan.Result{Stats: plan.Stats{Nodes: r.nodes.Load()}}
	if r.best != nil && r.o.Fits(r.height.Load()) {
		out.Status = model.Feasible
		out.Offsets = r.best
	}
	return out
}

// A try is the scratch of one worker. Its steps hand their results on in these slices, which are named for their
// owners.
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
