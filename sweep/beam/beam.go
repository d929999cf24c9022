// Package beam runs the tasks of a sweep on Apache Beam: in this process with Prism, or on a cluster
// whose job server has an address. It also opens folders in object stores by Beam's file systems.
//
//	beam.go    the pipeline
//	runner.go  which runner, its options, and whether its job server answers
//	store.go   folders in object stores
//
// Package core does the tasks. It does not know this package.
package beam

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/stowage-go/stowage/sweep/core"
)

// Idea: a pipeline of two steps. The first reads lists of tasks from the store; the second does one task each.
// Between them the tasks are shuffled, or an engine would give all tasks of a list to one worker. The lists are
// files, since a pipeline must stay small: a job server takes some megabytes.
//
// Nothing comes out of the pipeline. A worker writes the file of its task itself (core.Worker), so nothing is lost
// with the engine.
//
// Source: Apache Beam, https://beam.apache.org/documentation/programming-guide

// perList is how many tasks a list has.
const perList = 1000

// A Session is a run whose workers may be in this process. An interrupt reaches them here, since an engine has no way
// to say "finish your task".
type session struct {
	ctx   context.Context
	stop  <-chan struct{}
	slots chan struct{} // one for each processor
}

// sessions has the runs of this process, by a name that the pipeline carries.
var sessions sync.Map

var register3 = sync.OnceFunc(func() {
	register.DoFn3x1[context.Context, string, func([]byte), error](&listFn{})
	register.DoFn2x1[context.Context, []byte, error](&taskFn{})
	register.Emitter1[[]byte]()
})

// Register tells Beam which functions a worker may be asked for. It must be called before Init.
func Register() { register3() }

// Init starts Beam. In a worker process of a cluster it does not return.
func Init() {
	Register()
	beam.Init()
}

// A listFn reads a list of tasks.
type listFn struct {
	Out string `json:"out"`
}

// ProcessElement emits the tasks of a list, each as JSON.
func (f *listFn) ProcessElement(ctx context.Context, name string, emit func([]byte)) error {
	store, err := Open(ctx, f.Out)
	if err != nil {
		return err
	}
	data, err := store.Read(ctx, name)
	if err != nil {
		return err
	}
	packed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	lines := json.NewDecoder(packed)
	for {
		var task json.RawMessage
		err := lines.Decode(&task)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		emit(task)
	}
}

// A taskFn does tasks. On a cluster it does one at a time, since a slot of a cluster is a processor. In this process
// it does as many at a time as there are processors, and takes the next without waiting. If it waited, Prism would
// split its one bundle into bundles of an element or two, and run too few of these at a time. A bundle ends when its
// tasks are done.
type taskFn struct {
	Out     string `json:"out"`
	Session string `json:"session"`

	worker  *core.Worker
	pending sync.WaitGroup // tasks of the bundle that have begun
	mu      sync.Mutex
	failed  error // of those tasks
}

// Setup opens the folder, once for each of the engine's threads.
func (f *taskFn) Setup(ctx context.Context) error {
	store, err := Open(ctx, f.Out)
	if err != nil {
		return err
	}
	f.worker = core.NewWorker(store, core.Version())
	return nil
}

// StartBundle begins a bundle.
func (f *taskFn) StartBundle(context.Context) { f.failed = nil }

// ProcessElement does a task, or begins it.
func (f *taskFn) ProcessElement(ctx context.Context, text []byte) error {
	var task core.Task
	if err := json.Unmarshal(text, &task); err != nil {
		return err
	}
	known, ok := sessions.Load(f.Session)
	if !ok { // in a process of a cluster
		_, err := f.worker.Work(ctx, &task)
		return err
	}
	s := known.(*session)
	f.pending.Go(func() {
		s.slots <- struct{}{} // in the order of the elements
		defer func() { <-s.slots }()
		select {
		case <-s.stop:
			return
		default:
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.ctx, cancel)()
		if _, err := f.worker.Work(ctx, &task); err != nil {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.failed = errors.Join(f.failed, fmt.Errorf("%s: %w", task.Name(), err))
		}
	})
	return nil
}

// FinishBundle waits for the tasks of the bundle.
func (f *taskFn) FinishBundle(context.Context) error {
	f.pending.Wait()
	return f.failed
}

// Run does tasks with a runner and returns when all are done. If stop is closed, tasks that run in this process are
// finished, and no other is begun. out is the folder; workers on other machines must see it under that name.
func Run(ctx context.Context, stop <-chan struct{}, runner, out string, tasks []core.Task) error {
	store, err := Open(ctx, out)
	if err != nil {
		return err
	}
	lists, err := writeLists(ctx, store, tasks)
	if err != nil {
		return err
	}
	name := strconv.FormatInt(next(), 10) + lists[0]
	sessions.Store(name, &session{ctx, stop, make(chan struct{}, runtime.GOMAXPROCS(0))})
	defer sessions.Delete(name)
	p, s := beam.NewPipelineWithRoot()
	todo := beam.ParDo(s, &listFn{Out: out}, beam.CreateList(s, lists))
	beam.ParDo0(s, &taskFn{Out: out, Session: name}, beam.Reshuffle(s, todo))
	if err = stageSelf(); err == nil {
		_, err = beam.Run(ctx, runner, p)
	}
	for _, list := range lists {
		err = errors.Join(err, store.Remove(context.WithoutCancel(ctx), list))
	}
	return err
}

// writeLists puts tasks into files and returns their names.
func writeLists(ctx context.Context, s core.Store, tasks []core.Task) (names []string, err error) {
	for len(tasks) > 0 {
		list := tasks[:min(len(tasks), perList)]
		tasks = tasks[len(list):]
		var out bytes.Buffer
		packed := gzip.NewWriter(&out)
		e := json.NewEncoder(packed)
		for k := range list {
			if err := e.Encode(&list[k]); err != nil {
				return nil, err
			}
		}
		if err := packed.Close(); err != nil {
			return nil, err
		}
		sum := sha256.Sum256(out.Bytes())
		name := "todo/" + hex.EncodeToString(sum[:12]) + ".jsonl.gz"
		if err := s.Write(ctx, name, out.Bytes()); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}
