package order

import (
	"encoding/binary"
	"math/bits"
)

// bitset is a set of operators, 64 to a word.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) has(o int32) bool { return s[o>>6]>>(o&63)&1 != 0 }
func (s bitset) add(o int32)      { s[o>>6] |= 1 << (o & 63) }
func (s bitset) drop(o int32)     { s[o>>6] &^= 1 << (o & 63) }

// key returns the set as the key of a map.
func (s bitset) key() string {
	key := make([]byte, 0, 8*len(s))
	for _, word := range s {
		key = binary.LittleEndian.AppendUint64(key, word)
	}
	return string(key)
}

func (s bitset) count() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}
