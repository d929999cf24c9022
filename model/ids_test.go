package model

import (
	"strconv"
	"testing"
)

// BenchmarkIDs compares the table of ids.go with a map of strings, for a million buffers.
func BenchmarkIDs(b *testing.B) {
	buffers := make([]Buffer, 1_000_000)
	for i := range buffers {
		buffers[i].ID = "tensor" + strconv.Itoa(i)
	}
	b.Run("table", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			seen := newIDs(buffers)
			for i := range buffers {
				seen.add(i)
			}
		}
	})
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
