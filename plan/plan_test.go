package plan

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// puppet is a planner that returns what a test tells it to.
type puppet struct {
	name string
	plan func(ctx context.Context, p *model.Problem, o Options) (Result, error)
}

func (p puppet) Info() Info { return Info{Name: p.name} }

func (p puppet) Plan(ctx context.Context, problem *model.Problem, o Options) (Result, error) {
	return p.plan(ctx, problem, o)
}

// withRegistry runs f on an empty registry.
func withRegistry(t *testing.T, f func()) {
	t.Helper()
	saved := registry.entries
	defer func() { registry.entries = saved }()
	registry.entries = nil
	f()
}

func TestRegistry(t *testing.T) {
	withRegistry(t, func() {
		if _, err := Lookup("a"); err == nil || len(All()) != 0 || len(Names()) != 0 {
			t.Error("the empty registry is not empty")
		}
		for _, name := range []string{"m", "z", "a", "first-fit"} {
			Register(puppet{name: name})
		}
		if want := []string{"a", "first-fit", "m", "z"}; !slices.Equal(Names(), want) {
			t.Errorf("the names are %v, want %v", Names(), want)
		}
		for _, name := range Names() {
			if p, err := Lookup(name); err != nil || p.Info().Name != name {
				t.Errorf("Lookup(%q) = %v, %v", name, p, err)
			}
		}
		for _, name := range []string{"", "b", "zz", "FIRST-FIT", "xla-heap"} {
			want := `no planner is named "` + name +
				`"; the planners are a, first-fit, m, z; a program gets more if it imports plan/all`
			if name == "xla-heap" {
				want = `planner "xla-heap" is in stowage-lab: go install github.com/stowage-go/stowage/lab/cmd/stowage-lab@latest; a program gets more if it imports lab/baselines or lab/milp`
			}
			if p, err := Lookup(name); p != nil || !errors.Is(err, ErrUnknownPlanner) || err.Error() != want {
				t.Errorf("Lookup(%q) = %v, %v, want the error %s", name, p, err, want)
			}
		}
		All()[0] = puppet{name: "other"}
		if Names()[0] != "a" {
			t.Error("All gives the registry itself away")
		}
		for name, want := range map[string]string{"m": "plan: two planners are named m", "": "plan: a planner has no name"} {
			func() {
				defer func() {
					if what := recover(); what != want {
						t.Errorf("registering %q: %v", name, what)
					}
				}()
				Register(puppet{name: name})
			}()
		}
		if len(Names()) != 4 {
			t.Errorf("a refusal leaves %v", Names())
		}
	})
}

func TestCheckOptions(t *testing.T) {
	rich := Info{
		Name: "rich", Techniques: []Technique{{Name: "memo"}, {Name: "lifting"}},
		Params: []Param{{Name: "orders"}, {Name: "beam"}},
	}
	poor := Info{Name: "poor"}
	for _, tc := range []struct {
		info Info
		o    Options
		want []string
	}{
		{poor, Options{}, nil},
		{rich, Options{
			Without: []string{"memo", "lifting"}, Params: map[string]string{"beam": "3"}, Capacity: 1, Timeout: 1, NodeLimit: 1,
			Workers: 1,
		}, nil},
		{rich, Options{Without: []string{"memo", "mem", ""}}, []string{
			`planner rich has no technique "mem"; it has memo, lifting`,
			`planner rich has no technique ""; it has memo, lifting`,
		}},
		{poor, Options{Without: []string{"memo"}}, []string{`planner poor has no technique "memo"; it has none`}},
		{rich, Options{Params: map[string]string{"z": "1", "a": "2", "beam": ""}}, []string{
			`planner rich has no parameter "a"; it has orders, beam`, `planner rich has no parameter "z"; it has orders, beam`,
		}},
		{poor, Options{Params: map[string]string{"beam": "3"}}, []string{`planner poor has no parameter "beam"; it has none`}},
		{poor, Options{Capacity: -1}, []string{`capacity "-1": must be from 1 to 2305843009213693951, or 0 for none`}},
		{poor, Options{Capacity: math.MaxInt64}, []string{
			`capacity "9223372036854775807": must be from 1 to 2305843009213693951, or 0 for none`,
		}},
		{poor, Options{Timeout: -1}, []string{`timeout "-1ns": must not be negative`}},
		{poor, Options{NodeLimit: -1}, []string{`node limit "-1": must not be negative`}},
		{poor, Options{Workers: -1}, []string{`workers "-1": must not be negative`}},
		{poor, Options{Capacity: -1, Timeout: -1, NodeLimit: -1, Workers: -1, Without: []string{"x"}}, []string{
			`planner poor has no technique "x"; it has none`,
			`capacity "-1": must be from 1 to 2305843009213693951, or 0 for none`, `timeout "-1ns": must not be negative`,
			`node limit "-1": must not be negative`, `workers "-1": must not be negative`,
		}},
	} {
		var got []string
		if err := CheckOptions(tc.info, tc.o); err != nil {
			got = strings.Split(err.Error(), "\n")
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s %+v: got %q, want %q", tc.info.Name, tc.o, got, tc.want)
		}
		numbers := Options{Capacity: tc.o.Capacity, Timeout: tc.o.Timeout, NodeLimit: tc.o.NodeLimit, Workers: tc.o.Workers}
		var input *model.InputError
		if err := tc.o.Validate(); (err == nil) != (CheckOptions(poor, numbers) == nil) || err != nil &&
			!errors.As(err, &input) {
			t.Errorf("%+v: Validate says %v", tc.o, err)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, tc := range []struct {
		o                Options
		minimizing, fits bool // of the height 10
	}{
		{Options{}, true, true},
		{Options{Capacity: 9}, false, false},
		{Options{Capacity: 10}, false, true},
		{Options{Capacity: 9, Minimize: true}, true, false},
		{Options{Minimize: true}, true, true},
	} {
		if tc.o.Minimizing() != tc.minimizing || tc.o.Fits(10) != tc.fits {
			t.Errorf("%+v: minimising %v, 10 fits %v", tc.o, tc.o.Minimizing(), tc.o.Fits(10))
		}
	}
}
