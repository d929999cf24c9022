package main

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"pgregory.net/rapid"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "1039360": 1039360, "1K": 1024, "1KiB": 1024, "3MiB": 3 << 20, "3M": 3 << 20, "2GiB": 2 << 30,
		"7 KiB": 7 << 10, "2305843009213693951": model.MaxSum,
	} {
		var s size
		if err := s.Set(text); err != nil || int64(s) != want {
			t.Errorf("Set(%q) = %d, %v; want %d", text, s, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                     "must be an integer",
		"1.5MiB":               "must be an integer",
		"1kB":                  "must be an integer",
		"1MB":                  "must be an integer",
		"KiB":                  "must be an integer",
		"1e6":                  "must be an integer",
		"0":                    "must be at least 1",
		"-5":                   "must be at least 1",
		"2305843009213693952":  "must be at most 2305843009213693951",
		"99999999999999999999": "must be at most",
		"9999999999G":          "must be at most",
	} {
		var s size
		if err := s.Set(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Set(%q) = %v, want %q", text, err, want)
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

// TestProgressLine holds the line to 79 columns: one that wraps stays behind.
func TestProgressLine(t *testing.T) {
	for want, p := range map[string]stowage.Progress{
		"no plan yet · 0 nodes · 1:01:01":                             {},
		"no plan yet · bound 7 · 999 nodes · 1:01:01":                 {LowerBound: 7, Nodes: 999},
		"height 9 · bound 9 · gap 0.00% · 12.4M nodes · 1:01:01":      {Height: 9, LowerBound: 9, Nodes: 12_400_000},
		"height 100001 · bound 100000 · gap <0.01% · 2.0G nodes · 1:": {Height: 100001, LowerBound: 100000, Nodes: 2e9},
	} {
		if got := progressLine(p, 3661*time.Second); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	huge := stowage.Progress{Height: model.MaxSum, LowerBound: 1, Nodes: model.MaxSum}
	if n := utf8.RuneCountInString(progressLine(huge, 1<<62)); n > 79 {
		t.Errorf("%d columns", n)
	}
}

// TestSteps checks the contention that the sparkline draws against the
// timeline's, which finds it in another way.
func TestSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &stowage.Problem{}
		for range rapid.IntRange(1, 12).Draw(t, "n") {
			lower := rapid.Int64Range(-20, 20).Draw(t, "lower")
			b := stowage.Buffer{Lower: lower, Upper: lower + rapid.Int64Range(3, 20).Draw(t, "life"), Size: rapid.Int64Range(1, 9).Draw(t, "size")}
			if rapid.Bool().Draw(t, "gap") {
				g := stowage.Gap{Lower: b.Lower + 1, Upper: b.Lower + 2}
				if rapid.Bool().Draw(t, "window") {
					g.Window = &stowage.Window{Lower: 0, Upper: rapid.Int64Range(1, b.Size).Draw(t, "in use")}
				}
				b.Gaps = []stowage.Gap{g}
			}
			p.Buffers = append(p.Buffers, b)
		}
		var load, peak int64
		for _, s := range steps(p) {
			// At equal times the order is open, so that only the sums count.
			load += s.change
		}
		if load != 0 {
			t.Fatalf("the changes add up to %d", load)
		}
		all := steps(p)
		for k := range all {
			load += all[k].change
			if k+1 == len(all) || all[k+1].at != all[k].at {
				peak = max(peak, load)
			}
		}
		if want := timeline.New(p).MaxLoad; peak != want {
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
	if diff := cmp.Diff("███  ▄▁▁", sparkline(example, 60)); diff != "" {
		t.Error(diff)
	}
	extreme := &stowage.Problem{Buffers: []stowage.Buffer{
		{Lower: -model.MaxSum, Upper: 0, Size: 2}, {Lower: 0, Upper: model.MaxSum, Size: 1},
	}}
	if diff := cmp.Diff("█████▄▄▄▄▄", sparkline(extreme, 10)); diff != "" {
		t.Error(diff)
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
