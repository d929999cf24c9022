// Package viewdata writes problems and plans in the form that the viewer reads: a small JSON
// text that describes the content, and packed columns of numbers.
//
// Idea: a browser opens a page of a million buffers in seconds only if the page is small and needs no parsing. So each
// column is a run of varints: seven bits to a byte, the lowest first. Numbers are made small first. Times are
// differences to the buffer before, ends are durations, and the offsets of a search step are differences to the step
// before. All columns lie end to end. The JSON names them in their order, with their lengths. DEFLATE compresses the
// rest. A buffer of a generated problem takes about 7 bytes.
//
// JavaScript has exact whole numbers up to 2⁵³. Larger numbers are shown rounded, and the page says so (Rounded).
//
//	viewdata.go  the documents, and how they are packed
//	lanes.go     plans of problems with rules, a lane for each pool
//	recorder.go  the plans and the moves of a search
//
// render/html/viewer/data.js reads the result.
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
	"github.com/stowage-go/stowage/internal/poolview"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// A Doc is the content of a page for one file.
type Doc struct {
	// Problem has the buffers. It is valid, but its capacity may not be.
	Problem *model.Problem
	// Offsets is the plan, in the order of the buffers; nil for none.
	Offsets []int64
	// Pools and Parts are those of the plan, as in model.Plan, if the problem has rules.
	Pools []int32
	Parts []model.Parts
	// Title is the heading; empty means the problem's name.
	Title string
	// Capacity is the height of the capacity line. 0 means the problem's own capacity, if it has one.
	Capacity int64
	// LowerBound is a height that no plan can be below; 0 if none is known.
	LowerBound int64
	// Warning says what is wrong with the plan; empty if nothing is.
	Warning string
	// Facts are the figures that the page lists, by name.
	Facts []Fact
	// Steps are the plans that the search found, the lowest last.
	Steps []Step
	// Moves are the first of MovesTold moves that the search made.
	Moves     []plan.Move
	MovesTold int
	// Conflict are buffers that cannot fit the capacity together. The page marks them in the
	// same way as buffers that break a rule.
	Conflict []int
	// Broken are the buffers that a violation names. Faults are the texts of the first
	// violations. Pairs are the two buffers of each overlap.
	Broken []int
	Faults []string
	Pairs  [][2]int
	// Overlaps are the results that lie over operands on purpose.
	Overlaps []Overlap
	// Shapes are the plan at other sizes, for a slider.
	Shapes []Shape
}

// A Shape is the plan at other sizes.
type Shape struct {
	Name           string  // of the scenario, or the values of the symbols
	Load, Height   int64   // in bytes
	Sizes, Offsets []int64 // in bytes, in the order of the buffers
}

type shapeMeta struct {
	Name   string `json:"name"`
	Load   int64  `json:"load"`
	Height int64  `json:"height"`
}

// An Overlap is a result that an operator writes over one of its operands.
type Overlap struct {
	Result, Operand int   // indices into Problem.Buffers
	Lower, Upper    int64 // the time of the operator, half-open
}

// mostFaults is the number of violations that are listed one by one.
const mostFaults = 50

// A Fact is a figure with its name.
type Fact struct{ Name, Value string }

// A Step is the state of a search at one moment.
type Step struct {
	Height     int64         // of the lowest plan so far; 0 for none
	LowerBound int64         // proven by then
	Nodes      int64         // searched by then
	Elapsed    time.Duration // since the start
	Offsets    []int64       // of that plan; nil if they were not kept
	Move       int           // number of moves made by then
}

// exact is the number up to which JavaScript has every whole number.
const exact = 1 << 53

// A column names the next run of numbers and says how many there are.
type column struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// meta is the JSON text.
type meta struct {
	Version    int           `json:"version"`
	Title      string        `json:"title"`
	Buffers    int           `json:"buffers"`
	Capacity   int64         `json:"capacity"`
	LowerBound int64         `json:"lowerBound"`
	Warning    string        `json:"warning,omitempty"`
	Rounded    bool          `json:"rounded,omitempty"`
	Conflict   bool          `json:"conflict,omitempty"` // the marked buffers are Doc.Conflict
	Faults     []string      `json:"faults,omitempty"`
	Facts      [][2]string   `json:"facts"`
	Steps      []stepMeta    `json:"steps"`
	MovesTold  int           `json:"movesTold,omitempty"`
	Groupings  []grouping    `json:"groupings,omitempty"`
	Lanes      []laneMeta    `json:"lanes,omitempty"`    // of a problem with rules, in the order of the pools
	Measures   []measureMeta `json:"measures,omitempty"` // its objective
	Said       []sayingMeta  `json:"said,omitempty"`     // what rules make of single buffers
	Shapes     []shapeMeta   `json:"shapes,omitempty"`   // each with two columns "shape": sizes, offsets
	Columns    []column      `json:"columns"`
	Bytes      int           `json:"bytes"` // of the columns, unpacked
}

// A grouping describes the next column "group". The column has for each buffer the index of
// its name in Names. A buffer of another group has an index beyond the last colour.
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

