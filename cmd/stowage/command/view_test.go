package command

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestViewHandler: requests to this machine by its own name get the page, and no other request does.
func TestViewHandler(t *testing.T) {
	needsLoopback(t)
	h := viewHandler([]byte("the page"), "127.0.0.1:4711")
	for _, test := range []struct {
		method, host, path string
		code               int
		body               string
	}{
		{"GET", "127.0.0.1:4711", "/", 200, "the page"},
		{"GET", "localhost:4711", "/", 200, "the page"},
		{"HEAD", "127.0.0.1:4711", "/", 200, ""},
		{"GET", "127.0.0.1:4712", "/", 421, ""},
		{"GET", "evil.example:4711", "/", 421, ""},
		{"GET", "127.0.0.1:4711", "/etc/passwd", 404, ""},
		{"POST", "127.0.0.1:4711", "/", 405, ""},
	} {
		listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- serve(ctx, listener, h) }()
		r := must.Get(http.NewRequest(test.method, "http://"+listener.Addr().String()+test.path, nil))(t)
		r.Host = test.host
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Minute}
		answer := must.Get(client.Do(r))(t)
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != test.code || test.code == 200 && string(body) != test.body {
			t.Errorf("%s %s%s: %d with %q, %v", test.method, test.host, test.path, answer.StatusCode, body, err)
		}
		if strings.Contains(string(body), "the page") != (test.body != "") {
			t.Errorf("%s %s%s: %q", test.method, test.host, test.path, body)
		}
		if got := answer.Header.Get("Cross-Origin-Resource-Policy"); got != "same-origin" {
			t.Errorf("the page is for others: %q", got)
		}
		if got := answer.Header.Get("Content-Security-Policy"); got != "frame-ancestors 'none'" {
			t.Errorf("the page may be framed: %q", got)
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("it ended with %v", err)
		}
	}
}

// TestReadRequest reads requests that do not come from a browser.
func TestReadRequest(t *testing.T) {
	for text, want := range map[string]string{
		"GET / HTTP/1.1\r\nHost: a:1\r\n\r\n":              "GET a:1 /",
		"GET /x?y=/ HTTP/1.0\nhost: a:1\n\n":               "GET a:1 /x",
		"GET http://b:2/ HTTP/1.1\r\nHost: a:1\r\n\r\n":    "GET b:2 /",
		"GET / HTTP/1.1\r\n\r\n":                           "",
		"GET / HTTP/1.1\r\nHost: a:1\r\nHost: b:2\r\n\r\n": "",
		"GET / HTTP/2\r\nHost: a:1\r\n\r\n":                "",
		"GET\r\n\r\n":                                      "",
		"GET x HTTP/1.1\r\nHost: a:1\r\n\r\n":              "",
		"GET / HTTP/1.1\r\nHost: a:1\r\n":                  "",
		"":                                                 "",
		"GET / HTTP/1.1\r\nHost: a:1\r\nX: " + strings.Repeat("x", askMost) + "\r\n\r\n": "",
	} {
		method, host, path, ok := readRequest(strings.NewReader(text))
		got := ""
		if ok {
			got = method + " " + host + " " + path
		}
		if got != want {
			t.Errorf("%.60q: %q, want %q", text, got, want)
		}
	}
}

// TestView runs the subcommand, reads its page, and ends it.
func TestView(t *testing.T) {
	needsLoopback(t)
	plan := filepath.Join(t.TempDir(), "plan.csv")
	must.Do(t, os.WriteFile(plan, []byte("id,lower,upper,size,offset\na,0,3,4,0\nb,1,5,4,4\n"), 0o666))
	out, in := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stderr bytes.Buffer
	root := newRoot(theCommand, in, &stderr)
	root.SetArgs([]string{"view", plan, plan})
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatalf("%q, %v: %s", url, err, &stderr)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Minute}
	answer := must.Get(client.Get(strings.TrimSpace(url)))(t)
	page, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil || strings.Count(string(page), `class="stowage-meta"`) != 2 {
		t.Errorf("the page has not two plans: %v, %d bytes", err, len(page))
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("it ended with %v: %s", err, &stderr)
		}
	case <-time.After(time.Minute):
		t.Error("it goes on")
	}
}

// needsLoopback skips the test if programs cannot connect to this machine itself, as in a container without a network.
func needsLoopback(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		defer listener.Close()
		var c net.Conn
		if c, err = net.DialTimeout("tcp", listener.Addr().String(), 10*time.Second); err == nil {
			c.Close()
		}
	}
	if err != nil {
		t.Skipf("127.0.0.1 cannot be reached here, so that a page is served is not checked: %v", err)
	}
}

// TestViewTrace: the page of a trace plays its calls.
func TestViewTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.JSONL")
	trace := `{"op":"open","format":"stowage-trace/1","capacity":12}
{"op":"add","id":"a","lower":0,"upper":4,"size":4,"offset":4}
{"op":"resize","id":"a","size":13}
`
	must.Do(t, os.WriteFile(path, []byte(trace), 0o666))
	cmd := newView()
	cmd.SetContext(t.Context())
	page, err := (&viewFlags{}).page(cmd, []string{path})
	if err != nil || !bytes.Contains(page, []byte(`"tried":["a",0,4,13,0,0],"over":0`)) {
		t.Errorf("the page has no call that did not fit, %v", err)
	}
}
