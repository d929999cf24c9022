package units

import (
	"math/bits"
	"strconv"
)

// Binary has the names of the powers of 1,024, each at its exponent: KiB is Binary[1].
var Binary = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// Short writes v in the largest binary unit, exactly or to three significant digits; "" if v is under 1 KiB.
func Short(v int64) string {
	k := (bits.Len64(uint64(v)) - 1) / 10
	if v < 1024 {
		return ""
	}
	whole, rest := v>>(10*k), v&(1<<(10*k)-1)
	if rest == 0 {
		return strconv.FormatInt(whole, 10) + " " + Binary[k]
	}
	x := float64(v) / float64(int64(1)<<(10*k))
	decimals := 2
	if x >= 100 {
		decimals = 0
	} else if x >= 10 {
		decimals = 1
	}
	return "≈ " + strconv.FormatFloat(x, 'f', decimals, 64) + " " + Binary[k]
}
