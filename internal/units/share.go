package units

import (
	"math/big"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// ParseShare reads a share such as 110% or 102.5%, exactly: 11/10. It has at most 9 digits before the point and after
// it, and must be above 0. ok is false for any other text.
func ParseShare(text string) (share *big.Rat, ok bool) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	digits = strings.TrimSpace(digits)
	whole, part, point := strings.Cut(digits, ".")
	if !percent || !areDigits(whole) || point && !areDigits(part) {
		return nil, false
	}
	share, _ = new(big.Rat).SetString(digits)
	return share.Quo(share, big.NewRat(100, 1)), share.Sign() > 0
}

// areDigits reports whether a text is 1 to 9 digits.
func areDigits(text string) bool {
	return text != "" && len(text) <= 9 && strings.Trim(text, "0123456789") == ""
}

// ShareOf returns a share of a load as a capacity in bytes, the least one that is not below it: at least 1, and at most
// model.MaxSum.
//
//	ShareOf(105%, 10) = 11
func ShareOf(share *big.Rat, load int64) int64 {
	bytes := new(big.Rat).Mul(share, new(big.Rat).SetInt64(load))
	up := new(big.Int).Add(bytes.Num(), new(big.Int).Sub(bytes.Denom(), big.NewInt(1)))
	up.Quo(up, bytes.Denom())
	if !up.IsInt64() || up.Int64() > model.MaxSum {
		return model.MaxSum
	}
	return max(up.Int64(), 1)
}
