package objects

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/model"
)

// random draws items that live on a line of time. If odd is not 0, one pair in so many conflicts whatever its time, and
// some others do not conflict.
func random(r *rand.Rand, n, odd int) *Problem {
	p := &Problem{Sizes: make([]int64, n), Near: make([][]int32, n), Groups: make([][]int32, 12)}
	lower, upper := make([]int, n), make([]int, n)
	for i := range n {
		p.Sizes[i], lower[i] = 1+r.Int64N(9), r.IntN(10)
		upper[i] = lower[i] + 1 + r.IntN(3)
		for t := lower[i]; t < min(upper[i], len(p.Groups)); t++ {
			p.Groups[t] = append(p.Groups[t], int32(i))
		}
	}
	for i := range n {
		for j := range i {
			if lower[i] < upper[j] && lower[j] < upper[i] && (odd == 0 || r.IntN(10) > 0) || odd > 0 && r.IntN(odd) == 0 {
				p.Near[i], p.Near[j] = append(p.Near[i], int32(j)), append(p.Near[j], int32(i))
			}
		}
	}
	for i := range n {
		slices.Sort(p.Near[i])
	}
	return p
}

// boxed gives the items sizes of two or three dimensions.
func boxed(r *rand.Rand, p *Problem, most int64) *Problem {
	dims := 2 + r.IntN(2)
	p.Step = []int64{1, 1, 4}[r.IntN(3)]
	for i := range p.Sizes {
		x := model.Box{1, 1, 1}
		for d := range dims {
			x[d] = 1 + r.Int64N(most)
		}
		p.Boxes = append(p.Boxes, x)
		p.Sizes[i] = (x.Bytes() + p.Step - 1) / p.Step * p.Step
	}
	return p
}

// sum returns what a plan takes, or has, if the fewest objects are wanted, or -1 if it breaks a rule.
func (p *Problem) sum(of []int32) (sum int64) {
	sizes, boxes := map[int32]int64{}, map[int32]model.Box{}
	for i, o := range of {
		for _, j := range p.Near[i] {
			if of[j] == o {
				return -1
			}
		}
		if sizes[o] = max(sizes[o], p.Sizes[i]); p.Boxes != nil {
			boxes[o] = boxes[o].Over(p.Boxes[i])
			sizes[o] = (boxes[o].Bytes() + p.Step - 1) / p.Step * p.Step
		}
	}
	for _, size := range sizes {
		sum += size
	}
	if p.Objects > 0 && len(sizes) > p.Objects || p.Most > 0 && sum > p.Most {
		return -1
	}
	if p.Fewest {
		return int64(len(sizes))
	}
	return sum
}

// brute returns the least of these sums of all partitions, or -1.
func brute(p *Problem) int64 {
	least, of := int64(-1), make([]int32, len(p.Sizes))
	var next func(i int, opened int32)
	next = func(i int, opened int32) {
		if i == len(of) {
			if sum := p.sum(of); sum >= 0 && (least < 0 || sum < least) {
				least = sum
			}
			return
		}
		for o := range opened + 1 {
			of[i] = o
			next(i+1, max(opened, o+1))
		}
	}
	next(0, 0)
	return least
}

func TestLeastEqualsBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 1))
	none := 0
	for n := range 4_000 {
		p := random(r, 1+r.IntN(7), 20)
		if n%2 == 0 {
			p = boxed(r, p, 4)
		}
		free := brute(p)
		if p.Objects = r.IntN(4); r.IntN(2) == 0 {
			p.Most = max(1, free-1+r.Int64N(4))
		}
		p.Fewest = r.IntN(3) == 0
		want, got := brute(p), Least(context.Background(), p, 0)
		switch {
		case !got.Done:
			t.Fatalf("%d: a search without a limit is not done", n)
		case want < 0:
			if none++; got.Of != nil {
				t.Fatalf("%d: %+v: there is no plan, but Least found %v", n, p, got.Of)
			}
			continue
		case got.Of == nil || p.sum(got.Of) != got.Sum || got.Sum != want || got.Bound != want:
			t.Fatalf("%d: %+v: want %d, got %+v", n, p, want, got)
		}
		for limit := range int64(8) {
			if cut := Least(context.Background(), p, 1+limit); cut.Bound > want || cut.Of != nil && p.sum(cut.Of) != cut.Sum ||
				cut.Done && (cut.Of == nil || cut.Sum != want) {
				t.Fatalf("%d: %+v within %d nodes: want %d, got %+v", n, p, 1+limit, want, cut)
			}
		}
		p.Any = true
		if some := Least(context.Background(), p, 0); some.Of == nil || p.sum(some.Of) != some.Sum || some.Bound > want {
			t.Fatalf("%d: %+v: any plan will do, got %+v", n, p, some)
		}
	}
	if none < 600 {
		t.Errorf("only %d problems without a plan", none)
	}
}

