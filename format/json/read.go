package json

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/model"
)

// Read reads a problem from r; file is its name in messages. It also returns the offsets of the plan in the file, in
// bytes and in the order of the buffers, or nil if the file has none. The buffers have an alignment of at least 1 and
// their gaps in ascending order. The error is r's, or a *model.InputError that lists the faults of the content.
func Read(r io.Reader, file string) (*model.Problem, []int64, error) {
	p, plan, err := ReadAll(r, file)
	if plan == nil {
		return p, nil, err
	}
	return p, plan.Offsets, err
}

// ReadAll is Read, and returns the whole plan of the file; nil if it has none.
func ReadAll(r io.Reader, file string) (*model.Problem, *Plan, error) {
	p, plan, _, err := ReadWith(r, file, ReadOptions{})
	return p, plan, err
}

// ReadOptions say what a file leaves open. The zero value leaves it to the names of its keys.
type ReadOptions struct {
	// Ends says what the ends of lifespans and gaps mean if their key is not upper.
	Ends times.Ends
}

// ReadWith is ReadAll with options. It also says how the times were read: WriteWith writes fractions as they were.
func ReadWith(r io.Reader, file string, o ReadOptions) (*model.Problem, *Plan, times.Read, error) {
	d, err := ReadDocument(r, file, o)
	if d == nil {
		d = new(Document)
	}
	return d.Problem, d.Plan, d.Times, err
}

// A Document is what a file holds.
type Document struct {
	Problem *model.Problem // of a family: with the largest sizes
	Plan    *Plan          // nil for none
	Family  *model.Family  // nil if sizes do not vary
	Times   times.Read     // how the times were read
}

// ReadDocument reads all that a file holds. The error is as of Read.
func ReadDocument(r io.Reader, file string, o ReadOptions) (*Document, error) {
	text, err := source.Read(r, file)
	if err != nil {
		return nil, err
	}
	if err := check(text); err != nil {
		return nil, err
	}
	budget := text.Budget
	d := decode(text, o, 0)
	if d.seen > 0 && !d.over { // the power of ten that makes all times whole is known only at the end
		text.Budget = budget
		d = decode(text, o, d.seen)
	}
	p, plan, err := d.finish()
	return &Document{Problem: p, Plan: plan, Family: d.shapes.made, Times: d.times}, err
}

// decode walks the text. Times are multiplied by ten to the power of places.
func decode(text *source.Text, o ReadOptions, places int) *decoder {
	d := &decoder{
		walker: walker{Text: text}, version: Version, moments: moments{asked: o.Ends, times: times.Read{Places: places}},
	}
	v, varies := versionOf(text)
	if d.shapes.varies = varies && v == BanksVersion; v == RulesVersion || v == BanksVersion {
		d.ruled = ruled{
			two: true, three: v == BanksVersion, lists: map[string][]rule{}, items: map[string][]int{}, keys: map[string]int{},
			named: map[string][]listed{},
		}
	}
	d.document()
	return d
}

// finish looks up names, and checks the document as a whole.
func (d *decoder) finish() (*model.Problem, *Plan, error) {
	if d.over { // all other faults follow from that
		return nil, nil, d.excess
	}
	if d.version != Version && d.version != RulesVersion && d.version != BanksVersion {
		// The keys may mean something else in another version.
		return nil, nil, d.otherVersion("versions 1, 2 and 3")
	}
	if d.two {
		d.wholeSlots()
		d.resolve()
	}
	d.family()
	err := d.issues.Err()
	if d.over {
		return nil, nil, d.excess
	}
	if d.listed {
		err = source.Join(err, d.validate())
	}
	if err != nil {
		if what := elsewhereRead(d.Text.Text); !d.listed && what != "" {
			return nil, nil, d.Refuse(0, "", what)
		}
		var e *model.InputError
		if errors.As(err, &e) { // keys may stand in any order, lines in one
			slices.SortStableFunc(e.Issues, func(i, j model.Issue) int { return i.Line - j.Line })
		}
		return nil, nil, err
	}
	p := d.problem // a copy: a pointer into d would keep the text
	if d.shapes.made != nil {
		d.shapes.made.Problem = &p
	}
	return &p, d.plan, nil
}

