package html

import (
	"embed"
	"io/fs"
	"sync"

	"github.com/stowage-go/stowage/internal/jsbundle"
)

//go:embed viewer/*.js viewer/style.css viewer/page.html
var assets embed.FS

const folder = "viewer"

// script returns the viewer as one script; it is made once for a process.
var script = sync.OnceValues(func() (string, error) {
	files, err := fs.Sub(assets, folder)
	if err != nil {
		return "", err
	}
	return jsbundle.Script(files, "app")
})
