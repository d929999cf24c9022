package beam

// Idea: passes with offsets are quicker, those without (loose.go) end lower on some problems. Which of the two a
// problem needs is seen only while they run, and changes as the plan gets lower. So they have turns, the first ones
// together with ejections (balance.go). The one that took more off the plan for its time, not long ago, has more of the
// time. The other one never has none. If nobody lowers the plan both have as much.
//
// Invariant: while one is ahead it has favoured times the time of the other one, but for the length of a turn. All
// depends on nodes and heights alone.
//
// Complexity: O(1) a turn.
//
// Source: this project. Turns are dealt out as by stride scheduling (Waldspurger, 1995).

// The arms.
const (
	byOffsets = iota // passes with offsets, and ejections
	byOrders         // passes with loose layouts
	arms
)

const (
	// favoured is how many times the time of the other arm the better one has.
	favoured = 3
	// spanNodes is the span of a share for each layout of a first beam and each buffer: a few passes.
	spanNodes = 32
)

// A share divides the time of a run between the arms. Its zero value needs a span.
type share struct {
	span int64 // a gain counts half after so much time of the arm that had it
	arms [arms]arm
}

// An arm is what is known of one of the two. Times are in nodes of passes with offsets.
type arm struct {
	closed     bool
	due        int64 // the one with the least has the next turn
	gain, time int64 // of its turns, those of long ago less
}

// next returns the arm that has the next turn, or arms if both are closed.
func (s *share) next() int {
	least := arms
	for i := range s.arms {
		if a := &s.arms[i]; !a.closed && (least == arms || a.due < s.arms[least].due) {
			least = i
		}
	}
	return least
}

// note notes what a turn took off the plan, and its time.
func (s *share) note(i int, gain, time int64) {
	a, o := &s.arms[i], &s.arms[1-i]
	time = max(time, 1)
	left := float64(s.span) / float64(s.span+time)
	a.gain, a.time = int64(float64(a.gain)*left)+gain, int64(float64(a.time)*left)+time
	if !o.closed && float64(o.gain)*float64(a.time) >= float64(a.gain)*float64(o.time) {
		time *= favoured
	}
	a.due += time
}
