package verify

import (
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/model"
)

// three are buffers of 3, 4 and 5 bytes of which two at a time are live, so 9 are needed.
// By their loads alone no plan is under 9: a stair of two steps needs no questions.
func three() *model.Problem {
	return &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 3},
		{ID: "b b", Lower: 1, Upper: 3, Size: 4},
		{ID: "c", Lower: 2, Upper: 4, Size: 5},
	}}
}

func TestCertificateReads(t *testing.T) {
	const good = "stowage certificate 1\ncapacity 8\nbuffers 2\n\"b b\"\n\"c\"\n.\n"
	for _, tc := range []struct{ name, file, wrong string }{
		{"good", good, ""},
		{"needless questions", strings.Replace(good, "\n.\n", "\n0 4\n.\n1 0\n.\n.\n", 1), ""},
		{"empty", "", "line 1: the certificate ends too soon"},
		{"another version", strings.Replace(good, " 1\n", " 2\n",
			1), `line 3: "stowage certificate 2" is not "stowage certificate 1"`},
		{"no capacity", strings.Replace(good, "capacity 8", "8", 1), `"8" is not a capacity`},
		{"a capacity below 0", strings.Replace(good, "8", "-8", 1), `"-8" is not a capacity`},
		{"a capacity beyond", strings.Replace(good, "8", "9223372036854775807", 1), "is not a capacity"},
		{"too much claimed", strings.Replace(good, "8", "9", 1), "line 6: a case is left open"},
		{"too many buffers", strings.Replace(good, "s 2", "s 4",
			1), `"4" is not a number of buffers from 1 to that of the problem`},
		{"no buffers", strings.Replace(good, "s 2", "s 0", 1), `"0" is not a number`},
		{"an unknown buffer", strings.Replace(good, "b b", "b", 1), `line 4: "b" is not a buffer`},
		{"a buffer twice", strings.Replace(good, `"c"`, `"b b"`,
			1), `line 5: "b b" is not a buffer of the problem, or is named twice`},
		{"a name without quotes", strings.Replace(good, `"c"`, `c`, 1), "line 5: c is not a buffer"},
		{"the wrong buffers", strings.Replace(good, `"b b"`, `"a"`, 1), "line 6: a case is left open"},
		{"no proof", strings.TrimSuffix(good, ".\n"), "line 6: the certificate ends too soon"},
		{"half a proof", strings.Replace(good, "\n.\n", "\n0 4\n.\n", 1), "line 8: the certificate ends too soon"},
		{"more than a proof", good + ".\n", "the file has text after the proof"},
		{"neither question nor end", strings.Replace(good, "\n.\n", "\nx\n", 1), "line 6: \"x\" is neither"},
		{"a buffer beyond", strings.Replace(good, "\n.\n", "\n2 0\n.\n.\n", 1), "is neither"},
		{"a buffer below", strings.Replace(good, "\n.\n", "\n-1 0\n.\n.\n", 1), "is neither"},
		{"an offset below 0", strings.Replace(good, "\n.\n", "\n0 -1\n.\n.\n", 1), "is neither"},
		{"an offset beyond", strings.Replace(good, "\n.\n", "\n0 9223372036854775807\n.\n.\n", 1), "is neither"},
		{"too deep", strings.Replace(good, "\n.\n", "\n"+strings.Repeat("0 4\n", 9), 1), "the cases are nested deeper"},
		{"a line without end", good[:len(good)-2] + strings.Repeat("0", mostLine+1), "token too long"},
	} {
		capacity, err := Certificate(three(), strings.NewReader(tc.file))
		switch {
		case tc.wrong == "" && (err != nil || capacity != 8):
			t.Errorf("%s: %d, %v", tc.name, capacity, err)
		case tc.wrong != "" && (err == nil || capacity != 0 || !strings.Contains(err.Error(), tc.wrong)):
			t.Errorf("%s: %d, %v, want %q", tc.name, capacity, err, tc.wrong)
		}
	}
}

