// Package drawn draws problems for tests, benchmarks and the laboratory: small and wide ones that
// brute force can answer (Tiny, Wide, EachSmall), awkward ones that people can read (Awkward), ones
// whose optimum is known and that have every feature (Cut), and the kinds of internal/gen with
// their options drawn too (Drawn). The command does not offer these.
//
// A seed decides a problem, byte for byte, on every machine and with every version of Go.
package drawn

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/model"
)

// Idea: a planner that was tuned on a generator's defaults is good at these. So the options of a kind are drawn, too,
// by their logarithms, over their whole ranges: numbers of buffers, horizons of four slots and of a million, sizes
// that are all alike and sizes of six digits, packings with holes and without. Alignments, gaps, windows and hints
// are added to a share of the problems, whatever the kind.

// Varied are the kinds with many problems whose answer the kind does not give away. It leaves out full-placed, which
// is younger than the digests of decisions that draw from these kinds (internal/testkit/recorded).
func Varied() []gen.Kind {
	return slices.DeleteFunc(gen.Kinds(), func(k gen.Kind) bool {
		return !slices.Contains(k.Takes, "seed") ||
			slices.Contains([]string{"infeasible", "non-overlapping", "full-overlap", "full-placed"}, k.Name)
	})
}

// DrawnKinds are the names of the kinds that Drawn draws from, those of Varied.
func DrawnKinds() []string {
	var names []string
	for _, k := range Varied() {
		names = append(names, k.Name)
	}
	return names
}

// Drawn returns a valid problem of the kind with least to most buffers, about as many in
// kinds that have a grain of their own. It has no capacity and no fixed offsets.
func Drawn(kind string, seed uint64, least, most int) *model.Problem {
	for ; ; seed += 1 << 32 {
		p, err := attempt(kind, seed, least, most)
		if err == nil && model.Validate(p) == nil {
			p.Capacity = 0
			return p
		}
		// A packing too fine for its rectangle, or alignments that make the sum too large.
	}
}

// attempt is Drawn, but that what was drawn may be too much.
func attempt(kind string, seed uint64, least, most int) (*model.Problem, error) {
	r := gen.NewRNG(seed, "drawn "+kind)
	kinds := gen.Kinds()
	at := slices.IndexFunc(kinds, func(k gen.Kind) bool { return k.Name == kind })
	if at < 0 {
		return nil, fmt.Errorf("no generator is named %q", kind)
	}
	takes := func(option string) bool { return slices.Contains(kinds[at].Takes, option) }
	o := gen.Options{Seed: r.Next(), Buffers: int(logarithmic(r, int64(least), int64(most)))}
	if takes("horizon") && r.Chance(0.8) {
		o.Horizon = logarithmic(r, 4, 1<<20)
	}
	if takes("max-life") {
		if o.Horizon == 0 {
			o.Horizon = 1000
		}
		o.MaxLife = logarithmic(r, 1, o.Horizon)
		o.MinLife = logarithmic(r, 1, o.MaxLife)
	}
	if takes("max-size") {
		o.MaxSize = logarithmic(r, 1, 1<<24)
		o.MinSize = logarithmic(r, 1, o.MaxSize)
	}
	if slices.Contains([]string{"perfect", "pinwheel", "walls", "cracks", "synthetic"}, kind) && r.Chance(0.5) {
		o.Capacity = logarithmic(r, 16, 1<<30)
	}
	if takes("holes") && r.Chance(0.5) {
		o.Holes = 0.3 * float64(r.Below(1000)) / 1000
	}
	if kind == "tiles" || kind == "decode" || r.Chance(0.15) { // else most are at powers of two
		o.Alignment = r.Pick(0, 0, 0, 16, 64, 512)
	}
	p, err := gen.Generate(kind, o)
	if err != nil {
		return nil, err
	}
	lay(r, p)
	return p, nil
}

// lay lays features over a problem: most have none, some have one, few have several.
func lay(r *gen.RNG, p *model.Problem) {
	alike, gaps, hints := r.Below(8), r.Below(8), r.Chance(0.1)
	all := r.Pick(wideAlignments...)
	share, windows := r.Pick(1, 3, 10), 0.0
	if r.Chance(0.5) {
		windows = 0.5
	}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		switch alike {
		case 0:
			b.Alignment = all
		case 1:
			b.Alignment = r.Pick(wideAlignments...)
		}
		if gaps == 0 && r.Below(10) < share {
			b.Gaps = r.Gaps(b, windows)
		}
		if hints {
			at := r.Below(1 + 4*b.Size)
			b.Hint = &at
		}
	}
}

// logarithmic returns a number in [low, high], low at least 1: each length in bits is as
// likely as any other. Logarithms themselves are not the same on every machine.
func logarithmic(r *gen.RNG, low, high int64) int64 {
	length := r.Within(int64(bits.Len64(uint64(low))), int64(bits.Len64(uint64(high))))
	return r.Within(max(low, 1<<(length-1)), min(high, 1<<length-1))
}
