package canonical

import (
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/timeline"
)

// TestMembersAreSorted raises bounds and places buffers, and looks at each section: the
// unplaced members come first, in order, and no member is lost.
func TestMembersAreSorted(t *testing.T) {
	sections := 0
	for seed := range uint64(60) {
		p := tapered(seed, 10)
		if len(timeline.New(p).Partitions) > 1 {
			continue
		}
		k, _ := rootOf(p, 1000)
		for j := range k.n {
			for s := range k.m {
				list := k.members.of(s)
				before := slices.Sorted(slices.Values(list))
				k.sortMembers(list, 0, int(k.live[s]))
				for at, x := range list {
					if placed := k.placed(k.owner[x]); placed != (at >= int(k.live[s])) {
						t.Fatalf("seed %d: a member at %d of %d live ones: placed %v", seed, at, k.live[s], placed)
					}
					if at > 0 && at < int(k.live[s]) && k.block[list[at-1]].start > k.block[x].start {
						t.Fatalf("seed %d: members are not in order", seed)
					}
				}
				if !slices.Equal(slices.Sorted(slices.Values(list)), before) {
					t.Fatalf("seed %d: section %d lost a member", seed, s)
				}
				sections++
			}
			k.setInf((j*3+1)%k.n, k.inf[(j*3+1)%k.n]+int64(j))
			k.place((j*7 + 3) % k.n)
		}
	}
	if sections < 100 {
		t.Error("only", sections, "sections were looked at")
	}
}

// TestMembersListAllPieces compares the table with the spans of the pieces.
func TestMembersListAllPieces(t *testing.T) {
	k, _ := rootOf(tapered(3, 9), 1000)
	for s := range k.m {
		var want []Piece
		for x := range Piece(len(k.span)) {
			if k.span[x].first <= s && s < k.span[x].last {
				want = append(want, x)
			}
		}
		if got := k.members.of(s); !slices.Equal(got, want) {
			t.Errorf("section %d has the members %v, want %v", s, got, want)
		}
	}
}
