package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// A pty is a terminal that a test reads.
type pty struct {
	screen *os.File // the side that the command writes to
	shown  chan []byte
}

// newPty opens a terminal with that many columns.
func newPty(t *testing.T, columns uint16) *pty {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no pseudo-terminals: %v", err)
	}
	control := func(request uintptr, arg unsafe.Pointer) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(arg)); errno != 0 {
			t.Skipf("there are no pseudo-terminals: %v", errno)
		}
	}
	var lock, number int32
	size := [4]uint16{24, columns}
	control(syscall.TIOCSPTLCK, unsafe.Pointer(&lock))
	control(syscall.TIOCGPTN, unsafe.Pointer(&number))
	control(syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no pseudo-terminals: %v", err)
	}
	p := &pty{slave, make(chan []byte, 1)}
	go func() {
		text, _ := io.ReadAll(master) // returns an error when the last writer closes
		master.Close()
		p.shown <- text
	}()
	return p
}

// onTerminal runs a command line on a terminal and returns what the terminal shows.
func onTerminal(t *testing.T, columns uint16, args ...string) (code int, shown string) {
	t.Helper()
	p := newPty(t, columns)
	code = execute(args, p.screen, p.screen)
	p.screen.Close()
	return code, strings.ReplaceAll(string(<-p.shown), "\r\n", "\n")
}

func putFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTerminalPictures: a picture is not written to a terminal, unless the path is -.
func TestTerminalPictures(t *testing.T) {
	path := putFile(t, "in.csv", "id,lower,upper,size,offset\na,0,2,3,0\n")
	for line, want := range map[string]struct {
		code int
		text string
	}{
		"show": {
			exitUsage, "stowage: SVG is not for a terminal: name a file with -o, or add --text for the figures",
		},
		"show --format tex":    {exitUsage, "TEX is not for a terminal"},
		"show -o -":            {exitOK, "<svg"},
		"show --text":          {exitOK, "horizon"},
		"solve --format html":  {exitUsage, "HTML is not for a terminal: name a file with -o\n"},
		"solve --format json":  {exitOK, `"version": 1`},
		"compare --format svg": {exitUsage, "SVG is not for a terminal"},
	} {
		code, shown := onTerminal(t, 80, append(strings.Fields(line), path)...)
		if code != want.code || !strings.Contains(shown, want.text) {
			t.Errorf("%s: exit code %d, want %d\n%s", line, code, want.code, shown)
		}
		if want.code != exitOK && strings.Contains(shown, "<svg") {
			t.Errorf("%s: the picture came all the same", line)
		}
	}
}

// TestTerminalNames gives buffers names that would move the cursor and colour the screen. They
// do neither, in tables, messages, plans and explanations.
func TestTerminalNames(t *testing.T) {
	const name = "\x1b[31mred\x1b]0;title\x07"
	path := putFile(t, "in.csv", "id,lower,upper,size\n"+name+",0,2,3\n\"line\nbreak\",0,2,3\n")
	bad := putFile(t, "bad.csv", "id,lower,upper,size\n"+name+",0,0,3\n")
	for line, want := range map[string]string{
		"solve " + path:                                    `\x1b[31mred`,
		"solve --format json " + path:                      `\u001b[31mred`,
		"explain --capacity 4 " + path:                     `\x1b[31mred\x1b]0;title\x07`,
		"explain --json --capacity 4 " + path:              `\u001b[31mred`,
		"solve " + bad:                                     `buffer \x1b[31mred`,
		"compare --planner first-fit -q " + path:           "first-fit",
		"solve --capacity 4 --planner first-fit -q " + bad: `buffer \x1b[31mred`,
	} {
		_, shown := onTerminal(t, 200, strings.Fields(line)...)
		shown = strings.ReplaceAll(shown, eraseLine, "")
		if strings.ContainsAny(shown, "\x1b\x07") || !strings.Contains(shown, want) {
			t.Errorf("%s: %q, want %q in it", line, shown, want)
		}
	}
	if _, shown := onTerminal(t, 200, "explain", "--capacity", "4", path); !strings.Contains(shown, `line\nbreak`) {
		t.Errorf("a table is broken by a name:\n%s", shown)
	}
	// A plan is written to a pipe as it is.
	var plan, stderr bytes.Buffer
	if execute([]string{"solve", "-q", path}, &plan, &stderr); !strings.Contains(plan.String(), name) {
		t.Errorf("%q", plan.String())
	}
}

