package model_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestStatusText writes each status and reads it back.
func TestStatusText(t *testing.T) {
	for _, s := range []model.Status{model.Unknown, model.Feasible, model.Optimal, model.Infeasible} {
		text, err := json.Marshal(s)
		if err != nil || string(text) != `"`+s.String()+`"` {
			t.Fatalf("%v is written as %s, %v", s, text, err)
		}
		back := model.Status(9)
		if err := json.Unmarshal(text, &back); err != nil || back != s {
			t.Errorf("%s is read as %v, %v", text, back, err)
		}
	}
	s := model.Optimal
	for _, text := range []string{"", "Optimal", "status(9)", "optimal "} {
		if err := s.UnmarshalText([]byte(text)); err == nil || s != model.Optimal {
			t.Errorf("%q is read as %v", text, s)
		}
	}
}

func TestCapacityOr(t *testing.T) {
	for _, tc := range []struct{ own, asked, want int64 }{{0, 0, 0}, {5, 0, 5}, {0, 7, 7}, {5, 7, 7}, {7, 5, 5}} {
		p := &model.Problem{Capacity: tc.own}
		if got := p.CapacityOr(tc.asked); got != tc.want {
			t.Errorf("%+v: got %d", tc, got)
		}
	}
}

// TestJoin collects the issues of errors.
func TestJoin(t *testing.T) {
	var in, all model.Issues
	for range model.MaxIssues + 2 {
		in.Add(model.Issue{Message: "is bad"})
	}
	all.Add(model.Issue{Message: "is first"})
	all.Join(nil)
	all.Join(errors.New("is plain"))
	all.Join(in.Err())
	var got *model.InputError
	if !errors.As(all.Err(), &got) || got.Total != model.MaxIssues+4 || len(got.Issues) != model.MaxIssues ||
		got.Issues[1].Message != "is plain" || got.Issues[2].Message != "is bad" {
		t.Errorf("got %+v", got)
	}
	if (&model.Issues{}).Err() != nil {
		t.Error("no issue is an error")
	}
}