// Without a bound of forced items, or of cliques, the search takes many more nodes.
func TestBoundSavesNodes(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 2))
	var nodes int64
	for range 20 {
		p := random(r, 40, 0)
		got := Least(context.Background(), p, 400_000)
		if !got.Done {
			t.Errorf("40 items are not proven: %d, bound %d", got.Sum, got.Bound)
		}
		nodes += got.Nodes
	}
	if nodes > 300_000 {
		t.Errorf("20 problems of 40 items took %d nodes", nodes)
	}
}

// long draws items of many sizes that live for long stretches of a long line of time.
func long(r *rand.Rand, n int) *Problem {
	p := &Problem{Near: make([][]int32, n)}
	var lower, upper []int
	for i := range n {
		p.Sizes, lower = append(p.Sizes, 1+r.Int64N(1000)), append(lower, r.IntN(n))
		upper = append(upper, lower[i]+1+r.IntN(n/2))
		for j := range i {
			if lower[i] < upper[j] && lower[j] < upper[i] {
				p.Near[i], p.Near[j] = append(p.Near[i], int32(j)), append(p.Near[j], int32(i))
			}
		}
	}
	return p
}

// Exchanges find lower plans than a search that is cut off, and never a higher one than the greedy.
func TestExchange(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 3))
	below := 0
	for n := range 8 {
		p := long(r, 100+40*(n%4))
		if n >= 4 {
			p = boxed(r, p, 1000)
		}
		x := newSearch(p)
		x.watch, x.last = run.NewWatch(context.Background()), 1_000
		x.place(0)
		cut := x.most
		x.watch.Close()
		x.watch, x.last, x.cut = run.NewWatch(context.Background()), 0, false
		x.exchange(0, 0)
		x.watch.Close()
		of := make([]int32, len(p.Sizes))
		for k, o := range x.best {
			of[x.item[k]] = o
		}
		if got := p.sum(of); got != x.most || got > cut {
			t.Errorf("%d: the plan takes %d, said to take %d; before %d", n, got, x.most, cut)
		}
		fitting, sum := (&exchanger{x: x, words: (len(of) + 63) / 64, edges: x.rows()}).fitting()
		for k, o := range fitting {
			of[x.item[k]] = o
		}
		if p.sum(of) != sum || x.most > sum {
			t.Errorf("%d: the greedy takes %d, said to take %d; exchanges %d", n, p.sum(of), sum, x.most)
		}
		if x.most < cut {
			below++
		}
	}
	if below < 6 {
		t.Errorf("only %d plans of 8 have become lower", below)
	}
}

// TestOnward: rounds after the nodes go on until the context ends. They find lower plans, and never a higher one.
func TestOnward(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 4))
	below := 0
	for n := range 6 {
		p := long(r, 80+10*n)
		once := Least(context.Background(), p, 2_000)
		p.Onward = true
		on := Least(run.EndAtLook(context.Background(), 15_000), p, 2_000)
		if on.Done || once.Done {
			t.Fatalf("%d: proven", n)
		}
		if p.sum(on.Of) != on.Sum || on.Sum > once.Sum || on.Nodes <= once.Nodes {
			t.Errorf("%d: %d after %d nodes, %d after %d", n, once.Sum, once.Nodes, on.Sum, on.Nodes)
		}
		if on.Sum < once.Sum {
			below++
		}
		p.MostNodes = once.Nodes + 1_000
		if some := Least(t.Context(), p, 2_000); some.Nodes > p.MostNodes+1 || some.Nodes < p.MostNodes {
			t.Errorf("%d: %d nodes, at most %d", n, some.Nodes, p.MostNodes)
		}
	}
	if below < 4 {
		t.Errorf("only %d plans of 6 have become lower", below)
	}
}

// TestWarm: on a network whose first search ends 9% above TensorFlow Lite's strategies, only a round that begins warmer
// leaves that plan.
func TestWarm(t *testing.T) {
	network, err := public.Load("models/hand_landmark_lite.csv")
	if err != nil {
		t.Skip("the public instances are not here: models")
	}
	p := &Problem{Near: make([][]int32, len(network.Buffers))}
	for i, b := range network.Buffers {
		p.Sizes = append(p.Sizes, b.Size)
		var live []int32 // at the start of b
		for j, o := range network.Buffers {
			if i != j && b.Lower < o.Upper && o.Lower < b.Upper {
				p.Near[i] = append(p.Near[i], int32(j))
			}
			if o.Lower <= b.Lower && b.Lower < o.Upper {
				live = append(live, int32(j))
			}
		}
		p.Groups = append(p.Groups, live)
	}
	sum := func(rounds ...int) int64 {
		x := newSearch(p)
		x.watch, x.last = run.NewWatch(t.Context()), 1_000
		defer x.watch.Close()
		x.place(0)
		x.cut, x.last = false, 0
		for _, round := range rounds {
			x.exchange(0, round)
		}
		return x.most
	}
	const strategies = 4_838_976 // the lowest of TensorFlow Lite's
	if cool, warm := sum(0), sum(1); cool <= strategies || warm >= strategies {
		t.Errorf("%d, and %d if the round begins warmer; %d is the lowest of the strategies", cool, warm, strategies)
	}
}
