package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

// step runs a command line in a folder of its own, and returns its exit code and what it writes.
func step(t *testing.T, line string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = execute(t.Context(), strings.Fields(line), &o, &e)
	return code, o.String(), e.String()
}

// holds checks that a text has a line for each pattern.
func holds(t *testing.T, text string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile("(?m)" + p).MatchString(text) {
			t.Errorf("there is no %q in\n%s", p, text)
		}
	}
}

// TestCollect collects the same samples twice, with the columns that training reads.
func TestCollect(t *testing.T) {
	t.Chdir(t.TempDir())
	const line = "collect --suite 1:2 --memory 114 --steps 3000 --draws 2 --latest 100 --events 10 --nodes 1000"
	code, out, errs := step(t, line+" -o one.csv")
	if code != 0 || out != "" {
		t.Fatalf("code %d, %q, %q", code, out, errs)
	}
	holds(t, errs, `^[1-9][0-9]* samples from [1-5] of 5 inputs$`)
	one, err := os.ReadFile("one.csv")
	if err != nil {
		t.Fatal(err)
	}
	if _, out, _ = step(t, line); out != string(one) {
		t.Error("the second run gives other samples")
	}
	holds(t, string(one), `^input,event,point,best,minimum,size,.*,score$`)
}

// TestEval measures the model of the planner beside coins, block by block.
func TestEval(t *testing.T) {
	code, out, errs := step(t,
		"eval --suite 1:2,2:3 --kinds pinwheel,tiles:60 --memory 114,120 --steps 500 --all")
	if code != 0 {
		t.Fatalf("code %d: %s", code, errs)
	}
	holds(t, out, `^INPUT +RULES +BACKTRACKS +BACKTRACKS$`, `^pinwheel-50-seed-1@120 +coin 0.05 `, `^seeds 1:2$`,
		`^ +MODEL +COIN 0.05 +COIN 0.1$`, `^all +4 +4 +4$`, `^all together$`, `^all +8 +8 +8$`)
}

// TestContenders measures an oracle and a look-ahead in place of the model, and searches without
// some techniques.
func TestContenders(t *testing.T) {
	code, out, errs := step(t, "eval --suite 1:2 --kinds random,perfect --memory 108 --steps 500 --no-model --coin 0.2"+
		" --look-ahead 50 --oracle 1000 --exact 10000 --without sections --rules-without widening")
	if code != 0 {
		t.Fatalf("code %d: %s", code, errs)
	}
	holds(t, out, `^ +COIN 0.2 +LOOK-AHEAD +ORACLE +EXACT$`, `^all +2 +2 +2 +2$`, `^solved +[0-2] +[0-2] +[0-2] +2$`)
}

// TestMistakes makes each mistake of a command line. The message names it.
func TestMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string]string{
		"":                                    "missing argument",
		"fly":                                 `unexpected argument "fly"`,
		"collect --fly":                       "flag provided but not defined",
		"collect --suite 3:3":                 "must be FROM:TO",
		"collect --suite 1:2 --without none":  "none",
		"eval":                                "no inputs: give files, --suite, or both",
		"eval --suite 1:2 --without none":     "none",
		"eval --suite 1:2 --rules-without no": "no",
		"eval --suite 1:2 --coin 2":           "invalid argument 2 for --coin",
		"eval --suite 1:2 --coin x":           `"x" is no value of it`,
		"eval --suite 1:2 --kinds no-such":    "no-such",
		"eval --suite 0:1 --memory 99":        "invalid argument 99 for --memory",
		"eval --suite 0:1 --model lost.json":  "lost.json",
		"eval lost.csv":                       "lost.csv",
		"train one.csv":                       "train needs -o MODEL",
		"train -o model.json":                 "train needs one file of samples, not 0",
		"train --label x -o m.json one.csv":   "must be stands or paper",
		"train --python no-such-python -o model.json one.csv": "train with no-such-python",
	} {
		code, out, errs := step(t, line)
		if code != 2 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%q: code %d, %q, %q", line, code, out, errs)
		}
		if strings.Count(errs, "not defined") > 1 {
			t.Errorf("%q: the message is there twice: %s", line, errs)
		}
	}
}

// TestUnwritable gives exit code 1 to a file that cannot be written.
func TestUnwritable(t *testing.T) {
	t.Chdir(t.TempDir())
	code, _, errs := step(t, "collect --suite 1:2 --kinds random --memory 114 --steps 10 --draws 1 -o none/one.csv")
	if code != 1 || !strings.Contains(errs, "none/one.csv") {
		t.Errorf("code %d, %q", code, errs)
	}
}

// TestHelp prints the flags of each step.
func TestHelp(t *testing.T) {
	for _, s := range steps {
		code, _, errs := step(t, s.name+" --help")
		if code != 0 {
			t.Errorf("%s: code %d", s.name, code)
		}
		holds(t, errs, `^usage: `+s.name+` `, `^  -without T1,T2|^  -label LABEL`)
	}
}
