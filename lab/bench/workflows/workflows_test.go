package workflows

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"go.yaml.in/yaml/v4"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

const root = "../../.."

func read(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(root, filepath.FromSlash(path))))(t)
	return string(text)
}

// TestWorkflows lints each workflow, and tries the linter on one with mistakes.
func TestWorkflows(t *testing.T) {
	lint := func(path string, text []byte) []*actionlint.Error {
		linter := must.Get(actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{}))(t)
		return must.Get(linter.Lint(path, text, nil))(t)
	}
	names, err := filepath.Glob(root + "/.github/workflows/*.yml")
	if err != nil || len(names) < 2 {
		t.Fatalf("%q, %v", names, err)
	}
	for _, name := range names {
		text := must.Get(os.ReadFile(name))(t)
		for _, fault := range lint(name, text) {
			t.Error(fault)
		}
		// Permissions are given by the job, and only the checkout that pushes tags leaves a token behind.
		for _, line := range []string{"\npermissions:\n  contents: read\n"} {
			if !strings.Contains(string(text), line) {
				t.Errorf("%s lacks %q", name, line)
			}
		}
		if kept := strings.Count(string(text), "actions/checkout@") - strings.Count(string(text),
			"persist-credentials: false"); kept > strings.Count(string(text), "git push") {
			t.Errorf("%s: %d checkouts keep their token", name, kept)
		}
	}
	bad := "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    needs: b\n    steps:\n      - run: echo ${{ github.nothing }}\n"
	if faults := lint("bad.yml", []byte(bad)); len(faults) < 2 {
		t.Errorf("the linter finds %v in a workflow with two mistakes", faults)
	}
}

// TestRelease: the release workflow tags every released module, looks for the version in files that have it, and
// publishes the output of make release.
func TestRelease(t *testing.T) {
	text := read(t, ".github/workflows/release.yml")
	var modules []string
	for _, line := range strings.Split(read(t, "go.work"), "\n") {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "./"); ok {
			modules = append(modules, name)
		}
	}
	found := regexp.MustCompile(`for module in (.*); do`).FindStringSubmatch(text)
	if found == nil || len(modules) < 3 {
		t.Fatalf("%q, %q", found, modules)
	}
	tagged := strings.Fields(found[1])
	slices.Sort(tagged)
	slices.Sort(modules)
	if !slices.Equal(tagged, modules) {
		t.Errorf("it tags %q, and go.work has %q", tagged, modules)
	}
	version := regexp.MustCompile(`VERSION "(.+)"`).FindStringSubmatch(read(t, "bindings/c/version.c"))
	files := regexp.MustCompile(`for file in (.*); do`).FindStringSubmatch(text)
	if version == nil || files == nil {
		t.Fatalf("%q, %q", version, files)
	}
	for _, file := range strings.Fields(files[1]) {
		if !strings.Contains(read(t, file), version[1]) {
			t.Errorf("%s does not have the version %s", file, version[1])
		}
	}
	if !strings.Contains(read(t, "Makefile"), "\nrelease:") || !strings.Contains(text, "run: make release\n") {
		t.Error("make release is not there, or not called")
	}
	if !regexp.MustCompile(`(?m)^## ` + regexp.QuoteMeta(version[1]) + `(,|$)`).MatchString(read(t, "CHANGELOG.md")) {
		t.Errorf("CHANGELOG.md has no section that the workflow finds for %s", version[1])
	}
}

// A form is an issue form of GitHub.
type form struct {
	Name, Description string
	Labels            []string
	Body              []struct {
		Type        string
		ID          string
		Attributes  map[string]any
		Validations map[string]bool
	}
}

// TestForms: GitHub shows no form that has a mistake, and reports none.
func TestForms(t *testing.T) {
	names, err := filepath.Glob(root + "/.github/ISSUE_TEMPLATE/*.yml")
	if err != nil || len(names) < 4 {
		t.Fatalf("%q, %v", names, err)
	}
	kinds := []string{"markdown", "input", "textarea", "dropdown", "checkboxes"}
	for _, name := range names {
		text := must.Get(os.ReadFile(name))(t)
		if filepath.Base(name) == "config.yml" {
			continue
		}
		var f form
		must.Do(t, yaml.Unmarshal(text, &f), "%s", name)
		if len(f.Name) < 3 || len(f.Description) < 3 || len(f.Body) < 2 {
			t.Errorf("%s: it needs a name, a description and a body", name)
		}
		seen := map[string]bool{}
		for _, part := range f.Body {
			if !slices.Contains(kinds, part.Type) {
				t.Errorf("%s: there is no type %q", name, part.Type)
			}
			what := "label"
			if part.Type == "markdown" {
				what = "value"
			} else if part.ID == "" || seen[part.ID] || !regexp.MustCompile(`^[a-z-]+$`).MatchString(part.ID) {
				t.Errorf("%s: the id %q is empty, not of letters and hyphens, or there twice", name, part.ID)
			}
			seen[part.ID] = true
			if text, ok := part.Attributes[what].(string); !ok || text == "" {
				t.Errorf("%s: part %q has no %s", name, part.ID, what)
			}
			for rule := range part.Validations {
				if rule != "required" {
					t.Errorf("%s: part %q has a validation %q", name, part.ID, rule)
				}
			}
		}
		if !strings.Contains(string(text), "stowage report") {
			t.Errorf("%s does not ask for what `stowage report` writes", name)
		}
	}
}
