package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/model"
)

// writeCertificate writes a certificate of what a result claims: that no plan fits the capacity, or that no plan is
// lower than the bound. An interrupt ends it as it ends the search.
func (s *solveFlags) writeCertificate(ctx context.Context, cmd *cobra.Command, p *stowage.Problem,
	r *stowage.Result,
) error {
	o, err := s.options()
	if err != nil {
		return err
	}
	o.Capacity = r.LowerBound - 1
	if r.Status == stowage.Infeasible {
		if o.Capacity = max(o.Capacity, p.Capacity); p.Capacity == 0 {
			o.Capacity = model.MaxSum // fixed offsets collide, whatever the capacity
		}
	}
	if o.Capacity <= 0 {
		return outputError{s.certificate, errors.New("there is nothing to certify: no lower bound is above 1")}
	}
	c, err := stowage.Certify(ctx, p, o)
	if err != nil {
		return outputError{s.certificate, err}
	}
	if err := writeTo(cmd, s.certificate, c.Write); err != nil {
		return err
	}
	if !s.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "certificate: no plan fits %d, from %s and %s\n", c.Capacity,
			count(len(c.Buffers), "buffer"), count(c.Cases, "case"))
	}
	return nil
}

// readCertificate checks a certificate against the problem, and returns the capacity that it proves to be too small.
func readCertificate(path string, p *stowage.Problem) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	capacity, err := stowage.VerifyCertificate(p, f)
	if err != nil {
		return 0, fmt.Errorf("%s: the certificate proves nothing: %w", path, err)
	}
	return capacity, nil
}

// verifyCertificate runs 'stowage verify' on a certificate if there is no plan to verify.
func verifyCertificate(cmd *cobra.Command, certificate, path string, m *modelFlags, capacity size, quiet bool) error {
	f, err := readProblem(path, capacity, false, m)
	if err != nil {
		return err
	}
	proven, err := readCertificate(certificate, f.Problem)
	if err != nil || quiet {
		return err
	}
	return writeTo(cmd, "", func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "proven: no plan fits %d, %s\n", proven, count(len(f.Problem.Buffers), "buffer"))
		return err
	})
}
