package command

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"time"
)

// Idea: to serve one page to a browser on this machine, the program reads a line of HTTP and writes a few, each time on
// a new connection. Package net/http is not used: the program would initialise it, with all of TLS, at every start of
// every command: 0.35 ms and 3.4 MB (docs/lab/libraries.md).
//
// Invariant: a connection is closed after one answer, after askTime, or when the context ends.
// At most askMost bytes of a request are read.
//
// Source: RFC 9112.

const (
	askTime = 10 * time.Second // the time that a request may take to arrive
	askMost = 1 << 16          // the most bytes of a request
)

// An answer is the answer to a request.
type answer struct {
	status string // "200 OK"
	kind   string // the Content-Type of the body
	body   []byte
}

// serve answers requests until the context ends.
func serve(ctx context.Context, listener net.Listener, respond func(method, host, path string) answer) error {
	stop := context.AfterFunc(ctx, func() { listener.Close() })
	defer stop()
	for {
		c, err := listener.Accept()
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return nil
			}
			if wait, ok := err.(interface{ Temporary() bool }); ok && wait.Temporary() { // too many files are open
				time.Sleep(100 * time.Millisecond)
				continue
			}
			return internalError{err}
		}
		go func() {
			stop := context.AfterFunc(ctx, func() { c.Close() })
			defer stop()
			defer c.Close()
			converse(c, respond)
		}()
	}
}

// converse reads a request and answers it.
func converse(c net.Conn, respond func(method, host, path string) answer) {
	c.SetDeadline(time.Now().Add(askTime))
	method, host, path, ok := readRequest(c)
	a := answer{"400 Bad Request", "text/plain; charset=utf-8", []byte("this is no request\n")}
	if ok {
		a = respond(method, host, path)
	}
	head := "HTTP/1.1 " + a.status + "\r\n" +
		"Content-Type: " + a.kind + "\r\n" +
		"Content-Length: " + strconv.Itoa(len(a.body)) + "\r\n" +
		"Date: " + time.Now().UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT") + "\r\n" +
		"Cache-Control: no-store\r\n" +
		"X-Content-Type-Options: nosniff\r\n" +
		"Cross-Origin-Resource-Policy: same-origin\r\n" +
		"Content-Security-Policy: frame-ancestors 'none'\r\n" + // the rest of the policy is in the page
		"Connection: close\r\n\r\n"
	c.SetDeadline(time.Now().Add(time.Minute)) // a large page
	if _, err := io.WriteString(c, head); err == nil && method != "HEAD" {
		c.Write(a.body)
	}
}

// readRequest reads the first line of a request and its headers.
func readRequest(r io.Reader) (method, host, path string, ok bool) {
	text := textproto.NewReader(bufio.NewReader(io.LimitReader(r, askMost)))
	line, err := text.ReadLine()
	if err != nil {
		return "", "", "", false
	}
	method, rest, _ := strings.Cut(line, " ")
	target, version, _ := strings.Cut(rest, " ")
	headers, err := text.ReadMIMEHeader()
	if err != nil || method == "" || !strings.HasPrefix(version, "HTTP/1.") || len(headers["Host"]) > 1 {
		return "", "", "", false
	}
	host = headers.Get("Host")
	if whole, found := strings.CutPrefix(target, "http://"); found { // the form for a proxy
		host, path, _ = strings.Cut(whole, "/")
		path = "/" + path
	} else if path = target; !strings.HasPrefix(path, "/") {
		return "", "", "", false
	}
	path, _, _ = strings.Cut(path, "?")
	return method, host, path, host != ""
}
