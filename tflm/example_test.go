package tflm_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/tflm"
)

// A model is planned for the reference kernels, and the arena that firmware must reserve is
// printed with the runtime's own plan and with the new one.
func ExampleMake() {
	data, err := os.ReadFile("../examples/tiny.tflite")
	if err != nil {
		log.Fatal(err)
	}
	m, err := tflite.Parse(data, "tiny.tflite")
	if err != nil {
		log.Fatal(err)
	}
	plan, err := tflm.Make(context.Background(), m, tflm.Options{Scratch: tflm.Reference(m)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("head: %d bytes, then %d\n", plan.Before, plan.Head)
	for _, s := range plan.Sizes() {
		fmt.Printf("%s: %d bytes, then %d\n", s.Target.Name, s.Before.Smallest, s.After.Smallest)
	}
	// Output:
	// head: 2560 bytes, then 2048
	// 32 bit: 3680 bytes, then 3168
	// 64 bit: 4256 bytes, then 3744
	// Python: 4496 bytes, then 3984
}
