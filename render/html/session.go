package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/stowage-go/stowage/internal/poolview"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render/svg"
)

// Idea: a page of a session has the buffers at the start, and the changes of each call, some 130 bytes. From these
// the viewer makes the plans before and after a call (viewer/session.js). Lanes of pools have room for the whole
// session, so a buffer that stays is always drawn at the same place.
//
// Complexity: O(n) for each call, to see what changed.

// A Session is what a page plays: a plan that follows changes.
type Session struct {
	data sessionData
	last map[string]held
	p    *model.Problem // after the last call
	plan *model.Plan
	tops []int64 // the highest end of a buffer in each pool, and of what did not fit there
}

// A Call says what became of a call of a session.
type Call struct {
	// Text says it in a line.
	Text string
	// Tried is the buffer that did not fit; nil if the call was made, or is about no buffer.
	Tried *model.Buffer
	// Over is a time at which the load is too much, if that is why; nil otherwise.
	Over *int64
	// Pools are the IDs of the pools where it is; nil for all.
	Pools []string
	// Moved is the number of other buffers that moved.
	Moved int
}

// held is a buffer with its place: ID, lower, upper, size, offset, 1 if it is pinned, pool, and gaps. The last two are
// left out if nothing is to be said.
type held struct {
	id                         string
	lower, upper, size, offset int64
	pinned                     bool
	pool                       int32
	// a list of numbers in JSON, five for each: from, to, windowed, low, high; empty for none
	gaps string
}

// MarshalJSON writes it as a list.
func (h held) MarshalJSON() ([]byte, error) {
	pinned := 0
	if h.pinned {
		pinned = 1
	}
	list := []any{h.id, h.lower, h.upper, h.size, h.offset, pinned}
	if h.pool > 0 || h.gaps != "" {
		list = append(list, h.pool)
	}
	if h.gaps != "" {
		list = append(list, json.RawMessage(h.gaps))
	}
	return json.Marshal(list)
}

type sessionData struct {
	Title    string        `json:"title"`
	Capacity int64         `json:"capacity"`
	Lanes    []sessionLane `json:"lanes,omitempty"` // with rules: one for each pool
	Start    []held        `json:"start"`
	Calls    []sessionCall `json:"calls"`
	Facts    [][2]string   `json:"facts"`
}

// A sessionLane is a pool as the page has it.
type sessionLane struct {
	Name     string     `json:"name"`
	Room     int64      `json:"room"`
	Capacity int64      `json:"capacity"`
	Reserved [][2]int64 `json:"reserved"`
}

type sessionCall struct {
	Text     string   `json:"text"`
	Set      []held   `json:"set,omitempty"`
	Gone     []string `json:"gone,omitempty"`
	Tried    *held    `json:"tried,omitempty"`
	Over     *int64   `json:"over,omitempty"`
	In       []int    `json:"in,omitempty"` // the lanes where it is over; nil for all
	Moved    int      `json:"moved,omitempty"`
	Capacity *int64   `json:"capacity,omitempty"` // if it is another than before
	Pools    []int64  `json:"pools,omitempty"`    // the capacities of all pools, if one is another than before
}

// mostNamed is how many buffers a call names that moved.
const mostNamed = 4

// NewSession begins with a problem and its plan.
func NewSession(title string, p *model.Problem, plan *model.Plan) *Session {
	s := &Session{data: sessionData{Title: title, Capacity: p.Capacity, Start: []held{}, Calls: []sessionCall{}}}
	if p.Ruled() { // also of one pool, for its load bounds nothing
		s.data.Capacity = 0
		for _, q := range p.AllPools() {
			lane := sessionLane{Name: q.ID, Capacity: q.Capacity, Reserved: [][2]int64{}}
			for _, r := range q.Reserved {
				lane.Reserved = append(lane.Reserved, [2]int64{r.Lower, r.Upper})
			}
			s.data.Lanes = append(s.data.Lanes, lane)
		}
	}
	s.tops = make([]int64, max(len(s.data.Lanes), 1))
	s.last = map[string]held{}
	for i := range p.Buffers {
		h := s.held(p, plan, i)
		s.last[h.id] = h
		s.data.Start = append(s.data.Start, h)
	}
	s.p, s.plan = p, plan
	return s
}

// held returns a buffer of a problem with its place.
func (s *Session) held(p *model.Problem, plan *model.Plan, i int) held {
	h := heldOf(p, &p.Buffers[i], plan.Offsets[i], plan.PoolOf(i))
	s.tops[h.pool] = max(s.tops[h.pool], h.offset+h.size)
	return h
}

