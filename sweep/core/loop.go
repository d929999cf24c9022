package core

import (
	"context"
	"fmt"
	"runtime"
)

// Loop does tasks in their order, some at a time, until all are done or stop is closed. Then the
// tasks that run are finished, unless the context ends. workers 0 is one for each processor. each is
// called after each task, from several goroutines; nil for never.
func (w *Worker) Loop(ctx context.Context, stop <-chan struct{}, tasks []Task, workers int,
	each func(*Task, Outcome),
) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan *Task)
	ended := make(chan struct{}, workers)
	for range workers {
		go func() {
			defer func() { ended <- struct{}{} }()
			for t := range next {
				outcome, err := w.Work(ctx, t)
				if err != nil {
					cancel(fmt.Errorf("task %s (%s): %w", t.Key, t.Name(), err))
					continue
				}
				if each != nil {
					each(t, outcome)
				}
			}
		}()
	}
feed:
	for k := range tasks {
		select {
		case next <- &tasks[k]:
		case <-stop:
			break feed
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	for range workers {
		<-ended
	}
	return context.Cause(ctx)
}
