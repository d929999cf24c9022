// Package record writes the results of benchmarks: as JSON with every raw run and its machine, and in a marked block
// of a document.
package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/stowage-go/stowage/format"
)

// A Machine is what a measurement depends on besides the programs.
type Machine struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"` // that this process may use
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	Go    string `json:"go"`
}

// ThisMachine describes the machine that the process runs on.
func ThisMachine() Machine {
	return Machine{cpuModel(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version()}
}

// String describes the machine in a few words.
func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %s/%s, %s", m.CPU, m.Cores, m.OS, m.Arch, m.Go)
}

// cpuModel returns the processor's name if the system tells it.
func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.SplitSeq(string(text), "\n") {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return "unknown processor"
}

// Today returns the date in UTC, as results and tables carry it.
func Today() string { return time.Now().UTC().Format(time.DateOnly) }

// WriteJSON writes v to a file and makes its folder if it is missing. Lists
// of plain values are kept on a line, so that a file of raw runs can be read.
func WriteJSON(path string, v any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return format.WriteFile(path, func(w io.Writer) error {
		text, err := json.MarshalIndent(v, "", " ")
		if err != nil {
			return err
		}
		_, err = w.Write(append(flat(text), '\n'))
		return err
	})
}

// flat puts every list without a list or an object in it on one line.
func flat(text []byte) []byte {
	var out []byte
	for {
		open := bytes.IndexByte(text, '[')
		if open < 0 {
			return append(out, text...)
		}
		out = append(out, text[:open]...)
		text = text[open:]
		end := bytes.IndexAny(text[1:], "[]{}\"") + 1
		if end == 0 || text[end] != ']' {
			out = append(out, '[')
			text = text[1:]
			continue
		}
		out = append(out, bytes.Join(bytes.Fields(text[:end+1]), []byte(" "))...)
		text = text[end+1:]
	}
}

// ReplaceBlock puts content between the lines <!-- name --> and <!-- /name --> of a document, which must be there once.
func ReplaceBlock(path, name, content string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	replaced, err := replaceBlock(string(text), name, content)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return format.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, replaced)
		return err
	})
}

func replaceBlock(text, name, content string) (string, error) {
	open, shut := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
	before, rest, ok := strings.Cut(text, open)
	_, after, closed := strings.Cut(rest, shut)
	if !ok || !closed || strings.Contains(after, open) {
		return "", fmt.Errorf("no block from %q to %q, or more than one", strings.TrimSpace(open), strings.TrimSpace(shut))
	}
	return before + open + strings.TrimRight(content, "\n") + "\n" + shut + after, nil
}
