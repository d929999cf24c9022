package models

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/tflm"
)

// TestSplitInterrupted plans a model in strips after an interrupt. The answer and the report say that the search for
// strips was stopped, and whether the model fits is unknown, not "no".
func TestSplitInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := must.Get(tflite.Read(bytes.NewReader(tflitemade.Convolutions(32, [3]int32{3, 1, 16}, [3]int32{3, 2, 8})), "m"))(t)
	x := &tfliteModel{m: m, folded: m}
	p := Options{
		Target: "32", Kernels: Kernels{Set: tflm.ReferenceSet}, Split: &Splitting{MaxMACs: 0.5}, Capacity: 64, Report: true,
		Run: stowage.Options{NodeLimit: 100}, Solve: stowage.Solve,
	}
	made := must.Get(x.Plan(ctx, &p))(t)
	const want = "the search for strips was stopped by an interrupt: there may be better ones"
	r := made.(*tflitePlan).r
	if !slices.Contains(r.Split.lines(), want) || !slices.Contains(made.Brief().Lines, want) || r.Split.Split ||
		made.Fits() != "unknown" {
		t.Errorf("%v\n%v\nfits: %s", r.Split.lines(), made.Brief().Lines, made.Fits())
	}
}
