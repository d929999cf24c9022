package onnx

import (
	"fmt"
	"strings"

	"github.com/stowage-go/stowage/internal/sampled"
)

// Idea: a dimension that varies is written as NAME=LOW..HIGH or NAME=LOW..HIGH/STEP, and NAME=OTHER gives it the value of
// another one that varies. So the ranges are read first, and then the names.
//
// Complexity: O(pairs).

// A DimError is what is wrong with a dimension.
type DimError struct {
	Dim string // as it was given
	Err error  // what is wrong with it
}

// Error has the dimension and what is wrong with it.
func (e *DimError) Error() string { return fmt.Sprintf("%q: %v", e.Dim, e.Err) }

// Unwrap returns what is wrong.
func (e *DimError) Unwrap() error { return e.Err }

// SplitDim splits NAME=VALUE. The name, which may be that of a tensor, may contain an equals sign.
func SplitDim(pair string) (name, value string, ok bool) {
	at := strings.LastIndexByte(pair, '=')
	if at < 1 {
		return "", "", false
	}
	return pair[:at], pair[at+1:], true
}

// ReadRanges reads dimensions that vary, by name, and returns the pairs that are no such dimensions as they are. number
// reads a whole number. An error is a *DimError.
func ReadRanges(pairs []string, number func(string) (int64, error)) (fixed []string, out map[string]Range, err error) {
	out = map[string]Range{}
	set := func(pair, name string, r Range) error {
		if old, there := out[name]; there && old != r {
			return &DimError{pair, fmt.Errorf("it has another range by the one before")}
		}
		out[name] = r
		return nil
	}
	var rest []string
	for _, pair := range pairs {
		name, text, ok := SplitDim(pair)
		switch s, isRange, err := sampled.Range("", text, number); {
		case err != nil:
			return nil, nil, &DimError{pair, err}
		case !isRange || !ok:
			rest = append(rest, pair)
		default:
			if err := set(pair, name, Range{Low: s.Low, High: s.High, Step: s.Step}); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, pair := range rest {
		name, as, ok := SplitDim(pair)
		if r, there := out[as]; !ok || !there || r.As != "" {
			fixed = append(fixed, pair)
		} else if err := set(pair, name, Range{As: as}); err != nil {
			return nil, nil, err
		}
	}
	return fixed, out, nil
}
