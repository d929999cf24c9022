// Package dsa reads the problems of dsa-solver: JSON of the schema dsa-problem-v1, which the PyPTO
// compiler exports. A file has pools with capacities and reserved ranges, buffers with live intervals, pairs of buffers, and an
// objective. All of it becomes a model.Problem with Rules:
//
//	live_intervals       lower, upper and gaps; intervals that touch or overlap are merged
//	separations          apart; the reasons are not kept
//	temporal_exclusions  may_overlap
//	colocations          together, at the same byte. Each member takes the size of the largest of its class: dsa-solver
//	                     reserves the extent of the class for the lifetime of every member
//	pinned_allocations   a fixed offset in one pool. With exclusive_for_all_time the buffer is apart from every other that
//	                     may be in the pool
//	reuse_penalties      penalties
//	objective            total_peak, max_peak and reuse_cost become peak, max_peak and penalty. capacity_overflow is left
//	                     out, since a capacity always holds here, and so is bank_cost, which dsa-solver never computes
//
// The keys metadata, profile, pypto_structure and bank_geometry change no plan, and are not kept. Buffers and
// pools have their names as IDs if these are all different, and their numbers otherwise. They keep their order.
//
// Complexity: O(bytes). An exclusive pin adds a pair for each buffer.
//
// Source: tonibohnlein/dsa-solver a8d1257, docs/structured_problem_schema_v1.md and
// schemas/dsa-problem-v1.schema.json.
package dsa

import (
	"bytes"
	"cmp"
	stdjson "encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Version is the version of the schema that this package reads.
const Version = 1

// keys are those of a document. None is a key of Stowage's own JSON.
var keys = []string{"instance", "metadata", "problem", "profile", "schema_version", "relaxed_from", "relaxed_features"}

// Begins reports whether head, the beginning of a file, is that of a problem of dsa-solver: an object
// whose first key is one of the schema.
func Begins(head []byte) bool {
	t := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\uFEFF")), " \t\r\n")
	rest, ok := bytes.CutPrefix(t, []byte("{"))
	rest, quoted := bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(`"`))
	key, _, closed := bytes.Cut(rest, []byte(`"`))
	return ok && quoted && closed && slices.Contains(keys, string(key))
}

// What a file has, as it has it. A pointer is nil if the key is missing.
type (
	pool struct {
		ID       *int64
		Name     string
		Capacity *int64
		Reserved []struct{ Begin, End *int64 } `json:"reserved_ranges"`
		Banks    stdjson.RawMessage            `json:"bank_geometry"`
		at       int64
	}
	buffer struct {
		ID        *int64
		Name      string
		Size      *int64
		Alignment int64
		Live      []struct{ Lower, Upper *int64 } `json:"live_intervals"`
		Allowed   []int64                         `json:"allowed_pools"`
		at        int64
	}
	pair struct {
		First, Second *int64
		Cost          *int64
		Reason        string
		Reasons       []string
		at            int64
	}
	pin struct {
		Buffer, Pool, Offset *int64
		Exclusive            bool `json:"exclusive_for_all_time"`
		at                   int64
	}
)

// A reader goes through a file. Its lists have the file's order.
type reader struct {
	*source.Text
	dec    *stdjson.Decoder
	issues model.Issues
	placed int   // calls of place
	at     int64 // where the value begins that is being decoded

	version  int64
	name     string
	pools    []pool
	buffers  []buffer
	together []pair
	apart    []pair
	free     []pair
	paid     []pair
	pins     []pin
	terms    []string
	termsAt  int64

	bufferOf, poolOf map[int64]int32 // by number
	problem          model.Problem
}

// Read reads a problem from r; file is its name in messages. The error is r's, or a *model.InputError with file,
// line, field and value. A fault of the JSON or of a type is reported alone, others together.
func Read(r io.Reader, file string) (*model.Problem, error) {
	text, err := source.Read(r, file)
	if err != nil {
		return nil, err
	}
	d := reader{Text: text, dec: stdjson.NewDecoder(strings.NewReader(text.Text)), version: -1}
	d.dec.DisallowUnknownFields()
	var whole stdjson.RawMessage
	if err := stdjson.Unmarshal([]byte(text.Text), &whole); err != nil {
		return nil, d.fault(err)
	}
	if err := d.document(); err != nil {
		return nil, d.fault(err)
	}
	if d.version != Version {
		d.refuse(0, "schema_version", "", "must be 1")
		return nil, d.issues.Err()
	}
	d.number()
	if d.issues.Err() == nil {
		d.make()
	}
	if d.issues.Err() == nil {
		d.validate()
	}
	if err := d.issues.Err(); err != nil {
		return nil, err
	}
	p := d.problem
	return &p, nil
}

