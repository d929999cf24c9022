module github.com/stowage-go/stowage/bindings/c

go 1.26.0

require github.com/stowage-go/stowage v0.3.0
