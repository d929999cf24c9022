package json

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/model"
)

// Idea: the keys lower and upper of buffers and gaps go by the names that columns of CSV have, too: start, end. What
// these mean is said in package times. Evictions, parts of plans and gaps that are pairs have no other names, and are
// half-open.
//
// Times may have fractions. All are then multiplied by one power of ten, so the text is walked a second time.

// moments is how the times of a file are read.
type moments struct {
	asked   times.Ends // what the user says of the ends
	times   times.Read
	seen    int    // the most decimal places of any time
	told    bool   // an end could not be read by its name, which is said once
	startIs string // a name of lower in the file that is another; empty for none
	names   struct {
		lower, upper string // as the object that is being read has them
		inclusive    bool   // its upper is inclusive
	}
}

// timeKey returns the key that a name stands for in a buffer or a gap, and keeps the name.
func (d *decoder) timeKey(what, name string) string {
	if what != "a buffer" && what != "gaps" {
		return name
	}
	switch {
	case name == "lower":
		d.names.lower = name
	case name == "start", name == "begin":
		d.names.lower, d.startIs = name, name
		return "lower"
	case name == times.Upper, name == times.End, slices.Contains(times.Ambiguous, name):
		d.names.upper = name
		return "upper"
	}
	return name
}

// time reads a time, multiplied as those of the file are.
func (d *decoder) time(field string) int64 {
	d.peek()
	at := d.pos
	if c := d.Text.Text[at]; c != '-' && (c < '0' || c > '9') {
		d.integer(field) // says what it is
		return 0
	}
	raw := d.value()
	v, err := strconv.ParseInt(raw, 10, 64)
	places, fault := 0, ""
	switch {
	case errors.Is(err, strconv.ErrRange):
		fault = "does not fit into 64 bits"
	case err != nil:
		v, places, fault = times.Parse(raw)
		d.seen = max(d.seen, places)
	}
	if all := d.times.Places; fault == "" && all > 0 {
		var ok bool
		if v, ok = times.Scaled(v, places, all); !ok {
			fault = times.TooFine(all)
		}
	}
	if fault != "" {
		d.refuse(at, field, raw, fault)
		return 0
	}
	return v
}

// end reads the end of a lifespan or gap, by the name that it has.
func (d *decoder) end(field string) int64 {
	d.peek()
	at := d.pos
	name := strings.TrimPrefix(field, "gaps.")
	is, fault := d.asked.Of(name)
	if fault != "" && !d.told {
		d.told = true
		d.refuse(at, field, "", fault)
	}
	v := d.time(field)
	if name == times.Upper {
		d.names.inclusive = false
		return v
	}
	if d.times.Name == "" {
		d.times.Name, d.times.Ends, d.times.Said = strings.Clone(name), is, d.asked != ""
	}
	d.names.inclusive = is == times.Inclusive
	if !d.names.inclusive {
		return v
	}
	if v >= model.MaxSum {
		d.refuse(at, field, strings.TrimSpace(d.Text.Text[at:d.pos]), "is too large")
		return v
	}
	return v + 1
}

// point remembers the first buffer that lives in one time slot by inclusive ends.
func (d *decoder) point(b *model.Buffer, named bool) {
	if d.sound && d.names.inclusive && d.times.Point == "" && b.Upper == b.Lower+1 {
		d.times.Point = strconv.Itoa(len(d.problem.Buffers))
		if named {
			d.times.Point = strings.Clone(source.Clip(b.ID))
		}
	}
	d.names.inclusive = false
}

// wholeSlots refuses fractions in a problem with distances, which count time slots.
func (d *decoder) wholeSlots() {
	if at, ok := d.keys["distances"]; ok && d.times.Places > 0 && len(d.lists["distances"]) > 0 {
		d.refuse(at, "distances", "", "counts time slots, so the times of the file must be whole numbers")
	}
	if d.times.Places > 0 && d.rules.Threads > 0 {
		d.refuse(d.keys["threads"], "threads", "", "clocks count steps, so the times of the file must be whole numbers")
	}
}

// terms returns how the file names and counts its times.
func (d *decoder) terms(where func(i int) model.Issue) model.Terms {
	t := model.Terms{Where: where, Inclusive: d.times.Inclusive()}
	if d.times.Name != "" || d.startIs != "" {
		t.Name = func(field string) string {
			switch {
			case field == "upper" && d.times.Name != "":
				return d.times.Name
			case field == "lower" && d.startIs != "":
				return d.startIs
			}
			return field
		}
	}
	if places := d.times.Places; places > 0 {
		t.Time = func(v int64) string { return string(times.Append(nil, v, places)) }
	}
	return t
}