// place returns an issue at a byte of the text. Lines are counted only for as many as can be kept.
func (d *reader) place(at int64) model.Issue {
	issue := model.Issue{File: d.File}
	if d.placed++; d.placed <= 3*model.MaxIssues {
		from := min(int(at), len(d.Text.Text))
		gap := strings.IndexFunc(d.Text.Text[from:], func(r rune) bool { return !strings.ContainsRune(" \t\r\n,:", r) })
		issue.Line = d.Line(from + max(gap, 0))
	}
	return issue
}

func (d *reader) refuse(at int64, field, value, message string) {
	issue := d.place(at)
	issue.Field, issue.Value, issue.Message = field, source.Clip(value), message
	d.issues.Add(issue)
}

// fault is the error for JSON that cannot be decoded.
func (d *reader) fault(err error) error {
	var input *model.InputError
	var syntax *stdjson.SyntaxError
	var kind *stdjson.UnmarshalTypeError
	switch {
	case errors.As(err, &input):
		return err
	case errors.As(err, &syntax) && strings.HasPrefix(syntax.Error(), "unexpected end"):
		d.refuse(int64(len(strings.TrimRight(d.Text.Text, " \t\r\n"))), "", "", "the JSON text is cut off")
	case errors.As(err, &syntax):
		d.refuse(max(syntax.Offset-1, 0), "", "", "is not JSON: "+syntax.Error())
	case errors.As(err, &kind):
		d.refuse(d.at, strings.ToLower(kind.Field), kind.Value, "is not "+kindName(kind))
	default: // an unknown field
		d.refuse(d.at, "", "", strings.TrimPrefix(err.Error(), "json: "))
	}
	return d.issues.Err()
}

func kindName(e *stdjson.UnmarshalTypeError) string {
	switch e.Type.Kind().String() {
	case "int64":
		return "an integer of 64 bits"
	case "slice":
		return "a list"
	case "struct", "map":
		return "an object"
	}
	return "a " + e.Type.Kind().String()
}

// object walks an object; member decodes the value of each key.
func (d *reader) object(field string, member func(key string, at int64) error) error {
	at := d.dec.InputOffset()
	if err := d.open('{', field, at); err != nil {
		return err
	}
	seen := map[string]bool{}
	for d.dec.More() {
		at := d.dec.InputOffset()
		token, err := d.dec.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		if seen[key] {
			d.refuse(at, key, "", "is a duplicate: the key appears twice")
			return d.issues.Err()
		}
		seen[key], d.at = true, at
		if err := member(key, at); err != nil {
			return err
		}
	}
	_, err := d.dec.Token()
	return err
}

// open steps into an object or a list.
func (d *reader) open(bracket stdjson.Delim, field string, at int64) error {
	token, err := d.dec.Token()
	if err != nil {
		return err
	}
	if token != bracket {
		what := "an object"
		if bracket == '[' {
			what = "a list"
		}
		d.refuse(at, field, "", "is not "+what)
		return d.issues.Err()
	}
	return nil
}

// list walks a list of a key, and decodes each item. set says where the item stands.
func list[T any](d *reader, field string, all *[]T, set func(item *T, at int64)) error {
	if err := d.open('[', field, d.dec.InputOffset()); err != nil {
		return err
	}
	for d.dec.More() {
		at := d.dec.InputOffset()
		var item T
		d.at = at
		if err := d.dec.Decode(&item); err != nil {
			return err
		}
		set(&item, at)
		*all = append(*all, item)
	}
	_, err := d.dec.Token()
	return err
}

func (d *reader) skip() error {
	var raw stdjson.RawMessage
	return d.dec.Decode(&raw)
}

func (d *reader) unknown(key string, at int64) error {
	d.refuse(at, key, "", "is not a known key of dsa-problem-v1")
	return d.issues.Err()
}

