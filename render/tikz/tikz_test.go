package tikz

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/sample"
	"github.com/stowage-go/stowage/model"
)

func draws(t *testing.T, p *model.Problem, offsets []int64, o Options) []byte {
	t.Helper()
	return golden.Written(t, func(w io.Writer) error { return Write(w, p, offsets, o) })
}

func profile(t *testing.T, p *model.Problem, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, WriteProfile(&b, p, o))
	return b.Bytes()
}

func hostile() (*model.Problem, []int64) {
	ids := []string{
		`\input{/etc/passwd}`, `$x^2_i$`, `100% #1 & {`, `}}}`, `~^"'|<>` + "`", "a--b,,c", "?`!`", "日本語",
		"line\nbreak\x00", "bad\xff", `\end{document}`, "two  spaces", "end\\",
	}
	p := &model.Problem{Name: `\undefined{` + "\n\\alsoundefined"}
	offsets := make([]int64, len(ids))
	for i, id := range ids {
		p.Buffers = append(p.Buffers, model.Buffer{ID: id, Lower: int64(i % 2), Upper: int64(i%2) + 1, Size: 8})
		offsets[i] = int64(i/2) * 8
	}
	return p, offsets
}

func TestMedium(t *testing.T) {
	sample.Medium{
		Name: "tikz", Width: 480, Height: 300, Most: 2 << 20, Write: Write, WriteProfile: WriteProfile,
	}.Test(t)
}

func TestGolden(t *testing.T) {
	gapped, random := sample.Gapped(), sample.Random(60, 1)
	golden.File(t, "testdata/paper.tex", draws(t, sample.Paper(), []int64{8, 8, 4, 4, 0}, Options{}))
	golden.File(t, "testdata/gapped.tex", draws(t, gapped, sample.FirstFit(gapped), Options{LowerBound: 250000}))
	golden.File(t, "testdata/profile.tex", profile(t, random, Options{Capacity: 100 << 10}))
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"conv_1/BiasAdd:0": `conv\_1/BiasAdd:0`,
		`\x{y}`:            `\textbackslash{}x\{y\}`,
		"a--b---c,,d":      `a-\kern0pt-b-\kern0pt-\kern0pt-c,\kern0pt,d`,
		"ü😀":               `\stowagechar{FC}\stowagechar{1F600}`,
		"×10¹²":            `$\times$10\textsuperscript{1}\textsuperscript{2}`,
		" a  b":            `\ a \ b`,
		"\ufffd":           "?",
	} {
		if got := escape(in); got != want {
			t.Errorf("escape(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestHostileIDs checks, without TeX, that outside of comments a document is
// ASCII, has balanced braces and knows no command from an ID.
func TestHostileIDs(t *testing.T) {
	p, offsets := hostile()
	for name, document := range map[string][]byte{
		"plan": draws(t, p, offsets, Options{}), "profile": profile(t, p, Options{}),
	} {
		depth := 0
		for n, line := range strings.Split(string(document), "\n") {
			if strings.HasPrefix(line, "%") {
				continue
			}
			for i := 0; i < len(line); i++ {
				switch c := line[i]; {
				case c >= 0x80 || c < 0x20:
					t.Errorf("%s:%d: byte %#x", name, n+1, c)
				case c == '\\':
					i++ // an escaped brace does not count
				case c == '%':
					t.Errorf("%s:%d: a comment within a line: %s", name, n+1, line)
				case c == '{':
					depth++
				case c == '}':
					if depth--; depth < 0 {
						t.Fatalf("%s:%d: unbalanced brace: %s", name, n+1, line)
					}
				}
			}
			for _, command := range []string{`\input`, `\undefined`, `\alsoundefined`} {
				if strings.Contains(line, command) {
					t.Errorf("%s:%d: a command from the input: %s", name, n+1, line)
				}
			}
		}
		if depth != 0 {
			t.Errorf("%s: %d braces stay open", name, depth)
		}
		if got := strings.Count(string(document), "\n\\end{document}"); got != 1 {
			t.Errorf("%s: the document ends %d times", name, got)
		}
	}
}

func TestStylesAreDefined(t *testing.T) {
	p := sample.Gapped()
	offsets := sample.FirstFit(p)
	text := string(draws(t, p, offsets, Options{LowerBound: 250000})) + string(profile(t, p, Options{Capacity: 1 << 16}))
	uses := regexp.MustCompile(`\\(?:swbox|swline|swtext|swup)\{([^}]*)\}`).FindAllStringSubmatch(text, -1)
	if len(uses) < 20 {
		t.Fatalf("%d uses of styles found", len(uses))
	}
	for _, use := range uses {
		for style := range strings.SplitSeq(use[1], ",") {
			if style != "" && style != "#1" && !strings.Contains(text, style+"/.style=") {
				t.Errorf("style %q is not defined", style)
			}
		}
	}
}

// TestCompiles runs pdflatex on a picture of each kind.
func TestCompiles(t *testing.T) {
	plantest.Nightly(t)
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("pdflatex is not on PATH: that the documents compile is not checked")
	}
	if kpse, err := exec.LookPath("kpsewhich"); err == nil {
		for _, file := range []string{"standalone.cls", "tikz.sty", "lmodern.sty"} {
			if exec.Command(kpse, file).Run() != nil {
				t.Skipf("pdflatex has no %s: that the documents compile is not checked", file)
			}
		}
	}
	odd, oddOffsets := hostile()
	gapped, random := sample.Gapped(), sample.Random(300, 1)
	huge := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: -model.MaxSum, Upper: 0, Size: 1 << 59},
		{ID: "b", Lower: -5, Upper: model.MaxSum, Size: 1<<59 + 12345},
	}}
	for _, c := range []struct {
		name     string
		document []byte
	}{
		{"hostile", draws(t, odd, oddOffsets, Options{Capacity: 1000})},
		{"profile", profile(t, random, Options{Capacity: 100 << 10})},
		{"gapped", draws(t, gapped, sample.FirstFit(gapped), Options{LowerBound: 250000})},
		{"random", draws(t, random, sample.FirstFit(random), Options{})},
		{"huge", draws(t, huge, []int64{0, 1 << 59}, Options{})},
	}[:plantest.Share(5, 2)] {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // TeX itself has one thread
			dir := t.TempDir()
			must.Do(t, os.WriteFile(filepath.Join(dir, "picture.tex"), c.document, 0o644))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			c := exec.CommandContext(ctx, pdflatex, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape",
				"picture.tex")
			c.Dir = dir
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out[max(0, len(out)-2000):])
			}
		})
	}
}

func TestInvalid(t *testing.T) {
	golden.File(t, "testdata/invalid.tex", draws(t, sample.Paper(), []int64{6, 8, 4, 4, 0}, Options{}))
}
