module github.com/stowage-go/stowage/render/print

go 1.26.0

require github.com/stowage-go/stowage v0.3.0

require (
	github.com/signintech/gopdf v0.33.0
	golang.org/x/image v0.47.0
)

require (
	github.com/phpdave11/gofpdi v1.0.14-0.20211212211723-1f10f9844311 // indirect
	github.com/pkg/errors v0.8.1 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)