func (d *reader) document() error {
	err := d.object("the document", func(key string, at int64) error {
		switch key {
		case "schema_version":
			return d.dec.Decode(&d.version)
		case "instance":
			return d.dec.Decode(&d.name)
		case "problem":
			return d.readProblem()
		case "metadata", "profile", "relaxed_from", "relaxed_features":
			return d.skip()
		}
		return d.unknown(key, at)
	})
	if err != nil {
		return err
	}
	if _, err := d.dec.Token(); err != io.EOF {
		d.refuse(d.dec.InputOffset(), "", "", "is not JSON: there is more than one value")
	}
	return d.issues.Err()
}

func (d *reader) readProblem() error {
	return d.object("problem", func(key string, at int64) error {
		switch key {
		case "pools":
			return list(d, key, &d.pools, func(x *pool, at int64) { x.at = at })
		case "buffers":
			return list(d, key, &d.buffers, func(x *buffer, at int64) { x.at = at })
		case "constraints":
			return d.object(key, d.readConstraint)
		case "cost_model":
			return d.object(key, func(key string, at int64) error {
				if key != "reuse_penalties" {
					return d.unknown(key, at)
				}
				return d.readPairs(key, &d.paid)
			})
		case "objective":
			d.termsAt = at
			var o struct {
				Aggregation string
				Terms       []string
			}
			if err := d.dec.Decode(&o); err != nil {
				return err
			}
			if d.terms = o.Terms; o.Aggregation != "lexicographic" {
				d.refuse(at, "objective.aggregation", o.Aggregation, "must be lexicographic")
			}
			return nil
		case "pypto_structure":
			return d.skip()
		}
		return d.unknown(key, at)
	})
}

func (d *reader) readConstraint(key string, at int64) error {
	switch key {
	case "separations":
		return d.readPairs(key, &d.apart)
	case "temporal_exclusions":
		return d.readPairs(key, &d.free)
	case "colocations":
		return d.readPairs(key, &d.together)
	case "pinned_allocations":
		return list(d, key, &d.pins, func(x *pin, at int64) { x.at = at })
	}
	return d.unknown(key, at)
}

func (d *reader) readPairs(key string, all *[]pair) error {
	return list(d, key, all, func(x *pair, at int64) { x.at = at })
}

// number gives each buffer and pool its index.
func (d *reader) number() {
	d.poolOf, d.bufferOf = make(map[int64]int32, len(d.pools)), make(map[int64]int32, len(d.buffers))
	if len(d.pools) == 0 {
		d.refuse(0, "pools", "", "there is no pool")
	}
	add := func(of map[int64]int32, k int, id *int64, field string, at int64) {
		if id == nil {
			d.refuse(at, field+".id", "", "the key is missing")
		} else if _, again := of[*id]; again {
			d.refuse(at, field+".id", strconv.FormatInt(*id, 10), "is a duplicate")
		} else {
			of[*id] = int32(k)
		}
	}
	for k := range d.pools {
		add(d.poolOf, k, d.pools[k].ID, "pools", d.pools[k].at)
	}
	for k := range d.buffers {
		add(d.bufferOf, k, d.buffers[k].ID, "buffers", d.buffers[k].at)
	}
}

// index looks up a number.
func (d *reader) index(of map[int64]int32, id *int64, field string, at int64) int32 {
	if id == nil {
		d.refuse(at, field, "", "the key is missing")
		return 0
	}
	k, ok := of[*id]
	if !ok {
		d.refuse(at, field, strconv.FormatInt(*id, 10), "there is none with this id")
	}
	return k
}

// unique reports whether n names are all there and different.
func unique(n int, name func(k int) string) bool {
	seen := make(map[string]bool, n)
	for k := range n {
		if name(k) == "" || seen[name(k)] {
			return false
		}
		seen[name(k)] = true
	}
	return true
}

