package gen

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// csv formats a problem without the features that generators leave out.
func csv(p *model.Problem) string {
	var s strings.Builder
	s.WriteString("id,lower,upper,size\n")
	for _, b := range p.Buffers {
		fmt.Fprintf(&s, "%s,%d,%d,%d\n", b.ID, b.Lower, b.Upper, b.Size)
	}
	return s.String()
}

// loads returns the lowest and the highest sum of the sizes live at any time from the first start to the last end.
func loads(p *model.Problem) (low, high int64) {
	change := map[int64]int64{}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		change[b.Lower] += b.Size
		change[b.Upper] -= b.Size
	}
	times := make([]int64, 0, len(change))
	for t := range change {
		times = append(times, t)
	}
	slices.Sort(times)
	low = math.MaxInt64
	sum := int64(0)
	for _, t := range times[:len(times)-1] {
		sum += change[t]
		low, high = min(low, sum), max(high, sum)
	}
	return low, high
}

// TestStable compares every kind with a fingerprint: a seed means the same problem for good.
func TestStable(t *testing.T) {
	var s strings.Builder
	for _, k := range Kinds() {
		all := []Options{{}, {Seed: 1}}
		if slices.Contains(k.Takes, "alignment") {
			all = append(all, Options{Seed: 2, Buffers: 200, Alignment: 32})
		}
		if slices.Contains(k.Takes, "gaps") {
			all = append(all, Options{Seed: 3, Gaps: 0.5, Windows: 0.5})
		}
		for _, o := range all {
			in := must.Get(New(k.Name, o))(t)
			h := fnv.New64a()
			for _, b := range in.Problem.Buffers {
				fmt.Fprintln(h, b.ID, b.Lower, b.Upper, b.Size, b.Alignment)
				for _, g := range b.Gaps {
					fmt.Fprintln(h, model.GapText(g))
				}
			}
			fmt.Fprintf(&s, "%s %s %d buffers %016x\n", k.Name, in.Problem.Name, len(in.Problem.Buffers), h.Sum64())
		}
	}
	golden.File(t, "testdata/fingerprints.txt", []byte(s.String()))
}

func TestSplitmix64(t *testing.T) {
	r := &RNG{}
	for _, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := r.Next(); got != want {
			t.Errorf("got %#x, want %#x", got, want)
		}
	}
}

func TestKnownOptimum(t *testing.T) {
	packings := []string{"perfect", "pinwheel", "walls", "cracks"}
	for _, kind := range append(packings, "non-overlapping", "full-overlap") {
		packing := slices.Contains(packings, kind)
		for seed := range uint64(40) {
			o := Options{Seed: seed, Buffers: 1 + int(seed)*3, Alignment: 1 + int64(seed%3)*7}
			if packing {
				o.Capacity, o.Horizon = 1000*o.Alignment, 130
			}
			in := must.Get(New(kind, o))(t)
			if len(in.Problem.Buffers) != o.Buffers {
				t.Fatalf("%s seed %d: %d buffers, want %d", kind, seed, len(in.Problem.Buffers), o.Buffers)
			}
			if r := verify.CheckHeight(in.Problem, in.Offsets, in.Optimum, in.Optimum); !r.OK() {
				t.Fatalf("%s seed %d: the plan is refused: %s", kind, seed, r.Violations[0].Message)
			}
			if low, high := loads(in.Problem); o.Capacity > 0 && (low != in.Optimum || high != in.Optimum) {
				t.Fatalf("%s seed %d: loads from %d to %d, want %d", kind, seed, low, high, in.Optimum)
			}
		}
		// On small ones the oracle has the last word.
		for seed := range uint64(60) {
			o := Options{Seed: seed, Buffers: 2 + int(seed%5), Alignment: 1 + int64(seed%3)}
			if packing {
				o.Capacity, o.Horizon = 7*o.Alignment, 6
			} else {
				o.MaxSize = 6
			}
			in := must.Get(New(kind, o))(t)
			if h, _, _ := oracle.MinHeight(in.Problem); h != in.Optimum {
				t.Fatalf("%s seed %d: the optimum is %d, not %d", kind, seed, h, in.Optimum)
			}
		}
	}
}

