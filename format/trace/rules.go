package trace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	fjson "github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/internal/suggest"
	"github.com/stowage-go/stowage/model"
)

// Idea: the rules of a line are a small problem of version 2. Its values stand, unchanged, in a document with the
// pools and clocks of the first line, the new buffers, and the buffers that the rules name. format/json reads that
// document. So keys, values and messages are those of a problem's file. Writing goes the other way: format/json
// writes such a problem, and the line takes the values of its keys.
//
// Complexity: O(length of the line + pools). A line without rules is read without a document.
//
// Trials: docs/lab/formats.md (a reader of its own for rules repeated what format/json knows).

// A held is what the reader knows of a buffer that is there, for the rules that name it.
type held struct {
	lower, upper any // a number, or one a clock
	size         int64
}

func heldOf(b *model.Buffer) *held {
	if b.Extra != nil && b.Extra.Clocks != nil {
		return &held{b.Extra.Clocks.Lower, b.Extra.Clocks.Upper, b.Size}
	}
	return &held{b.Lower, b.Upper, b.Size}
}

// head adds what the first line says of pools and clocks.
func (r *reader) head(doc *bytes.Buffer) {
	doc.WriteString(`{"version":2`)
	for _, key := range []string{"capacity", "pools", "threads", "period"} {
		if value, there := r.open[key]; there {
			fmt.Fprintf(doc, `,"%s":%s`, key, value)
		}
	}
}

// problem reads new buffers and rules of a line. If the line has faults, it reports them, and ok is false.
func (r *reader) problem(fields map[string]json.RawMessage, buffers []json.RawMessage,
	ids ...string,
) (p *model.Problem, ok bool) {
	var doc bytes.Buffer
	r.head(&doc)
	list := slices.Clone(buffers)
	seen := map[string]bool{}
	for _, id := range ids {
		seen[id] = true
	}
	for _, key := range ruleKeys {
		value, there := fields[key]
		if !there {
			continue
		}
		fmt.Fprintf(&doc, `,"%s":%s`, key, value)
		for _, id := range named(value) {
			if h := r.live[id]; h != nil && !seen[id] {
				seen[id] = true
				list = append(list, object("", nil, values{"id": id, "lower": h.lower, "upper": h.upper, "size": h.size}))
			}
		}
	}
	doc.WriteString(`,"buffers":[`)
	for k, b := range list {
		if k > 0 {
			doc.WriteByte(',')
		}
		doc.Write(b)
	}
	doc.WriteString("]}")
	p, _, err := fjson.Read(&doc, r.file)
	if err == nil {
		return p, true
	}
	var e *model.InputError
	if !errors.As(err, &e) {
		r.say("", "", err.Error())
		return nil, false
	}
	for k := range e.Issues {
		x := &e.Issues[k]
		// which has only those that rules name
		if x.Line = r.line; strings.HasPrefix(x.Message, "is no buffer of the problem") {
			x.Message = "is not there"
		}
		x.Message = strings.Replace(x.Message, "no pool of the problem", "no pool of the first line", 1)
	}
	r.issues.Join(e)
	return nil, false
}

// named returns all texts in a value that are not keys: names, if the value is one of rules.
func named(value json.RawMessage) (ids []string) {
	var list []any
	if json.Unmarshal(value, &list) != nil {
		return nil // the reader of problems says why
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			ids = append(ids, v)
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			walk(v["buffers"])
		}
	}
	walk(list)
	return ids
}

// RulesOf returns the rules of a problem by IDs, those that Rules has. They share the lists of distances.
func RulesOf(p *model.Problem) (rules Rules) {
	if p.Rules == nil {
		return rules
	}
	id := func(i int32) string { return p.Buffers[i].ID }
	both := func(list []model.Pair) (pairs [][2]string) {
		for _, x := range list {
			pairs = append(pairs, [2]string{id(x[0]), id(x[1])})
		}
		return pairs
	}
	for _, t := range p.Rules.Together {
		tie := Tie{At: t.At}
		for _, i := range t.Buffers {
			tie.Buffers = append(tie.Buffers, id(i))
		}
		rules.Together = append(rules.Together, tie)
	}
	rules.Apart, rules.MayOverlap = both(p.Rules.Apart), both(p.Rules.MayOverlap)
	for _, x := range p.Rules.Distances {
		rules.Distances = append(rules.Distances, Distance{id(x.Buffers[0]), id(x.Buffers[1]), x.Distance})
	}
	return rules
}

// indexed returns the problem whose rules are these: buffers, and after them those that the rules name besides.
func indexed(head model.Rules, rules *Rules, buffers []model.Buffer) *model.Problem {
	p := &model.Problem{Rules: &head, Buffers: slices.Clip(buffers)}
	index := map[string]int32{}
	for i := range buffers {
		index[buffers[i].ID] = int32(i)
	}
	of := func(id string) int32 {
		if _, there := index[id]; !there {
			index[id] = int32(len(p.Buffers))
			p.Buffers = append(p.Buffers, model.Buffer{ID: id, Upper: 1, Size: 1})
		}
		return index[id]
	}
	both := func(pairs [][2]string) (list []model.Pair) {
		for _, x := range pairs {
			list = append(list, model.Pair{of(x[0]), of(x[1])})
		}
		return list
	}
	for _, t := range rules.Together {
		tie := model.Together{At: t.At}
		for _, id := range t.Buffers {
			tie.Buffers = append(tie.Buffers, of(id))
		}
		head.Together = append(head.Together, tie)
	}
	head.Apart, head.MayOverlap = both(rules.Apart), both(rules.MayOverlap)
	for _, x := range rules.Distances {
		head.Distances = append(head.Distances,
			model.Distance{Buffers: model.Pair{of(x.First), of(x.Second)}, Distance: x.Bytes})
	}
	return p
}

