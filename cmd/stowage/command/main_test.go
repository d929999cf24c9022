package command

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/onnxmade"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
	_ "github.com/stowage-go/stowage/plan/all"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts")

// The test binary runs as the command, under both of its names.
func TestMain(m *testing.M) {
	for _, behaviour := range []string{
		"stack", "wait", "stubborn", "wrong", "panic", "nothing", "never", "effort", "refuse",
	} {
		run.Register(puppet(behaviour))
	}
	testscript.Main(m, map[string]func(){"stowage": Main, "minimalloc": Main})
}

// packed packs with gzip.
func packed(content []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(content) // into memory: no error
	z.Close()
	return b.Bytes()
}

// TestScripts runs testdata/script: every subcommand, exit code and message.
func TestScripts(t *testing.T) {
	hearSignals(t)
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			return errors.Join(
				os.WriteFile(filepath.Join(env.WorkDir, "net.tflite"), tflitemade.Network(4, 24), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "packed.tflite.gz"), packed(tflitemade.Network(4, 24)), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "tiny.tflite"), tflitemade.Network(60, 8), 0o666), // that of examples
				os.WriteFile(filepath.Join(env.WorkDir, "easy.tflite"), tflitemade.Network(1, 2), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "images.tflite"), tflitemade.Images(1, 10), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "strips.tflite"), tflitemade.Images(33, 5), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "points.tflite"),
					tflitemade.Model([]tflitemade.Graph{tflitemade.Points()}), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "bytes.tflite"), tflitemade.Bytes(134, 10), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "withheld.tflite"), tflitemade.Bytes(127, 6), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "halves.tflite"), tflitemade.Halves(), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "hybrid.tflite"), tflitemade.Hybrid(), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "npu.tflite"),
					tflitemade.Model([]tflitemade.Graph{tflitemade.EthosU()},
						tflitemade.Metadata{Name: tflite.MetadataName, Data: tflitemade.Words(1, 0, 6, -1, -1, 0, 0, 0, 512)}), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "npulost.tflite"),
					tflitemade.Model([]tflitemade.Graph{tflitemade.EthosU()}), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "open.onnx"), onnxmade.Open(), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "pooled.onnx"), onnxmade.Pooled(), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "saved.onnx"), onnxmade.Saved(), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "wired.onnx"), onnxmade.Network(16, 24), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "net.onnx"), onnxmade.Network(4, 24), 0o666))
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "root":
				return os.Geteuid() == 0, nil
			case "full":
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": exitsWith,
			"wait-for": func(ts *testscript.TestScript, neg bool, args []string) {
				waitFor(ts, ts.MkAbs(args[0]))
			},
		},
	})
}

// exitsWith is the script command "code N command…". It fails unless the exit code is N.
func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command...")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s\nstdout: %s\nstderr: %s", got, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// waitFor waits until a program in the background has made a file.
func waitFor(ts *testscript.TestScript, path string) {
	for range 6000 {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s has not appeared in a minute", path)
}

// A puppet is a planner that behaves in one fixed way. It shows what the command does with a result, without a search.
//
//	stack      each buffer on top of the one before: feasible
//	wait       calls atWait, touches the file "ready", waits for the end of the context, stacks
//	nothing    the same, and has no plan
//	stubborn   the same, touches "stopping" and does not come back
//	wrong      all at zero, and calls that feasible
//	panic      panics
//	never      says that no plan fits
//	effort     as stack, and says that it gave up
//	refuse     as stack, and does not take fixed offsets or gaps
type puppet string

// atWait is called by a puppet before it waits, if it is set.
var atWait atomic.Pointer[context.CancelFunc]

func (p puppet) Name() string { return "puppet-" + string(p) }

func (p puppet) Info() plan.Info {
	return plan.Info{
		Name: p.Name(), Summary: "for tests", Source: "this file",
		Techniques: []plan.Technique{{Name: "strings", Summary: "does nothing"}},
		Params:     []plan.Param{{Name: "ready", Summary: "file to touch"}, {Name: "stopping", Summary: "file to touch"}},
	}
}

func (p puppet) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	n := len(tl.Problem.Buffers)
	r := plan.Result{
		Status: model.Feasible, Plan: model.Plan{Offsets: make([]int64, n)}, Stats: plan.Stats{Nodes: int64(n)},
	}
	var top int64
	for i := range tl.Problem.Buffers {
		b := &tl.Problem.Buffers[i]
		if p == "refuse" && b.Fixed != nil {
			return plan.Result{}, plan.Unsupported(p.Name(), "cannot honour fixed offsets: buffer "+b.ID+" has one")
		}
		if p == "refuse" && len(b.Gaps) > 0 {
			return plan.Result{}, plan.Unsupported(p.Name(), "cannot honour gaps: buffer "+b.ID+" has one")
		}
		a := b.Align()
		r.Offsets[i] = (top + a - 1) / a * a
		top = r.Offsets[i] + b.Size
	}
	switch p {
	case "wait", "nothing", "stubborn":
		if f := atWait.Load(); f != nil {
			(*f)()
		}
		touch(o.Params["ready"])
		if o.Progress != nil {
			o.Progress(plan.Progress{Height: top, LowerBound: tl.LowerBound, Nodes: 1})
		}
		<-ctx.Done()
	}
	switch p {
	case "nothing":
		return plan.Result{Status: model.Unknown}, nil
	case "never":
		return plan.Result{Status: model.Infeasible}, nil
	case "wrong":
		clear(r.Offsets)
		return r, nil
	case "panic":
		panic("the strings are cut")
	case "stubborn":
		// By the time the file is there, the handler is gone.
		time.Sleep(300 * time.Millisecond)
		touch(o.Params["stopping"])
		time.Sleep(time.Hour)
	}
	if p == "effort" {
		r.Stopped = plan.StopEffort
	}
	if !o.Fits(top) {
		return plan.Result{Status: model.Unknown, Stopped: r.Stopped, Stats: r.Stats}, nil
	}
	return r, nil
}

