package cheader

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// Idea: firmware has no files, so the model is a constant array in flash. The array is const, since it would be
// copied to RAM otherwise. It begins at a multiple of 16, as readers of flatbuffers expect. The text is valid C++11
// and C99, and needs no header: names have the linkage of C. In C++ a constant is local to its file unless it is
// declared first, so each is.

// arrayAlignment is what the array begins at a multiple of: the largest alignment of data in a TensorFlow Lite model.
const arrayAlignment = 16

// HashOf returns the beginning of the SHA-256 of a model, 12 hexadecimal digits, to identify the model in comments.
func HashOf(model []byte) string {
	sum := sha256.Sum256(model)
	return hex.EncodeToString(sum[:6])
}

// declare writes what the header and the array's own file say of it.
func (r *Runtime) declare(w io.Writer, prefix string) {
	fmt.Fprintf(w, "extern const unsigned char %[1]s_model_data[%[2]d];\n"+
		"extern const unsigned long %[1]s_model_data_size;\n", prefix, max(1, r.Model))
	for i := range r.Arenas {
		fmt.Fprintf(w, "extern const unsigned long %s;\n", r.name(prefix, &r.Arenas[i]))
	}
}

// WriteArray writes a model as a constant array in C++ or C. The file defines prefix_model_data, its size
// prefix_model_data_size, and prefix_tensor_arena_size_… for each size of the runtime's arena, with the value of the
// macro in the header. name is Plan.Name, which gives the prefix. r must not be nil; its Model and Hash are ignored,
// because they follow from data. The error is w's.
func WriteArray(w io.Writer, name string, data []byte, r *Runtime) error {
	b := bufio.NewWriter(w)
	of := *r
	of.Model, of.Hash = int64(len(data)), HashOf(data)
	prefix := prefixOf(name)
	fmt.Fprintf(b, "/* The model %s with its plan, by stowage. Bytes: %d. Its SHA-256 begins with %s. */\n\n",
		comment(name), of.Model, of.Hash)
	b.WriteString("#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n")
	of.declare(b, prefix)
	fmt.Fprintf(b, "\nconst unsigned long %s_model_data_size = %d;\n\n", prefix, of.Model)
	fmt.Fprintf(b, "/* %s%s */\n", of.about("\n * "), of.note("\n * "))
	for i := range of.Arenas {
		a := &of.Arenas[i]
		fmt.Fprintf(b, "const unsigned long %s = %d; /* %s */\n", of.name(prefix, a), a.Bytes, a.About)
	}
	b.WriteByte('\n')
	aligned(b, arrayAlignment)
	fmt.Fprintf(b, "const unsigned char %s_model_data[%d] = {", prefix, max(1, of.Model))
	if len(data) == 0 {
		b.WriteString("0")
	}
	const digits, row = "0123456789abcdef", 16
	for i, c := range data {
		if i%row == 0 {
			b.WriteString("\n\t")
		}
		b.Write([]byte{'0', 'x', digits[c>>4], digits[c&15], ','})
	}
	b.WriteString("\n};\n\n#ifdef __cplusplus\n}\n#endif\n")
	return b.Flush()
}
