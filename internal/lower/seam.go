package lower

import (
	"cmp"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
)

// Idea: a step that repeats can be written without a period. What lives over its end, the seam, is then live in
// the first slot and in the last one, with a gap between:
//
//	as it is       ##........####     turned by 4    ....########
//	               ..########....                    ####....####
//
// Who conflicts with whom does not depend on where time begins. So a plan of the turned problem is a plan of the
// problem, with the same height. Searches are far faster on lives without gaps: two buffers with gaps may lie one
// above the other in one slot and share nothing in the next. Time begins anew where the fewest bytes cross, as with a
// period (period.go), if fewer cross there than at the seam.
//
// Invariant: two buffers have the same distance in both problems. Offsets, hints, alignments, sizes and the order
// of the buffers stay. Windows turn with their gaps.
//
// Complexity: O(n) if no buffer lives over the seam, else O(p log p) for p pieces.

// Turned returns a valid problem with another start of time: between the two slots that the fewest live bytes cross.
// It takes a problem without rules, or one whose only rule is its period, which it removes. Buffers and their order
// stay, so the plans of the two are the same. Without rules it returns p itself if there is nothing to gain.
func Turned(p *model.Problem) *model.Problem {
	if p.Rules != nil && p.Rules.Period > 0 {
		l := &Lowering{Problem: p}
		return turn(p, 0, p.Rules.Period, l.cut())
	}
	first, end, seam := seamOf(p)
	if !seam {
		return p
	}
	var lives [][2]int64
	at, saved := quietest(end-first, func(yield func(lower, upper, size int64)) {
		for i := range p.Buffers {
			lives = stretches(lives, &p.Buffers[i], first, end)
			for _, x := range lives {
				yield(x[0]-first, x[1]-first, p.Buffers[i].Size)
			}
		}
	})
	if saved == 0 {
		return p
	}
	return turn(p, first, end-first, at)
}

// seamOf returns the first slot in which a buffer is live and the end of the last. seam says that some buffer is
// live in both and not always between.
func seamOf(p *model.Problem) (first, end int64, seam bool) {
	whole := 0
	for whole < len(p.Buffers) && len(p.Buffers[whole].Gaps) == 0 { // ContainsFunc copies each buffer
		whole++
	}
	if whole == len(p.Buffers) {
		return 0, 0, false
	}
	first, end = math.MaxInt64, math.MinInt64
	for i := range p.Buffers {
		for x := range p.Buffers[i].Pieces {
			first, end = min(first, x.Lower), max(end, x.Upper)
		}
	}
	var lives [][2]int64
	for i := range p.Buffers {
		if b := &p.Buffers[i]; b.Lower <= first && b.Upper >= end && len(b.Gaps) > 0 {
			if lives = stretches(lives, b, first, end); len(lives) > 0 && lives[len(lives)-1][1] > end {
				return first, end, true
			}
		}
	}
	return first, end, false
}

// stretches returns the stretches of time in which a buffer uses any bytes, ascending, in the memory of out. If it
// is live in the first slot and in the last, these are one stretch, the last, which reaches beyond the end.
func stretches(out [][2]int64, b *model.Buffer, first, end int64) [][2]int64 {
	out = out[:0]
	for x := range b.Pieces {
		if n := len(out); n > 0 && out[n-1][1] == x.Lower {
			out[n-1][1] = x.Upper
		} else {
			out = append(out, [2]int64{x.Lower, x.Upper})
		}
	}
	if n := len(out); n > 1 && out[0][0] == first && out[n-1][1] == end {
		out[n-1][1] += out[0][1] - first
		out = out[1:]
	}
	return out
}

// turn cuts the slots from base to base + period at base + at. The result has no rules.
func turn(p *model.Problem, base, period, at int64) *model.Problem {
	plain := *p
	plain.Rules, plain.Buffers = nil, slices.Clone(p.Buffers)
	var all []model.Piece
	for i := range plain.Buffers {
		all = all[:0]
		turned(&p.Buffers[i], base, period, at, func(x model.Piece) { all = append(all, x) })
		sorting.Structs(all, func(x, y model.Piece) int { return cmp.Compare(x.Lower, y.Lower) })
		live(&plain.Buffers[i], all)
	}
	return &plain
}
