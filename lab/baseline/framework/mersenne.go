package framework

// mersenne is MT19937 (Matsumoto and Nishimura, 1998), seeded and read like Python's module random, or like C++'s
// std::mt19937. So the random walk of a planner in these languages can be repeated.
type mersenne struct {
	state [624]uint32
	next  int
}

// newMersenne seeds the generator as random.seed(seed) does: the seed's words, low one first, are the key.
func newMersenne(seed uint64) *mersenne {
	key := []uint32{uint32(seed)}
	if high := uint32(seed >> 32); high != 0 {
		key = append(key, high)
	}
	m := newMT19937(19650218)
	s := &m.state
	i, j := 1, 0
	wrap := func() {
		if i++; i == 624 {
			s[0], i = s[623], 1
		}
	}
	for range max(624, len(key)) {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1664525) + key[j] + uint32(j)
		wrap()
		if j++; j == len(key) {
			j = 0
		}
	}
	for range 623 {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1566083941) - uint32(i)
		wrap()
	}
	s[0] = 1 << 31
	return m
}

// newMT19937 seeds the generator as std::mt19937(seed) does.
func newMT19937(seed uint32) *mersenne {
	m := &mersenne{next: 624}
	s := &m.state
	s[0] = seed
	for i := 1; i < 624; i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + uint32(i)
	}
	return m
}

func (m *mersenne) uint32() uint32 {
	s := &m.state
	if m.next == 624 {
		for k := range s {
			y := s[k]&(1<<31) | s[(k+1)%624]&(1<<31-1)
			x := s[(k+397)%624] ^ y>>1
			if y&1 != 0 {
				x ^= 0x9908b0df
			}
			s[k] = x
		}
		m.next = 0
	}
	y := s[m.next]
	m.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// within is random.randint(low, high), both ends included, for ranges of up to
// 31 bits: as many bits as the range needs, drawn until they are in it.
func (m *mersenne) within(low, high int) int {
	n := uint32(high - low + 1)
	width := 0
	for n>>width != 0 {
		width++
	}
	for {
		if v := m.uint32() >> (32 - width); v < n {
			return low + int(v)
		}
	}
}
