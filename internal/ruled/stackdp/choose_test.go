package stackdp

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// asked draws a question of a narrow problem. Excesses are what the buffers are worth, and free cells have prices, all
// small.
func asked(r *rand.Rand, p *model.Problem, capacity int64) *Question {
	tl := timeline.New(p)
	q := &Question{Sections: tl.Sections(), Capacity: capacity, Width: 100_000, Limit: 1_000}
	for i := range p.Buffers {
		s := tl.Spans(i)[0]
		x := In(s.First, s.Last, p.Buffers[i].Size)
		switch r.IntN(6) {
		case 0: // in any case
		case 1:
			x.In, x.Out = r.Int64N(20), 0
		default:
			x.Out = r.Int64N(20)
		}
		q.Items = append(q.Items, x)
	}
	for range q.Sections {
		q.Price = append(q.Price, int64(r.IntN(2)))
	}
	for t := range q.Sections { // at most all but one of the items of a section
		y := Inequality{Section: int32(t), Most: -1, Price: int64(r.IntN(3))}
		for i := range q.Items {
			if x := &q.Items[i]; x.First <= int32(t) && int32(t) < x.Last {
				y.Items, y.Weights = append(y.Items, int32(i)), append(y.Weights, 1)
				y.Most++
			}
		}
		if sum := tl.Load[t]; sum > capacity {
			q.Inequalities = append(q.Inequalities, y)
		}
	}
	return q
}

// naive returns the least excess of a choice that fits, by all choices and brute force.
func naive(p *model.Problem, q *Question, height func(in int) int64) int64 {
	least := int64(math.MaxInt64)
	for in := range 1 << len(q.Items) {
		excess, ok := int64(0), true
		for i := range q.Items {
			by := q.Items[i].Out
			if in>>i&1 == 1 {
				by = q.Items[i].In
			}
			if ok = ok && by < never; ok {
				excess += by
			}
		}
		for t := range q.Sections {
			free := q.Capacity
			for i := range q.Items {
				if x := &q.Items[i]; in>>i&1 == 1 && x.First <= int32(t) && int32(t) < x.Last {
					free -= x.Size
				}
			}
			ok = ok && free >= 0
			excess += free * q.Price[t]
		}
		for _, y := range q.Inequalities {
			left := y.Most
			for _, i := range y.Items {
				left -= int64(in >> i & 1)
			}
			excess += left * y.Price
		}
		if ok && excess < least && height(in) <= q.Capacity {
			least = excess
		}
	}
	return least
}

// part returns the problem of the buffers that are in.
func part(p *model.Problem, in func(i int) bool) *model.Problem {
	some := &model.Problem{}
	for i := range p.Buffers {
		if in(i) {
			some.Buffers = append(some.Buffers, p.Buffers[i])
		}
	}
	return some
}

