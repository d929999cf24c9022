module github.com/stowage-go/stowage/cmd/stowage

go 1.26.0

require github.com/stowage-go/stowage v0.2.0

require github.com/stowage-go/stowage/planner/milp v0.2.0

require github.com/stowage-go/stowage/research/learn v0.2.0

require github.com/jedib0t/go-pretty/v6 v6.8.3

require github.com/rogpeppe/go-internal v1.16.0

require github.com/spf13/cobra v1.10.2

require github.com/google/go-cmp v0.7.0

require golang.org/x/term v0.29.0

require golang.org/x/text v0.22.0 // indirect

require (
	github.com/spf13/pflag v1.0.9
	go.uber.org/goleak v1.3.0
	golang.org/x/sys v0.44.0 // indirect
	pgregory.net/rapid v1.3.0
)

require (
	github.com/google/flatbuffers v25.12.19+incompatible // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
