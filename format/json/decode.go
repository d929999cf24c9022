package json

import (
	stdjson "encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/internal/suggest"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/model"
)

// What the readers of all kinds of values share: objects, lists, text and numbers, and what is said of a wrong one.

// refuse reports a fault at a place of the text.
func (d *decoder) refuse(at int, field, value, message string) {
	d.sound = false
	issue := d.place(at)
	issue.Field, issue.Value, issue.Message = field, source.Clip(value), message
	if d.inside {
		d.held.Add(issue)
	} else {
		d.issues.Add(issue)
	}
}

// release reports the faults of the buffer that has been read, under its ID.
func (d *decoder) release(id string) {
	d.inside = false
	err := d.held.Err()
	if err == nil {
		return
	}
	var e *model.InputError
	errors.As(err, &e)
	for k := range e.Issues {
		e.Issues[k].Buffer = source.Clip(id)
	}
	d.issues.Join(err)
	d.held = model.Issues{}
}

// place returns an issue at a place of the text. Lines are counted from the start of it, so only for as many as can be
// kept: a million faults must not take a million times the length of the file. A duplicate asks for three lines.
func (d *decoder) place(at int) model.Issue {
	issue := model.Issue{File: d.File}
	if d.refused++; d.refused <= 3*model.MaxIssues {
		issue.Line = d.Line(at)
	}
	return issue
}

// otherVersion is the error for a version that is not ours.
func (d *decoder) otherVersion(known string) error {
	d.issues, d.refused = model.Issues{}, 0
	d.refuse(d.versionAt, "version", strconv.FormatInt(d.version, 10), "is not known: this program reads "+known)
	return d.issues.Err()
}

// object walks an object and calls member with the index of each key, and pos at its value. It reports unknown keys,
// keys that stand twice, and missing keys among the first required ones. what names the object in messages.
func (d *decoder) object(what string, keys []string, required int, member func(key int)) {
	d.peek()
	at := d.pos
	if !d.enter('{') {
		field := what
		if what == "a buffer" {
			field = "" // the message has its number
		}
		d.refuse(at, field, d.value(), "is not an object")
		return
	}
	var seen uint
	for d.more() {
		keyAt := d.pos
		name, _ := d.text()
		if d.refused > source.MostFaults {
			d.value()
			continue
		}
		k := slices.Index(keys, d.timeKey(what, name))
		switch {
		case k < 0:
			d.refuse(keyAt, inside(what, name), "", d.unknown(what, name, keys))
			d.value()
		case seen>>k&1 == 1:
			d.refuse(keyAt, inside(what, name), "", "is a duplicate: the key appears twice")
			d.value()
		default:
			seen |= 1 << k
			d.peek()
			if k >= required && d.Text.Text[d.pos] == 'n' { // null
				d.value()
				continue
			}
			member(k)
		}
	}
	for k := range required {
		if seen>>k&1 == 0 {
			message := "the key is missing"
			if what == "plan" && keys[k] == "status" {
				message += ": expected optimal, feasible, infeasible or unknown"
			}
			d.refuse(at, inside(what, keys[k]), "", message)
		}
	}
}

// unknown returns the message for an unknown key. A problem with rules needs its version, which is easy to leave out.
func (d *decoder) unknown(what, name string, keys []string) string {
	ofRules := what == "the document" && slices.Contains(rulesDocumentKeys, name) ||
		what == "a buffer" && slices.Contains(rulesBufferKeys, name) && elsewhere[name] == ""
	ofBanks := what == "the document" && slices.Contains(listKeys, name) || what == "pools" && !slices.Contains(poolKeys, name) && slices.Contains(bankPoolKeys, name) ||
		what == "a buffer" && (name == "spans" || name == "sizes")
	if ofBanks && !d.three && d.version <= RulesVersion {
		return `is not a known key: a problem with ` + name + ` begins with "version": 3`
	}
	if ofRules && !d.two && d.version == Version {
		return `is not a known key: a problem with rules begins with "version": 2`
	}
	return "is not a known key: " + meant(what, name, keys)
}

