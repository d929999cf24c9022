package pairwise

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestTooManyPairs has a limit one under what is needed.
func TestTooManyPairs(t *testing.T) {
	p := must.Get(gen.Generate("full-overlap", gen.Options{Buffers: 20}))(t)
	tl := timeline.New(p)
	if e, err := New(watch, tl, &tl.Partitions[0], 190); err != nil || e.Pairs() != 190 {
		t.Fatalf("190 pairs: %v", err)
	}
	if _, err := New(watch, tl, &tl.Partitions[0], 189); err == nil {
		t.Fatal("190 pairs under a limit of 189: no error")
	}
}

// TestEncodeLimit has one pair more than the limit.
func TestEncodeLimit(t *testing.T) {
	p := must.Get(gen.Generate("full-overlap", gen.Options{Buffers: 10}))(t)
	tl := timeline.New(p)
	if _, err := Encode(watch, tl, tl.Partitions[0].Buffers, 45); err != nil {
		t.Error(err)
	}
	var many *TooManyPairsError
	if _, err := Encode(watch, tl, tl.Partitions[0].Buffers, 44); !errors.As(err, &many) || many.Buffers != 10 ||
		many.Limit != 44 {
		t.Errorf("45 pairs with a limit of 44: %v", err)
	}
}

// TestManyGaps lists three pairs of buffers with thousands of gaps: the watch is asked
// between them, for they take as long as tens of thousands of others.
func TestManyGaps(t *testing.T) {
	p := &model.Problem{}
	for i := range int64(3) {
		b := model.Buffer{ID: strconv.FormatInt(i, 10), Upper: 60_000, Size: 8}
		for at := i; at < b.Upper; at += 3 {
			b.Gaps = append(b.Gaps, model.Gap{Lower: at, Upper: at + 1})
		}
		p.Buffers = append(p.Buffers, b)
	}
	tl := timeline.New(p)
	for looks := range int64(3) {
		w := run.NewWatch(run.EndAtLook(context.Background(), looks))
		if _, err := New(w, tl, &tl.Partitions[0], DefaultMaxPairs); !errors.Is(err, ErrLimit) {
			t.Errorf("a limit at look %d: %v", looks, err)
		}
	}
	if e, err := New(watch, tl, &tl.Partitions[0], DefaultMaxPairs); err != nil || e.Pairs() != 3 {
		t.Errorf("without a limit: %v", err)
	}
}
