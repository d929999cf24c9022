// Package chromium drives a browser for tests: it loads pages, runs scripts in them,
// moves the mouse, presses keys and takes pictures.
//
// Idea: Chromium takes orders in the DevTools protocol, as JSON with a NUL byte after
// each message, through two pipes that it inherits as files 3 and 4
// (--remote-debugging-pipe). So there is no port, no WebSocket and no library, and the
// browser ends with the test that began it, or with the last one.
//
// https://chromedevtools.github.io/devtools-protocol/ has the messages.
package chromium

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
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

// A browser is a running Chromium, and the pages in it.
type browser struct {
	out io.Writer
	end func()

	mu      sync.Mutex
	gone    bool // it takes no more orders
	last    int
	waiting map[int]chan answer
	pages   map[string]*Page // by session
}

type answer struct {
	result json.RawMessage
	err    error
}

// A Page is a tab that shares nothing with the tabs of other tests: its browser is another one, or with Main one in
// which each has a context of its own.
type Page struct {
	t       testing.TB
	browser *browser
	session string

	events map[string]chan struct{}
	// Errors are what scripts of the page threw and nobody caught, and what it said
	// on its console as errors.
	Errors []string
}

var (
	together bool     // the tests take one browser
	common   *browser // that one, from the first test on that asks
)

// Main is for TestMain of a package with many tests in the browser, none of them parallel: one browser is started for
// all, which takes seconds.
func Main(m *testing.M) {
	together = true
	code := m.Run()
	if common != nil {
		common.end()
	}
	os.Exit(code)
}

// Open opens an empty page of that size in CSS pixels. It ends with the test. With arguments for the browser it has one
// of its own.
func Open(t testing.TB, width, height int, args ...string) *Page {
	t.Helper()
	path := Path(t)
	var b *browser
	if !together || len(args) > 0 {
		b = start(t, path, args)
		t.Cleanup(b.end)
	} else {
		if common == nil || common.ended() {
			if common != nil {
				common.end()
			}
			common = start(t, path, nil)
		}
		b = common
	}
	p := &Page{t: t, browser: b, events: map[string]chan struct{}{}}
	var context struct {
		ID string `json:"browserContextId"`
	}
	p.call("", "Target.createBrowserContext", nil, &context)
	var target struct{ TargetID string }
	p.call("", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": context.ID}, &target)
	var attached struct{ SessionID string }
	p.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p.session = attached.SessionID
	b.mu.Lock()
	b.pages[p.session] = p
	b.mu.Unlock()
	t.Cleanup(func() {
		b.mu.Lock()
		delete(b.pages, p.session)
		b.mu.Unlock()
		b.try("", "Target.disposeBrowserContext", context, nil) // else the browser has ended
	})
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		p.Call(domain+".enable", nil, nil)
	}
	p.Size(width, height)
	return p
}

// start starts a browser.
func start(t testing.TB, path string, args []string) *browser {
	t.Helper()
	in, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBrowser, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "chromium")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(path, append([]string{
		"--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", "--no-first-run",
		"--disable-background-networking", "--disable-dev-shm-usage", "--user-data-dir=" + dir, "about:blank",
	}, args...)...)
	c.ExtraFiles = []*os.File{in, out}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	out.Close()
	b := &browser{out: toBrowser, waiting: map[int]chan answer{}, pages: map[string]*Page{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		b.read(fromBrowser)
	}()
	b.end = func() {
		toBrowser.Close()
		c.Process.Kill()
		c.Wait()
		fromBrowser.Close()
		<-read
		os.RemoveAll(dir)
	}
	return b
}

func (b *browser) ended() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.gone
}

// read takes messages until the browser ends.
func (b *browser) read(r io.Reader) {
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		text, err := in.ReadBytes(0)
		if err != nil {
			b.mu.Lock()
			b.gone = true
			for id, w := range b.waiting {
				delete(b.waiting, id)
				w <- answer{err: errors.New("the browser ended")}
			}
			b.mu.Unlock()
			return
		}
		var m struct {
			ID        int
			SessionID string
			Method    string
			Result    json.RawMessage
			Error     *struct{ Message string }
			Params    json.RawMessage
		}
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		p := b.pages[m.SessionID]
		switch w := b.waiting[m.ID]; {
		case w != nil && m.ID != 0:
			delete(b.waiting, m.ID)
			if m.Error != nil {
				w <- answer{err: errors.New(m.Error.Message)}
			} else {
				w <- answer{result: m.Result}
			}
		case p == nil: // of the browser, or of a page whose test is over
		case m.Method == "Runtime.exceptionThrown" || m.Method == "Log.entryAdded":
			var e struct {
				Entry            struct{ Level, Text string }
				ExceptionDetails struct {
					Text      string
					Exception struct{ Description string }
				}
			}
			json.Unmarshal(m.Params, &e)
			if e.Entry.Level == "error" || e.Entry.Level == "" {
				p.Errors = append(p.Errors, e.Entry.Text+e.ExceptionDetails.Text+" "+e.ExceptionDetails.Exception.Description)
			}
		default:
			if c := p.events[m.Method]; c != nil {
				delete(p.events, m.Method)
				close(c)
			}
		}
		b.mu.Unlock()
	}
}

