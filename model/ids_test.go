package model

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestIDs compares the set with a map. The IDs have rising numbers, falling ones, ones that rise only up to some
// buffer, long ones with equal ends, no numbers, or no characters.
func TestIDs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	again, tables := 0, 0
	names := []string{"", "a", "b.0", "x1000000000000000000", "x2000000000000000000"}
	for range 20_000 {
		buffers := make([]Buffer, rng.IntN(9))
		rising := rng.IntN(9)
		for i := range buffers {
			n := i
			if i >= rising {
				n = rng.IntN(12)
			}
			if rng.IntN(9) > 0 {
				buffers[i].ID = names[rng.IntN(len(names))] + strconv.Itoa(95+n)
			}
			if rng.IntN(30) == 0 {
				buffers[i].ID = names[rng.IntN(len(names))]
			}
		}
		s, seen := newIDs(buffers), map[string]int{}
		for i := range buffers {
			id := buffers[i].ID
			if id == "" {
				continue
			}
			want, known := seen[id]
			if !known {
				want, seen[id] = i, i
			} else {
				again++
			}
			if got := s.add(i); got != want {
				t.Fatalf("%v: %d is that of %d, want %d", buffers, i, got, want)
			}
		}
		if s.slots != nil {
			tables++
		}
	}
	if again < 1000 || tables < 5000 || tables > 18_000 {
		t.Errorf("%d duplicates, %d tables", again, tables)
	}
}

// BenchmarkIDs compares the ways of ids.go with a map of strings, for a million buffers.
func BenchmarkIDs(b *testing.B) {
	buffers := make([]Buffer, 1_000_000)
	for i := range buffers {
		buffers[i].ID = "tensor" + strconv.Itoa(i)
	}
	for name, add := range map[string]func(*ids, int) int{"rising": (*ids).add, "table": (*ids).enter} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				seen := newIDs(buffers)
				if name == "table" {
					seen.table()
				}
				for i := range buffers {
					add(seen, i)
				}
			}
		})
	}
	b.Run("map", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			seen := make(map[string]int32, len(buffers))
			for i := range buffers {
				if _, again := seen[buffers[i].ID]; !again {
					seen[buffers[i].ID] = int32(i)
				}
			}
		}
	})
}
