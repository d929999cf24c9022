// Package viewdata writes problems and plans as the viewer reads them: a small JSON
// text that says what there is, and the numbers beside it, packed.
//
// Idea: a page with a million buffers is read by a browser in seconds only if it has
// little to read and nothing to parse. So each column of numbers is a run of varints
// (seven bits to a byte, the lowest first), after what makes them small: times as
// differences to the buffer before, ends as durations, the offsets of a step of the
// search as differences to the step before. All columns lie end to end, the JSON names
// them in their order with their lengths, and DEFLATE takes what is left. A buffer of a
// generated problem takes some 7 bytes.
//
// JavaScript has whole numbers up to 2⁵³ without loss. What is larger is shown rounded,
// and the page says so (Rounded).
//
//	viewdata.go  the documents, and how they are packed
//	recorder.go  the plans that a search finds on its way, and what it tries
//
// render/html/viewer/data.js reads it.
//
// Complexity: O(n) for n buffers.
package viewdata

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/stowage-go/stowage/internal/colour"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// A Doc is what a page shows of one file.
type Doc struct {
	// Problem has the buffers; it is valid but for its capacity.
	Problem *model.Problem
	// Offsets is the plan, in the order of the buffers; nil for none.
	Offsets []int64
	// Title is the heading; empty means the problem's name.
	Title string
	// Capacity is where its line goes; 0 means the problem's own, which may be none.
	Capacity int64
	// LowerBound is a height that no plan can be under; 0 for none that is known.
	LowerBound int64
	// Warning says what is wrong with the plan; empty for nothing.
	Warning string
	// Facts are the figures that the page lists, by name.
	Facts []Fact
	// Steps are the plans that the search found on its way, the last the lowest.
	Steps []Step
	// Moves are the first of MovesTold moves that the search made.
	Moves     []plan.Move
	MovesTold int
	// Conflict are buffers that cannot fit the capacity together; they are shown as those
	// that break a rule are.
	Conflict []int
	// Broken are the buffers that a violation names, Faults what the first violations
	// say, and Pairs the two buffers of each that use the same bytes at the same time.
	Broken []int
	Faults []string
	Pairs  [][2]int
}

// mostFaults is how many violations are told of one by one.
const mostFaults = 50

// A Fact is a figure with its name.
type Fact struct{ Name, Value string }

// A Step is a moment of a search: what was the lowest plan then.
type Step struct {
	Height     int64         // of the lowest plan so far; 0 for none
	LowerBound int64         // proven by then
	Nodes      int64         // searched by then
	Elapsed    time.Duration // since the start
	Offsets    []int64       // of that plan; nil where it was not kept
	Move       int           // how many moves the search had made by then
}

// exact is the largest whole number up to which JavaScript's are without gaps.
const exact = 1 << 53

// A column says which numbers come next, and how many.
type column struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// meta is the JSON text.
type meta struct {
	Version    int         `json:"version"`
	Title      string      `json:"title"`
	Buffers    int         `json:"buffers"`
	Capacity   int64       `json:"capacity"`
	LowerBound int64       `json:"lowerBound"`
	Warning    string      `json:"warning,omitempty"`
	Rounded    bool        `json:"rounded,omitempty"`
	Conflict   bool        `json:"conflict,omitempty"` // what is broken cannot fit together
	Faults     []string    `json:"faults,omitempty"`
	Facts      [][2]string `json:"facts"`
	Steps      []stepMeta  `json:"steps"`
	MovesTold  int         `json:"movesTold,omitempty"`
	Groupings  []grouping  `json:"groupings,omitempty"`
	Columns    []column    `json:"columns"`
	Bytes      int         `json:"bytes"` // of the columns, unpacked
}

// A grouping says what the next column of groups has: for each buffer the index of its
// name here, or one beyond the last colour for a buffer of another group.
type grouping struct {
	By    string   `json:"by"`
	Names []string `json:"names"`
	Rest  bool     `json:"rest,omitempty"`
}

type stepMeta struct {
	Height     int64   `json:"height"`
	LowerBound int64   `json:"lowerBound"`
	Nodes      int64   `json:"nodes"`
	Seconds    float64 `json:"seconds"`
	Plan       bool    `json:"plan"` // whether its offsets are among the columns
	Move       int     `json:"move,omitempty"`
}