func touch(path string) {
	if path != "" {
		_ = os.WriteFile(path, nil, 0o666)
	}
}

// TestLeaks runs commands within this process. None may leave a goroutine behind, such as one
// that draws or waits for signals.
func TestLeaks(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := t.TempDir()
	input := filepath.Join(dir, "in.csv")
	must.Do(t, os.WriteFile(input, []byte("id,lower,upper,size\na,0,2,3\nb,1,3,4\n"), 0o666))
	for line, want := range map[string]int{
		"solve --planner puppet-stack":                                  exitOK,
		"solve --planner puppet-wait --timeout 20ms":                    exitOK,
		"solve --planner puppet-nothing --timeout 20ms":                 exitUndecided,
		"solve --planner puppet-never --capacity 7":                     exitInfeasible,
		"solve --planner puppet-wrong":                                  exitInternal,
		"solve --planner puppet-panic":                                  exitInternal,
		"solve --planner puppet-none":                                   exitUsage,
		"explain --planner puppet-nothing --capacity 8 --timeout 200ms": exitUndecided,
		"show --text": exitOK,
	} {
		var stdout, stderr bytes.Buffer
		if got := execute(append(strings.Fields(line), input), &stdout, &stderr); got != want {
			t.Errorf("%s: exit code %d, want %d\n%s", line, got, want, &stderr)
		}
	}
}

// TestProgressErases draws a progress line and checks what is left of it.
func TestProgressErases(t *testing.T) {
	defer goleak.VerifyNone(t)
	out := awaited{text: "height 120", seen: make(chan struct{})}
	p := startProgress(&out, func() int { return 80 }, time.Millisecond, 0)
	p.update(plan.Progress{Height: 120, LowerBound: 100, Nodes: 1234})
	<-out.seen
	p.stop()
	if !strings.Contains(out.String(), eraseLine+"height 120 · bound 100 · gap 20.00% · 1.2k nodes · 0") {
		t.Errorf("no progress in %q", &out)
	}
	if !strings.HasSuffix(out.String(), eraseLine) || strings.Contains(out.String(), "\n") {
		t.Errorf("the line is not erased: %q", &out)
	}
}

// awaited collects writes, one writer at a time. It closes seen when they contain a text.
type awaited struct {
	all  bytes.Buffer
	text string
	seen chan struct{}
	once sync.Once
}

func (a *awaited) Write(b []byte) (int, error) {
	n, err := a.all.Write(b)
	if strings.Contains(a.String(), a.text) {
		a.once.Do(func() { close(a.seen) })
	}
	return n, err
}

func (a *awaited) String() string { return a.all.String() }

// hearSignals makes this process, and those that it starts, receive signals that are ignored.
// nohup and the background of a script make them ignored.
func hearSignals(t *testing.T) {
	heard := make(chan os.Signal, 8)
	signal.Notify(heard, os.Interrupt, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(heard) })
}

// TestSignals sends this process the signals that end a search.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot signal itself on Windows")
	}
	hearSignals(t)
	defer goleak.VerifyNone(t, goleak.IgnoreTopFunction("os/signal.loop"),
		goleak.IgnoreTopFunction("os/signal.signal_recv"))
	self := must.Get(os.FindProcess(os.Getpid()))(t)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		ctx, release := interruptible(t.Context())
		must.Do(t, self.Signal(s))
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
			t.Errorf("%v does not end the context", s)
		}
		release()
	}
}
