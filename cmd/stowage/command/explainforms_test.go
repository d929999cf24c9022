package command

import (
	"context"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
)

// TestExplainForms: the set is irreducible by lists of alternatives, not by their forms. Without d alone, c has to be in
// the plan, and there is none.
func TestExplainForms(t *testing.T) {
	p := &stowage.Problem{Rules: &stowage.Rules{
		Pools:        []stowage.Pool{{ID: "p", Capacity: 10}, {ID: "q", Capacity: 4}},
		Alternatives: [][]int32{{0, 1}, {2, 3}},
	}}
	for k, size := range []int64{6, 8, 5, 9} {
		p.Buffers = append(p.Buffers, stowage.Buffer{ID: string(rune('a' + k)), Upper: 4, Size: size})
	}
	x, err := stowage.Explain(context.Background(), p, stowage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const says = "count as one of them"
	said := func(x *stowage.Explanation, p *stowage.Problem) string {
		var w strings.Builder
		if err := writeExplanation(&w, 80, x, p, len(p.Buffers), hasForms(p, x)); err != nil {
			t.Fatal(err)
		}
		return w.String()
	}
	if text := said(x, p); !strings.Contains(text, says) {
		t.Errorf("%s\nwithout %q", text, says)
	}
	q, rules := *p, *p.Rules
	rules.Alternatives, q.Rules = nil, &rules
	if text := said(x, &q); strings.Contains(text, says) {
		t.Errorf("%s\nwith %q", text, says)
	}
}
