package merge

// Learned is what a run passes on to the next: which orders are good, and what has lowered the plan. The zero value is
// for the first run.
type Learned struct {
	diving   diving
	ejecting ejecting
	halving  halving
	restarts int  // of all runs so far
	joined   bool // see Joined
	alone    alone
	parts    bool // rounds took only parts of the groups apart
}

// recall gives a run what was learned. Nodes are counted anew.
func (l *Learned) recall(s *search) {
	s.diving, s.ejecting, s.halving, s.begun, s.joined = l.diving, l.ejecting, l.halving, l.restarts, l.joined
	s.parts, s.alone = l.parts, alone{ways: l.alone.ways}
	s.diving.nodes, s.diving.idle, s.ejecting.mended, s.ejecting.persisted, s.ejecting.settled = 0, 0, 0, 0, 0
}

// note takes what a run has learned.
func (l *Learned) note(s *search) {
	l.diving, l.ejecting, l.halving, l.restarts, l.joined = s.diving, s.ejecting, s.halving, s.begun, s.joined
	l.parts, l.alone = s.parts, s.alone
}

// Lowers reports whether a dive was the last to lower the plan, or an ejection has. Then more of them are the best use
// of the time.
func (l *Learned) Lowers() bool { return l.diving.won || l.ejecting.won }

// Alone reports whether the last run has lowered the plan by ejections of the buffers as they are.
func (l *Learned) Alone() bool { return l.alone.won }

// Joined reports whether the last restart has left less than half as many composites as there are buffers.
func (l *Learned) Joined() bool { return l.joined }
