package main

import "github.com/spf13/cobra"

// Idea: what several commands share is said once, in a topic of the help, and their own help
// names the topic. A topic is a command that does nothing: help prints its text, and man writes
// a page of it.

// formatsHelp is what commands say of the files that they read.
const formatsHelp = "'stowage help formats' says which files are read and written, and has the flags for models and dumps."

// newFormats returns the topic of files.
func newFormats() *cobra.Command {
	var m modelFlags
	cmd := &cobra.Command{
		Use:   "formats",
		Short: "The files that are read, and the flags for models",
		Long: `A file is known by its extension, and otherwise by its content. INPUT may be - for standard input, and any file may be packed with gzip.

CSV (.csv): the header names the columns, in any order.

  id         the buffer's name; without it, buffers are numbered from 0
  lower      first time slot of the lifespan; also start or begin
  upper      first time slot after the lifespan; end in its place is inclusive
  size       bytes; units are read, such as 1.5MiB
  alignment  optional; the offset is a multiple of it
  gaps       optional; times without use, such as "3-5 8-9", or 3-5@0:64
             if bytes 0 to 63 stay in use
  offset     optional; fixes the buffer's place, -1 for none
  hint       optional; a place to try first, -1 for none

JSON (.json): {"buffers": [{"lower": 0, "upper": 4, "size": 64}]}, or the list of buffers alone, with the same names.

A plan file that is read as a problem: an offset in CSV, or the key offset of a buffer in JSON, fixes that buffer's place. A CSV file that solve wrote fixes every buffer, and a warning says so, as [pinned]. The key plan of a JSON file fixes nothing and is not used; solve notes that as [plan-unused].

Models (.tflite, .onnx): the problem is that of the model's arena. The flags below settle what an ONNX model leaves open. If anything is still open, the error names it.

Dumps: of XLA (.pb, or NAME-buffer-assignment.txt), of IREE (.mlir), of PyTorch's allocator for CUDA (.pickle), or code that Inductor generated (.py). The problem is that of one heap. XLA and Inductor also record their own plan: show draws it, and verify checks it.`,
	}
	m.bind(cmd)
	return cmd
}
