//go:build js && wasm

// Package bridge has what the two programs for WebAssembly share: how JavaScript calls them,
// and how a search pauses so that JavaScript can run.
//
// A program begins by calling globalThis.stowageStart with a function of three arguments: the
// name of an operation, a number for the call, and an object with the input. It answers with
// that number by one of the functions of the object that stowageStart returns: done, fail or
// progress. The only caller is the JavaScript of the package on npm (bindings/js/src/engine.js).
//
// WebAssembly has one thread, and Go does not interrupt a goroutine there. So neither a timer
// nor a message arrives while a search runs. For that reason a search sleeps for a millisecond
// some twenty times a second, when it looks at its limits.
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
	_ "github.com/stowage-go/stowage/plan/all"
)

// A Call is one request.
type Call struct {
	Context context.Context // ends when JavaScript cancels; some looks at it pause (see breathe)
	Input   js.Value        // the input of the operation

	id       int
	handlers js.Value
	told     time.Time // when JavaScript was given the last report
	shown    int64     // the height of the last plan that JavaScript was given
}

// An Operation answers a call with an object.
type Operation func(*Call) (map[string]any, error)

// Serve tells JavaScript that the program is ready, and answers calls for ever.
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

// breathe returns a function for each look of a search at its limits. It sleeps for a millisecond if the last sleep was
// 50 ms ago. A look takes some nanoseconds in one search and milliseconds in another, and reading the clock takes a
// hundred nanoseconds. So the function reads the clock only at every stride-th look, and adapts stride to have some 5
// ms between two readings.
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

// fail answers with an error, and says whether the input is at fault. An unknown planner is a
// fault of the input. The message for it leaves out how a Go program gets more planners.
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
