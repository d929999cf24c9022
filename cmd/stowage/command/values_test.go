package command

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stowage-go/stowage/internal/profile"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/units"

	"github.com/spf13/pflag"
	"pgregory.net/rapid"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/setting"
	"github.com/stowage-go/stowage/internal/shown"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "1039360": 1039360, "1K": 1024, "1KiB": 1024, "3MiB": 3 << 20, "3M": 3 << 20, "2GiB": 2 << 30,
		"7 KiB": 7 << 10, "2305843009213693951": model.MaxSum,
		"80mib": 80 << 20, "80MIB": 80 << 20, "1k": 1024, "2g": 2 << 30, "1TiB": 1 << 40, "1t": 1 << 40,
		"1kB": 1000, "1KB": 1000, "1MB": 1e6, "1GB": 1e9, "2tb": 2e12, "64B": 64,
		"1.5MiB": 3 << 19, "0.5k": 512, "1e6": 1e6, "1E6": 1e6, "1.5e3": 1500, "25e-1KiB": 2560, "1e3 MiB": 1000 << 20,
		"+7": 7, " 12 ": 12, "1e+2": 100, "000001": 1, "0.0000000009765625TiB": 0, "1.0": 1,
	} {
		var s size
		err := s.Set(text)
		if want == 0 {
			if !errors.Is(err, units.ErrWhole) {
				t.Errorf("Set(%q) = %d, %v; want %v", text, s, err, units.ErrWhole)
			}
			continue
		}
		if err != nil || int64(s) != want {
			t.Errorf("Set(%q) = %d, %v; want %d", text, s, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                     "must be a number",
		"KiB":                  "must be a number",
		"1KiBs":                "must be a number",
		"1_000":                "must be a number",
		"1,000":                "must be a number",
		"0x10":                 "must be a number",
		"1e":                   "must be a number",
		".5":                   "must be a number",
		"inf":                  "must be a number",
		"NaN":                  "must be a number",
		"1e9999999999":         "must be a number",
		"0":                    "must be at least 1",
		"0.0":                  "must be at least 1",
		"0e999999999":          "must be at least 1",
		"-5":                   "must be at least 1",
		"1e-999999999":         "must be a whole number",
		"1.0005kB":             "must be a whole number",
		"2305843009213693952":  "must be at most 2305843009213693951",
		"99999999999999999999": "must be at most",
		"9999999999G":          "must be at most",
		"1e999999999":          "must be at most",
	} {
		var s size
		if err := s.Set(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Set(%q) = %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"0.9MiB": ": 943718 or 943719", "1.5": ": 1 or 2", "0.3B": "", "1.25e-1kB": "",
	} {
		if err := new(size).Set(text); err != nil && err.Error() != units.ErrWhole.Error()+want {
			t.Errorf("Set(%q): %v, want %q at the end", text, err, want)
		}
	}
	var none limit
	if err := none.Set("none"); err != nil || none != unlimited || none.String() != "none" {
		t.Errorf("none is %s, %v", &none, err)
	}
}

// TestOutlet writes the content of a hostile file to a terminal, in one piece and in all pairs of pieces.
func TestOutlet(t *testing.T) {
	const text = "plain\ttext\nschön ‖ \x1b[2J\r\x7f\u009b0m \u202e \x9b"
	const want = "plain\ttext\nschön ‖ \\x1b[2J\\x0d\\x7f\\u009b0m \\u202e \\x9b"
	for cut := range len(text) + 1 {
		var b strings.Builder
		o := &outlet{w: &b, file: os.Stdout, shows: shown.Writer(&b)}
		if cut%2 == 0 { // messages, wherever they go
			o = newOutlet(&b, true)
		}
		for _, part := range []string{text[:cut], text[cut:]} {
			if n, err := o.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if b.String() != want {
			t.Fatalf("cut at %d: %q, want %q", cut, b.String(), want)
		}
	}
	var b strings.Builder
	if _, err := newOutlet(&b, false).Write([]byte(text)); err != nil || b.String() != text {
		t.Errorf("to a pipe: %q, %v", b.String(), err)
	}
}

// TestFaultLines reads a file with names that would colour a screen or look like faults of
// another file. Each fault is one line, also to a pipe.
func TestFaultLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.csv")
	text := "id,lower,upper,size\n\"\x1b[31mred\nother.csv:1: forged\",0,0,3\n"
	for range 25 {
		text += "b,0,0,3\n"
	}
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	var stdout, stderr strings.Builder
	if code := execute([]string{"solve", path}, &stdout, &stderr); code != exitUsage {
		t.Errorf("exit code %d", code)
	}
	lines := strings.Split(strings.TrimSuffix(stderr.String(), "\n"), "\n")
	if !strings.Contains(lines[0], `buffer \x1b[31mred\nother.csv:1: forged: `) || len(lines) != 21 ||
		!strings.HasPrefix(lines[20], "… and ") {
		t.Errorf("%q", lines)
	}
	for _, line := range lines[:len(lines)-1] {
		if !strings.HasPrefix(line, path+":") || strings.ContainsRune(line, 0x1b) {
			t.Errorf("%q", line)
		}
	}
}

func TestAbsl(t *testing.T) {
	type values struct {
		Capacity int64
		Input    string
		Timeout  time.Duration
		Validate bool
		Hatless  bool
	}
	parse := func(args ...string) (v values, help bool, err error) {
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		timeout := abslInfinite
		f.Var((*abslInt)(&v.Capacity), "capacity", "")
		f.StringVar(&v.Input, "input", "", "")
		f.Var(&timeout, "timeout", "")
		f.BoolVar(&v.Validate, "validate", false, "")
		f.BoolVar(&v.Hatless, "hatless_pruning", true, "")
		help, err = parseAbsl(f, args)
		v.Timeout = time.Duration(timeout)
		return v, help, err
	}
	forever := time.Duration(abslInfinite)
	for line, want := range map[string]values{
		"":                                            {Timeout: forever, Hatless: true},
		"--capacity=12 --input=a.csv":                 {12, "a.csv", forever, false, true},
		"-capacity 12 -input a.csv":                   {12, "a.csv", forever, false, true},
		"--capacity 0x10":                             {16, "", forever, false, true},
		"--capacity=-1":                               {-1, "", forever, false, true},
		"--input=a=b":                                 {0, "a=b", forever, false, true},
		"--input=":                                    {0, "", forever, false, true},
		"--validate --nohatless_pruning":              {0, "", forever, true, false},
		"--validate=1 --hatless_pruning=no":           {0, "", forever, true, false},
		"-validate=T -hatless_pruning=N":              {0, "", forever, true, false},
		"--validate=yes --hatless_pruning=False":      {0, "", forever, true, false},
		"--validate false":                            {0, "", forever, true, true}, // "false" is an argument
		"--timeout=1h2m3.5s":                          {0, "", time.Hour + 2*time.Minute + 3500*time.Millisecond, false, true},
		"--timeout 500ms":                             {0, "", 500 * time.Millisecond, false, true},
		"--timeout=0":                                 {0, "", 0, false, true},
		"--hatless-pruning=0 --validate":              {0, "", forever, true, false},
		"--nohatless-pruning --validate":              {0, "", forever, true, false},
		"--timeout=1s --timeout=inf":                  {0, "", forever, false, true},
		"--timeout=99999999h":                         {0, "", forever, false, true},
		"stray --capacity=3 -- --capacity=4 --bogus":  {3, "", forever, false, true},
		"--capacity=3 --capacity=5 --novalidate -":    {5, "", forever, false, true},
		"--validate=true --validate=0 --input --file": {0, "--file", forever, false, true},
	} {
		got, help, err := parse(strings.Fields(line)...)
		if err != nil || help || got != want {
			t.Errorf("%s: %+v, %v, %v; want %+v", line, got, help, err, want)
		}
	}
	for line, want := range map[string]string{
		"--bogus":           `unknown flag "--bogus"`,
		"--hatles_pruning":  `unknown flag "--hatles_pruning"; did you mean hatless_pruning?`,
		"--nobogus":         `unknown flag "--nobogus"`,
		"--novalidate=true": `unknown flag "--novalidate=true"`,
		"--nocapacity":      "only a boolean",
		"--capacity":        "--capacity needs a value",
		"--capacity=1MiB":   "must be an integer",
		"--validate=maybe":  "must be true, t, yes",
		"--timeout=5":       "must be a duration",
		"--timeout=x":       "must be a duration",
		"--timeout=":        "must be a duration",
	} {
		if _, _, err := parse(strings.Fields(line)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
	if _, help, err := parse("--capacity=1", "--help", "--bogus"); !help || err != nil {
		t.Errorf("--help: %v, %v", help, err)
	}
}

// TestProgressLine: the line has at most 79 columns, because a line that wraps cannot be erased.
func TestProgressLine(t *testing.T) {
	for want, p := range map[string]stowage.Progress{
		"no plan yet · 0 nodes · 1:01:01":                             {},
		"no plan yet · bound 7 · 999 nodes · 1:01:01":                 {LowerBound: 7, Nodes: 999},
		"height 9 · bound 9 · gap 0.00% · 12.4M nodes · 1:01:01":      {Height: 9, LowerBound: 9, Nodes: 12_400_000},
		"height 100001 · bound 100000 · gap <0.01% · 2.0G nodes · 1:": {Height: 100001, LowerBound: 100000, Nodes: 2e9},
	} {
		if got := progressLine("", &p, 3661*time.Second, 0, 80); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := progressLine("3 of 9", &stowage.Progress{}, 7*time.Second, time.Minute, 80),
		"3 of 9 · no plan yet · 0 nodes · 00:07, 00:53 left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	huge := stowage.Progress{Height: model.MaxSum, LowerBound: 1, Nodes: model.MaxSum}
	for _, width := range []int{0, 1, 2, 20, 80, 300} {
		if n := utf8.RuneCountInString(progressLine("3 of 9", &huge, 1<<62, 0, width)); n > max(0, width-1) {
			t.Errorf("%d columns of %d", n, width)
		}
	}
}

// TestContention compares the contention in the sparkline with the timeline's, which is computed in another way.
func TestContention(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &stowage.Problem{}
		for range rapid.IntRange(1, 12).Draw(t, "n") {
			lower := rapid.Int64Range(-20, 20).Draw(t, "lower")
			b := stowage.Buffer{
				Lower: lower, Upper: lower + rapid.Int64Range(3, 20).Draw(t, "life"), Size: rapid.Int64Range(1, 9).Draw(t, "size"),
			}
			if rapid.Bool().Draw(t, "gap") {
				g := stowage.Gap{Lower: b.Lower + 1, Upper: b.Lower + 2}
				if rapid.Bool().Draw(t, "window") {
					g.Window = &stowage.Window{Lower: 0, Upper: rapid.Int64Range(1, b.Size).Draw(t, "in use")}
				}
				b.Gaps = []stowage.Gap{g}
			}
			p.Buffers = append(p.Buffers, b)
		}
		if peak, want := profile.New(p).Peak, timeline.New(p).MaxLoad; peak != want {
			t.Fatalf("peak %d, want %d", peak, want)
		}
		if n := utf8.RuneCountInString(sparkline(p, 25)); n > 25 || !strings.ContainsRune(sparkline(p, 25), '█') {
			t.Fatalf("sparkline %q", sparkline(p, 25))
		}
	})
}

func TestSparkline(t *testing.T) {
	example := &stowage.Problem{Buffers: []stowage.Buffer{
		{Lower: 0, Upper: 3, Size: 8}, {Lower: 5, Upper: 6, Size: 4}, {Lower: 6, Upper: 8, Size: 1},
	}}
	must.Same(t, "███  ▄▁▁", sparkline(example, 60))
	extreme := &stowage.Problem{Buffers: []stowage.Buffer{
		{Lower: -model.MaxSum, Upper: 0, Size: 2}, {Lower: 0, Upper: model.MaxSum, Size: 1},
	}}
	must.Same(t, "█████▄▄▄▄▄", sparkline(extreme, 10))
	late := &stowage.Problem{Buffers: []stowage.Buffer{
		{Lower: model.MaxSum - 3, Upper: model.MaxSum - 1, Size: 2}, {Lower: model.MaxSum - 1, Upper: model.MaxSum, Size: 1},
	}}
	must.Same(t, "██▄", sparkline(late, 10))
}

// TestGap: only a gap of zero is shown as zero.
func TestGap(t *testing.T) {
	for _, c := range []struct {
		height, bound int64
		want          string
	}{
		{5, 5, "0.00%"},
		{3, 2, "50.00%"},
		{1<<60 + 1, 1 << 60, "<0.01%"},
		{5, 0, "?"},
		{20001, 20000, "<0.01%"},
		{10001, 10000, "0.01%"},
	} {
		if got := gap(c.height, c.bound); got != c.want {
			t.Errorf("gap(%d, %d) is %s, want %s", c.height, c.bound, got, c.want)
		}
	}
}

func TestRoff(t *testing.T) {
	if got, want := roff(".so x\n'y\na\\b --flag"), "\\&.so x\n\\&'y\na\\eb \\-\\-flag"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWrap(t *testing.T) {
	if got, want := wrap("the quick  brown fox", 9, "  "), "the quick\n  brown fox"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := wrap("incomprehensibilities are", 5, ""), "incomprehensibilities\nare"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSettings: each setting is a flag of solve with the same name.
func TestSettings(t *testing.T) {
	solve := newSolve()
	for _, s := range setting.All {
		if f := solve.Flags().Lookup(s.Name); f == nil || f.Usage != s.Usage {
			t.Errorf("solve has no flag --%s with the help of package setting", s.Name)
		}
	}
}