// make makes the problem.
func (d *reader) make() {
	r := &model.Rules{}
	p := &d.problem
	p.Name, p.Rules = strings.Clone(d.name), r
	named := unique(len(d.pools), func(k int) string { return d.pools[k].Name })
	for k := range d.pools {
		r.Pools = append(r.Pools, d.makePool(&d.pools[k], named))
	}
	named = unique(len(d.buffers), func(k int) string { return d.buffers[k].Name })
	p.Buffers = make([]model.Buffer, 0, len(d.buffers))
	for k := range d.buffers {
		p.Buffers = append(p.Buffers, d.makeBuffer(&d.buffers[k], named))
	}
	pairOf := func(x *pair, field string) model.Pair {
		return model.Pair{d.index(d.bufferOf, x.First, field+".first", x.at), d.index(d.bufferOf, x.Second, field+".second", x.at)}
	}
	for k := range d.apart {
		r.Apart = append(r.Apart, pairOf(&d.apart[k], "separations"))
	}
	for k := range d.free {
		r.MayOverlap = append(r.MayOverlap, pairOf(&d.free[k], "temporal_exclusions"))
	}
	for k := range d.paid {
		x := &d.paid[k]
		if x.Cost == nil {
			d.refuse(x.at, "reuse_penalties.cost", "", "the key is missing")
			continue
		}
		r.Penalties = append(r.Penalties, model.Penalty{Buffers: pairOf(x, "reuse_penalties"), Cost: *x.Cost})
	}
	for k := range d.together {
		tied := pairOf(&d.together[k], "colocations")
		r.Together = append(r.Together, model.Together{Buffers: tied[:]})
	}
	if d.issues.Err() != nil {
		return
	}
	body, _, _ := model.BodiesOf(p)
	d.widen(body)
	for k := range d.pins {
		d.pin(&d.pins[k], body)
	}
	d.objective()
}

func (d *reader) makePool(x *pool, named bool) model.Pool {
	p := model.Pool{ID: strings.Clone(x.Name)}
	if !named {
		p.ID = strconv.FormatInt(*x.ID, 10)
	}
	if x.Capacity != nil {
		if p.Capacity = *x.Capacity; p.Capacity == 0 { // here 0 means none
			d.refuse(x.at, "pools.capacity", "0", "must be at least 1, or null for none")
		}
	}
	for _, s := range x.Reserved {
		if s.Begin == nil || s.End == nil {
			d.refuse(x.at, "pools.reserved_ranges", "", "needs begin and end")
			continue
		}
		p.Reserved = append(p.Reserved, model.Range{Lower: *s.Begin, Upper: *s.End})
	}
	return p
}

func (d *reader) makeBuffer(x *buffer, named bool) model.Buffer {
	b := model.Buffer{ID: strings.Clone(x.Name), Alignment: cmp.Or(x.Alignment, 1)}
	if !named {
		b.ID = strconv.FormatInt(*x.ID, 10)
	}
	refuse := func(field, message string) {
		issue := d.place(x.at)
		issue.Buffer, issue.Field, issue.Message = source.Clip(b.ID), field, message
		d.issues.Add(issue)
	}
	if x.Size == nil {
		refuse("size", "the key is missing")
		return b
	}
	b.Size = *x.Size
	live := make([]model.Range, 0, len(x.Live))
	for _, s := range x.Live {
		if s.Lower == nil || s.Upper == nil || *s.Lower >= *s.Upper {
			refuse("live_intervals", "needs lower and upper, and lower below upper")
			return b
		}
		live = append(live, model.Range{Lower: *s.Lower, Upper: *s.Upper})
	}
	if len(live) == 0 {
		refuse("live_intervals", "the buffer is never live")
		return b
	}
	slices.SortFunc(live, func(a, b model.Range) int { return cmp.Compare(a.Lower, b.Lower) })
	b.Lower, b.Upper = live[0].Lower, live[0].Upper
	for _, s := range live[1:] {
		if s.Lower > b.Upper {
			b.Gaps = append(b.Gaps, model.Gap{Lower: b.Upper, Upper: s.Lower})
		}
		b.Upper = max(b.Upper, s.Upper)
	}
	var pools []int32
	for k := range x.Allowed {
		pool := d.index(d.poolOf, &x.Allowed[k], "allowed_pools", x.at)
		if slices.Contains(pools, pool) && d.issues.Err() == nil {
			refuse("allowed_pools", "names a pool twice")
		}
		pools = append(pools, pool)
	}
	if len(pools) == 0 {
		refuse("allowed_pools", "the buffer may be in no pool")
	}
	if len(pools) < len(d.pools) {
		b.Extra = &model.Extra{Pools: pools}
	}
	return b
}

