package arena

import (
	"io"
	"strconv"
	"unsafe"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/model"
)

// A Plan says where the allocations of a step lie.
type Plan struct {
	// Name is the name of the steps; empty for none.
	Name string
	// Alignment of the block, in bytes: a power of two. Every alignment of an allocation divides it.
	Alignment int64
	// Guard is the number of bytes behind each allocation that stay free.
	Guard int64
	// Height is the size of the block in bytes, over all streams.
	Height int64
	// Bound: no plan with one region for each stream is lower, in bytes.
	Bound int64
	// Status is Optimal if Height is proven to be the least, else Feasible; Unknown if the plan has no offsets yet.
	Status model.Status
	// Period is the length of the cycle in which all plans of a file repeat, in allocations. Lifespans count modulo
	// Period.
	Period int64
	// Baselines has what other allocators take for the same allocations; the first is the default allocator.
	Baselines []Baseline
	// Regions has the part of the block that each stream has, in ascending order.
	Regions []Region
	// Lanes has the allocations of each thread, in ascending order of threads.
	Lanes []Lane

	// Times: how many steps of the trace are like this one; Fold sets it, files do not have it.
	Times int
}

// Count returns how many allocations a step has, and how many of them are kept: they outlive a cycle, and go upstream.
func (p *Plan) Count() (all, kept int) {
	for _, lane := range p.Lanes {
		all += len(lane.Allocations)
		for _, a := range lane.Allocations {
			if a.Upper == a.Lower {
				kept++
			}
		}
	}
	return all, kept
}

// String describes the step of a plan in words.
func (p *Plan) String() string {
	all, kept := p.Count()
	number := func(n int, thing string) string { return strconv.Itoa(n) + " " + units.Plural(n, thing) }
	s := "step"
	if p.Name != "" {
		s += " " + p.Name
	}
	if p.Times > 0 {
		s += ", recorded " + number(p.Times, "time")
	}
	s += ": " + number(all, "allocation") + " in " + number(len(p.Lanes), "thread")
	if kept > 0 {
		s += "; " + strconv.Itoa(kept) + " of them outlive a cycle and are not planned"
	}
	return s
}

// A Baseline is what an allocator takes, as a simulation says.
type Baseline struct {
	Name  string // name of the allocator, or of the planner that imitates it
	Bytes int64  // what it takes
}

// A Region is the range [Offset, Offset+Size) of the block, of one stream.
type Region struct {
	Stream uint64 // the stream
	Offset int64  // first byte
	Size   int64  // bytes
}

// A Lane is what one thread allocates in a step, in order.
type Lane struct {
	Thread      int64        // the number of the thread in the trace
	Allocations []Allocation // in order
	Scopes      []Scope      // in the order in which they begin
}

// A Scope is a part of a lane: the allocations [First, End).
type Scope struct {
	Name  string // empty for none
	First int64  // first allocation
	End   int64  // one past the last allocation
}

// None is the offset of an allocation that goes upstream, as it outlives a whole cycle.
const None = -1

// An Allocation is one of a lane.
type Allocation struct {
	Size      int64  // bytes
	Alignment int64  // bytes, a power of two
	Stream    uint64 // the stream that it is for
	Offset    int64  // in the block, or None
	// Lower and Upper are the lifespan: 0 <= Lower < Period and Lower < Upper <= Lower + Period. Time counts
	// allocations. If the offset is None, Upper is Lower.
	Lower, Upper int64
}

// ReadPlans reads one plan or several from r; file is its name in messages. The error is r's, or a
// *model.InputError with the first fault. Whether offsets collide is for the verifier.
func ReadPlans(r io.Reader, file string) ([]Plan, error) {
	text, err := source.Read(r, file)
	if err != nil {
		return nil, err
	}
	l := &lines{text: text}
	var all []Plan
	for l.err == nil && (l.at < len(text.Text) || len(all) == 0) {
		p := l.plan()
		if len(all) > 0 && l.err == nil && p.Period != all[0].Period {
			l.refuse("", "its period is not that of the first plan")
		}
		l.pay(2 * int(unsafe.Sizeof(p)))
		all = append(all, p)
	}
	if l.err != nil {
		return nil, l.err
	}
	return all, nil
}

// titled begins a line that must have this title.
func (l *lines) titled(title string) {
	l.next()
	if word := l.word("line"); l.err == nil && word != title {
		l.refuse(word, "must be "+strconv.Quote(title))
	}
}

// valued reads a line with a title and one number.
func (l *lines) valued(title string, least, most int64) int64 {
	l.titled(title)
	x := l.number(title, least, most)
	l.last()
	return x
}

// many reads a number of lines that are to follow, of at least `shortest` bytes each.
func (l *lines) many(field string, shortest int) int64 {
	return l.number(field, 0, int64(len(l.text.Text)-l.at)/int64(shortest))
}