// TestHoles leaves pieces out: the plan stays valid, and the optimum is given if it is known.
func TestHoles(t *testing.T) {
	known, unknown := 0, 0
	for _, kind := range []string{"perfect", "pinwheel", "walls", "cracks"} {
		for seed := range uint64(30) {
			in, err := New(kind, Options{Seed: seed, Buffers: 20, Capacity: 200, Horizon: 200, Holes: float64(seed%6) / 10})
			if err != nil {
				t.Fatal(err)
			}
			_, high := loads(in.Problem)
			if r := verify.Check(in.Problem, in.Offsets, 200); !r.OK() || len(in.Problem.Buffers) != 20 {
				t.Fatalf("%s seed %d: %d buffers, %v", kind, seed, len(in.Problem.Buffers), r)
			}
			if in.Optimum > 0 {
				known++
			} else {
				unknown++
			}
			if want := high == 200; want != (in.Optimum == 200) {
				t.Errorf("%s seed %d: optimum %d, load %d", kind, seed, in.Optimum, high)
			}
		}
	}
	if known < 30 || unknown < 30 {
		t.Errorf("%d known, %d unknown", known, unknown)
	}
}

// TestUncut counts the pieces that are half of a rectangle: nearly all where cuts go
// from edge to edge, about half where walls or cracks grow.
func TestUncut(t *testing.T) {
	share := func(kind string) float64 {
		paired := 0
		for seed := range uint64(20) {
			in := must.Get(New(kind, Options{Seed: seed, Buffers: 100}))(t)
			b := in.Problem.Buffers
			for i := range b {
				if slices.ContainsFunc(b, func(c model.Buffer) bool {
					return c.Size == b[i].Size && (c.Upper == b[i].Lower || c.Lower == b[i].Upper) ||
						c.ID != b[i].ID && c.Lower == b[i].Lower && c.Upper == b[i].Upper
				}) {
					paired++
				}
			}
		}
		return float64(paired) / 2000
	}
	for kind, most := range map[string]float64{"perfect": 1, "pinwheel": 0.3, "walls": 0.6, "cracks": 0.6} {
		s := share(kind)
		t.Logf("%s: %.2f", kind, s)
		if s > most {
			t.Errorf("%s: %.2f of the pieces are half of a rectangle", kind, s)
		}
	}
}

// TestPinwheels checks that pinwheel problems cannot be cut through: for most of them no guillotine cut of the known
// plan exists, as there would be for every perfect one.
func TestPinwheels(t *testing.T) {
	cut := func(kind string, seed uint64) bool {
		in := must.Get(New(kind, Options{Seed: seed, Buffers: 25, Capacity: 1000, Horizon: 1000}))(t)
		for c := int64(1); c < 1000; c++ {
			through := true
			for i, b := range in.Problem.Buffers {
				if in.Offsets[i] < c && c < in.Offsets[i]+b.Size {
					through = false
				}
			}
			if through {
				return true
			}
		}
		return false
	}
	whole := 0
	for seed := range uint64(50) {
		if !cut("perfect", seed) {
			t.Errorf("perfect seed %d has no cut across space", seed)
		}
		if !cut("pinwheel", seed) {
			whole++
		}
	}
	if whole < 20 {
		t.Errorf("only %d of 50 pinwheel problems are not cut through", whole)
	}
}

// problemOf returns the problem of so many shapes.
func problemOf(shapes []shape) *model.Problem {
	p := &model.Problem{}
	for i, s := range shapes {
		p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(i), Lower: s.lower, Upper: s.upper, Size: s.size})
	}
	return p
}

// TestCores asks brute force: no core fits, and each does without any one of its buffers.
func TestCores(t *testing.T) {
	for k, c := range cores {
		p := problemOf(c.shapes)
		if _, load := loads(p); load > c.capacity {
			t.Errorf("core %d: the load %d is above the capacity %d", k, load, c.capacity)
		}
		if oracle.Fits(p, c.capacity) {
			t.Errorf("core %d fits", k)
		}
		for i := range c.shapes {
			if !oracle.Fits(problemOf(slices.Delete(slices.Clone(c.shapes), i, i+1)), c.capacity) {
				t.Errorf("core %d does not fit without shape %d either", k, i)
			}
		}
	}
}

