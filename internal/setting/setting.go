// Package setting declares the options of a run that users set by name. The flags of the
// command and the JSON that the C library takes are made from this one declaration.
//
//	setting.go   which settings there are, what they take, and reading one from text
//	json.go      reading all of them from a JSON object
//	names.go     checking the names of planners, techniques and parameters
//
// Units are the same everywhere. A time is a number of seconds, or text with a unit ("500ms").
// A size is a number of bytes, or text with a unit ("2KiB").
package setting

//go:generate go test . -run TestDeclared -update

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/stowage-go/stowage/internal/suggest"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/plan"
)

// A Kind says what a setting takes.
type Kind int

// The kinds.
const (
	Text   Kind = iota
	Size        // bytes, or text with a unit
	Time        // seconds, or text with a unit
	Count       // a whole number of at least 0
	Bits        // a whole number of 64 bits without a sign
	Switch      // true or false
	Names       // a list of texts
	Pairs       // texts by name
)

// Wants says in words what a setting of that kind takes in JSON.
func (k Kind) Wants() string {
	return [...]string{
		Text: "a text", Size: `a whole number of bytes or a text such as "2KiB"`,
		Time:  `a number of seconds or a text such as "500ms"`,
		Count: "a whole number of at least 0", Bits: "a whole number from 0 to 18446744073709551615",
		Switch: "true or false", Names: "a list of texts", Pairs: "an object of texts",
	}[k]
}

// A Setting is one option of a run.
type Setting struct {
	// Name is the flag of the command and the key in JSON.
	Name string
	// Kind is what it takes.
	Kind Kind
	// Usage is the flag's line in the command's help; the word in backquotes stands for the value.
	Usage string
	// Doc says what it is in the declarations of C, C++ and TypeScript, which are generated.
	Doc string
	// set stores a value that has been read.
	set func(o *plan.Options, v *value)
}

// A value is a text that has been read. The kind of the setting says which field is set.
type value struct {
	text   string
	number int64 // of Size and Count
	time   time.Duration
	bits   uint64
	on     bool
	names  []string
	pairs  map[string]string
}

// All are the settings, in the order of the command's help.
var All = []Setting{
	{
		"capacity", Size, "fit into `SIZE` bytes, such as 65536, 64KiB or 1.5MB [default: INPUT's, or none]",
		"bytes to fit into; without it the problem's own capacity counts, if it has one",
		func(o *plan.Options, v *value) { o.Capacity = v.number },
	},
	{
		"minimize", Switch, "find the lowest plan; implied without a capacity",
		"look for the lowest plan; implied without a capacity", func(o *plan.Options, v *value) { o.Minimize = v.on },
	},
	{
		"planner", Text, "run `NAME`; 'stowage planners' lists them", "the planner's name; auto if it is not set",
		func(o *plan.Options, v *value) { o.Planner = v.text },
	},
	{
		"without", Names, "switch off the techniques `T1,T2` of the planner", "techniques of the planner to switch off",
		func(o *plan.Options, v *value) { o.Without = v.names },
	},
	{
		"set", Pairs, "set a parameter of the planner: `KEY=VALUE`; repeatable", "parameters of the planner",
		func(o *plan.Options, v *value) { o.Params = v.pairs },
	},
	{
		"timeout", Time, "stop after `D`, such as 500ms, 1h30m, or 10 for seconds", "the most time that a run may take",
		func(o *plan.Options, v *value) { o.Timeout = v.time },
	},
	{
		"nodes", Count, "stop after `N` search nodes; unlike time, reproducible",
		"the most nodes that a run may search; unlike a time, reproducible",
		func(o *plan.Options, v *value) { o.NodeLimit = v.number },
	},
	{
		"workers", Count, "search with `N` threads; 1 is reproducible",
		"threads that may search side by side; 0 is 1, more than 1024 are 1024",
		func(o *plan.Options, v *value) { o.Workers = int(min(v.number, math.MaxInt32)) },
	},
	{
		"seed", Bits, "start random choices from the number `N` [default: 0]", "drives every random choice",
		func(o *plan.Options, v *value) { o.Seed = v.bits },
	},
}

// Of returns the setting of that name. The error lists the names, and says which may have been meant.
func Of(name string) (*Setting, error) {
	names := make([]string, len(All))
	for k := range All {
		if names[k] = All[k].Name; names[k] == name {
			return &All[k], nil
		}
	}
	return nil, errors.New("there is no option " + strconv.Quote(name) + suggest.OneOf(name, names, ""))
}

// Usage returns the line of help of a setting. It panics if there is no setting of that name,
// because that is a mistake in the program.
func Usage(name string) string {
	s, err := Of(name)
	if err != nil {
		panic(err)
	}
	return s.Usage
}

// read reads the value of a setting that takes one text or one number. The text is as the user wrote it.
func (s *Setting) read(text string) (v value, err error) {
	wants := errors.New("must be " + s.Kind.Wants())
	switch s.Kind {
	case Text:
		v.text = text
	case Size:
		if v.number, err = units.Any(text); errors.Is(err, units.ErrSyntax) {
			err = wants
		}
	case Time:
		v.time, err = units.Duration(text)
	case Count:
		if v.number, err = units.Whole(text); err != nil && !errors.Is(err, units.ErrLarge) || v.number < 0 {
			err = wants
		}
	case Bits:
		if v.bits, err = strconv.ParseUint(text, 10, 64); err != nil {
			err = wants
		}
	case Switch:
		if v.on = text == "true"; !v.on && text != "false" {
			err = wants
		}
	default:
		err = wants
	}
	return v, err
}
