//go:build js && wasm

// Package bridge is what the two programs for WebAssembly share: how JavaScript calls
// them, and how a search gives way so that a clock or a cancellation comes through.
//
// A program begins by calling globalThis.stowageStart with a function of three
// arguments: an operation's name, a number for the call, and an object with what the
// operation takes. It answers by calling, with that number, one of the functions of the
// object that stowageStart returns: done, fail or progress. All of that is inside the
// package on npm, whose JavaScript is the only caller (npm/src/engine.js).
//
// WebAssembly has one thread, and Go does not interrupt a goroutine there: neither a
// timer nor a message comes through while a search runs. So it sleeps for a millisecond
// at one look at its limits in a while, some twenty times a second.
//
//	bridge.go   calls, answers, errors
//	values.go   numbers in and out
//	search.go   options and results of a search
//	explain.go  why nothing fits
package bridge

import (
	"context"
	"errors"
	"strings"
	"syscall/js"
	"time"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// A Call is one request.
type Call struct {
	Context context.Context // ends when JavaScript cancels; each look at it gives way now and then
	Input   js.Value        // what the operation takes

	id       int
	handlers js.Value
	told     time.Time // when progress was told of last
	shown    int64     // the height of the plan that was told of last
}

// An Operation answers a call with an object.
type Operation func(*Call) (map[string]any, error)

// Serve tells JavaScript of the operations and answers calls, for good.
func Serve(operations map[string]Operation) {
	running := map[int]context.CancelFunc{}
	var handlers js.Value
	call := js.FuncOf(func(_ js.Value, args []js.Value) any {
		name, id := args[0].String(), args[1].Int()
		if name == "cancel" {
			if cancel := running[id]; cancel != nil {
				cancel()
			}
			return nil
		}
		ctx, cancel := context.WithCancel(context.Background())
		running[id] = cancel
		c := &Call{Context: run.AtEachLook(ctx, breathe()), Input: args[2], id: id, handlers: handlers}
		go func() {
			defer func() {
				cancel()
				delete(running, id)
			}()
			operation := operations[name]
			if operation == nil {
				c.fail(errors.New("there is no operation " + name))
				return
			}
			if out, err := operation(c); err != nil {
				c.fail(err)
			} else {
				handlers.Call("done", id, out)
			}
		}()
		return nil
	})
	handlers = js.Global().Call("stowageStart", call)
	select {}
}

// breathe returns what gives way to JavaScript now and then. A look is some nanoseconds
// in one search and milliseconds in another, and reading the clock takes a hundred
// nanoseconds: so it is read at each so many looks as took less than 5 ms of late.
func breathe() func() {
	left, stride := 1, 1
	last := time.Now()
	read := last
	return func() {
		if left--; left > 0 {
			return
		}
		now := time.Now()
		if now.Sub(read) < 5*time.Millisecond {
			stride = min(2*stride, 256)
		} else {
			stride = max(stride/4, 1)
		}
		left, read = stride, now
		if now.Sub(last) > 50*time.Millisecond {
			time.Sleep(time.Millisecond)
			last = time.Now()
			read = last
		}
	}
}

// fail answers with an error; what is wrong with an input is told apart. A planner that
// is not there is a fault of the input, too; how others come into a program in Go helps
// nobody here.
func (c *Call) fail(err error) {
	issues := []any{}
	message := err.Error()
	unknown := errors.Is(err, plan.ErrUnknownPlanner)
	if unknown {
		message, _, _ = strings.Cut(message, "; a program gets more")
	}
	var input *model.InputError
	if errors.As(err, &input) {
		for _, i := range input.Issues {
			issues = append(issues, map[string]any{
				"file": i.File, "line": i.Line, "buffer": i.Buffer, "field": i.Field, "value": i.Value, "message": i.Message,
			})
		}
	}
	c.handlers.Call("fail", c.id, map[string]any{"message": message, "input": input != nil || unknown, "issues": issues})
}
