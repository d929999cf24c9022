package main

// #include "solver.h"
import "C"

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	_ "github.com/stowage-go/stowage/internal/baseline/minimalloc" // whose users may come from there
	_ "github.com/stowage-go/stowage/internal/sweep"
)

// Idea: what is a number is an option by number, in C memory; names of planners,
// techniques and parameters, and all options at once, come as JSON, under the names of
// the command's flags.

// optionsOf returns the options of a run.
func (p *peer) optionsOf(s *C.stowage_solver) stowage.Options {
	o := p.options
	o.Minimize = s.options[C.STOWAGE_MINIMIZE] != 0
	o.Timeout = time.Duration(s.options[C.STOWAGE_TIMEOUT])
	o.NodeLimit = int64(s.options[C.STOWAGE_NODES])
	o.Workers = int(s.options[C.STOWAGE_WORKERS])
	o.Seed = uint64(s.options[C.STOWAGE_SEED])
	if start := column(s.start, int(s.count)); start != nil {
		o.Start = append([]int64{}, start...)
	}
	return o
}

// named is the JSON of options. A key that is not there leaves its option alone.
type named struct {
	Planner  *string           `json:"planner"`
	Capacity *int64            `json:"capacity"`
	Minimize *bool             `json:"minimize"`
	Timeout  *duration         `json:"timeout"`
	Nodes    *int64            `json:"nodes"`
	Workers  *int64            `json:"workers"`
	Seed     *uint64           `json:"seed"`
	Without  []string          `json:"without"`
	Set      map[string]string `json:"set"`
}

// A duration is text such as 10s, or a number of seconds.
type duration time.Duration

func (d *duration) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		var s string
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		x, err := time.ParseDuration(s)
		if err != nil {
			return errors.New("timeout " + string(text) + `: is no time such as "10s" or "1h30m"`)
		}
		*d = duration(x)
		return nil
	}
	var seconds float64
	if err := json.Unmarshal(text, &seconds); err != nil || math.Abs(seconds) > math.MaxInt64/1e9 {
		return errors.New("timeout " + string(text) + `: is neither a number of seconds nor a time such as "10s"`)
	}
	*d = duration(seconds * 1e9)
	return nil
}

//export stowageSetOptions
func stowageSetOptions(s *C.stowage_solver, text *C.char, length C.size_t) (code C.int) {
	defer guard(s, &code)
	d := json.NewDecoder(bytes.NewReader(bytesOf(text, length)))
	d.DisallowUnknownFields()
	var o named
	if err := d.Decode(&o); err != nil {
		return fail(s, inputError("options: "+optionsFault(err)))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fail(s, inputError("options: there is more than one object"))
	}
	p := peerOf(s)
	number(s, C.STOWAGE_CAPACITY, o.Capacity)
	number(s, C.STOWAGE_NODES, o.Nodes)
	number(s, C.STOWAGE_WORKERS, o.Workers)
	if o.Planner != nil {
		p.options.Planner = *o.Planner
	}
	if o.Minimize != nil {
		s.options[C.STOWAGE_MINIMIZE] = 0
		if *o.Minimize {
			s.options[C.STOWAGE_MINIMIZE] = 1
		}
	}
	if o.Timeout != nil {
		s.options[C.STOWAGE_TIMEOUT] = C.int64_t(*o.Timeout)
	}
	if o.Seed != nil {
		s.options[C.STOWAGE_SEED] = C.int64_t(*o.Seed)
	}
	if o.Without != nil {
		p.options.Without = o.Without
	}
	if o.Set != nil {
		p.options.Params = o.Set
	}
	return C.STOWAGE_OK
}

// optionsFault words what is wrong with the JSON of options.
func optionsFault(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return "the text is empty: expected a JSON object"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the JSON text is cut off"
	case errors.As(err, &kind) && kind.Field == "":
		return "expected a JSON object, not " + kind.Value
	case errors.As(err, &kind):
		return kind.Field + ": " + kind.Value + " does not do: expected " + wants[kind.Type.Kind()]
	}
	if name, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		return name + " is none: there are planner, capacity, minimize, timeout, nodes, workers, seed, without and set"
	}
	return err.Error()
}

// wants says what the fields of named take.
var wants = map[reflect.Kind]string{
	reflect.String: "a text",
	reflect.Int64:  "a whole number of 64 bits",
	reflect.Uint64: "a whole number from 0 to 18446744073709551615",
	reflect.Bool:   "true or false",
	reflect.Slice:  "a list of texts",
	reflect.Map:    "an object of texts",
}

func number(s *C.stowage_solver, option int, value *int64) {
	if value != nil {
		s.options[option] = C.int64_t(*value)
	}
}