// TestCertificateOfAnother: what is proven of one problem is not of another.
func TestCertificateOfAnother(t *testing.T) {
	const file = "stowage certificate 1\ncapacity 8\nbuffers 2\n\"b b\"\n\"c\"\n.\n"
	p := three()
	p.Buffers[1].Size = 3
	if _, err := Certificate(p, strings.NewReader(file)); err == nil {
		t.Error("accepted where the sum is 8")
	}
	p = three()
	p.Buffers[1].Upper = 2
	if _, err := Certificate(p, strings.NewReader(file)); err == nil {
		t.Error("accepted where they are not live at once")
	}
}

// FuzzCertificate: no file makes the checker accept what a plan refutes, or panic.
func FuzzCertificate(f *testing.F) {
	f.Add("stowage certificate 1\ncapacity 9\nbuffers 2\n\"b b\"\n\"c\"\n0 4\n.\n1 0\n.\n.\n")
	f.Fuzz(func(t *testing.T, file string) {
		if capacity, err := Certificate(three(), strings.NewReader(file)); err == nil && capacity >= 9 {
			t.Errorf("accepted that nothing fits %d", capacity)
		}
	})
}

// mixed has alignments under which bounds creep: a pass of conclusions moves one by bytes,
// if the sizes are of terabytes.
func mixed(rows ...[2]int64) *model.Problem {
	p := new(model.Problem)
	for k, row := range rows {
		p.Buffers = append(p.Buffers,
			model.Buffer{ID: string(rune('a' + k)), Lower: 0, Upper: 1, Size: row[0], Alignment: row[1]})
	}
	return p
}

// TestCertificateCreeps has proofs that took the checker ten seconds and for ever, and one of
// them with a capacity at which a plan fits.
func TestCertificateCreeps(t *testing.T) {
	for _, tc := range []struct {
		problem  *model.Problem
		file     string
		accepted bool
	}{
		{
			mixed([2]int64{1<<31 - 1, 6}, [2]int64{2, 18}, [2]int64{1<<53 + 1, 18}, [2]int64{2, 18}),
			"stowage certificate 1\ncapacity 9007201402224661\nbuffers 4\n\"a\"\n\"b\"\n\"c\"\n\"d\"\n" +
				"1 0\n0 6\n3 2147483664\n.\n.\n.\n2 0\n1 9007199254740996\n.\n.\n.\n",
			true,
		},
		{
			mixed([2]int64{1<<31 - 1, 6}, [2]int64{2, 18}, [2]int64{1<<53 + 1, 18}, [2]int64{2, 18}),
			"stowage certificate 1\ncapacity 9007201402224700\nbuffers 4\n\"a\"\n\"b\"\n\"c\"\n\"d\"\n" +
				"1 0\n0 6\n3 2147483664\n.\n.\n.\n2 0\n1 9007199254740996\n.\n.\n.\n",
			false,
		},
		{
			mixed([2]int64{1 << 53, 64}, [2]int64{10737418245, 18}, [2]int64{2, 4}, [2]int64{17179869192, 1},
				[2]int64{1 << 20, 6}),
			"stowage certificate 1\ncapacity 9007227173077009\nbuffers 5\n\"a\"\n\"b\"\n\"c\"\n\"d\"\n\"e\"\n" +
				"0 0\n3 9007199254740992\n2 9007216434610184\n.\n.\n2 9007199254740992\n3 9007199254740994\n.\n" +
				"1 9007199254740996\n.\n4 9007199254740996\n.\n.\n.\n3 0\n4 17179869192\n.\n.\n1 0\n3 10737418245\n.\n.\n" +
				"4 0\n0 1048576\n3 9007199255789568\n.\n1 9007199255789568\n.\n2 9007199255789568\n.\n.\n" +
				"3 1048576\n.\n2 1048576\n.\n.\n2 0\n.\n.\n",
			true,
		},
	} {
		ended := make(chan error, 1)
		go func() {
			_, err := Certificate(tc.problem, strings.NewReader(tc.file))
			ended <- err
		}()
		select {
		case err := <-ended:
			if tc.accepted != (err == nil) {
				t.Error(err)
			}
		case <-time.After(10 * time.Minute):
			t.Fatal("the checker creeps")
		}
	}
}
