package command

import (
	"bytes"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/render/html"
)

type viewFlags struct {
	capacity size
	port     int
	open     bool
	model    modelFlags
}

func newView() *cobra.Command {
	var v viewFlags
	cmd := &cobra.Command{
		Use:   "view FILE...",
		Short: "Look at plans in a browser",
		Long: `View serves a page that shows the plan in each FILE, or in each file of a folder: to zoom, to search, and to compare two plans. For a file without a plan it draws the load over time. The address is printed on standard output; the first signal ends the command. A trace of changes (.jsonl) is played, call by call.

It listens on this machine's own address, 127.0.0.1, only, and answers only requests that name it. The page loads nothing from elsewhere. 'stowage show -o FILE.html' writes the same page to a file.

` + formatsHelp,
		Example: `  stowage view plan.csv
  stowage view --open before.json after.json
  stowage view changes.jsonl`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("missing argument FILE")
			}
			return nil
		},
		SuggestFor: []string{"serve", "browse", "viewer"},
		Annotations: map[string]string{
			asKey: "show",
			exitsKey: "0  a signal ended it\n1  internal failure, or an output that cannot be written\n" +
				"2  bad usage or input, or a port that cannot be had",
		},
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP(&v.capacity, "capacity", "c", "draw a line at `SIZE` bytes [default: each file's, or none]")
	v.model.bind(cmd)
	f.IntVar(&v.port, "port", 0, "listen on port `N` [default: any free one]")
	f.BoolVar(&v.open, "open", false, "open the page in a browser")
	return cmd
}

func (v *viewFlags) run(cmd *cobra.Command, files []string) error {
	if v.port < 0 || v.port > 65535 {
		return usagef("invalid argument %q for --port: must be from 0 to 65535", strconv.Itoa(v.port))
	}
	page, err := v.page(cmd, files)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(v.port)))
	if err != nil {
		return usageError{err}
	}
	host := listener.Addr().String()
	url := "http://" + host + "/"
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), url); err != nil {
		listener.Close()
		return outputError{err: err}
	}
	if v.open {
		if err := openBrowser(url); err != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "no browser could be opened: %v\n", err)
		}
	}
	ctx, release := interruptible(cmd.Context())
	defer release()
	return serve(ctx, listener, viewHandler(page, host))
}

// page writes the page of the files: their plans, or the calls of a trace.
func (v *viewFlags) page(cmd *cobra.Command, files []string) ([]byte, error) {
	found, err := inputsOf(files)
	if err != nil {
		return nil, err
	}
	files = nil
	for _, in := range found {
		files = append(files, in.path)
	}
	for _, file := range files {
		if isTrace := strings.EqualFold(filepath.Ext(file), ".jsonl"); isTrace && len(files) > 1 {
			return nil, usagef("%s is a trace of changes, which is viewed alone", file)
		} else if isTrace {
			return v.played(cmd, file)
		}
	}
	var read []*document
	for _, file := range files {
		d, _, err := readDocument(cmd, file, v.capacity, &v.model)
		if err != nil {
			return nil, err
		}
		read = append(read, d)
	}
	tellApart(read, files)
	var docs []html.Document
	for _, d := range read {
		docs = append(docs, pageOf(d))
	}
	var page bytes.Buffer
	if err := html.WriteAll(&page, docs); err != nil {
		return nil, err
	}
	return page.Bytes(), nil
}

// played plays a trace of changes, and writes its page.
func (v *viewFlags) played(cmd *cobra.Command, file string) ([]byte, error) {
	t, err := readChanges(file)
	if err != nil {
		return nil, err
	}
	ctx, release := interruptible(cmd.Context())
	defer release()
	tally, open, played, err := (&sessionFlags{capacity: v.capacity}).play(cmd, ctx, file, t, true)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	err = played.write(&page, tally, open)
	return page.Bytes(), err
}

// tellApart names plans after their files if several plans on a page have one name, as plans of
// one JSON problem do. It leaves out the folders that all paths share.
func tellApart(docs []*document, files []string) {
	count := map[string]int{}
	for _, d := range docs {
		count[d.problem.Name]++
	}
	var named []*document
	var names []string
	for k, d := range docs {
		if count[d.problem.Name] > 1 {
			named, names = append(named, d), append(names, filepath.ToSlash(nameOf(files[k])))
		}
	}
	shared := 0
	for len(names) > 1 {
		end := strings.IndexByte(names[0][shared:], '/') + 1
		if end == 0 || slices.ContainsFunc(names,
			func(name string) bool { return !strings.HasPrefix(name, names[0][:shared+end]) }) {
			break
		}
		shared += end
	}
	for k, d := range named {
		d.title = names[k][shared:]
	}
}

// viewHandler serves the page for requests to this host. A request with another host name comes from a site that made
// its own name point to this machine, to read what only this machine may read.
func viewHandler(page []byte, host string) func(method, asked, path string) answer {
	_, port, _ := net.SplitHostPort(host)
	return func(method, asked, path string) answer {
		refuse := func(status, why string) answer {
			return answer{status, "text/plain; charset=utf-8", []byte(why + "\n")}
		}
		switch {
		case asked != host && asked != "localhost:"+port:
			return refuse("421 Misdirected Request", "not the name of this server")
		case path != "/":
			return refuse("404 Not Found", "there is nothing here")
		case method != "GET" && method != "HEAD":
			return refuse("405 Method Not Allowed", "this can be read, no more")
		}
		return answer{"200 OK", "text/html; charset=utf-8", page}
	}
}

// openBrowser asks the system to open an address.
func openBrowser(url string) error {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	return exec.Command(name, args...).Start()
}