// Encode returns the two parts of a page. The same document gives the same bytes.
func (d *Doc) Encode() (text, packed []byte, err error) {
	if d.Problem == nil {
		return nil, nil, errors.New("no problem")
	}
	of, ruled := (*poolview.Drawing)(nil), d
	if d, of, err = d.drawn(); err != nil {
		return nil, nil, err
	}
	n := len(d.Problem.Buffers)
	if d.Offsets != nil && len(d.Offsets) != n {
		return nil, nil, fmt.Errorf("%d offsets for %d buffers", len(d.Offsets), n)
	}
	p := &packer{}
	p.meta = meta{
		Version: 1, Title: d.title(), Buffers: n, Capacity: d.Problem.CapacityOr(d.Capacity), LowerBound: d.LowerBound,
		Warning: d.Warning, Facts: [][2]string{}, Steps: []stepMeta{}, Columns: []column{}, Faults: d.Faults,
		MovesTold: d.MovesTold,
	}
	for _, f := range d.Facts {
		p.meta.Facts = append(p.meta.Facts, [2]string{f.Name, f.Value})
	}
	p.buffers(d.Problem)
	p.plan("offsets", d.Offsets, nil)
	p.lanes(ruled, of)
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
	p.begin("overlaps", 4*len(d.Overlaps))
	for _, o := range d.Overlaps {
		if o.Result < 0 || o.Result >= n || o.Operand < 0 || o.Operand >= n {
			return nil, nil, fmt.Errorf("overlap of buffers %d and %d: there are %d", o.Result, o.Operand, n)
		}
		p.signed(int64(o.Result))
		p.signed(int64(o.Operand))
		p.signed(o.Lower)
		p.signed(o.Upper)
	}
	var before []int64
	for k, s := range d.Steps {
		if s.Offsets != nil && len(s.Offsets) != n {
			return nil, nil, fmt.Errorf("%d offsets for %d buffers in step %d", len(s.Offsets), n, k+1)
		}
		p.meta.Steps = append(p.meta.Steps,
			stepMeta{s.Height, s.LowerBound, s.Nodes, s.Elapsed.Seconds(), s.Offsets != nil, s.Move})
		if s.Offsets != nil {
			p.plan("step", s.Offsets, before)
			before = s.Offsets
		}
	}
	if err := p.moves(d.Moves, n); err != nil {
		return nil, nil, err
	}
	if ruled == d {
		if err := p.shapes(d.Shapes, n); err != nil {
			return nil, nil, err
		}
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

// Check finds the buffers that break a rule of the plan. It sets Warning too, unless there is one that knows more.
// Buffers above the capacity are listed in Faults but are not in Broken, because the capacity line shows them.
func (d *Doc) Check() {
	d.Broken, d.Faults, d.Pairs = nil, nil, nil
	if d.Offsets == nil || len(d.Conflict) > 0 { // the warning already says all about a conflict
		return
	}
	check := func(capacity int64) *model.Report { return verify.Check(d.Problem, d.Offsets, capacity) }
	if d.Problem.Ruled() {
		check = func(int64) *model.Report { return verify.CheckPlan(d.Problem, d.plan()) }
	}
	report := check(0)
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
		report = check(capacity)
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

// deflate compresses. On such numbers the fastest level comes within a tenth of the others,
// and somebody waits for the page.
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

// unsigned appends a number that is not negative.
func (p *packer) unsigned(v int64) {
	p.meta.Rounded = p.meta.Rounded || v > exact
	p.out = binary.AppendUvarint(p.out, uint64(v))
}

func (p *packer) signed(v int64) {
	p.meta.Rounded = p.meta.Rounded || v > exact || v < -exact
	p.out = binary.AppendVarint(p.out, v)
}

// buffers appends the columns of the problem. A column is left out if all its numbers have the default value.
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
	// A gap has six numbers: its buffer, its start relative to that of the buffer, its length,
	// whether it has a window, and the window's two ends.
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

// plan appends offsets, as differences to those of before if there are any.
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

// shapes appends the sizes and offsets at other sizes.
func (p *packer) shapes(shapes []Shape, n int) error {
	var before Shape
	for _, s := range shapes {
		if len(s.Sizes) != n || len(s.Offsets) != n {
			return fmt.Errorf("shape %s: %d sizes and %d offsets for %d buffers", s.Name, len(s.Sizes), len(s.Offsets), n)
		}
		p.meta.Shapes = append(p.meta.Shapes, shapeMeta{s.Name, s.Load, s.Height})
		p.plan("shape", s.Sizes, before.Sizes)
		p.plan("shape", s.Offsets, before.Offsets)
		before = s
	}
	return nil
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
		// The offset of a begin is the capacity that is asked for. It may be unlimited, so it does
		// not count as rounded.
		p.out = binary.AppendUvarint(p.out, uint64(m.Offset))
	}
	return nil
}

// colours appends the colour of each buffer in each grouping, and the colour that tells it
// from its neighbours. The viewer has no rule of its own for colours.
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

// names appends the lengths of the IDs, then the IDs end to end. Lengths are in UTF-16
// units, as in JavaScript strings. Invalid UTF-8 is replaced.
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
