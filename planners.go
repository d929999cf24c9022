package stowage

// The planners that need no module but the standard library. Others register
// themselves where they are imported.
import (
	_ "github.com/stowage-go/stowage/internal/boxing"
	_ "github.com/stowage-go/stowage/internal/canonical"
	_ "github.com/stowage-go/stowage/internal/climb"
	_ "github.com/stowage-go/stowage/internal/cp"
	_ "github.com/stowage-go/stowage/internal/framework"
	_ "github.com/stowage-go/stowage/internal/greedy"
	_ "github.com/stowage-go/stowage/internal/portfolio"
	_ "github.com/stowage-go/stowage/internal/rectpack"
	_ "github.com/stowage-go/stowage/internal/tela"
)
