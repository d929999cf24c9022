// Package chromium drives a browser for tests: it loads pages, runs scripts in them, moves the mouse, presses keys and
// takes pictures. Package chromedp does the work, over two pipes: no port, and the browser ends with the tests. A call
// waits for patience, and the test fails if it gets no answer.
package chromium

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Path returns where Chromium is, or skips the test. STOWAGE_CHROMIUM may name the program; otherwise the usual names
// are tried. A name without a program, such as none, means that there is no browser.
func Path(t testing.TB) string {
	t.Helper()
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	if name := os.Getenv("STOWAGE_CHROMIUM"); name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no chromium on this machine")
	return ""
}

// A Page is a tab that shares nothing with the tabs of other tests: each has a context of its own in the browser.
type Page struct {
	t   testing.TB
	ctx context.Context

	mu     sync.Mutex
	errors []string // what scripts threw and nobody caught, and errors on the console
}

// patience is when a browser counts as dead. No answer depends on it.
const patience = 8 * time.Minute

var (
	together bool            // the tests take one browser
	common   context.Context // of that browser, from the first test on that asks
	end      = func() {}     // ends it
)

// Main is for TestMain of a package with many tests in the browser, none of them parallel: one browser is started for
// all, which takes seconds.
func Main(m *testing.M) {
	together = true
	code := m.Run()
	end()
	os.Exit(code)
}

// Open opens an empty page of that size in CSS pixels. It ends with the test.
func Open(t testing.TB, width, height int) *Page {
	t.Helper()
	path := Path(t)
	browser := common
	if !together || common == nil || common.Err() != nil {
		var stop func()
		browser, stop = start(t, path)
		if together {
			end()
			common, end = browser, stop
		} else {
			t.Cleanup(stop)
		}
	}
	p := &Page{t: t}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext(), chromedp.WithListener(p.listen))
	t.Cleanup(cancel)
	begin(t, ctx, cancel)
	p.ctx = ctx
	p.Size(width, height)
	return p
}

// start starts a browser.
func start(t testing.TB, path string) (browser context.Context, stop func()) {
	t.Helper()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("hide-scrollbars", true))
	allocator, release := chromedp.NewExecAllocator(context.Background(), options...)
	browser, cancel := chromedp.NewContext(allocator)
	stop = func() {
		cancel()
		release()
	}
	begin(t, browser, stop)
	return browser, stop
}

// begin starts a browser or a page. The context of the first call ends it, so that has no deadline.
func begin(t testing.TB, ctx context.Context, stop func()) {
	t.Helper()
	late := time.AfterFunc(patience, stop)
	defer late.Stop()
	if err := chromedp.Do(ctx); err != nil {
		stop()
		t.Fatal(err)
	}
}

// listen keeps the errors of a page.
func (p *Page) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		said := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			said += " " + e.ExceptionDetails.Exception.Description
		}
		p.errors = append(p.errors, said)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			p.errors = append(p.errors, e.Entry.Text)
		}
	}
}

// run runs an action on a page, and fails the test if it fails or takes longer than patience.
func run[T any](p *Page, what string, action chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	answer, err := chromedp.Run(ctx, action)
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
	return answer
}

// Go loads a page and waits until it is there.
func (p *Page) Go(url string) {
	p.t.Helper()
	run(p, url, chromedp.Navigate(url))
}

// Eval runs a script, waits for what it promises, and decodes what that is.
func (p *Page) Eval(script string, result any) {
	p.t.Helper()
	value := run(p, script, chromedp.Evaluate[[]byte](script, chromedp.EvalAwaitPromise, chromedp.EvalAsValue,
		func(e *runtime.EvaluateParams) { e.UserGesture = new(true) }))
	if result != nil {
		if err := json.Unmarshal(value, result); err != nil {
			p.t.Fatalf("%s: %v in %s", script, err, value)
		}
	}
}

// Text is Eval for a script that makes a string.
func (p *Page) Text(script string) string {
	p.t.Helper()
	var s string
	p.Eval(script, &s)
	return s
}

// Until waits until a script makes something true.
func (p *Page) Until(script string) {
	p.t.Helper()
	for end := time.Now().Add(patience); ; {
		var ok bool
		p.Eval("Boolean("+script+")", &ok)
		if ok {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("still not: %s", script)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Call sends the page an order of the protocol: https://chromedevtools.github.io/devtools-protocol.
func (p *Page) Call(method string, params map[string]any) {
	p.t.Helper()
	run(p, method, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		return t.Call(ctx, method, params, nil)
	}))
}

// Size sets the size of the window in CSS pixels.
func (p *Page) Size(width, height int) {
	p.t.Helper()
	p.Call("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
}

// Theme asks for a colour scheme: light or dark.
func (p *Page) Theme(name string) {
	p.t.Helper()
	p.Call("Emulation.setEmulatedMedia",
		map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": name}}})
}

// Mouse sends an event: mouseMoved, mousePressed, mouseReleased; buttons is 1 while the left button is down.
func (p *Page) Mouse(event string, x, y float64, buttons, clicks int) {
	p.t.Helper()
	button := "none"
	if buttons == 1 || event == "mouseReleased" {
		button = "left"
	}
	p.Call("Input.dispatchMouseEvent",
		map[string]any{"type": event, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": clicks})
}

// Wheel turns the wheel.
func (p *Page) Wheel(x, y, by float64) {
	p.t.Helper()
	p.Call("Input.dispatchMouseEvent", map[string]any{"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": by})
}

// Key presses a key and lets it go; text is what it types, empty for nothing.
func (p *Page) Key(key, text string) {
	p.t.Helper()
	p.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": key, "text": text})
	p.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key})
}

// Picture returns what the window shows, as PNG.
func (p *Page) Picture() []byte {
	p.t.Helper()
	return run(p, "picture", chromedp.CaptureScreenshot())
}

// Quiet fails the test where the page had an error.
func (p *Page) Quiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.errors {
		p.t.Errorf("the page: %s", e)
	}
}