// widen raises each size to the largest of its class.
func (d *reader) widen(body []int32) {
	if body == nil {
		return
	}
	extent := make([]int64, len(body))
	for i, of := range body {
		extent[of] = max(extent[of], d.problem.Buffers[i].Size)
	}
	for i, of := range body {
		d.problem.Buffers[i].Size = extent[of]
	}
}

// pin fixes the offset of a buffer.
func (d *reader) pin(x *pin, body []int32) {
	const field = "pinned_allocations"
	i := d.index(d.bufferOf, x.Buffer, field+".buffer", x.at)
	pool := d.index(d.poolOf, x.Pool, field+".pool", x.at)
	if x.Offset == nil {
		d.refuse(x.at, field+".offset", "", "the key is missing")
	}
	if d.issues.Err() != nil {
		return
	}
	p := &d.problem
	b := &p.Buffers[i]
	switch {
	case b.Fixed != nil:
		d.refuse(x.at, field+".buffer", b.ID, "is pinned twice")
		return
	case !b.MayUse(pool):
		d.refuse(x.at, field+".pool", p.Rules.Pools[pool].ID, "is not among the allowed pools of the buffer")
		return
	}
	if b.Fixed = x.Offset; len(d.pools) > 1 {
		b.Extra = &model.Extra{Pools: []int32{pool}}
	}
	if !x.Exclusive {
		return
	}
	for k := range p.Buffers {
		same := int32(k) == i || body != nil && body[k] == body[i]
		if !same && p.Buffers[k].MayUse(pool) {
			p.Rules.Apart = append(p.Rules.Apart, model.Pair{i, int32(k)})
		}
	}
}

func (d *reader) objective() {
	for _, term := range d.terms {
		switch term {
		case "total_peak":
			d.problem.Rules.Objective = append(d.problem.Rules.Objective, model.MeasurePeak)
		case "max_peak":
			d.problem.Rules.Objective = append(d.problem.Rules.Objective, model.MeasureMaxPeak)
		case "reuse_cost":
			d.problem.Rules.Objective = append(d.problem.Rules.Objective, model.MeasurePenalty)
		case "capacity_overflow", "bank_cost":
		default:
			d.refuse(d.termsAt, "objective.terms", term, "is not known")
		}
	}
}

// validate checks the problem, and says where a fault stands.
func (d *reader) validate() {
	names := map[string]string{"lower": "live_intervals", "upper": "live_intervals", "gaps": "live_intervals", "pools": "allowed_pools", "offset": "pinned_allocations.offset"}
	err := model.ValidateAs(&d.problem, model.Terms{
		Where: func(i int) model.Issue {
			if i < 0 {
				return model.Issue{File: d.File}
			}
			return d.place(d.buffers[i].at)
		},
		Name: func(field string) string { return cmp.Or(names[field], field) },
	})
	var e *model.InputError
	if errors.As(err, &e) {
		for k := range e.Issues {
			d.locate(&e.Issues[k])
		}
	}
	d.issues.Join(err)
}

// locate gives a fault of a rule its line and the name that the file has for the rule.
func (d *reader) locate(issue *model.Issue) {
	issue.File, issue.Buffer, issue.Value = d.File, source.Clip(issue.Buffer), source.Clip(issue.Value)
	name, rest, _ := strings.Cut(issue.Field, "[")
	number, rest, _ := strings.Cut(rest, "]")
	k, err := strconv.Atoi(number)
	if err != nil {
		k = math.MaxInt
	}
	for _, l := range []struct {
		model, file string
		list        []pair
	}{
		{"apart", "separations", d.apart},
		{"may_overlap", "temporal_exclusions", d.free},
		{"penalties", "reuse_penalties", d.paid},
		{"together", "colocations", d.together},
	} {
		if name == l.model && issue.Buffer == "" {
			if issue.Field = l.file + rest; k < len(l.list) {
				issue.Line = d.place(l.list[k].at).Line
			}
		}
	}
	if name == "pools" && k < len(d.pools) {
		issue.Field, issue.Line = "pools"+rest, d.place(d.pools[k].at).Line
	}
}
