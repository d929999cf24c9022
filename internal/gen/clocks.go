package gen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Idea: threads run side by side, and sometimes exchange messages. Each thread has a vector clock: one component for
// each thread. Its own component counts its steps. Another component is the last step of that thread that it has
// heard of. A buffer belongs to a thread, and lives between two steps of it. So only messages can tell that a buffer
// is over before one of another thread begins.
//
//	clocks        random lives in threads that exchange messages by a pattern
//	clock-tiling  each thread packs a band of the capacity without a byte to spare, and messages are random. The
//	              buffers of step 0 fill all bands. No message came before, so none of them is over before another
//	              begins, and no plan is lower than the capacity
//
// Complexity: O(steps · threads²), and O(buffers · threads · log messages) for tilings.
//
// Source: SyncPatternSource and ConcurrentTilingSource of OmniMalloc (fpedd/omnimalloc 2e9cf4e), with their patterns
// and defaults, one speed for all threads and uniform sizes. The random numbers, and so the problems, differ.

// Patterns are the ways in which the threads of kind clocks exchange messages, from none to all the time.
func Patterns() []string { return slices.Clone(patterns) }

var patterns = []string{
	"independent", // never
	"pairs",       // each two neighbours join every period
	"subset",      // the first half joins every period
	"sparse",      // one random message a period
	"irregular",   // a random group joins, once a period on average
	"ring",        // one message a step, from each thread to its neighbour in turn
	"tree",        // groups join, twice as large each period
	"groups",      // small groups join every period, and all in every fourth
	"barrier",     // all join every period
	"fork_join",   // the first thread sends to all at the begin of a period, and hears of all at its end
	"dense",       // each thread hears of a random one, every step
}

// syncPeriod is the period of the patterns, in steps.
const syncPeriod = 8

// ruledKinds returns the kinds whose problems have rules. They are apart from kinds, because not every caller takes
// rules.
func ruledKinds() []Kind {
	return []Kind{
		{
			"clocks", "threads that exchange messages by a pattern; lifespans by vector clocks (after OmniMalloc)",
			[]string{"buffers", "seed", "threads", "pattern", "horizon", "min-size", "max-size", "max-life"},
			Options{Buffers: 128, Threads: 4, Pattern: "dense", MinSize: 1 << 10, MaxSize: 1 << 20},
			clocks,
		},
		{
			"clock-tiling", "threads that fill bands edge to edge; the optimum is the capacity (after OmniMalloc)",
			[]string{"buffers", "seed", "threads", "messages", "horizon", "capacity"},
			Options{Buffers: 128, Threads: 2, Messages: 16, Horizon: 1 << 20, Capacity: 1 << 20},
			clockTiling,
		},
	}
}

// Ruled returns the generators of problems with rules, in the order in which help should list them. Kinds has all
// others.
func Ruled() []Kind { return ruledKinds() }

func clocks(o Options) (*Instance, error) {
	if !slices.Contains(patterns, o.Pattern) {
		return nil, fmt.Errorf("pattern %q: must be one of %s", o.Pattern, strings.Join(patterns, ", "))
	}
	r := NewRNG(o.Seed, "clocks "+o.Pattern)
	steps := o.Horizon
	if steps == 0 {
		steps = max(4, 2*int64(o.Buffers)/o.Threads)
	}
	if steps < 2 {
		return nil, fmt.Errorf("horizon %d: must be at least 2", steps)
	}
	longest := o.MaxLife
	if longest == 0 {
		longest = max(1, steps/4)
	}
	shots := r.run(o.Pattern, o.Threads, steps)
	p := &model.Problem{Rules: &model.Rules{Threads: int(o.Threads)}}
	for i := range o.Buffers {
		b := model.Buffer{ID: "b" + strconv.Itoa(i), Size: r.Within(o.MinSize, o.MaxSize)}
		of := shots[r.Below(o.Threads)]
		born := r.Below(steps - 1)
		b.SetClocks(of[born], of[r.Within(born+1, min(steps-1, born+longest))])
		p.Buffers = append(p.Buffers, b)
	}
	return &Instance{Problem: p}, nil
}

// run returns the clock of each thread after each step.
func (r *RNG) run(pattern string, threads, steps int64) [][][]int64 {
	now := make([][]int64, threads)
	for t := range now {
		now[t] = make([]int64, threads)
	}
	shots := make([][][]int64, threads)
	for step := int64(1); step <= steps; step++ {
		for t := range now {
			now[t][t]++
		}
		if threads > 1 {
			r.exchange(pattern, now, step)
		}
		for t := range now {
			shots[t] = append(shots[t], slices.Clone(now[t]))
		}
	}
	return shots
}

