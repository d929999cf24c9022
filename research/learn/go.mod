module github.com/stowage-go/stowage/research/learn

go 1.26.0

require github.com/stowage-go/stowage v0.2.0

require (
	github.com/google/flatbuffers v25.12.19+incompatible // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
