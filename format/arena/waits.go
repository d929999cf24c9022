package arena

// Idea: an allocation that is free while other streams use it is held. It is listed under each pair of its own stream
// and a stream that uses it. A wait ends a pair, and takes its list off, so that no wait looks at what it does not end.
//
// Invariant: a held allocation has as many uses left as pairs that list it.
//
// Complexity: O(1) for each use. A wait of all streams, or for all, goes through the pairs.

// A held allocation is free, but other streams use it.
type held struct {
	id   int64
	left int // streams whose use has not ended
}

// waits have what is held: by the stream that must wait, and by the stream that it waits for.
type waits map[uint64]map[uint64][]*held

// add holds an allocation of a stream that others use, each named once.
func (w waits) add(id int64, stream uint64, users []uint64) {
	of := w[stream]
	if of == nil {
		of = map[uint64][]*held{}
		w[stream] = of
	}
	h := &held{id, len(users)}
	for _, user := range users {
		of[user] = append(of[user], h)
	}
}

// end calls release for each allocation whose last use ends as one stream, or Every, waits for another, or Every.
func (w waits) end(waiter, waited uint64, release func(id int64)) {
	if waiter == Every {
		for stream := range w {
			w.endOf(stream, waited, release)
		}
		return
	}
	w.endOf(waiter, waited, release)
}

func (w waits) endOf(waiter, waited uint64, release func(id int64)) {
	of := w[waiter]
	end := func(user uint64) {
		for _, h := range of[user] {
			if h.left--; h.left == 0 {
				release(h.id)
			}
		}
		delete(of, user)
	}
	if waited != Every {
		end(waited)
	} else {
		for user := range of {
			end(user)
		}
	}
	if len(of) == 0 {
		delete(w, waiter)
	}
}
