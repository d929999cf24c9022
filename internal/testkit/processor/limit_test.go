package processor

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestLimit works until its share is used up: without an end it would never return.
func TestLimit(t *testing.T) {
	ctx, stop := Limit(context.Background(), time.Millisecond)
	defer stop()
	child, cancel := context.WithTimeout(ctx, 100*time.Hour)
	defer cancel()
	for x := 1.0; child.Err() == nil; x /= 3 {
		_ = x
	}
	for _, c := range []context.Context{ctx, child} {
		if !errors.Is(c.Err(), context.DeadlineExceeded) {
			t.Errorf("a share that is used up ends with %v", c.Err())
		}
	}
}

func TestLimitEnds(t *testing.T) {
	none, stop := Limit(context.Background(), 0)
	defer stop()
	if !errors.Is(none.Err(), context.DeadlineExceeded) {
		t.Errorf("no share: %v", none.Err())
	}
	parent, end := context.WithCancel(context.Background())
	large, stop := Limit(parent, 1000*time.Hour)
	defer stop()
	if at, ok := large.Deadline(); large.Err() != nil || !ok || time.Until(at) < time.Hour {
		t.Errorf("a large share: %v, %v, %v", large.Err(), at, ok)
	}
	if end(); !errors.Is(large.Err(), context.Canceled) {
		t.Errorf("its parent has ended: %v", large.Err())
	}
}
