package stowage

import (
	"context"
	"fmt"
	"io"

	"github.com/stowage-go/stowage/internal/certify"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// A Certificate shows that no plan of a problem fits a capacity. A reader needs to trust
// only VerifyCertificate. docs/certificates.md has its format.
type Certificate struct {
	// Capacity is the number of bytes that no plan fits.
	Capacity int64
	// Buffers are indices into Problem.Buffers of those that it takes: they
	// cannot fit by themselves.
	Buffers []int
	// Cases is the number of cases that the proof tells apart; 1 where there is
	// nothing to ask, as the buffers of one moment do not fit by their sizes.
	Cases int

	made *certify.Certificate
}

// Write writes the certificate as a file.
func (c *Certificate) Write(w io.Writer) error { return c.made.Write(w) }

// Certify makes a certificate that no plan of p fits the capacity (o.Capacity, or else
// p.Capacity). If the capacity is one below the height of a plan, the certificate shows
// that the plan is the lowest. If it is one below a result's lower bound, it shows that
// bound, whichever planner found it. The error is ErrNoCertificate if a limit of o or ctx
// came first, if a plan fits, or if windows keep the proof from being written down.
//
// The capacity, the limits and the seed of o count. The timeout is for the search.
func Certify(ctx context.Context, p *Problem, o Options) (*Certificate, error) {
	o = Options{Planner: "exact", Capacity: o.Capacity, NodeLimit: o.NodeLimit, Timeout: o.Timeout, Seed: o.Seed}
	if _, err := prepare(ctx, p, &o, &clock{}); err != nil {
		return nil, err
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
		return nil, fmt.Errorf("%w for a capacity of %d: a plan fits, a limit came first, or the proof is in windows", ErrNoCertificate, o.Capacity)
	}
	made := &Certificate{Capacity: c.Capacity, Cases: c.Cases(), made: c}
	for _, i := range c.Buffers {
		made.Buffers = append(made.Buffers, int(i))
	}
	return made, nil
}

// VerifyCertificate reads a certificate and checks it against the problem, independently of
// the planners. It returns the capacity that no plan of p fits; so every plan of p is
// higher than that. The error is an *InputError if the problem is nil or bad or the reader
// is nil. Otherwise it says what is wrong with the certificate.
func VerifyCertificate(p *Problem, r io.Reader) (capacity int64, err error) {
	var issues model.Issues
	if r == nil {
		issues.Say("", "", "there is no certificate: its reader is nil")
	}
	issues.Join(model.Validate(p))
	if err := issues.Err(); err != nil {
		return 0, err
	}
	return verify.Certificate(p, r)
}
