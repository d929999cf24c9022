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
	state atomic.Uint32 // 0, or any of over and counted
	looks *looks        // of a test, or of who wants to know of each look; nil otherwise

	release func() bool // ends what tells the watch of the end; nil where nothing does
}

// The bits of a watch's state.
const (
	over    = 1 << iota // the context has ended
	counted             // looks are counted
)

// NewWatch watches ctx until Close.
func NewWatch(ctx context.Context) *Watch {
	w := Endless(ctx)
	if ctx.Done() == nil {
		return w
	}
	w.release = context.AfterFunc(ctx, w.Stop)
	// AfterFunc runs in a goroutine of its own, even where ctx is over already.
	if ctx.Err() != nil {
		w.Stop()
	}
	return w
}

// Endless returns a watch that the end of ctx does not reach, but whose looks count as
// those of any other on it.
func Endless(ctx context.Context) *Watch {
	w := &Watch{}
	if w.looks, _ = ctx.Value(looksKey{}).(*looks); w.looks != nil {
		w.state.Store(counted)
	}
	return w
}

// Close ends the watch. Over keeps its answer.
func (w *Watch) Close() {
	if w.release != nil {
		w.release()
	}
}

// Over reports whether the context has ended. It is safe for concurrent use.
func (w *Watch) Over() bool { return w.state.Load() != 0 && w.look() }

// look is Over where there may be something to see.
func (w *Watch) look() bool {
	if l := w.looks; l != nil {
		if l.each != nil {
			l.each()
		} else if l.left.Add(-1) < 0 {
			w.Stop()
		}
	}
	return w.state.Load()&over != 0
}

// Stop ends the watched search as the end of its context would.
func (w *Watch) Stop() { w.state.Or(over) }

type looksKey struct{}

// looks say what is to happen at a look: a call, or the end after the last.
type looks struct {
	left atomic.Int64
	each func()
}

// AtEachLook returns a context for which each is called at every look of a Watch on
// it or on what derives from it. Where there is one thread and nothing interrupts a
// goroutine, as in a browser, no clock and no cancellation would come through unless
// the search itself gives way now and then; each can do so.
func AtEachLook(ctx context.Context, each func()) context.Context {
	return context.WithValue(ctx, looksKey{}, &looks{each: each})
}

// EndAtLook returns a context that, for every Watch on it or on what derives
// from it, ends at the look after the first n, all Watches counted together. It
// is for tests: a limit can so be made to fall at each point of a search.
func EndAtLook(ctx context.Context, n int64) context.Context {
	l := &looks{}
	l.left.Store(n)
	return context.WithValue(ctx, looksKey{}, l)
}

// looksEnded reports whether ctx is of EndAtLook and its end has come.
func looksEnded(ctx context.Context) bool {
	l, _ := ctx.Value(looksKey{}).(*looks)
	return l != nil && l.left.Load() < 0
}