// exchange sends the messages of a step.
func (r *RNG) exchange(pattern string, now [][]int64, step int64) {
	n := int64(len(now))
	period := step%syncPeriod == 0
	groups := func(size int64) {
		for low := int64(0); low < n; low += size {
			join(now, span(low, min(low+size, n)))
		}
	}
	switch {
	case pattern == "pairs" && period:
		groups(2)
	case pattern == "subset" && period:
		join(now, span(0, max(1, n/2)))
	case pattern == "sparse" && period:
		two := r.some(n, 2)
		send(now, two[0], two[1])
	case pattern == "irregular" && r.Chance(1./syncPeriod):
		join(now, r.some(n, r.Within(2, n)))
	case pattern == "ring":
		send(now, step%n, (step+1)%n)
	case pattern == "tree" && period:
		levels := int64(0)
		for 1<<levels < n {
			levels++
		}
		groups(2 << ((step/syncPeriod - 1) % levels))
	case pattern == "groups" && step%(4*syncPeriod) == 0:
		groups(n)
	case pattern == "groups" && period:
		size := int64(2)
		for (size+1)*(size+1) <= n {
			size++
		}
		groups(size)
	case pattern == "barrier" && period:
		groups(n)
	case pattern == "fork_join" && step%syncPeriod == 1:
		for t := int64(1); t < n; t++ {
			send(now, 0, t)
		}
	case pattern == "fork_join" && period:
		for t := int64(1); t < n; t++ {
			send(now, t, 0)
		}
	case pattern == "dense":
		for t := range n {
			send(now, (t+1+r.Below(n-1))%n, t)
		}
	}
}

// span returns the threads from low to high, without high.
func span(low, high int64) (all []int64) {
	for t := low; t < high; t++ {
		all = append(all, t)
	}
	return all
}

// some returns k different threads of n.
func (r *RNG) some(n, k int64) []int64 {
	all := span(0, n)
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:k]
}

// send tells thread to what thread from knows.
func send(now [][]int64, from, to int64) {
	for k, step := range now[from] {
		now[to][k] = max(now[to][k], step)
	}
}

// join lets each thread of a group know what any of them knows.
func join(now [][]int64, group []int64) {
	for _, t := range group[1:] {
		send(now, t, group[0])
	}
	for _, t := range group[1:] {
		send(now, group[0], t)
	}
}

// A heard is what a thread knows from a step on.
type heard struct {
	step  int64
	clock []int64
}

func clockTiling(o Options) (*Instance, error) {
	n := o.Threads
	switch {
	case o.Capacity%n != 0:
		return nil, fmt.Errorf("capacity %d: must be a multiple of the %d threads", o.Capacity, n)
	case int64(o.Buffers) < n:
		return nil, fmt.Errorf("buffers %d: must be at least one a thread, %d", o.Buffers, n)
	case o.Messages >= o.Horizon:
		return nil, fmt.Errorf("messages %d: must be below the horizon, %d", o.Messages, o.Horizon)
	}
	r := NewRNG(o.Seed, "clock-tiling")
	known := r.messages(n, o.Messages, o.Horizon)
	in := &Instance{
		Problem: &model.Problem{Capacity: o.Capacity, Rules: &model.Rules{Threads: int(n)}}, Optimum: o.Capacity,
	}
	for t := range n {
		count := int64(o.Buffers) / n
		if t < int64(o.Buffers)%n {
			count++
		}
		band, err := r.Perfect(o.Horizon, o.Capacity/n, int(count), 0)
		if err != nil {
			return nil, err
		}
		clock := func(step int64) []int64 {
			at := make([]int64, n)
			// The last message up to this step.
			k, found := slices.BinarySearchFunc(known[t], step,
				func(h heard, step int64) int { return int(min(1, max(-1, h.step-step))) })
			if found {
				k++
			}
			if k > 0 {
				copy(at, known[t][k-1].clock)
			}
			at[t] = step
			return at
		}
		for i, b := range band.Problem.Buffers {
			c := model.Buffer{ID: fmt.Sprintf("t%d-%d", t, i), Size: b.Size}
			c.SetClocks(clock(b.Lower), clock(b.Upper))
			in.Problem.Buffers = append(in.Problem.Buffers, c)
			in.Offsets = append(in.Offsets, t*(o.Capacity/n)+band.Offsets[i])
		}
	}
	return in, nil
}

// messages sends random messages at different steps. It returns what each thread knows, and from which step on.
func (r *RNG) messages(threads, count, horizon int64) [][]heard {
	known := make([][]heard, threads)
	if threads < 2 {
		return known
	}
	taken := map[int64]bool{}
	var steps []int64
	for int64(len(steps)) < count {
		if step := r.Within(1, horizon-1); !taken[step] {
			taken[step] = true
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	now := make([][]int64, threads)
	for t := range now {
		now[t] = make([]int64, threads)
	}
	for _, step := range steps {
		two := r.some(threads, 2)
		now[two[0]][two[0]] = step
		send(now, two[0], two[1])
		known[two[1]] = append(known[two[1]], heard{step, slices.Clone(now[two[1]])})
	}
	return known
}