// Encode returns the two parts of a document. The same document gives the same bytes.
func (d *Doc) Encode() (text, packed []byte, err error) {
	if d.Problem == nil {
		return nil, nil, errors.New("no problem")
	}
	n := len(d.Problem.Buffers)
	if d.Offsets != nil && len(d.Offsets) != n {
		return nil, nil, fmt.Errorf("%d offsets for %d buffers", len(d.Offsets), n)
	}
	p := &packer{}
	p.meta = meta{
		Version: 1, Title: d.title(), Buffers: n, Capacity: d.Problem.CapacityOr(d.Capacity), LowerBound: d.LowerBound,
		Warning: d.Warning, Facts: [][2]string{}, Steps: []stepMeta{}, Columns: []column{}, Faults: d.Faults, MovesTold: d.MovesTold,
	}
	for _, f := range d.Facts {
		p.meta.Facts = append(p.meta.Facts, [2]string{f.Name, f.Value})
	}
	p.buffers(d.Problem)
	p.plan("offsets", d.Offsets, nil)
	broken := d.Broken
	if len(d.Conflict) > 0 {
		broken, p.meta.Conflict = d.Conflict, true
	}
	p.begin("broken", len(broken))
	for _, i := range broken {
		if i < 0 || i >= n {
			return nil, nil, fmt.Errorf("buffer %d at fault does not exist: there are %d", i, n)
		}
		p.unsigned(int64(i))
	}
	p.begin("pairs", 2*len(d.Pairs))
	for _, pair := range d.Pairs {
		p.unsigned(int64(pair[0]))
		p.unsigned(int64(pair[1]))
	}
	var before []int64
	for k, s := range d.Steps {
		if s.Offsets != nil && len(s.Offsets) != n {
			return nil, nil, fmt.Errorf("%d offsets for %d buffers in step %d", len(s.Offsets), n, k+1)
		}
		p.meta.Steps = append(p.meta.Steps, stepMeta{s.Height, s.LowerBound, s.Nodes, s.Elapsed.Seconds(), s.Offsets != nil, s.Move})
		if s.Offsets != nil {
			p.plan("step", s.Offsets, before)
			before = s.Offsets
		}
	}
	if err := p.moves(d.Moves, n); err != nil {
		return nil, nil, err
	}
	p.colours(d.Problem, d.Offsets)
	p.names(d.Problem)
	p.meta.Bytes = len(p.out)
	if text, err = json.Marshal(&p.meta); err != nil {
		return nil, nil, err
	}
	return text, deflate(p.out), nil
}

func (d *Doc) title() string {
	switch {
	case d.Title != "":
		return d.Title
	case d.Problem.Name != "":
		return d.Problem.Name
	}
	return "Stowage"
}

// Check finds the buffers that break a rule of the plan, and says so, unless there is
// a warning that knows more. What is above the capacity is told with the rest, but is
// not broken: the line of the capacity shows it.
func (d *Doc) Check() {
	d.Broken, d.Faults, d.Pairs = nil, nil, nil
	if d.Offsets == nil || len(d.Conflict) > 0 { // of a conflict the warning says all
		return
	}
	report := verify.Check(d.Problem, d.Offsets, 0)
	seen := map[int]bool{}
	for _, fault := range report.Violations {
		if fault.Rule == model.RuleOverlap && len(d.Pairs) < mostFaults {
			d.Pairs = append(d.Pairs, [2]int{fault.A, fault.B})
		}
		for _, i := range [...]int{fault.A, fault.B} {
			if i >= 0 && !seen[i] {
				seen[i] = true
				d.Broken = append(d.Broken, i)
			}
		}
	}
	if capacity := d.Problem.CapacityOr(d.Capacity); capacity > 0 && report.Height > capacity {
		report = verify.Check(d.Problem, d.Offsets, capacity)
	}
	for _, fault := range report.Violations[:min(mostFaults, len(report.Violations))] {
		d.Faults = append(d.Faults, fault.Message)
	}
	if more := report.Total - len(d.Faults); more > 0 {
		d.Faults = append(d.Faults, fmt.Sprintf("and %d more", more))
	}
	if d.Warning == "" && report.Total > 0 {
		d.Warning = "not valid: " + report.Violations[0].Message
	}
}

// deflate packs. The fastest level is within a tenth of the others on numbers like
// these, and a page is written while somebody waits.
func deflate(in []byte) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	w.Write(in) // into memory: no error
	w.Close()
	return b.Bytes()
}

// A packer appends columns.
type packer struct {
	meta meta
	out  []byte
}

func (p *packer) begin(name string, count int) {
	if count > 0 {
		p.meta.Columns = append(p.meta.Columns, column{name, count})
	}
}

// unsigned appends a number that is not negative; signed any.
func (p *packer) unsigned(v int64) {
	p.meta.Rounded = p.meta.Rounded || v > exact
	p.out = binary.AppendUvarint(p.out, uint64(v))
}

