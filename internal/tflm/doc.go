// Package tflm plans the arena of a TensorFlow Lite model for TensorFlow Lite
// Micro, says what the runtime itself would do with it and what the smallest
// arena is that works, and checks offline plans.
package tflm
