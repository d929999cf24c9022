package run

import (
	"context"
	"sync/atomic"
)

// A Watch tells a search that its context has ended. Looking is one atomic load,
// so a loop may look at every node or placement, where ctx.Err takes a lock.
//
// Every planner looks at its context through a Watch and nothing else; then a
// test can make the context end at any one look (EndAtLook).
type Watch struct {
	over    atomic.Bool
	release func() bool
	looks   *atomic.Int64 // of a test: looks left before the end; nil otherwise
}

// NewWatch watches ctx until Close.
func NewWatch(ctx context.Context) *Watch {
	w := &Watch{}
	w.looks, _ = ctx.Value(looksKey{}).(*atomic.Int64)
	w.release = context.AfterFunc(ctx, func() { w.over.Store(true) })
	// AfterFunc runs in a goroutine of its own, even where ctx is over already.
	if ctx.Err() != nil {
		w.over.Store(true)
	}
	return w
}

// Over reports whether the context has ended. It is safe for concurrent use.
func (w *Watch) Over() bool {
	if w.looks != nil && w.looks.Add(-1) < 0 {
		w.over.Store(true)
	}
	return w.over.Load()
}

// Stop ends the watched search as the end of its context would.
func (w *Watch) Stop() { w.over.Store(true) }

// Close ends the watch. Over keeps its answer.
func (w *Watch) Close() { w.release() }

type looksKey struct{}

// EndAtLook returns a context that, for every Watch on it or on what derives
// from it, ends at the look after the first n, all Watches counted together. It
// is for tests: a limit can so be made to fall at each point of a search.
func EndAtLook(ctx context.Context, n int64) context.Context {
	left := new(atomic.Int64)
	left.Store(n)
	return context.WithValue(ctx, looksKey{}, left)
}
