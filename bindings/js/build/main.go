// Program build makes the package for npm and the page that plans. It needs only a clone and Go:
//
//	go run ./bindings/js/build            bindings/js/dist: two programs for WebAssembly, Go's support for them, the licence
//	go run ./bindings/js/build -page FILE the page as one file
//	go run ./bindings/js/build -sizes     the same, and a table of sizes, packed and not
//
// The programs are built without paths and build IDs. So the same source and the same Go give the same bytes.
//
// Trials: docs/lab/command.md (Binaryen takes a minute and saves almost nothing of the packed bytes).
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/jsbundle"
	"github.com/stowage-go/stowage/render/html"
)

func main() {
	page := flag.String("page", "", "write the page that plans to `FILE`")
	sizes := flag.Bool("sizes", false, "print the sizes")
	dir := flag.String("npm", "bindings/js", "the `folder` of the package")
	flag.Parse()
	if err := run(*dir, *page, *sizes); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func run(dir, page string, sizes bool) error {
	dist := filepath.Join(dir, "dist")
	if err := os.MkdirAll(dist, 0o777); err != nil {
		return err
	}
	root, err := output("go", "env", "GOROOT")
	if err != nil {
		return err
	}
	root = strings.TrimSpace(root)
	for from, to := range map[string]string{
		filepath.Join(root, "lib", "wasm", "wasm_exec.js"): filepath.Join(dist, "wasm_exec.js"),
		filepath.Join(root, "LICENSE"):                     filepath.Join(dist, "LICENSE-Go"),
		filepath.Join(dir, "..", "..", "LICENSE"):          filepath.Join(dir, "LICENSE"),
	} {
		if err := copyFile(from, to); err != nil {
			return err
		}
	}
	for _, name := range []string{"core", "files"} {
		path := filepath.Join(dist, name+".wasm")
		c := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -buildid=", "-o", path,
			"github.com/stowage-go/stowage/bindings/js/wasm/"+name)
		c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
		c.Stderr = os.Stderr
		if err := c.Run(); err != nil {
			return fmt.Errorf("%s.wasm: %w", name, err)
		}
		if sizes {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Printf("%-12s %9d bytes, %9d with gzip\n", name+".wasm", len(data), len(packed(data)))
		}
	}
	if page == "" {
		return nil
	}
	return writePage(dir, page, sizes)
}

// writePage writes the page, and prints its size.
func writePage(dir, page string, sizes bool) error {
	support, err := os.ReadFile(filepath.Join(dir, "dist", "wasm_exec.js"))
	if err != nil {
		return err
	}
	program, err := os.ReadFile(filepath.Join(dir, "dist", "files.wasm"))
	if err != nil {
		return err
	}
	worker, err := jsbundle.Script(os.DirFS(filepath.Join(dir, "src")), "page")
	if err != nil {
		return err
	}
	p := html.Planner{Worker: string(support) + worker, Wasm: packed(program)}
	if err := format.WriteFile(page, func(w io.Writer) error { return html.WritePlanner(w, p) }); err != nil {
		return err
	}
	if info, err := os.Stat(page); err == nil && sizes {
		fmt.Printf("%-12s %9d bytes\n", filepath.Base(page), info.Size())
	}
	return nil
}

func packed(data []byte) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	z.Write(data) // into memory: no error
	z.Close()
	return b.Bytes()
}

func output(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	return string(out), err
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return format.WriteFile(to, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
