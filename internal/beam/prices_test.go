package beam

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestHold follows prices node by node. A buffer costs holdTimes its own price for the holdNodes nodes after the one
// that has placed it last, and its own price after that. Without hold it always costs its own.
func TestHold(t *testing.T) {
	for _, hold := range []bool{true, false} {
		held, own := 0, 0
		for seed := range uint64(10) {
			tl := timeline.New(crowded(seed, 60, 1<<11, heavy))
			e := newEjection(passOf(t, tl))
			e.settings.hold, e.settings.urgent = hold, seed%2 == 0
			start := make([]int64, len(e.order))
			for i := range start {
				start[i] = -1
			}
			roof := (tl.LowerBound + tl.LowerBound/50) / e.granule
			e.begin(start, roof, roof)
			price, placed := make([]int64, len(e.order)), make([]int, len(e.order))
			for k := range price {
				price[k], placed[k] = costUnit, -holdNodes
			}
			for node := 1; node < 1000 && len(e.out) > 0; node++ {
				k := e.pop()
				if _, cost := e.cheapest(k, roof); cost > 0 {
					price[k] += costStep
				}
				placed[k] = node
				e.try.count++
				e.put(k, roof)
				for j := range e.order {
					want := price[j]
					if hold && node-placed[j] < holdNodes {
						want *= holdTimes
					}
					if !e.spots[j].placed {
						continue
					}
					if e.cost[j] != want {
						t.Fatalf("hold %v, seed %d, node %d: buffer %d costs %d, want %d", hold, seed, node, j, e.cost[j], want)
					}
					if want > price[j] {
						held++
					} else {
						own++
					}
				}
			}
		}
		if own < 10_000 || hold != (held > 10_000) {
			t.Errorf("hold %v: %d prices are held and %d are not", hold, held, own)
		}
	}
}

// TestUrgent: buffers come back by area times the root of their price, as exactly as logarithms say. Without urgent
// they come back by area alone.
func TestUrgent(t *testing.T) {
	for _, urgent := range []bool{true, false} {
		earlier := 0
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 11))
			e := newEjection(passOf(t, timeline.New(crowded(seed, 120, 1<<12, heavy))))
			e.settings.urgent = urgent
			for k := range e.order {
				e.own[k] = 1 + r.Int64N(1<<r.IntN(costBits))
				e.drop(int32(k))
			}
			weight := func(k int32) float64 {
				return math.Log2(float64(e.size[k])*float64(e.last[k]-e.first[k])) + math.Log2(float64(e.own[k]))/urgency
			}
			for before := e.pop(); len(e.out) > 0; {
				k := e.pop()
				if e.rank[before] > e.rank[k] {
					earlier++
				}
				if urgent && weight(k) > weight(before)+0.25 {
					t.Fatalf("seed %d: a buffer of %.2f comes before one of %.2f", seed, weight(before), weight(k))
				}
				before = k
			}
		}
		if urgent != (earlier > 200) || !urgent && earlier > 0 {
			t.Errorf("urgent %v: %d buffers come before a larger one", urgent, earlier)
		}
	}
}

// TestLogarithm compares logarithms with true ones. They never fall.
func TestLogarithm(t *testing.T) {
	last := int64(-1)
	for v := int64(1); v < 1<<40; v += 1 + v/97 {
		l := logarithm(v)
		if off := float64(l)/(1<<fractionBits) - math.Log2(float64(v)); off < -0.09 || off > 0.001 {
			t.Fatalf("the logarithm of %d is off by %.3f", v, off)
		}
		if l < last {
			t.Fatalf("the logarithm of %d is below one before", v)
		}
		last = l
	}
}

// brimful returns buffers in a memory that is full at all times: what begins takes what is left, if it is larger.
func brimful(seed uint64, n int) *model.Problem {
	const memory = 1 << 16
	r := rand.New(rand.NewPCG(seed, 12))
	p := &model.Problem{}
	for t := int64(0); len(p.Buffers) < n; t++ {
		used := inUse(p, t)
		for used*100 < memory*97 && len(p.Buffers) < n {
			z := min(memory-used, 16*int64(16*math.Pow(1-r.Float64(), -1.25)))
			p.Buffers = append(p.Buffers, model.Buffer{
				ID: strconv.Itoa(len(p.Buffers)), Lower: t, Upper: t + 1 + int64(15*r.ExpFloat64()), Size: z,
			})
			used += z
		}
	}
	return p
}

// TestHoldHelps: with hold more attempts come to rest at one ceiling. Sizes have a tail so heavy that few buffers fill
// most of the memory.
func TestHoldHelps(t *testing.T) {
	found := func(hold bool) (plans int, nodes int64) {
		for seed := range uint64(4) {
			tl := timeline.New(brimful(seed, 700))
			x := passOf(t, tl)
			x.settings.hold, x.settings.urgent = hold, true
			e := newEjection(x)
			e.patience = 1 << 40
			start := slices.Repeat([]int64{-1}, len(e.order))
			if tried(e, start, tl.LowerBound*109/100/e.granule, 40_000) != nil {
				plans++
			}
			nodes += e.nodes
		}
		return plans, nodes
	}
	with, nodes := found(true)
	off, more := found(false)
	t.Logf("%d plans in %d nodes, %d in %d without hold", with, nodes, off, more)
	if with < 3 || off > 1 {
		t.Errorf("%d plans with hold, %d without it", with, off)
	}
}