func heldOf(p *model.Problem, b *model.Buffer, offset int64, pool int32) held {
	h := held{id: b.ID, lower: b.Lower, upper: b.Upper, size: b.Size, offset: offset, pinned: b.Fixed != nil, pool: pool}
	drawn := *b
	if p.Ruled() && p.Rules.Period > 0 {
		drawn = poolview.Wrapped(drawn, p.Rules.Period)
		h.lower, h.upper = drawn.Lower, drawn.Upper
	}
	var gaps []int64
	for _, g := range drawn.Gaps {
		if g.Window == nil {
			gaps = append(gaps, g.Lower, g.Upper, 0, 0, 0)
		} else {
			gaps = append(gaps, g.Lower, g.Upper, 1, g.Window.Lower, g.Window.Upper)
		}
	}
	if gaps != nil {
		text, _ := json.Marshal(gaps) // integers
		h.gaps = string(text)
	}
	return h
}

// Add adds a call, with the problem and the plan after it.
func (s *Session) Add(c Call, p *model.Problem, plan *model.Plan) {
	call := sessionCall{Text: c.Text, Over: c.Over, Moved: c.Moved}
	for k := range s.data.Lanes {
		if slices.Contains(c.Pools, s.data.Lanes[k].Name) {
			call.In = append(call.In, k)
		}
	}
	if c.Tried != nil {
		pool := int32(0)
		if x := c.Tried.Extra; x != nil && len(x.Pools) > 0 {
			pool = x.Pools[0]
		}
		h := heldOf(p, c.Tried, 0, pool)
		call.Tried = &h
		for i := range p.Buffers { // it is drawn on top of those that it meets
			if b := &p.Buffers[i]; plan.PoolOf(i) == pool && b.ID != h.id && b.Lower < h.upper && h.lower < b.Upper {
				s.tops[pool] = max(s.tops[pool], plan.Offsets[i]+b.Size+h.size)
			}
		}
		s.tops[pool] = max(s.tops[pool], h.size)
	}
	if p.Capacity != s.p.Capacity && !p.Ruled() {
		call.Capacity = &p.Capacity
	}
	if capacities := capacitiesOf(p); !slices.Equal(capacities, capacitiesOf(s.p)) {
		call.Pools = capacities
	}
	in := func(h held) string {
		if len(s.data.Lanes) < 2 {
			return ""
		}
		return " in " + s.data.Lanes[h.pool].Name
	}
	now, moves, more := map[string]held{}, "", 0
	for i := range p.Buffers {
		h := s.held(p, plan, i)
		now[h.id] = h
		if old, there := s.last[h.id]; !there || old != h {
			call.Set = append(call.Set, h)
			if c.Moved == 0 || !there || old.offset == h.offset && old.pool == h.pool {
				continue
			}
			if len(call.Set) > mostNamed {
				more++
				continue
			}
			moves += fmt.Sprintf(", %s from %d%s to %d%s", h.id, old.offset, in(old), h.offset, in(h))
		}
	}
	for id := range s.last {
		if _, there := now[id]; !there {
			call.Gone = append(call.Gone, id)
		}
	}
	slices.Sort(call.Gone)
	if more > 0 {
		moves += fmt.Sprintf(" and %d more", more)
	}
	call.Text += moves
	s.data.Calls = append(s.data.Calls, call)
	s.last, s.p, s.plan = now, p, plan
}

// capacitiesOf returns the capacities of the pools of a problem with rules; nil for one without.
func capacitiesOf(p *model.Problem) (all []int64) {
	if p.Ruled() {
		for _, q := range p.AllPools() {
			all = append(all, q.Capacity)
		}
	}
	return all
}

// WriteSession writes a page that plays a session. Without scripts it has the figures and the last plan.
func WriteSession(w io.Writer, s *Session, facts []Fact) error {
	var picture bytes.Buffer
	if len(s.p.Buffers) <= plain {
		if err := svg.Write(&picture, s.p, s.plan.Offsets,
			svg.Options{Title: s.data.Title, Pools: s.plan.Pools}); err != nil {
			return err
		}
	}
	data := s.data
	data.Lanes = slices.Clone(data.Lanes)
	for k := range data.Lanes {
		pool := s.p.AllPools()[k]
		pool.Capacity = max(pool.Capacity, data.Lanes[k].Capacity) // the first or the last, whatever is more
		data.Lanes[k].Room = poolview.RoomOf(&pool, s.tops[k])
	}
	data.Facts = [][2]string{}
	for _, f := range facts {
		data.Facts = append(data.Facts, [2]string{f.Name, f.Value})
	}
	text, err := json.Marshal(&data) // it has no < in it: encoding/json escapes it
	if err != nil {
		return err
	}
	script := `<script type="application/json" class="stowage-session">` + string(text) + "</script>\n"
	return assemble(w, parts{title: data.Title, facts: facts, picture: picture.String(), data: script})
}