// elsewhereRead names the kind of a text that is no problem but another document of this package; else "".
func elsewhereRead(text string) string {
	switch {
	case IsGraph([]byte(text)):
		return "is a graph of operators, not a problem with buffers: 'stowage plan' plans it, and 'stowage verify " +
			"GRAPH PLAN' checks a plan"
	case IsGraphPlan([]byte(text)):
		return "is a plan of a graph, without lifespans: 'stowage verify GRAPH PLAN' checks it, and 'stowage plan " +
			"-o FILE.html GRAPH' draws one"
	}
	return ""
}

// ReadPlan reads a plan of p, in the order of p.Buffers and with its height. The buffers and pools of the file may be
// in another order: they are matched by their IDs. Their other values must be valid, but may differ from those in p.
// The error is as of Read; a file without a plan is one too.
func ReadPlan(r io.Reader, file string, p *model.Problem) (*model.Plan, error) {
	q, plan, err := ReadAll(r, file)
	if err != nil {
		return nil, err
	}
	if plan == nil || plan.Offsets == nil {
		return nil, model.Issue{File: file, Field: "plan", Message: "the file has no plan with offsets"}.Err()
	}
	return source.Match(file, q, plan.Model(), p)
}

// A decoder turns a document into a problem and a plan. Like the CSV reader it gives buffers with a fault harmless
// values, so that validation reports no second fault.
type decoder struct {
	walker
	problem model.Problem
	plan    *Plan
	issues  model.Issues

	starts     []int // where each buffer starts in the text
	capacityAt int   // where the capacity stands
	planAt     int   // where the plan stands
	heightAt   int   // where the height of the plan stands
	boundAt    int   // where the lower bound of the plan stands
	offsetsAt  int   // where the offsets of the plan stand
	listed     bool  // buffers is a list

	moments
	ruled         // of version 2
	shapes shapes // of families

	version   int64 // as the file has it
	versionAt int   // where it stands

	refused int   // calls of place
	over    bool  // the budget is spent
	excess  error // that it is

	inside bool         // a buffer is being read
	held   model.Issues // its faults, until its ID is known
	sound  bool         // the value that is being read has no fault so far
}

// elsewhere has the names that other forms of Stowage, and other tools, use for a key of a buffer.
var elsewhere = map[string]string{
	"name": "id", "buffer": "id", "buffer_id": "id", "bytes": "size", "align": "alignment", "fixed": "offset",
}

var documentKeys = []string{"buffers", "version", "name", "capacity", "plan"}

func (d *decoder) document() {
	if d.peek() == '[' {
		d.readBuffers()
		return
	}
	keys := documentKeys
	if d.two {
		keys = rulesDocumentKeys
	}
	if d.three {
		keys = listsDocumentKeys
	}
	d.object("the document", keys, 1, func(key int) {
		switch at := d.pos; key {
		case 0:
			d.readBuffers()
		case 1:
			d.version, d.versionAt = Version, at
			if v, ok := d.integer("version"); ok {
				d.version = v
			}
		case 2:
			d.problem.Name = strings.Clone(d.str("name"))
		case 3:
			d.problem.Capacity, _ = d.integer("capacity")
			d.capacityAt = at
		case 4:
			d.planAt = at
			d.readPlan()
		default:
			if !d.shapes.varies || !d.familyKey(keys[key]) {
				d.rule(keys[key])
			}
		}
	})
}

func (d *decoder) readBuffers() {
	n := d.atMost()
	d.problem.Buffers, d.starts = make([]model.Buffer, 0, n), make([]int, 0, n)
	d.listed = d.list("buffers", source.BufferBytes+8, d.readBuffer)
}

// atMost returns how many buffers the text may hold: no more than it has braces
// from here on, and none is shorter than the one below with its comma.
func (d *decoder) atMost() int {
	const shortest = `{"lower":0,"upper":0,"size":0},`
	rest := d.Text.Text[d.pos:]
	return d.Most(min(strings.Count(rest, "{"), len(rest)/len(shortest)+1), source.BufferBytes+8)
}

var bufferKeys = []string{"lower", "upper", "size", "id", "alignment", "gaps", "offset", "hint"}

