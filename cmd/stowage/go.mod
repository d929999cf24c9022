module github.com/stowage-go/stowage/cmd/stowage

go 1.26.0

require github.com/stowage-go/stowage v0.3.0

require github.com/jedib0t/go-pretty/v6 v6.8.3

require github.com/rogpeppe/go-internal v1.16.0

require (
	github.com/signintech/gopdf v0.33.0
	github.com/spf13/cobra v1.10.2
	golang.org/x/image v0.47.0
)

require github.com/google/go-cmp v0.7.0

require golang.org/x/term v0.46.0

require golang.org/x/text v0.43.0 // indirect

require (
	github.com/spf13/pflag v1.0.10
	go.uber.org/goleak v1.3.0
	golang.org/x/sys v0.49.0 // indirect
	pgregory.net/rapid v1.3.0
)

require (
	github.com/bmatcuk/doublestar/v4 v4.10.0 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/google/flatbuffers v25.12.19+incompatible // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/mattn/go-runewidth v0.0.21 // indirect
	github.com/phpdave11/gofpdi v1.0.14-0.20211212211723-1f10f9844311 // indirect
	github.com/pkg/errors v0.8.1 // indirect
	golang.org/x/tools v0.51.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
