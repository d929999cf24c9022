package tflm

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/strips"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tiling"
)

// TestFronts compares the paths of each limit of the load with all sets of chains that share no operator, for drawn
// chains: each pair of tail and arithmetic that no other set beats is that of a path, and no path has another pair.
func TestFronts(t *testing.T) {
	compared, large := 0, 0
	for seed := range uint64(60) {
		draw := rand.New(rand.NewPCG(seed, 1))
		upTo := func(n int) int64 { return int64(draw.IntN(n)) }
		s := &splitting{load: make([]int64, 5), least: make([]int64, 5), most: 5 + upTo(40)}
		for k := range s.load {
			s.load[k] = 5 + upTo(10)
		}
		all := make([]segment, 9)
		for k := range all {
			first := draw.IntN(5)
			all[k] = segment{
				chain: strips.Chain{First: first, Last: first + draw.IntN(5-first), Strips: k + 2}, load: upTo(12),
				tail: 1 + upTo(20), macs: upTo(30),
			}
		}
		var sets []*segment
		var limits []int64
		for set := range 1 << len(all) {
			if x := measured(s, all, set); x != nil && x.macs <= s.most {
				sets, limits = append(sets, x), append(limits, x.load, x.load-1)
			}
		}
		slices.Sort(limits)
		for _, limit := range slices.Compact(limits) {
			var want, got [][2]int64
			for _, x := range sets {
				if x.load <= limit && !slices.ContainsFunc(sets, func(y *segment) bool {
					return y.load <= limit && y.tail <= x.tail && y.macs <= x.macs && (y.tail < x.tail || y.macs < x.macs)
				}) {
					want = append(want, [2]int64{x.tail, x.macs})
				}
			}
			for _, x := range s.operators().Front(handed(all), limit) {
				got = append(got, [2]int64{x.Tail, x.Work})
			}
			slices.SortFunc(want, func(x, y [2]int64) int { return cmp.Compare(x[0], y[0]) })
			if want = slices.Compact(want); len(want) < tiling.MostFront && !slices.Equal(got, want) {
				t.Errorf("%d segments, loads to %d: tail and arithmetic are %v, want %v", len(all), limit, got, want)
			}
			compared, large = compared+1, max(large, len(want))
		}
	}
	if compared < 100 || large < 3 {
		t.Errorf("%d fronts were compared, with up to %d paths", compared, large)
	}
}

// TestSegments compares the figures of each chain, and of each choice, with those of the model that is split so: with
// kernels that ask for scratch, and without. A choice is there once, and has the figures of its chains. Around a chain
// windows may be larger in strips, so that the load is a little more.
func TestSegments(t *testing.T) {
	scratched, looked, more := 0, 0, 0
	set := must.Get(ParseSet("cmsis-nn-dsp"))(t)
	for _, set := range []Set{ReferenceSet, set} {
		o := Options{Set: set}
		layers := [][3]int32{{3, 1, 16}, {3, 2, 8}, {3, 1, 8}}
		ints := must.Get(Make(t.Context(), parse(t, tflitemade.Convolutions(24, layers...)), o))(t)
		for _, p := range append(drawnSplittings(t, 12, Options{}), ints) {
			s := must.Get(newSplitting(p.Model, &o, &Firmware32, true))(t)
			s.most = s.macs / 2
			all := useful(s.look(t.Context(), []int{2, 3}, 1<<40, nil), 1<<40)
			figures := func(chains []strips.Chain) (load, tail, macs int64) {
				m, _, err := sketch(strips.Of(p.Model), chains)
				must.Do(t, err)
				l := must.Get(m.Lifetimes())(t)
				scratch := set.Scratch(m)
				a := must.Get(m.Arena(l, scratch))(t)
				scratched += len(scratch)
				r := rows(m, l, a, nil)
				return slices.Max(r.load), set.Predict(m, a, nil, 0, &Firmware32).Tail - s.tail, MACs(m) - s.macs
			}
			for _, x := range all {
				looked++
				load, tail, macs := figures([]strips.Chain{x.chain})
				around := slices.Concat(s.load[:x.chain.First], s.load[x.chain.Last+1:], []int64{x.load})
				if load > slices.Max(around) {
					more++
				}
				if load < slices.Max(around) || tail != x.tail || macs != x.macs || macs > s.most {
					t.Errorf("%s, %v: load %d of %d, tail %d, %d more; the model has %d, %d, %d", set, x.chain, x.load,
						slices.Max(around), x.tail, x.macs, load, tail, macs)
				}
			}
			names := map[string]bool{}
			for _, x := range s.choices(all) {
				if len(x.chains) == 0 {
					continue
				}
				load, tail, macs := figures(x.chains)
				if load < x.load || macs != x.macs || macs > s.most || tail > x.tail || tail < x.tail-x.shared ||
					names[nameOf(x.chains)] {
					t.Errorf("%s, %v: load %d, tail %d, %d shared, %d more; the model has %d, %d, %d", set, x.chains, x.load,
						x.tail, x.shared, x.macs, load, tail, macs)
				}
				names[nameOf(x.chains)] = true
			}
		}
	}
	p := must.Get(Make(t.Context(), parse(t, tflitemade.Convolutions(24, [3]int32{3, 1, 16}, [3]int32{3, 2, 8})),
		Options{Set: set, Named: true}))(t)
	x := must.Get(p.Split(t.Context(), Options{Set: set, Named: true}, SplitOptions{Target: &Firmware32, MaxMACs: 1}))(t)
	if head := must.Get(Head(t.Context(), parse(t, must.Get(x.Plan.Written(p.Model))(t)),
		set.Scratch(x.Plan.Model)))(t); head != x.Choice.Head {
		t.Errorf("%s: the head of the file is %d, of the choice %d", set, head, x.Choice.Head)
	}
	if scratched == 0 || looked < 100 || more*100 > looked {
		t.Errorf("%d chains were looked at, with %d buffers of scratch; %d have a larger load", looked, scratched, more)
	}
}