// meant says which key may have been meant by an unknown key, or which keys there are.
func meant(what, name string, keys []string) string {
	if what == "a buffer" {
		if key := elsewhere[strings.ToLower(name)]; key != "" {
			return "did you mean " + key + "?"
		}
	}
	if near := suggest.Nearest(name, keys); len(near) > 0 {
		return "did you mean " + strings.Join(near, " or ") + "?"
	}
	return what + " has " + strings.Join(keys, ", ")
}

// inside names a key of an object in messages; those of the document and of a buffer stand alone.
func inside(what, key string) string {
	switch what {
	case "the document", "a buffer":
		return key
	}
	return what + "." + key
}

// list walks an array, with item called at each of its values; false if the next value is no array. The memory of the
// items comes out of the budget. A list whose length is not known takes twice as much while it grows.
func (d *decoder) list(field string, bytes int, item func()) bool {
	at := d.pos
	if !d.enter('[') {
		d.refuse(at, field, unquote(d.value()), "is not a list")
		return false
	}
	for d.more() {
		if d.refused > source.MostFaults || d.over {
			d.value()
			continue
		}
		if d.pay(field, bytes) {
			item()
		}
	}
	return true
}

// pay takes bytes from the budget for a part of the document.
func (d *decoder) pay(field string, bytes int) bool {
	if !d.over && !d.Spend(bytes) {
		d.over = true
		issue := model.Issue{File: d.File, Line: d.Line(d.pos), Field: field, Message: d.Excess()}
		if d.inside || field == "buffers" {
			issue.Value = strconv.Itoa(len(d.problem.Buffers))
		}
		d.excess = issue.Err()
	}
	return !d.over
}

func (d *decoder) str(field string) string {
	at := d.pos
	s, ok := d.text()
	if !ok {
		d.refuse(at, field, d.value(), "is not a string")
	}
	return s
}

// integer reads an integer; false if the value is none.
func (d *decoder) integer(field string) (int64, bool) {
	d.peek()
	at := d.pos
	raw := d.value()
	v, err := strconv.ParseInt(raw, 10, 64)
	switch {
	case err == nil:
		return v, true
	case errors.Is(err, strconv.ErrRange):
		d.refuse(at, field, raw, "does not fit into 64 bits")
	default:
		d.refuse(at, field, unquote(raw), "is not an integer"+spelled(field, raw))
	}
	return 0, false
}

// spelled says how JSON must write a whole number that has a fraction, an exponent, quotes or, for a size, a unit: CSV
// accepts these.
func spelled(field, raw string) string {
	read := units.Whole
	switch field {
	case "size", "alignment", "offset", "fixed", "hint", "capacity", "pools.capacity", "pools.alignment",
		"pools.granularity", "pools.borders", "pools.reserved", "pools.sizes":
		read = units.Any
	}
	v, err := read(unquote(raw))
	if err != nil {
		return ""
	}
	number := strconv.FormatInt(v, 10)
	if raw[0] == '"' {
		number += " without quotes"
	}
	return ": expected " + number
}

// unquote takes the quotes off a string, so that a message does not double them.
func unquote(raw string) string {
	var s string
	if raw[0] == '"' && stdjson.Unmarshal([]byte(raw), &s) == nil {
		return s
	}
	return raw
}

func (d *decoder) pointer(field string) *int64 {
	if v, ok := d.integer(field); ok {
		return &v
	}
	return nil
}

// amount reads an integer from 0 to model.MaxSum.
func (d *decoder) amount(field string) int64 {
	d.peek()
	at := d.pos
	v, ok := d.integer(field)
	if ok && (v < 0 || v > model.MaxSum) {
		d.refuse(at, field, d.Text.Text[at:d.pos], "must be from 0 to "+strconv.Itoa(model.MaxSum))
	}
	return v
}
