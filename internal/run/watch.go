package run

import (
	"context"
	"sync/atomic"
)

// A Watch tells a search that its context has ended. A look is one atomic load, so a loop
// may look at every node or placement. ctx.Err takes a lock.
//
// Every planner looks at its context only through a Watch. So a test can make the context
// end at any given look (EndAtLook).
type Watch struct {
	state atomic.Uint32 // 0, or any of over and counted
	looks *looks        // set by EndAtLook or AtEachLook; nil otherwise

	release func() bool // unregisters the watch from its context; nil if it is not registered
}

// The bits of a watch's state.
const (
	over    = 1 << iota // the context has ended
	counted             // looks are counted
)

// unending is the watch of each context that cannot end. Nobody may stop it.
var unending Watch

// NewWatch watches ctx until Close.
func NewWatch(ctx context.Context) *Watch {
	if c, ok := ctx.(*watched); ok {
		return c.watch
	}
	if ctx.Done() == nil {
		return Endless(ctx)
	}
	return Stoppable(ctx)
}

// A watched context has a watch that all runs in it share. To register one takes a microsecond, which is long beside a
// plan of a few buffers. Nobody may stop the shared one, and its Close does nothing.
type watched struct {
	context.Context
	watch *Watch
}

// Watched returns ctx with a watch, until release.
func Watched(ctx context.Context) (with context.Context, release func()) {
	if _, ok := ctx.(*watched); ok || ctx.Done() == nil {
		return ctx, func() {}
	}
	w := Stoppable(ctx)
	end := w.release
	w.release = nil
	return &watched{ctx, w}, func() { end() }
}

// Stoppable is NewWatch for a search that may call Stop.
func Stoppable(ctx context.Context) *Watch {
	w := &Watch{}
	w.count(ctx)
	if ctx.Done() == nil {
		return w
	}
	w.release = context.AfterFunc(ctx, w.Stop)
	// AfterFunc runs in its own goroutine, even if ctx is over already.
	if ctx.Err() != nil {
		w.Stop()
	}
	return w
}

// Endless returns a watch that ignores the end of ctx. Its looks still count for AtEachLook and EndAtLook.
func Endless(ctx context.Context) *Watch {
	if ctx.Value(looksKey{}) == nil {
		return &unending
	}
	w := &Watch{}
	w.count(ctx)
	return w
}

// count counts the looks if ctx says so.
func (w *Watch) count(ctx context.Context) {
	if w.looks, _ = ctx.Value(looksKey{}).(*looks); w.looks != nil {
		w.state.Store(counted)
	}
}

// Close ends the watch. Over keeps its answer.
func (w *Watch) Close() {
	if w.release != nil {
		w.release()
	}
}

// Over reports whether the context has ended. It is safe for concurrent use.
func (w *Watch) Over() bool { return w.state.Load() != 0 && w.look() }

// look is the part of Over that runs only if the state is not 0.
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

// Stop ends the watched search as the end of its context would. The watch must be from Stoppable.
func (w *Watch) Stop() {
	if w == &unending {
		panic("run: the watch is not from Stoppable")
	}
	w.state.Or(over)
}

type looksKey struct{}

// looks say what happens at a look: a call of each, or the end after left looks.
type looks struct {
	left atomic.Int64
	each func()
}

// AtEachLook returns a context for which each is called at every look of a Watch on it or on a context derived from
// it. A browser has one thread and does not interrupt a goroutine. So no clock and no cancellation comes through
// unless the search yields now and then. each can do that.
func AtEachLook(ctx context.Context, each func()) context.Context {
	return context.WithValue(ctx, looksKey{}, &looks{each: each})
}

// EndAtLook returns a context that ends at the look after the first n. It counts the looks of every Watch on it or on a
// context derived from it, all together. Tests use it to make a limit fall at each point of a search.
func EndAtLook(ctx context.Context, n int64) context.Context {
	l := &looks{}
	l.left.Store(n)
	return context.WithValue(ctx, looksKey{}, l)
}

// looksEnded reports whether ctx comes from EndAtLook and has ended.
func looksEnded(ctx context.Context) bool {
	l, _ := ctx.Value(looksKey{}).(*looks)
	return l != nil && l.left.Load() < 0
}
