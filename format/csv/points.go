package csv

import (
	"fmt"
	"strings"

	"github.com/stowage-go/stowage/format/times"
)

// Idea: times may have fractions, and then all times of the file are multiplied by one power of ten. Which power is
// known only at the end of the file, so such a file is read twice. A time such as 1.250 may also be one thousand two
// hundred and fifty, as some countries write it. Another time of the file usually tells: 0.500 and 2.5 are fractions.
//
// Invariant: the second reading finds no more than the first has found.
//
// Complexity: O(1) for each time. A file of whole numbers is read once.

// points is what is known of the points in the times of a file.
type points struct {
	all int // decimal places by which times are multiplied

	seen    int  // the most decimal places of any time
	clear   bool // a point begins a fraction, as some time shows
	unclear bool // some time may mean thousands
	second  bool // this is the second reading
}

// again reports whether the file has to be read a second time, now with what is known of its points.
func (p *points) again() bool {
	if p.second || !p.clear || p.seen == 0 && !p.unclear {
		return false
	}
	p.all, p.second = p.seen, true
	return true
}

// time reads a time, multiplied as the times of the file are.
func (p *points) time(s string) (int64, string) {
	v, fault := parseInt(s)
	places := 0
	if fault == notInteger || fault == thousands || strings.IndexByte(s, '.') >= 0 && fault == "" {
		if v, places, fault = times.Parse(s); fault != "" {
			return 0, spelled(fault, s) + unitOfTime(fault, s)
		}
		unclear := maybeThousands(trim(s))
		p.unclear = p.unclear || unclear
		p.clear = p.clear || !unclear
		p.seen = max(p.seen, places)
		if unclear && !p.second {
			return 0, fmt.Sprintf("may mean thousands: write it without the point, or as %s0 if it is a fraction", trim(s))
		}
	}
	if fault != "" || p.all == 0 {
		return v, fault
	}
	v, ok := times.Scaled(v, places, p.all)
	if !ok {
		return 0, times.TooFine(p.all)
	}
	return v, ""
}

// maybeThousands reports whether a number is one to three digits, a point and three digits.
func maybeThousands(s string) bool {
	whole, fraction, found := strings.Cut(strings.TrimLeft(s, "+-"), ".")
	return found && len(fraction) == 3 && len(whole) >= 1 && len(whole) <= 3 && whole[0] != '0' &&
		strings.Trim(whole+fraction, "0123456789") == ""
}
