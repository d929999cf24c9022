package processor

import (
	"context"
	"sync"
	"time"
)

// Idea: a limit in processor time, as a context. It ends with context.DeadlineExceeded when this process has used its
// share, so planners take it for a timeout. Its deadline is when that will be if the rest goes as fast as before: on a
// machine with other work, a quarter of the time that is left stays about a quarter of the share.

// Limit returns a context that ends when this process has used so much more processor time, on all cores. The function
// must be called when nobody needs the context any more.
func Limit(ctx context.Context, share time.Duration) (context.Context, context.CancelFunc) {
	l := &limit{Context: ctx, share: share, used: Used(), began: time.Now(), done: make(chan struct{})}
	if share <= 0 {
		l.end(context.DeadlineExceeded)
	} else {
		go l.watch()
	}
	return l, func() { l.end(context.Canceled) }
}

// look is how often the share is looked at.
const look = 5 * time.Millisecond

// A limit is such a context. It has a channel of its own: package context would else take it for its parent.
type limit struct {
	context.Context
	share, used time.Duration
	began       time.Time
	done        chan struct{}

	mu  sync.Mutex
	err error
}

// watch ends the context.
func (l *limit) watch() {
	every := time.NewTicker(look)
	defer every.Stop()
	for {
		select {
		case <-l.done:
			return
		case <-l.Context.Done():
			l.end(l.Context.Err())
		case <-every.C:
			if Used()-l.used >= l.share {
				l.end(context.DeadlineExceeded)
			}
		}
	}
}

// end ends the context if it has not ended.
func (l *limit) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
		close(l.done)
	}
}

// Done is closed when the context ends.
func (l *limit) Done() <-chan struct{} { return l.done }

// Err says why the context has ended.
func (l *limit) Err() error {
	if err := l.Context.Err(); err != nil {
		l.end(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Deadline returns when the share will be used up, by the pace so far.
func (l *limit) Deadline() (time.Time, bool) {
	now, used := time.Now(), Used()-l.used
	pace := 1.0
	if used > look {
		pace = max(pace, float64(now.Sub(l.began))/float64(used))
	}
	return now.Add(time.Duration(pace * float64(max(l.share-used, 0)))), true
}
