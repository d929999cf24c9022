package csv

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// bothWays reads the rows of a text by plain, where it takes them, and by buffer, and returns how many plain took. The
// two must agree on each: on the buffer, on where the next row is, and that there is nothing to report.
func bothWays(t *testing.T, text string) (taken, rows int) {
	t.Helper()
	open := func() *table {
		tab, err := open(strings.NewReader(text), "x.csv", []column{lower, upper, size}, true, "")
		if err != nil {
			return nil
		}
		tab.row = 0
		return tab
	}
	quick, slow := open(), open()
	if quick == nil {
		return 0, 0
	}
	columns := quick.plainColumns()
	for ; slow.next(); rows++ {
		var a, b model.Buffer
		var varied []int64
		ok := slow.buffer(rows, &b, &varied)
		if columns != nil && quick.plain(columns, rows, &a) {
			if !ok {
				t.Fatalf("plain takes a row with a fault, at line %d of %q", slow.scan.line, text)
			}
			must.Same(t, b, a)
			must.Same(t, []int{slow.scan.pos, slow.scan.line, slow.scan.nextLine, slow.row},
				[]int{quick.scan.pos, quick.scan.line, quick.scan.nextLine, quick.row})
			must.Same(t, slow.times, quick.times)
			if slow.digit != quick.digit {
				t.Fatalf("%+v, want %+v", quick.digit, slow.digit)
			}
			taken++
			continue
		}
		a = model.Buffer{}
		quick.next()
		quick.buffer(rows, &a, &varied)
		must.Same(t, b, a)
	}
	return taken, rows
}

// TestPlain has tables whose rows are plain, and rows that are not.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		text  string
		taken int
	}{
		{"id,lower,upper,size\na,0,3,4\nb c ,3,9,5\n", 2},
		{"id;start;end;size;alignment\r\na;0;0;4;0\r\nb;3;9;5;64\r\n", 2},
		{"size,upper,lower\n4,3,0\n5,9,3\n", 2},
		{"lower\tupper\tsize\tname\n0\t3\t4\ta,b\n3\t9\t5\t\n", 2},
		{"id,lower,upper,size\na,0,3,4\n\n# no row\nb,3,9,5", 1},        // the last has no end of line
		{"id,lower,upper,size\n\"a\",0,3,4\nb,-3,9,5\nc,0,1,1KiB\n", 0}, // a quote, a sign, a unit
		{"id,lower,upper,size\na,0,3,1234567890123456789\nb,0,3\nc,0,3,4,5\nd,0,3,4,\n,,,\ne,0, 3,4\n", 0},
		{"id,lower,upper,size\na,0,3.5,4\nb,0:1,3:1,4\nc,0,,4\nd,0,3,\ne\r,0,1,1\n", 0},
		{"id,lower,upper,size,alignment\na,0,3,4,\n", 0},
		{"id,lower,upper,size,hint\na,0,3,4,5\n", 0},
		{"id,lower,upper,size,kind\na,0,3,4,x\n", 0},
		{"id,lower,upper,size,\na,0,3,4,\n", 0},
		{"id,lower,upper,size:x,size\na,0,3,4,5\n", 0},
		{"id,lower,upper,size\n#a,0,3,4\n#b\nc,0,3,4\nd,0,3,4\n", 1}, // c is read with the comment above it
		{"id,lower,upper,size\n#b,0,3,4\n", 0},
	} {
		if taken, _ := bothWays(t, c.text); taken != c.taken {
			t.Errorf("%d rows are plain, want %d: %q", taken, c.taken, c.text)
		}
	}
}

// TestPlainBudget: rows without quotes are paid for, too.
func TestPlainBudget(t *testing.T) {
	tab := must.Get(open(strings.NewReader("id,lower,upper,size\na,0,3,4\nb,3,9,5\n"), "x.csv", nil, true, ""))(t)
	tab.row = 0
	tab.text.Spend(tab.text.Most(math.MaxInt, 1) - rowBytes - 1) // room for one row
	if _, _, err := tab.rows(); err == nil || !strings.Contains(err.Error(), "x.csv:3: buffer b: size \"5\": takes more than") {
		t.Errorf("error %v", err)
	}
}

// TestPlainInclusive: the first buffer of one moment is known, as to buffer.
func TestPlainInclusive(t *testing.T) {
	_, _, extra, err := ReadExtra(strings.NewReader("id,start,end,size\na,0,3,4\nb,3,3,5\nc,4,4,5\n"), "x.csv")
	if must.Do(t, err); extra.Times.Point != "b" {
		t.Errorf("the first buffer of one moment is %q", extra.Times.Point)
	}
}

// FuzzPlain compares plain with buffer.
func FuzzPlain(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Add("id,lower,upper,size\na,0,3,4\nb,3,9,5\r\n#c,1,2,3\n")
	f.Add("size;end;start;alignment\n4;3;0;0\n5;9;3;64\n")
	f.Fuzz(func(t *testing.T, text string) { bothWays(t, text) })
}

// TestPlainDrawn compares the two on rows in which one byte was changed.
func TestPlainDrawn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 3000 {
		text := []byte("id,lower,upper,size,alignment\n")
		for k := range 3 {
			text = fmt.Appendf(text, "b%d,%d,%d,%d,%d\n", k, r.Uint64()>>r.IntN(64), r.IntN(9), r.IntN(9), r.IntN(9))
		}
		text[30+r.IntN(len(text)-30)] = ",;\t\n\r\"#:.-+ 019ax"[r.IntN(17)]
		n, _ := bothWays(t, string(text))
		taken += n
	}
	if taken < 3000 {
		t.Errorf("only %d rows are plain", taken)
	}
}

// TestAppendInt compares appendInt with package strconv.
func TestAppendInt(t *testing.T) {
	check := func(v int64) {
		if got, want := string(appendInt([]byte("x"), v)), "x"+strconv.FormatInt(v, 10); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
	for p := int64(1); ; p *= 10 {
		for d := range int64(5) {
			check(p + d - 2)
			check(-p + d - 2)
		}
		if p > math.MaxInt64/10 {
			break
		}
	}
	for k := range 64 {
		check(1<<k - 1)
		check(-1 << k)
	}
	check(math.MaxInt64)
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		check(int64(r.Uint64()) >> r.IntN(64))
	}
}
