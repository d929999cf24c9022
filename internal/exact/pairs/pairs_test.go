package pairs

import (
	"context"

	"github.com/stowage-go/stowage/internal/run"
)

// watch never ends.
var watch = run.NewWatch(context.Background())

// ended returns a watch that is over.
func ended() *run.Watch {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return run.NewWatch(ctx)
}
