package penalty

import (
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
)

// allowed reports whether offsets of bodies are a plan of the field.
func (f *Field) allowed(offsets []int64) bool {
	for i, at := range offsets {
		in := slices.ContainsFunc(f.roomsOf(int32(i)), func(x room) bool { return x.low <= at && at <= x.high })
		if !in || at%f.align[i] != 0 {
			return false
		}
		for _, x := range f.hardOf(int32(i)) {
			if d := at - offsets[x.to]; x.below < d && d < x.above {
				return false
			}
		}
	}
	return true
}

// check checks the plan, what each body pays and who pays.
func (r *ruin) check() {
	invariants.Must(r.field.allowed(r.at), "the plan is none")
	invariants.Equal(r.cost, r.field.Paid(r.at), "what all pay")
	for i := range r.at {
		invariants.Equal(r.pays[i], r.paysNow(int32(i)), "what a body pays", i)
		at := r.rank[i]
		invariants.Equal(at >= 0, r.pays[i] > 0, "whether a body is listed", i)
		invariants.Must(at < 0 || r.hurt[at] == int32(i), "not in its place is body", i)
	}
}