func (d *decoder) readBuffer() {
	b := model.Buffer{Alignment: 1}
	start := d.pos
	d.sound, d.inside = true, true
	named := false
	keys := bufferKeys
	if d.two {
		keys = rulesBufferKeys
	}
	if d.three {
		keys = banksBufferKeys
	}
	var lower, upper []int64 // by clocks
	required := 3
	if d.shapes.varies {
		keys, required = familyBufferKeys, 2
	}
	d.object("a buffer", keys, required, func(key int) {
		switch key {
		case 0:
			if lower = d.clocks("lower"); lower == nil {
				b.Lower = d.time(d.names.lower)
			}
		case 1:
			if upper = d.clocks("upper"); upper == nil {
				b.Upper = d.end(d.names.upper)
			}
		case 2:
			if d.three && !d.shapes.varies && d.peek() == '[' {
				if extents := d.integers("size"); d.sound {
					d.extra(&b)
					b.SetExtents(extents)
				}
				return
			}
			b.Size = d.size()
		case 3:
			b.ID = strings.Clone(d.str("id")) // a slice would keep the whole text
			named = true
		case 4:
			if v, ok := d.integer("alignment"); ok && v != 0 {
				b.Alignment = v
			}
		case 5:
			d.list("gaps", 2*int(unsafe.Sizeof(model.Gap{})+unsafe.Sizeof(model.Window{})),
				func() { b.Gaps = append(b.Gaps, d.gap()) })
			model.SortGaps(b.Gaps)
		case 6:
			at := d.pos
			if b.Fixed != nil {
				d.refuse(at, "offset", "", "the buffer has a fixed offset already: fixed and offset say the same")
			}
			b.Fixed = d.pointer("offset")
		case 7:
			b.Hint = d.pointer("hint")
		default:
			if keys[key] == "sizes" {
				d.readSizes()
				return
			}
			d.bufferRule(keys[key], &b)
		}
	})
	if d.shapes.varies {
		d.sized(start, &b)
	}
	d.setClocks(start, &b, lower, upper)
	d.point(&b, named)
	if !named { // as Stowage names it in Python, C and JavaScript
		b.ID = strconv.Itoa(len(d.problem.Buffers))
	}
	d.release(b.ID)
	if !d.sound {
		d.nameless = d.nameless || b.ID == ""
		b = model.Buffer{ID: b.ID, Upper: 1, Size: 1}
		if b.ID == "" {
			b.ID = "\x00" + strconv.Itoa(start)
		}
	}
	d.problem.Buffers = append(d.problem.Buffers, b)
	d.starts = append(d.starts, start)
}

var gapKeys = []string{"lower", "upper", "window"}

func (d *decoder) gap() (g model.Gap) {
	if d.two && d.peek() == '[' {
		g.Lower, g.Upper = d.span("gaps", d.time)
		return g
	}
	d.object("gaps", gapKeys, 2, func(key int) {
		switch key {
		case 0:
			g.Lower = d.time("gaps." + d.names.lower)
		case 1:
			g.Upper = d.end("gaps." + d.names.upper)
		case 2:
			at := d.pos
			var ends []int64
			ok := d.list("gaps.window", 0, func() {
				v, _ := d.integer("gaps.window")
				ends = append(ends, v)
			})
			switch {
			case !ok:
			case len(ends) != 2:
				d.refuse(at, "gaps.window", d.Text.Text[at:d.pos], "is not a pair of integers")
			default:
				g.Window = &model.Window{Lower: ends[0], Upper: ends[1]}
			}
		}
	})
	return g
}

var planKeys = []string{"status", "planner", "height", "lower_bound", "offsets"}

func (d *decoder) readPlan() {
	d.plan = new(Plan)
	keys := planKeys
	if d.two {
		keys = rulesPlanKeys
	}
	if d.shapes.varies {
		keys = familyPlanKeys
	}
	d.object("plan", keys, 1, func(key int) {
		switch at := d.pos; key {
		case 0:
			d.plan.Status = d.status("plan.status")
		case 1:
			d.plan.Planner = strings.Clone(d.str("plan.planner"))
		case 2:
			d.plan.Height = d.amount("plan.height")
			d.heightAt = at
		case 3:
			d.plan.LowerBound = d.amount("plan.lower_bound")
			d.boundAt = at
		case 4:
			d.offsetsAt = at
			d.plan.Offsets = make([]int64, 0, len(d.problem.Buffers))
			d.list("plan.offsets", 16, func() { d.plan.Offsets = append(d.plan.Offsets, d.placeOf()) })
		default:
			if !d.shapes.varies || !d.familyClaim(keys[key]) {
				d.claim(keys[key])
			}
		}
	})
}

func (d *decoder) status(field string) model.Status {
	at := d.pos
	name := d.str(field)
	for s := model.Unknown; s <= model.Infeasible; s++ {
		if s.String() == name {
			return s
		}
	}
	if d.Text.Text[at] == '"' {
		d.refuse(at, field, name, "is not a status: expected unknown, feasible, optimal or infeasible")
	}
	return model.Unknown
}
