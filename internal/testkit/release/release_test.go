package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/built"
)

// TestArchives writes the same entries in two orders, from files of two times: the
// bytes are the same, and names, modes and contents come back.
func TestArchives(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"stowage": "a program", "docs/b.txt": "text", "docs/a.txt": strings.Repeat("more text\n", 1000),
	}
	entries := []entry{{"stowage", filepath.Join(dir, "stowage"), true}}
	write := func(when time.Time) {
		for name, text := range files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, when, when); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(time.Now())
	a := archive{"folder", entries}
	if err := a.add("docs", filepath.Join(dir, "docs")); err != nil || len(a.entries) != 3 {
		t.Fatalf("%v, %v", a.entries, err)
	}
	b := archive{"folder", slices.Clone(a.entries)}
	slices.Reverse(b.entries)
	made := func(a archive, kind func(*archive, string) error) []byte {
		path := filepath.Join(dir, "archive")
		if err := kind(&a, path); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	tarred, zipped := made(a, (*archive).tar), made(a, (*archive).zip)
	write(time.Unix(1e9, 0))
	if !bytes.Equal(tarred, made(b, (*archive).tar)) || !bytes.Equal(zipped, made(b, (*archive).zip)) {
		t.Error("other bytes for the same files")
	}

	z, err := gzip.NewReader(bytes.NewReader(tarred))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		check(t, files, h.Name, h.Mode, r)
		names = append(names, h.Name)
	}
	r, err := zip.NewReader(bytes.NewReader(zipped), int64(len(zipped)))
	if err != nil {
		t.Fatal(err)
	}
	for k, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		check(t, files, f.Name, int64(f.Mode()), in)
		if len(r.File) != 3 || f.Name != names[k] {
			t.Errorf("the entries are %v", names)
		}
	}
}

// check holds an entry against the file that it is of.
func check(t *testing.T, files map[string]string, name string, mode int64, r io.Reader) {
	t.Helper()
	data, err := io.ReadAll(r)
	short := strings.TrimPrefix(name, "folder/")
	want := int64(0o644)
	if short == "stowage" {
		want = 0o755
	}
	if err != nil || short == name || string(data) != files[short] || mode != want {
		t.Errorf("%s: mode %o, %d bytes, %v", name, mode, len(data), err)
	}
}

func TestMain(m *testing.M) { built.Main(m) }

// TestSBOM lists what the command is made of.
func TestSBOM(t *testing.T) {
	path := built.Command(t)
	r := release{version: "9.8.7", out: t.TempDir(), binaries: []string{path, path}}
	if err := r.sbom(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(r.out, "stowage-9.8.7.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var b bom
	if err := json.Unmarshal(data, &b); err != nil {
		t.Fatal(err)
	}
	var urls []string
	for _, c := range b.Components {
		urls = append(urls, c.PURL)
	}
	if b.Format != "CycloneDX" || b.Metadata.Component.Version != "9.8.7" || len(urls) < 2 || !slices.IsSorted(urls) ||
		!strings.Contains(strings.Join(urls, "\n"), "pkg:golang/std@1.") ||
		!strings.Contains(strings.Join(urls, "\n"), "pkg:golang/github.com/spf13/cobra@v1.") ||
		len(slices.Compact(slices.Clone(urls))) != len(urls) {
		t.Errorf("%s", data)
	}
}

// TestChecksums lists the files of a release.
func TestChecksums(t *testing.T) {
	r := release{out: t.TempDir()}
	if err := os.WriteFile(r.path("a"), []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.checksums(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(r.path("SHA256SUMS"))
	if want := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n"; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}
