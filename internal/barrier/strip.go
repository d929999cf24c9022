package barrier

import (
	"slices"
	"sort"
)

// Idea: a use takes each of its bytes over from the latest use of that byte. Earlier ones are before the latest one,
// so a chain leads over it. A strip is cut into ranges of bytes with the same latest users. Each new use replaces the
// ranges that it meets.
//
// A byte may have several latest users, since buffers that meet in time may share it by the rules. A user x of a byte
// counts for y if x is before y, and no other user of the byte is after x and before y.
//
// Invariant: the users of a range include every earlier use x of each of its bytes, unless the byte has a user z
// after x that had ended when some use came. All later uses come after z, so a chain leads over z. With clocks a use
// that comes later may not be after z, so none is forgotten.
//
// Complexity: a use cuts at most two ranges and joins those with the same users. Without shared bytes a range has at
// most two users: one that ended, and the one after it. The ranges are in one slice, so a use also moves what is behind
// it.

// span is a range of bytes with the same users.
type span struct {
	from, to int64
	users    []int32 // uses by index, in the order of their starts; never changed in place
}

// strip is a pool: its spans in ascending order, with holes where no byte was used.
type strip struct {
	spans []span
	fresh []span // scratch of take
}

// take lets use y have its bytes, and returns those from which it takes them over. A use may be there twice.
func (s *strip) take(g *graph, y int32) (found []int32) {
	from, to := g.uses[y].from, g.uses[y].to
	first := sort.Search(len(s.spans), func(k int) bool { return s.spans[k].to > from })
	last := first
	s.fresh = s.fresh[:0]
	at := from
	for ; last < len(s.spans) && s.spans[last].from < to; last++ {
		x := s.spans[last]
		if x.from < from {
			s.add(span{x.from, from, x.users})
			x.from = from
		}
		if at < x.from {
			s.add(span{at, x.from, []int32{y}})
		}
		end := min(x.to, to)
		users, ended := g.follow(x.users, y)
		found = append(found, ended...)
		s.add(span{x.from, end, append(users, y)})
		if end < x.to {
			s.add(span{end, x.to, x.users})
		}
		at = end
	}
	if at < to {
		s.add(span{at, to, []int32{y}})
	}
	s.spans = slices.Replace(s.spans, first, last, s.fresh...)
	return found
}

// add appends a span to fresh, or lengthens the last one if it has the same users.
func (s *strip) add(x span) {
	if n := len(s.fresh); n > 0 && s.fresh[n-1].to == x.from && slices.Equal(s.fresh[n-1].users, x.users) {
		s.fresh[n-1].to = x.to
		return
	}
	s.fresh = append(s.fresh, x)
}

// follow divides the users of a byte for use y, which comes next. ended has those that count for y; users, which
// is new, has all that may count for later uses.
func (g *graph) follow(all []int32, y int32) (users, ended []int32) {
	users = make([]int32, 0, len(all)+1)
	for k, x := range all {
		if !g.before(x, y) {
			users = append(users, x)
			continue
		}
		later := slices.ContainsFunc(all[k+1:], func(z int32) bool { return g.before(x, z) && g.before(z, y) })
		if !later {
			ended = append(ended, x)
		}
		if !later || g.clocks {
			users = append(users, x)
		}
	}
	return users, ended
}