// TestTerminalWidth: tables are no wider than the terminal.
func TestTerminalWidth(t *testing.T) {
	long := strings.Repeat("long/", 30)
	path := putFile(t, "in.csv", "id,lower,upper,size\n"+long+"a,0,2,3\n"+long+"b,0,2,3\n")
	for _, width := range []uint16{40, 72, 100, 200} {
		for _, line := range []string{
			"planners", "planners exact", "planners auto", "planners first-fit", "gen --list",
			"show --text " + path, "compare -q --planner first-fit,exact " + path,
		} {
			code, shown := onTerminal(t, width, strings.Fields(line)...)
			if code != exitOK {
				t.Errorf("%s: exit code %d\n%s", line, code, shown)
			}
			for row := range strings.SplitSeq(shown, "\n") {
				// not a table
				prose := strings.Contains(row, ": ") || strings.HasPrefix(row, "name ") || strings.HasSuffix(row, ".")
				if n := utf8.RuneCountInString(row); n > int(width) && !prose {
					t.Errorf("%s: a row takes %d columns of %d: %s", line, n, width, row)
				}
			}
		}
		// A long name is broken into lines, and the figures stay whole.
		code, shown := onTerminal(t, width, "explain", "--capacity", "4", path)
		if !strings.Contains(shown, "ALIGNMENT  OFFSET") && width > 60 {
			t.Errorf("columns are missing:\n%s", shown)
		}
		_, shown, ok := strings.Cut(shown, "\n\n")
		if code != exitInfeasible || !ok {
			t.Fatalf("exit code %d\n%s", code, shown)
		}
		shown, _, _ = strings.Cut(shown, "\nenough") // then prose
		for row := range strings.SplitSeq(shown, "\n") {
			if n := utf8.RuneCountInString(row); n > int(width) {
				t.Errorf("a row of explain takes %d columns of %d: %s", n, width, row)
			}
		}
	}
}

// TestTerminalProgress: the progress line leaves the last column free and is erased in the end.
// A dumb terminal has no progress line.
func TestTerminalProgress(t *testing.T) {
	path := putFile(t, "in.csv", "id,lower,upper,size\na,0,2,3\nb,1,3,4\n")
	args := func(periods time.Duration) []string {
		return []string{
			"solve", "--planner", "puppet-wait", "--timeout", (periods * progressEvery).String(), "-o",
			filepath.Join(t.TempDir(), "plan.csv"), path,
		}
	}
	t.Setenv("TERM", "xterm")
	for _, width := range []uint16{20, 80} {
		var code int
		var shown string
		var frames []string
		// other programs may hold the line up
		for periods := time.Duration(3); len(frames) < 3 && periods < 3000; periods *= 10 {
			code, shown = onTerminal(t, width, args(periods)...)
			frames = strings.Split(shown, eraseLine)
		}
		if code != exitOK || len(frames) < 3 {
			t.Fatalf("width %d: exit code %d, %q", width, code, shown)
		}
		for _, frame := range frames[1 : len(frames)-1] {
			if n := utf8.RuneCountInString(frame); n >= int(width) || !strings.HasPrefix(frame, "height 7") {
				t.Errorf("width %d: %d columns: %q", width, n, frame)
			}
		}
		if last := frames[len(frames)-1]; !strings.HasPrefix(last, "optimal") && !strings.HasPrefix(last, "feasible") {
			t.Errorf("width %d: what is left is %q", width, last)
		}
	}
	t.Setenv("TERM", "dumb")
	if _, shown := onTerminal(t, 80, args(3)...); strings.Contains(shown, "\x1b") {
		t.Errorf("a dumb terminal is shown %q", shown)
	}
}

