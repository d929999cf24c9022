package certify_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// script is the checker in Python.
const script = "../../examples/check_certificate.py"

// pythonOf returns a Python that runs the script, or skips the test.
func pythonOf(t *testing.T) string {
	t.Helper()
	python := os.Getenv("STOWAGE_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import sys; sys.exit(sys.version_info < (3, 9))").Run(); err != nil {
		t.Skip("no Python from 3.9 on (python3)")
	}
	return python
}

// A readBuffer is a buffer as the script reads it.
type readBuffer struct {
	ID                        string
	Lower, Upper, Size, Align int64
	Fixed, Hint               *int64
	Gaps                      [][]int64 // lower, upper, and perhaps the window
}

// readByScript returns what the script reads in each text, nil for what it refuses.
func readByScript(t *testing.T, texts [][]byte) [][]readBuffer {
	t.Helper()
	const driver = `
import base64, csv, importlib.util, json, sys
spec = importlib.util.spec_from_file_location("script", sys.argv[1])
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)
def read(data):
    try:
        found = script.read(base64.b64decode(data))
    except (script.Refused, ValueError, csv.Error):
        return None
    return [dict(id=b.id, lower=b.lower, upper=b.upper, size=b.size, align=b.align, fixed=b.fixed, hint=b.hint,
                 gaps=[[lower, upper, *(window or ())] for lower, upper, window in b.gaps]) for b in found.values()]
json.dump([read(data) for data in json.load(sys.stdin)], sys.stdout)
`
	in, err := json.Marshal(texts) // in base64
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(pythonOf(t), "-c", driver, script)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		t.Fatalf("%v\n%s", err, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	var read [][]readBuffer
	must.Do(t, json.Unmarshal(out, &read))
	return read
}

// readByStowage returns what Stowage reads in a text, nil for what it refuses.
func readByStowage(text []byte) []readBuffer {
	p, err := csv.Read(bytes.NewReader(text), "x.csv")
	if err != nil {
		return nil
	}
	list := []readBuffer{}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		one := readBuffer{b.ID, b.Lower, b.Upper, b.Size, b.Align(), b.Fixed, b.Hint, [][]int64{}}
		for _, g := range b.Gaps {
			gap := []int64{g.Lower, g.Upper}
			if g.Window != nil {
				gap = append(gap, g.Window.Lower, g.Window.Upper)
			}
			one.Gaps = append(one.Gaps, gap)
		}
		list = append(list, one)
	}
	return list
}

// spellings are texts for a field, its middle, its ends and between lines: other ways to write a number, and
// characters that one of two readers may overlook.
var spellings = []string{
	" ", "  ", "\t", "\r", "\n", "\r\n", "\v", "\f", "\x00", "\x1c", "\x1f", "\u0085", "\u00a0", "\u2003", "\u2028",
	"\u200b", "\ufeff", "\u3000",
	"\"", "\"\"", "'", "#", ",", ";", "=", "sep=;\n", "# x\n", ",,,\n", "-", "--", "+", "_", ".", ".0", ".000", "e0",
	"e1", "E+01", "k", "KiB", "MB", "B", "@", ":", "0", "00", "1", "-1", "-01", "-1.0", "-0", " -1",
	"0x1", "1_0", "nan", "inf", "None", "true", "\u0661", "\uff11", "\u00b2", "\u0967", "\u2212", "\U0001d7ce",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "2305843009213693952",
	"99999999999999999999",
	"1-2", "2-1", "1-2@0:1", "1-2 ", "\xff", "\xc3", "\xed\xa0\x80",
}

// headers are names of columns. Stowage knows some of them.
var headers = []string{
	"id", "ID", "Id", " id", "id ", "buffer", "buffer_id", "name", "lower", "Lower", "start", "begin", "upper",
	"UPPER", "end", "stop", "size", "Size", "bytes",
	"alignment", "Alignment", "align", "gaps", "Gaps", "GAPS", " gaps", "gaps ", "gap", "hint", "offset", "Offset",
	"fixed", "op", "", " ", "\"gaps \"", "\ufeffid", "gap\u017f", "\u0131d", "s\u0131ze",
}

// drawText writes a problem as CSV, with the columns in any order and some spelt oddly.
func drawText(r *rand.Rand, p *model.Problem) []byte {
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	var b bytes.Buffer
	_ = csv.Write(&b, p, nil) // into memory: no error
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	var table [][]string
	for _, line := range lines {
		table = append(table, strings.Split(line, ","))
	}
	for _, row := range table {
		if table[0][0] == "id" && len(row) != len(table[0]) {
			return b.Bytes() // a name with a comma
		}
	}
	order := r.Perm(len(table[0]))
	for k, row := range table {
		shuffled := make([]string, len(row))
		for to, from := range order {
			shuffled[to] = row[from]
		}
		table[k] = shuffled
	}
	end := "\n"
	for range r.IntN(3) {
		k := r.IntN(len(table))
		if r.IntN(3) == 0 {
			k = 0
		}
		if len(table[k]) == 0 {
			continue
		}
		field := &table[k][r.IntN(len(table[k]))]
		at := r.IntN(len(*field) + 1)
		switch r.IntN(10) {
		case 0:
			*field = pick(spellings)
		case 1:
			*field += pick(spellings)
		case 2:
			*field = pick(spellings) + *field
		case 3:
			*field = (*field)[:at] + pick(spellings) + (*field)[at:]
		case 4:
			*field = `"` + *field + `"`
		case 5:
			if k == 0 {
				*field = pick(headers)
			}
		case 6: // one more column, or one twice
			name := pick(headers)
			for k := range table {
				more := pick(spellings)
				if k == 0 {
					more = name
				} else if r.IntN(2) == 0 {
					more = ""
				}
				table[k] = append(table[k], more)
			}
		case 7:
			table = slices.Insert(table, r.IntN(len(table)+1), []string{pick(spellings)})
		case 8:
			end = pick([]string{"\n", "\r\n", "\r", "\n\r", "\n\n", "\u2028", "\v"})
		case 9:
			words := strings.Fields(*field)
			r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
			*field = strings.Join(words, pick([]string{" ", "  ", "\t", ",", ";", "\u00a0"}))
		}
	}
	for k := range table {
		lines = append(lines[:k], strings.Join(table[k], ","))
	}
	text := strings.Join(lines, end)
	if r.IntN(2) == 0 {
		text += end
	}
	return []byte(text)
}

