package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestViewHandler has the page served to who asks for this machine by its own name,
// and to nobody else.
func TestViewHandler(t *testing.T) {
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
		r := httptest.NewRequest(test.method, "http://"+test.host+test.path, nil)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != test.code || test.code == 200 && w.Body.String() != test.body {
			t.Errorf("%s %s%s: %d with %q", test.method, test.host, test.path, w.Code, w.Body)
		}
		if strings.Contains(w.Body.String(), "the page") != (test.body != "") {
			t.Errorf("%s %s%s: %q", test.method, test.host, test.path, w.Body)
		}
	}
}

// TestView runs the subcommand, reads its page, and ends it.
func TestView(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "plan.csv")
	if err := os.WriteFile(plan, []byte("id,lower,upper,size,offset\na,0,3,4,0\nb,1,5,4,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out, in := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stderr bytes.Buffer
	root := newRoot(in, &stderr)
	root.SetArgs([]string{"view", plan, plan})
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatalf("%q, %v: %s", url, err, &stderr)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	answer, err := client.Get(strings.TrimSpace(url))
	if err != nil {
		t.Fatal(err)
	}
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
	case <-time.After(10 * time.Second):
		t.Error("it goes on")
	}
}