func (l *lines) plan() (p Plan) {
	from, before := l.at, l.line
	l.head(planHead)
	l.titled("name")
	p.Name = l.name("name")
	l.last()
	l.titled("alignment")
	p.Alignment = 1 << l.power("alignment")
	l.last()
	p.Guard = l.valued("guard", 0, 1<<20)
	p.Height = l.valued("height", 0, model.MaxSum)
	p.Bound = l.valued("bound", 0, p.Height)
	l.titled("status")
	if word := l.word("status"); l.err == nil && (p.Status.UnmarshalText([]byte(word)) != nil || !p.Status.HasPlan()) {
		l.fault("status", word, "must be optimal or feasible")
	}
	l.last()
	if l.err == nil && p.Status == model.Optimal && p.Bound != p.Height {
		l.fault("status", "optimal", "the bound is not the height")
	}
	p.Period = l.valued("period", 0, model.MaxSum)
	l.titled("baselines")
	n := l.many("baselines", 4)
	l.last()
	for range n {
		l.titled("d")
		b := Baseline{Bytes: l.number("bytes", 0, model.MaxSum), Name: l.name("name")}
		l.last()
		l.pay(2 * int(unsafe.Sizeof(b)))
		if l.err != nil {
			return p
		}
		p.Baselines = append(p.Baselines, b)
	}
	l.regions(&p)
	l.titled("lanes")
	n = l.many("lanes", 12)
	l.last()
	for range n {
		if l.lane(&p); l.err != nil {
			return p
		}
	}
	l.titled("end")
	l.finish(int64(l.line-before-1), from, false)
	return p
}

func (l *lines) regions(p *Plan) {
	l.titled("regions")
	n := l.many("regions", 8)
	l.last()
	at := int64(0)
	l.regionOf = map[uint64]Region{}
	for range n {
		l.titled("r")
		r := Region{Stream: l.stream("stream")}
		r.Offset = l.number("offset", at, max(at, p.Height))
		r.Size = l.number("size", 0, max(0, p.Height-r.Offset))
		l.last()
		l.pay(2*int(unsafe.Sizeof(r)) + 64)
		if _, seen := l.regionOf[r.Stream]; l.err == nil && seen {
			l.fault("stream", strconv.FormatUint(r.Stream, 10), "has two regions")
		}
		if l.err != nil {
			return
		}
		at, l.regionOf[r.Stream] = r.Offset+r.Size, r
		p.Regions = append(p.Regions, r)
	}
}

func (l *lines) lane(p *Plan) {
	l.titled("lane")
	lane := Lane{Thread: l.number("thread", 0, maxStep)}
	n, scopes := l.many("allocations", 16), l.many("scopes", 8)
	l.last()
	l.pay(2 * int(unsafe.Sizeof(lane)))
	for range n {
		l.titled("p")
		a := Allocation{
			Size: l.number("size", 1, model.MaxSum), Alignment: 1 << l.power("alignment"), Stream: l.stream("stream"),
			Offset: None,
		}
		if l.rest == "-" || len(l.rest) > 1 && l.rest[:2] == "- " {
			l.word("offset")
		} else {
			a.Offset = l.number("offset", 0, p.Height)
		}
		a.Lower = l.number("lower", 0, max(0, p.Period-1))
		least := a.Lower
		if a.Offset != None {
			least++
		}
		a.Upper = l.number("upper", least, a.Lower+p.Period)
		l.last()
		l.within(p, &a)
		l.pay(2*int(unsafe.Sizeof(a)) + source.BufferBytes)
		if l.err != nil {
			return
		}
		lane.Allocations = append(lane.Allocations, a)
	}
	for range scopes {
		l.titled("s")
		s := Scope{First: l.number("first", 0, n)}
		s.End = l.number("end", s.First, n)
		s.Name = l.name("name")
		l.last()
		l.pay(2 * int(unsafe.Sizeof(s)))
		if l.err != nil {
			return
		}
		lane.Scopes = append(lane.Scopes, s)
	}
	p.Lanes = append(p.Lanes, lane)
}

// within checks an allocation against its region and its plan.
func (l *lines) within(p *Plan, a *Allocation) {
	if l.err != nil {
		return
	}
	if a.Alignment > p.Alignment {
		l.fault("alignment", strconv.FormatInt(a.Alignment, 10),
			"is above that of the plan, "+strconv.FormatInt(p.Alignment, 10))
		return
	}
	if a.Offset == None {
		return
	}
	offset := strconv.FormatInt(a.Offset, 10)
	if a.Offset%a.Alignment != 0 {
		l.fault("offset", offset, "is no multiple of the alignment")
		return
	}
	if r, found := l.regionOf[a.Stream]; found && a.Offset >= r.Offset && a.Size <= r.Offset+r.Size-a.Offset {
		return
	}
	l.fault("offset", offset, "is not within the region of its stream")
}

// WritePlans writes plans. The error is w's.
func WritePlans(w io.Writer, plans []Plan) error {
	return write(w, func(s *summed) {
		for i := range plans {
			s.plan(&plans[i])
		}
	})
}

func (s *summed) plan(p *Plan) {
	s.line(planHead)
	s.line("name", nameOr(p.Name))
	s.line("alignment", p.Alignment)
	s.line("guard", p.Guard)
	s.line("height", p.Height)
	s.line("bound", p.Bound)
	s.line("status", p.Status.String())
	s.line("period", p.Period)
	s.line("baselines", len(p.Baselines))
	for _, b := range p.Baselines {
		s.line("d", b.Bytes, b.Name)
	}
	s.line("regions", len(p.Regions))
	for _, r := range p.Regions {
		s.line("r", r.Stream, r.Offset, r.Size)
	}
	s.line("lanes", len(p.Lanes))
	for _, lane := range p.Lanes {
		s.line("lane", lane.Thread, len(lane.Allocations), len(lane.Scopes))
		for _, a := range lane.Allocations {
			if a.Offset == None {
				s.line("p", a.Size, a.Alignment, a.Stream, "-", a.Lower, a.Upper)
			} else {
				s.line("p", a.Size, a.Alignment, a.Stream, a.Offset, a.Lower, a.Upper)
			}
		}
		for _, x := range lane.Scopes {
			s.line("s", x.First, x.End, nameOr(x.Name))
		}
	}
	s.finish()
}
