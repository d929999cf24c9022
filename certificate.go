package stowage

import (
	"context"
	"fmt"
	"io"

	"github.com/stowage-go/stowage/internal/certify"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// A Certificate proves that no plan of a problem fits a capacity. VerifyCertificate checks
// it and uses no code of the planners. docs/certificates.md describes the file format.
type Certificate struct {
	// Capacity is a number of bytes: no plan of the problem fits into it.
	Capacity int64
	// Buffers has the buffers that the proof uses, as indices into Problem.Buffers: they
	// alone cannot fit the capacity.
	Buffers []int
	// Cases is the number of cases that the proof distinguishes. It is 1 if the sizes of
	// the buffers of one moment already add up to more than the capacity.
	Cases int

	made *certify.Certificate
}

// Write writes the certificate to w in the format of docs/certificates.md. The error is
// w's.
func (c *Certificate) Write(w io.Writer) error { return c.made.Write(w) }

// Certify makes a certificate that no plan of p fits the capacity, which is o.Capacity,
// or p.Capacity if that is 0. To prove that a plan is the lowest, certify the capacity
// one below its height. To prove a lower bound, certify the capacity one below the bound.
//
// The error is ErrNoCapacity without a capacity. It is ErrNoCertificate if a plan fits, if
// a limit of o or ctx came first, or if the proof needs the windows of gaps, which the
// format cannot express.
//
// Certify uses only Capacity, Timeout, NodeLimit and Seed of o. Timeout covers only the
// search.
func Certify(ctx context.Context, p *Problem, o Options) (*Certificate, error) {
	o = Options{Planner: "exact", Capacity: o.Capacity, NodeLimit: o.NodeLimit, Timeout: o.Timeout, Seed: o.Seed}
	if _, err := prepare(ctx, p, &o, &clock{}); err != nil {
		return nil, err
	}
	if p.Ruled() {
		return nil, noRules("Certify does not take")
	}
	if o.Capacity == 0 {
		return nil, ErrNoCapacity
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	c, err := certify.Make(ctx, p, o.Capacity, o)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, fmt.Errorf("%w for a capacity of %d: a plan fits, a limit came first, or the proof needs the windows of gaps", ErrNoCertificate, o.Capacity)
	}
	made := &Certificate{Capacity: c.Capacity, Cases: c.Cases(), made: c}
	for _, i := range c.Buffers {
		made.Buffers = append(made.Buffers, int(i))
	}
	return made, nil
}

// VerifyCertificate reads a certificate from r and checks it against p. It returns the
// capacity in bytes that the certificate is about: no plan of p fits it, so every plan is
// at least one byte higher. The error is an *InputError if the problem is nil or bad, or
// r is nil. Any other error says what is wrong with the certificate, or is r's.
//
// VerifyCertificate uses no code of the planners.
func VerifyCertificate(p *Problem, r io.Reader) (capacity int64, err error) {
	var issues model.Issues
	if r == nil {
		issues.Say("", "", "there is no certificate: its reader is nil")
	}
	issues.Join(model.Validate(p))
	if err := issues.Err(); err != nil {
		return 0, err
	}
	if p.Ruled() {
		return 0, noRules("VerifyCertificate does not take")
	}
	return verify.Certificate(p, r)
}