// patience is when a browser counts as dead. No answer depends on it.
const patience = 8 * time.Minute

func (p *Page) call(session, method string, params, result any) {
	p.t.Helper()
	if err := p.browser.try(session, method, params, result); err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
}

func (b *browser) try(session, method string, params, result any) error {
	if params == nil {
		params = map[string]any{}
	}
	b.mu.Lock()
	b.last++
	id, w := b.last, make(chan answer, 1)
	b.waiting[id] = w
	b.mu.Unlock()
	m := map[string]any{"id": id, "method": method, "params": params}
	if session != "" {
		m["sessionId"] = session
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if _, err := b.out.Write(append(text, 0)); err != nil {
		return err
	}
	select {
	case a := <-w:
		if a.err != nil || result == nil {
			return a.err
		}
		return json.Unmarshal(a.result, result)
	case <-time.After(patience):
		return fmt.Errorf("no answer in %v", patience)
	}
}

// Call sends the page an order of the protocol.
func (p *Page) Call(method string, params, result any) {
	p.t.Helper()
	p.call(p.session, method, params, result)
}

// Go loads a page and waits until it is there.
func (p *Page) Go(url string) {
	p.t.Helper()
	loaded := make(chan struct{})
	p.browser.mu.Lock()
	p.events["Page.loadEventFired"] = loaded
	p.browser.mu.Unlock()
	p.Call("Page.navigate", map[string]any{"url": url}, nil)
	select {
	case <-loaded:
	case <-time.After(patience):
		p.t.Fatalf("%s is not loaded after %v", url, patience)
	}
}

// Eval runs a script, waits for what it promises, and decodes what that is.
func (p *Page) Eval(script string, result any) {
	p.t.Helper()
	var out struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	p.Call("Runtime.evaluate", map[string]any{
		"expression": script, "awaitPromise": true, "returnByValue": true, "userGesture": true,
	}, &out)
	if e := out.ExceptionDetails; e != nil {
		p.t.Fatalf("%s: %s %s", script, e.Text, e.Exception.Description)
	}
	if result != nil {
		if err := json.Unmarshal(out.Result.Value, result); err != nil {
			p.t.Fatalf("%s: %v in %s", script, err, out.Result.Value)
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

// Size sets the size of the window in CSS pixels.
func (p *Page) Size(width, height int) {
	p.t.Helper()
	p.Call("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}, nil)
}

// Theme asks for a colour scheme: light or dark.
func (p *Page) Theme(name string) {
	p.t.Helper()
	p.Call("Emulation.setEmulatedMedia",
		map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": name}}}, nil)
}

// Mouse sends an event: mouseMoved, mousePressed, mouseReleased; buttons is 1 while
// the left button is down.
func (p *Page) Mouse(event string, x, y float64, buttons, clicks int) {
	p.t.Helper()
	button := "none"
	if buttons == 1 || event == "mouseReleased" {
		button = "left"
	}
	p.Call("Input.dispatchMouseEvent",
		map[string]any{"type": event, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": clicks}, nil)
}

// Wheel turns the wheel.
func (p *Page) Wheel(x, y, by float64) {
	p.t.Helper()
	p.Call("Input.dispatchMouseEvent",
		map[string]any{"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": by}, nil)
}

// Key presses a key and lets it go; text is what it types, empty for nothing.
func (p *Page) Key(key, text string) {
	p.t.Helper()
	down := map[string]any{"type": "keyDown", "key": key}
	if text != "" {
		down["text"] = text
	}
	p.Call("Input.dispatchKeyEvent", down, nil)
	p.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
}

// Picture returns what the window shows, as PNG.
func (p *Page) Picture() []byte {
	p.t.Helper()
	var shot struct{ Data string }
	p.Call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}

// Quiet fails the test where the page had an error.
func (p *Page) Quiet() {
	p.t.Helper()
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	for _, e := range p.Errors {
		p.t.Errorf("the page: %s", e)
	}
}
