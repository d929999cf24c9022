package plan

// A Wait says that one buffer takes over bytes of another: Buffer must not begin at time At before For has
// ended at time Until. Barriers of the root package finds them.
type Wait struct {
	// Buffer is the one that must wait, as an index into Problem.Buffers.
	Buffer int
	// At is the time at which Buffer begins to use the bytes: its Lower, or the end of a gap or of an eviction.
	At int64
	// For is the buffer whose bytes are taken over, as an index into Problem.Buffers.
	For int
	// Until is the time at which For ends its use: its Upper, or the start of a gap or of an eviction.
	Until int64
	// Turn is 0, unless time repeats (Rules.Period). It is then the turn of For, counted from that of Buffer: -1 is the
	// turn before. At and Until are times as the problem has them, so that Until + Turn*Period <= At.
	Turn int
}