// TestChoices: with enough width the walk finds the least excess, and with loose buffers, or little width, a bound of
// it.
func TestChoices(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 15))
	apart, bounds := 0, 0
	for n := range plantest.Share(600, 100, 60) {
		p := narrow(r, 8, 3, 24)
		capacity := timeline.New(p).LowerBound * int64(70+r.IntN(30)) / 100
		if n%2 == 0 { // its loads fit, and it does not
			in, err := gen.New("infeasible", gen.Options{Buffers: 9 + n%3, Capacity: 24, Horizon: 24, Seed: uint64(n)})
			if err != nil {
				t.Fatal(err)
			}
			p, capacity = in.Problem, 24
		}
		q := asked(r, p, capacity)
		height := func(in int) int64 {
			some := part(p, func(i int) bool { return in>>i&1 == 1 })
			if len(some.Buffers) == 0 {
				return 0
			}
			h, _, _ := oracle.Lowest(some)
			return h
		}
		least := naive(p, q, height)
		byLoad := naive(p, q, func(int) int64 { return 0 })
		if byLoad < least {
			apart++
		}
		limit := q.Limit
		for _, limit := range []int64{limit, least, least - 1} {
			if limit < 0 || limit == math.MaxInt64 {
				continue
			}
			q.Limit = limit
			c := Choose(context.Background(), q)
			if c.Found != (least <= limit) || c.Found && (c.Excess != least || c.Low != least) || !c.Found &&
				c.Low != math.MaxInt64 {
				t.Fatalf("limit %d, want %d: found %v, excess %d, low %d", limit, least, c.Found, c.Excess, c.Low)
			}
			if c.Found {
				some := part(p, func(i int) bool { return c.In[i] })
				n := 0
				var offsets []int64
				for i := range p.Buffers {
					if c.In[i] {
						offsets = append(offsets, c.Offsets[i])
						n++
					}
				}
				if n > 0 {
					if why := verify.First(some, offsets, capacity, -1); why != "" {
						t.Fatal(why)
					}
				}
			}
		}
		q.Limit = limit
		for _, with := range []func(){
			func() { q.Loose = 2 }, func() { q.Loose = 4 }, func() { q.Loose, q.Width = 0, 3 }, func() { q.Any = true },
			func() { q.Most = 40 },
		} {
			with()
			c := Choose(context.Background(), q)
			if c.Low > least {
				t.Fatalf("loose %d, width %d, most %d: the bound is %d, and %d can be had", q.Loose, q.Width, q.Most, c.Low, least)
			}
			if c.Found && c.Offsets != nil && c.Excess < least {
				t.Fatalf("loose %d, width %d: excess %d, below the least, %d", q.Loose, q.Width, c.Excess, least)
			}
			if c.Low > byLoad && c.Low < math.MaxInt64 {
				bounds++
			}
		}
	}
	t.Logf("%d need more than the loads say, %d bounds above those of the loads", apart, bounds)
	if apart < 5 || bounds < 5 {
		t.Errorf("%d need more than the loads say, %d bounds above those of the loads", apart, bounds)
	}
}

// The most states of TestSuperfluous.
const mostPacks, mostChosen = 26_000, 17_000

// TestSuperfluous: dominance, states upside down, what is ahead and the order of choices each make a walk shorter.
// The limits on states are the walk's present numbers, with some room.
func TestSuperfluous(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 16))
	var packs, chooses int64
	for range 5 {
		p := narrow(r, 24, 4, 20)
		tl := timeline.New(p)
		packs += Fit(context.Background(), tl, tl.LowerBound*21/20, 20_000, 0).States
		q := asked(r, p, tl.LowerBound*8/10)
		q.Limit, q.Width = 150, 20_000
		chooses += Choose(context.Background(), q).States
	}
	t.Logf("%d states to pack, %d to choose", packs, chooses)
	if packs > mostPacks || chooses > mostChosen {
		t.Errorf("%d states to pack, %d to choose: want at most %d and %d", packs, chooses, mostPacks, mostChosen)
	}
}

// TestLooseFor: no section can hold more buffers that are not loose, and a lower size would let one.
func TestLooseFor(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 17))
	raised := 0
	for range 50 {
		p := narrow(r, 40, 8, 20)
		q := asked(r, p, timeline.New(p).LowerBound*8/10)
		most := func(loose int64) (most int) {
			for s := range int32(q.Sections) {
				n, room := 0, q.Capacity
				for size := loose; size <= 20; size++ { // the smallest first
					for i := range q.Items {
						if x := &q.Items[i]; x.First <= s && s < x.Last && x.Size == size && room >= size {
							n, room = n+1, room-size
						}
					}
				}
				most = max(most, n)
			}
			return most
		}
		loose := q.LooseFor(4)
		if got := most(loose); got > 4 {
			t.Fatalf("from size %d on, %d fit together", loose, got)
		}
		if loose > 0 {
			raised++
			if got := most(loose - 1); got <= 4 {
				t.Fatalf("from size %d on, %d fit together: no need for %d", loose-1, got, loose)
			}
		}
	}
	if raised == 0 {
		t.Error("nothing is ever loose")
	}
}