func (p *packer) signed(v int64) {
	p.meta.Rounded = p.meta.Rounded || v > exact || v < -exact
	p.out = binary.AppendVarint(p.out, v)
}

// buffers appends the columns of the problem. A column of which every number would
// be the default is left out.
func (p *packer) buffers(of *model.Problem) {
	n := len(of.Buffers)
	aligned, fixed, gaps := false, 0, 0
	for i := range of.Buffers {
		b := &of.Buffers[i]
		aligned = aligned || b.Align() != 1
		gaps += len(b.Gaps)
		if b.Fixed != nil {
			fixed++
		}
	}
	p.begin("lower", n)
	var before int64
	for i := range of.Buffers {
		b := &of.Buffers[i]
		p.signed(b.Lower - before)
		p.meta.Rounded = p.meta.Rounded || b.Lower > exact || b.Upper > exact || b.Lower < -exact
		before = b.Lower
	}
	p.begin("duration", n)
	for i := range of.Buffers {
		p.unsigned(of.Buffers[i].Upper - of.Buffers[i].Lower)
	}
	p.begin("size", n)
	for i := range of.Buffers {
		p.unsigned(of.Buffers[i].Size)
	}
	if aligned {
		p.begin("alignment", n)
		for i := range of.Buffers {
			p.unsigned(of.Buffers[i].Align())
		}
	}
	p.begin("fixed", fixed)
	for i := range of.Buffers {
		if of.Buffers[i].Fixed != nil {
			p.unsigned(int64(i))
		}
	}
	// Six numbers for a gap: whose, when from its beginning, how long, and the window.
	p.begin("gaps", 6*gaps)
	for i := range of.Buffers {
		b := &of.Buffers[i]
		for _, g := range b.Gaps {
			p.unsigned(int64(i))
			p.unsigned(g.Lower - b.Lower)
			p.unsigned(g.Upper - g.Lower)
			if g.Window == nil {
				p.out = append(p.out, 0, 0, 0)
			} else {
				p.out = append(p.out, 1)
				p.unsigned(g.Window.Lower)
				p.unsigned(g.Window.Upper)
			}
		}
	}
}

// plan appends offsets, as differences to those before, where there are any.
func (p *packer) plan(name string, offsets, before []int64) {
	p.begin(name, len(offsets))
	for i, at := range offsets {
		p.meta.Rounded = p.meta.Rounded || at > exact || at < -exact
		if before != nil {
			at -= before[i]
		}
		p.signed(at)
	}
}

// moves appends three numbers for each move: its kind, its buffer and its offset.
func (p *packer) moves(moves []plan.Move, n int) error {
	p.begin("moves", 3*len(moves))
	for k, m := range moves {
		if m.Buffer < 0 || m.Buffer >= n || m.Offset < 0 {
			return fmt.Errorf("move %d names no buffer, or has a negative offset", k+1)
		}
		p.unsigned(int64(m.Kind))
		p.unsigned(int64(m.Buffer))
		// The first search may be asked for a capacity without end, which is no number of the plan.
		p.out = binary.AppendUvarint(p.out, uint64(m.Offset))
	}
	return nil
}

// colours appends the colour of each buffer in each grouping, and the one that tells it
// from its neighbours: the viewer has no rule of its own for them.
func (p *packer) colours(of *model.Problem, offsets []int64) {
	for _, g := range colour.Groups(of) {
		names := make([]string, len(g.Names))
		for k, name := range g.Names {
			names[k] = strings.ToValidUTF8(name, "\uFFFD")
		}
		p.meta.Groupings = append(p.meta.Groupings, grouping{g.By, names, g.Rest})
		p.begin("group", len(g.Of))
		p.out = append(p.out, g.Of...)
	}
	apart := colour.Apart(of, offsets)
	p.begin("apart", len(apart))
	p.out = append(p.out, apart...)
}

// names appends the lengths of the IDs, in the units that JavaScript counts strings
// by, and then the IDs end to end. What is not UTF-8 is replaced.
func (p *packer) names(of *model.Problem) {
	p.begin("idLengths", len(of.Buffers))
	var all strings.Builder
	for i := range of.Buffers {
		id := strings.ToValidUTF8(of.Buffers[i].ID, "\uFFFD")
		units := 0
		for _, r := range id {
			units += utf16.RuneLen(r)
		}
		p.unsigned(int64(units))
		all.WriteString(id)
	}
	p.begin("ids", all.Len())
	p.out = append(p.out, all.String()...)
}
