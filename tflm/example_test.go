package tflm_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/model"
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
	plan, err := tflm.Make(context.Background(), m, tflm.Options{Scratch: tflm.ReferenceSet.Scratch(m)})
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

// A model is planned in a fast and a slow memory: how much of each is used, and how many bytes move in the slow one.
func ExampleMakeBanks() {
	data, err := os.ReadFile("../examples/tiny.tflite")
	if err != nil {
		log.Fatal(err)
	}
	m, err := tflite.Parse(data, "tiny.tflite")
	if err != nil {
		log.Fatal(err)
	}
	plan, err := tflm.MakeBanks(context.Background(), m, tflm.BankOptions{
		Pools: []model.Pool{{ID: "dtcm", Capacity: 1 << 10}, {ID: "axi", Capacity: 480 << 10}},
		Home:  -1, Scratch: tflm.ReferenceSet.Scratch(m),
	})
	if err != nil {
		log.Fatal(err)
	}
	for k, q := range plan.Pools {
		fmt.Printf("%s: %d bytes used, %d moved\n", q.ID, plan.Used[k], plan.Moved[k])
	}
	fmt.Printf("traffic %d, and at least %d\n", plan.Traffic, plan.Bound)
	// Output:
	// dtcm: 1024 bytes used, 8704 moved
	// axi: 2096 bytes used, 4096 moved
	// traffic 4096, and at least 4096
}
