module github.com/stowage-go/stowage/bench

go 1.26.0

require github.com/stowage-go/stowage v0.2.0

require github.com/stowage-go/stowage/planner/milp v0.2.0

require github.com/stowage-go/stowage/research/learn v0.2.0

require github.com/google/go-cmp v0.7.0

require github.com/google/pprof v0.0.0-20261016150608-1facf8f91b50

require (
	github.com/google/flatbuffers v25.12.19+incompatible // indirect
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/sys v0.44.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
