package run

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a planner declares its settings once, in a method that names each technique and parameter beside the field that
// it sets. Called to describe, the method fills the lists of plan.Info. Called to bind, it reads the options into the
// fields. So the help, the checks and the planner cannot disagree, and all refusals have the same wording:
//
//	planner boxing: parameter tries must be auto or a whole number of at least 0, not "x"
//
// Complexity: binding scans Options.Without once for each technique and looks up each
// parameter. The portfolio does this for each of its calls.

// Settings are the techniques and parameters of a planner. Declare calls a method of d for
// each, in the order in which the help shows them.
type Settings interface{ Declare(d *Declaration) }

// Describe adds to i the techniques and parameters of the settings that fresh returns, and the check of their values.
func Describe(i plan.Info, fresh func() Settings) plan.Info {
	described(&i, fresh())
	name := i.Name
	i.Check = func(o plan.Options) error {
		d := Declaration{planner: name, o: &o} // the names have been checked before
		fresh().Declare(&d)
		return d.issues.Err()
	}
	return i
}

// described adds the techniques and parameters of s to i.
func described(i *plan.Info, s Settings) {
	s.Declare(&Declaration{to: i})
}

// Bind sets the fields of s to the values in o, or to their defaults. The error is a *model.InputError. It names the
// planner and lists all names that s does not have and all values that it refuses.
func Bind(planner string, o *plan.Options, s Settings) error {
	d, _ := declarations.Get().(*Declaration)
	if d == nil {
		d = new(Declaration)
	}
	d.planner, d.o = planner, o
	s.Declare(d)
	known, err := d.known, d.issues.Err()
	*d = Declaration{}
	declarations.Put(d)
	if known == len(o.Without)+len(o.Params) {
		return err
	}
	i := plan.Info{Name: planner}
	described(&i, s)
	var issues model.Issues
	issues.Join(plan.CheckNames(&i, o))
	issues.Join(err)
	return issues.Err()
}

// declarations has those that nobody uses.
var declarations sync.Pool

// A Declaration describes or binds the settings of a planner, one call for each.
type Declaration struct {
	to *plan.Info // the description to fill; nil to bind

	planner string
	o       *plan.Options
	issues  model.Issues
	known   int // names in o that the settings have
}

// Endless reports whether the run has no time limit and no node limit. Some defaults depend on it.
func (d *Declaration) Endless() bool { return d.o == nil || d.o.Timeout == 0 && d.o.NodeLimit == 0 }

// Refuse adds an error that concerns more than one value.
func (d *Declaration) Refuse(what string) {
	if d.o != nil {
		d.issues.Say("", "", "planner "+d.planner+": "+what)
	}
}

// Technique declares a part that can be switched off. on is set to whether it is on.
func (d *Declaration) Technique(on *bool, name string, summary string) {
	if d.o == nil {
		d.to.Techniques = append(d.to.Techniques, plan.Technique{Name: name, Summary: summary})
		return
	}
	*on = true
	for _, off := range d.o.Without {
		if off == name {
			*on = false
			d.known++
		}
	}
}

// Int declares a whole number from least to most.
func (d *Declaration) Int(to *int, name string, otherwise, least, most int64, summary string) {
	x := int64(*to)
	d.Int64(&x, name, otherwise, least, most, summary)
	*to = int(x)
}

// Int64 declares a whole number from least to most. A most of math.MaxInt64 is no bound.
func (d *Declaration) Int64(to *int64, name string, otherwise, least, most int64, summary string) {
	if d.o == nil {
		d.describe(name, strconv.FormatInt(otherwise, 10), whole(least, most), summary)
		return
	}
	*to = otherwise
	d.whole(to, name, "", least, most)
}

// Int64OrAuto declares a whole number as Int64 does, with the word auto as its default. The
// value auto is what that word stands for.
func (d *Declaration) Int64OrAuto(to *int64, name string, auto, least, most int64, summary string) {
	if d.o == nil {
		d.describe(name, "auto", "auto or "+whole(least, most), summary)
		return
	}
	*to = auto
	d.whole(to, name, "auto or ", least, most)
}

// given returns the text that the options have for a parameter, if any.
func (d *Declaration) given(name string) (text string, ok bool) {
	if text, ok = d.o.Params[name]; ok {
		d.known++
	}
	return text, ok
}

func (d *Declaration) whole(to *int64, name, or string, least, most int64) {
	text, ok := d.given(name)
	if !ok || or != "" && text == "auto" {
		return
	}
	x, err := strconv.ParseInt(text, 10, 64)
	if err != nil || x < least || x > most {
		d.mustBe(name, or+whole(least, most), text)
		return
	}
	*to = x
}

// Float declares a number from least to most. A most of +Inf means no upper bound, but the number must be finite.
func (d *Declaration) Float(to *float64, name string, otherwise, least, most float64, summary string) {
	values := "a number from " + decimal(least) + " to " + decimal(most)
	if math.IsInf(most, 1) {
		values = "a number of at least " + decimal(least)
	}
	if d.o == nil {
		d.describe(name, decimal(otherwise), values, summary)
		return
	}
	*to = otherwise
	text, ok := d.given(name)
	if !ok {
		return
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= least && x <= most) || math.IsInf(x, 0) {
		d.mustBe(name, values, text)
		return
	}
	*to = x
}

// Choice declares one of several words. The first is the default.
func (d *Declaration) Choice(to *string, name, summary string, words ...string) {
	d.Text(to, name, words[0], or(words), func(text string) bool { return slices.Contains(words, text) }, summary)
}

// Text declares a text that accept takes. If accept is nil, any text is taken. values
// describes the texts in words, to follow "must be".
func (d *Declaration) Text(to *string, name, otherwise, values string, accept func(string) bool, summary string) {
	if d.o == nil {
		d.describe(name, otherwise, values, summary)
		return
	}
	*to = otherwise
	text, ok := d.given(name)
	if !ok {
		return
	}
	if accept != nil && !accept(text) {
		d.mustBe(name, values, text)
		return
	}
	*to = text
}

func (d *Declaration) describe(name, otherwise, values, summary string) {
	d.to.Params = append(d.to.Params, plan.Param{Name: name, Default: otherwise, Values: values, Summary: summary})
}

func (d *Declaration) mustBe(name, values, text string) {
	d.Refuse("parameter " + name + " must be " + values + ", not " + strconv.Quote(text))
}

// whole describes the allowed whole numbers in words.
func whole(least, most int64) string {
	if most == math.MaxInt64 {
		return fmt.Sprintf("a whole number of at least %d", least)
	}
	return fmt.Sprintf("a whole number from %d to %d", least, most)
}

// or joins words as in a sentence: a, b or c.
func or(words []string) string {
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " or " + words[last]
	}
	return words[0]
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