// TestTerminalProgressEverywhere: every command that may run for long shows the line, with what it knows. A run is
// given more and more time, since other programs may hold the line up.
func TestTerminalProgressEverywhere(t *testing.T) {
	t.Setenv("TERM", "xterm")
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	put := func(name, text string) {
		if err := os.WriteFile(in(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("a.csv", "id,lower,upper,size\na,0,2,3\nb,1,3,4\n")
	put("b.csv", "id,lower,upper,size\na,0,2,5\nb,1,3,6\n")
	put("steps.trace", "stowage-arena-trace 1\nb 1 0 train\na 64 64 0 0\na 128 64 0 0\nf 0 0\nf 1 0\ne 1 0\nend 7 -\n")
	var hard bytes.Buffer
	gen := []string{"gen", "-q", "synthetic", "--buffers", "300", "-o", in("hard.csv")}
	if code := execute(gen, io.Discard, &hard); code != exitOK {
		t.Fatal(hard.String())
	}
	waits := func(periods int) string {
		return "--planner puppet-wait --timeout " + (time.Duration(periods) * progressEvery).String()
	}
	for what, c := range map[string]struct {
		want string
		line func(periods int) string
	}{
		"folder": {"1 of 2 · " + in("a.csv") + " · height 11", func(n int) string {
			return "solve -o " + in("plans") + " " + in("a.csv") + " " + in("b.csv") + " " + waits(n)
		}},
		"workers": {"0 of 2 · 00:0", func(n int) string {
			return "solve --workers 2 -o " + in("plans") + " " + in("a.csv") + " " + in("b.csv") + " " + waits(n)
		}},
		"arena": {"height 192", func(n int) string {
			return "arena plan --all -o " + in("steps.plan") + " " + in("steps.trace") + " " + waits(n)
		}},
		"minimalloc": {"height ", func(n int) string {
			limit := time.Duration(n) * progressEvery
			return fmt.Sprintf("minimalloc --minimize_capacity --capacity=1099511627776 --input=%s --timeout=%v", in("hard.csv"), limit)
		}},
		"session": {" · height ", func(n int) string {
			var trace strings.Builder
			trace.WriteString(`{"op":"open","format":"stowage-trace/1","capacity":100000}` + "\n")
			for k := range 300 * n {
				fmt.Fprintf(&trace, `{"op":"add","id":"b%d","lower":%d,"upper":%d,"size":8}`+"\n", k, k, k+9)
			}
			put("changes.jsonl", trace.String())
			return "session " + in("changes.jsonl")
		}},
		"plan --split": {" · chains in strips · 00:0", func(n int) string {
			put("net.tflite", string(tflitemade.Convolutions(64, slices.Repeat([][3]int32{{3, 1, 8}}, 3*n)...)))
			return "plan --split --max-macs 50% " + in("net.tflite")
		}},
		"choices": {" · choices of strips · arena ", func(n int) string {
			put("net.tflite", string(tflitemade.Convolutions(64, slices.Repeat([][3]int32{{3, 1, 8}}, 3*n)...)))
			return "plan --split --max-macs 50% " + in("net.tflite")
		}},
	} {
		found, shown := false, ""
		for periods := 3; !found && periods < 200; periods *= 4 {
			_, shown = onTerminal(t, 300, strings.Fields(c.line(periods))...)
			for frame := range strings.SplitSeq(shown, eraseLine) {
				found = found || strings.Contains(frame, c.want) && !strings.Contains(frame, "\n")
			}
		}
		if !found {
			t.Errorf("%s: no line with %q in %q", what, c.want, shown)
		}
	}
}
