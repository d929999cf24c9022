package cheader

import (
	"bytes"
	_ "embed"
	"io"
	"strconv"
	"strings"
	"sync"
	"text/template"
)

// Idea: a plan that assumes the order of kernels is right or wrong for a given firmware, and the firmware can test it
// once. The file has a function that runs the model without its plan and with it, on the same inputs, and compares
// the outputs.
//
// The model without the plan needs no second array. The array of the planned model ends with the old file, byte for
// byte, so the function only has to know where that begins.

// A Selftest is what a self-test of a plan needs to know.
type Selftest struct {
	// Model is the size in bytes of the model with its plan.
	Model int64
	// Hash is HashOf the model with its plan.
	Hash string
	// Original is where the model without its plan begins in that array, in bytes.
	Original int64
	// Arenas are the sizes that the test needs, one for each target: room for both models.
	Arenas []ArenaSize
	// AtLeast says that these are lower bounds. Their names then end in at_least.
	AtLeast bool
	// Resources is the number of resource variables that the model has.
	Resources int
	// Note says what the plan assumes, in a sentence, for a comment.
	Note string
}

//go:embed selftest.cc.tmpl
var selftestText string

var selftest = sync.OnceValue(func() *template.Template { return template.Must(template.New("selftest").Parse(selftestText)) })

// WriteSelftest writes a self-test in C++11 for firmware with TensorFlow Lite Micro. The file defines prefix_selftest,
// and needs the array that WriteArray writes. name is Plan.Name, which gives the prefix. The error is w's.
func WriteSelftest(w io.Writer, name string, s *Selftest) error {
	type size struct{ Name, About, Bytes string }
	prefix := prefixOf(name)
	var sizes []size
	end := ""
	if s.AtLeast {
		end = "_at_least"
	}
	for _, a := range s.Arenas {
		sizes = append(sizes, size{
			prefix + "_selftest_arena_size_" + strings.ToLower(a.Target) + end, a.About, strconv.FormatInt(a.Bytes, 10),
		})
	}
	var b bytes.Buffer
	err := selftest().Execute(&b, map[string]any{
		"Name": comment(name), "Prefix": prefix, "Model": max(1, s.Model), "Hash": s.Hash, "Original": s.Original,
		"Sizes": sizes, "Resources": s.Resources, "Note": s.Note,
	})
	if err == nil {
		_, err = w.Write(b.Bytes())
	}
	return err
}
