//go:build js && wasm

package bridge

import (
	"errors"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/explain"
	"github.com/stowage-go/stowage/model"
)

// Explain names buffers of a problem that cannot fit its capacity together. The texts are those
// of the command and the C library.
func (c *Call) Explain(p *model.Problem) (map[string]any, error) {
	o := c.Options()
	ask := stowage.Explain
	if c.Input.Get("smallest").Truthy() {
		ask = stowage.ExplainSmallest
	}
	x, err := ask(c.Context, p, o)
	if errors.Is(err, stowage.ErrNoCapacity) {
		return nil, model.Issue{Field: "capacity", Message: "is missing: without one every problem fits"}.Err()
	}
	if err != nil {
		return nil, err
	}
	places, ids := make([]int64, len(x.Buffers)), make([]any, len(x.Buffers))
	for k, i := range x.Buffers {
		places[k], ids[k] = int64(i), p.Buffers[i].ID
	}
	return map[string]any{
		"status": x.Status.String(), "why": explain.Told(x, p, func(id string) string { return id }),
		"buffers": Array(places), "ids": ids,
		"irreducible": x.Irreducible, "smallest": x.Smallest, "atLeast": x.AtLeast,
		"capacity": Digits(x.Capacity), "load": Digits(x.Load), "at": []any{Digits(x.At[0]), Digits(x.At[1])},
	}, nil
}