// fields returns the keys of a problem's document with their values.
func fieldsOf(head model.Rules, rules *Rules, buffers []model.Buffer) (values, error) {
	var doc, value bytes.Buffer
	if err := fjson.Write(&doc, indexed(head, rules, buffers), nil); err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(doc.Bytes(), &all); err != nil {
		return nil, err
	}
	v := values{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		value.Reset()
		if err := json.Compact(&value, all[key]); err != nil {
			return nil, err
		}
		v[key] = json.RawMessage(slices.Clone(value.Bytes()))
	}
	return v, nil
}

// buffer reads the buffer of add, fits or retime, and the rules that come with it, if the line has more than plain
// numbers. plain is true if it has not.
func (p *parser) buffer(o *Op) (plain bool) {
	lists := func(key string) bool { return bytes.HasPrefix(p.fields[key], []byte{'['}) }
	more := p.r.open["threads"] != nil || p.r.open["period"] != nil || lists("lower") || lists("upper")
	for _, key := range slices.Concat(bufferKeys, ruleKeys) {
		more = more || p.fields[key] != nil
	}
	if !more {
		return true
	}
	b := values{"size": json.RawMessage("1")} // of a retime
	for _, key := range slices.Concat([]string{"id", "lower", "upper", "size", "alignment"}, bufferKeys) {
		if value, there := p.fields[key]; there {
			b[key] = value
		}
	}
	q, ok := p.r.problem(p.fields, []json.RawMessage{object("", nil, b)}, o.ID)
	if p.ok = p.ok && ok; !ok {
		return false
	}
	x := &q.Buffers[0]
	o.Lower, o.Upper, o.Gaps, o.Fixed, o.Hint, o.Extra = x.Lower, x.Upper, x.Gaps, x.Fixed, x.Hint, x.Extra
	if o.Kind != Retime {
		o.Size = x.Size
	}
	o.Rules = RulesOf(q)
	return false
}

// buffers reads the list of place, and the rules that come with it.
func (p *parser) buffers(o *Op) {
	var list []json.RawMessage
	if value := p.fields["buffers"]; json.Unmarshal(value, &list) != nil || len(list) == 0 {
		p.fault("buffers", value, "must be a list of buffers")
		return
	}
	var ids []string
	for _, text := range list {
		var b struct {
			ID string `json:"id"`
		}
		if _ = json.Unmarshal(text, &b); b.ID == "" {
			p.fault("buffers", text, "must have an id in each of its objects")
			return
		}
		ids = append(ids, b.ID)
	}
	q, ok := p.r.problem(p.fields, list, ids...)
	if p.ok = p.ok && ok; ok {
		o.Buffers, o.Rules = q.Buffers[:len(list):len(list)], RulesOf(q)
	}
}

// rules reads what bind and unbind have.
func (p *parser) rules(o *Op) {
	q, ok := p.r.problem(p.fields, nil)
	if p.ok = p.ok && ok; !ok {
		return
	}
	if o.Rules = RulesOf(q); o.Rules.None() {
		p.fault("op", json.RawMessage(strconv.Quote(string(o.Kind))),
			"has no rules: it needs one of "+strings.Join(ruleKeys, ", "))
	}
}

// pool returns the index of the pool that a key names; nil if the line has no such key.
func (p *parser) pool(key string) *int32 {
	value, there := p.fields[key]
	if !there {
		return nil
	}
	name := p.text(key)
	k := int32(slices.IndexFunc(p.r.pools, func(q model.Pool) bool { return q.ID == name }))
	if k < 0 && p.ok {
		var all []string
		for i := range p.r.pools {
			all = append(all, p.r.pools[i].ID)
		}
		p.fault(key, value, "is no pool of the first line, which has "+cmp.Or(suggest.Listed(name, all, ""), "none"))
	}
	return &k
}

// where reads the pool of an operation. If an offset stands beside it, the two are a place.
func (p *parser) where(o *Op) {
	several := len(p.r.pools) > 1
	switch o.Pool = p.pool("pool"); {
	case !p.ok || o.Kind != Add && o.Kind != Pin:
		if o.Kind == Limit && o.Pool == nil && several && p.ok {
			p.fault("pool", nil, "is missing: each of several pools has a capacity of its own")
		}
	case o.Pool != nil && o.Offset == nil:
		p.fault("offset", nil, "is missing: a pool alone is no place")
	case o.Kind == Add && o.Pool == nil && o.Offset != nil && several:
		p.fault("pool", nil, "is missing: there are several")
	}
}

// begin reads the rules of the first line, once the buffers are there that come first.
func (r *reader) begin(t *Trace) {
	if r.begun {
		return
	}
	r.begun = true
	line := r.line
	r.line = r.first
	if p, ok := r.problem(r.open, nil); ok {
		t.Rules = RulesOf(p)
	}
	r.line = line
}
