package tflm

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/strips"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// drawnSplittings returns small networks of images with their plans; some have large tensors at their beginning.
func drawnSplittings(t *testing.T, count int, o Options) (all []*Plan) {
	t.Helper()
	for seed := uint64(1); len(all) < count; seed++ {
		m := parse(t, tflitemade.Images(seed, 3+int(seed%4)))
		if m.Tensors[0].Shape[0] == 1 {
			all = append(all, must.Get(Make(t.Context(), m, o))(t))
		}
	}
	return all
}

// TestSplit splits drawn networks. The arena is smaller on each target, the arithmetic within its limit, the plan
// without fault in the file, and no choice is below the bound.
func TestSplit(t *testing.T) {
	found := 0
	for _, o := range []Options{{}, {Kernels: ReferenceKernels}, {InPlace: true}} {
		for _, p := range drawnSplittings(t, 20, o) {
			const most = 0.5
			s := must.Get(p.Split(t.Context(), o, SplitOptions{Target: &Firmware32, MaxMACs: most}))(t)
			if s.Plan == nil {
				if s.Why == "" {
					t.Error("no plan, and no reason")
				}
				continue
			}
			found++
			was, is := p.Sizes(), s.Plan.Sizes()
			for k := range is {
				if is[k].After.Smallest > was[k].After.Smallest || is[k].Before != was[k].Before {
					t.Errorf("on %s: %d, without strips %d; before %d and %d", is[k].Target.Name, is[k].After.Smallest,
						was[k].After.Smallest, is[k].Before.Smallest, was[k].Before.Smallest)
				}
			}
			grows(t, p, s)
			if arena := is[0].After.Smallest; arena != s.Choice.Arena || arena < s.Bound ||
				float64(s.Choice.MACs) > most*float64(s.MACs) {
				t.Errorf("arena %d, choice %+v, bound %d of %d multiply-accumulates", arena, s.Choice, s.Bound, s.MACs)
			}
			m := parse(t, must.Get(s.Plan.Written(p.Model))(t))
			if v := must.Get(CheckFor(m, CheckOptions{Kernels: o.Kernels}))(t); !v.OK() || v.Pinned == 0 {
				t.Errorf("the file: %v", v.Findings)
			}
			if head := must.Get(Head(t.Context(), m, o.Set.Scratch(m)))(t); head != s.Choice.Head ||
				MACs(m)-MACs(p.Model) != s.Choice.MACs {
				t.Errorf("the head of the file is %d, of the choice %d; it has %d more multiply-accumulates of %d", head,
					s.Choice.Head, MACs(m)-MACs(p.Model), s.Choice.MACs)
			}
			for k := 1; k < len(s.Front); k++ {
				if x, y := s.Front[k-1], s.Front[k]; x.Arena > y.Arena || x.MACs <= y.MACs {
					t.Errorf("front: %d with %d more, %d with %d more", x.Arena, x.MACs, y.Arena, y.MACs)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d networks were split", found)
	}
}

// grows compares what a split says of other kernels with all that are known: the largest arena does not grow, and the
// kernels whose arena does are listed.
func grows(t *testing.T, p *Plan, s *Split) {
	t.Helper()
	most, was, larger := int64(0), int64(0), 0
	for _, x := range s.Plan.Standings() {
		a := must.Get(p.Model.Arena(p.Life, x.Set.Scratch(p.Model)))(t)
		is, without := s.Plan.With(x, &Firmware32).Smallest, x.Set.Predict(p.Model, a, nil, x.Own, &Firmware32).Smallest
		most, was = max(most, is), max(was, without)
		if is > without {
			larger++
		}
	}
	if most > was || larger != len(s.Larger) {
		t.Errorf("at most %d, without strips %d; %d kernels take more, and the split says %v", most, was, larger, s.Larger)
	}
}

// TestSplitStopped ends the search for strips at each of its steps, and by a timeout that is over before it begins. The
// plan is the best so far, and nothing is claimed of what was not looked at.
func TestSplitStopped(t *testing.T) {
	o := Options{Named: true}
	p := must.Get(Make(t.Context(), parse(t, tflitemade.Convolutions(32, [3]int32{3, 1, 16}, [3]int32{3, 2, 8})), o))(t)
	x := SplitOptions{Target: &Firmware32, MaxMACs: 0.5}
	early, planned := 0, 0
	for step := int32(1); ; step++ {
		ctx, cancel := context.WithCancel(t.Context())
		var calls atomic.Int32
		x.Progress = func(SplitProgress) {
			if calls.Add(1) == step {
				cancel()
			}
		}
		s := must.Get(p.Split(ctx, o, x))(t)
		cancel()
		if calls.Load() < step {
			if s.Stopped != "" || s.Bound == 0 {
				t.Errorf("the search was not stopped, and says %q, bound %d", s.Stopped, s.Bound)
			}
			break
		}
		if early++; s.Stopped != "an interrupt" || s.Plan == nil && s.Why != "no strips with a smaller arena were found in time" {
			t.Errorf("interrupted at step %d: %q, %q", step, s.Stopped, s.Why)
		}
		if s.Plan != nil {
			planned++
			m := parse(t, must.Get(s.Plan.Written(p.Model))(t))
			if v := must.Get(CheckFor(m, CheckOptions{}))(t); !v.OK() || s.Choice.Arena >= p.Sizes()[0].After.Smallest {
				t.Errorf("interrupted at step %d: an arena of %d; %v", step, s.Choice.Arena, v.Findings)
			}
		}
	}
	if early < 5 || planned == 0 || planned == early {
		t.Errorf("interrupted at %d steps, %d of them with strips", early, planned)
	}
	o.Solve.Timeout, x.Progress = 1, nil
	if s := must.Get(p.Split(t.Context(), o, x))(t); s.Stopped != "the timeout" || s.Bound != 0 || s.Considered > 0 {
		t.Errorf("after the timeout: %q, bound %d of %d", s.Stopped, s.Bound, s.Considered)
	}
}

// TestSplitElsewhere splits a network without named kernels. Its first convolutions have large images, its last one has
// large weights. With ESP-NN for the ESP32-P4 the scratch of the last one decides the arena, so strips only add to it.
func TestSplitElsewhere(t *testing.T) {
	m := parse(t, tflitemade.Convolutions(40, [3]int32{3, 1, 16}, [3]int32{3, 4, 8}, [3]int32{1, 4, 192}, [3]int32{1, 1, 192}))
	p := must.Get(Make(t.Context(), m, Options{}))(t)
	s := must.Get(p.Split(t.Context(), Options{}, SplitOptions{Target: &Firmware32, MaxMACs: 0.2}))(t)
	if s.Plan == nil {
		t.Fatal(s.Why)
	}
	grows(t, p, s)
	if was := p.Sizes()[0].After.Smallest; s.Choice.Arena*4 > was*3 || len(s.Larger) == 0 {
		t.Errorf("an arena of %d, without strips %d; larger with %v", s.Choice.Arena, was, s.Larger)
	}
}

// TestChoices compares the paths and the bound with all sets of chains that share no operator.
func TestChoices(t *testing.T) {
	compared := 0
	for _, p := range drawnSplittings(t, 30, Options{}) {
		s := must.Get(newSplitting(p.Model, &Options{}, &Firmware32, true))(t)
		s.most = s.macs / 4
		all := useful(s.look(t.Context(), []int{2, 3}, 1<<40, nil), 1<<40)
		if len(all) == 0 || len(all) > 16 {
			continue
		}
		compared++
		bound, load := int64(-1), int64(1<<40)
		for set := range 1 << len(all) {
			if x := measured(s, all, set); x != nil {
				load = min(load, x.load)
			}
			if x := measured(s, all, set); x != nil && (bound < 0 || x.least+x.tail-x.shared+s.tail < bound) {
				bound = x.least + x.tail - x.shared + s.tail
			}
		}
		for _, s.most = range []int64{s.macs / 4, all[len(all)/2].macs, all[0].macs, 0} {
			least := int64(-1)
			for set := range 1 << len(all) {
				if x := measured(s, all, set); x != nil && x.macs <= s.most && (least < 0 || x.load+x.tail < least) {
					least = x.load + x.tail
				}
			}
			if got := s.choices(all)[0]; got.load+got.tail != least || got.macs > s.most {
				t.Errorf("%d segments: load and tail %d with %d more of %d, least %d", len(all), got.load+got.tail, got.macs,
					s.most, least)
			}
		}
		if floor := s.floor(); floor > load {
			t.Errorf("the floor is %d, but some choice has a load of %d", floor, load)
		}
		if got := s.bound(all); got != bound {
			t.Errorf("%d segments: bound %d, want %d", len(all), got, bound)
		}
	}
	if compared < 5 {
		t.Errorf("only %d networks had few chains", compared)
	}
}

// TestPromises compares the best choice of chains that were looked at in few numbers of strips, and of the promises
// that were worth it, with that of all chains in all numbers of strips. Most of these are not looked at. In two
// networks of forty three strips take less than two and four, which no promise says: 3 to 4%.
func TestPromises(t *testing.T) {
	loops := loopCounts
	t.Cleanup(func() { loopCounts = loops })
	looked, all, compared, missed := 0, 0, 0, 0
	for _, p := range drawnSplittings(t, 40, Options{}) {
		s := must.Get(newSplitting(p.Model, &Options{}, &Firmware32, true))(t)
		s.most = s.macs / 2
		best := func(of []series) int64 {
			if all := s.choices(useful(of, 1<<40)); len(all) > 0 {
				return all[0].load + all[0].tail
			}
			return 1 << 40
		}
		few := s.look(t.Context(), fewCounts, 1<<40, nil)
		loopCounts = stripCounts
		every := s.look(t.Context(), stripCounts, 1<<40, nil)
		loopCounts = loops
		most := best(few)
		s.more(t.Context(), few, most, 1, nil)
		if got, want := best(few), best(every); got < want || got > want+want/20 {
			t.Errorf("%s: the best has load and tail %d, of all %d", p.Model.File, got, want)
		} else if got > want {
			missed++
		} else if want < most {
			compared++
		}
		for _, x := range few {
			looked += len(x.at)
		}
		for _, x := range every {
			all += len(x.at)
		}
	}
	if compared < 5 || missed > 2 || looked*2 > all {
		t.Errorf("%d networks are better with promises, %d are not the best; %d of %d chains were looked at", compared,
			missed, looked, all)
	}
}

// measured returns the sums of a set of segments; nil if two of them share an operator.
func measured(s *splitting, all []segment, set int) *segment {
	x, first := &segment{}, -1
	in := make([]bool, len(s.load))
	for i := range all {
		if set>>i&1 == 0 {
			continue
		}
		for k := all[i].chain.First; k <= all[i].chain.Last; k++ {
			if in[k] {
				return nil
			}
			in[k] = true
		}
		x.load, x.least = max(x.load, all[i].load), max(x.least, all[i].least)
		x.tail, x.macs = x.tail+all[i].tail, x.macs+all[i].macs
		x.shared += min(all[i].tail, all[i].shared)
		if first < 0 || all[i].chain.First < all[first].chain.First {
			first = i
		}
	}
	if first >= 0 {
		x.shared -= min(all[first].tail, all[first].shared)
	}
	for k := range in {
		if !in[k] {
			x.load, x.least = max(x.load, s.load[k]), max(x.least, s.least[k])
		}
	}
	return x
}

// TestSplitCapacity asks for capacities between the smallest arena and that without strips. The choice has the least
// arithmetic of all sets of chains that fit, in two or four strips.
func TestSplitCapacity(t *testing.T) {
	few, all, how := fewCounts, stripCounts, ways
	t.Cleanup(func() { fewCounts, stripCounts, ways = few, all, how })
	fewCounts, stripCounts, ways = []int{2}, []int{2, 4}, ways[:2] // rings add no arithmetic
	o := Options{Named: true}                                      // other kernels do not count
	asked, less := 0, 0
	for _, layers := range [][][3]int32{
		{{3, 1, 16}, {3, 1, 16}, {3, 1, 8}},
		{{5, 1, 12}, {1, 1, 24}, {3, 2, 8}},
		{{3, 2, 24}, {3, 1, 24}, {3, 2, 16}},
		{{1, 1, 16}, {5, 1, 8}, {5, 1, 8}},
		{{3, 1, 8}, {3, 1, 32}, {3, 1, 4}},
	} {
		p := must.Get(Make(t.Context(), parse(t, tflitemade.Convolutions(32, layers...)), o))(t)
		x := SplitOptions{Target: &Firmware32, MaxMACs: 1}
		c := must.Get(newChooser(p, o, x))(t)
		var choices []*Choice
		lowest, whole := p.Sizes()[0].After.Smallest, p.Sizes()[0].After.Smallest
		for _, chains := range c.sets(t) {
			made := must.Get(c.plan(t.Context(), chains, stowage.Options{NodeLimit: 1_000}, rowSearch{}, false))(t)
			if made != nil {
				choices, lowest = append(choices, made), min(lowest, made.Arena)
			}
		}
		for part := range int64(4) {
			x.Capacity = lowest + (whole-lowest)*part/4
			least := int64(1) << 40
			for _, made := range choices {
				if made.Arena <= x.Capacity {
					least = min(least, made.MACs)
				}
			}
			s := must.Get(p.Split(t.Context(), o, x))(t)
			asked++
			if s.Plan == nil || s.Choice.Arena > x.Capacity || s.Choice.MACs > least {
				t.Errorf("to fit %d of %d: %+v, but %d more multiply-accumulates are enough", x.Capacity, whole, s.Choice, least)
			}
			if at := slices.IndexFunc(choices, func(y *Choice) bool { return y.Arena == lowest }); least < choices[at].MACs {
				less++
			}
		}
		x.Capacity = lowest / 4 // nothing fits: chains of no use for that were not looked at, so no more is known of others
		c = must.Get(newChooser(p, o, x))(t)
		if err := c.choose(t.Context()); err != nil || c.out.Bound > x.Capacity+1 || c.out.Bound < x.Capacity {
			t.Errorf("for %d: bound %d, %v", x.Capacity, c.out.Bound, err)
		}
	}
	if asked < 15 || less < 3 {
		t.Errorf("only %d capacities were asked for; %d need less arithmetic than the smallest arena", asked, less)
	}
}

// sets returns all sets of chains that share no operator.
func (c *chooser) sets(t *testing.T) (out [][]strips.Chain) {
	looked := c.look(t.Context(), stripCounts, 1<<40, nil)
	var add func(from int, chains []strips.Chain)
	add = func(from int, chains []strips.Chain) {
		if len(chains) > 0 {
			out = append(out, slices.Clone(chains))
		}
		for _, x := range looked {
			for _, y := range x.at {
				if y.chain.First >= from {
					add(y.chain.Last+1, append(chains, y.chain))
				}
			}
		}
	}
	add(0, nil)
	return out
}
