package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/graph"
)

// permitNames are the values of --permits.
var permitNames = []string{graph.AllPermits.String(), graph.InPlace.String(), graph.NoPermits.String()}

// graphFlags say how a graph is planned.
type graphFlags struct {
	reorder bool
	permits string
}

// bind defines the flags on a command.
func (g *graphFlags) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&g.reorder, "reorder", false, "look for the order of operators with the lowest plan")
	f.StringVar(&g.permits, "permits", permitNames[0], "which permits of a graph count: `KIND` all, in-place or none")
	group(cmd, modelSection, "reorder", "permits")
	complete(cmd, "permits", func() []string { return permitNames })
}

// kind returns which permits count.
func (g *graphFlags) kind() (graph.Permits, error) {
	if at := slices.Index(permitNames, g.permits); at >= 0 {
		return graph.Permits(at), nil
	}
	return 0, usagef("invalid argument %q for --permits: must be one of %s", g.permits, strings.Join(permitNames, ", "))
}
