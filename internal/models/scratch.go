package models

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/suggest"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/tflm"
)

// scratchFrom says where the sizes of scratch come from: reference (the rules of the chosen kernels), none, or
// declared.
func (p *Options) scratchFrom() string {
	switch {
	case len(p.Scratch) == 0, len(p.Scratch) == 1 && p.Scratch[0] == "reference" && p.Kernels.Set == tflm.ReferenceSet:
		return "reference"
	case len(p.Scratch) == 1 && p.Scratch[0] == "none":
		return "none"
	}
	return "declared"
}

// readScratch turns the values of --scratch into scratch buffers. If there are none, it returns the scratch of the
// kernels.
func readScratch(values []string, set tflm.Set, m *tflite.Model, l *tflite.Lifetimes) ([]tflite.Scratch, error) {
	if len(values) == 0 {
		return set.Scratch(m), nil
	}
	var out []tflite.Scratch
	for _, value := range values {
		switch value {
		case "reference":
			out = append(out, tflm.ReferenceSet.Scratch(m)...)
			continue
		case "none":
			continue
		}
		key, bytes, declared := strings.Cut(value, "=")
		if !declared {
			s, err := scratchOfLog(value, m, l)
			if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(value, "./\\") {
				return nil, misusef("invalid argument %q for --scratch: is neither OPERATOR=BYTES, such as %s=4096, "+
					"nor the log of a target, nor reference or none", value, value)
			}
			if err != nil {
				return nil, err
			}
			out = append(out, s...)
			continue
		}
		n, err := units.Parse(bytes)
		if err != nil {
			return nil, misusef("invalid argument %q for --scratch: %v", value, err)
		}
		found := false
		number, err := strconv.Atoi(key)
		for k := range m.Operators {
			if err == nil && k == number || err != nil && strings.EqualFold(m.Operators[k].Name(), key) {
				found = true
				if n > 0 {
					out = append(out, tflite.Scratch{Operator: k, Bytes: n})
				}
			}
		}
		if !found {
			return nil, misusef("invalid argument %q for --scratch: %s has no operator %s%s", value, m.File, key, operatorsOf(m))
		}
	}
	return out, nil
}

// operatorsOf lists the operators of a model.
func operatorsOf(m *tflite.Model) string {
	if len(m.Operators) == 0 {
		return ""
	}
	var names []string
	for k := range m.Operators {
		names = append(names, m.Operators[k].Name())
	}
	slices.Sort(names)
	return fmt.Sprintf("; the operators are 0 to %d, named %s", len(m.Operators)-1,
		suggest.Listed("", slices.Compact(names), ""))
}

func scratchOfLog(path string, m *tflite.Model, l *tflite.Lifetimes) ([]tflite.Scratch, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	requests, err := tflite.ReadLog(f, path)
	if err != nil {
		return nil, err
	}
	return m.ScratchOf(requests, l, path)
}
