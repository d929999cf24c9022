// Package splitmix is the generator splitmix64 (Steele, Lea, Flood, OOPSLA 2014). It is written out because a seed must
// give the same problem, the same search and the same backtracks with every version of Go, on every machine.
package splitmix

// Next moves the state on and returns its next number.
func Next(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
