// Package dsa reads and writes the problems of dsa-solver: JSON of the schema dsa-problem-v1, which the PyPTO
// compiler exports. It writes plans as dsa-solution-v1. A file has pools with capacities and reserved ranges, buffers
// with live intervals, pairs of buffers, and an objective. All of it becomes a model.Problem with Rules:
//
//	live_intervals       lower, upper and gaps; intervals that touch or overlap are merged
//	separations          apart; the reasons are not kept
//	temporal_exclusions  may_overlap
//	colocations          together, at the same byte. Each member takes the size of the largest of its class, since
//	                     dsa-solver reserves that size for the lifetime of every member
//	pinned_allocations   a fixed offset in one pool. With exclusive_for_all_time the buffer is apart from every other that
//	                     may be in the pool
//	reuse_penalties      penalties
//	objective            total_peak, max_peak and reuse_cost become peak, max_peak and penalty. capacity_overflow is left
//	                     out, since a capacity always holds here. bank_cost is left out: dsa-solver never computes it
//
// The keys metadata, pypto_structure and bank_geometry change no plan, and a model.Problem has no room for them;
// Document.Write writes them again. Buffers and pools have their names as IDs if these are all different, and their
// numbers otherwise. They keep their order. write.go says what Write refuses, and what it writes in another form.
//
// Complexity: O(bytes). An exclusive pin adds a pair for each buffer.
//
// Source: tonibohnlein/dsa-solver a8d1257, docs/structured_problem_schema_v1.md and schemas/dsa-problem-v1.schema.json.
package dsa

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"unsafe"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Version is the version of the schema that this package reads and writes.
const Version = 1

// keys are those of a document. None is a key of Stowage's own JSON.
var keys = []string{"instance", "metadata", "problem", "profile", "schema_version", "relaxed_from", "relaxed_features"}

// Begins reports whether a file that begins with head may be a problem of dsa-solver: an object whose first key is
// one of the schema.
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
	at     int64 // the beginning of the present value

	version  int64
	name     string
	profile  string
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
	d, err := ReadDocument(r, file)
	if err != nil {
		return nil, err
	}
	return d.Problem, nil
}

// ReadDocument is Read, and returns what a plan of the problem must name besides.
func ReadDocument(r io.Reader, file string) (*Document, error) {
	text, err := source.Read(r, file)
	if err != nil {
		return nil, err
	}
	d := reader{Text: text, dec: stdjson.NewDecoder(strings.NewReader(text.Text)), version: -1}
	d.dec.DisallowUnknownFields()
	// The decoder keeps what it has not read yet, and a value that is passed over.
	if !text.Spend(3 * len(text.Text)) {
		return nil, text.Exceeded(0, "")
	}
	if !stdjson.Valid(unsafe.Slice(unsafe.StringData(text.Text), len(text.Text))) {
		var whole stdjson.RawMessage
		return nil, d.fault(stdjson.Unmarshal([]byte(text.Text), &whole)) // Valid does not say where
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
	doc := &Document{Problem: &p, Profile: d.profile, Instance: d.name, text: text.Text}
	for k := range d.pools {
		doc.Pools = append(doc.Pools, *d.pools[k].ID)
	}
	for k := range d.buffers {
		doc.Buffers = append(doc.Buffers, *d.buffers[k].ID)
	}
	return doc, nil
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
		if value := itemOf(d.Text.Text[at:]); !d.Spend(2*int(unsafe.Sizeof(item)) + source.BufferBytes + weight(value)) {
			d.refuse(at, field, value, d.Excess())
			return d.issues.Err()
		}
		if err := d.dec.Decode(&item); err != nil {
			return err
		}
		set(&item, at)
		*all = append(*all, item)
	}
	_, err := d.dec.Token()
	return err
}

// itemOf returns the next value of a list in JSON that is known to be valid.
func itemOf(text string) string {
	begin, depth := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune(" \t\r\n,", r) }), 0
	for i := max(begin, 0); i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return text[begin : i+1]
			}
		case ',':
			if depth == 0 {
				return text[begin:i]
			}
		}
	}
	return text[max(begin, 0):]
}

// weight returns what an item takes in memory beside its struct: numbers, texts and lists, which grow.
func weight(item string) int {
	return 2*len(item) + 64*strings.Count(item, "{") + 32*strings.Count(item, ",")
}

func (d *reader) skip() error {
	var raw stdjson.RawMessage
	return d.dec.Decode(&raw)
}

func (d *reader) unknown(key string, at int64) error {
	if key == "placements" {
		d.refuse(at, key, "", "is a key of plans (dsa-solution-v1); only problems of dsa-solver (dsa-problem-v1) are read")
		return d.issues.Err()
	}
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
		case "profile":
			return d.dec.Decode(&d.profile)
		case "metadata", "relaxed_from", "relaxed_features":
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
