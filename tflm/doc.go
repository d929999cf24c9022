// Package tflm plans the arena of a TensorFlow Lite model for TensorFlow Lite Micro, computes the plan that the
// runtime's own planner makes, and checks offline plans.
//
//   - Make plans a model that tflite.Read or tflite.Parse has read. Plan.Sizes has the arena of
//     each Target, Plan.Peak what sets it, and Plan.Written the model with the plan.
//   - Check finds what is wrong with the offline plan of a model.
//   - Predict returns the smallest arena for any head on any target.
//   - Reference returns the scratch of the reference kernels, for Options.Scratch.
//     Probe prints what the kernels of a device ask for.
//
// The arena has two ends. The head, at the bottom, has the tensors and the scratch of kernels, which share bytes over
// time: it is what is planned. The tail, at the top, has what lives as long as the interpreter.
//
// Sources: tensorflow/tflite-micro 90b983c, and its interpreter.
package tflm

import _ "embed"

// Probe is a C++ header: a memory planner that prints what a runtime asks for,
// its kernels' scratch included. tflite.ReadLog reads what it prints.
//
//go:embed stowage_probe.h
var Probe string
