// Package tflm plans the arena of a TensorFlow Lite model for TensorFlow Lite
// Micro, says what the runtime's own planner makes of it, and checks offline
// plans.
//
// Sources: tensorflow/tflite-micro 90b983c, and its interpreter.
package tflm

import _ "embed"

// Probe is a C++ header: a memory planner that prints what a runtime asks for,
// its kernels' scratch included. tflite.ReadLog reads what it prints.
//
//go:embed stowage_probe.h
var Probe string
