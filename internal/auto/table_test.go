package auto

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTable holds the table of docs/planners/auto.md against classes. Rows that the page words alike are one row there.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("../../docs/planners/auto.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| buffers | peak |")
	table, _, _ = strings.Cut(table, "\n\n")
	lines := strings.Split(table, "\n")
	var got []string
	if len(lines) > 2 {
		got = lines[2:] // the rest of the head, and the rule below it
	}
	want := wantedTable()
	if len(got) != len(want) {
		t.Fatalf("the page has %d rows, want %d:\n%s", len(got), len(want), strings.Join(want, "\n"))
	}
	for k := range want {
		if got[k] != want[k] {
			t.Errorf("row %d is\n%s\nwant\n%s", k+1, got[k], want[k])
		}
	}
}

// wantedTable words classes as the page does.
func wantedTable() (rows []string) {
	from := int64(1)
	for k := range classes {
		c := &classes[k]
		last := k == len(classes)-1
		if !last && c.worded() == classes[k+1].worded() {
			continue
		}
		size := commas(from) + " to " + commas(c.upTo)
		switch {
		case last:
			size = "more"
		case from == 1:
			size = "up to " + commas(c.upTo)
		}
		rows = append(rows, "| "+size+" "+c.worded())
		from = c.upTo + 1
	}
	return rows
}

// worded returns the cells of a row after its size.
func (c *class) worded() string {
	peak := ""
	if c.peak {
		peak = "yes "
	}
	fits := c.fits.worded()
	if c.fits == c.lowest && c.fits != oneRound {
		fits = "the same"
	}
	looks := c.looksWorded()
	if looks != "" {
		looks += " "
	}
	return "| " + peak + "| " + looks + "| " + c.roundWorded() + " | " + c.lowest.worded() + " | " + fits + " |"
}

func (c *class) looksWorded() string {
	var looks []string
	switch {
	case c.mergeLook.usual > 0:
		looks = append(looks, "merge")
	case c.mergeLook.packing > 0:
		looks = append(looks, "merge, if no byte is unused")
	}
	switch part := c.exactLook.part; {
	case part == 0:
	case part < classes[1].exactLook.part:
		looks = append(looks, "exact, longer")
	default:
		looks = append(looks, "exact")
	}
	return strings.Join(looks, ", ")
}

func (c *class) roundWorded() string {
	if c.round&merging != 0 && c.mergeLook.usual == 0 {
		return listed(c.round&^merging) + ", and merge if no byte is unused"
	}
	return listed(c.round)
}

func listed(m members) string {
	return strings.NewReplacer(" ", ", ", "tela", "tela if windows", "beam", "beam if full").Replace(m.names())
}

func (e ending) worded() string {
	return [...]string{
		untilAnswer: "until an answer",
		oneRound:    "one round",
		peakIfClose: "peak if close, else one round",
		peakOnly:    "peak if close",
	}[e]
}

// commas writes a number up to a million with a comma before its thousands.
func commas(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
