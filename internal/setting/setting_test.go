package setting

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/stowage-go/stowage/internal/auto"
	_ "github.com/stowage-go/stowage/internal/climb"
	_ "github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestFromJSON reads each setting in every way that it may be written.
func TestFromJSON(t *testing.T) {
	before := plan.Options{Planner: "climb", Capacity: 7, Seed: 3, Workers: 4}
	for text, want := range map[string]plan.Options{
		`{}`:                                 before,
		`{"planner": null}`:                  before,
		`{"planner": "exact"}`:               {Planner: "exact", Capacity: 7, Seed: 3, Workers: 4},
		`{"capacity": 12, "minimize": true}`: {Planner: "climb", Capacity: 12, Minimize: true, Seed: 3, Workers: 4},
		`{"capacity": "2KiB"}`:               {Planner: "climb", Capacity: 2048, Seed: 3, Workers: 4},
		`{"capacity": 1e6, "seed": 1}`:       {Planner: "climb", Capacity: 1e6, Seed: 1, Workers: 4},
		`{"capacity": 0, "workers": 1}`:      {Planner: "climb", Seed: 3, Workers: 1},
		`{"timeout": 2}`:                     {Planner: "climb", Capacity: 7, Seed: 3, Workers: 4, Timeout: 2 * time.Second},
		`{"timeout": 0.25}`:                  {Planner: "climb", Capacity: 7, Seed: 3, Workers: 4, Timeout: 250 * time.Millisecond},
		`{"timeout": "500ms", "nodes": 1e3}`: {
			Planner: "climb", Capacity: 7, Seed: 3, Workers: 4, Timeout: 500 * time.Millisecond, NodeLimit: 1000,
		},
		`{"timeout": "1h 30m"}`:          {Planner: "climb", Capacity: 7, Seed: 3, Workers: 4, Timeout: 90 * time.Minute},
		`{"seed": 18446744073709551615}`: {Planner: "climb", Capacity: 7, Seed: 1<<64 - 1, Workers: 4},
		`{"without": ["memo"], "set": {"orders": "TWA"}, "planner": "exact"}`: {
			Planner: "exact", Capacity: 7, Seed: 3, Workers: 4, Without: []string{"memo"},
			Params: map[string]string{"orders": "TWA"},
		},
	} {
		o := before
		if _, err := FromJSON(&o, []byte(text)); err != nil || !reflect.DeepEqual(o, want) {
			t.Errorf("%s: %+v, %v; want %+v", text, o, err, want)
		}
	}
}

// TestRefused: nothing is set by a text with a fault, and each fault is told.
func TestRefused(t *testing.T) {
	for text, want := range map[string][]string{
		``:              {"the text is empty: expected a JSON object"},
		`{`:             {"the JSON text is cut off"},
		`null`:          {"expected a JSON object, not null"},
		`[]`:            {"expected a JSON object, not array"},
		`{capacity: 5}`: {"is not JSON: invalid character 'c'"},
		`{} {}`:         {"there is more than one object"},
		`{"planer": "exact"}`: {
			`there is no option "planer"; did you mean planner? The choices are capacity, minimize, planner, without, set, timeout, nodes, workers, seed`,
		},
		`{"planner": 5}`:        {`planner "5": must be a text`},
		`{"planner": "Exact"}`:  {`no planner is named "Exact"; did you mean exact?`},
		`{"capacity": "-2KiB"}`: {`capacity "-2048": must be from 1 to`},
		`{"capacity": 1.5}`:     {`capacity "1.5": must be a whole number of bytes`},
		`{"capacity": [1]}`:     {`capacity "[1]": must be a whole number of bytes or a text such as "2KiB"`},
		`{"capacity": true}`:    {`capacity "true": must be a whole number of bytes`},
		`{"timeout": "5 parsecs"}`: {
			`timeout "5 parsecs": must be a number of seconds, or a time with a unit, such as 500ms`,
		},
		`{"timeout": 1e300}`:                       {`timeout "1e300": must be at most 9223372036 seconds`},
		`{"timeout": {}}`:                          {`timeout "{}": must be a number of seconds or a text`},
		`{"nodes": -1}`:                            {`nodes "-1": must be a whole number of at least 0`},
		`{"nodes": "5"}`:                           {`nodes "5": must be a whole number of at least 0`},
		`{"seed": 18446744073709551616}`:           {`seed "18446744073709551616": must be a whole number from 0 to`},
		`{"minimize": "yes"}`:                      {`minimize "yes": must be true or false`},
		`{"without": "memo"}`:                      {`without "memo": must be a list of texts`},
		`{"set": {"orders": 1}}`:                   {`set "{\"orders\": 1}": must be an object of texts`},
		`{"seed": -1, "nodes": false}`:             {`nodes "false"`, `seed "-1"`},
		`{"planner": "auto", "without": ["memo"]}`: {`planner auto has no technique "memo"; it has `},
		`{"planner": "exact", "without": ["tea"], "set": {"o": "1"}}`: {`no technique "tea"`, `no parameter "o"`},
		`{"planner": "exact", "set": {"orders": "Q"}}`:                {"Q"},
	} {
		before := plan.Options{Planner: "climb", Capacity: 7}
		o := before
		names, err := FromJSON(&o, []byte(text))
		var input *model.InputError
		if !errors.As(err, &input) || len(names) > 0 || !reflect.DeepEqual(o, before) {
			t.Errorf("%s: %v, %v, %+v", text, names, err, o)
			continue
		}
		for k, part := range want {
			if k >= len(input.Issues) || !strings.Contains(input.Issues[k].String(), part) {
				t.Errorf("%s: %v, want %q", text, err, want)
			}
		}
	}
}

// TestEachIsSet: a setting that is read and not stored would go unnoticed.
func TestEachIsSet(t *testing.T) {
	some := map[Kind]string{
		Size: `9`, Switch: `true`, Names: `["memo"]`, Pairs: `{"orders": "TWA"}`, Time: `3`, Count: `5`, Bits: `6`,
		Text: `"exact"`,
	}
	for _, s := range All {
		o := plan.Options{Planner: "exact"}
		if s.Name == "planner" {
			o.Planner = ""
		}
		before := o
		names, err := FromJSON(&o, []byte(`{"`+s.Name+`": `+some[s.Kind]+`}`))
		if err != nil || !slices.Equal(names, []string{s.Name}) || reflect.DeepEqual(o, before) {
			t.Errorf("%s: %v, %v, %+v", s.Name, names, err, o)
		}
	}
}
