package setting

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// FromJSON sets in o the options that a JSON object names, and returns their names. An option that is missing or null
// stays as it is. The error is a *model.InputError that lists all faults: unknown options, values of the wrong kind,
// unknown planners, techniques and parameters, and numbers out of range. After an error o is unchanged.
func FromJSON(o *plan.Options, text []byte) (names []string, err error) {
	var keys map[string]json.RawMessage
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&keys); err != nil || keys == nil {
		return nil, fault(notObject(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fault("there is more than one object")
	}
	changed := *o
	var issues model.Issues
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		raw := keys[name]
		s, err := Of(name)
		if err != nil {
			issues.Say("", "", err.Error())
			continue
		}
		if string(raw) == "null" {
			continue
		}
		v, err := s.readJSON(raw)
		if err != nil {
			issues.Add(model.Issue{Field: s.Name, Value: unquoted(raw), Message: err.Error()})
			continue
		}
		s.set(&changed, &v)
		names = append(names, name)
	}
	if issues.Err() == nil {
		issues.Join(changed.Validate())
		for _, err := range CheckNames(&changed) {
			issues.Say("", "", err.Error())
		}
		if issues.Err() == nil {
			issues.Join(CheckValues(&changed))
		}
	}
	if err := issues.Err(); err != nil {
		return nil, err
	}
	*o = changed
	return names, nil
}

// fault returns an error of one line.
func fault(message string) error {
	return model.Issue{Message: message}.Err()
}

// notObject says what is wrong with a text that is not a JSON object.
func notObject(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return "expected a JSON object, not null"
	case errors.Is(err, io.EOF):
		return "the text is empty: expected a JSON object"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the JSON text is cut off"
	case errors.As(err, &kind):
		return "expected a JSON object, not " + kind.Value
	}
	return "is not JSON: " + err.Error()
}

// readJSON reads the value of a setting from JSON.
func (s *Setting) readJSON(raw json.RawMessage) (v value, err error) {
	wants := errors.New("must be " + s.Kind.Wants())
	text, isText := "", raw[0] == '"'
	switch {
	case s.Kind == Names:
		if json.Unmarshal(raw, &v.names) != nil {
			return v, wants
		}
		return v, nil
	case s.Kind == Pairs:
		if json.Unmarshal(raw, &v.pairs) != nil {
			return v, wants
		}
		return v, nil
	case isText && json.Unmarshal(raw, &text) != nil:
		return v, wants
	case isText && s.Kind != Text && s.Kind != Size && s.Kind != Time, !isText && s.Kind == Text:
		return v, wants
	case raw[0] == '[' || raw[0] == '{':
		return v, wants
	case !isText:
		text = string(raw)
	}
	return s.read(text)
}

// unquoted returns a value as errors show it: a text without its quotes, and a long value cut.
func unquoted(raw json.RawMessage) string {
	const most = 60
	text := string(raw)
	if s, err := strconv.Unquote(text); err == nil {
		text = s
	}
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}