func TestInfeasible(t *testing.T) {
	ties := 0
	for seed := range uint64(150) {
		r := NewRNG(seed, "test")
		o := Options{Seed: seed, Buffers: int(r.Within(13, 16)), Alignment: r.Within(1, 3), Horizon: r.Within(18, 40)}
		o.Capacity = o.Alignment * r.Within(12, 20)
		in := must.Get(New("infeasible", o))(t)
		if len(in.Problem.Buffers) != o.Buffers || !in.Infeasible {
			t.Fatalf("seed %d: %d buffers, infeasible %v", seed, len(in.Problem.Buffers), in.Infeasible)
		}
		if _, load := loads(in.Problem); load > o.Capacity {
			t.Fatalf("seed %d: the load %d is above the capacity %d", seed, load, o.Capacity)
		}
		if oracle.Fits(in.Problem, o.Capacity) {
			t.Fatalf("seed %d fits", seed)
		}
		if low, _ := loads(in.Problem); low > 0 {
			ties++
		}
	}
	if ties < 100 {
		t.Errorf("only %d of 150 are one problem from end to end", ties)
	}
}

func TestRefusals(t *testing.T) {
	for _, tc := range []struct {
		kind string
		o    Options
		want string
	}{
		{"nothing", Options{}, `no generator is named "nothing"; the choices are random,`},
		{"random", Options{Buffers: -1}, "random: buffers -1: must be from 1 to"},
		{"random", Options{MinSize: 9, MaxSize: 8}, "min-size 9 is above max-size 8"},
		{"random", Options{MinLife: 9, MaxLife: 8}, "min-life 9 is above max-life 8"},
		{"random", Options{MaxLife: 9, Horizon: 8}, "max-life 9 is above horizon 8"},
		{"random", Options{Gaps: 1.5, Windows: math.NaN()}, "gaps 1.5: must be from 0 to 1\nrandom: windows NaN"},
		{"random", Options{MaxSize: model.MaxSum}, "the sum of the sizes may exceed"},
		{"unet", Options{Buffers: 5}, "unet: takes no buffers"},
		{"perfect", Options{MinSize: 5, Gaps: 0.1}, "perfect: takes no min-size\nperfect: takes no gaps"},
		{"perfect", Options{Capacity: 100, Alignment: 8}, "must be a multiple of the alignment 8"},
		{"perfect", Options{Capacity: 3, Horizon: 3, Buffers: 10}, "more buffers than slots × units"},
		{"perfect", Options{Alignment: model.MaxSum, Capacity: model.MaxSum, Buffers: 3}, "makes the sum of the aligned sizes exceed"},
		{"infeasible", Options{Buffers: 5}, "5 buffers, 1048576 units of space and 1048576 slots are too few"},
	} {
		_, err := Generate(tc.kind, tc.o)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %+v: error %v, want %q", tc.kind, tc.o, err, tc.want)
		}
	}
}

// TestAnyOptions draws any options, sensible or not. The result is an error or a valid problem of the given size.
func TestAnyOptions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom(Kinds()).Draw(t, "kind")
		number := func(name string) int64 {
			if !slices.Contains(k.Takes, name) {
				return 0
			}
			return rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(1, 50), rapid.Int64Range(1, 5000),
				rapid.Int64(), rapid.Just(int64(model.MaxSum))).Draw(t, name)
		}
		o := Options{
			Buffers: int(min(number("buffers"), 1000)), Seed: rapid.Uint64().Draw(t, "seed"),
			Capacity: number("capacity"), Horizon: number("horizon"),
			MinSize: number("min-size"), MaxSize: number("max-size"), MinLife: number("min-life"),
			MaxLife: number("max-life"), Alignment: number("alignment"),
		}
		if slices.Contains(k.Takes, "gaps") {
			o.Gaps, o.Windows = rapid.Float64Range(0, 1).Draw(t, "gaps"), rapid.Float64Range(0, 1).Draw(t, "windows")
		}
		in, err := New(k.Name, o)
		if err != nil {
			return
		}
		must.Do(t, model.Validate(in.Problem))
		if n := len(in.Problem.Buffers); o.Buffers > 0 && n != o.Buffers || n == 0 {
			t.Fatalf("%d buffers, want %d", n, o.Buffers)
		}
		if in.Offsets != nil {
			// If the optimum is not known, the plan shows that the capacity fits.
			height, capacity := in.Optimum, int64(0)
			if height == 0 {
				height, capacity = model.HeightOf(in.Problem, in.Offsets), in.Problem.Capacity
			}
			if r := verify.CheckHeight(in.Problem, in.Offsets, capacity, height); !r.OK() {
				t.Fatal(r.Violations[0].Message)
			}
		}
	})
}
