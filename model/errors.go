package model

import (
	"errors"
	"strconv"
)

// MaxIssues is the number of faults of one input that are kept and printed. Further faults are only counted.
const MaxIssues = 20

// An Issue is one thing that is wrong with an input.
type Issue struct {
	File string // path as the user gave it; empty if there is no file
	Line int    // line number from 1; 0 if there is none
	// ID of the buffer at fault; "number 2" if the second buffer has neither ID nor line; empty if the fault is of no
	// buffer
	Buffer  string
	Field   string // column or key, such as "size"; empty if there is none
	Value   string // the value as it was read; empty if there is none
	Message string // what is wrong, such as "must be at least 1"
}

// String formats the issue as file:line: buffer: field "value": message. It leaves out the parts that are empty.
func (i Issue) String() string {
	s := i.File
	if s != "" {
		s += ":"
	}
	if i.Line > 0 {
		s += strconv.Itoa(i.Line) + ":"
	}
	if s != "" {
		s += " "
	}
	if i.Buffer != "" {
		s += "buffer " + i.Buffer + ": "
	}
	what := i.Field
	if what != "" && i.Value != "" {
		what += " "
	}
	if i.Value != "" {
		what += strconv.Quote(i.Value)
	}
	if what != "" {
		what += ": "
	}
	return s + what + i.Message
}

// Err returns an *InputError with this issue alone.
func (i Issue) Err() error { return &InputError{Issues: []Issue{i}, Total: 1} }

// An InputError says what is wrong with an input: its first MaxIssues (20) faults, and
// how many faults there are in all.
type InputError struct {
	Issues []Issue // the first 20 faults, in the order of the input
	Total  int     // the number of faults in all
}

// Error lists the issues, one a line.
func (e *InputError) Error() string {
	s := ""
	for i := range e.Issues {
		if i > 0 {
			s += "\n"
		}
		s += e.Issues[i].String()
	}
	if more := e.Total - len(e.Issues); more > 0 {
		s += "\n… and " + strconv.Itoa(more) + " more"
	}
	return s
}

// Issues collects the faults of an input. The zero value is ready to use.
type Issues struct{ err InputError }

// Add records one issue.
func (c *Issues) Add(i Issue) { c.add(&i) }

// Say records an issue that has no file, no line and no buffer.
func (c *Issues) Say(field, value, message string) {
	c.add(&Issue{Field: field, Value: value, Message: message})
}

func (c *Issues) add(i *Issue) {
	c.err.Total++
	if len(c.err.Issues) < MaxIssues {
		c.err.Issues = append(c.err.Issues, *i)
	}
}

// Join records the issues of an error that is an *InputError. Any other error becomes one
// issue. A nil error adds nothing.
func (c *Issues) Join(err error) {
	if err == nil {
		return
	}
	input, ok := errors.AsType[*InputError](err)
	if !ok {
		c.Say("", "", err.Error())
		return
	}
	for i := range input.Issues {
		c.add(&input.Issues[i])
	}
	c.err.Total += input.Total - len(input.Issues)
}

// Err returns an *InputError with the issues, or nil if none was added.
func (c *Issues) Err() error {
	if c.err.Total == 0 {
		return nil
	}
	e := c.err // a copy, so that issues without a fault stay on the stack
	return &e
}
