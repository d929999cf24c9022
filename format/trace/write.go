package trace

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"
)

// Idea: each operation is a line with its keys in one order: those of the table in trace.go. Reading what was written
// gives the same trace, and writing that gives the same bytes.

// order is the order of the keys in a line.
var order = []string{"format", "capacity", "id", "lower", "upper", "size", "alignment", "source", "value", "group", "offset", "expect", "reason", "height", "segments", "slices", "moved"}

// Write writes a trace.
func Write(w io.Writer, t *Trace) error {
	out := bufio.NewWriter(w)
	open := values{"format": Format, "source": t.Source}
	if t.Capacity > 0 {
		open["capacity"] = t.Capacity
	}
	if t.Alignment > 0 {
		open["alignment"] = t.Alignment
	}
	line(out, Open, open)
	for i := range t.Ops {
		line(out, t.Ops[i].Kind, t.Ops[i].values())
	}
	return out.Flush()
}

// values are the values of a line, by key.
type values map[string]any

// values returns what a line of the operation has.
func (o *Op) values() values {
	v := values{"id": o.ID, "lower": o.Lower, "upper": o.Upper, "size": o.Size, "expect": o.Expect, "reason": o.Reason, "group": o.Group}
	if o.Alignment > 0 {
		v["alignment"] = o.Alignment
	}
	if o.Value != nil {
		v["value"] = *o.Value
	}
	if o.Offset != nil {
		v["offset"] = *o.Offset
	}
	if o.Height > 0 {
		v["height"] = o.Height
	}
	if o.Slices != nil {
		v["slices"] = slicesOf(o.Slices)
	}
	if o.Moved != nil {
		list := []json.RawMessage{}
		for _, m := range o.Moved {
			x := values{"id": m.ID, "offset": m.Offset}
			if m.Slices != nil {
				x["slices"] = slicesOf(m.Slices)
			}
			list = append(list, object("", nil, x))
		}
		v["moved"] = list
	}
	if o.Kind == Result {
		v["value"] = o.Outcome
	}
	if o.Kind == Request {
		if o.Segments != nil {
			var list []json.RawMessage
			for _, s := range o.Segments {
				list = append(list, object("", nil, values{"id": s.ID, "lower": s.Lower, "upper": s.Upper, "size": s.Size}))
			}
			v["segments"] = list
		}
		if o.Size == 0 {
			delete(v, "lower")
			delete(v, "upper")
			delete(v, "size")
		}
	}
	return v
}

func slicesOf(list []Slice) []json.RawMessage {
	out := []json.RawMessage{}
	for _, s := range list {
		out = append(out, object("", nil, values{"size": s.Size, "lower": s.Lower}))
	}
	return out
}

func line(w *bufio.Writer, kind Kind, v values) {
	known := keys[kind]
	w.Write(object(kind, func(key string) bool {
		return slices.Contains(known[0], key) || slices.Contains(known[1], key) && v[key] != ""
	}, v))
	w.WriteByte('\n')
}

// object returns a JSON object of the values whose keys has accepts; nil accepts all.
func object(kind Kind, has func(string) bool, v values) []byte {
	text := []byte{'{'}
	if kind != "" {
		text = append(text, `"op":"`+string(kind)+`"`...)
	}
	for _, key := range order {
		value, there := v[key]
		if !there || has != nil && !has(key) {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(text, '"')
		text = append(text, key...)
		text = append(text, '"', ':')
		encoded, _ := json.Marshal(value) // numbers, strings and lists of objects
		text = append(text, encoded...)
	}
	return append(text, '}')
}