// TestScriptReads draws files in odd spellings and demands that the checker in Python reads
// each as Stowage does, or refuses it.
func TestScriptReads(t *testing.T) {
	n := plantest.Share(60_000, 20_000, 6_000)
	var texts [][]byte
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 21))
		texts = append(texts, drawText(r, drawn.Wide(seed)))
	}
	taken, refused, lost := 0, 0, 0
	for k, got := range readByScript(t, texts) {
		want := readByStowage(texts[k])
		switch {
		case got == nil && want != nil:
			lost++
		case got == nil:
			refused++
		default:
			taken++
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q: the script reads something else: %s", texts[k], diff)
			}
		}
	}
	t.Logf("%d read alike, %d refused by both, %d by the script alone", taken, refused, lost)
	if taken < n/5 || refused < n/20 || lost < n/20 {
		t.Errorf("one-sided: %d read alike, %d refused by both, %d by the script alone", taken, refused, lost)
	}
}

// TestScriptRefuses: certificates that are false for files as Stowage reads them are refused.
func TestScriptRefuses(t *testing.T) {
	python := pythonOf(t)
	dir := t.TempDir()
	args := []string{script}
	for name, tc := range map[string]struct{ table, proof string }{
		"space":     {"id,lower,upper,size,offset\na,0,2,4, -1\n", `1000000000/"a"`},
		"zero":      {"id,lower,upper,size,offset\na,0,2,4,-01\n", `1000000000/"a"`},
		"fraction":  {"id,lower,upper,size,offset\na,0,2,4,-1.0\n", `1000000000/"a"`},
		"Gaps":      {"id,lower,upper,size,Gaps\na,0,6,4,2-4\nb,2,4,4,\n", `7/"a"/"b"`},
		"GAPS":      {"id,lower,upper,size,GAPS\na,0,6,4,2-4\nb,2,4,4,\n", `7/"a"/"b"`},
		"space gap": {"id,lower,upper,size, gaps\na,0,6,4,2-4\nb,2,4,4,\n", `7/"a"/"b"`},
		"gap space": {"id,lower,upper,size,\"gaps \"\na,0,6,4,2-4\nb,2,4,4,\n", `7/"a"/"b"`},
		"unsorted":  {"id,lower,upper,size,gaps\na,0,9,4,5-6 2-4\nb,2,4,4,\n", `7/"a"/"b"`},
		"alignment": {"id,lower,upper,size,alignment\na,0,9,4,0\n", `7/"a"`},
		"negative":  {"id,lower,upper,size,alignment\na,0,9,4,-1\n", `7/"a"`},
		"twice":     {"id,lower,upper,size,gaps,gaps\na,0,6,4,2-4,\nb,2,4,4,,\n", `7/"a"/"b"`},
		"gap":       {"id,lower,upper,size,gap\na,0,6,4,2-4\nb,2,4,4,\n", `7/"a"/"b"`},
		"inclusive": {"id,lower,end,size\na,0,2,4\nb,3,5,4\n", `7/"a"/"b"`},
		"comment":   {"id,lower,upper,size\n#a,0\nb,0,3,4\n", `3/"b"`},
		"digits":    {"id,lower,upper,size\na,0,3,\u0661\u0662\n", `11/"a"`},
		"bytes":     {"id,lower,upper,size\n\xff,0,3,12\n", `11/"a"`},
		"low line":  {"id,lower,upper,size\na,0,3,1_0\n", `9/"a"`},
		"number":    {"id,lower,upper,size\na,0,3,9\n", `+8/"a"`},
	} {
		path := filepath.Join(dir, name)
		parts := strings.Split(tc.proof, "/")
		proof := "stowage certificate 1\ncapacity " + parts[0] + "\nbuffers " + strconv.Itoa(len(parts)-1) + "\n" +
			strings.Join(parts[1:], "\n") + "\n.\n"
		for suffix, text := range map[string]string{".csv": tc.table, ".txt": proof} {
			must.Do(t, os.WriteFile(path+suffix, []byte(text), 0o600))
		}
		args = append(args, path+".csv", path+".txt")
	}
	// A name that Stowage would take for another format.
	json, proof := filepath.Join(dir, "x.json"), filepath.Join(dir, "x.txt")
	for path, text := range map[string]string{
		json: "id,lower,upper,size\na,0,3,9\n", proof: "stowage certificate 1\ncapacity 8\nbuffers 1\n\"a\"\n.\n",
	} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	}
	args = append(args, json, proof)
	out, _ := exec.Command(python, args...).CombinedOutput() // the output says how it went
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(args)/2 {
		t.Fatalf("%d answers for %d questions:\n%s", len(lines), len(args)/2, out)
	}
	for _, line := range lines {
		if !strings.Contains(line, ": refused: ") {
			t.Error(line)
		}
	}
	// One file without its proof is a slip, not an answer.
	err := exec.Command(python, script, json).Run()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("one file alone: %v", err)
	}
}
