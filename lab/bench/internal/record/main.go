package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/stowage-go/stowage/lab/experiment"
)

// Main runs a benchmark, by its folder's name, until it is done or interrupted. If it has no data it says so, and that
// is no failure; after any other error the process ends with code 1.
func Main(name string, run func(ctx context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch err := run(ctx); {
	case errors.Is(err, experiment.ErrNoData):
		fmt.Println(name, "skipped:", err)
	case err != nil:
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
}
