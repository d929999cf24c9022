package dsa

import (
	"cmp"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Idea: a plan for dsa-solver (dsa-solution-v1) has the numbers of buffers and pools, and a fingerprint of its
// problem: FNV-1a of 64 bits over the problem as dsa-solver writes it. That text has its keys in order, an indent of
// two, and no key without a meaning. So for the fingerprint the JSON of the file is written again in that form. All
// but four files of dsa-solver a8d1257, which were written by hand, have it already.
//
// Complexity: O(bytes of the problem).

// A Document is a problem of dsa-solver, with what a plan of it must name.
type Document struct {
	Problem  *model.Problem // as Read returns it
	Profile  string         // which parts of the schema the file may use, such as pypto_hard_v1
	Instance string         // the name of the problem
	Pools    []int64        // the number of each pool, in the order of Problem.Rules.Pools
	Buffers  []int64        // the number of each buffer, in the order of Problem.Buffers

	text string // of the file
}

// Fingerprint returns what dsa-solver identifies the problem by: 16 hexadecimal digits.
func (d *Document) Fingerprint() (string, error) {
	decoder := stdjson.NewDecoder(strings.NewReader(d.text))
	decoder.UseNumber()
	var tree object
	if err := decoder.Decode(&tree); err != nil {
		return "", err
	}
	if tree["metadata"] == nil {
		tree["metadata"] = object{}
	}
	dropEmpty(tree, "relaxed_features")
	problem, _ := tree["problem"].(object)
	constraints, _ := problem["constraints"].(object)
	apart, _ := constraints["separations"].(array)
	for _, x := range apart {
		if pair, ok := x.(object); ok {
			dropEmpty(pair, "reasons")
		}
	}
	sum := fnv.New64a()
	sum.Write(append(appendTree(nil, tree, 0), '\n'))
	return fmt.Sprintf("%016x", sum.Sum64()), nil
}

// dropEmpty removes a list that has nothing.
func dropEmpty(of object, key string) {
	if list, ok := of[key].(array); ok && len(list) == 0 {
		delete(of, key)
	}
}

// WriteSolution writes a plan of the document's problem as dsa-solution-v1. The metadata may say anything about where
// the plan is from, and may be nil. The error is w's, or says that the plan does not match the problem; then nothing is
// written. Whether the plan is right is for stowage.VerifyPlan, or dsa-solver, to say.
func (d *Document) WriteSolution(w io.Writer, plan *model.Plan, metadata map[string]string) error {
	switch {
	case len(plan.Offsets) != len(d.Buffers):
		return fmt.Errorf("dsa: %d offsets for %d buffers", len(plan.Offsets), len(d.Buffers))
	case plan.Pools == nil && len(d.Pools) > 1, plan.Pools != nil && len(plan.Pools) != len(d.Buffers):
		return fmt.Errorf("dsa: %d pools for %d buffers", len(plan.Pools), len(d.Buffers))
	case len(plan.Parts) > 0:
		return errors.New("dsa-solution-v1 has no evictions")
	}
	fingerprint, err := d.Fingerprint()
	if err != nil {
		return err
	}
	order := make([]int, len(d.Buffers))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(d.Buffers[a], d.Buffers[b]) })
	placements := make(array, 0, len(order))
	for _, k := range order {
		placements = append(placements,
			object{"buffer": d.Buffers[k], "pool": d.Pools[plan.PoolOf(k)], "offset": plan.Offsets[k]})
	}
	about := object{}
	for key, value := range metadata {
		about[key] = value
	}
	tree := object{
		"schema_version": int64(Version), "profile": d.Profile, "instance": d.Instance,
		"problem_fingerprint": fingerprint, "metadata": about, "placements": placements,
	}
	_, err = w.Write(append(appendTree(nil, tree, 0), '\n'))
	return err
}

// appendTree appends JSON as dsa-solver's library spells it.
func appendTree(dst []byte, value any, depth int) []byte {
	line := func(depth int) {
		dst = append(dst, '\n')
		for range depth {
			dst = append(dst, "  "...)
		}
	}
	switch v := value.(type) {
	case object:
		if len(v) == 0 {
			return append(dst, "{}"...)
		}
		dst = append(dst, '{')
		for k, key := range slices.Sorted(maps.Keys(v)) {
			if k > 0 {
				dst = append(dst, ',')
			}
			line(depth + 1)
			dst = append(appendText(dst, key), ": "...)
			dst = appendTree(dst, v[key], depth+1)
		}
		line(depth)
		return append(dst, '}')
	case array:
		if len(v) == 0 {
			return append(dst, "[]"...)
		}
		dst = append(dst, '[')
		for k, item := range v {
			if k > 0 {
				dst = append(dst, ',')
			}
			line(depth + 1)
			dst = appendTree(dst, item, depth+1)
		}
		line(depth)
		return append(dst, ']')
	case string:
		return appendText(dst, v)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case stdjson.Number:
		return append(dst, v...)
	case bool:
		return strconv.AppendBool(dst, v)
	}
	return append(dst, "null"...)
}

// appendText appends a string. Only quotes, backslashes and control characters are escaped.
func appendText(dst []byte, s string) []byte {
	const short = "\b\t\n\f\r"
	dst = append(dst, '"')
	for k := range len(s) {
		c := s[k]
		switch at := strings.IndexByte(short, c); {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case at >= 0:
			dst = append(dst, '\\', "btnfr"[at])
		case c < 0x20:
			dst = fmt.Appendf(dst, "\\u%04x", c)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
