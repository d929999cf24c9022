//go:build js && wasm

package bridge

import (
	"strconv"
	"syscall/js"
	"unsafe"
)

// Idea: columns are passed as BigInt64Array, and their bytes are copied in one call. Go for
// WebAssembly is little-endian, and so is BigInt64Array there.

// Column returns a column of numbers, or nil if there is none.
func Column(v js.Value) []int64 {
	if v.IsUndefined() || v.IsNull() || v.Length() == 0 {
		return nil
	}
	out := make([]int64, v.Length())
	js.CopyBytesToGo(raw(out), bytesOf(v))
	return out
}

// Array returns a column as a BigInt64Array.
func Array(column []int64) js.Value {
	out := js.Global().Get("BigInt64Array").New(len(column))
	if len(column) > 0 {
		js.CopyBytesToJS(bytesOf(out), raw(column))
	}
	return out
}

// Bytes returns what is in a Uint8Array.
func Bytes(v js.Value) []byte {
	out := make([]byte, v.Length())
	js.CopyBytesToGo(out, v)
	return out
}

// Uint8Array returns bytes.
func Uint8Array(b []byte) js.Value {
	out := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(out, b)
	return out
}

func raw(column []int64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(column))), 8*len(column))
}

func bytesOf(array js.Value) js.Value {
	return js.Global().Get("Uint8Array").New(array.Get("buffer"), array.Get("byteOffset"), array.Get("byteLength"))
}

// Integer returns a whole number, or 0 if there is none. It comes as text, because a number of
// JavaScript cannot hold all of them.
func Integer(v js.Value) int64 {
	if v.IsUndefined() {
		return 0
	}
	n, err := strconv.ParseInt(v.String(), 10, 64)
	if err != nil {
		return -1 // every check refuses it
	}
	return n
}

// Text returns a string, or "" if there is none.
func Text(v js.Value) string {
	if v.IsUndefined() || v.IsNull() {
		return ""
	}
	return v.String()
}

// Digits returns a number as text. JavaScript makes a number or a BigInt of it.
func Digits(n int64) string { return strconv.FormatInt(n, 10) }
