package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: each operation is a line with its keys in one order: those of the table in trace.go. Reading what was written
// gives the same trace, and writing that gives the same bytes.

// order is the order of the keys in a line.
var order = slices.Concat([]string{
	"format", "capacity", "id", "lower", "upper", "size", "alignment", "source", "threads", "period", "gaps", "fixed",
	"hint", "pools", "value",
	"group", "offset", "pool", "expect", "reason", "height", "segments", "slices", "moved", "buffers",
}, ruleKeys)

// Write writes a trace. The error is w's, or says that rules name a pool that does not exist, or have a name that is
// not valid UTF-8.
func Write(w io.Writer, t *Trace) error {
	out := bufio.NewWriter(w)
	head := model.Rules{Pools: t.Pools, Threads: t.Threads, Period: t.Period}
	open, err := fieldsOf(head, &t.Rules, nil)
	if err != nil {
		return err
	}
	delete(open, "buffers")
	delete(open, "version")
	open["format"], open["source"] = Format, t.Source
	if t.Capacity > 0 {
		open["capacity"] = t.Capacity
	}
	if t.Alignment > 0 {
		open["alignment"] = t.Alignment
	}
	line(out, Open, open)
	for i := range t.Ops {
		o := &t.Ops[i]
		v := o.values()
		if err := o.ruled(head, v); err != nil {
			return fmt.Errorf("operation %d, %s %s: %w", i+1, o.Kind, o.ID, err)
		}
		line(out, o.Kind, v)
	}
	return out.Flush()
}

// values are the values of a line, by key.
type values map[string]any

// values returns what a line of the operation has.
func (o *Op) values() values {
	v := values{
		"id": o.ID, "lower": o.Lower, "upper": o.Upper, "size": o.Size, "expect": o.Expect, "reason": o.Reason,
		"group": o.Group,
	}
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
	if o.Kind == Limit {
		v["capacity"] = o.Capacity
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

// ruled adds what only format/json can write to the values of a line.
func (o *Op) ruled(head model.Rules, v values) error {
	if o.Pool != nil {
		if k := *o.Pool; k < 0 || int(k) >= len(head.Pools) {
			return fmt.Errorf("there is no pool of the index %d; there are %d", k, len(head.Pools))
		}
		v["pool"] = head.Pools[*o.Pool].ID
	}
	one := o.Gaps != nil || o.Fixed != nil || o.Hint != nil || o.Extra != nil
	if !one && o.Buffers == nil && o.Rules.None() {
		return nil
	}
	list := o.Buffers
	if one {
		list = []model.Buffer{o.Buffer()}
	}
	all, err := fieldsOf(head, &o.Rules, list)
	if err != nil {
		return err
	}
	for _, key := range ruleKeys {
		if value, there := all[key]; there {
			v[key] = value
		}
	}
	var written []json.RawMessage
	if err := json.Unmarshal(all["buffers"].(json.RawMessage), &written); err != nil {
		return err
	}
	if o.Buffers != nil {
		v["buffers"] = written[:len(o.Buffers)]
	}
	if one {
		var b map[string]json.RawMessage
		if err := json.Unmarshal(written[0], &b); err != nil {
			return err
		}
		for _, key := range slices.Concat([]string{"lower", "upper"}, bufferKeys) {
			if value, there := b[key]; there {
				v[key] = value
			} else if key == "fixed" && b["offset"] != nil {
				v[key] = b["offset"] // what it is called without rules
			}
		}
	}
	return nil
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
